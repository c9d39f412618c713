"""Validation of row weights: how often each distinct row of a table occurs in a resample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import Int32Array

#: Largest number of rows of a sample: counts are 32-bit integers.
MOST_ROWS = 2**31 - 1


def checked_weights(weights: npt.ArrayLike, n_distinct: int) -> tuple[Int32Array, int]:
    """Return the weights as int32, shape (D,), and their sum, the number of rows.

    Compiled code relies on this check: invalid weights would make it access memory outside its buffers.

    Raises
    ------
    ValueError
        Unless there is one weight for each distinct row, a whole number of 0 or more, and their sum is 1 …
        2,147,483,647.
    """
    given = np.asarray(weights)
    if given.shape != (n_distinct,):
        raise ValueError(
            f"weights must have one entry for each of the {n_distinct:,} distinct rows (Dataset.multiplicities); "
            f"got shape {given.shape}"
        )
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"weights must be whole numbers, the count of each distinct row; got an array of {given.dtype} (count "
            "rows, for example with numpy.bincount)"
        )
    if given.min() < 0:
        raise ValueError(f"weights must be 0 or more; got {int(given.min())} for distinct row {int(given.argmin())}")
    n_rows = float(given.sum(dtype=np.float64))  # an integer sum could overflow
    if not 1 <= n_rows <= MOST_ROWS:
        raise ValueError(f"weights must add up to 1 to {MOST_ROWS:,} rows; got {n_rows:,.0f}")
    return np.ascontiguousarray(given, dtype=np.int32), int(n_rows)
