"""Levels and cuts found together with a graph; the best cuts of one column, against every way to cut it."""

import functools
import itertools
import math

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.discretization.by_description import (
    COARSE,
    Neighbours,
    best_cuts,
    candidates_of,
    cuts_by_description,
    described,
    shortest,
)
from bnengine.discretization.cut_points import cut_at

THRESHOLDS = [-0.5, 0.8]


def with_thresholds(seed, n=600):
    """x decides y by two thresholds, with a fifth of the rows at random; z has nothing to do with either."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), np.searchsorted(THRESHOLDS, x))
    return pd.DataFrame({"x": x, "y": [f"s{state}" for state in y], "z": z})


def chain(seed, n=250, n_columns=4):
    """Each column follows the one before it."""
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n)]
    for _ in range(n_columns - 1):
        columns.append(columns[-1] + rng.normal(size=n))
    return pd.DataFrame(dict(zip("bdac", columns, strict=False)))


def described_by(frame, measured):
    return shortest(described(frame, {name: candidates_of(frame[name].to_numpy()) for name in measured}))


@pytest.mark.parametrize("seed", range(5))
def test_thresholds_are_recovered(seed):
    """Three levels, both cuts within 0.1; of 300 seeds tried none failed: below one false alarm in 100 a seed."""
    frame = with_thresholds(seed)
    cuts = cuts_by_description(frame, ["x", "z"])
    assert cuts["x"] == pytest.approx(THRESHOLDS, abs=0.1)
    assert len(cuts["z"]) == 1
    edges = described_by(frame, ["x", "z"]).graph.edges
    assert ("x", "y") in edges or ("y", "x") in edges


@pytest.mark.slow
def test_noise_gets_the_fewest_levels():
    """Three tables of six columns; of 200 tried every column had the fewest levels."""
    for seed in range(3):
        frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(300, 6)), columns=list("abcdef"))
        assert {len(cuts) for cuts in cuts_by_description(frame, list(frame)).values()} == {1}


def entropy(column):
    shares = column.value_counts(normalize=True)
    return -float((shares[shares > 0] * np.log2(shares[shares > 0])).sum())


def test_the_description_length_against_its_definition():
    """Network and discretized table; number of states; cut points; values: N H(X | X*) = N (H(X) - H(X*)), bits."""
    frame = with_thresholds(1).round(2)
    found, cuts = described_by(frame, ["x", "z"]), cuts_by_description(frame, ["x", "z"])
    cut = cut_at(frame, cuts)
    data = bn.Dataset.from_frame(cut)
    bits = bn.mdl(data, found.graph.edges).mdl
    for name in ("x", "z"):
        bits += math.log2(8) + math.log2(math.comb(frame[name].nunique() - 1, len(cuts[name])))
        bits += len(frame) * (entropy(frame[name]) - entropy(cut[name]))
    assert found.length / math.log(2) == pytest.approx(bits, abs=1e-6)
    assert found.graph.score == pytest.approx(bn.score(data, found.graph.edges, bn.BIC()))


@pytest.mark.slow
def test_the_order_of_columns_and_rows_makes_no_difference():
    frame = chain(7).assign(word=lambda f: np.where(f["a"] > 0.5, "high", "low"))
    turned = frame[["word", "a", "b", "c", "d"]].sample(frac=1, random_state=1)
    assert cuts_by_description(frame, list("bdac")) == cuts_by_description(turned, list("abcd"))


def test_only_the_order_of_the_values_counts():
    """The coding of the values depends on how often each occurs, not on where it lies."""
    frame = chain(4)
    plain, curved = (bn.discretize(one, "score") for one in (frame, np.exp(frame / 2)))
    for name in frame:
        assert plain[name].cat.codes.tolist() == curved[name].cat.codes.tolist()


def test_missing_cells_are_a_state_and_stay_missing():
    frame = with_thresholds(4)
    frame.loc[frame["y"] == "s0", "x"] = np.nan
    frame.loc[:9, "y"] = None
    found = bn.discretize(frame, "score")
    assert found["x"].isna().equals(frame["x"].isna())
    assert found["y"].isna().sum() == 10
    # the lowest of the three states is where x is missing
    assert cuts_by_description(frame, ["x", "z"])["x"] == pytest.approx(THRESHOLDS[1:], abs=0.2)


def test_progress_is_told_and_stops():
    frame, told = chain(1), []
    found = cuts_by_description(frame, list(frame), lambda done, total: told.append((done, total)))
    assert all(1 <= done <= total for done, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    stopped = cuts_by_description(frame, list(frame), lambda done, total: done < 3)
    assert set(stopped) == set(found)
    assert stopped != found


def test_an_empty_column_is_named():
    frame = with_thresholds(0, 60).assign(empty=np.nan)
    with pytest.raises(bn.DataError, match="column 'empty' has no values"):
        bn.discretize(frame, "score", columns=["empty"])


# The best cuts of one column.


EDGES = [("p", "x"), ("x", "c"), ("o", "c"), ("x", "d")]


@functools.cache
def small_table(seed, n=60, n_values=7, missing=0):
    """A measured column x with few distinct values, its parent p, its children c (with another parent o) and d."""
    rng = np.random.default_rng(seed)
    x = rng.choice(np.sort(rng.normal(size=n_values)).round(3), n)
    frame = pd.DataFrame({"x": x})
    frame["p"] = np.where(rng.random(n) < 0.8, x > 0.3, rng.random(n) < 0.5)
    frame["o"] = rng.integers(0, 3, n)
    frame["c"] = np.where(rng.random(n) < 0.7, (x > -0.5) + (x > 0.6), frame["o"])
    frame["d"] = np.where(rng.random(n) < 0.6, x > 0, rng.random(n) < 0.5)
    frame.loc[: missing - 1, "x"] = np.nan
    return frame.astype({"p": str, "o": str, "c": str, "d": str})


@functools.cache
def cut_table(seed, missing, points):
    """The table with x cut at the points, and the nats for its values within the levels."""
    frame = small_table(seed, missing=missing)
    cut = cut_at(frame, {"x": list(points)})
    x = frame["x"].dropna()
    values = 0.0
    for level in cut["x"].cat.categories:
        inside = x[cut["x"].dropna() == level]
        values += sum(n * math.log(len(inside) / n) for n in inside.value_counts())
    return bn.Dataset.from_frame(bn.fill_missing(cut, "own_state")), values


def description_length(seed, missing, points):
    """Nats for the table with x cut at the points, from first principles: network, levels, cuts, values."""
    data, values = cut_table(seed, missing, points)
    n_points = small_table(seed, missing=missing)["x"].nunique() - 1
    cuts = math.log(8) + math.log(math.comb(n_points, len(points)))
    return values + cuts - bn.score(data, EDGES, bn.BIC())


def neighbours_of(frame):
    coded = {name: pd.factorize(frame[name], sort=True)[0].astype(np.int64) for name in "pocd"}
    return Neighbours(
        (coded["p"], 2.0), [(coded["o"], 3.0, coded["c"], 3), (np.zeros(len(frame), np.int64), 1.0, coded["d"], 2)]
    )


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0, 5], ids=["complete", "missing"])
def test_no_other_cuts_are_described_more_briefly_against_enumeration(missing):
    for seed in range(3):
        frame = small_table(seed, missing=missing)
        assert sorted(frame["c"].unique()) == ["0", "1", "2"]
        candidates = candidates_of(frame["x"].to_numpy())
        chosen = best_cuts(candidates, neighbours_of(frame), 1, 4)
        found = description_length(seed, missing, tuple(candidates.points[list(chosen)].tolist()))
        every = [
            description_length(seed, missing, points)
            for n_cuts in range(4)
            for points in itertools.combinations(candidates.points.tolist(), n_cuts)
        ]
        assert len(every) > 40
        assert found == pytest.approx(min(every), abs=1e-5)


def test_the_bounds_of_the_number_of_levels_hold():
    frame = small_table(1)
    candidates = candidates_of(frame["x"].to_numpy())
    for least, most in ((1, 1), (2, 2), (5, 6)):
        assert least <= len(best_cuts(candidates, neighbours_of(frame), least, most)) + 1 <= most
    few = candidates_of(np.array([1.0, 2.0, 2.0, 1.0] * 15))
    assert best_cuts(few, neighbours_of(frame), 4, 8) == (0,)  # two values, two levels
    same = candidates_of(np.full(60, 3.0))
    assert best_cuts(same, neighbours_of(frame), 2, 8) == ()


def test_cuts_of_equal_length_are_even():
    """Alone, a column says nothing about where to cut it."""
    candidates = candidates_of(np.arange(60.0))
    alone = Neighbours((np.zeros(60, np.int64), 1.0), [])
    assert candidates.points[list(best_cuts(candidates, alone, 3, 3, fine=True))].tolist() == [19.5, 39.5]
    assert best_cuts(candidates, alone, 1, 8) == ()


@pytest.mark.parametrize("n", [200, 5000])
def test_fine_cuts_are_at_the_threshold_though_it_is_between_the_coarse_ones(n):
    values = np.random.default_rng(n).permutation(np.arange(float(n)))
    candidates = candidates_of(values)
    assert len(candidates.even) == COARSE
    threshold = next(k for k in range(n // 3, n) if k not in candidates.even)
    child = (values > threshold).astype(np.int64)
    family = Neighbours((np.zeros(n, np.int64), 1.0), [(np.zeros(n, np.int64), 1.0, child, 2)])
    coarse, fine = (best_cuts(candidates, family, 2, 8, fine=fine) for fine in (False, True))
    assert coarse != fine == (threshold,)
    assert candidates.points[list(fine)].tolist() == [threshold + 0.5]
    assert best_cuts(candidates, family, 2, 8, now=fine) == fine  # present cuts are candidates, too
