"""Tables whose lines are the variables, as those of gene expression often are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bnengine.data import limits
from bnengine.data.column_encoding import check_table_size

if TYPE_CHECKING:
    import pandas as pd

#: Name of the column that holds the former column names, where the corner of the table is empty.
OBSERVATION = "observation"
_MANY = 10  # rows, and columns of numbers, of a table that may have its variables in rows


def turned(header: Sequence[str], rows: Iterable[Sequence[str]], called: str) -> tuple[list[str], list[list[str]]]:
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
