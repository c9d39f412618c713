"""Run a command: its work in a thread, progress, signals that stop it, and the writing of its result."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from click import UsageError
from click.exceptions import Exit
from pydantic_core import to_json

from bnengine._core import isolated
from bnengine._core.environment import versions

_SILENCE = 4.0  # seconds without output before progress is printed
_WAIT = 0.1  # seconds between looks at the work
HANGUP = getattr(signal, "SIGHUP", None)  # the terminal closes; Windows has no such signal


class Terminal:
    """Standard error: warnings, on a terminal also remarks and progress; and whether the run is to stop.

    ``counted`` is what the progress counts.
    """

    def __init__(self, counted: str = "resamples") -> None:
        self.counted = counted
        self.stopped_by: int | None = None
        self._talks = sys.stderr.isatty()
        self._started = time.monotonic()
        self._shown = -1
        self._total = 0
        self._line_open = False

    def progress(self, done: int, total: int) -> bool:
        """Report progress; the engine calls this while it works, and stops with what is done where it returns False."""
        if total != self._total:  # another piece of work
            self._total, self._started, self._shown = total, time.monotonic(), -1
        if self._talks and total:
            step = 100 * done // total
            if step != self._shown:
                self._shown = step
                passed = time.monotonic() - self._started
                left = f", {passed * (total - done) / done:.0f} s left" if 0 < done < total and passed > 1 else ""
                self._write(f"{done} of {total} {self.counted}{left}", stays=done >= total)
        return self.stopped_by is None

    def note(self, text: str) -> None:
        """Write a remark, on a terminal only."""
        if self._talks:
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

    def run(self, work: Callable[[], None]) -> None:
        """Do the work in another thread, since compiled code would delay a signal until it is done.

        Ctrl-C, SIGTERM, or a terminal that closes stops work that has reported progress, and what is done is kept; a
        second one, or one before there is anything to keep, ends the program at once. Afterwards the exit code of a
        command that was stopped is raised.
        """
        error: list[BaseException] = []

        def guarded() -> None:
            try:
                work()
            except BaseException as raised:
                error.append(raised)

        thread = threading.Thread(target=guarded, daemon=True)
        with signals_handled(self._stop, signal.SIGINT, signal.SIGTERM, HANGUP):
            thread.start()
            while thread.is_alive():
                thread.join(_WAIT)
                if self._shown < 0 and self._talks and time.monotonic() - self._started > _SILENCE:
                    self._shown = 0
                    self.note("working … (the first run on a machine compiles for half a minute)")
        if self._line_open:
            sys.stderr.write("\n")
            self._line_open = False
        if error:
            raise error[0]
        if self.stopped_by is not None:
            raise Exit(128 + self.stopped_by)

    def _stop(self, number: int) -> None:
        if self.stopped_by or not self._total:
            self._write("\nbnengine: stopped; nothing was written")
            isolated.end_all()
            os._exit(128 + number)
        self.stopped_by = number
        self._write("stopping; what is done will be written (once more: quit at once)")


@contextlib.contextmanager
def signals_handled(stop: Callable[[int], None], *numbers: signal.Signals | None) -> Iterator[None]:
    """Handle what asks the program to stop, where this is its main thread.

    A terminal that closes is not heeded where that is to be ignored, as after nohup; what is written to a closed one is
    lost.
    """
    heeded = [one for one in numbers if one and not (one == HANGUP and signal.getsignal(one) is signal.SIG_IGN)]
    terminals = [number for number in range(3) if os.isatty(number)]

    def handler(number: int, frame: FrameType | None) -> None:
        if number == HANGUP:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for terminal in terminals:
                os.dup2(nowhere, terminal)
        stop(number)

    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, handler) for number in heeded if main}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


# A command's result, on standard output or in a file.


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
        self.path, self.form = None if name == "-" else Path(name), formats[0]
        if self.path is None:
            return
        self.form, folder = self.path.suffix.lower().removeprefix("."), self.path.absolute().parent
        if not folder.is_dir():
            raise UsageError(f"there is no folder {self.path.parent} to write {self.path.name} in")
        if self.path.is_dir():
            raise UsageError(f"{self.path} is a folder; name a file in it")
        if self.form not in formats:
            raise UsageError(f"--out must end in {' or '.join(f'.{form}' for form in formats)}; got {self.path.name}")
        self._part = _part_of(self.path)

    def write(self, text: str) -> None:
        """Write the text as UTF-8 with plain line ends on every system; what the file cannot take goes to the screen.

        Raises
        ------
        OSError
            If the file cannot take it, after it was written to standard output.
        """
        if self.path is None:
            return write_out(text)
        try:
            self._write_file(text.encode())
        except OSError as error:
            write_out(text)
            problem = error.strerror or str(error)
            raise OSError(f"{self.path} was not written ({problem}); the result is on standard output") from None

    def _write_file(self, content: bytes) -> None:
        """Write a file whole or not at all; one in a folder that takes no other file, and what is none, directly."""
        assert self.path is not None
        if self._part is None:
            self.path.write_bytes(content)
            return
        target = self.path.resolve()
        try:
            self._part.write_bytes(content)
            if target.exists():
                shutil.copymode(target, self._part)
            os.replace(self._part, target)
        except BaseException:
            with contextlib.suppress(OSError):
                self._part.unlink(missing_ok=True)
            raise


def _part_of(path: Path) -> Path | None:
    """Return the file beside ``path`` that becomes it; None for what is written to directly, such as a pipe.

    A click.UsageError if neither can be written, which is tried: what the system says of permissions may be another
    answer than writing gets.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        return None
    part = path.with_name(f".{path.name[:50]}.{os.getpid()}")
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        if path.is_file() and os.access(path, os.W_OK):
            return None
        problem = error.strerror or str(error)
        raise UsageError(f"{path.name} may not be written ({problem}); name a file in a folder of yours") from None
    return part


class ReaderGoneError(Exception):
    """The reader closed the output."""


def write_out(text: str) -> None:
    """Write to standard output; a ReaderGoneError if nobody reads it any more."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed; write to a file by --out")
    stream, left = getattr(sys.stdout, "buffer", None), memoryview(text.encode())
    if stream is None:  # a program has replaced it
        sys.stdout.write(text)
        return
    try:
        sys.stdout.flush()
        while left:  # where Python does not buffer, the system may take a part only
            left = left[stream.write(left) :]
        stream.flush()
    except BrokenPipeError:
        raise ReaderGoneError from None


def document(**parts: Any) -> str:
    """Write a result as JSON, with versions; a table is a list of lines, and NaN, which JSON does not have, is null."""
    return to_json({"versions": versions(), **parts}, indent=2, inf_nan_mode="null", fallback=_plain).decode() + "\n"


def _plain(value: Any) -> Any:
    return value.to_dict(orient="records") if hasattr(value, "iterrows") else value.item()  # a frame, or NumPy's number
