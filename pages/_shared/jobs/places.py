"""A bounded number of jobs is at work on the server; the others wait in line. Independent of Streamlit."""

import os
import threading
from collections.abc import Callable

from bnengine._core.parallel import processors


class Places:
    """Places for jobs, taken in the order of their arrival."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._line: list[object] = []  # those at work come first
        self._changed = threading.Condition()

    def join(self, job: object) -> None:
        """Take a place, or stand in line for one."""
        with self._changed:
            self._line.append(job)

    def wait(self, job: object, stopped: Callable[[], bool]) -> bool:
        """Wait until the job has a place; return False if it was stopped before."""
        with self._changed:
            self._changed.wait_for(lambda: stopped() or self._ahead(job) < self.number)
            return not stopped()

    def leave(self, job: object) -> None:
        """Give the place to the next in line."""
        with self._changed:
            self._line = [other for other in self._line if other is not job]
            self._changed.notify_all()

    def look(self) -> None:
        """Let those in line see whether they were stopped."""
        with self._changed:
            self._changed.notify_all()

    def number_in_line(self, job: object) -> int:
        """1 for the first in line, and so on; 0 for a job that has a place, or needs none."""
        with self._changed:
            return max(self._ahead(job) - self.number + 1, 0)

    def _ahead(self, job: object) -> int:
        return next((place for place, other in enumerate(self._line) if other is job), 0)


def most_jobs() -> int:
    """The number of long jobs at work at a time: one per processor unless ``BNENGINE_MAX_JOBS`` says otherwise."""
    given = os.environ.get("BNENGINE_MAX_JOBS", "")
    return max(int(given), 1) if given.isdecimal() else processors()


#: For work that somebody asked for by a click, which may take hours.
LONG = Places(most_jobs())
#: For work that starts by itself because it takes seconds; it does not wait behind the long work of others.
SHORT = Places(4 * most_jobs())
#: For files, each read in a process that may take gigabytes.
READING = Places(most_jobs())
