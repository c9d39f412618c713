"""What a threshold keeps, against counting pairs and graphs one by one; the rules that suggest one."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from benchmarks.confidence_study.reliability import SHOWN, reliability
from benchmarks.real_worlds import REAL as FORMULA
from benchmarks.real_worlds import reliability as reliability_of_real
from bnengine.answers.thresholds import (
    CONVENTION,
    REAL,
    THRESHOLDS_SHOWN,
    again_remark,
    by_rule,
    false_remark,
    kept_at,
    kept_sentence,
    measured,
    real_measured,
    real_remark,
    threshold_remark,
)
from bnengine.bootstrap.ensemble import l1_threshold
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from tests.strategies import with_holes

KEYS = ["bootstrap", "bootstrap_corrected"]


@pytest.fixture(scope="module")
def data():
    return bn.load_network("asia").sample(300, rng=2)


@pytest.fixture(scope="module")
def study(data):
    return bn.study(data, bn.BDeu(1), bn.HillClimbing(), bn.resampling_methods(40, keys=KEYS))


@pytest.fixture(scope="module", params=["exact", "order"])
def posterior(data, request):
    return bn.edge_posterior(data, method=request.param, n_steps=20_000)


@pytest.mark.slow
def test_every_cell_is_a_count_of_pairs_and_of_graphs(study, posterior):
    table = kept_at(study, posterior)
    names, probability = posterior.names, posterior.probability
    assert len(table) == len(THRESHOLDS_SHOWN) * (len(KEYS) + 1)
    for line in table.itertuples():
        kept = []
        for i, j in itertools.combinations(range(len(names)), 2):
            if line.by == REAL:
                strength = min(probability[i, j] + probability[j, i], 1.0)
            else:
                graphs = study.ensembles[line.by].adjacencies
                strength = np.mean(graphs[:, i, j] | graphs[:, j, i])
            if strength >= line.threshold:
                kept.append((i, j))
        assert line.kept == len(kept)
        expected = sum(1 - min(probability[i, j] + probability[j, i], 1.0) for i, j in kept)
        assert line.false == pytest.approx(expected)
        assert np.isnan(line.precision) if not kept else line.precision == pytest.approx(1 - expected / len(kept))
        lacking = [sum(not (graph[i, j] or graph[j, i]) for i, j in kept) for graph in posterior.graphs()]
        assert (line.least, line.most) == tuple(np.quantile(lacking, (0.05, 0.95)))
        assert (line.error == 0) == (posterior.is_exact or not kept)


@pytest.mark.slow
def test_a_posterior_over_draws_of_missing_cells_has_an_error_at_every_threshold(study, data):
    holed = with_holes(data, 1, 0.1)
    found = bn.edge_posterior(holed, effort=bn.posterior.Effort(n_draws=2))
    table = kept_at(study, found)
    assert found.method == "exact"
    assert ((table["error"] > 0) == (table["kept"] > 0)).all()


@pytest.mark.slow
def test_rules_without_further_learning(study):
    assert by_rule("convention", study, "bootstrap", "directed") == CONVENTION
    assert by_rule("l1", study, "bootstrap", "directed") == l1_threshold(study.strength("bootstrap", "directed"))
    assert by_rule("mean", study, "bootstrap", "directed") == study.strength_threshold("bootstrap", "directed")


# What is said of how right the numbers were: the shipped table of held-out networks, counted here once more.


@pytest.fixture(scope="module")
def held_out():
    table = pd.read_parquet("benchmarks/which_confidence_reliability.parquet")
    return table[table["held_out"]].astype({column: float for column in ("pairs", "p", "pi", "true")})


SCORES = ("BIC", "BDeu(1)", "BDeu(10)", "qNML")


def own(held_out, key, score="BIC"):
    """The rows of a method under a score."""
    return held_out[(held_out["method"] == SHOWN[key]) & (held_out["score"] == score)]


def percent(share):
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.3g}%"


def test_what_is_shipped_is_what_the_table_gives():
    assert measured() == reliability(pd.read_parquet("benchmarks/which_confidence_reliability.parquet"))


@pytest.fixture(scope="module")
def worlds():
    return pd.read_parquet("benchmarks/real_worlds.parquet")


def test_what_is_said_of_real_is_what_the_worlds_give(worlds):
    assert real_measured() == reliability_of_real(worlds)


@pytest.mark.parametrize(("least", "below", "named"), [(0.85, 0.9, "0.85 to 0.9"), (0.999, 2, "0.999 or more")])
def test_each_number_of_real_is_said_as_it_was_counted(worlds, least, below, named):
    own = worlds[(worlds[FORMULA] >= least) & (worlds[FORMULA] < below)]
    told = real_remark(least + 0.0005)
    assert f"Of the {len(own):,} pairs of variables with {named} in simulated worlds, " in told
    assert f" {percent(own['true'].mean())} were joined by an edge" in told
    assert f"{percent(own['confounded'].mean())} only by a common cause" in told
    assert real_remark(least) == told


def test_numbers_above_099_were_right_that_often(worlds):
    """So that the pages may say "above 0.99", which takes for granted that no common cause was left unmeasured."""
    for least in (0.99, 0.999):
        own = worlds[(worlds[FORMULA] >= least) & ~worlds["confounded"]]
        assert own["true"].mean() >= 0.99
    assert 0.9 < worlds.loc[worlds[FORMULA] >= 0.99, "true"].mean() < 0.99


def test_false_edges_are_set_against_those_that_were_expected(worlds):
    own = worlds[worlds[FORMULA] >= 0.5]
    told = false_remark()
    assert told == threshold_remark(REAL, "", 0.5) == threshold_remark(REAL, "BIC", 0.5)
    numbers = [len(own), round((1 - own[FORMULA].astype(float)).sum()), (~own["true"]).sum(), own["confounded"].sum()]
    found = re.search(r"the (\S+) pairs.* worlds, (\S+) were expected .*, and (\S+) had none, (\S+) of them", told)
    assert [int(number.replace(",", "")) for number in found.groups()] == numbers


@pytest.mark.parametrize(
    ("false", "least", "most", "said"),
    [
        (0.065, 0, 0, "none of which is expected to be false"),
        (0.99, 1, 1, "about 1 of them false."),
        (1.4, 0, 3, "about 1 of them false (0 to 3)"),
        (0.3, 0, 1, "fewer than 1 of them false (0 to 1)"),
    ],
)
def test_expected_false_edges_are_said_with_a_sensible_interval(false, least, most, said):
    line = {"threshold": 0.5, "by": REAL, "kept": 9, "false": false, "least": least, "most": most}
    assert said in kept_sentence(pd.DataFrame([line]), 0.5)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("key", SHOWN)
def test_each_method_is_set_against_pi_under_its_score(held_out, key, score):
    mine = own(held_out, key, score)
    counts = mine[mine["bin"] == 8][["pairs", "p", "pi"]].sum()
    told = again_remark(key, score, 0.85)
    assert key in ALL_KEYS
    assert f"; {score}, hill climbing)" in told
    assert f"The {counts['pairs']:,.0f} pairs" in told
    assert "with a share of 0.8 to 0.9 on held-out networks" in told
    assert f"in {percent(counts['pi'] / counts['pairs'])} (" in told
    assert again_remark("of another kind", score, 0.85) == threshold_remark("of another kind", score, 0.85) == ""


@pytest.mark.parametrize("score", ["", "AIC", "BDeu(5)", "fNML"])
def test_nothing_is_said_of_a_score_that_was_not_measured(score):
    assert again_remark("bootstrap", score, 0.55) == threshold_remark("bootstrap", score, 0.55) == ""


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("key", SHOWN)
def test_what_a_threshold_keeps_is_counted_upwards(held_out, key, score):
    mine = own(held_out, key, score)
    above = mine[mine["bin"] >= 8][["pairs", "p", "true"]].sum()
    told = threshold_remark(key, score, 0.85)
    assert "of 0.8 or more on held-out networks (counted by tenths: 0.85 itself keeps fewer), " in told
    assert "of 0.8 or more on held-out networks, " in threshold_remark(key, score, 0.8)
    assert f"{percent(1 - above['true'] / above['pairs'])} (" in told
