"""Missing cells beside numbers: what is filled in, and what is learned from it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import bnengine as bn
from bnengine.graphs.dag import blankets
from bnengine.networks.matched_cells import matched_cells
from bnengine.posterior import Effort

NUMBERS = ["a", "b", "c"]


def frame_of(n_rows=400, seed=1):
    """A curve, a rounded sum, and states that depend on a number; without holes."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n_rows)
    b = a**2 + 0.4 * rng.normal(size=n_rows)
    state = np.where(a + 0.5 * rng.normal(size=n_rows) > 0.4, "high", "low")
    return pd.DataFrame({"a": a, "b": b, "c": (b + 0.4 * rng.normal(size=n_rows)).round(1), "state": state})


def with_holes(frame, columns, seed=2, share=0.3):
    """Cells are missing more often where the next column is large."""
    rng, holed = np.random.default_rng(seed), frame.copy()
    for name in columns:
        chance = 2 * share * holed[NUMBERS].rank(pct=True).iloc[:, 2 if name != "c" else 0].fillna(0.5)
        holed.loc[rng.random(len(frame)) < chance, name] = None
    return holed


def data_of(frame, **about):
    return bn.Dataset.from_frame(frame, numbers=NUMBERS, missing="keep", **about)


def drawn(data, seed=0):
    every = np.ones((data.n_variables, data.n_variables), dtype=bool)
    return matched_cells(data, every, np.random.default_rng(seed)).to_frame()


def test_seen_cells_stay_and_values_that_occur_are_filled_in():
    frame = with_holes(frame_of(), ["a", "c", "state"])
    rows = drawn(data_of(frame))
    assert not rows.isna().any(axis=None)
    for name in frame:
        seen = frame[name].notna()
        assert (rows.loc[seen, name] == frame.loc[seen, name]).all()
        assert set(rows[name]) <= set(frame.loc[seen, name])


def test_what_is_filled_in_follows_curves_shares_and_selection():
    """About 110 drawn cells a column. In 25 other seeds: within 0.09, above 0.6, and within 0.05."""
    full = frame_of()
    frame = with_holes(full, ["a", "c", "state"])
    rows, absent = drawn(data_of(frame)), frame.isna()
    for one, other, size in (("a", "b", np.abs), ("c", "b", np.asarray)):
        found, true = (spearmanr(size(t[absent[one]][one]), t[absent[one]][other]).statistic for t in (rows, full))
        assert true > 0.6
        assert found > true - 0.15
    missing = absent["state"]
    assert (rows.loc[missing, "state"] == full.loc[missing, "state"]).mean() > 0.55  # 0.5 if drawn by shares
    assert rows["c"].mean() == pytest.approx(full["c"].mean(), abs=0.1)


def test_neither_the_order_of_columns_nor_that_of_rows_matters():
    frame = with_holes(frame_of(80), ["a", "state"])
    one = drawn(data_of(frame))
    other = drawn(data_of(frame[["state", "c", "b", "a"]].iloc[::-1]))
    key = ["b", "c"]
    pd.testing.assert_frame_equal(
        one.sort_values(key, ignore_index=True), other[list(frame)].sort_values(key, ignore_index=True)
    )


def test_cells_that_an_experiment_set_come_from_others_that_were_set():
    frame = with_holes(frame_of(200), [])
    frame["set"] = np.where(np.arange(200) < 80, "c", "")
    frame.loc[:79, "c"] = 50.0
    frame.loc[::4, "c"] = None
    rows = drawn(data_of(frame, interventions="set"))
    assert (rows["c"][:80] == 50).all()
    assert (rows["c"][80:] < 50).all()


def test_the_blanket_holds_parents_children_and_their_other_parents():
    graph = np.zeros((5, 5), dtype=bool)
    graph[[0, 1, 2], [2, 2, 3]] = True
    assert np.argwhere(np.triu(blankets(graph))).tolist() == [[0, 1], [0, 2], [1, 2], [2, 3]]


def test_graphs_replicates_and_real_are_learned_in_any_order_of_columns():
    frame = with_holes(frame_of(150), ["a", "state"])
    data, turned = data_of(frame), data_of(frame[["state", "b", "a", "c"]])
    for one in (bn.PredictiveBootstrap(12), bn.Bootstrap(6)):
        found = bn.resample(data, resampler=one, correction="leading", rng=1)
        assert found.adjacency_confidence[0, 1] > 0.5
        again = bn.resample(turned, resampler=one, correction="leading", rng=1)
        assert again.adjacency_confidence[2, 1] == found.adjacency_confidence[0, 1]
    real = bn.edge_posterior(data, effort=Effort(n_bags=2, n_draws=2), rng=1)
    assert real.pair_probability[0, 1] > 0.5
    assert real.n_draws
    assert ("a", "b") in {tuple(sorted(edge)) for edge in bn.learn(data).edges}


def test_families_cannot_be_scored_on_rows_of_their_own():
    with pytest.raises(bn.DataError, match="covariances of numbers are those of the same rows"):
        bn.Dataset.from_frame(with_holes(frame_of(50), ["a"]), numbers=NUMBERS, missing="complete_families")
    with pytest.raises(bn.DataError, match="missing='keep'"):
        bn.Dataset.from_frame(with_holes(frame_of(50), ["a"]), numbers=NUMBERS)


@pytest.mark.parametrize("column", [[1.0, 2.0] + [np.nan] * 58, ["a"] * 50 + [None] * 10])
def test_a_resample_may_have_no_cell_of_a_column_and_a_column_one_state(column):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": column, "y": rng.normal(size=60), "z": rng.normal(size=60)})
    numbers = ["y", "z"] if "a" in column else ["x", "y", "z"]
    data = bn.Dataset.from_frame(frame, numbers=numbers, missing="keep")
    assert bn.resample(data, search=bn.HillClimbing(), resampler=bn.Bootstrap(40)).n_graphs == 40
