"""The candidate parent sets of a variable: those that can be part of a best graph, best first.

A set that does not score above each of its subsets is never needed (Teyssier & Koller 2005), and neither a set nor its
supersets are counted once a bound shows that (de Campos & Ji 2011). What is left are thousands of sets where there are
millions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.display import gigabytes
from bnengine._jit.compiled import Pointer, compiled, pointer_to
from bnengine._jit.records import Handle
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import ancestors
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import bound_of_supersets, local_score_and_bound, score_context, stopped, upper_bound
from bnengine.search.edge_changes import tolerance

#: A set of variables is the bits of a signed 64-bit number.
MOST_VARIABLES = 63
#: A mask and a score, up to three times over: as kept, with room to grow, and sorted.
BYTES_A_CANDIDATE = 48


class ParentSets(NamedTuple):
    """Candidate parent sets of one variable, best first; bit v of a mask stands for variable v.

    Ties are in order of size, then of columns. The first set among the available variables is the best of them.
    """

    masks: IntArray
    scores: FloatArray

    def best_within(self, available: int) -> int:
        """Return the place of the best set whose members are all available."""
        return int(np.argmax((self.masks & ~np.int64(available)) == 0))

    def best_score(self, available: int) -> float:
        """Return the score of the best set whose members are all available; minus infinity if there is none."""
        inside = (self.masks & ~np.int64(available)) == 0
        return float(self.scores[np.argmax(inside)]) if inside.any() else -np.inf


@compiled
def _number_below(limit: int, masks: Pointer, n: int) -> int:
    """Count how many of ``masks[:n]``, which ascend, are smaller than the limit."""
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        if masks[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _best_below(mask: int, masks: Pointer, best: Pointer, n: int) -> float:
    """Return the best score among the subsets of one fewer, if all of them are in ``masks[:n]``; else nan."""
    reached = -np.inf
    rest = mask
    while rest:
        bit = rest & -rest
        rest ^= bit
        place = _number_below(mask ^ bit, masks, n)
        if place == n or masks[place] != mask ^ bit:
            return np.nan
        if best[place] > reached:
            reached = best[place]
    return reached


@compiled
def _larger_by_one(free: int, masks: IntArray, best: FloatArray, above: IntArray, best_above: FloatArray) -> int:
    """Write all sets of one more member whose subsets are all in ``masks``, ascending, with their subsets' best score.

    Returns how many there are.
    """
    masks_at, best_at = pointer_to(masks), pointer_to(best)
    n, n_above = masks.shape[0], 0
    for v in range(MOST_VARIABLES):
        bit = 1 << v
        if free & bit:
            for i in range(_number_below(bit, masks_at, n)):
                reached = _best_below(masks_at[i] | bit, masks_at, best_at, n)
                if reached == reached:  # not nan
                    above[n_above], best_above[n_above] = masks_at[i] | bit, reached
                    n_above += 1
    return n_above


@compiled
def _score_level(
    handle: Handle,
    child: int,
    required: int,
    is_first: bool,
    level: IntArray,
    best: FloatArray,
    kept: IntArray,
    kept_scores: FloatArray,
    numbers: IntArray,
) -> bool:
    """Score the sets of one size, with the best score below each: write those to be kept, and leave those open.

    Both stand first in their arrays; ``numbers`` receives how many are kept, how many open and how many were counted.
    Returns whether it was stopped. Of the first level, the required parents alone, the set is kept in any case.
    """
    context = score_context(handle)
    n_variables = context.sample.n_variables
    margin = tolerance(context.sample.n_rows)
    parents = context.work.parents
    n_kept, n_open, counted = 0, 0, 0
    for i in range(level.shape[0]):
        if not is_first and stopped(context):
            break
        mask, reached, k = level[i], best[i], 0
        for v in range(n_variables):
            if ((mask | required) >> v) & 1:
                parents[k] = v
                k += 1
        bound = np.inf
        if is_first or upper_bound(context, child, parents, k) > reached:
            score, bound = local_score_and_bound(context, child, parents, k)
            counted += 1
            if is_first or score > reached + margin:
                reached = score
                kept[n_kept], kept_scores[n_kept] = mask | required, score
                n_kept += 1
        elif context.penalty[child] > 0.0:  # that of a superset is no smaller
            bound = bound_of_supersets(context, child, parents, k)
        if bound > reached:
            level[n_open], best[n_open] = mask, reached
            n_open += 1
    numbers[0], numbers[1], numbers[2] = n_kept, n_open, counted
    return stopped(context)


def _candidates(
    handle: Handle, child: int, allowed: int, required: int, max_parents: int, most: int
) -> tuple[IntArray, FloatArray, int, int]:
    """Return the child's candidate parent sets and scores, in order of size; families counted.

    The number of sets if too many.

    Size by size. A set is looked at only if its subsets of one fewer are *open*: it is not known that all their
    supersets score worse than a subset does. If more than ``most`` sets had to be held at once, their number is
    returned last, and nothing more is counted.
    """
    free, size = allowed & ~required, required.bit_count()
    bits = np.array([1 << v for v in range(free.bit_length()) if (free >> v) & 1], dtype=np.int64)
    level, best = np.zeros(1, dtype=np.int64), np.full(1, -np.inf)
    kept: list[IntArray] = []
    kept_scores: list[FloatArray] = []
    n_kept = counted = n_held = 0
    numbers = np.empty(3, dtype=np.int64)
    while len(level):
        masks, scores = np.empty(len(level), dtype=np.int64), np.empty(len(level))
        was_stopped = _score_level(handle, child, required, not kept, level, best, masks, scores, numbers)
        n_new, n_open, n_counted = numbers.tolist()
        kept.append(masks[:n_new].copy())
        kept_scores.append(scores[:n_new].copy())
        n_kept, counted = n_kept + n_new, counted + n_counted
        if size >= max_parents or n_open == 0 or was_stopped:
            break
        level, best, size = level[:n_open].copy(), best[:n_open].copy(), size + 1
        n_above = int(np.searchsorted(level, bits).sum())
        if n_kept + n_open + n_above > most:
            n_held = n_kept + n_open + n_above
            break
        above, best_above = np.empty(n_above, dtype=np.int64), np.empty(n_above)
        n_above = _larger_by_one(free, level, best, above, best_above)
        level, best = above[:n_above].copy(), best_above[:n_above].copy()
    return np.concatenate(kept), np.concatenate(kept_scores), counted, n_held


def _best_first(masks: IntArray, scores: FloatArray, margin: float) -> ParentSets:
    """Sort by score; what differs by no more than rounding by size, then by columns."""
    order = np.lexsort((masks, np.bitwise_count(masks), -scores))
    sorted_scores = scores[order]
    with np.errstate(invalid="ignore"):  # the first set may be impossible, and then nothing is below it
        group = np.concatenate([[0], np.cumsum(sorted_scores[:-1] - sorted_scores[1:] > margin)])
    order = order[np.lexsort((masks[order], np.bitwise_count(masks[order]), group))]
    return ParentSets(masks[order], scores[order])


def mask_of(members: BoolArray) -> int:
    """Return the set of the true places as a mask."""
    return int(np.left_shift(1, np.flatnonzero(members)).sum())


def candidate_parent_sets(scores: LocalScores, space: SearchSpace, max_memory: int) -> tuple[list[ParentSets], int]:
    """Return the candidate parent sets of every variable, and how many families were counted.

    A ValueError, before they are counted, if the sets need more memory than allowed.
    """
    n = space.allowed.shape[0]
    margin = tolerance(scores.context.sample.n_rows)
    found, counted, held = [], 0, 0
    for child in range(n):
        allowed, required = mask_of(space.allowed[:, child]), mask_of(space.required[:, child])
        masks, values, n_counted, n_held = _candidates(
            scores.handle, child, allowed, required, space.max_parents, max_memory // BYTES_A_CANDIDATE - held
        )
        if n_held:
            needed = (held + n_held) * BYTES_A_CANDIDATE
            raise ValueError(
                f"the exact search over {n} variables with up to {space.max_parents} parents has to hold "
                f"{held + n_held:,} parent sets, {gigabytes(needed)}, more than the {max_memory / 2**30:.1f} GB "
                "allowed: lower max_parents, choose fewer variables, or hill climbing, tabu or annealing"
            )
        found.append(_best_first(masks, values, margin))
        counted, held = counted + n_counted, held + len(masks)
    return found, counted


# Pieces of the search for an ordering: variables that can be each other's ancestors, one piece after the other.
#
# Draw an edge to each variable from all that are in one of its candidate parent sets. Cycles lie within the strongly
# connected components of that graph, so each component can be put in order by itself, ancestors first (Fan, Malone &
# Yuan 2014).


def pieces(candidates: Sequence[ParentSets]) -> list[list[int]]:
    """Return the components, each in column order: ancestors first, then by their first column."""
    n = len(candidates)
    ancestor = np.eye(n, dtype=np.bool_)
    for child, sets in enumerate(candidates):
        possible = int(np.bitwise_or.reduce(sets.masks))
        ancestor[:, child] |= [bool(possible >> v & 1) for v in range(n)]
    ancestor = ancestors(ancestor)
    order = sorted(range(n), key=lambda v: (int(ancestor[:, v].sum()), v))
    found: list[list[int]] = []
    placed = np.zeros(n, dtype=np.bool_)
    for v in order:
        if not placed[v]:
            found.append(np.flatnonzero(ancestor[:, v] & ancestor[v]).tolist())
            placed[found[-1]] = True
    return found


def within_piece(sets: ParentSets, members: Sequence[int]) -> ParentSets:
    """Restrict the sets to the piece, bit i for its i-th member; of sets that become equal, keep the best."""
    masks: IntArray = np.zeros_like(sets.masks)
    for i, v in enumerate(members):
        masks |= ((sets.masks >> v) & 1) << i
    kept = np.sort(np.unique(masks, return_index=True)[1])
    return ParentSets(masks[kept], sets.scores[kept])
