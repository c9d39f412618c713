"""What a Dask cluster costs: processor and wall time per piece and per replicate, and of bringing the data there.

Starts worker processes on this machine. Overhead is processor time, of the calling process (client and scheduler) and
of the workers, beyond that of one thread that learns from the same replicates; other work on the machine hardly
disturbs it. Wall time of a call is the least of several.
"""

import argparse
import os
import signal
import time
import timeit
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster

import bnengine as bn
from benchmarks.worlds import growing_network
from bnengine._core.parallel import submitter
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.experiment.warm_up import warm_up

SCORE, SEARCH = bn.BIC(), bn.HillClimbing()


def spent(client: Any, work: Callable[[], object]) -> np.ndarray:
    """Return seconds by the clock, of the processor where work is called, scheduler included, and of the workers."""

    def now() -> np.ndarray:
        return np.array([time.perf_counter(), time.process_time(), sum(client.run(time.process_time).values())])

    start = now()
    work()
    return now() - start


def no_work(number: int) -> int:
    """Return what an empty call gives."""
    return number


def calls(client: Any, n: int = 300) -> None:
    """Measure what handing out one piece costs, however long it is, by empty calls."""
    submit = submitter(client, no_work)
    submit(0).result()
    _, here, there = spent(client, lambda: [future.result() for future in [submit(number) for number in range(n)]])
    waits = timeit.repeat(lambda: submit(0).result(), number=1, repeat=100)
    print(
        f"one call: processor time {1000 * here / n:.2f} ms where it is called, scheduler included, "
        f"{1000 * there / n:.2f} ms on the worker; there and back {1000 * min(waits):.1f} ms at least, "
        f"{1000 * np.median(waits):.1f} ms in the median"
    )


def replicates(client: Any, network: bn.BayesianNetwork, n_rows: int, n: int, few: int = 0) -> None:
    """Compare an ensemble on the cluster with one on a single thread: the least of three runs, after a first of each.

    With ``few``, one run of each: a single thread learns so many replicates, and a worker is killed after a third.
    """
    data, killed, found = network.sample(n_rows, rng=1), [], []
    reference = bn.learn(data, SCORE, SEARCH)

    def kill_once(done: int, total: int) -> None:
        if few and done > total / 3 and not killed:
            killed.append(client.run(os.getpid).popitem()[1])
            os.kill(killed[0], signal.SIGKILL)

    def least(n: int, **how: Any) -> np.ndarray:
        task = ResampleTask(data, SCORE, SEARCH, bn.Bootstrap(n))
        rounds = [
            spent(client, lambda: found.append(learn_ensemble(task, reference, **how))) for _ in range(1 if few else 4)
        ]
        return np.min(rounds[-3:], axis=0)

    one = least(few or n, executor=ThreadPoolExecutor(1))[1] / (few or n)
    clock, here, there = least(n, executor=client, progress=kill_once)
    same = all(map(np.array_equal, found[-1].graphs, found[0].graphs))
    on_workers = "a worker killed after a third" if killed else f"{1000 * (there / n - one):+.3f} ms on the workers"
    print(
        f"{len(data.names)} variables, {n_rows:,} rows: {n:,} replicates of {1000 * one:.2f} ms; overhead per "
        f"replicate {1000 * here / n:.3f} ms where it is called, {on_workers}; wall time {clock:.2f} s with "
        f"{len(client.nthreads())} workers; {found[-1].graphs.edges.nbytes / 1e6:.0f} MB of graphs, "
        f"{'' if same else 'not '}those learned here"
    )


def main() -> None:
    """Print all figures, or those of a large run."""
    parser = argparse.ArgumentParser(description=__doc__)
    about = "measure only so many replicates of 500 variables; a worker is killed on the way"
    parser.add_argument("--large", type=int, help=about)
    large = parser.parse_args().large
    warm_up()
    local = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with dask.config.set({"distributed.worker.memory.terminate": False}), LocalCluster(**local) as cluster:  # noqa: SIM117
        with Client(cluster, set_as_default=False) as client:
            if large:
                replicates(client, growing_network(500), 1_000, large, few=min(large, 50))
                return
            calls(client)
            for network, n_rows, n in (("asia", 100, 5_000), ("alarm", 1_000, 2_000), ("alarm", 20_000, 200)):
                replicates(client, bn.load_network(network), n_rows, n)
            table = growing_network(500).sample(50_000, rng=1)
            seconds, *_ = spent(client, lambda: submitter(client, table.take)([0]).result())
            print(f"{table.codes.nbytes / 1e6:.0f} MB to {len(client.nthreads())} workers: {seconds:.2f} s")


if __name__ == "__main__":
    main()
