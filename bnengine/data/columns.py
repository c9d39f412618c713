"""Single columns: which hold numbers, and a summary of each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.data.checked_frame import MAX_STATES, checked_frame
from bnengine.data.reading_options import COLUMNS_DESCRIBED, report_part
from bnengine.data.words import alternatives

#: A numeric column with more distinct values than this is a measurement; otherwise its values are states.
MOST_STATE_VALUES = 12


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the numeric columns."""
    is_number, is_bool = pd.api.types.is_numeric_dtype, pd.api.types.is_bool_dtype
    return [str(name) for name, kind in frame.dtypes.items() if is_number(kind) and not is_bool(kind)]


def measured_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the numeric columns with more than ``MOST_STATE_VALUES`` distinct values."""
    return [name for name in numeric_columns(frame) if frame[name].nunique() > MOST_STATE_VALUES]


def infinite_cells(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, int]:
    """Return how many cells are infinite in those of these columns of numbers that have any."""
    counts = ((name, int(np.isinf(numbers_of(frame[name])).sum())) for name in names)
    return {name: n for name, n in counts if n}


def without_infinite(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the frame with the infinite cells of these columns of numbers as missing ones."""
    return frame.assign(**{one: frame[one].replace([np.inf, -np.inf], np.nan) for one in infinite_cells(frame, names)})


def measurements(frame: pd.DataFrame) -> list[str]:
    """Return the measured columns except those whose numbers are codes, such as identifiers."""
    return [name for name in measured_columns(frame) if not (frame[name].is_unique and _is_code(frame[name]))]


def most_varied(frame: pd.DataFrame, n: int) -> list[str]:
    """Return n columns, in their order: those of words, then the measured ones with the largest standard deviation.

    More columns of words than n are chosen by the entropy of their states. Neither looks at a pair of columns, so that
    no edge among those that are kept is more likely for it (Bourgon, Gentleman & Huber 2010).
    """
    measured = measured_columns(frame)
    words = [str(name) for name in frame.columns if name not in {*measured}]
    if len(words) >= n:
        shares = {name: frame[name].value_counts(normalize=True).to_numpy() for name in words}
        spread = {name: float(-(share * np.log(share)).sum()) for name, share in shares.items()}
    else:
        spread = dict.fromkeys(words, math.inf) | {name: float(np.nanstd(numbers_of(frame[name]))) for name in measured}
    kept = {*sorted(spread, key=spread.__getitem__, reverse=True)[:n]}
    return [str(name) for name in frame.columns if name in kept]


def numbers_of(column: pd.Series[Any]) -> FloatArray:
    """Return a column's values, NaN for missing cells."""
    return np.asarray(column.astype("float64"), dtype=np.float64)


# A summary of a raw table, column by column.

#: In a table of no more rows, distinct values are no sign of an identifier.
_FEW_ROWS = 12
#: Strings in fewer rows each are a text rather than states, unless they are few.
_FEW_EACH, _FEW_VALUES = 5, 20
#: Part of a column's name that says that its numbers are codes.
_CODE = re.compile(
    rf"(?i:(?:^|[^a-z])(?:{alternatives('column.codes')})(?:[^a-z]|$)|{alternatives('column.parts_of_codes')})"
    r"|(?:I[Dd]|Nr)$"
)
#: Notes on columns that nothing can be learned from, and why not.
UNUSABLE = {
    "empty": "has no value in any cell",
    "constant": "has a single value, so it can have no edges",
    "identifier?": "has a different value in every filled cell, like an identifier",
    "nearly unique": "has a different value in almost every filled cell, like a text or an identifier",
    "text?": "has few rows for each of its many values, like a text",
    "too many states": "has more distinct values than can be learned from",
}


@validated
def describe(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarize each column: kind, distinct values, missing cells, and a note.

    Parameters
    ----------
    frame : DataFrame
        A raw table.

    Returns
    -------
    DataFrame
        One line per column: variable, kind ("number" or "word"), distinct, missing, note. Notes: "empty" (no value),
        "constant" (a single value, so no edge can involve it), "identifier?" (a different string in every row, or whole
        numbers that count the rows or are named like a code), "nearly unique" (a different string in nine rows of ten),
        "text?" (more than 20 strings, in fewer than five rows each on average), "too many states" (more strings than a
        Dataset accepts), "measured" (as many numbers), "unused states" (categories that no row has; they stay states).

    Raises
    ------
    DataError
        If a column name occurs twice, or a cell holds a list or something else that is no value.

    Examples
    --------
    >>> describe(pd.DataFrame({"sex": ["f", "m", "f"], "ward": "A"}))[["variable", "distinct", "note"]].values.tolist()
    [['sex', 2, ''], ['ward', 1, 'constant']]
    """
    frame = checked_frame(frame)
    numeric = set(numeric_columns(frame))
    lines = []
    for c, name in enumerate(frame.columns):
        report_part(COLUMNS_DESCRIBED, c, frame.shape[1])
        column, is_number = frame[name], str(name) in numeric
        present, distinct = int(column.count()), int(column.nunique())
        kind, note = "number" if is_number else "word", _note(column, is_number, distinct, present)
        lines.append((str(name), kind, distinct, len(column) - present, note))
    return pd.DataFrame(lines, columns=["variable", "kind", "distinct", "missing", "note"])


def _note(column: pd.Series[Any], number: bool, distinct: int, present: int) -> str:
    if distinct <= 1:
        return "constant" if distinct else "empty"
    if present > _FEW_ROWS:
        if distinct == present and (_is_code(column) if number else True):
            return "identifier?"
        if distinct > 0.9 * present and not number:
            return "nearly unique"
    if not number and _FEW_VALUES < distinct <= MAX_STATES and present < _FEW_EACH * distinct:
        return "text?"
    if distinct > MAX_STATES:
        return "measured" if number else "too many states"
    return "unused states" if len(getattr(column.dtype, "categories", ())) > distinct else ""


def _is_code(column: pd.Series[Any]) -> bool:
    """Return whether distinct numbers count the rows (from 1, or 1001), or are whole under a name like a code's."""
    numbers = column.dropna()
    whole = bool((numbers % 1 == 0).all())
    counting = whole and numbers.min() % 100 in (0, 1) and numbers.max() - numbers.min() == len(numbers) - 1
    return counting or (whole and _CODE.search(str(column.name)) is not None)
