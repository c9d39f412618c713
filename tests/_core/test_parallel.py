"""Workers stop when the caller does not want their results any more."""

import threading
import time

import pytest

import bnengine as bn


@pytest.fixture
def slow(monkeypatch):
    """Replicates that take a twentieth of a second each; how many were drawn."""
    drawn = []
    quick = bn.Bootstrap.replicate

    def replicate(self, *args):
        drawn.append(threading.current_thread().name)
        time.sleep(0.05)
        return quick(self, *args)

    monkeypatch.setattr(bn.Bootstrap, "replicate", replicate)
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_in_the_caller_ends_the_work(slow, error):
    data = bn.load_network("cancer").sample(50, rng=1)

    def progress(done, total):
        raise error

    with pytest.raises(error):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20_000), progress=progress)
    assert len(slow) < 5_000  # two minutes on two cores, however busy; the first look at the workers comes at once


@pytest.mark.slow
def test_a_failing_replicate_ends_the_work(slow, monkeypatch):
    data = bn.load_network("cancer").sample(50, rng=1)
    slower = bn.Bootstrap.replicate

    def failing(self, rows, number, rng):
        if number == 3:
            raise ArithmeticError("broken")
        return slower(self, rows, number, rng)

    monkeypatch.setattr(bn.Bootstrap, "replicate", failing)
    with pytest.raises(ArithmeticError, match="broken"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20_000))
    assert len(slow) < 5_000


def test_a_run_beyond_memory_is_refused_before_it_starts():
    data = bn.Dataset(tuple(f"v{v}" for v in range(3000)), (("0", "1"),) * 3000, [[0] * 3000, [1] * 3000])
    with pytest.raises(bn.DataError, match=r"1,000 graphs of 3,000 variables need about 8.4 GB"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(1000))
