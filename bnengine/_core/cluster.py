"""A Dask cluster as an executor: a function's data go once to each worker, its calls carry only their arguments."""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, TypeVar

import numpy as np

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
    """A function with all that it refers to, held by every worker of a cluster.

    Dask gives the pieces of a worker that is lost to the others. Where all workers that held the function are lost, its
    calls come back cancelled; ``renew`` hands the function to those that are there now.

    Parameters
    ----------
    executor : distributed.Client or its executor
    function : callable
        Picklable.
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
        """Return the number of threads of all workers present; 0 as long as there are none.

        Raises
        ------
        ClusterError
            If the scheduler does not answer.
        """
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

Made = TypeVar("Made")
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
        """Return the size of the next piece.

        Smaller towards the end, so that all workers end at about the same time.
        """
        if not self._largest:
            return 1
        wanted = min(PIECE / self.seconds, _GROWTH * self._largest, n_left / (_PER_THREAD * n_threads))
        return max(1, int(wanted))


def run_on_cluster(
    learn: Learn[Made], generators: list[np.random.Generator], executor: object, progress: Progress | None
) -> tuple[list[Made], bool]:
    """Learn from all replicates on a cluster's workers; return what they make in order, and whether it stopped.

    A stop drops the pieces that are not finished.
    """
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
