"""How far the reading of a table is, told to the process that waits for it."""

from __future__ import annotations

from bnengine._core import isolated_lane


def rows_read(done: int, total: int) -> None:
    """Report the rows, or bytes, that were read, as the first part of the work on a table."""
    isolated_lane.tell(*_share(done, total, 0, 60))


def columns_typed(done: int, total: int) -> None:
    """Report the columns whose type is known, as the second part."""
    isolated_lane.tell(*_share(done, total, 60, 85))


def columns_described(done: int, total: int) -> None:
    """Report the columns that are described, as the last part."""
    isolated_lane.tell(*_share(done, total, 85, 100))


def _share(done: int, total: int, begin: int, end: int) -> tuple[int, int]:
    return round(10 * (begin + (end - begin) * min(done / max(total, 1), 1))), 1000
