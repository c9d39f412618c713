"""Levels and cuts learned jointly with the graph; the best cuts of one column, against every way to cut it."""

import functools
import itertools
import math

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.columns import cut_at
from bnengine.discretization.optimal_cuts import COARSE, Neighbours, best_cuts, candidates_of

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


@pytest.mark.parametrize("seed", range(5))
def test_thresholds_are_recovered(seed):
    """Three levels, both cuts within 0.1; of 300 seeds tried none failed: below one false alarm in 100 a seed."""
    found = bn.teaching.learn_discretization(with_thresholds(seed))
    assert found.levels == {"x": 3, "z": 2}
    assert found.cuts["x"] == pytest.approx(THRESHOLDS, abs=0.1)
    assert ("x", "y") in found.graph.edges or ("y", "x") in found.graph.edges


@pytest.mark.slow
def test_noise_gets_the_fewest_levels():
    """Three tables of six columns; of 200 tried every column had the fewest levels under either bound."""
    for seed in range(3):
        frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(300, 6)), columns=list("abcdef"))
        for fewest in (1, 2):
            found = bn.teaching.learn_discretization(frame, min_levels=fewest)
            assert set(found.levels.values()) == {fewest}


@pytest.mark.slow
@pytest.mark.parametrize("score", [None, bn.BDeu(2.0), bn.FNML(), bn.WithPrior(bn.BIC(), 2.0)], ids=repr)
def test_the_description_never_gets_longer(score):
    found = bn.teaching.learn_discretization(chain(2), score)
    assert len(found.trace) > 5
    assert (np.diff(found.trace) < 0).all()
    assert found.trace[-1] == found.bits
    assert found.status == "converged"


def entropy(column):
    shares = column.value_counts(normalize=True)
    return -float((shares[shares > 0] * np.log2(shares[shares > 0])).sum())


def test_the_description_length_against_its_definition():
    """Network and discretized table; number of states; cut points; values: N H(X | X*) = N (H(X) - H(X*)), bits."""
    frame = with_thresholds(1).round(2)
    found = bn.teaching.learn_discretization(frame)
    data = bn.Dataset.from_frame(found.frame)
    bits = bn.mdl(data, found.graph.edges).mdl
    for name in ("x", "z"):
        bits += math.log2(8) + math.log2(math.comb(frame[name].nunique() - 1, len(found.cuts[name])))
        bits += len(frame) * (entropy(frame[name]) - entropy(found.frame[name]))
    assert found.bits == pytest.approx(bits, abs=1e-6)
    assert found.graph.score == pytest.approx(bn.score(data, found.graph.edges, bn.BIC()))


@pytest.mark.slow
def test_the_order_of_columns_and_rows_makes_no_difference():
    frame = chain(7).assign(word=lambda f: np.where(f["a"] > 0.5, "high", "low"))
    one = bn.teaching.learn_discretization(frame)
    other = bn.teaching.learn_discretization(frame[["word", "a", "b", "c", "d"]].sample(frac=1, random_state=1))
    assert dict(one.cuts) == dict(other.cuts)
    assert one.bits == pytest.approx(other.bits)
    assert sorted(one.graph.edges) == sorted(other.graph.edges)
    assert one.graph.names == tuple(frame.columns)
    assert list(one.cuts) == ["b", "d", "a", "c"]


def test_only_the_order_of_the_values_counts():
    """The coding of the values depends on how often each occurs, not on where it lies."""
    frame = chain(4)
    plain, curved = bn.teaching.learn_discretization(frame), bn.teaching.learn_discretization(np.exp(frame / 2))
    assert plain.levels == curved.levels
    assert plain.bits == pytest.approx(curved.bits)
    for name in frame:
        assert plain.frame[name].cat.codes.tolist() == curved.frame[name].cat.codes.tolist()


def test_constraints_and_search_are_those_of_learn():
    frame = with_thresholds(2)
    found = bn.teaching.learn_discretization(frame, constraints=bn.Constraints(forbidden=[("x", "y"), ("y", "x")]))
    assert found.levels["x"] == 2
    ordered = bn.teaching.learn_discretization(frame[["y", "z", "x"]], search=bn.K2())
    assert ordered.graph.edges == [("y", "x")]  # K2 takes the order of the columns, whatever their names


def test_missing_cells_are_a_state_and_stay_missing():
    frame = with_thresholds(4)
    frame.loc[frame["y"] == "s0", "x"] = np.nan
    frame.loc[:9, "y"] = None
    found = bn.teaching.learn_discretization(frame)
    assert found.frame["x"].isna().equals(frame["x"].isna())
    assert found.frame["y"].isna().sum() == 10
    assert found.levels["x"] == 2  # the lowest of the three is where x is missing
    assert found.cuts["x"] == pytest.approx(THRESHOLDS[1:], abs=0.2)


def test_progress_is_told_and_stops():
    told = []
    found = bn.teaching.learn_discretization(chain(1), progress=lambda done, total: told.append((done, total)))
    assert found.status == "converged"
    assert all(1 <= done <= total for done, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    stopped = bn.teaching.learn_discretization(chain(1), progress=lambda done, total: done < 3)
    assert stopped.status == "stopped"
    assert stopped.frame.notna().all(axis=None)
    assert stopped.bits > found.bits


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"score": bn.BDs(1.0)}, ValueError, r"score must be one whose prior .* got BDs\(\)"),
        ({"score": bn.BDe("asia")}, ValueError, "score must be one whose prior"),
        ({"min_levels": 0}, ValueError, "min_levels must be a whole number from 1 to 1,000; got 0"),
        ({"min_levels": 4, "max_levels": 3}, ValueError, "min_levels=4, max_levels=3"),
        ({"columns": ["nobody"]}, bn.DataError, "there is no column 'nobody' to discretize"),
        ({"columns": ["y"]}, bn.DataError, "column 'y' holds text"),
        ({"columns": ["x", "x"]}, bn.DataError, "'x' occurs 2 times; name it once"),
        ({"columns": ["empty"]}, bn.DataError, "column 'empty' has no values"),
    ],
)
def test_errors_name_the_argument(settings, error, says):
    frame = with_thresholds(0, 60).assign(empty=np.nan)
    with pytest.raises(error, match=says):
        bn.teaching.learn_discretization(frame, **settings)


# The best cuts of one column.


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
