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


def worker_seconds(client: Any) -> float:
    """Return the processor time of all workers so far."""
    return float(sum(client.run(time.process_time).values()))


def no_work(number: int) -> int:
    """Return what an empty call gives."""
    return number


def calls(client: Any) -> None:
    """Measure what handing out one piece costs, however long it is, by empty calls."""
    submit = submitter(client, no_work)
    submit(0).result()
    n, here, there = 300, time.process_time(), worker_seconds(client)
    for future in [submit(number) for number in range(n)]:
        future.result()
    here, there = time.process_time() - here, worker_seconds(client) - there
    waits = []
    for number in range(100):
        start = time.perf_counter()
        submit(number).result()
        waits.append(time.perf_counter() - start)
    print(
        f"one call: processor time {1000 * here / n:.2f} ms where it is called, scheduler included, "
        f"{1000 * there / n:.2f} ms on the worker; there and back {1000 * min(waits):.1f} ms at least, "
        f"{1000 * statistics.median(waits):.1f} ms in the median"
    )


def replicates(client: Any, title: str, data: bn.Dataset, n: int, rounds: int = 3) -> None:
    """Measure the overhead per replicate of an ensemble beyond one thread's."""
    one = ThreadPoolExecutor(1)
    reference = bn.learn(data, bn.BIC(), bn.HillClimbing())

    def run(executor: Any) -> tuple[float, float, float]:
        start, here, there = time.perf_counter(), time.process_time(), worker_seconds(client)
        task = ResampleTask(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(n))
        learn_ensemble(task, reference, executor=executor)
        there = worker_seconds(client) - there
        return time.perf_counter() - start, time.process_time() - here, there

    run(client)  # workers load their compiled code
    local = [run(one)[1] for _ in range(rounds)]
    far = [run(client) for _ in range(rounds)]
    over_here = min(here for _, here, _ in far)
    over_there = min(there for _, _, there in far) - min(local)
    print(
        f"{title}: {n} replicates of {1000 * min(local) / n:.2f} ms; overhead per replicate "
        f"{1000 * over_here / n:.3f} ms where it is called, {1000 * over_there / n:+.3f} ms on the workers; "
        f"wall time {min(wall for wall, _, _ in far):.2f} s with {len(client.nthreads())} workers"
    )


def data_there(client: Any, megabytes: float, data: bn.Dataset) -> None:
    """Measure the wall time until every worker holds a table."""
    start = time.perf_counter()
    submitter(client, data.take)([0]).result()
    seconds = time.perf_counter() - start
    print(f"{megabytes:.0f} MB to {len(client.nthreads())} workers: {seconds:.2f} s")


def large_run(client: Any, n: int) -> None:
    """Measure a run of ``n`` replicates of 500 variables through ``bn.resample``, one of whose workers is killed."""
    data = growing_network(500).sample(1_000, rng=1)
    score, search, few = bn.BIC(), bn.HillClimbing(), 50
    start = time.process_time()
    alone = bn.resample(data, score, search, bn.Bootstrap(few), rng=1, executor=ThreadPoolExecutor(1))
    one = (time.process_time() - start) / few
    clock, here, killed = time.perf_counter(), time.process_time(), []

    def kill_once(done: int, total: int) -> None:
        if done > total / 3 and not killed:
            killed.append(client.run(os.getpid).popitem()[1])
            os.kill(killed[0], signal.SIGKILL)

    found = bn.resample(data, score, search, bn.Bootstrap(n), rng=1, executor=client, progress=kill_once)
    clock, here = time.perf_counter() - clock, time.process_time() - here
    same = all(map(np.array_equal, found.graphs, alone.graphs))  # of the first few
    megabytes = found.graphs.edges.nbytes / 1e6
    print(
        f"500 variables, 1,000 rows, {found.n_graphs:,} replicates ({found.status}), a worker killed after a third: "
        f"{clock:.0f} s by the clock with {len(client.nthreads())} workers, of {one * n / 2:.0f} s that two idle "
        f"processors need for replicates of {1000 * one:.0f} ms; {1000 * here / n:.2f} ms a replicate where it is "
        f"called; the graphs take {megabytes:.0f} MB; the first {few} are {'' if same else 'not '}those learned here"
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
            asia, alarm = bn.load_network("asia"), bn.load_network("alarm")
            replicates(client, "asia, 100 rows", asia.sample(100, rng=1), 5_000)
            replicates(client, "alarm, 1,000 rows", alarm.sample(1_000, rng=1), 2_000)
            replicates(client, "alarm, 20,000 rows", alarm.sample(20_000, rng=1), 200)
            table = growing_network(500).sample(50_000, rng=1)
            data_there(client, table.codes.nbytes / 1e6, table)


if __name__ == "__main__":
    main()
