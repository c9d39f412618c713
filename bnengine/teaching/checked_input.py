"""Checks of what the lessons are given: counts, numbers of rows, measurements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import UnfitError, number, shown, some_of


def checked_counts(counts: npt.ArrayLike) -> FloatArray:
    """Return counts or probabilities as a vector of floats; ValueError if they are negative, all 0 or not finite."""
    values = np.asarray(counts, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all() or (values < 0).any() or not values.sum():
        raise ValueError("counts must be a list of numbers, none negative and not all 0, one for each state")
    return values


def whole_rows(counts: FloatArray) -> IntArray:
    """Return the counts as integers; ValueError if they are not: only whole rows can be resampled."""
    if (counts != np.round(counts)).any():
        part = float(counts[counts != np.round(counts)][0])
        raise ValueError(f"counts must be whole numbers of rows, since probabilities have no resamples; got {part:g}")
    return counts.astype(np.int64)


def checked_measurements(values: npt.ArrayLike) -> FloatArray:
    """Return measurements as a vector of floats; ValueError unless there are at least two, all finite."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size < 2 or not np.isfinite(x).all():
        raise ValueError("values must be a list of at least two finite numbers")
    return x


def statistic_value(value: Any) -> float:
    """Return what a caller's statistic gave as a float; ValueError if it is no finite number."""
    try:
        return number(value[()] if isinstance(value, np.ndarray) and not value.ndim else value)
    except UnfitError:
        raise ValueError(f"statistic must return a finite number for every resample; got {shown(value)}") from None


def check_columns(table: pd.DataFrame, names: Iterable[str], maker: str) -> None:
    """Raise a ValueError that names a column which the table lacks, or if it has no rows."""
    if not len(table):
        raise ValueError(f"table must have rows, as {maker} gives")
    for name in names:
        if name not in table.columns:
            raise ValueError(
                f"table must have a column '{name}', as {maker} gives; it has {some_of([str(name) for name in table])}"
            )
