"""Cut points of a column of numbers, and columns cut at them into ordered states."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

#: A numeric column with more distinct values than this is a measurement; one with fewer holds states already.
MOST_STATE_VALUES = 12
#: Methods that look at one column at a time.
COLUMN_METHODS = ("quantile", "width")


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that hold numbers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return [str(c) for c in frame.columns if is_numeric_dtype(frame[c].dtype) and not is_bool_dtype(frame[c].dtype)]


def measured_columns(frame: pd.DataFrame) -> list[str]:
    """The numeric columns with more than ``MOST_STATE_VALUES`` distinct values."""
    return [name for name in numeric_columns(frame) if frame[name].nunique() > MOST_STATE_VALUES]


def numbers_of(column: pd.Series[Any]) -> npt.NDArray[np.float64]:
    """A column's values; NaN where a cell is missing."""
    return np.asarray(column.astype("float64"), dtype=np.float64)


def cut_points(values: Any, method: str, bins: int) -> list[float]:
    """The inner edges between the bins of some numbers, increasing; fewer than ``bins - 1`` where values tie.

    ``quantile`` aims at equally many rows a bin, ``width`` cuts the range into equal parts.
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if method not in COLUMN_METHODS:
        raise ValueError(f"method must be one of {', '.join(COLUMN_METHODS)}; got '{method}'")
    if bins < 2:
        raise ValueError(f"bins must be 2 or more; got {bins}")
    if not numbers.size:
        return []
    if method == "quantile":
        points = np.quantile(numbers, np.arange(1, bins) / bins)
    else:
        points = np.linspace(numbers.min(), numbers.max(), bins + 1)[1:-1]
    kept = np.unique(points)
    if method == "quantile":  # between tied values some cuts leave nothing between them: one of each such pair suffices
        filled = np.unique(np.searchsorted(kept, numbers, side="left"))
        kept = kept[filled[:-1]]
    return [float(point) for point in kept if numbers.min() <= point < numbers.max()]


def level_of(values: npt.NDArray[np.float64], points: Sequence[float]) -> npt.NDArray[np.int64]:
    """The number of the level that each value is in; -1 where it is missing. A cut belongs to the level below it."""
    levels = np.searchsorted(np.asarray(points, dtype=np.float64), values, side="left")
    return np.where(np.isfinite(values), levels, -1)


def cut_at(frame: pd.DataFrame, points: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """A frame with the named columns cut at the points into ordered Categoricals; missing cells stay missing."""
    import pandas as pd

    result = frame.copy()
    for name, inner in points.items():
        levels = level_of(numbers_of(frame[name]), inner)
        result[name] = pd.Categorical.from_codes(levels, categories=range_labels(inner), ordered=True)
    return result


def range_labels(points: Sequence[float]) -> list[str]:
    """Names of the ranges between the points, with as few digits as keep them apart."""
    if not points:
        return ["any"]
    for digits in range(3, 18):
        text = [f"{point:.{digits}g}" for point in points]
        if len(set(text)) == len(text):
            break
    middle = [f"{low}–{high}" for low, high in itertools.pairwise(text)]
    return [f"≤{text[0]}", *middle, f">{text[-1]}"]  # without spaces: BIF and other formats hold no others
