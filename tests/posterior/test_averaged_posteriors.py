"""Posteriors averaged over resamples."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnengine as bn
from tests.strategies import make_data


@pytest.fixture(scope="module")
def six():
    return make_data([2, 3, 2, 2, 2, 3], 80, seed=4)


def test_bagged_exact_posterior_is_the_mean_over_copied_frames(six):
    """The rows of each resample, drawn anew from the same seed and copied to a table of their own."""
    bagged = bn.posterior.bagged_posterior(six, bn.BDeu(2), 5, 3, method="exact", rng=7)
    shown = six.select(sorted(six.names))
    _, of_bags = np.random.default_rng(7).spawn(2)
    for rng, member in zip(of_bags.spawn(5), bagged.members, strict=True):
        times = rng.multinomial(six.n_rows, shown.multiplicities / six.n_rows)
        rows = np.repeat(np.unique(shown.distinct_row_of, return_index=True)[1], times)
        assert member == pytest.approx(bn.edge_posterior(six.take(rows), bn.BDeu(2), 3).probability, abs=1e-9)
    assert bagged.probability == pytest.approx(bagged.members.mean(axis=0))
    assert bagged.error == pytest.approx(bagged.members.std(axis=0, ddof=1) / math.sqrt(5))
    assert bagged.status == "optimal"


def test_bagged_sampled_posterior_against_the_exact_one(six):
    """The same resamples: differences are those of the orderings sampled, errors near 0.01 over 4 bags of one chain."""
    exact = bn.posterior.bagged_posterior(six, bn.BDeu(2), 4, 3, method="exact")
    sampled = bn.posterior.bagged_posterior(six, bn.BDeu(2), 4, 3, n_steps=100_000)
    assert abs(sampled.probability - exact.probability).max() < 0.04
    assert sampled.status == "converged"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["order", "exact"])
def test_bags_depend_neither_on_workers_nor_on_column_order(six, method):
    turned = six.select(["v3", "v0", "v5", "v4", "v2", "v1"])
    place = [turned.names.index(name) for name in six.names]
    options = {"n": 4, "method": method, "n_steps": 2_000, "candidates": 3}
    one = bn.posterior.bagged_posterior(six, **options)
    two = bn.posterior.bagged_posterior(turned, **options, executor=ThreadPoolExecutor(1))
    assert (one.probability == two.probability[np.ix_(place, place)]).all()
    assert (one.error == two.error[np.ix_(place, place)]).all()


@pytest.mark.parametrize("method", ["order", "exact"])
def test_stopped_bags_give_a_smaller_result(six, method):
    stopped = bn.posterior.bagged_posterior(six, n=500, method=method, n_steps=10**5, progress=lambda done, n: done < 2)
    assert stopped.status == "stopped"
    assert 1 <= len(stopped.members) < 500 == stopped.n_planned
    at_once = bn.posterior.bagged_posterior(six, n=500, method=method, n_steps=10**5, progress=lambda done, n: False)
    assert at_once.status == "stopped"
    assert ((at_once.probability >= 0) & (at_once.probability <= 1)).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda data: bn.posterior.bagged_posterior(data, n=0), "n must be a whole number from 1 to 1,000,000; got 0"),
        (lambda data: bn.posterior.bagged_posterior(data, method="magic"), "method must be one of exact, order"),
        (lambda data: bn.posterior.bagged_posterior(data, max_memory=1000), "more than the .* allowed"),
        (lambda data: bn.posterior.bagged_posterior(data, method="exact", max_memory=1000), "more than the .* allowed"),
    ],
)
def test_what_makes_no_sense_is_refused(six, call, says):
    with pytest.raises(ValueError, match=says):
        call(six)
