"""The best cuts of one column, against every way to cut it."""

import functools
import itertools
import math

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.columns import cut_at
from bnengine.discretization.optimal_cuts import COARSE, Neighbours, best_cuts, candidates_of

SCORES = [bn.LogLikelihood(), bn.AIC(), bn.BIC(), bn.BDeu(4.0), bn.K2Score(), bn.FNML(), bn.QNML()]
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


def description_length(seed, missing, points, score, most=8):
    """Nats for the table with x cut at the points, from first principles: network, levels, cuts, values."""
    data, values = cut_table(seed, missing, points)
    n_points = small_table(seed, missing=missing)["x"].nunique() - 1
    cuts = math.log(most) + math.log(math.comb(n_points, len(points)))
    return values + cuts - bn.score(data, EDGES, score)


def neighbours_of(frame):
    coded = {name: pd.factorize(frame[name], sort=True)[0].astype(np.int64) for name in "pocd"}
    return Neighbours(
        (coded["p"], 2.0),
        [(coded["o"], 3.0, coded["c"], 3), (np.zeros(len(frame), np.int64), 1.0, coded["d"], 2)],
    )


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0, 5], ids=["complete", "missing"])
@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
def test_no_other_cuts_are_described_more_briefly_against_enumeration(score, missing):
    for seed in range(2):
        frame = small_table(seed, missing=missing)
        assert sorted(frame["c"].unique()) == ["0", "1", "2"]
        candidates = candidates_of(frame["x"].to_numpy())
        chosen = best_cuts(candidates, neighbours_of(frame), score, 1, 4)
        found = description_length(seed, missing, tuple(candidates.points[list(chosen)].tolist()), score)
        every = [
            description_length(seed, missing, points, score)
            for n_cuts in range(4)
            for points in itertools.combinations(candidates.points.tolist(), n_cuts)
        ]
        assert len(every) > 40
        assert found == pytest.approx(min(every), abs=1e-5)


def test_the_bounds_of_the_number_of_levels_hold():
    frame = small_table(1)
    candidates = candidates_of(frame["x"].to_numpy())
    for least, most in ((1, 1), (2, 2), (5, 6)):
        assert least <= len(best_cuts(candidates, neighbours_of(frame), bn.BIC(), least, most)) + 1 <= most
    few = candidates_of(np.array([1.0, 2.0, 2.0, 1.0] * 15))
    assert best_cuts(few, neighbours_of(frame), bn.BIC(), 4, 8) == (0,)  # two values, two levels
    same = candidates_of(np.full(60, 3.0))
    assert best_cuts(same, neighbours_of(frame), bn.BIC(), 2, 8) == ()


def test_cuts_of_equal_length_are_even():
    """Alone, a column says nothing about where to cut it."""
    candidates = candidates_of(np.arange(60.0))
    alone = Neighbours((np.zeros(60, np.int64), 1.0), [])
    assert candidates.points[list(best_cuts(candidates, alone, bn.BIC(), 3, 3, fine=True))].tolist() == [19.5, 39.5]
    assert best_cuts(candidates, alone, bn.BIC(), 1, 8) == ()


@pytest.mark.parametrize("n", [200, 5000])
def test_fine_cuts_are_at_the_threshold_though_it_is_between_the_coarse_ones(n):
    values = np.random.default_rng(n).permutation(np.arange(float(n)))
    candidates = candidates_of(values)
    assert len(candidates.even) == COARSE
    threshold = next(k for k in range(n // 3, n) if k not in candidates.even)
    child = (values > threshold).astype(np.int64)
    family = Neighbours((np.zeros(n, np.int64), 1.0), [(np.zeros(n, np.int64), 1.0, child, 2)])
    coarse, fine = (best_cuts(candidates, family, bn.BIC(), 2, 8, fine=fine) for fine in (False, True))
    assert coarse != fine == (threshold,)
    assert candidates.points[list(fine)].tolist() == [threshold + 0.5]
    assert best_cuts(candidates, family, bn.BIC(), 2, 8, now=fine) == fine  # present cuts are candidates, too
