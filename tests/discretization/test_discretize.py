"""Cutting measurements into states."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.discretization import discretize
from bnengine.discretization.by_description import cuts_by_description
from bnengine.discretization.cut_points import cut_at, cut_points
from bnengine.discretization.discretize import information_cuts

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


def codes_of(values, method, bins):
    cut = bn.discretize(pd.DataFrame({"x": np.array(values)}), method, bins, ["x"])["x"]
    return cut.cat.codes.to_numpy(), list(cut.cat.categories)


@pytest.mark.slow
@given(NUMBERS, st.integers(2, 8))
def test_no_quantile_bin_is_empty_invariant(values, bins):
    """An empty bin would be a declared state that every penalty charges for."""
    codes, states = codes_of(values, "quantile", bins)
    assert sorted(set(codes.tolist())) == list(range(len(states)))


@pytest.mark.parametrize("bins", [2, 3, 4, 7])
def test_quantile_bins_hold_equally_many_rows_against_theory(bins):
    values = np.random.default_rng(bins).normal(size=100 * bins)
    codes, _ = codes_of(values, "quantile", bins)
    assert np.bincount(codes).tolist() == [100] * bins


@given(st.floats(-100, 100), st.floats(0.1, 100), st.integers(2, 8))
def test_width_bins_are_equally_wide_against_theory(low, width, bins):
    values = low + width * np.concatenate([[0.0, 1.0], np.random.default_rng(bins).random(5)])
    points, equal = cut_points(values, "width", bins), low + width * np.arange(1, bins) / bins
    for point, end in zip(points, equal, strict=True):  # rounded, but no value changes its bin
        assert ((values <= point) == (values <= end)).all()
        assert point == pytest.approx(end, rel=0.01)


@given(NUMBERS, st.sampled_from(["quantile", "width", "kmeans"]), st.integers(2, 8))
def test_cut_points_lie_between_values_invariant(values, method, bins):
    """Unless the values are neighbouring floats, with nothing between them: then it is the lower one."""
    on_values = set(cut_points(values, method, bins)) & set(values)
    assert all(np.nextafter(point, np.inf) in values for point in on_values)


def test_k_means_bins_are_nearest_to_their_own_mean_against_definition():
    values = np.random.default_rng(6).lognormal(size=500)
    codes, states = codes_of(values, "kmeans", 4)
    means = np.array([values[codes == k].mean() for k in range(len(states))])
    assert len(states) == 4
    assert (np.abs(values[:, None] - means).argmin(axis=1) == codes).all()


def test_labels_say_the_ranges():
    _, states = codes_of([0.0, 1.0, 2.0, 3.0], "width", 3)
    assert states == ["≤1.5", "1.5–2.5", ">2.5"]  # the ends 1 and 2 are values and belong below
    _, close = codes_of([1.0, 1.00001, 1.00002, 1.00003], "quantile", 4)
    assert len(set(close)) == 4  # as many digits as keep them apart
    _, large = codes_of([28_000.0, 30_712.0, 30_919.0, 45_000.0], "quantile", 2)
    assert large == ["≤30800", ">30800"]


def test_the_frame_is_kept_and_only_measurements_are_cut():
    frame = pd.DataFrame({"word": ["a", "b", "c", "d"], "few": [1, 2, 1, 2], "many": [0.1, 0.2, 0.3, 0.4]})
    before = frame.copy()
    cut = bn.discretize(frame, bins=3)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(cut[["word", "few"]], frame[["word", "few"]])
    assert cut["many"].cat.ordered
    assert cut["many"].nunique() == 3


@pytest.mark.parametrize("column", [[0.5, np.nan, 1.5, 2.5], pd.array([1, None, 2, 3], dtype="Int64")])
def test_missing_cells_stay_missing(column):
    cut = bn.discretize(pd.DataFrame({"x": column}), bins=2)["x"]
    assert cut.isna().tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"method": "ward"}, ValueError, "method must be one of quantile, width, kmeans, hartemink, score; got 'ward'"),
        ({"method": {"x": "none"}}, ValueError, "method must be one of .*; got 'none'"),
        ({"method": {"x": [3, 1]}}, ValueError, "the cut points of 'x' must be increasing numbers.*got 3, 1"),
        ({"method": {"x": []}}, ValueError, "the cut points of 'x' must be increasing numbers"),
        ({"bins": {"x": 1}}, ValueError, r"bins\['x'\] must be a whole number from 2 to 1,000.*; got 1"),
        ({"bins": {"z": 4}}, bn.DataError, "there is no column 'z' to discretize"),
        ({"method": {"z": "width"}}, bn.DataError, "there is no column 'z' to discretize"),
        ({"method": {"x": "width"}, "columns": ["x", "w"]}, bn.DataError, "column 'w' holds text"),
        ({"method": {}, "columns": ["x"]}, ValueError, "method has no entry for column 'x'"),
        ({"columns": ["x", "x"]}, bn.DataError, "the column name 'x' occurs 2 times"),
        ({"bins": 1}, ValueError, "bins must be a whole number from 2 to 1,000.*; got 1"),
        ({"columns": ["z"]}, bn.DataError, "there is no column 'z' to discretize"),
        ({"columns": ["w"]}, bn.DataError, r"column 'w' holds text \(such as 'a'\), not numbers"),
    ],
)
def test_errors_name_the_argument(settings, error, says):
    frame = pd.DataFrame({"w": ["a", "b", "c", "d"], "x": [0.1, 0.2, 0.3, 0.4]})
    with pytest.raises(error, match=says):
        bn.discretize(frame, **settings)


def test_each_column_may_have_its_own_method_and_bins():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    cut = bn.discretize(frame, {"a": "quantile", "b": "width", "c": "quantile"}, {"a": 5, "b": 2})
    for name, method, bins in (("a", "quantile", 5), ("b", "width", 2), ("c", "quantile", 3)):
        alone = bn.discretize(frame[[name]], method, bins)
        pd.testing.assert_series_equal(cut[name], alone[name])
    pd.testing.assert_series_equal(cut["d"], frame["d"])
    some = bn.discretize(frame, {"a": "quantile", "b": "width"}, columns=["b"])
    assert some["b"].nunique() == 3
    pd.testing.assert_series_equal(some["a"], frame["a"])


def test_the_score_cuts_measured_columns_beside_those_that_are_cut_otherwise():
    rng = np.random.default_rng(4)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": x + 0.3 * rng.normal(size=300), "rating": rng.integers(1, 6, 300)})
    cut = bn.discretize(frame, "score")
    pd.testing.assert_frame_equal(cut, cut_at(frame, cuts_by_description(frame, ["x", "y"])))
    mixed = bn.discretize(frame, {"x": "score", "y": "width"}, {"y": 4})
    held = bn.discretize(frame, "width", 4, ["y"])
    pd.testing.assert_frame_equal(mixed, cut_at(held, cuts_by_description(held, ["x"])))
    assert mixed["y"].nunique() == 4


# Bins that keep pairwise mutual information.


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
