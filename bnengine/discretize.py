"""Cutting numeric columns into a few ordered states."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnengine.data import DataError, checked_columns

if TYPE_CHECKING:
    import pandas as pd

DISCRETIZATIONS = ("quantile", "width")


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that hold numbers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return [str(c) for c in frame.columns if is_numeric_dtype(frame[c].dtype) and not is_bool_dtype(frame[c].dtype)]


def cut_points(values: Any, method: str, bins: int) -> list[float]:
    """The inner edges between the bins of some numbers, increasing; fewer than ``bins - 1`` where values tie.

    ``quantile`` aims at equally many rows a bin, ``width`` cuts the range into equal parts.
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if method not in DISCRETIZATIONS:
        raise ValueError(f"method must be one of {', '.join(DISCRETIZATIONS)}; got '{method}'")
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


def discretize(
    frame: pd.DataFrame, method: str = "quantile", bins: int = 3, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """A frame whose numeric columns are cut into ordered states named by their ranges.

    Parameters
    ----------
    frame : DataFrame
    method : {"quantile", "width"}
        Equally many rows a bin, or equally wide bins.
    bins : int
        Number of bins; a column with many equal values may get fewer.
    columns : sequence of str, optional
        Which columns; None takes every numeric column with more than ``bins`` distinct values.

    Returns
    -------
    DataFrame
        Cut columns are ordered Categoricals; missing cells stay missing. The given frame is not modified.

    Examples
    --------
    >>> import pandas as pd
    >>> discretize(pd.DataFrame({"dose": [0.1, 0.2, 0.4, 0.8]}), bins=2)["dose"].tolist()
    ['≤0.3', '≤0.3', '>0.3', '>0.3']
    """
    import pandas as pd

    names = checked_columns([str(name) for name in frame.columns], "column names")
    frame = frame.set_axis(list(names), axis=1)
    numeric = numeric_columns(frame)
    columns = (
        [name for name in numeric if frame[name].nunique() > bins]
        if columns is None
        else checked_columns(columns, "columns", "name it once")
    )
    result = frame.copy()
    for name in columns:
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}' to discretise")
        if name not in numeric:
            raise DataError(
                f"column '{name}' holds words (such as '{frame[name].iloc[0]}'), not numbers; it is discrete already"
            )
        values = frame[name].astype("float64").to_numpy()
        points = cut_points(values, method, bins)
        codes = np.where(np.isfinite(values), np.searchsorted(points, values, side="left"), -1)
        result[name] = pd.Categorical.from_codes(codes, categories=_range_labels(points), ordered=True)
    return result


def _range_labels(points: list[float]) -> list[str]:
    """Names of the ranges between the points, with as few digits as keep them apart."""
    if not points:
        return ["any"]
    for digits in range(3, 18):
        text = [f"{point:.{digits}g}" for point in points]
        if len(set(text)) == len(text):
            break
    middle = [f"{low}–{high}" for low, high in itertools.pairwise(text)]
    return [f"≤{text[0]}", *middle, f">{text[-1]}"]  # without spaces: BIF and other formats hold no others
