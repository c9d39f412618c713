"""CSV that is safe to open in a spreadsheet: no column name or state is executed as a formula."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from bnengine._core.environment import pd

#: Characters that start a formula in common spreadsheet programs, also in their wide forms.
_STARTS = frozenset("=+-@＝＋－＠")
#: Characters that end a cell where a semicolon or a tab separates cells; quotes do not help within such a line.
_SEPARATORS = re.compile("([;\t\r\n])")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,5})?")


def csv_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV, without its index and with all digits of its numbers.

    A string that a spreadsheet would take for a formula gets an apostrophe, see ``without_formula``.

    Examples
    --------
    >>> import pandas as pd
    >>> print(csv_text(pd.DataFrame({"=cmd()": ["-1.5", "+ growth", "+"], "n": [-1, 2, 3]})), end="")
    '=cmd(),n
    -1.5,-1
    '+ growth,2
    +,3
    """
    safe = frame.copy(deep=False)
    for c, kind in enumerate(frame.dtypes):
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind)):
            safe.isetitem(c, frame.iloc[:, c].astype(object).map(_cell, na_action="ignore"))
    safe.columns = [_cell(name) for name in frame.columns]
    return str(safe.to_csv(index=False, lineterminator="\n"))


def without_formula(text: str) -> str:
    """Return the text with an apostrophe wherever a spreadsheet would find the beginning of a formula.

    That is at its start and after a semicolon, tab or line break, at which programs of other countries split cells;
    blanks, quotes and invisible characters before the formula do not hide it. Strings that are numbers, and single
    characters such as ``+``, are unchanged.

    >>> without_formula("=1+1"), without_formula("x;=1+1"), without_formula("-1.5")
    ("'=1+1", "x;'=1+1", '-1.5')
    """
    ends = text.lstrip("'")[:1] in ("\t", "\r", "\n")
    if not ends and _STARTS.isdisjoint(text):
        return text
    parts = _SEPARATORS.split(text)
    return ("'" if ends else "") + "".join(f"'{part}" if _is_formula(part, len(parts) > 1) else part for part in parts)


def _is_formula(part: str, among_others: bool) -> bool:
    """Return whether a spreadsheet may run a part of a cell, also after quotes, blanks and invisible characters."""
    hidden = (a in "'\"" or a.isspace() or unicodedata.category(a) in ("Cc", "Cf") for a in part)
    start = next((k for k, is_hidden in enumerate(hidden) if not is_hidden), len(part))
    alone = len(part) - start == 1 and not among_others
    return part[start : start + 1] in _STARTS and not alone and not _PLAIN_NUMBER.fullmatch(part, start)


def _cell(cell: Any) -> Any:
    """Return the cell with formulas disarmed; carriage returns, which would start a new row, become line feeds."""
    return without_formula(cell.replace("\r\n", "\n").replace("\r", "\n")) if isinstance(cell, str) else cell
