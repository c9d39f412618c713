"""Replicates on a cluster: seeds go out in pieces whose size follows from what a replicate was measured to cost."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bnengine._core.cluster import OnWorkers, WaitForWorkers
from bnengine._core.seeds import Seeds, packed, unpacked

Made = TypeVar("Made")
Learn = Callable[..., list[Made]]
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

    def tell(self, n: int, seconds: float) -> None:
        """Note what a piece of ``n`` replicates took."""
        self.seconds, self._largest = max(seconds / n, 1e-9), max(self._largest, n)

    def next(self, n_left: int, n_threads: int) -> int:
        """The size of the next piece; smaller towards the end, so that all workers end at about the same time."""
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
    pieces = _Pieces(OnWorkers(executor, partial(_learn, learn)), generators)
    try:
        stopped = False
        while pieces.remain and not stopped:
            pieces.hand_out()
            pieces.collect()
            stopped = progress is not None and progress(pieces.n_done, len(generators)) is False and pieces.remain
        return pieces.in_order(), bool(stopped)
    finally:
        pieces.cancel()


def _learn(learn: Learn[Made], first: int, seeds: Seeds | list[np.random.Generator]) -> list[Made]:
    return learn(first, unpacked(seeds))


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
            future = self._workers.submit(first, packed(self._generators[first:cut]))
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
        self._size.tell(end - first, seconds)
        self._made[first] = made
        self.n_done += len(made)
        return True

    def in_order(self) -> list[Any]:
        return [each for first in sorted(self._made) for each in self._made[first]]

    def cancel(self) -> None:
        for future in self._waiting:
            future.cancel()
