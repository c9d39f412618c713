"""Where missing cells are, against counts by hand; and dependences, against their stated false-alarm rate."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi2_contingency

import bnengine as bn
from bnengine.scores.missingness import LEVEL


@pytest.fixture(scope="module")
def frame():
    """b and c are always missing together; d more often where a is "x"."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({name: rng.choice(["x", "y"], 400) for name in "abcd"}, dtype=object)
    table.loc[rng.random(400) < 0.2, ["b", "c"]] = None
    table.loc[rng.random(400) < np.where(table["a"] == "x", 0.5, 0.1), "d"] = None
    return table


def test_counts_against_pandas(frame):
    found = bn.answers.missingness(frame)
    absent = frame.isna()
    assert found.missing.tolist() == absent.sum().tolist()
    assert found.n_complete == int((~absent.any(axis=1)).sum())
    by_hand = absent.value_counts()
    assert found.n_patterns == len(by_hand)
    assert {tuple(p): n for p, n in zip(found.patterns.tolist(), found.pattern_rows.tolist(), strict=True)} == dict(
        by_hand
    )
    assert found.pattern_rows.tolist() == sorted(by_hand, reverse=True)
    for i, one in enumerate("abcd"):
        for j, other in enumerate("abcd"):
            assert found.both_seen[i, j] == int((~absent[one] & ~absent[other]).sum())
    assert found.together == ((("b", "c"), int(absent["b"].sum())),)


def test_a_dependence_is_named_with_its_shares_and_the_statistic_of_scipy(frame):
    found = bn.answers.missingness(frame)
    (one,) = found.depends
    table = pd.crosstab(frame["d"].isna(), frame["a"])
    by_scipy = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert (one.variable, one.on) == ("d", "a")
    assert one.g_squared == pytest.approx(by_scipy.statistic)
    assert one.p_value == pytest.approx(by_scipy.pvalue)
    shares = frame["d"].isna().groupby(frame["a"]).mean()
    assert one.often == ("x", pytest.approx(shares["x"]))
    assert one.seldom == ("y", pytest.approx(shares["y"]))
    assert found.to_frame()["depends_on"].tolist() == ["", "", "", "a"]
    assert one.sentence.startswith("'d' is missing in 5")


def test_each_way_says_what_it_uses(frame):
    found = bn.answers.missingness(frame)
    said = found.uses()
    assert said["listwise"] == f"Dropping rows keeps {len(frame.dropna())} of 400 rows."
    assert f"draws {int(frame.isna().sum().sum())} missing cells" in said["drawn"]
    assert "to 3 variables" in said["own_state"]
    pairs = sorted(found.both_seen[np.triu_indices(4, 1)])
    assert f"on {pairs[0]} at least" in said["complete_families"]


def test_counted_rows_are_as_the_long_table(frame):
    data = bn.Dataset.from_frame(frame, missing="keep")
    counted = bn.Dataset(data.names, data.states, data.codes, counts=np.ones(400, dtype=np.int64))
    one, other = bn.answers.missingness(data), bn.answers.missingness(counted)
    assert one.depends == other.depends
    for name in ("missing", "patterns", "pattern_rows", "both_seen"):
        assert (getattr(one, name) == getattr(other, name)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "n_rows", "share"), [("asia", 200, 0.1), pytest.param("child", 300, 0.1, marks=pytest.mark.thorough)]
)
def test_holes_that_depend_on_nothing_are_rarely_said_to_depend(network, n_rows, share):
    """More false alarms than the level allows in 200 tables: by chance with probability 1e-6."""
    known, alarms, n = bn.load_network(network), 0, 200
    for seed in range(n):
        full = known.sample(n_rows, rng=seed)
        holes = np.random.default_rng(1000 + seed).random(full.codes.shape) < share
        data = bn.Dataset(full.names, full.states, np.where(holes, 65_535, full.codes))
        alarms += len(bn.answers.missingness(data).depends) > 0
    assert alarms <= binom.isf(1e-6, n, LEVEL)


def missing_by_a_common_effect(seed):
    """A → C ← B; A is missing by C, which is always seen."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, (2, 1000))
    c = np.where(rng.random(1000) < 0.1, rng.integers(0, 2, 1000), a | b)
    frame = pd.DataFrame({"A": a, "B": b, "C": c}).astype(object)
    frame.loc[rng.random(1000) < np.where(c == 1, 0.6, 0.1), "A"] = None
    return frame


def test_complete_families_invent_an_edge_where_holes_depend_on_a_common_effect_and_it_is_said():
    joined = dict.fromkeys(("drawn", "complete_families", "listwise"), 0)
    for seed in range(12):
        frame = missing_by_a_common_effect(seed)
        for way in joined:
            graph = bn.learn(bn.Dataset.from_frame(frame, missing=way), rng=seed)
            joined[way] += bool(graph.adjacency[0, 1] or graph.adjacency[1, 0])
        found = bn.answers.missingness(frame)
        assert ("A", "C") in {(one.variable, one.on) for one in found.depends}
        assert "invent" in found.uses()["complete_families"]
    # of 40 tables 35 and 35 had the edge, and 7 where cells were drawn: by chance other seeds fail in 1.2 %
    assert min(joined["complete_families"], joined["listwise"]) >= 7
    assert joined["drawn"] <= 5
