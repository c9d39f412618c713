"""Run replicates on workers or a Dask cluster, report progress, and stop early with what is done."""

from __future__ import annotations

import itertools
import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bnengine._core.arrays import UInt8Array

# A Dask cluster as an executor: a function's data go once to each worker, its calls carry only their arguments.

Made = TypeVar("Made")

#: How often a function is sent again because all workers that had it are gone.
_MOST_LOSSES = 20
_PATIENCE = 60.0  # seconds that a run waits for a first worker
_FRESH = 1.0  # seconds for which the number of workers is believed


class ClusterError(ConnectionError):
    """The cluster cannot be reached, has no workers, or lost the same work again and again."""


def is_executor(value: object) -> bool:
    """Return whether work can be handed to it: an executor, or the client of a Dask cluster."""
    return isinstance(value, Executor) or _client_of(value) is not None


def is_cluster(executor: object) -> bool:
    """Return whether it is the client of a Dask cluster, or the executor that ``Client.get_executor`` gives."""
    return _client_of(executor) is not None


def nearby(executor: Executor | None) -> Executor | None:
    """Return the executor, or None (this machine's threads) instead of a cluster: for work whose state is large."""
    return None if is_cluster(executor) else executor


def _client_of(value: object) -> Any:
    """Return the client; None for anything else. ``distributed`` is imported only by who has one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    client = getattr(value, "_client", value)
    return client if isinstance(client, distributed.Client) else None


class OnWorkers:
    """A picklable function with all that it refers to, held by every worker of a cluster, or of its executor.

    Dask gives the pieces of a worker that is lost to the others. Where all workers that held the function are lost, its
    calls come back cancelled; ``renew`` hands the function to those that are there now.
    """

    def __init__(self, executor: object, function: Callable[..., Any]) -> None:
        self._client = _client_of(executor)
        self._executor = self._client.get_executor(pure=False)
        self._function, self._losses = function, 0
        self._asked, self._threads = -math.inf, 0
        self._held: Any = None

    def submit(self, *args: Any) -> Future[Any]:
        """Call it on some worker; see ``result``."""
        if self._held is None:
            self._held = self._scattered()
        future: Future[Any] = self._executor.submit(_timed, self._held, *args)
        return future

    def result(self, future: Future[Any]) -> tuple[Any, float]:
        """Return the result of a finished call, and the seconds that it took there."""
        try:
            found: tuple[Any, float] = future.result()
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                raise ClusterError(
                    f"one worker after another was lost at the same piece of work; look at their memory ({error})"
                ) from error
            raise
        return found

    def renew(self) -> None:
        """Hand the function out again, to the workers of then, after calls came back cancelled."""
        if self._held is None:
            return
        self._losses += 1
        if self._losses > _MOST_LOSSES:
            raise ClusterError(
                f"all workers of the cluster at {self.address} were lost {self._losses} times; look at their memory"
            )
        self._held = None

    def threads(self) -> int:
        """Return the threads of all workers present, 0 if there are none; a ClusterError without an answer."""
        if time.monotonic() - self._asked >= _FRESH:
            try:
                self._threads = sum(self._client.nthreads().values())
            except (OSError, TimeoutError) as error:
                raise ClusterError(f"the scheduler at {self.address} does not answer: {error}") from error
            self._asked = time.monotonic()
        return self._threads

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self._client.scheduler.address if self._client.scheduler else "an unknown address")

    def _scattered(self) -> Any:
        try:
            return self._client.scatter(self._function, broadcast=True, hash=False)
        except (OSError, TimeoutError) as error:
            raise ClusterError(f"the data do not reach the workers of {self.address}: {error}") from error


class WaitForWorkers:
    """How long a run has been without any worker."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def check(self, workers: OnWorkers) -> int:
        """Return the workers' threads; a ClusterError if there have been none for a minute."""
        n = workers.threads()
        if n:
            self._since = time.monotonic()
        elif time.monotonic() - self._since > _PATIENCE:
            raise ClusterError(
                f"no worker has joined the scheduler at {workers.address}: start one with "
                f"'dask worker {workers.address}'"
            )
        return n


def _timed(function: Callable[..., Any], *args: Any) -> tuple[Any, float]:
    """Call a function; return its result and the seconds that it took."""
    start = time.perf_counter()
    given = function(*args)
    return given, time.perf_counter() - start


# Replicates on a cluster go out in pieces whose size follows from what a replicate was measured to cost. Each takes its
# generator along, which is 160 bytes.

Learn = Callable[..., list[Made]]
#: Called with (replicates done, total); returning False stops the run, which keeps the replicates done.
Progress = Callable[[int, int], bool | None]

#: Seconds that a piece should take on its worker: long beside the few milliseconds that a call costs, short enough to
#: see progress and to lose little with a worker.
PIECE = 0.5
_PER_THREAD = 2  # pieces handed out for each thread: one that is worked on and one that waits there
_GROWTH = 8  # a piece has at most as many times the replicates of the largest one measured
_POLL = 0.05  # seconds between looks at the workers


class PieceSize:
    """How many replicates to hand out at once."""

    def __init__(self) -> None:
        self.seconds = math.inf  # per replicate, in the last piece
        self._largest = 0

    def record(self, n: int, seconds: float) -> None:
        """Note what a piece of ``n`` replicates took."""
        self.seconds, self._largest = max(seconds / n, 1e-9), max(self._largest, n)

    def next(self, n_left: int, n_threads: int) -> int:
        """Return the size of the next piece: smaller towards the end, where all workers are to finish together."""
        if not self._largest:
            return 1
        wanted = min(PIECE / self.seconds, _GROWTH * self._largest, n_left / (_PER_THREAD * n_threads))
        return max(1, int(wanted))


def run_on_cluster(
    learn: Learn[Made], generators: list[np.random.Generator], executor: object, progress: Progress | None
) -> tuple[list[Made], bool]:
    """Learn from all replicates on a cluster's workers, see ``run``; a stop drops the pieces not finished."""
    pieces = _Pieces(OnWorkers(executor, learn), generators)
    try:
        stopped = False
        while pieces.remain and not stopped:
            pieces.hand_out()
            pieces.collect()
            stopped = progress is not None and progress(pieces.n_done, len(generators)) is False and pieces.remain
        return pieces.in_order(), bool(stopped)
    finally:
        pieces.cancel()


class _Pieces:
    """The pieces that are done, handed out, and left."""

    def __init__(self, workers: OnWorkers, generators: list[np.random.Generator]) -> None:
        self._workers, self._generators = workers, generators
        self._left = deque([(0, len(generators))] if generators else [])
        self._waiting: dict[Future[Any], tuple[int, int]] = {}
        self._made: dict[int, list[Any]] = {}
        self._size, self._patience = PieceSize(), WaitForWorkers()
        self.n_done = 0

    @property
    def remain(self) -> bool:
        return bool(self._left or self._waiting)

    def hand_out(self) -> None:
        """Give the workers as many pieces as keep them busy."""
        threads = self._patience.check(self._workers)
        while self._left and len(self._waiting) < _PER_THREAD * threads:
            first, end = self._left.popleft()
            cut = min(end, first + self._size.next(sum(b - a for a, b in self._left) + end - first, threads))
            if cut < end:
                self._left.appendleft((cut, end))
            future = self._workers.submit(first, self._generators[first:cut])
            self._waiting[future] = first, cut

    def collect(self) -> None:
        """Wait a moment, and take what was finished; pieces that came back undone are left again."""
        if not self._waiting:  # no worker is there yet
            time.sleep(_POLL)
        finished, _ = wait(self._waiting, timeout=_POLL, return_when=FIRST_COMPLETED)
        undone = [self._waiting.pop(future) for future in finished if not self._take(future)]
        if undone:
            self._workers.renew()
            self._left.extendleft(sorted(undone, reverse=True))

    def _take(self, future: Future[Any]) -> bool:
        """Keep what a piece gave; whether there is any."""
        if future.cancelled():  # all that held the data are gone
            return False
        made, seconds = self._workers.result(future)
        first, end = self._waiting.pop(future)
        self._size.record(end - first, seconds)
        self._made[first] = made
        self.n_done += len(made)
        return True

    def in_order(self) -> list[Any]:
        return [each for first in sorted(self._made) for each in self._made[first]]

    def cancel(self) -> None:
        for future in self._waiting:
            future.cancel()


#: What a worker makes of one replicate.

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


#: Called at the start of each thread that works for the present one, so that the time of all can be counted.
in_each_thread: ContextVar[Callable[[], None] | None] = ContextVar("in_each_thread", default=None)


def threads_for_this(number: int) -> ThreadPoolExecutor:
    """Return so many threads that work for the present one."""
    return ThreadPoolExecutor(number, initializer=in_each_thread.get())


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
    with threads_for_this(workers) as threads:
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
        """Return what the progress callback answers; no replicate begins before that, so the run can wait."""
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


def shared_progress(progress: Progress | None, sizes: Sequence[int]) -> list[Progress | None]:
    """Return a progress callback for each of several runs of these sizes; together they count up to the sum."""
    if progress is None:
        return [None] * len(sizes)

    def from_start(start: int) -> Progress:
        return lambda done, _: progress(start + done, sum(sizes))

    return [from_start(start) for start in itertools.accumulate(sizes[:-1], initial=0)] if sizes else []


T = TypeVar("T")


def stoppable(work: Callable[[Flag], T], progress: Progress | None, total: int = 1) -> T:
    """Do work that ends soon after the flag it is given is set, while ``progress`` is asked whether it may go on.

    It is called in the calling thread with (0, ``total``), since one piece counts for nothing; returning False, or
    raising, sets the flag.
    """
    flag = np.zeros(1, dtype=np.uint8)
    if progress is None:
        return work(flag)
    with threads_for_this(1) as thread:
        future = thread.submit(work, flag)
        try:
            while not wait([future], timeout=POLL).done:
                if progress(0, total) is False:
                    flag[0] = 1
        except BaseException:
            flag[0] = 1
            raise
    return future.result()
