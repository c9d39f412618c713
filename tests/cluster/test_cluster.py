"""A real cluster of two worker processes gives what threads give, bit for bit, and loses nothing with a worker."""

import os
import signal
import time
from dataclasses import dataclass

import numpy as np
import pytest

import bnengine as bn

pytestmark = pytest.mark.slow

N = 60


@pytest.fixture(scope="module")
def data():
    return bn.load_network("asia").sample(300, rng=1)


def ensemble(data, executor=None, resampler=None, **more):
    settings = (bn.BDeu(1), bn.HillClimbing(restarts=1), resampler or bn.Bootstrap(N), "leading")
    return bn.resample(data, *settings, rng=7, executor=executor, **more)


def same(one, other):
    assert one.status == other.status != "stopped"
    np.testing.assert_array_equal(one.adjacencies, other.adjacencies)
    np.testing.assert_array_equal(one.multiplicities, other.multiplicities)


@pytest.mark.parametrize("executor_of", [lambda client: client, lambda client: client.get_executor()])
def test_an_ensemble(client, data, executor_of):
    told = []
    found = ensemble(data, executor_of(client), progress=lambda done, total: told.append((done, total)))
    same(found, ensemble(data))
    assert told[-1] == (N, N)


@pytest.mark.parametrize("resampler", [bn.ParametricBootstrap(20), bn.Jackknife(), bn.DeleteD(n=20)])
def test_every_resampler(client, data, resampler):
    settings = (bn.BIC(), bn.HillClimbing(), resampler)
    same(bn.resample(data, *settings, rng=2, executor=client), bn.resample(data, *settings, rng=2))


@pytest.mark.parametrize("method", ["order", "exact"])
def test_resamples_of_a_posterior(client, data, method):
    options = {"effort": bn.posterior.Effort(n_bags=3), "method": method, "max_parents": 2, "n_steps": 2_000, "rng": 3}
    found, other = bn.edge_posterior(data, executor=client, **options), bn.edge_posterior(data, **options)
    assert found.status == other.status == "converged"
    np.testing.assert_array_equal(found.probability, other.probability)


def test_stopping_keeps_a_smaller_valid_result(client, data):
    found = ensemble(data, client, SlowBootstrap(500), progress=lambda done, total: done < 4)
    whole = ensemble(data, resampler=SlowBootstrap(500, seconds=0))
    assert found.status == "stopped"
    assert 4 <= found.n_graphs < 500
    rows = {graph.tobytes() for graph in whole.adjacencies}
    assert all(graph.tobytes() in rows for graph in found.adjacencies)


def test_an_error_on_a_worker_reaches_the_caller(client, data):
    with pytest.raises(ArithmeticError, match="replicate 5 is broken"):
        ensemble(data, client, FailingBootstrap(20))


@dataclass(frozen=True)
class SlowBootstrap:
    """The bootstrap, with a pause in each replicate."""

    n: int
    seconds: float = 0.02
    name: str = "slow bootstrap"

    def n_replicates(self, data):
        return self.n

    def check(self, data):
        pass

    def replicate(self, data, number, rng):
        time.sleep(self.seconds)
        return bn.Bootstrap(self.n).replicate(data, number, rng)


class FailingBootstrap(SlowBootstrap):
    def replicate(self, data, number, rng):
        if number == 5:
            raise ArithmeticError("replicate 5 is broken")
        return super().replicate(data, number, rng)


def _kill_after(client, n_done, workers):
    """A progress callback that kills worker processes in the middle of a run."""
    left = list(workers)

    def tell(done, total):
        if done >= n_done:
            while left:
                os.kill(left.pop(), signal.SIGKILL)

    return tell


@pytest.mark.parametrize("n_killed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_nothing_is_lost_with_a_worker(new_cluster, data, n_killed):
    with new_cluster() as (_, client):
        pids = sorted(client.run(os.getpid).values())
        n = 150
        found = ensemble(data, client, SlowBootstrap(n), progress=_kill_after(client, 10, pids[:n_killed]))
        same(found, ensemble(data, resampler=bn.Bootstrap(n)))
        assert set(pids[:n_killed]).isdisjoint(client.run(os.getpid).values())


def test_a_cluster_without_workers_says_so(new_cluster, data, monkeypatch):
    monkeypatch.setattr("bnengine._core.parallel._PATIENCE", 0.5)
    with new_cluster(0) as (_, client), pytest.raises(ConnectionError, match=r"dask worker tcp://127\.0\.0\.1"):
        ensemble(data, client)
