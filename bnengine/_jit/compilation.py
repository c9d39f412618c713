"""Which parts of the engine are compiled already: marks next to the compiled code."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache

from llvmlite import binding  # type: ignore[import-untyped]

from bnengine._jit import compiled

_in_this_process: set[str] = set()


def is_prepared(part: str) -> bool:
    """Return whether a part was compiled in this process or, from the same sources, by an earlier one."""
    if part in _in_this_process:
        return True
    folders = [folder for folder in (compiled.FOLDER, compiled.AHEAD) if folder is not None]
    return any((folder / _mark(part)).exists() for folder in folders)


def set_prepared(part: str) -> None:
    """Note that a part is compiled."""
    _in_this_process.add(part)
    if compiled.FOLDER is not None:
        with suppress(OSError):  # read-only or full: then it is known to this process only
            compiled.FOLDER.mkdir(parents=True, exist_ok=True)
            (compiled.FOLDER / _mark(part)).touch()


@cache
def _mark(part: str) -> str:
    """Return the name of a part's mark: other sources, another numba or another processor have other marks."""
    machine = f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    digest = hashlib.sha256(f"{compiled.digest_of_all()} {machine} {part}".encode())
    return f"{digest.hexdigest()[:16]}.ready"
