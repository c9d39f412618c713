"""Columns that repeat another one, and columns that are constant in all but a few rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine.data.cuts import measured_columns, numbers_of
from bnengine.data.dataset import MAX_STATES

if TYPE_CHECKING:
    import pandas as pd

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
    import pandas as pd

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
