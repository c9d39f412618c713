"""Read strangers' files in a process of its own, with limits on memory and processor time; both sides of that process.

Libraries that parse files trust what a file says of its size, and some end their process where a file is damaged. What
happens in another process happens neither to a script nor to a server, where it would also hold up every other visitor,
and it can be stopped at any time. A waiting process, the *lane*, has the libraries ready, takes a request whole and
forks for it, which takes milliseconds; where the system cannot fork, a lane serves one file. After anything but an
answer and a fork that ended well, a lane is used no more, so that no visitor meets what another's file left behind.

Messages are JSON and bytes; nothing is unpickled on either side.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Literal

from bnengine._core.parallel import POLL, Progress

#: What precedes each message: the lengths of its header, in JSON, and of the bytes after it.
_FRAME = struct.Struct("<QQ")
_PATIENCE = 5.0  # times the processor time is waited for, on a busy machine
_MOST_IDLE_LANES = 2
#: Lists the tasks, see there.
_PROGRAM = "from bnengine.execution import read_files; read_files()"
_ROOT = Path(__file__).parents[2]
#: Libraries start one thread each where they would start one per processor: each takes address space.
_FRUGAL = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")} | {
    "MALLOC_ARENA_MAX": "2",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
#: Exit codes of a fork; above the numbers of signals.
_NO_MEMORY, _DEFECT = 100, 101

Reason = Literal["memory", "time", "killed", "crash", "stopped", "start"]
#: Why a process ended, by its exit code or the signal that ended it; anything else is a crash.
_REASONS: dict[int, Reason] = {_NO_MEMORY: "memory"}
if sys.platform != "win32":
    _REASONS.update({signal.SIGXCPU: "time"})
    _REASONS.update(dict.fromkeys((signal.SIGKILL, signal.SIGTERM), "killed"))


class EndedError(RuntimeError):
    """The process ended before its work did: out of memory or time, killed, stopped, by a crash; or none began."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(f"the isolated process ended: {reason}")
        self.reason: Reason = reason


def run_isolated(
    task: str,
    content: bytes,
    given: Mapping[str, Any],
    megabytes: int,
    seconds: int,
    progress: Progress | None = None,
    refusal: type[ValueError] = ValueError,
) -> tuple[Any, bytes]:
    """Let a function do its work in an isolated process; an EndedError if the process ended first.

    The ``task`` is the function's name in the list of ``serve``. It is called with the content and what is given, which
    JSON can hold, as keyword arguments, and returns something that JSON can hold, and bytes. It may take so much memory
    beside that of the libraries, in units of 2**20 bytes, and processor time. ``progress`` is called every now and then
    with what the function passed to ``report_progress``; the work stops if it returns False. A ValueError that the
    function raised is raised here as a ``refusal`` with the same text.
    """
    lane = _taken()
    lane.good = False
    reply: tuple[dict[str, Any], bytes] | None = None
    reason: Reason = "crash"
    try:
        with _watched(lane, seconds, progress) as watch:
            try:
                request = {"task": task, "given": dict(given), "megabytes": megabytes, "seconds": seconds}
                _send(lane.to, request, content)
                while not lane.good:
                    header, found = _receive(lane.back, megabytes * 2**20)
                    if "progress" in header:
                        watch.progress = tuple(header["progress"])
                    elif "done" in header:
                        lane.good = True
                    else:
                        reply = header, found
            except (OSError, EOFError):  # the lane ended, perhaps within a message
                reason = watch.reason or _REASONS.get(abs(lane.process.wait()), "crash")
            except ValueError:  # the watch closed the pipe, or this is no message
                reason = watch.reason or "crash"
    finally:
        _given_back(lane)
    if reply is None:
        raise EndedError(reason)
    header, found = reply
    if "refused" in header:
        raise refusal(header["refused"])
    return header["result"], found


def keep_ready() -> None:
    """Have a lane ready before the first file comes."""
    threading.Thread(target=lambda: _given_back(_WorkerProcess()), daemon=True, name="lane").start()


def _send(pipe: IO[bytes], header: Mapping[str, Any], content: bytes = b"") -> None:
    text = json.dumps(header).encode()
    pipe.write(_FRAME.pack(len(text), len(content)) + text)
    pipe.write(content)
    pipe.flush()


def _receive(pipe: IO[bytes], most: int | None = None) -> tuple[dict[str, Any], bytes]:
    """Return a message's header and bytes; an EOFError if it is not there whole, a ValueError if it is too large."""
    n_text, n_content = _FRAME.unpack(_exactly(pipe, _FRAME.size))
    if most is not None and n_text + n_content > most:
        raise ValueError("the message is too large")
    return json.loads(_exactly(pipe, n_text)), _exactly(pipe, n_content)


def _exactly(pipe: IO[bytes], n_bytes: int) -> bytes:
    found = pipe.read(n_bytes)
    if len(found) < n_bytes:
        raise EOFError
    return found


class _WorkerProcess:
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
        #: Whether it waits for a file: the first one, or the next after it reported that it is done.
        self.good = True
        _lanes.add(self)

    def end(self) -> None:
        """End the process and what it forked."""
        with contextlib.suppress(OSError):
            if self.process.returncode is None:
                os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self.process.kill()
        self.process.wait()
        for pipe in (self.to, self.back):
            with contextlib.suppress(OSError):
                pipe.close()


_idle: queue.LifoQueue[_WorkerProcess] = queue.LifoQueue(_MOST_IDLE_LANES)
_lanes: weakref.WeakSet[_WorkerProcess] = weakref.WeakSet()  # idle or not


def _taken() -> _WorkerProcess:
    """Return an idle lane that still lives, or a new one."""
    with contextlib.suppress(queue.Empty):
        while True:
            lane = _idle.get_nowait()
            if lane.process.poll() is None:
                return lane
            lane.end()
    return _WorkerProcess()


def _given_back(lane: _WorkerProcess) -> None:
    with contextlib.suppress(queue.Full):
        if lane.good:
            return _idle.put_nowait(lane)
    lane.end()


@atexit.register
def end_all() -> None:
    """End all lanes, whatever they do."""
    for lane in list(_lanes):
        lane.end()


class _Watch:
    """The last progress that the work reported, and why the watch ended it."""

    progress: tuple[int, ...] = (0, 0)
    reason: Reason | None = None


@contextlib.contextmanager
def _watched(lane: _WorkerProcess, seconds: int, progress: Progress | None) -> Iterator[_Watch]:
    """End the lane when it is to stop, or takes far longer than its processor time allows."""
    watch, over = _Watch(), threading.Event()
    latest = time.monotonic() + _PATIENCE * seconds

    def look() -> None:
        while not watch.reason and not over.wait(POLL):
            if progress is not None and progress(*watch.progress) is False:
                watch.reason = "stopped"
            elif time.monotonic() > latest:
                watch.reason = "time"
            if watch.reason:
                lane.end()

    thread = threading.Thread(target=look, daemon=True, name="watch")
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()


# The lane's side: it forks for each file, and ends as the fork did if that did not end well.

_INTERVAL = 0.1  # seconds between two reports of progress
#: Ready before the first file comes; what only survey files need is not.
_READY = ("pandas", "pyarrow.parquet", "python_calamine")
#: What libraries in Rust and C++ write before they abort for want of memory.
_OUT_OF_MEMORY = (b"memory allocation of", b"bad_alloc")
_report: Callable[[int, int], None] | None = None


def report_progress(done: int, total: int) -> None:
    """Report progress to the process that waits for the work; nothing happens outside of an isolated process."""
    if _report is not None:
        _report(done, total)


def in_worker() -> bool:
    """Return whether this is an isolated process."""
    return _report is not None


def serve(tasks: Mapping[str, str]) -> None:
    """Serve one file after another; end when the other side does.

    The ``tasks`` are all that may be asked for: their names, and where the function is, as ``"module:name"``.
    """
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print goes elsewhere
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key pressed in a script's terminal is the script's to answer
    for name in _READY:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    code = 0
    with contextlib.suppress(EOFError):
        while not code:
            code = _serve_one(tasks, requests, answers)
    sys.exit(code)


def _serve_one(tasks: Mapping[str, str], requests: IO[bytes], answers: IO[bytes]) -> int:
    """Take a request whole and have it done in a fork, which holds nothing of the next; return the fork's code."""
    header, content = _receive(requests)
    module, _, name = tasks[header["task"]].partition(":")
    function = getattr(importlib.import_module(module), name)
    if not hasattr(os, "fork"):
        sys.exit(_answer(function, header, content, answers))
    final_message, status_pipe = os.pipe()
    os.set_blocking(final_message, False)
    os.set_blocking(status_pipe, False)  # who writes more than the pipe holds is not kept waiting
    child = os.fork()
    if not child:
        code = _DEFECT
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(status_pipe, 2)
            code = _answer(function, header, content, answers)
        finally:
            os._exit(code)
    code = abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.close(status_pipe)
    message = os.read(final_message, 2**16)
    os.close(final_message)
    if code == signal.SIGABRT and any(words in message for words in _OUT_OF_MEMORY):
        code = _NO_MEMORY
    if not code:
        _send(answers, {"done": True})
    return code


def _answer(function: Callable[..., Any], header: Mapping[str, Any], content: bytes, answers: IO[bytes]) -> int:
    """Do one piece of work; return the exit code."""
    global _report
    latest = 0.0

    def report(done: int, total: int) -> None:
        nonlocal latest
        if time.monotonic() > latest + _INTERVAL:
            latest = time.monotonic()
            _send(answers, {"progress": [int(done), int(total)]})

    _report = report
    _bound(header["megabytes"], header["seconds"])
    try:
        try:
            result, found = function(content, **header["given"])
        except ValueError as error:
            _send(answers, {"refused": str(error)})
        else:
            _send(answers, {"result": result}, found)
    except MemoryError:
        return _NO_MEMORY
    except Exception as error:
        return _NO_MEMORY if "bad_alloc" in str(error) else _DEFECT
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
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, 2 * seconds + 10))  # the second kills what ignores the first
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
