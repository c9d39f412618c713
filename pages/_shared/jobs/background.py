"""Work in a background thread, with progress, a way to stop it, and its result or error. Independent of Streamlit."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Progress = Callable[[int, int], bool | None]


class Job(Generic[T]):
    """Work in its own thread.

    The work receives a progress callback that returns False when it should stop and return its partial result.
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
        except Exception as error:  # shown on the page
            self.error = error
        finally:
            self._finished.set()

    def _tell(self, done: int, total: int) -> bool:
        self.done, self.total = done, total
        return not self._stop.is_set()

    @property
    def running(self) -> bool:
        """Whether the work is still running."""
        return not self._finished.is_set()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def stop(self) -> None:
        """Ask the work to return its partial result."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; return whether the work is finished."""
        return self._finished.wait(seconds)
