"""Run replicates on workers, report progress, and stop early with what is done."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine._core.cluster import Progress as Progress
from bnengine._core.cluster import is_cluster, run_on_cluster

#: What a worker makes of one replicate.
Made = TypeVar("Made")

#: A learned graph: packed adjacency matrix, number of replicates it stands for, status of the search.
Learned = tuple[UInt8Array, int, str]
#: Shape (1,): 0 while the work may go on.
Flag = UInt8Array
#: What is made of one replicate, given its number and its generator; None where the flag to stop interrupted it.
Step = Callable[[int, np.random.Generator], Made | None]
#: The step of a worker, which prepares its scores once for all its replicates, given the flag that ends a search.
Prepare = Callable[[Flag | None], Step[Made]]

POLL = 0.05  # seconds between looks at the workers


def processors() -> int:
    """Count the processors that this process may use: in a container or under ``taskset`` fewer than all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def learn_some(
    prepare: Prepare[Made],
    first: int,
    generators: list[np.random.Generator],
    count_one: Callable[[], bool] | None = None,
    stop: Flag | None = None,
) -> list[Made]:
    """Learn from consecutive replicates, until one is interrupted or ``count_one``, called after each, returns True."""
    step, made = prepare(stop), []
    for number, generator in enumerate(generators, start=first):
        found = step(number, generator)
        if found is None:
            break
        made.append(found)
        if count_one is not None and count_one():
            break
    return made


def run(
    prepare: Prepare[Made], generators: list[np.random.Generator], executor: Executor | None, progress: Progress | None
) -> tuple[list[Made], bool]:
    """Learn from all replicates on the executor's workers; return what they make in order, and whether it stopped.

    Threads stop inside a search. An executor's workers, which may be on other machines, finish the pieces they have.
    """
    learn: Callable[..., list[Made]] = partial(learn_some, prepare)
    if is_cluster(executor):
        return run_on_cluster(learn, generators, executor, progress)
    n, workers = len(generators), processors()
    if executor is not None:
        futures = [executor.submit(learn, a, generators[a:b]) for a, b in _pieces(n, 8 * workers)]
        return _gather(futures, n, progress, None)
    workers, ledger = min(workers, n), _Ledger()
    with ThreadPoolExecutor(workers) as threads:
        # few pieces, since each prepares its scores anew, which takes as long as one or two replicates
        pieces = _pieces(n, 2 * workers)
        futures = [threads.submit(learn, a, generators[a:b], ledger.count_one, ledger.flag) for a, b in pieces]
        return _gather(futures, n, progress, ledger)


class _Ledger:
    """Shared by threads: the number of replicates done, and whether to stop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.done = 0
        self.flag = np.zeros(1, dtype=np.uint8)
        self._go = threading.Event()
        self._go.set()

    def count_one(self) -> bool:
        with self._lock:
            self.done += 1
        self._go.wait()
        return bool(self.flag[0])

    def ask_progress(self, progress: Progress, n: int) -> bool | None:
        """Return what the progress callback answers.

        No replicate begins before it does, so that it can let the run wait.
        """
        self._go.clear()
        try:
            return progress(self.done, n)
        finally:
            self._go.set()

    def stop(self) -> None:
        self.flag[0] = 1


def _pieces(n: int, n_pieces: int) -> list[tuple[int, int]]:
    bounds = np.linspace(0, n, min(n, n_pieces) + 1).astype(int)
    return [(a, b) for a, b in itertools.pairwise(bounds.tolist())]


def _gather(
    futures: list[Future[list[Made]]], n: int, progress: Progress | None, ledger: _Ledger | None
) -> tuple[list[Made], bool]:
    try:
        return _watch(futures, n, progress, ledger)
    except BaseException:  # an error, or Ctrl-C: cancel the rest
        if ledger:
            ledger.stop()
        for future in futures:
            future.cancel()
        raise


def _watch(
    futures: list[Future[list[Made]]], n: int, progress: Progress | None, ledger: _Ledger | None
) -> tuple[list[Made], bool]:
    """Wait for all workers, reporting progress, until done or stopped; raise the first failure."""
    waiting, stopped = set(futures), False
    while waiting:
        finished, waiting = wait(waiting, timeout=POLL, return_when=FIRST_COMPLETED)
        for future in finished:
            if not future.cancelled() and future.exception() is not None:
                raise future.exception()  # type: ignore[misc]
        if progress is not None and not stopped:
            if ledger:
                answer = ledger.ask_progress(progress, n)
            else:
                answer = progress(sum(len(f.result()) for f in futures if f.done() and not f.cancelled()), n)
            if answer is False and waiting:
                stopped = True
                if ledger:
                    ledger.stop()
                waiting -= {future for future in waiting if future.cancel()}
    learned = [graph for future in futures if not future.cancelled() for graph in future.result()]
    return learned, stopped and len(learned) < n


# One progress count over several runs in sequence.


def shared_progress(progress: Progress | None, sizes: Sequence[int]) -> list[Progress | None]:
    """Return a progress callback for each run in a sequence; together they count up to the sum of ``sizes``.

    Parameters
    ----------
    progress : callable, optional
        Called with (replicates done in all runs, ``sum(sizes)``); see ``Progress``.
    sizes : sequence of int
        Replicates of each run.
    """
    if progress is None:
        return [None] * len(sizes)

    def from_start(start: int) -> Progress:
        return lambda done, _: progress(start + done, sum(sizes))

    return [from_start(start) for start in itertools.accumulate(sizes[:-1], initial=0)] if sizes else []


# Work in one piece that can be stopped: a flag for the work, a progress callback for the caller.

T = TypeVar("T")


def stoppable(work: Callable[[Flag], T], progress: Progress | None, total: int = 1) -> T:
    """Do work that looks at a stop flag, while ``progress`` is asked whether it may go on.

    Parameters
    ----------
    work : callable
        Gets the flag, and returns soon after it is set.
    progress : callable, optional
        Called in the calling thread with (0, ``total``); returning False, or raising, sets the flag.
    total : int
        What progress counts up to. The piece itself counts for nothing.
    """
    flag = np.zeros(1, dtype=np.uint8)
    if progress is None:
        return work(flag)
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(work, flag)
        try:
            while not wait([future], timeout=POLL).done:
                if progress(0, total) is False:
                    flag[0] = 1
        except BaseException:
            flag[0] = 1
            raise
    return future.result()
