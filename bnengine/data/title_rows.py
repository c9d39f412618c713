"""Titles and notes above a table, as in a sheet that was laid out for readers."""

from __future__ import annotations

from collections.abc import Sequence

from bnengine._core.number_text import counted

#: The line of column names is looked for among this many.
FARTHEST = 20
_LONGEST = 40


def rows_above(rows: Sequence[Sequence[object]]) -> int:
    """Return how many rows stand above the column names; 0 if that cannot be told.

    A first row that names all columns but perhaps the first (of row names) is the line of column names. Otherwise that
    line is the first in which no cell is empty, provided that each row above it fills at most half of the columns.
    """
    if not rows or all(map(_filled, rows[0][1:])):
        return 0
    width = len(rows[0])
    for r, row in enumerate(rows[:FARTHEST]):
        n_filled = sum(map(_filled, row))
        if n_filled == len(row) == width:
            return r
        if 2 * n_filled > width:
            return 0
    return 0


def remark_on_rows_above(rows: Sequence[Sequence[object]]) -> str:
    """Say that rows were skipped, and how the first of them begins."""
    first = next((cell.strip() for row in rows for cell in row if isinstance(cell, str) and cell.strip()), "")
    quoted = f" ('{first if len(first) <= _LONGEST else first[: _LONGEST - 1] + '…'}')" if first else ""
    return f"skipped {counted(len(rows), 'line')} above the column names{quoted}"


def _filled(cell: object) -> bool:
    return bool(cell.strip()) if isinstance(cell, str) else True
