"""The distinct rows of a table, found by a hash table in compiled code."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import IntArray, UInt16Array
from bnengine._jit.compiled import compiled
from bnengine._jit.records import mix


def distinct_rows(codes: UInt16Array) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first index of each distinct row, as they appear, the distinct row of each row, and multiplicities."""
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
