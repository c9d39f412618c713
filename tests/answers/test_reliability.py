"""What is said of how right the numbers were: the shipped table of held-out networks, counted here once more."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.confidence_study.reliability import REAL as POSTERIOR
from benchmarks.confidence_study.reliability import SHOWN, reliability
from bnengine.answers.thresholds import (
    REAL,
    again_remark,
    measured,
    prior_remark,
    real_remark,
    threshold_remark,
)
from bnengine.bootstrap.resampling_methods import ALL_KEYS


@pytest.fixture(scope="module")
def held_out():
    table = pd.read_parquet("benchmarks/which_confidence_reliability.parquet")
    return table[table["held_out"]].astype({column: float for column in ("pairs", "p", "pi", "true")})


SCORES = ("BIC", "BDeu(1)", "BDeu(10)", "qNML")


def own(held_out, key, score="BIC"):
    """The rows of a method under a score; the posterior's are the same under each."""
    method = POSTERIOR if key == REAL else SHOWN[key]
    return held_out[(held_out["method"] == method) & (held_out["score"] == score)]


def percent(share):
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.3g}%"


def test_what_is_shipped_is_what_the_table_gives():
    assert measured() == reliability(pd.read_parquet("benchmarks/which_confidence_reliability.parquet"))


@pytest.mark.parametrize("tenth", range(10))
def test_each_tenth_of_real_is_said_as_it_was_counted(held_out, tenth):
    mine = own(held_out, REAL)
    counts = mine[mine["bin"] == tenth][["pairs", "p", "true"]].sum()
    told = real_remark(tenth / 10 + 0.05)
    assert f"Of the {counts['pairs']:,.0f} pairs" in told
    assert f", {percent(counts['true'] / counts['pairs'])} (" in told
    assert f"{percent(counts['p'] / counts['pairs'])} were expected." in told
    assert real_remark(tenth / 10) == told  # the tenth begins with its lower end
    assert real_remark(1.0) == real_remark(0.9)


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
    assert threshold_remark(REAL, score, 0.55) == threshold_remark(REAL, "BIC", 0.55) != ""


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("key", [*SHOWN, REAL])
def test_what_a_threshold_keeps_is_counted_upwards(held_out, key, score):
    mine = own(held_out, key, score)
    above = mine[mine["bin"] >= 8][["pairs", "p", "true"]].sum()
    told = threshold_remark(key, score, 0.85)
    assert "of 0.8 or more on held-out networks (counted by tenths: 0.85 itself keeps fewer), " in told
    assert "of 0.8 or more on held-out networks, " in threshold_remark(key, score, 0.8)
    assert f"{percent(1 - above['true'] / above['pairs'])} (" in told
    if key == REAL:
        assert f"; {percent(1 - above['p'] / above['pairs'])} were expected" in told


@pytest.mark.slow
def test_intervals_draw_whole_networks(held_out):
    """Against drawing networks again with another generator: quantiles of 4,000 sets of seven, to 0.03."""
    mine, rng = own(held_out, REAL), np.random.default_rng(5)
    high = mine[mine["bin"] == 9].groupby("network")[["pairs", "true"]].sum()
    shares = [high.iloc[rng.integers(0, len(high), len(high))].sum() for _ in range(4000)]
    expected = np.quantile([one["true"] / one["pairs"] for one in shares], (0.025, 0.975))
    found = measured()[REAL]["tenths"][9]
    np.testing.assert_allclose(found["true_interval"], expected, atol=0.03)
    for method in (
        measured()[REAL],
        *(one for by_score in measured()["methods"].values() for one in by_score.values()),
    ):
        for entry in (*method["tenths"], *method["at_least"]):
            low, high = entry["true_interval"]
            assert low <= entry["true"] / entry["pairs"] <= high
            assert low < high or not entry["true"]


@pytest.mark.parametrize("tenth", range(10))
def test_false_edges_are_set_against_those_that_were_expected(held_out, tenth):
    mine = own(held_out, REAL)
    above = mine[mine["bin"] >= tenth][["pairs", "p", "true"]].sum()
    told = prior_remark(tenth / 10)
    assert told.startswith("That number holds under the posterior's prior")
    assert f"the {above['pairs']:,.0f} pairs of variables with a probability of {tenth / 10:g} or more" in told
    expected = float(re.search(r"([\d.,]+) were expected to have no edge", told)[1].replace(",", ""))
    assert expected == pytest.approx(above["pairs"] - above["p"], rel=0.005)
    assert f"and {above['pairs'] - above['true']:,.0f} had none." in told


def test_the_manual_says_what_was_counted():
    """So that its sentence changes with the shipped table."""
    _, counted = prior_remark(0.8).split("of the ")
    pairs, expected, false = re.findall(r"([\d.,]+) (?:pairs|were expected|had none)", counted)
    networks = re.search(r"on (\d+) held-out", counted)[1]
    manual = " ".join(Path("docs/which-number.md").read_text(encoding="utf-8").split())
    assert f"of the {pairs} pairs of variables with a probability of 0.8 or more on the {networks} held-out" in manual
    assert f"{float(expected):.0f} were expected to have no edge, and {false} had none" in manual
