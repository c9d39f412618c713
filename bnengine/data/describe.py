"""A summary of a raw table, column by column."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.lazy import pd
from bnengine._core.validation import validated
from bnengine.data.checked_frame import checked_frame, state_label
from bnengine.data.cuts import measured_columns, numbers_of, numeric_columns
from bnengine.data.dataset import MAX_STATES
from bnengine.data.reading_options import columns_described

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


# Columns that repeat another one, and columns that are constant in all but a few rows.

#: Rows that may differ from a constant, of how many at least.
_FEW, _MANY = 2, 50
#: Of the rows that do not hold the most common value, the share that may differ between columns that are nearly alike.
_APART, _LEAST = 0.02, 20
#: Squared correlation of measurements that are nearly alike, and how many neighbours each column is compared with.
_ALIKE, _NEIGHBOURS = 0.9999, 3


def nearly_constant(column: pd.Series[Any]) -> bool:
    """Whether all rows but one or two hold one value."""
    counts = column.value_counts()
    n = int(counts.sum())
    return n >= _MANY and len(counts) <= MAX_STATES and n - int(counts.iloc[0]) <= _FEW


def similar_columns(frame: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Return the columns that repeat another, with that other and in which way.

    Columns of states are alike if renaming the states makes them equal, nearly so if that fails in few of the rows that
    do not hold the most common state; measurements if one is a line in the other. Each column is compared with a few
    whose counts, or shapes, are nearest, so that the time is linear in the number of columns.
    """
    measured = set(measured_columns(frame))
    shapes: list[tuple[tuple[float, ...], str, Any]] = []
    states: list[tuple[tuple[float, ...], str, Any]] = []
    for name in sorted(map(str, frame.columns)):
        if name in measured:
            numbers = _standardized(numbers_of(frame[name]))
            shapes.append(((float(np.nanmean(numbers**3)) ** 2,), name, numbers))
        else:
            codes, n = _by_count(frame[name])
            if 2 <= len(n) <= MAX_STATES and n.sum() - n[0] >= _LEAST:
                states.append((tuple((-n).tolist()), name, codes))
    found: dict[str, tuple[str, str]] = {}
    for group, likeness in ((shapes, _in_a_line), (states, _renamed)):
        group.sort(key=lambda one: one[:2])
        for k, (_, name, values) in enumerate(group):
            for _, other, others in group[k + 1 : k + 1 + _NEIGHBOURS]:
                same = likeness(values, others) if name not in found and other not in found else ""
                if same:
                    out, kept = sorted((other, name), key=lambda one: _worth(frame[one]))  # of equals the later name
                    found[out] = (kept, same)
    return found


def _worth(column: pd.Series[Any]) -> tuple[int, bool, float, int]:
    """Rank columns that are alike: fewer missing cells are worth more, words more than codes, a short name more."""
    words = column.dtype.kind not in "iufb"
    letters = float(column.dropna().astype(str).str.len().mean()) if words else 0.0
    return -int(column.isna().sum()), words, letters, -len(str(column.name))


def _standardized(numbers: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((numbers - np.nanmean(numbers)) / np.nanstd(numbers), dtype=np.float64)


def _by_count(column: pd.Series[Any]) -> tuple[IntArray, IntArray]:
    """Return codes of a column's values, the most common 0, missing last, and the counts."""
    codes, values = pd.factorize(column.astype(object))
    codes = np.where(codes < 0, len(values), codes)
    counts = np.bincount(codes)
    order = np.argsort(-counts, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places[codes], counts[order]


def _in_a_line(one: FloatArray, other: FloatArray) -> str:
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < _LEAST or (np.isfinite(one) ^ np.isfinite(other)).mean() > _APART:
        return ""
    if np.array_equal(one[both], other[both]):
        return "the same as"
    return "nearly the same as" if float(np.mean(one[both] * other[both])) ** 2 > _ALIKE else ""


def _renamed(one: IntArray, other: IntArray) -> str:
    """Say how two columns of codes are alike: each code goes with one of the other, in all or nearly all rows."""
    width = int(other.max()) + 1
    table = np.bincount(one * width + other, minlength=(int(one.max()) + 1) * width).reshape(-1, width)
    if table.shape[0] != table.shape[1]:
        return ""
    best = table.argmax(axis=1)
    differ = len(one) - int(table.max(axis=1).sum())
    if len(set(best.tolist())) < len(best):
        return ""
    fewest = len(one) - int(max(table.sum(axis=0).max(), table.sum(axis=1).max()))
    return "the same as" if not differ else "nearly the same as" if differ <= _APART * fewest else ""
