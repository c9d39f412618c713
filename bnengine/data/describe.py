"""A summary of a raw table, column by column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine._core.validation import validated
from bnengine.data.checked_frame import checked_frame, state_label
from bnengine.data.cuts import numeric_columns
from bnengine.data.dataset import MAX_STATES
from bnengine.data.reading_options import columns_described

if TYPE_CHECKING:
    import pandas as pd

#: In a table of no more rows, distinct values are no sign of an identifier.
_FEW_ROWS = 12
#: Strings in fewer rows each are a text rather than states, unless they are few.
FEW_EACH, _FEW_VALUES = 5, 20
#: Part of a column's name that says that its numbers are codes.
_CODE = re.compile(
    r"(?i:(?:^|[^a-z])(?:id|nr|no|num|number|index|idx|key|code|uid|uuid|row|record|case|folio|matricule|clave)(?:[^a-z]|$)"
    r"|nummer|kennung|n[uú]mero|c[oó]digo|identifi)|(?:I[Dd]|Nr)$"
)
#: Notes on columns that nothing can be learned from; the value says why, after the column's name.
UNUSABLE = {
    "constant": "has a single value, so it can have no edges",
    "identifier?": "has another value in every row, like an identifier",
    "nearly unique": "has another value in almost every row, like a text or an identifier",
    "text?": "has few rows for each of its many values, like a text",
    "too many states": "has more distinct values than can be learned from",
}


@validated
def describe(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarize each column: kind, distinct values, most common value and its share, missing cells, and a note.

    Returns
    -------
    DataFrame
        One line per column: variable, kind ("number" or "word"), distinct, most_common, share (of the cells that are
        not missing), missing, note. Notes: "constant" (a single value, so no edge can involve it), "identifier?" (a
        different string in every row, or whole numbers that count the rows or are named like a code), "nearly unique"
        (a different string in nine rows of ten), "text?" (more than 20 strings, in fewer than five rows each on
        average), "too many states" (more strings than a Dataset accepts), "measured" (as many numbers: discretize it).
    """
    import pandas as pd

    frame = checked_frame(frame)
    numeric = set(numeric_columns(frame))
    lines = []
    for c, name in enumerate(frame.columns):
        columns_described(c, frame.shape[1])
        column = frame[name]
        values, counts = _tally(column)
        present, distinct = int(counts.sum()), int((counts > 0).sum())
        first = int(counts.argmax()) if distinct else -1
        lines.append(
            (
                str(name),
                "number" if str(name) in numeric else "word",
                distinct,
                state_label(values[first]) if distinct else "",
                float(counts[first]) / present if distinct else 0.0,
                len(column) - present,
                _note(column, str(name) in numeric, distinct, present),
            )
        )
    return pd.DataFrame(lines, columns=["variable", "kind", "distinct", "most_common", "share", "missing", "note"])


def _tally(column: pd.Series[Any]) -> tuple[Any, IntArray]:
    """Return the distinct values, the first seen first, or the categories, and the number of rows of each."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = column.cat.codes.to_numpy(), column.cat.categories
    else:
        codes, values = pd.factorize(column)
    return values, np.bincount(codes[codes >= 0], minlength=len(values))


def _note(column: pd.Series[Any], number: bool, distinct: int, present: int) -> str:
    if distinct <= 1:
        return "constant"
    if present > _FEW_ROWS:
        if distinct == present and (_is_code(column) if number else True):
            return "identifier?"
        if distinct > 0.9 * present and not number:
            return "nearly unique"
    if not number and _FEW_VALUES < distinct <= MAX_STATES and present < FEW_EACH * distinct:
        return "text?"
    if distinct > MAX_STATES:
        return "measured" if number else "too many states"
    return ""


def _is_code(column: pd.Series[Any]) -> bool:
    """Return whether distinct numbers count the rows (from 1, or 1001), or are whole under a name like a code's."""
    numbers = column.dropna()
    whole = bool((numbers % 1 == 0).all())
    counting = whole and numbers.min() % 100 in (0, 1) and numbers.max() - numbers.min() == len(numbers) - 1
    return counting or (whole and _CODE.search(str(column.name)) is not None)
