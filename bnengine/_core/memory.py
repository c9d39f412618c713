"""How much memory this process may still use."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

#: A container's limit, its use, and where it says how much of that are files that can be dropped, by the second and the
#: first version of control groups.
_GROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def free_bytes() -> int | None:
    """Return the bytes that are free on the machine and within the container's limit.

    None where the system does not say.
    """
    found = [*_free_on_machine(), *_free_in_container()]
    return min(found) if found else None


def used_bytes() -> int:
    """Return the bytes of memory that this process holds; 0 where the system does not say."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


def _free_on_machine() -> list[int]:
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return [int(line.split()[1]) * 1024]
    return []


def _free_in_container() -> list[int]:
    found = []
    for folder, limit, use, droppable in _GROUPS:
        with suppress(OSError, ValueError):  # "max" is no number: no limit
            most, held = (int((Path(folder) / name).read_text()) for name in (limit, use))
            lines = (Path(folder) / "memory.stat").read_text().splitlines()
            files = sum(int(line.split()[1]) for line in lines if line.split()[0] == droppable)
            found.append(max(0, most - held + files))
    return found
