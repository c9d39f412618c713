"""Hashing in compiled code: scrambling numbers, and numbering numbers in order of first appearance."""

from typing import Any

import numpy as np

from bnengine._jit.compiled import Pointer, compiled


@compiled
def mix(number: np.uint64) -> np.uint64:
    """Scramble 64 bits: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def rank_in_place(numbers: Pointer, n: int, slots: Pointer, ranks: Pointer, n_slots: int) -> int:
    """Replace ``numbers[:n]``, none negative, by their rank of first appearance; returns how many differ.

    ``slots`` and ``ranks`` are the hash table: ``n_slots`` of each, a power of two and at least 2 n.
    """
    for s in range(n_slots):
        slots[s] = -1
    n_ranks = 0
    for i in range(n):
        number = numbers[i]
        slot: Any = np.int64((np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & (n_slots - 1)
        while slots[slot] != -1 and slots[slot] != number:
            slot = (slot + 1) & (n_slots - 1)
        if slots[slot] == -1:
            slots[slot] = number
            ranks[slot] = n_ranks
            n_ranks += 1
        numbers[i] = ranks[slot]
    return n_ranks
