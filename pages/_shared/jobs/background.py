"""Work in a background thread: how far it is, a way to stop it, its result or its error. Knows no Streamlit."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Progress = Callable[[int, int], bool | None]


class Job(Generic[T]):
    """One piece of work in a thread of its own.

    The work is handed a progress callback that answers False once the job is to stop; it then returns what it has.
    """

    def __init__(self, key: str, work: Callable[[Progress], T]) -> None:
        self.key = key
        self.done = 0
        self.total = 0
        self.result: T | None = None
        self.error: Exception | None = None
        self.started = time.monotonic()
        self._stop = threading.Event()
        self._finished = threading.Event()
        self._work = work
        threading.Thread(target=self._run, daemon=True, name=f"job {key[:8]}").start()

    def _run(self) -> None:
        try:
            self.result = self._work(self._tell)
        except Exception as error:  # shown on the page; a thread has nobody to raise to
            self.error = error
        finally:
            self._finished.set()

    def _tell(self, done: int, total: int) -> bool:
        self.done, self.total = done, total
        return not self._stop.is_set()

    @property
    def running(self) -> bool:
        """Whether the work goes on."""
        return not self._finished.is_set()

    @property
    def seconds(self) -> float:
        """Since the job began."""
        return time.monotonic() - self.started

    def stop(self) -> None:
        """Ask the work to return what it has."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; whether the work is finished."""
        return self._finished.wait(seconds)
