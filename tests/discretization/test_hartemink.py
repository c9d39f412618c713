"""Bins that keep pairwise mutual information."""

import itertools

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.columns import cut_at, cut_points
from bnengine.discretization import discretize
from bnengine.discretization.discretize import information_cuts


def information(frame):
    """Pairwise mutual information, nats per row, summed over pairs."""

    def entropy(names):
        shares = frame.groupby(names, observed=True).size().to_numpy() / len(frame)
        return -(shares * np.log(shares)).sum()

    pairs = itertools.combinations(frame.columns, 2)
    return sum(entropy([a]) + entropy([b]) - entropy([a, b]) for a, b in pairs)


def table(n=400, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = np.where(x > 0.8, 1.0, 0.0) + 0.2 * rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": y, "group": np.where(x > -1.2, "a", "b")})


def test_each_merge_loses_least_against_brute_force(monkeypatch):
    monkeypatch.setattr(discretize, "FIRST_BINS", 8)
    frame = table(120)[["x", "group"]].assign(other=np.random.default_rng(2).integers(0, 3, 120))
    points = cut_points(frame["x"], "quantile", 8)
    for bins in range(7, 1, -1):
        fewer = [points[:k] + points[k + 1 :] for k in range(len(points))]
        kept = [information(cut_at(frame, {"x": one})) for one in fewer]
        found = list(information_cuts(frame, {"x": bins})["x"])
        assert information(cut_at(frame, {"x": found})) == pytest.approx(max(kept), abs=1e-9)
        points = found


def test_the_cut_that_matters_is_kept():
    cut = bn.discretize(table(), "hartemink", 3)
    points = information_cuts(table(), {"x": 3, "y": 3})["x"]
    assert any(abs(point - 0.8) < 0.1 for point in points)
    assert any(abs(point + 1.2) < 0.1 for point in points)
    equal = bn.discretize(table(), "quantile", 3)
    assert information(cut) > 1.3 * information(equal)


def test_the_order_of_the_columns_does_not_matter():
    frame = table(seed=4)
    turned = information_cuts(frame[["group", "y", "x"]], {"y": 3, "x": 4})
    assert information_cuts(frame, {"x": 4, "y": 3}) == turned


def test_missing_cells_and_a_column_alone():
    frame = table(100)
    frame.loc[::7, "x"] = np.nan
    assert [len(points) for points in information_cuts(frame, {"x": 3, "y": 2}).values()] == [2, 1]
    cut = bn.discretize(frame[["y"]], "hartemink", 4)["y"]
    assert cut.value_counts().max() < 60  # nothing to lose: the smallest bins are merged


def test_too_many_states_are_refused_and_a_stop_gives_quantiles(monkeypatch):
    frame = table(100)
    stopped = information_cuts(frame, {"x": 3}, lambda done, total: False)
    assert stopped == {"x": tuple(cut_points(frame["x"], "quantile", 3))}
    monkeypatch.setattr(discretize, "_TOO_MANY_STATES", 20)
    with pytest.raises(bn.DataError, match="counts all pairs of states"):
        information_cuts(frame, {"x": 3})
