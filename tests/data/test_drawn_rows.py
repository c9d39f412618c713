"""Rows drawn from data with experiments: each experiment keeps its share."""

import numpy as np
import pytest
from scipy.stats import chi2

import bnengine as bn
from bnengine.data.resampling import drawn_with, drawn_without
from tests.strategies import make_data, with_experiments

#: Each test that draws does so from a fixed seed; with another it would fail wrongly with this probability.
FALSE_ALARM = 1e-6


@pytest.fixture(scope="module")
def data():
    return with_experiments(make_data([2, 3, 2], 301, 2), 3, n_experiments=3)


def per_experiment(data, weights):
    return np.bincount(data.experiment_of_distinct, weights=weights, minlength=len(data.targets))


def test_every_draw_keeps_the_experiments_rows(data):
    rng, sizes = np.random.default_rng(1), per_experiment(data, data.multiplicities)
    for _ in range(20):
        assert (per_experiment(data, drawn_with(data, data.n_rows, rng)) == sizes).all()
        left = drawn_without(data, 30, rng)
        assert left.sum() == 30
        assert (left <= data.multiplicities).all()
        assert (abs(per_experiment(data, left) - sizes * 30 / data.n_rows) < 1).all()


def test_within_an_experiment_rows_are_drawn_alike(data):
    """Chi-square of the counts of 500 resamples about their expectations, experiment by experiment."""
    rng = np.random.default_rng(4)
    total = sum(drawn_with(data, data.n_rows, rng).astype(np.int64) for _ in range(500))
    expected = 500 * data.multiplicities
    degrees = data.multiplicities.size - len(data.targets)
    assert ((total - expected) ** 2 / expected).sum() < chi2.isf(FALSE_ALARM, degrees)


def test_resampling_takes_experiments(data):
    drawing = bn.ParametricBootstrap(5), bn.PredictiveBootstrap(5)
    for resampler in (bn.Bootstrap(5), bn.Bootstrap(5, 100), bn.Jackknife(), bn.DeleteD(n=5), *drawing):
        ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), resampler, rng=1)
        assert ensemble.reference.targets == data.targets
        assert (ensemble.compelled_confidence <= ensemble.confidence + 1e-12).all()


def test_an_experiment_tells_a_direction_that_observation_cannot():
    """a causes b. Setting b leaves a as it is, so the edge is compelled, and in nearly all resamples."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 2000)
    b = np.where(rng.random(2000) < 0.8, a, 1 - a)
    was_set = np.arange(2000) < 1000
    b[was_set] = rng.integers(0, 2, 1000)
    frame = {"a": a.astype(str), "b": b.astype(str), "INT": np.where(was_set, "b", "")}
    import pandas as pd

    data = bn.Dataset.from_frame(pd.DataFrame(frame), interventions="INT")
    learned = bn.learn(data)
    assert learned.edges == [("a", "b")]
    assert learned.cpdag.tolist() == [[False, True], [False, False]]
    assert learned.decided == learned.edges
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20))
    assert ensemble.compelled_confidence[0, 1] == 1
    observed = bn.learn(data.observed)
    assert observed.cpdag.tolist() == [[False, True], [True, False]]
    assert observed.decided == []
