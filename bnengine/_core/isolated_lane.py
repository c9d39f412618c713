"""The waiting process of ``isolated``: it forks for each file, and says what ended the fork if that could not."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import time
from typing import Any

from bnengine._core.isolated import LENGTHS

_IN, _OUT = 0, 1
_IDLE_SECONDS = 600.0
_BLOCK = 2**20
#: Exit code of a process that was told nothing more.
_NOTHING = 3
_INTERVAL = 0.1  # seconds between two reports of progress
#: Ready before the first file comes; libraries that only networks need are not.
_READY = ("pandas", "pyarrow.parquet", "openpyxl")

_last_told: list[float] | None = None


def tell(done: int, total: int) -> None:
    """Report progress to the process that waits for the work; nothing happens outside of an isolated process."""
    if _last_told is not None and time.monotonic() > _last_told[0] + _INTERVAL:
        _last_told[0] = time.monotonic()
        _send({"told": [int(done), int(total)]}, b"")


def here() -> bool:
    """Whether this is an isolated process."""
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
            _send({"ended": _reason_of(os.WTERMSIG(status))}, b"")
        elif os.WEXITSTATUS(status) == _NOTHING:
            return
        elif status:
            _send({"ended": "crash"}, b"")


def _reason_of(number: int) -> str:
    return {signal.SIGXCPU: "time", signal.SIGKILL: "memory"}.get(signal.Signals(number), "crash")


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
