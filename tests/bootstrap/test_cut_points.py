"""Cut points learned anew in every replicate, jointly with its graph."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.cut_points import rows_of
from bnengine.bootstrap.resamplers import replicates
from bnengine.teaching.selection_bias import numbers
from tests.strategies import make_data


@pytest.fixture(scope="module")
def found():
    frame = numbers(80, rng=3)[["a", "b", "d"]].assign(kind=np.where(np.arange(80) % 3, "u", "w"))
    return bn.teaching.learn_discretization(frame)


def resampled(found, resampler, correction="none", **settings):
    learning = (bn.BIC(), bn.HillClimbing(), resampler, correction)
    return bn.teaching.resample_with_cut_points(found, *learning, rng=2, **settings)


@pytest.mark.parametrize("method", [bn.Bootstrap(6), bn.DeleteD(9, n=6), bn.Jackknife()])
def test_rows_have_the_weights_of_their_resample(method):
    data = make_data([2, 2], 40, seed=1)
    replace, rng = isinstance(method, bn.Bootstrap), np.random.default_rng(5)
    for replicate in replicates(data, method, rng=1):
        rows = rows_of(replicate.weights, data, replace, rng)
        assert (np.bincount(data.distinct_row_of[rows], minlength=4) == replicate.weights).all()
        assert replace or len(set(rows.tolist())) == len(rows)


def test_each_row_is_drawn_as_often_as_any_other_against_theory():
    """30 rows in 4,000 bootstrap samples: a row's number is Poisson(1) nearly, so the mean has an error of 0.0158.

    False-alarm rate 30 · 6e-7 at 5 standard errors; the seed is fixed.
    """
    data, rng = make_data([2, 2], 30, seed=1), np.random.default_rng(5)
    counts = np.zeros(30)
    for replicate in replicates(data, bn.Bootstrap(4000), rng=1):
        counts += np.bincount(rows_of(replicate.weights, data, True, rng), minlength=30)
    assert abs(counts / 4000 - 1).max() < 5 * 0.0158


@pytest.mark.slow
def test_a_replicate_is_the_discretization_learned_from_its_rows(found):
    """Leaving out one row each: as learning again from the numbers, cut points and all, under the penalized score."""
    score, data = bn.teaching.LeadingCorrection(bn.BIC(), 0.5), bn.Dataset.from_frame(found.frame)
    ensemble = resampled(found, bn.DeleteD(20, n=3), "leading")
    generators = np.random.default_rng(2).spawn(3)
    for adjacency, generator in zip(ensemble.adjacencies, generators, strict=True):
        replicate = bn.DeleteD(20, n=3).replicate(data, 0, generator)
        frame = found.given.iloc[rows_of(replicate.weights, data, False, generator)].reset_index(drop=True)
        alone = bn.teaching.learn_discretization(frame, score, bn.HillClimbing(), rng=generator)
        assert (adjacency == alone.graph.adjacency).all()
    assert ensemble.resampler == "jackknife, delete 20, cut points anew"


@pytest.mark.slow
def test_stopping_keeps_finished_replicates(found):
    stopped = resampled(found, bn.Bootstrap(50), progress=lambda done, total: done < 2)
    assert stopped.status == "stopped"
    assert stopped.n_graphs < 50


def test_what_cannot_be_cut_anew_is_refused(found):
    with pytest.raises(ValueError, match="there are no numbers to be cut"):
        resampled(found, bn.ParametricBootstrap(2))
