"""The layout of a table: titles and notes above it, and tables whose lines are the variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bnengine._core.number_text import counted
from bnengine.data import limits
from bnengine.data.typed_columns import check_table_size

if TYPE_CHECKING:
    import pandas as pd


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


# Tables whose lines are the variables, as those of gene expression often are.

#: Name of the column that holds the former column names, where the corner of the table is empty.
OBSERVATION = "observation"
_MANY = 10  # rows, and columns of numbers, of a table that may have its variables in rows


def transposed(header: Sequence[str], rows: Iterable[Sequence[str]], called: str) -> tuple[list[str], list[list[str]]]:
    """Return names and rows of the table with rows and columns exchanged; the first cell of each row is its name.

    Raises
    ------
    DataError
        If the table is too large. All of its cells are held at once, so that the limit is that of a sheet.
    """
    lines: list[Sequence[str]] = []
    for row in rows:
        lines.append(row)
        check_table_size(len(header), len(lines) + 1, called, limits.LIMITS.sheet_cells)
    names = [header[0].strip() or OBSERVATION, *(row[0] for row in lines)]
    columns = [list(header[1:]), *(row[1:] for row in lines)]
    return names, [list(cells) for cells in zip(*columns, strict=True)]


def remark_on_variables_in_rows(frame: pd.DataFrame) -> str:
    """Say how lines were read if they may be the variables: measurements only, and a name for each line."""
    from pandas.api.types import is_float_dtype, is_numeric_dtype

    if len(frame) < _MANY or frame.shape[1] <= _MANY or not all(map(is_float_dtype, frame.dtypes.iloc[1:])):
        return ""
    names = frame.iloc[:, 0]
    if is_numeric_dtype(names.dtype) or names.nunique() < len(frame):
        return ""
    return (
        f"each line was read as one observation; if '{str(frame.columns[0])[:40]}' names the variables, read the file "
        "with variables in rows (transposed)"
    )
