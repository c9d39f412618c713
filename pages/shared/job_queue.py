"""Work in background threads: the queue for places, progress, stopping, results. Independent of Streamlit."""

import logging
import math
import os
import threading
import time
import traceback
import uuid
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from bnengine.execution import BoundedCache, in_each_thread, processors
from bnengine.typing import UInt8Array

# A bounded number of jobs is at work on the server, in turns; the others wait in line. Independent of Streamlit.
#
# All work begins in the line of short work. What has used some seconds of processor time goes over to the line of long
# work, and waits there for a place between two of its steps: nobody's short work stands behind the long work of others.
#
# The next place goes to who has waited longest since their last turn, and each visitor has few, of the long jobs one.
# Work that runs on while others wait gives its place up after its turn, between two of its steps, and takes its next
# turn later. Work that has no steps goes on, but its place counts as free after its turn: the processors are then
# shared.

#: A turn's length in seconds, while others wait.
TURN = 10.0
#: Processor time, in seconds, after which work is long.
LONG_AFTER = 10.0


@dataclass(eq=False)
class _Ticket:
    """A job in line, by its number, or with a place since some time; ``steps`` if it was seen to take steps.

    ``worked`` is a clock of the processor time that it has used.
    """

    job: object
    visitor: Hashable
    arrived: int
    worked: Callable[[], float]
    since: float | None = None
    steps: bool = False


class Places:
    """Places for jobs.

    Parameters
    ----------
    number, each : int
        How many there are, and how many a visitor may have.
    turn : float
        Seconds for which a job keeps its place while others wait.
    clock : callable
    long : Places, optional
        Where a job goes once it has worked for ``LONG_AFTER``.
    """

    def __init__(
        self,
        number: int,
        each: int = 1,
        turn: float = TURN,
        clock: Callable[[], float] = time.monotonic,
        long: "Places | None" = None,
    ) -> None:
        self.number, self.each, self.turn, self._clock, self.long = number, each, turn, clock, long
        self._tickets: dict[object, _Ticket] = {}
        self._served: dict[Hashable, int] = {}  # the number of the last turn of each visitor who is here
        self._count = 0
        self._changed = threading.Condition()

    def join(self, job: object, visitor: Hashable = None, worked: Callable[[], float] = lambda: 0.0) -> None:
        """Take a place, or stand in line for one; a job without a visitor counts as a visitor of its own."""
        with self._changed:
            whose = id(job) if visitor is None else visitor
            self._tickets[job] = _Ticket(job, whose, self._next_number(), worked)
            self._assign()

    def _take_over(self, ticket: _Ticket) -> None:
        """Let a job that is at work stand in line here; one without steps, which cannot wait, has a place at once."""
        with self._changed:
            ticket.arrived, ticket.since = self._next_number(), None
            if not ticket.steps:
                self._begin(ticket)
            self._tickets[ticket.job] = ticket
            self._assign()

    def now_at(self, job: object) -> "Places":
        """Return these places, or those of long work if the job is there by now."""
        if self.long is None:
            return self
        with self._changed:
            self._assign()
            return self if job in self._tickets else self.long

    def wait(self, job: object, stopped: Callable[[], bool]) -> bool:
        """Wait until the job has a place; return False if it was stopped before."""
        with self._changed:
            while not (stopped() or self._has_place(job)):
                self._changed.wait(self._until_a_turn_ends())
                self._assign()
            return not stopped()

    def give_way(self, job: object, stopped: Callable[[], bool]) -> bool:
        """Wait, between two steps, while others have their turn, if this one is over; return False if stopped."""
        with self._changed:
            ticket = self._tickets.get(job)
            if ticket is not None:
                ticket.steps = True
                self._assign()
                if ticket.since is not None and self._clock() - ticket.since >= self.turn:
                    self._pause(ticket)
            here = self if self.long is None or job in self._tickets else self.long
        return self.wait(job, stopped) if here is self else here.give_way(job, stopped)

    def _pause(self, ticket: _Ticket) -> None:
        """End the turn of a job if others wait."""
        since, ticket.since = ticket.since, None
        if self._first_in_line(without=ticket) is None:
            ticket.since = since
        else:
            ticket.arrived = self._next_number()
            self._assign()

    def leave(self, job: object) -> None:
        """Give the place to the next in line."""
        with self._changed:
            self._removed(job)
            self._assign()
        if self.long is not None:
            self.long.leave(job)

    def _removed(self, job: object) -> None:
        ticket = self._tickets.pop(job, None)
        if ticket is not None and all(ticket.visitor != other.visitor for other in self._tickets.values()):
            self._served.pop(ticket.visitor, None)

    def look(self) -> None:
        """Let those in line see whether they were stopped, or whether a turn has ended."""
        with self._changed:
            self._assign()
            self._changed.notify_all()
        if self.long is not None:
            self.long.look()

    def number_in_line(self, job: object) -> int:
        """Return 1 for the first in line, and so on; 0 for a job that has a place, or needs none."""
        here = self.now_at(job)
        if here is not self:
            return here.number_in_line(job)
        with self._changed:
            line = sorted(self._line(), key=self._order)
            return next((number for number, one in enumerate(line, 1) if one.job is job), 0)

    def _next_number(self) -> int:
        self._count += 1
        return self._count

    def _has_place(self, job: object) -> bool:
        ticket = self._tickets.get(job)
        return ticket is None or ticket.since is not None

    def _line(self) -> list[_Ticket]:
        return [one for one in self._tickets.values() if one.since is None]

    def _order(self, one: _Ticket) -> tuple[int, int]:
        return self._served.get(one.visitor, 0), one.arrived

    def _counted(self) -> list[_Ticket]:
        """Return those at work whose places count: not those without steps whose turn is over."""
        now = self._clock()
        return [one for one in self._at_work() if one.steps or now - (one.since or 0.0) < self.turn]

    def _at_work(self) -> list[_Ticket]:
        return [one for one in self._tickets.values() if one.since is not None]

    def _first_in_line(self, without: _Ticket | None = None) -> _Ticket | None:
        """Return the next to get a place, of those whose visitor may have one more."""
        busy = Counter(one.visitor for one in self._at_work())
        line = [one for one in self._line() if one is not without and busy[one.visitor] < self.each]
        return min(line, key=self._order, default=None)

    def _assign(self) -> None:
        """Let work that has become long go to its own line, and give the free places away."""
        if self.long is not None:
            for one in self._at_work():
                if one.worked() >= LONG_AFTER:
                    self._removed(one.job)
                    self.long._take_over(one)
        while len(self._counted()) < self.number and (ticket := self._first_in_line()) is not None:
            self._begin(ticket)
            self._changed.notify_all()

    def _begin(self, ticket: _Ticket) -> None:
        ticket.since = self._clock()
        self._served[ticket.visitor] = self._next_number()

    def _until_a_turn_ends(self) -> float | None:
        """Return the seconds until the place of a job without steps counts as free; None if none ever does."""
        now = self._clock()
        left = min((self.turn - now + (one.since or 0.0) for one in self._counted() if not one.steps), default=math.inf)
        return None if math.isinf(left) else max(left, 0.01)


def most_jobs() -> int:
    """Return how many long jobs run at a time: one per processor unless ``BNENGINE_MAX_JOBS`` says otherwise."""
    given = os.environ.get("BNENGINE_MAX_JOBS", "")
    return max(int(given), 1) if given.isdecimal() else processors()


#: For work that has used ``LONG_AFTER``, and may take hours.
LONG = Places(most_jobs())
#: Where all work begins.
SHORT = Places(4 * most_jobs(), each=2 * most_jobs(), long=LONG)
#: For files, each read in a process that may take gigabytes; it has its own limit of time and is not interrupted.
READING = Places(most_jobs(), turn=math.inf)


# Results that all visitors may see, since nothing in them depends on anyone's data.

_MOST_BYTES, _MOST_RESULTS = 64 * 2**20, 4
_kept: BoundedCache[str, Any] = BoundedCache(_MOST_BYTES, _MOST_RESULTS)


def shared_result(key: str) -> Any:
    """Return the result that an earlier visitor's work gave, or None."""
    return _kept.get(key)


def keep(key: str, result: Any) -> None:
    """Keep a finished result for all visitors."""
    _kept.keep(key, result)


def forget() -> None:
    """Forget all of them."""
    _kept.clear()


_log = logging.getLogger(__name__)

T = TypeVar("T")
Progress = Callable[[int, int], bool | None]


class Job(Generic[T]):
    """Work in its own thread.

    The work receives a progress callback that returns False when it should stop and return its partial result, and that
    may take long, while others have their turn. A compiled search looks at ``flag``, shape (1,), which turns to 1 when
    it should stop. With ``places`` the work begins when one is free for its ``visitor``.
    """

    def __init__(
        self,
        key: str,
        work: Callable[[Progress], T],
        flag: UInt8Array | None = None,
        places: Places | None = None,
        ended: Callable[[], object] = lambda: None,
        visitor: Hashable = None,
        so_far: list[Any] | None = None,
    ) -> None:
        self.key = key
        #: Results so far, which the work adds to; the last one is the most complete.
        self.so_far = [] if so_far is None else so_far
        self.done = 0
        self.total = 0
        self.result: T | None = None
        self.error: Exception | None = None
        self.error_id = ""
        self.flag = np.zeros(1, dtype=np.uint8) if flag is None else flag
        self._places = Places(1) if places is None else places
        self._worked = ProcessorTime()
        #: Whether those who asked for it are there, by the names of their sessions.
        self.watchers: dict[str, Callable[[], bool]] = {}
        self.began = False
        self.started = time.monotonic()
        self._stop = threading.Event()
        self._finished = threading.Event()
        self._work = work
        self._ended = ended
        self._places.join(self, visitor, self._worked)
        threading.Thread(target=self._run, daemon=True, name=f"job {key[:8]}").start()

    def _run(self) -> None:
        self._worked.join()
        try:
            if self._places.wait(self, self._stop.is_set):
                self.began, self.started = True, time.monotonic()
                self.result = self._work(self._report_progress)
        except ValueError as error:  # a sentence for the page
            self.error = error
        except Exception as error:  # a defect: the page shows a number under which the log has the details
            self.error, self.error_id = error, uuid.uuid4().hex[:8]
            _log.error("job failed, error %s: %s\n%s", self.error_id, type(error).__name__, _places(error))
        finally:
            self._places.leave(self)
            self._finished.set()
            self._ended()

    def _report_progress(self, done: int, total: int) -> bool:
        stepped = done > self.done
        self.done, self.total = done, total
        if not stepped or (total and done >= total):
            return not self._stop.is_set()
        return self._places.give_way(self, self._stop.is_set)

    @property
    def places(self) -> Places:
        """The places among which it has, or waits for, its own."""
        return self._places.now_at(self)

    @property
    def running(self) -> bool:
        """Whether the work is still running, or waits for a place."""
        return not self._finished.is_set()

    @property
    def in_line(self) -> int:
        """1 if it is the next to get a place, and so on; 0 while it is at work."""
        return self._places.number_in_line(self)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._stop.is_set()

    def watched(self) -> bool:
        """Return whether somebody who asked for it is still there."""
        return any(there() for there in [*self.watchers.values()])

    def stop(self) -> None:
        """Ask the work to return its partial result; work that waits for a place does not begin."""
        self._stop.set()
        self.flag[0] = 1
        self._places.look()

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; return whether the work is finished."""
        return self._finished.wait(seconds)


def _places(error: Exception) -> str:
    """Return where an error arose, without its message, which may contain values of the data."""
    return "".join(traceback.format_tb(error.__traceback__))


class ProcessorTime:
    """A clock of the processor time that some threads have used, in seconds, for any thread to read.

    Where the system does not tell it of another thread (macOS, Windows), it is that of the whole process.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended = 0.0  # the time of the threads that have ended
        self._running: dict[Callable[[], float], float] = {}

    def join(self) -> None:
        """Count this thread, and those that the engine starts for it."""
        in_each_thread.set(self.join)
        with self._lock:
            if hasattr(time, "pthread_getcpuclockid"):
                self._running[partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))] = 0.0
            elif not self._running:
                start = time.process_time()
                self._running[lambda: time.process_time() - start] = 0.0

    def __call__(self) -> float:
        """Return the seconds so far."""
        with self._lock:
            for clock in [*self._running]:
                try:
                    self._running[clock] = clock()
                except OSError:  # its thread has ended
                    self._ended += self._running.pop(clock)
            return self._ended + sum(self._running.values())
