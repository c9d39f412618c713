"""Run a command's work in a thread: progress on standard error, and signals that stop it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
_SILENCE = 4.0  # seconds without output before the terminal is told what is going on
_WAIT = 0.1  # seconds between looks at the work


class Terminal:
    """Standard error: remarks and progress, where they are read, and whether the run is to stop.

    Parameters
    ----------
    talks : bool
        Whether to report how far the work is.

    Attributes
    ----------
    counted : str
        What the progress counts.
    """

    def __init__(self, talks: bool) -> None:
        self.talks = talks
        self.counted = "resamples"
        self.stopped_by: int | None = None
        self._rewrites = sys.stderr.isatty()
        self._started = time.monotonic()
        self._shown = -1
        self._total = 0
        self._line_open = False

    @property
    def stopped(self) -> bool:
        """Whether a signal asked the work to stop."""
        return self.stopped_by is not None

    def progress(self, done: int, total: int) -> bool:
        """Report progress; the engine calls this while it works, and stops with what is done where it returns False."""
        if total != self._total:  # another piece of work
            self._total, self._started, self._shown = total, time.monotonic(), -1
        if self.talks and total:
            step = (100 if self._rewrites else 10) * done // total
            if step != self._shown:
                self._shown = step
                passed = time.monotonic() - self._started
                left = f", {passed * (total - done) / done:.0f} s left" if 0 < done < total and passed > 1 else ""
                self._write(f"{done} of {total} {self.counted}{left}", stays=not self._rewrites or done >= total)
        return not self.stopped

    def note(self, text: str) -> None:
        """Write a remark, if progress is shown."""
        if self.talks:
            self._write(text)

    def warn(self, text: str) -> None:
        """Write what the user must know to read the result."""
        self._write(f"bnengine: {text}")

    def _write(self, text: str, stays: bool = True) -> None:
        """Write a line; one that does not stay is overwritten by the next."""
        start = "\r\x1b[K" if self._line_open else ""
        sys.stderr.write(start + text + ("\n" if stays else ""))
        sys.stderr.flush()
        self._line_open = not stays

    def run(self, work: Callable[[], T]) -> T:
        """Do the work in another thread, since compiled code would delay a signal until it is done.

        Ctrl-C (or SIGTERM) stops work that has reported progress, and what is done is kept; a second one, or one before
        there is anything to keep, ends the program at once.
        """
        answer: list[T] = []
        error: list[BaseException] = []

        def guarded() -> None:
            try:
                answer.append(work())
            except BaseException as raised:
                error.append(raised)

        thread = threading.Thread(target=guarded, daemon=True)
        with _handled(self._stop):
            thread.start()
            while thread.is_alive():
                thread.join(_WAIT)
                if self._shown < 0 and self._rewrites and time.monotonic() - self._started > _SILENCE:
                    self._shown = 0
                    self.note("working … (the first run on a machine compiles for half a minute)")
        if self._line_open:
            sys.stderr.write("\n")
            self._line_open = False
        if error:
            raise error[0]
        return answer[0]

    def _stop(self, number: int) -> None:
        if self.stopped or not self._total:
            sys.stderr.write("\nbnengine: stopped; nothing was written\n")
            sys.stderr.flush()
            os._exit(128 + number)
        self.stopped_by = number
        self._write("stopping; what is done will be written (once more: quit at once)")


@contextmanager
def _handled(stop: Callable[[int], None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM, where this is the program's main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(number: int, frame: FrameType | None) -> None:
        stop(number)

    before: dict[signal.Signals, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
