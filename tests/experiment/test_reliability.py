"""What is said of how right the numbers were: the shipped table of held-out networks, counted here once more."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.confidence_study.reliability import SHOWN, reliability
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.experiment.thresholds import (
    REAL,
    again_remark,
    ends_sentence,
    measured,
    real_remark,
    threshold_remark,
)


@pytest.fixture(scope="module")
def held_out():
    table = pd.read_parquet("benchmarks/which_confidence_reliability.parquet")
    return table[table["held_out"]].astype({column: float for column in ("pairs", "p", "pi", "true")})


def own(held_out, key):
    """The rows of a method; those of the posterior, which does not depend on the score, once."""
    mine = held_out[held_out["method"] == SHOWN[key]]
    return mine[mine["score"] == "BIC"] if key == REAL else mine


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


@pytest.mark.parametrize("key", [key for key in SHOWN if key != REAL])
def test_each_method_is_set_against_pi(held_out, key):
    mine = own(held_out, key)
    counts = mine[mine["bin"] == 8][["pairs", "p", "pi"]].sum()
    told = again_remark(key, 0.85)
    assert key in ALL_KEYS
    assert f"The {counts['pairs']:,.0f} pairs" in told
    assert "with a share of 0.8 to 0.9 on held-out networks" in told
    assert f"in {percent(counts['pi'] / counts['pairs'])} (" in told
    assert again_remark("of another kind", 0.85) == threshold_remark("of another kind", 0.85) == ""


@pytest.mark.parametrize("key", SHOWN)
def test_what_a_threshold_keeps_is_counted_upwards(held_out, key):
    mine = own(held_out, key)
    above = mine[mine["bin"] >= 8][["pairs", "p", "true"]].sum()
    told = threshold_remark(key, 0.85)
    assert "of 0.8 or more on held-out networks (counted by tenths: 0.85 itself keeps fewer), " in told
    assert "of 0.8 or more on held-out networks, " in threshold_remark(key, 0.8)
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
    found = measured()["methods"][REAL]["tenths"][9]
    np.testing.assert_allclose(found["true_interval"], expected, atol=0.03)
    for method in measured()["methods"].values():
        for entry in (*method["tenths"], *method["at_least"]):
            low, high = entry["true_interval"]
            assert low <= entry["true"] / entry["pairs"] <= high
            assert low < high or not entry["true"]


def test_the_ends_say_the_first_and_the_last_tenth():
    low, *_, high = measured()["methods"][REAL]["tenths"]
    told = ends_sentence()
    assert f"{high['pairs']:,} pairs of variables had a probability of 0.9 or more" in told
    assert f"and {high['pairs'] - high['true']:,} (" in told
    assert f"Of {low['pairs']:,} pairs below 0.1, {low['expected']:,.0f} were expected" in told
    assert f"and {low['true']:,} (" in told
