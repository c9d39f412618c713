"""A table as CSV that a spreadsheet may open: what somebody called a column or a state is never run as a formula."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

#: What begins a formula in one of the spreadsheets in use.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,5})?")


def csv_text(frame: pd.DataFrame) -> str:
    """A table as CSV without its index, numbers with all their digits.

    A word that a spreadsheet would take for a formula gets an apostrophe before it, which spreadsheets do not show;
    words that are numbers, and single letters such as ``+``, stay as they are.

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
    """The cell; a line that ends as on old Macs, which would not be quoted and so begin a row, ends as elsewhere."""
    if not isinstance(cell, str):
        return cell
    dangerous = len(cell) > 1 and cell.startswith(_STARTS) and not _NUMBER.fullmatch(cell)
    return ("'" if dangerous else "") + cell.replace("\r\n", "\n").replace("\r", "\n")
