"""A hash table of sets of variables, with a score and a last variable for each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, Int8Array, IntArray
from bnengine._core.compiled import Pointer, compiled, pointer_to


class Table(NamedTuple):
    """Sets of variables by their keys, hashed: mask (-1 marks a free place), best score, last variable."""

    keys: IntArray
    values: FloatArray
    sinks: Int8Array


@compiled
def slot_of(key: int, keys: Pointer, n_slots: int) -> int:
    """The place of a key in the table, or the free one where it is to go."""
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (n_slots - 1)
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & (n_slots - 1)
    return slot  # type: ignore[return-value]


def empty_table(n_slots: int) -> Table:
    """Room for so many sets."""
    return Table(np.full(n_slots, -1, dtype=np.int64), np.empty(n_slots), np.empty(n_slots, dtype=np.int8))


@compiled
def _enter_all(
    old_keys: IntArray,
    old_values: FloatArray,
    old_sinks: Int8Array,
    keys: IntArray,
    values: FloatArray,
    sinks: Int8Array,
) -> None:
    """Enter the sets of one table into another."""
    keys_at, n_slots = pointer_to(keys), keys.shape[0]
    for old_slot in range(old_keys.shape[0]):
        key = old_keys[old_slot]
        if key >= 0:
            slot = slot_of(key, keys_at, n_slots)
            keys[slot], values[slot], sinks[slot] = key, old_values[old_slot], old_sinks[old_slot]


def larger(table: Table) -> Table:
    """The same sets in a table twice as large."""
    grown = empty_table(2 * len(table.keys))
    _enter_all(*table, *grown)
    return grown
