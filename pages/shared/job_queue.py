"""Work in background threads: a fair queue for places, progress, stopping, results. Independent of Streamlit.

The next place goes to the visitor who has waited longest since their last turn, a new one first. Work that runs on
while others wait gives its place up after its turn, between two of its steps. Work without steps cannot pause, but its
place counts as free after its turn: the processors are then shared.

An executor of ``concurrent.futures`` gives work a thread until it ends, first come, first served. Work that gives its
place up in the middle has to hold its thread, so each job has one of its own, and a ``Future`` for its result.
"""

import logging
import math
import threading
import time
import traceback
import uuid
import weakref
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from bnengine.execution import limit, processors
from bnengine.typing import UInt8Array

#: A turn's length in seconds, while others wait: who is new waits no longer.
TURN = 3.0


@dataclass(eq=False)
class Ticket:
    """A job in line, or with a place ``since`` some time.

    Attributes
    ----------
    visitor : hashable
        Whose it is.
    arrived : int
        Its number in line.
    since : float or None
        When its turn began; None while it waits.
    has_steps : bool
        Whether it was seen to take steps.
    """

    visitor: Hashable
    arrived: int
    since: float | None = None
    has_steps: bool = False


class Queue:
    """Places for work.

    Parameters
    ----------
    places : int
        How many there are.
    each : int
        How many a visitor may have.
    turn : float
        Seconds for which work keeps its place while others wait.
    clock : callable
    """

    def __init__(
        self, places: int, each: int = 1, turn: float = TURN, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.places, self.each, self.turn, self._clock = places, each, turn, clock
        self._tickets: list[Ticket] = []
        self._served: dict[Hashable, int] = {}  # the number of the last turn of each visitor who is here
        self._count = 0
        self._changed = threading.Condition()

    def join(self, visitor: Hashable = None) -> Ticket:
        """Take a place, or stand in line for one; work without a visitor counts as that of a further visitor."""
        with self._changed:
            ticket = Ticket(object() if visitor is None else visitor, self._next_number())
            self._tickets.append(ticket)
            self._assign()
        return ticket

    def wait(self, ticket: Ticket, stopped: Callable[[], bool]) -> bool:
        """Wait until the work has a place; return False if it was stopped before."""
        with self._changed:
            while not stopped() and ticket.since is None:
                self._changed.wait(self._until_a_turn_ends())
                self._assign()
            return not stopped()

    def step(self, ticket: Ticket, stopped: Callable[[], bool]) -> bool:
        """Wait, between two steps, while others have their turn, if this one is over; return False if stopped."""
        with self._changed:
            ticket.has_steps = True
            self._assign()
            if ticket.since is not None and self._clock() - ticket.since >= self.turn:
                since, ticket.since = ticket.since, None
                if self._first_in_line(without=ticket) is None:
                    ticket.since = since
                else:
                    ticket.arrived = self._next_number()
                    self._assign()
        return self.wait(ticket, stopped)

    def leave(self, ticket: Ticket) -> None:
        """Give the place to the next in line."""
        with self._changed:
            if ticket in self._tickets:
                self._tickets.remove(ticket)
            if all(ticket.visitor != other.visitor for other in self._tickets):
                self._served.pop(ticket.visitor, None)
            self._assign()
            self._changed.notify_all()

    def check(self) -> None:
        """Let those in line see whether they were stopped, or whether a turn has ended."""
        with self._changed:
            self._assign()
            self._changed.notify_all()

    def number_in_line(self, ticket: Ticket) -> int:
        """Return 1 for the first in line, and so on; 0 for work that has a place, or needs none."""
        with self._changed:
            self._assign()
            line = sorted((one for one in self._tickets if one.since is None), key=self._order)
            return line.index(ticket) + 1 if ticket in line else 0

    def _next_number(self) -> int:
        self._count += 1
        return self._count

    def _order(self, one: Ticket) -> tuple[int, int]:
        return self._served.get(one.visitor, 0), one.arrived

    def _counted(self) -> list[Ticket]:
        """Return those at work whose places count: not those without steps whose turn is over."""
        now = self._clock()
        at_work = [one for one in self._tickets if one.since is not None]
        return [one for one in at_work if one.has_steps or now - (one.since or 0.0) < self.turn]

    def _first_in_line(self, without: Ticket | None = None) -> Ticket | None:
        """Return the next to get a place, of those whose visitor may have one more."""
        busy = Counter(one.visitor for one in self._counted())
        line = [one for one in self._tickets if one.since is None and one is not without]
        return min((one for one in line if busy[one.visitor] < self.each), key=self._order, default=None)

    def _assign(self) -> None:
        """Give the free places away."""
        while len(self._counted()) < self.places and (first := self._first_in_line()) is not None:
            first.since = self._clock()
            self._served[first.visitor] = self._next_number()
            self._changed.notify_all()

    def _until_a_turn_ends(self) -> float | None:
        """Return the seconds until the place of work without steps counts as free; None if none ever does."""
        since = (one.since or 0.0 for one in self._counted() if not one.has_steps)
        left = min((self.turn - self._clock() + began for began in since), default=math.inf)
        return None if math.isinf(left) else max(left, 0.01)


def most_jobs() -> int:
    """Return how many jobs run at a time: two per processor unless ``BNENGINE_MAX_JOBS`` says otherwise."""
    return limit("JOBS", 2 * processors())


WORK = Queue(most_jobs(), each=max(most_jobs() // 2, 1))
#: For files, each read in a process that may take gigabytes; it has its own limit of time and is not interrupted.
READING = Queue(processors(), turn=math.inf)


# Jobs.

_log = logging.getLogger(__name__)
_TOO_BUSY = "the server has as much to do as its system allows; try again in a moment"

T = TypeVar("T")
Progress = Callable[[int, int], bool | None]


class Job(Generic[T]):
    """Work in its own thread.

    The work receives a progress callback that returns False when it should stop and return its partial result, and that
    may take long, while others have their turn. A compiled search looks at ``flag``, shape (1,), which turns to 1 when
    it should stop. The work begins when the ``queue`` has a place for its ``visitor``. It may add what it knows
    ``so_far``; the last entry is the most complete.
    """

    def __init__(
        self,
        key: str,
        work: Callable[[Progress], T],
        flag: UInt8Array | None = None,
        queue: Queue | None = None,
        visitor: Hashable = None,
        so_far: list[Any] | None = None,
    ) -> None:
        self.key, self.so_far = key, [] if so_far is None else so_far
        self.progress = (0, 0)  # steps done and in all, always of one report: pages read it while the work goes on
        self.error_id = ""
        self.flag = np.zeros(1, dtype=np.uint8) if flag is None else flag
        self.queue = Queue(1) if queue is None else queue
        #: Whether those who asked for it are here, by the names of their sessions.
        self.watchers: dict[str, Callable[[], bool]] = {}
        self.began = False
        self.started = time.monotonic()
        self.future: Future[T | None] = Future()
        #: Whether it was stopped because nobody watched it any more; who comes back has it run again.
        self.abandoned = False
        self._stop = threading.Event()
        self._work = work
        self.ticket = self.queue.join(visitor)
        _jobs.add(self)
        try:
            threading.Thread(target=self._run, daemon=True, name=f"job {key[:8]}").start()
        except RuntimeError:  # the system's limit of threads
            self.queue.leave(self.ticket)
            self.future.set_exception(ValueError(_TOO_BUSY))

    def _run(self) -> None:
        """Do the work; whatever fails, the place is given up and those who wait for the result hear of it."""
        end = partial(self.future.set_exception, RuntimeError("the job did not end as it should"))
        try:
            result = None
            if self.queue.wait(self.ticket, self._stop.is_set):
                self.began, self.started = True, time.monotonic()
                result = self._work(self._report_progress)
            end = partial(self.future.set_result, result)
        except Exception as error:
            if not isinstance(error, ValueError):  # a defect: the page shows a number under which the log has more
                self.error_id = uuid.uuid4().hex[:8]
                _log.error("job failed, error %s: %s\n%s", self.error_id, type(error).__name__, _places(error))
            end = partial(self.future.set_exception, error)
        finally:
            try:
                self.queue.leave(self.ticket)
            finally:
                end()

    def _report_progress(self, done: int, total: int) -> bool:
        stepped = done > self.progress[0]
        self.progress = (done, total)
        if not stepped or (total and done >= total):
            return not self._stop.is_set()
        return self.queue.step(self.ticket, self._stop.is_set)

    @property
    def running(self) -> bool:
        """Whether the work is still running, or waits for a place."""
        return not self.future.done()

    @property
    def error(self) -> BaseException | None:
        """The error with which the work ended; a ``ValueError`` is a sentence for the page."""
        return self.future.exception() if self.future.done() else None

    @property
    def result(self) -> T | None:
        """What the work gave; None while it is running, if it failed, or if it never began."""
        return self.future.result() if self.future.done() and self.error is None else None

    @property
    def in_line(self) -> int:
        """1 if it is the next to get a place, and so on; 0 while it is at work."""
        return self.queue.number_in_line(self.ticket)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def stopped(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    def is_watched(self) -> bool:
        """Return whether somebody who asked for it is still here."""
        return any(is_here() for is_here in [*self.watchers.values()])

    def stop(self) -> None:
        """Ask the work to return its partial result; work that waits for a place does not begin."""
        self._stop.set()
        self.flag[0] = 1
        self.queue.check()

    def abandon(self) -> None:
        """Stop, as nobody watches it any more."""
        self.abandoned = not self.stopped
        self.stop()

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; return whether the work is finished."""
        return bool(wait([self.future], seconds).done)


_jobs: weakref.WeakSet[Job[Any]] = weakref.WeakSet()


def stop_all() -> None:
    """Stop all jobs, as the server ends: Python waits for their threads."""
    for job in [*_jobs]:
        job.stop()


def _places(error: Exception) -> str:
    """Return where an error arose, without its message, which may contain values of the data."""
    return "".join(traceback.format_tb(error.__traceback__))
