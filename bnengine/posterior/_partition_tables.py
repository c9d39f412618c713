"""Every child's parent sets by falling weight, and sums over those that touch the part before the child's.

In an ordered partition (Kuipers & Moffa 2017) a variable's parents stand in earlier parts, and one of them at least in
the part just before its own. Where the parts stand is given as a *level* for each variable. The weight of all parent
sets with levels up to r, one of them r itself, is the difference of two sums that a table holds. Where this difference
cancels, the sets are added up one by one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.compiled import Pointer, compiled, inlined
from bnengine._core.records import record

#: Relative size of the difference of two sums below which its rounding error would matter.
_CANCELS = 1e-7
#: Nats below the largest term: even a million such terms do not change the last digit of a sum.
_NEGLIGIBLE = 50.0


@record
class ParentSets(NamedTuple):
    """The parent sets of all children and their log weights, nats."""

    n_variables: int  # V
    first_candidate: IntArray  # (V + 1,) where a child's candidates begin
    candidates: IntArray  # bit c of a child's masks stands for its candidate number c
    first_sum: IntArray  # (V + 1,) where a child's sums begin
    sums: FloatArray  # log sum over the sets within each set of candidates
    first_set: IntArray  # (V + 1,) where a child's sets begin
    masks: IntArray  # the candidates in each set, sets by falling weight, none of them without any
    weights: FloatArray  # log weight of each set
    first_child: IntArray  # (V + 1,) where a variable's possible children begin
    children: IntArray


@inlined
def log_difference(a: float, b: float) -> float:
    """ln(exp(a) - exp(b)), a > b."""
    return a if b == -np.inf else a + math.log(-math.expm1(b - a))


@compiled
def levels_of(sets: ParentSets, child: int, level: Pointer, r: int) -> tuple[int, int]:
    """The child's candidates with levels up to r, and those at r, as masks."""
    first = sets.first_candidate[child]
    below, at = 0, 0
    for c in range(sets.first_candidate[child + 1] - first):
        place = level[sets.candidates[first + c]]
        below |= int(place <= r) << c
        at |= int(place == r) << c
    return below, at


@compiled
def log_sum_within(sets: ParentSets, child: int, level: Pointer, r: int) -> float:
    """Log weight of all parent sets with levels up to r."""
    below, _ = levels_of(sets, child, level, r)
    return sets.sums[sets.first_sum[child] + below]  # type: ignore[no-any-return]


@compiled
def log_sum_touching(sets: ParentSets, child: int, level: Pointer, r: int) -> float:
    """Log weight of all parent sets with levels up to r and one member at least at r; of the empty set if r < 0."""
    first = sets.first_sum[child]
    if r < 0:
        return sets.sums[first]  # type: ignore[no-any-return]
    below, at = levels_of(sets, child, level, r)
    total, rest = sets.sums[first + below], sets.sums[first + (below & ~at)]
    if at == 0 or total == -np.inf:
        return -np.inf
    if rest > total - _CANCELS:
        return _added_up(sets, child, below, at)
    return log_difference(total, rest)


@inlined
def is_touching(mask: int, below: int, at: int) -> bool:
    """Whether a set has members among those below only, and one at least among those at the last level."""
    return (mask & ~below) == 0 and (mask & at) != 0


@compiled
def _added_up(sets: ParentSets, child: int, below: int, at: int) -> float:
    """The same as ``log_sum_touching`` set by set: slower, and exact however small the sum is."""
    total, largest = 0.0, -np.inf
    for f in range(sets.first_set[child], sets.first_set[child + 1]):
        weight = sets.weights[f]
        if weight < largest - _NEGLIGIBLE:
            break
        if is_touching(sets.masks[f], below, at):
            largest = max(largest, weight)
            total += math.exp(weight - largest)
    return largest + math.log(total) if total > 0.0 else -np.inf


@compiled
def draw_set(sets: ParentSets, child: int, level: Pointer, r: int, touching: bool, log_sum: float, u: float) -> int:
    """The parent set at the share ``u`` of ``log_sum``, the weight of all within r, or all of those that touch r.

    At the share 0 it is the heaviest.
    """
    below, at = levels_of(sets, child, level, r)
    left, last = u, -1
    for f in range(sets.first_set[child], sets.first_set[child + 1]):
        if (sets.masks[f] & ~below) == 0 and (not touching or (sets.masks[f] & at) != 0):
            last = f
            left -= math.exp(sets.weights[f] - log_sum)
            if left <= 0.0:
                break
    return last


@compiled
def members_of(sets: ParentSets, child: int, f: int, out: Pointer) -> int:
    """Write a set's members to ``out``; returns how many there are."""
    n, mask, c = 0, sets.masks[f], sets.first_candidate[child]
    while mask:
        if mask & 1:
            out[n] = sets.candidates[c]
            n += 1
        mask >>= 1
        c += 1
    return n
