"""What is stated of how right such numbers were, counted here once more from the shipped results."""

import re

import pandas as pd
import pytest

from benchmarks.confidence_study.evidence import SHOWN
from benchmarks.published import PI, STUDY, TABLE, names, network_of
from benchmarks.real_worlds import REAL as FORMULA
from bnengine._core.display import short
from bnengine.answers.reliability import (
    OF_PUBLISHED,
    REAL,
    again_remark,
    cause_remark,
    false_remark,
    shipped,
    tables_like,
    threshold_remark,
)
from bnengine.bootstrap.resampling_methods import ALL_KEYS


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


@pytest.fixture(scope="module")
def worlds():
    return pd.read_parquet("benchmarks/real_worlds.parquet")


@pytest.fixture(scope="module")
def published():
    """The pairs of the samples of published networks, with each network's number of variables."""
    lines = STUDY.shipped()
    sizes = {name: len(network_of(name).names) for name in names()}
    return lines.assign(variables=lines["network"].astype(str).map(sizes))


def of_method(published, method, rows, variables, least, below):
    """The pairs with such a number on the tables of a group."""
    p, (fewest, most) = published["probability"].astype(float), variables
    own = (p >= least) & (p < below) & published["variables"].between(fewest, most)
    return published[own & (published["method"] == method) & (published["rows"] == rows)]


@pytest.mark.parametrize(
    ("n_variables", "n_rows", "rows", "variables"),
    [(8, 100, 100, (8, 12)), (12, 180, 300, (8, 12)), (25, 90, 100, (13, 30)), (500, 20_000, 1_000, (31, 62))],
)
@pytest.mark.parametrize(("least", "below", "values"), [(0.8, 0.95, "0.8 to 0.95"), (0.99, 2, "0.99 or more")])
def test_beside_a_number_stands_what_it_was_worth_on_tables_of_about_this_size(
    published, n_variables, n_rows, rows, variables, least, below, values
):
    real = of_method(published, "real", rows, variables, least, below)
    again = of_method(published, "found again", rows, variables, least, below)
    fresh = published[published["method"] == PI].set_index([*TABLE, "pair"])["probability"].astype(float)
    pi = fresh.loc[pd.MultiIndex.from_frame(again[[*TABLE, "pair"]])].sum()
    remark = tables_like(n_variables, n_rows, least, least + 0.0005)
    assert f"({rows:,} rows of " in remark
    both = [
        f"of {len(again)} pairs found again with probability {values}, fresh tables joined {short(pi)} on average (",
        f"of {len(real)} pairs real with probability {values}, {real['edge'].sum()} were edges (",
    ]
    start, first, second = re.split(r", (?=of \d+ pairs)|; ", remark)
    assert start.endswith(f"networks with {variables[0]} to {variables[1]} variables, by the default search)")
    assert first.startswith(both[0])
    assert second.startswith(both[1])
    assert tables_like(n_variables, n_rows, real=least) == f"{start}, {second}"


@pytest.mark.parametrize(("least", "below", "values"), [(0.85, 0.9, "0.85 to 0.9"), (0.999, 2, "0.999 or more")])
def test_an_unmeasured_cause_is_named_with_how_often_it_was_one(worlds, least, below, values):
    own = worlds[(worlds[FORMULA] >= least) & (worlds[FORMULA] < below)]
    remark = cause_remark(least + 0.0005)
    assert (
        f"{percent(own['confounded'].mean())} of the pairs real with probability {values} were joined only by" in remark
    )
    assert cause_remark(least) == remark


def test_few_rows_hide_edges_so_that_the_smallest_numbers_are_too_small():
    """At the low end a number is worth something else on another table, which is why the sentence asks for the size."""
    first = {(one["rows"], one["variables"][0]): one["real"][0] for one in shipped(OF_PUBLISHED)["groups"]}
    pairs, expected, edges = first[100, 8]
    assert edges / pairs > 0.05 > expected / pairs
    pairs, _, edges = first[1_000, 31]
    assert edges / pairs < 0.01


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


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("key", SHOWN)
def test_each_method_is_set_against_pi_under_its_score_and_a_threshold_is_counted_upwards(held_out, key, score):
    mine = own(held_out, key, score)
    counts = mine[mine["bin"] == 8][["pairs", "p", "pi"]].sum()
    told = again_remark(key, score, 0.85)
    assert key in ALL_KEYS
    assert f"; {score}, hill climbing)" in told
    assert f"The {counts['pairs']:,.0f} pairs" in told
    assert "with a share of 0.8 to 0.9 on held-out networks" in told
    assert f"in {percent(counts['pi'] / counts['pairs'])} (" in told
    assert again_remark("of another kind", score, 0.85) == threshold_remark("of another kind", score, 0.85) == ""
    above = mine[mine["bin"] >= 8][["pairs", "p", "true"]].sum()
    told = threshold_remark(key, score, 0.85)
    assert "of 0.8 or more on held-out networks (counted by tenths: 0.85 itself keeps fewer), " in told
    assert "of 0.8 or more on held-out networks, " in threshold_remark(key, score, 0.8)
    assert f"{percent(1 - above['true'] / above['pairs'])} (" in told


@pytest.mark.parametrize("score", ["", "AIC", "BDeu(5)", "fNML"])
def test_nothing_is_said_of_a_score_that_was_not_measured(score):
    assert again_remark("bootstrap", score, 0.55) == threshold_remark("bootstrap", score, 0.55) == ""
