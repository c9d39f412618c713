"""Cut points of a numeric column, and the ordered states between them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.environment import pd
from bnengine.data.checked_frame import DataError
from bnengine.data.columns import numbers_of, numeric_columns

#: Methods that treat each column separately.
COLUMN_METHODS = ("quantile", "width", "kmeans")
#: Of Lloyd's algorithm, which in practice needs a few dozen.
_MOST_STEPS = 300


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
