"""What a Dask cluster costs: processor and wall time per piece and per replicate, and of bringing the data there.

Starts worker processes on this machine. Overhead is processor time, of the calling process (client and scheduler) and
of the workers, beyond that of one thread that learns from the same replicates; other work on the machine hardly
disturbs it. Wall time of a call is the least of several.
"""

import argparse
import os
import signal
import statistics
import time
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
    submit, waits = submitter(client, no_work), []
    submit(0).result()
    _, here, there = spent(client, lambda: [future.result() for future in [submit(number) for number in range(n)]])
    for number in range(100):
        start = time.perf_counter()
        submit(number).result()
        waits.append(time.perf_counter() - start)
    print(
        f"one call: processor time {1000 * here / n:.2f} ms where it is called, scheduler included, "
        f"{1000 * there / n:.2f} ms on the worker; there and back {1000 * min(waits):.1f} ms at least, "
        f"{1000 * statistics.median(waits):.1f} ms in the median"
    )


def replicates(client: Any, network: str, n_rows: int, n: int, rounds: int = 3) -> None:
    """Measure the overhead per replicate of an ensemble beyond one thread's."""
    data, one = bn.load_network(network).sample(n_rows, rng=1), ThreadPoolExecutor(1)
    reference, task = bn.learn(data, SCORE, SEARCH), ResampleTask(data, SCORE, SEARCH, bn.Bootstrap(n))

    def run(executor: Any) -> np.ndarray:
        return spent(client, lambda: learn_ensemble(task, reference, executor=executor))

    run(client)  # workers load their compiled code
    local = min(run(one)[1] for _ in range(rounds))
    clock, here, there = np.min([run(client) for _ in range(rounds)], axis=0)
    print(
        f"{network}, {n_rows:,} rows: {n} replicates of {1000 * local / n:.2f} ms; overhead per replicate "
        f"{1000 * here / n:.3f} ms where it is called, {1000 * (there - local) / n:+.3f} ms on the workers; "
        f"wall time {clock:.2f} s with {len(client.nthreads())} workers"
    )


def large_run(client: Any, n: int) -> None:
    """Measure a run of ``n`` replicates of 500 variables through ``bn.resample``, one of whose workers is killed."""
    data, few, killed, found = growing_network(500).sample(1_000, rng=1), 50, [], []
    start = time.process_time()
    alone = bn.resample(data, SCORE, SEARCH, bn.Bootstrap(few), rng=1, executor=ThreadPoolExecutor(1))
    one = (time.process_time() - start) / few

    def kill_once(done: int, total: int) -> None:
        if done > total / 3 and not killed:
            killed.append(client.run(os.getpid).popitem()[1])
            os.kill(killed[0], signal.SIGKILL)

    how = {"rng": 1, "executor": client, "progress": kill_once}
    clock, here, _ = spent(client, lambda: found.append(bn.resample(data, SCORE, SEARCH, bn.Bootstrap(n), **how)))
    graphs, status = found[0].graphs, found[0].status
    same = all(map(np.array_equal, graphs, alone.graphs))  # of the first few
    print(
        f"500 variables, 1,000 rows, {len(graphs):,} replicates ({status}), a worker killed after a third: "
        f"{clock:.0f} s by the clock with {len(client.nthreads())} workers, of {one * n / 2:.0f} s that two idle "
        f"processors need for replicates of {1000 * one:.0f} ms; {1000 * here / n:.2f} ms a replicate where it is "
        f"called; the graphs take {graphs.edges.nbytes / 1e6:.0f} MB; the first {few} are "
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
                large_run(client, large)
                return
            calls(client)
            for network, n_rows, n in (("asia", 100, 5_000), ("alarm", 1_000, 2_000), ("alarm", 20_000, 200)):
                replicates(client, network, n_rows, n)
            table = growing_network(500).sample(50_000, rng=1)
            seconds, *_ = spent(client, lambda: submitter(client, table.take)([0]).result())
            print(f"{table.codes.nbytes / 1e6:.0f} MB to {len(client.nthreads())} workers: {seconds:.2f} s")


if __name__ == "__main__":
    main()
