"""Equal rows of a table, and how often each distinct row occurs in a resample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import Int32Array, IntArray, UInt16Array
from bnengine._jit.compiled import compiled
from bnengine._jit.hashing import mix


def distinct_rows(codes: UInt16Array) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first index of each distinct row, the distinct row of each row, multiplicities.

    In order of first appearance.
    """
    n_rows = len(codes)
    first, which, times = (np.zeros(n_rows, dtype=np.int64) for _ in range(3))
    slots = np.full(1 << (2 * n_rows).bit_length(), -1, dtype=np.int64)
    n = _number(np.ascontiguousarray(codes), first, which, times, slots)
    return first[:n].copy(), which, times[:n].copy()


@compiled
def _number(codes: UInt16Array, first: IntArray, which: IntArray, times: IntArray, slots: IntArray) -> int:
    """Fill the arrays; ``slots`` is the hash table, a power of two of at least twice as many places as rows."""
    n_rows, n_variables = codes.shape
    n_distinct = 0
    for i in range(n_rows):
        key = np.uint64(0)
        for v in range(n_variables):
            key = key * np.uint64(0x9E3779B97F4A7C15) + np.uint64(codes[i, v]) + np.uint64(1)
        slot = np.int64(mix(key) & np.uint64(slots.shape[0] - 1))
        while slots[slot] >= 0:
            other = first[slots[slot]]
            v = 0
            while v < n_variables and codes[other, v] == codes[i, v]:
                v += 1
            if v == n_variables:
                break
            slot = (slot + 1) & (slots.shape[0] - 1)
        if slots[slot] < 0:
            slots[slot] = n_distinct
            first[n_distinct] = i
            n_distinct += 1
        which[i] = slots[slot]
        times[slots[slot]] += 1
    return n_distinct


# Validation of row weights: how often each distinct row of a table occurs in a resample.

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
    if np.minimum.reduce(given) < 0:
        raise ValueError(f"weights must be 0 or more; got {int(given.min())} for distinct row {int(given.argmin())}")
    n_rows = float(np.add.reduce(given, dtype=np.float64))  # an integer sum could overflow
    if not 1 <= n_rows <= MOST_ROWS:
        raise ValueError(f"weights must add up to 1 to {MOST_ROWS:,} rows; got {n_rows:,.0f}")
    return np.ascontiguousarray(given, dtype=np.int32), int(n_rows)
