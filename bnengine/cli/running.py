"""Run a command: its work in a thread, progress, signals that stop it, and the writing of its result."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np
from click import UsageError

from bnengine._core.versions import versions as versions
from bnengine.networks.bif import write_bif
from bnengine.networks.network import BayesianNetwork

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


# A command's result: a table as CSV, everything as JSON, a network as BIF; on standard output or in a file.


def format_of(given: Mapping[str, Any], formats: Sequence[str]) -> str:
    """Return the format asked for; a click.UsageError before any work if the file's ending or folder cannot be used."""
    for name in (None if given["out"] == "-" else given["out"], given.get("save_experiment")):
        path = None if name is None else Path(name)
        if path is not None and not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to write {path.name} in")
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder; name a file in it")
        if path is not None and not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise UsageError(f"{path} may not be written; name a file in a folder of yours")
    if given["format"] is not None:
        return str(given["format"])
    if given["out"] == "-":
        return formats[0]
    suffix = Path(given["out"]).suffix.lower().removeprefix(".")
    if suffix not in formats:
        endings = " or ".join(f".{name}" for name in formats)
        raise UsageError(f"--out must end in {endings}; or name the format by --format")
    return suffix


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


def write_out(text: str) -> None:
    """Write to standard output."""
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


def bif_text(network: BayesianNetwork) -> str:
    """Write a network as BIF."""
    buffer = io.BytesIO()
    write_bif(network, buffer)
    return buffer.getvalue().decode()


def document(command: str, **parts: Any) -> str:
    """Write a result as JSON, with versions; a table is a list of lines, and NaN, which JSON does not have, is null."""
    plain = _plain({"command": command, "versions": versions(), **parts})
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
