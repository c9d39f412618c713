"""Work in a background thread, with progress, a way to stop it, and its result or error. Independent of Streamlit."""

import logging
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np

from bnengine._core.arrays import UInt8Array
from pages._shared.jobs.places import Places

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
    ) -> None:
        self.key = key
        self.done = 0
        self.total = 0
        self.result: T | None = None
        self.error: Exception | None = None
        self.error_id = ""
        self.flag = np.zeros(1, dtype=np.uint8) if flag is None else flag
        self.places = Places(1) if places is None else places
        #: Whether those who asked for it are there, by the names of their sessions.
        self.watchers: dict[str, Callable[[], bool]] = {}
        self.began = False
        self.started = time.monotonic()
        self._stop = threading.Event()
        self._finished = threading.Event()
        self._work = work
        self._ended = ended
        self.places.join(self, visitor)
        threading.Thread(target=self._run, daemon=True, name=f"job {key[:8]}").start()

    def _run(self) -> None:
        try:
            if self.places.wait(self, self._stop.is_set):
                self.began, self.started = True, time.monotonic()
                self.result = self._work(self._tell)
        except ValueError as error:  # a sentence for the page
            self.error = error
        except Exception as error:  # a defect: the page shows a number under which the log has the details
            self.error, self.error_id = error, uuid.uuid4().hex[:8]
            _log.error("job failed, error %s: %s\n%s", self.error_id, type(error).__name__, _places(error))
        finally:
            self.places.leave(self)
            self._finished.set()
            self._ended()

    def _tell(self, done: int, total: int) -> bool:
        self.done, self.total = done, total
        if total and done >= total:
            return not self._stop.is_set()
        return self.places.give_way(self, self._stop.is_set)

    @property
    def running(self) -> bool:
        """Whether the work is still running, or waits for a place."""
        return not self._finished.is_set()

    @property
    def in_line(self) -> int:
        """1 if it is the next to get a place, and so on; 0 while it is at work."""
        return self.places.number_in_line(self)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._stop.is_set()

    def watched(self) -> bool:
        """Whether somebody who asked for it is still there."""
        return any(there() for there in [*self.watchers.values()])

    def stop(self) -> None:
        """Ask the work to return its partial result; work that waits for a place does not begin."""
        self._stop.set()
        self.flag[0] = 1
        self.places.look()

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; return whether the work is finished."""
        return self._finished.wait(seconds)


def _places(error: Exception) -> str:
    """Where an error arose, without its message, which may contain values of the data."""
    return "".join(traceback.format_tb(error.__traceback__))
