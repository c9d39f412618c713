"""What a run may take: limits that variables of the environment set, and the memory that is free."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

_LIMIT = "BNENGINE_MAX_"  # the names of variables that set a limit begin so


def limit(name: str, default: int) -> int:
    """Return what ``BNENGINE_MAX_`` and the name set; the default if nothing does, or what no limit can be."""
    text = os.environ.get(_LIMIT + name, "")
    return int(text) if _is_limit(text) else default


def _is_limit(text: str) -> bool:
    return re.fullmatch("0{0,9}[1-9][0-9]{0,17}", text, flags=re.ASCII) is not None


def check_limits() -> None:
    """Raise a ValueError if a variable that sets a limit is no whole number above 0.

    It is asked where a command starts or a file is read, not when a module is imported, where nobody could answer.
    """
    for name, text in sorted(os.environ.items()):
        if name.startswith(_LIMIT) and not _is_limit(text):
            raise ValueError(f"{name} must be a whole number above 0; got {text[:40]!r}")


_GROUP = Path("/sys/fs/cgroup")  # of this process's container


def free_bytes() -> int | None:
    """Return the bytes free on the machine and within the container's limit; None where the system does not say."""
    found = []
    with suppress(OSError, ValueError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # "max" is no number: no limit
        most, held = (int((_GROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        lines = (_GROUP / "memory.stat").read_text().splitlines()
        files = sum(int(line.split()[1]) for line in lines if line.split()[0] == "inactive_file")  # can be dropped
        found.append(max(0, most - held + files))
    return min(found, default=None)
