"""Replicates that are cut at points of their own (Steck & Jaakkola 2003, footnote 5)."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.discretization.cut_points import cut_points
from bnengine.experiment.cut_anew import rows_of

LEARNING = bn.BIC(), bn.HillClimbing()


def numbers(n=120, seed=1):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n).round(1)
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=n), "c": rng.normal(size=n)})
    return frame.assign(d=np.where(a > 0.3, "high", "low"))


def coded(frame, **how):
    return bn.Dataset.from_frame(bn.discretize(frame, **how))


@pytest.mark.parametrize("resampler", [bn.Bootstrap(1), bn.DeleteD(20, 1), bn.Bootstrap(1, 60)])
@pytest.mark.parametrize("method", ["quantile", "width", "kmeans"])
def test_a_replicate_is_cut_at_the_points_of_its_own_rows(resampler, method):
    """The rows are recovered by a column that tells them apart and is not cut."""
    frame = numbers()
    frame["c"] = pd.Categorical(np.arange(len(frame)))
    frame = frame[["c", "a", "b", "d"]]
    data = coded(frame, method=method, columns=["a", "b"])
    anew = bn.CutAnew(resampler, frame, method, ["a", "b"])
    made = anew.replicate(data, 0, np.random.default_rng(3)).data
    assert (made.names, made.states) == (data.names, data.states)
    rows, moved = made.codes[:, 0].astype(int), []
    for name in ("a", "b"):
        values = frame[name].to_numpy()[rows]
        points = cut_points(values, method, 3)
        moved.append(points != cut_points(frame[name], method, 3))
        np.testing.assert_array_equal(made.codes[:, data.index(name)], np.searchsorted(points, values))
    assert any(moved) or method == "width"  # whose points only the least and the largest value decide
    np.testing.assert_array_equal(made.codes[:, 3], data.codes[rows, 3])
    plain = resampler.replicate(data, 0, np.random.default_rng(3)).weights
    np.testing.assert_array_equal(np.bincount(data.distinct_row_of[rows], minlength=plain.size), plain)


def test_neither_the_order_of_rows_and_columns_nor_the_number_of_workers_matters(one_worker):
    frame = numbers()
    turned = frame.sample(frac=1, random_state=2)[[*"dcba"]]
    one = bn.resample(coded(frame), *LEARNING, bn.CutAnew(bn.Bootstrap(9), frame), "leading", rng=4)
    anew = bn.CutAnew(bn.Bootstrap(9), turned)
    other = bn.resample(coded(turned), *LEARNING, anew, "leading", rng=4, executor=one_worker)
    assert (one.adjacency_confidence == other.adjacency_confidence[::-1, ::-1]).all()


def test_cuts_by_the_score_are_learned_anew_into_as_many_states():
    frame = numbers(150)[["a", "b", "d"]]
    data = coded(frame, method="score", columns=["a", "b"])
    anew = bn.CutAnew(bn.Bootstrap(3), frame, "score", ["a", "b"])
    seen = [anew.replicate(data, k, np.random.default_rng(k)).data for k in range(3)]
    used = [[len(np.unique(one.codes[:, v])) for v in range(2)] for one in seen]
    assert used == [data.arities[:2].tolist()] * 3
    shares = {tuple(np.bincount(one.codes[:, 0], minlength=data.arities[0])) for one in seen}
    assert len(shares) == 3


def test_of_equal_rows_any_may_be_drawn():
    """Two rows of one code and four numbers: each is drawn as often, 5 standard errors; false alarm 6e-7."""
    data = bn.Dataset(("x",), (("n", "y"),), np.array([[0], [1], [0], [0]]))
    weights = np.array([3, 1], dtype=np.int32)
    drawn = [rows_of(weights, data, True, np.random.default_rng(k)) for k in range(600)]
    counts = np.bincount(np.concatenate(drawn), minlength=4)
    assert counts[1] == 600
    assert (np.abs(counts[[0, 2, 3]] - 600) < 5 * np.sqrt(1800 * 2 / 9)).all()
    without = [rows_of(np.array([2, 1], dtype=np.int32), data, False, np.random.default_rng(k)) for k in range(50)]
    assert all(len(set(rows.tolist())) == 3 for rows in without)


def test_missing_numbers_stay_what_they_are_in_the_data():
    frame = numbers()[["a", "b"]]
    frame.loc[frame.index % 7 == 0, "a"] = np.nan
    kept = bn.Dataset.from_frame(bn.discretize(frame, columns=["a", "b"]), missing="keep")
    own = kept.with_missing("own_state")
    for data in (kept, own):
        made = bn.CutAnew(bn.Bootstrap(1), frame).replicate(data, 0, np.random.default_rng(1)).data
        filled = data.codes[0, 0]
        assert (made.codes[:, 0] == filled).sum() == pytest.approx(len(frame) / 7, abs=15)
        assert set(np.unique(made.codes[:, 0])) == {0, 1, 2, int(filled)}


def test_what_cannot_be_cut_anew_is_said():
    frame, data = numbers(), coded(numbers())
    for resampler in (bn.PredictiveBootstrap(3), bn.ParametricBootstrap(3)):
        with pytest.raises(ValueError, match="resampler must take rows of the table"):
            bn.resample(data, *LEARNING, bn.CutAnew(resampler, frame))
    with pytest.raises(ValueError, match="frame must have the rows of the data, 120; got 50"):
        bn.resample(data, *LEARNING, bn.CutAnew(bn.Bootstrap(3), frame.head(50)))
    with pytest.raises(ValueError, match="recut needs a column of numbers"):
        bn.Experiment(bn.Recipe("sample", "asia_1000"), n=2, recut=True).run()


@pytest.fixture(scope="module")
def experiment():
    names = tuple(bn.load_sample("regulon_raw").columns[:5])
    recipe = bn.Recipe("sample", "regulon_raw", columns=names, discretization="quantile")
    return bn.Experiment(recipe, n=6, recut=True)


def test_an_experiment_cuts_anew_where_replicates_are_rows(experiment):
    fixed, anew = dataclasses.replace(experiment, recut=False), experiment
    assert fixed.methods_run == ("data", "bootstrap_corrected", "bootstrap", "predictive")
    assert anew.methods_run == ("data", "bootstrap_corrected", "bootstrap")
    assert fixed.graph_key == anew.graph_key
    assert fixed.method_key("bootstrap") != anew.method_key("bootstrap")
    assert {one.resampler for key, one in anew.run().ensembles.items() if key != "data"} == {"bootstrap, cut anew"}


def test_the_code_of_an_experiment_repeats_it(experiment):
    study = experiment.run()
    frame = experiment.data.load()
    for seen in (None, frame):
        again = experiment.run(experiment.data.prepare(frame), frame=seen, known={})
        np.testing.assert_array_equal(again.confidence("bootstrap"), study.confidence("bootstrap"))
    names = {}
    exec(experiment.python(), names)
    np.testing.assert_array_equal(names["study"].confidence("bootstrap"), study.confidence("bootstrap"))


def test_columns_cut_by_hand_or_joined_keep_their_cut_points():
    frame = numbers()
    by_hand = bn.Recipe("file", "t.csv", discretization="quantile", per_column=(("a", "hand", "0"),))
    assert by_hand.before_cutting(frame)[1] == {"b": "quantile", "c": "quantile"}
    renamed = dataclasses.replace(by_hand, renamed=(("b", "B"),), rare=(("c", "5"),))
    table, how = renamed.before_cutting(frame)
    assert how == {"B": "quantile"}
    assert list(table) == ["a", "B", "c", "d"]
    where = dataclasses.replace(by_hand, where=(("d", "is", "high"),))
    assert len(where.before_cutting(frame)[0]) == where.prepare(frame).n_rows == (frame["d"] == "high").sum()
    holes = frame.assign(c=frame["c"].where(frame["c"] < 1), b=frame["b"].where(frame["b"] < 1, np.inf))
    dropped = dataclasses.replace(by_hand, missing="drop_rows")
    assert (
        dropped.before_cutting(holes)[0].index.tolist() == np.flatnonzero((frame[["b", "c"]] < 1).all(axis=1)).tolist()
    )
    assert len(dropped.prepare(holes).codes) == len(dropped.before_cutting(holes)[0])


def test_columns_that_are_cut_are_cut_anew_beside_numbers_that_are_kept():
    frame = numbers()
    frame.loc[::11, "c"] = np.nan
    recipe = bn.Recipe("file", "t.csv", discretization="number", per_column=(("b", "quantile"),), missing="drawn")
    run = bn.Experiment(recipe, bn.GaussianBIC(), bn.HillClimbing(), n=5, recut=True)
    data = recipe.prepare(frame)
    assert data.numbers == ("a", "c")
    assert run.run(data, frame=frame).confidence("bootstrap", "adjacency")[0, 1] > 0.5  # b is a and noise
