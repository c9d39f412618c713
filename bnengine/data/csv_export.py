"""CSV export that is safe to open in a spreadsheet: no column name or state is executed as a formula."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

#: Characters that start a formula in common spreadsheet programs.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,5})?")


def csv_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV, without its index and with all digits of its numbers.

    A string that a spreadsheet would take for a formula gets a leading apostrophe, which spreadsheets hide; strings
    that are numbers, and single characters such as ``+``, are unchanged.

    Examples
    --------
    >>> import pandas as pd
    >>> print(csv_text(pd.DataFrame({"=cmd()": ["-1.5", "+ growth", "+"], "n": [-1, 2, 3]})), end="")
    '=cmd(),n
    -1.5,-1
    '+ growth,2
    +,3
    """
    import pandas as pd

    safe = frame.copy(deep=False)
    for c, kind in enumerate(frame.dtypes):
        if isinstance(kind, pd.CategoricalDtype) or not (
            pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind)
        ):
            safe.isetitem(c, frame.iloc[:, c].astype(object).map(_without_formula, na_action="ignore"))
    safe.columns = [_without_formula(name) for name in frame.columns]
    return str(safe.to_csv(index=False, lineterminator="\n"))


def _without_formula(cell: Any) -> Any:
    """Return the cell with formulas disarmed; carriage returns, which would start a new row, become line feeds."""
    if not isinstance(cell, str):
        return cell
    dangerous = len(cell) > 1 and cell.startswith(_STARTS) and not _NUMBER.fullmatch(cell)
    return ("'" if dangerous else "") + cell.replace("\r\n", "\n").replace("\r", "\n")
