"""Read strangers' files in a process of its own, with limits on memory and processor time; both sides of that process.

Libraries that parse files trust what a file says of its size, and some end their process where a file is damaged. What
happens in another process happens neither to a script nor to a server, where it would also hold up every other visitor,
and it can be stopped at any time. A waiting process, the *lane*, has the libraries ready and forks for each file, which
takes milliseconds; where the system cannot fork, a lane serves one file. Its side is in the last part of this file.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from bnengine._core.parallel import Progress

#: What precedes each message: the lengths of its header, in JSON, and of the bytes after it.
LENGTHS = struct.Struct("<QQ")
_POLL = 0.05  # seconds between two looks at whether to stop
_PATIENCE = 5.0  # times the processor time is waited for, on a busy machine
_MOST_IDLE_LANES = 2
_PROGRAM = "from bnengine._core.isolated import main; main()"
_ROOT = Path(__file__).parents[2]
#: Libraries start one thread each where they would start one per processor: each takes address space.
_FRUGAL = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")} | {
    "MALLOC_ARENA_MAX": "2",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

Reason = Literal["memory", "time", "crash", "stopped", "start"]


class EndedError(RuntimeError):
    """The process ended before its work did: out of memory or time, damaged, stopped, or it could not be started."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(f"the isolated process ended: {reason}")
        self.reason: Reason = reason


@dataclass(frozen=True)
class Bounds:
    """What one file may take: memory beside that of the libraries, in units of 2**20 bytes, and processor time."""

    megabytes: int
    seconds: int


def work(
    task: str,
    content: bytes,
    given: Mapping[str, Any],
    bounds: Bounds,
    progress: Progress | None = None,
    refusal: type[ValueError] = ValueError,
) -> tuple[Any, bytes]:
    """Let a function do its work in an isolated process; an EndedError if the process ended first.

    The ``task`` is the function as ``"module:name"``. It is called with the content and what is given, which JSON can
    hold, as keyword arguments, and returns something that JSON can hold, and bytes. ``progress`` is called every now
    and then with what the function told by ``report_progress``; the work stops if it returns False. A ValueError that
    the function raised is raised here as a ``refusal`` with the same text.
    """
    lane = _taken()
    try:
        with _watched(lane, bounds, progress) as watch:
            try:
                lane.send({"task": task, "given": dict(given), **vars(bounds)}, content)
                while "told" in (answer := lane.receive())[0]:
                    watch.told = tuple(answer[0]["told"])
            except (OSError, EOFError, ValueError):  # the lane was ended, perhaps within a message
                raise EndedError(watch.reason or "crash") from None
        header, found = answer
        lane.good = True
        if "ended" in header:
            raise EndedError(header["ended"])
        if "refused" in header:
            raise refusal(header["refused"])
        return header["result"], found
    finally:
        _given_back(lane)


def keep_ready() -> None:
    """Have a lane ready before the first file comes."""
    threading.Thread(target=lambda: _given_back(_taken(fresh=True)), daemon=True, name="lane").start()


class _Lane:
    """A waiting process, and the pipes to it."""

    def __init__(self) -> None:
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, **_FRUGAL, "PYTHONPATH": os.pathsep.join(paths)}
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=environment, start_new_session=True,
            )  # fmt: skip
        except OSError:
            raise EndedError("start") from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to: IO[bytes] = self.process.stdin
        self.back: IO[bytes] = self.process.stdout
        #: Whether it answered, and waits for the next file.
        self.good = False

    def send(self, header: Mapping[str, Any], content: bytes) -> None:
        text = json.dumps(header).encode()
        self.to.write(LENGTHS.pack(len(text), len(content)) + text)
        self.to.write(content)
        self.to.flush()

    def receive(self) -> tuple[dict[str, Any], bytes]:
        n_text, n_bytes = LENGTHS.unpack(self._exactly(LENGTHS.size))
        return json.loads(self._exactly(n_text)), self._exactly(n_bytes)

    def _exactly(self, n_bytes: int) -> bytes:
        found = self.back.read(n_bytes)
        if len(found) < n_bytes:
            raise EOFError
        return found

    def end(self) -> None:
        """End the process and what it forked."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait()
        for pipe in (self.to, self.back):
            with contextlib.suppress(OSError):
                pipe.close()


_lock = threading.Lock()
_idle: list[_Lane] = []


def _taken(fresh: bool = False) -> _Lane:
    """Return an idle lane that still lives, or a new one."""
    while not fresh:
        with _lock:
            if not _idle:
                break
            lane = _idle.pop()
        if lane.process.poll() is None:
            lane.good = False
            return lane
        lane.end()
    lane = _Lane()
    lane.good = fresh
    return lane


def _given_back(lane: _Lane) -> None:
    with _lock:
        if lane.good and lane.process.poll() is None and len(_idle) < _MOST_IDLE_LANES:
            _idle.append(lane)
            return
    lane.end()


@atexit.register
def _end_all() -> None:
    with _lock:
        lanes = [*_idle]
        _idle.clear()
    for lane in lanes:
        lane.end()


class _Watch:
    """What the work told last, and why the watch ended it."""

    told: tuple[int, ...] = (0, 0)
    reason: Reason | None = None


@contextlib.contextmanager
def _watched(lane: _Lane, bounds: Bounds, progress: Progress | None) -> Iterator[_Watch]:
    """End the lane when it is to stop, or takes far longer than its processor time allows."""
    watch, over = _Watch(), threading.Event()
    latest = time.monotonic() + _PATIENCE * bounds.seconds
    thread = threading.Thread(target=_look, args=(watch, over, latest, lane, progress), daemon=True, name="watch")
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()


def _look(
    watch: _Watch, over: threading.Event, latest: float, lane: _Lane, progress: Callable[..., bool | None] | None
) -> None:
    while not over.wait(_POLL):
        if progress is not None and progress(*watch.told) is False:
            watch.reason = "stopped"
        elif time.monotonic() > latest:
            watch.reason = "time"
        if watch.reason:
            lane.end()
            return


# The waiting process of ``isolated``: it forks for each file, and says what ended the fork if that could not.

_IN, _OUT = 0, 1
_IDLE_SECONDS = 600.0
_BLOCK = 2**20
#: Exit code of a process that was told nothing more.
_NOTHING = 3
_INTERVAL = 0.1  # seconds between two reports of progress
#: Ready before the first file comes; libraries that only networks need are not.
_READY = ("pandas", "pyarrow.parquet", "openpyxl")

_last_told: list[float] | None = None


def report_progress(done: int, total: int) -> None:
    """Report progress to the process that waits for the work; nothing happens outside of an isolated process."""
    if _last_told is not None and time.monotonic() > _last_told[0] + _INTERVAL:
        _last_told[0] = time.monotonic()
        _send({"told": [int(done), int(total)]}, b"")


def here() -> bool:
    """Return whether this is an isolated process."""
    return _last_told is not None


def main() -> None:
    """Serve one file after another; end when the other side does, or when nothing came for ten minutes."""
    global _OUT
    _OUT = os.dup(1)  # what libraries print goes elsewhere
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key pressed in a script's terminal is the script's to answer
    for name in _READY:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    if not hasattr(os, "fork"):
        _serve()
        return
    while select.select([_IN], [], [], _IDLE_SECONDS)[0]:
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                os._exit(_serve())
            os._exit(1)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            ended = {signal.SIGXCPU: "time", signal.SIGKILL: "memory"}.get(signal.Signals(os.WTERMSIG(status)), "crash")
            _send({"ended": ended}, b"")
        elif os.WEXITSTATUS(status) == _NOTHING:
            return
        elif status:
            _send({"ended": "crash"}, b"")


def _serve() -> int:
    """Do one piece of work; return the exit code."""
    global _last_told
    try:
        n_text, n_bytes = LENGTHS.unpack(_exactly(LENGTHS.size))
    except EOFError:
        return _NOTHING
    request, content = json.loads(_exactly(n_text)), _exactly(n_bytes)
    _last_told = [0.0]
    module, _, name = request["task"].partition(":")
    function = getattr(importlib.import_module(module), name)
    _bound(request["megabytes"], request["seconds"])
    try:
        result, found = function(content, **request["given"])
        header: dict[str, Any] = {"result": result}
    except MemoryError:
        header, found = {"ended": "memory"}, b""
    except ValueError as error:
        header, found = {"refused": str(error)}, b""
    except Exception as error:
        header, found = {"ended": "memory" if "bad_alloc" in str(error) else "crash"}, b""
    _send(header, found)
    return 0


def _bound(megabytes: int, seconds: int) -> None:
    """Set the limits where the operating system has them (not on Windows)."""
    with contextlib.suppress(ImportError):
        import resource

        with contextlib.suppress(OSError, ValueError):
            taken = 4 * 2**30
            with contextlib.suppress(OSError), open("/proc/self/statm") as sizes:
                taken = int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            most = taken + megabytes * 2**20
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _exactly(n_bytes: int) -> bytes:
    """Read so many bytes and none beyond."""
    parts, left = [], n_bytes
    while left:
        part = os.read(_IN, min(left, _BLOCK))
        if not part:
            raise EOFError
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _send(header: dict[str, Any], found: bytes) -> None:
    text = json.dumps(header).encode()
    for part in (LENGTHS.pack(len(text), len(found)) + text, found):
        view = memoryview(part)
        while view:
            view = view[os.write(_OUT, view) :]
