"""Numbers: columns of measurements that are kept as they are, without states."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray, UInt16Array
from bnengine._core.environment import pd
from bnengine.data.checked_frame import LARGEST_ARITY, MISSING, DataError, Values, state_label


def number_column(name: str, column: pd.Series[Any], missing: bool = False) -> tuple[Values, UInt16Array]:
    """Return the values and codes of a column that is kept as numbers.

    Of more than 65,535 different values, neighbours are joined into as many groups of about as many rows, whose medians
    stand for them. A DataError for cells that are no finite numbers, and for missing ones unless they are allowed.
    """
    cells = pd.to_numeric(column.astype(object) if column.dtype == "category" else column, errors="coerce")
    numbers, absent = cells.to_numpy(dtype=np.float64, na_value=np.nan), column.isna().to_numpy()
    odd = np.flatnonzero(~np.isfinite(numbers) & ~(absent & (missing and not absent.all())))
    if odd.size:
        held = "nothing" if absent[odd[0]] else f"'{str(column.iloc[odd[0]])[:80]}'"
        raise DataError(
            f"column '{name}' is kept as a number, but row {odd[0] + 1:,} holds {held}; correct it, leave the column "
            "out of numbers, have empty cells drawn (missing='keep'), or take bn.prepare(frame).data, which draws such "
            "cells, leaves out their rows (missing='drop_rows') or cuts the column into states "
            "(discretization='quantile')"
        )
    values, codes = np.unique(numbers[~absent], return_inverse=True)
    if len(values) > LARGEST_ARITY:
        values, codes = _joined(values, codes)
    placed = np.full(len(numbers), MISSING, dtype=np.uint16)
    placed[~absent] = codes
    return Values(map(state_label, values.tolist())), placed


def cut_column(values: Values, codes: UInt16Array, times: IntArray, bins: int) -> tuple[tuple[str, ...], UInt16Array]:
    """Return states of about as many rows each in the place of a number's values, and the codes; few values stay."""
    seen = codes != MISSING
    rows = np.bincount(codes[seen], times[seen], len(values))
    first, last, group = _ends((rows.cumsum() - rows / 2) / rows.sum() * bins // 1)
    states = tuple(values[i] if i == j else f"{values[i]} to {values[j]}" for i, j in zip(first, last, strict=True))
    return states, np.where(seen, group[np.where(seen, codes, 0)], MISSING).astype(np.uint16)


def _joined(values: FloatArray, codes: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the medians of groups of neighbouring values, and the group of each cell."""
    first, last, group = _ends((np.bincount(codes).cumsum() - 1) * LARGEST_ARITY // len(codes))
    return values[(first + last) // 2], group[codes]


def _ends(groups: npt.NDArray[Any]) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first and the last place of each group, and each place's group; ``groups`` must not decrease."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return first, np.append(first[1:], len(groups)) - 1, group
