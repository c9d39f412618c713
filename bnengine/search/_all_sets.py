"""The best ordering by enumerating all sets of variables (Silander & Myllymäki 2006), in 8 bytes per set.

The best score of each set of variables is that of a smaller set and a last variable, which takes the best parent set
within the smaller one. Those are not kept: they come from short lists as the sets are enumerated (``small_sets``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.compiled import compiled, pointer_to
from bnengine.search._parent_sets import ParentSets
from bnengine.search._small_sets import bytes_of_lists, lowest_bit, other_of, small_sets


@compiled
def _best_of_each_set(
    within: IntArray,
    smaller: IntArray,
    places: IntArray,
    starts: IntArray,
    lists: FloatArray,
    best: FloatArray,
    stop: UInt8Array,
) -> None:
    """For each set of variables the best score of a graph over it; it ends early when ``stop`` is set.

    ``lists`` has one row per child; the last of its lists holds the scores of the child's parent sets.
    """
    n_variables = lists.shape[0]
    within_at, smaller_at, places_at = pointer_to(within), pointer_to(smaller), pointer_to(places)
    starts_at, lists_at, stop_at = pointer_to(starts), pointer_to(lists), pointer_to(stop)
    for number in range(best.shape[0]):
        best[number] = -np.inf
    best[0] = 0.0
    for number in range(best.shape[0] - 1):
        if stop_at[0] != 0:
            return
        bit = lowest_bit(number) if number else -1
        others_above = number & (number - 1)
        above = lowest_bit(others_above) if others_above else -1
        for v in range(n_variables):
            if (number >> v) & 1:
                continue
            source = v * lists.shape[1] + starts_at[other_of(above, v) if above >= 0 else n_variables - 1]
            if bit >= 0:
                other = other_of(bit, v)
                target = v * lists.shape[1] + starts_at[other]
                n_within = within_at[other]
                for i in range(n_within):
                    lists_at[target + i] = lists_at[source + i]
                for j in range(smaller_at[other]):
                    place, score = target + places_at[j], lists_at[source + n_within + j]
                    if score > lists_at[place]:
                        lists_at[place] = score
                source = target
            score = best[number] + lists_at[source]
            if score > best[number | (1 << v)]:
                best[number | (1 << v)] = score


def largest_set(candidates: Sequence[ParentSets]) -> int:
    """The size of the largest candidate parent set."""
    return max(int(np.bitwise_count(sets.masks).max()) for sets in candidates)


def bytes_needed(n_variables: int, max_parents: int) -> int:
    """Bytes for a score per set of variables, and for the lists."""
    return (8 << n_variables) + bytes_of_lists(n_variables, max_parents)


def best_ordering_of_all(
    candidates: Sequence[ParentSets], margin: float, stop: UInt8Array | None = None
) -> list[int] | None:
    """The best ordering of all; of last variables that tie, to ``margin``, the first column; None if stopped."""
    stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
    n = len(candidates)
    small = small_sets(n - 1, largest_set(candidates))
    lists = np.full((n, int(small.starts[-1]) + len(small.masks)), -np.inf)
    for v, sets in enumerate(candidates):
        others = (sets.masks & ((1 << v) - 1)) | (sets.masks >> (v + 1) << v)
        lists[v, small.starts[-1] + np.searchsorted(small.masks, others)] = sets.scores
    best = np.empty(1 << n)
    _best_of_each_set(small.within, small.smaller, small.places, small.starts, lists, best, stop)
    if stop[0]:
        return None
    return _read_off(candidates, best, margin)


def _read_off(candidates: Sequence[ParentSets], best: FloatArray, margin: float) -> list[int]:
    """The ordering from the scores of all sets, last variable first."""
    ordering: list[int] = []
    left = len(best) - 1
    while left:
        members = [v for v in range(len(candidates)) if left >> v & 1]
        scores = [best[left ^ (1 << v)] + candidates[v].best_score(left ^ (1 << v)) for v in members]
        last = next(v for v, score in zip(members, scores, strict=True) if score >= max(scores) - margin)
        ordering.append(last)
        left ^= 1 << last
    return ordering[::-1]
