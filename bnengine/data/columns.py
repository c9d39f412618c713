"""Single columns: a summary of each, cut points of the numeric ones, and the ordered states between them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.data.checked_frame import MAX_STATES, DataError, checked_frame
from bnengine.data.reading_options import COLUMNS_DESCRIBED, report_part
from bnengine.data.words import alternatives

#: A numeric column with more distinct values than this is a measurement; otherwise its values are states.
MOST_STATE_VALUES = 12
#: Methods that treat each column separately.
COLUMN_METHODS = ("quantile", "width", "kmeans")
#: Of Lloyd's algorithm, which in practice needs a few dozen.
_MOST_STEPS = 300


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the numeric columns."""
    is_number, is_bool = pd.api.types.is_numeric_dtype, pd.api.types.is_bool_dtype
    return [str(name) for name, kind in frame.dtypes.items() if is_number(kind) and not is_bool(kind)]


def measured_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the numeric columns with more than ``MOST_STATE_VALUES`` distinct values."""
    return [name for name in numeric_columns(frame) if frame[name].nunique() > MOST_STATE_VALUES]


def measurements(frame: pd.DataFrame) -> list[str]:
    """Return the measured columns but those whose numbers are codes, such as identifiers."""
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


def distinct_numbers(column: pd.Series[Any]) -> FloatArray:
    """Return a column's distinct values, increasing, without missing ones."""
    numbers = np.unique(numbers_of(column))
    return numbers[np.isfinite(numbers)]


def cut_points(values: Any, method: str, bins: int) -> list[float]:
    """Return the cut points between the bins of some numbers, increasing; fewer than ``bins - 1`` if values tie.

    ``quantile`` aims at equally many rows per bin, ``width`` divides the range into intervals of equal width, and
    ``kmeans`` cuts half way between the means of the bins, so that values are near the mean of their bin. No point is
    one of the values: quantiles are moved to a round number between the two values around them, and the ends of
    intervals rounded, which changes no row's bin.
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return []
    distinct = np.unique(numbers)
    if method == "kmeans":
        return legible(_between_means(np.sort(numbers), distinct, bins), distinct)
    if method == "width":
        points = np.linspace(distinct[0], distinct[-1], bins + 1)[1:-1]
        kept = [float(point) for point in np.unique(points) if distinct[0] <= point < distinct[-1]]
        return legible(kept, distinct)
    points = np.quantile(numbers, np.arange(1, bins) / bins)
    below = np.unique(np.searchsorted(distinct, points, side="right"))  # how many values are below each point
    gaps = [(float(distinct[k - 1]), float(distinct[k])) for k in below if k < distinct.size]
    return [_rounded(low / 2 + high / 2, low, high, 1) for low, high in gaps]


def _between_means(numbers: FloatArray, distinct: FloatArray, bins: int) -> list[float]:
    """Return the midpoints between the means of bins, by Lloyd's algorithm; sums over sorted numbers make it fast."""
    if distinct.size <= bins:
        return [float(low / 2 + high / 2) for low, high in itertools.pairwise(distinct)]
    scale = max(abs(distinct[0]), abs(distinct[-1])) or 1.0
    sums = np.concatenate([[0.0], np.cumsum(numbers / scale)])
    ends = np.unique(np.searchsorted(numbers, np.quantile(numbers, np.arange(1, bins) / bins), side="right"))
    for _ in range(_MOST_STEPS):
        edges = np.unique(np.concatenate([[0], ends, [numbers.size]]))
        means = np.diff(sums[edges]) / np.diff(edges) * scale
        middle = means[:-1] / 2 + means[1:] / 2
        new = np.searchsorted(numbers, middle, side="right")
        if np.array_equal(new, ends):
            break
        ends = new
    return [float(point) for point in middle if distinct[0] <= point < distinct[-1]]


def legible(points: Iterable[float], values: FloatArray) -> list[float]:
    """Return the points with as few digits, from 3 on, as leave each value in its bin; none is a value itself.

    ``values`` are distinct and increasing.

    Examples
    --------
    >>> legible([30_817.33, 3.0], np.array([1.0, 3.0, 5.0, 30_700.0, 30_900.0]))
    [30800.0, 4.0]
    """
    found = []
    for point in points:
        k = int(np.searchsorted(values, point, side="right"))
        low, high = (values[k - 1] if k else -np.inf), (values[k] if k < values.size else np.inf)
        inside = point if point > low else low / 2 + high / 2
        found.append(_rounded(inside, low, high, 3) if np.isfinite(inside) else float(point))
    return found


def _rounded(point: float, low: float, high: float, digits: int) -> float:
    """Return the point with as few digits, from ``digits`` on, as keep it strictly between two numbers."""
    for places in range(digits - 1, 17):
        rounded = float(f"{point:.{places}e}")
        if low < rounded < high:
            return rounded
    return float(low)  # neighbouring floats have nothing between them; a cut point belongs to the state below it


def cut_at(frame: pd.DataFrame, points: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """Return a frame with the named columns cut into ordered Categoricals; missing cells stay missing."""
    result = frame.copy()
    for name, inner in points.items():
        numbers = numbers_of(frame[name])
        # a cut point belongs to the state below it
        states = np.where(np.isfinite(numbers), np.searchsorted(inner, numbers, side="left"), -1)
        result[name] = pd.Categorical.from_codes(states, categories=range_labels(inner), ordered=True)
    return result


def range_labels(points: Sequence[float]) -> list[str]:
    """Return labels for the intervals between the points, which are written without an exponent where that is short."""
    if not points:
        return ["any"]
    text = [f"{point:.15g}" for point in points]
    if len(set(text)) < len(text):
        text = [repr(float(point)) for point in points]
    middle = [f"{low}–{high}" for low, high in itertools.pairwise(text)]
    return [f"≤{text[0]}", *middle, f">{text[-1]}"]  # without spaces, for BIF and other formats


def checked_points(name: str, points: Iterable[Any]) -> tuple[float, ...]:
    """Return cut points given for a column; a ValueError unless they are finite, increasing numbers."""
    points = list(points)
    try:
        found = tuple(float(point) for point in points)
    except (TypeError, ValueError):
        found = ()
    if not found or not np.isfinite(found).all() or any(low >= high for low, high in itertools.pairwise(found)):
        given = ", ".join(f"{point:g}" if isinstance(point, float) else str(point) for point in points)
        raise ValueError(f"the cut points of '{name}' must be increasing numbers, such as 18, 65; got {given[:80]}")
    return found


def check_exist(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Raise a DataError unless these are columns of the frame."""
    for name in names:
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}' to discretize; check its spelling")


def check_numeric(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise a DataError unless these are numeric columns of the frame."""
    check_exist(frame, names)
    numeric = numeric_columns(frame)
    for name in names:
        if name not in numeric:
            first = next(iter(frame[name]), "")
            raise DataError(f"column '{name}' holds text (such as '{first}'), not numbers; it is discrete already")


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
