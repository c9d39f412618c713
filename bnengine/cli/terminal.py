"""Run a command: its work in a thread, progress, signals that stop it, and the writing of its result."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np
from click import UsageError

from bnengine._core import isolated
from bnengine._core.environment import pd, versions
from bnengine.data.cell_text import csv_text
from bnengine.networks.bif import bif_text
from bnengine.networks.network import BayesianNetwork

T = TypeVar("T")
_SILENCE = 4.0  # seconds without output before the terminal is told what is going on
_WAIT = 0.1  # seconds between looks at the work
_HANGUP = getattr(signal, "SIGHUP", None)  # the terminal closes; Windows has no such signal


class Terminal:
    """Standard error: remarks and progress, where ``talks``, and whether the run is to stop.

    ``counted`` is what the progress counts.
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
        with contextlib.suppress(OSError):  # nobody reads it, which is no reason to lose the work
            sys.stderr.write(start + text + ("\n" if stays else ""))
            sys.stderr.flush()
        self._line_open = not stays

    def run(self, work: Callable[[], T]) -> T:
        """Do the work in another thread, since compiled code would delay a signal until it is done.

        Ctrl-C, SIGTERM, or a terminal that closes stops work that has reported progress, and what is done is kept; a
        second one, or one before there is anything to keep, ends the program at once.
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
            self._write("\nbnengine: stopped; nothing was written")
            isolated.end_all()
            os._exit(128 + number)
        self.stopped_by = number
        self._write("stopping; what is done will be written (once more: quit at once)")


@contextlib.contextmanager
def _handled(stop: Callable[[int], None]) -> Iterator[None]:
    """Handle what asks the program to stop, where this is its main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(number: int, frame: FrameType | None) -> None:
        stop(number)

    before: dict[signal.Signals, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, handler)
    try:
        with hangup_handled(stop):
            yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextlib.contextmanager
def hangup_handled(stop: Callable[[int], None]) -> Iterator[None]:
    """Handle the closing of the terminal, unless it is to be ignored, as after nohup; what is written there is lost."""
    if _HANGUP is None or signal.getsignal(_HANGUP) is signal.SIG_IGN:
        yield
        return
    terminals = [number for number in range(3) if os.isatty(number)]

    def handler(number: int, frame: FrameType | None) -> None:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for terminal in terminals:
            os.dup2(nowhere, terminal)
        stop(number)

    before = signal.signal(_HANGUP, handler)
    try:
        yield
    finally:
        signal.signal(_HANGUP, before)


# A command's result: a table as CSV, everything as JSON, a network as BIF; on standard output or in a file.


class Output:
    """Where the result of a command goes: to a file, whose ending says the format, or to standard output.

    Parameters
    ----------
    name : str
        The file's path, or ``"-"`` for standard output, which takes the first of the ``formats``.
    formats : sequence of str
        What the command can write.

    Raises
    ------
    click.UsageError
        Before any work, if the file cannot be written.
    """

    def __init__(self, name: str, formats: Sequence[str]) -> None:
        self.path = None if name == "-" else Path(name)
        self.form = formats[0] if self.path is None else self.path.suffix.lower().removeprefix(".")
        if self.path is None:
            return
        folder = self.path.absolute().parent
        if not folder.is_dir():
            raise UsageError(f"there is no folder {self.path.parent} to write {self.path.name} in")
        if self.path.is_dir():
            raise UsageError(f"{self.path} is a folder; name a file in it")
        if not os.access(self.path if self.path.exists() else folder, os.W_OK):
            raise UsageError(f"{self.path} may not be written; name a file in a folder of yours")
        if self.form not in formats:
            raise UsageError(f"--out must end in {' or '.join(f'.{form}' for form in formats)}; got {self.path.name}")

    def write(
        self,
        table: pd.DataFrame,
        described: Callable[[], dict[str, Any]],
        network: Callable[[], BayesianNetwork] | None = None,
    ) -> None:
        """Write a table as CSV, a description as JSON or a network as BIF, by the format."""
        if self.form == "csv":
            self.write_text(csv_text(table))
        elif self.form == "bif" and network is not None:
            self.write_text(bif_text(network()))
        else:
            self.write_text(document(**described()))

    def write_text(self, text: str) -> None:
        """Write the text as UTF-8 with plain line ends on every system."""
        if self.path is None:
            write_out(text)
        else:
            write_file(self.path, text)


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all; what is no regular file, such as a pipe, is written to directly."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(text.encode())
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


class ReaderGoneError(Exception):
    """The reader closed the output."""


def write_out(text: str) -> None:
    """Write to standard output; a ReaderGoneError if nobody reads it any more."""
    try:
        _write_out(text)
    except BrokenPipeError:
        raise ReaderGoneError from None


def _write_out(text: str) -> None:
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed; write to a file by --out")
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # a program has replaced it
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    left = memoryview(text.encode())
    while left:  # where Python does not buffer, the system may take a part only
        left = left[stream.write(left) :]
    stream.flush()


def document(**parts: Any) -> str:
    """Write a result as JSON, with versions; a table is a list of lines, and NaN, which JSON does not have, is null."""
    plain = _plain({"versions": versions(), **parts})
    return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "iterrows"):  # a frame
        value = value.to_dict(orient="records")
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
