"""The weights of all small parent sets among each child's candidate parents: all that sampling asks of the data.

Friedman & Koller (2003) restrict a child's parents to candidates; Kuipers, Suter & Moffa (2022) keep, for every set of
candidates, the total weight of the parent sets within it, so that the weight of a child in any ordering is one look-up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.display import gigabytes
from bnengine._jit.compiled import compiled, inlined
from bnengine._jit.records import Handle
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.counting import count
from bnengine.scores.family_scores import score_of_counts
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import (
    ScoreContext,
    configurations,
    fewest_states,
    local_score,
    penalty_of,
    score_context,
    stopped,
)
from bnengine.search._parent_sets import mask_of

#: Most candidate parents of a child: the sums over subsets of 20 take 8 MB.
MOST_CANDIDATES = 20


@dataclass(frozen=True, eq=False)
class ParentSetTables:
    """Log weights of parent sets, and of all parent sets within each set of candidates.

    A child's candidates are in column order; bit c of a mask stands for the c-th of them. The parent sets of child v
    are ``masks[:n_sets[v]]``: those among its first n candidates come first in numeric order for any n.

    Attributes
    ----------
    candidates : ndarray of int64, shape (V, K)
        The columns of each child's candidates; -1 beyond its number of candidates.
    n_candidates : ndarray of int64, shape (V,)
    place : ndarray of int64, shape (V, V)
        ``[child, parent]``: the parent's bit among the child's candidates; -1 if it is not one of them.
    masks : ndarray of int64
        The parent sets of a child with K candidates: all masks with at most ``max_parents`` bits, in numeric order.
    n_sets : ndarray of int64, shape (V,)
    weights : ndarray of float64
        Nats. Those of child v begin at ``first_weight[v]``: local score with structure prior, minus infinity where the
        constraints forbid the set.
    first_weight : ndarray of int64, shape (V + 1,)
    sums : ndarray of float64
        Nats. Those of child v begin at ``first_sum[v]``, 2**n_candidates[v] of them: entry m is the log of the total
        weight of the parent sets within mask m.
    first_sum : ndarray of int64, shape (V + 1,)
    n_evaluations : int
        Number of local scores computed.
    """

    candidates: IntArray = field(repr=False)
    n_candidates: IntArray = field(repr=False)
    place: IntArray = field(repr=False)
    masks: IntArray = field(repr=False)
    n_sets: IntArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    first_weight: IntArray = field(repr=False)
    sums: FloatArray = field(repr=False)
    first_sum: IntArray = field(repr=False)
    n_evaluations: int

    @property
    def n_variables(self) -> int:
        """Number of variables V."""
        return len(self.n_candidates)

    def candidates_of(self, child: int) -> IntArray:
        """Return the columns of a child's candidate parents, in column order."""
        return self.candidates[child, : self.n_candidates[child]]

    @property
    def columns(self) -> list[list[int]]:
        """The columns of each child's candidate parents."""
        return [self.candidates_of(child).tolist() for child in range(self.n_variables)]

    def without_weights(self) -> ParentSetTables:
        """Return the candidates alone: weights and their sums take most of the memory."""
        return replace(self, weights=np.zeros(0), sums=np.zeros(0))

    def weights_of(self, child: int) -> FloatArray:
        """Return the log weight of each of a child's parent sets, nats; the sets are ``masks[:n_sets[child]]``."""
        return self.weights[self.first_weight[child] : self.first_weight[child + 1]]

    def sums_of(self, child: int) -> FloatArray:
        """Return the log total weight of the parent sets within each set of a child's candidates, (2**K,), nats."""
        return self.sums[self.first_sum[child] : self.first_sum[child + 1]]


def check_tables_memory(n_candidates: Sequence[int], max_parents: int, max_memory: int, besides: int = 0) -> None:
    """Raise a ValueError if a child has too many candidates, or the tables and ``besides`` exceed ``max_memory``."""
    most = max(n_candidates, default=0)
    if most > MOST_CANDIDATES:
        raise ValueError(
            f"candidates must be at most {MOST_CANDIDATES} a variable, required parents included; got {most}"
        )
    of_children = sum((1 << n) + number_of_small_sets(n, max_parents) for n in n_candidates)
    needed = 8 * of_children + 8 * len(n_candidates) ** 2 + besides
    if needed > max_memory:
        raise ValueError(
            f"the tables of parent sets of {len(n_candidates):,} variables with up to {most} candidate parents, and "
            f"what chains record, need {gigabytes(needed)}, more than the {gigabytes(max_memory)} allowed: lower "
            "candidates or max_parents, or raise max_memory"
        )


def parent_set_tables(
    scores: Callable[[], LocalScores], space: SearchSpace, candidates: Sequence[Sequence[int]], n_threads: int = 1
) -> ParentSetTables:
    """Score all parent sets of at most ``space.max_parents`` among each child's candidates, once.

    Parameters
    ----------
    scores : callable
        Makes the local scores that a thread may use; their stop flag ends the scoring: what is left then gets no
        weight but the required parents alone.
    space : SearchSpace
    candidates : sequence of sequences of int
        For each child the columns of its candidates, its required parents among them. Those that may not be its
        parents are left out.
    n_threads : int
    """
    n = len(candidates)
    chosen = [sorted({int(v) for v in columns if space.allowed[v, child]}) for child, columns in enumerate(candidates)]
    tables = _empty_tables(chosen, space.max_parents)

    def score_children(children: range) -> int:
        local = scores()
        for child in children:
            masks, weights = tables.masks[: tables.n_sets[child]], tables.weights_of(child)
            score_parent_sets(local.handle, child, *_candidates_and_required(tables, space, child), masks, weights)
            sum_over_subsets(masks, weights, tables.sums_of(child))
        return local.n_scored

    with ThreadPoolExecutor(n_threads) as threads:
        scored = threads.map(score_children, [range(first, n, n_threads) for first in range(n_threads)])
        return replace(tables, n_evaluations=sum(scored))


def tables_of_two(
    one: LocalScores, other: LocalScores, space: SearchSpace, candidates: Sequence[Sequence[int]]
) -> Iterator[ParentSetTables]:
    """Give the tables of two scores of the same rows, complete ones, each family being counted once.

    Sums take most of the memory: those of the second tables take the place of those of the first.
    """
    n, tables = len(candidates), _empty_tables(list(map(list, candidates)), space.max_parents)
    both = tables, replace(tables, weights=np.empty_like(tables.weights))
    other.change(sample=one.context.sample, work=one.context.work)
    for child in range(n):
        masks, of_child = tables.masks[: tables.n_sets[child]], _candidates_and_required(tables, space, child)
        weights = [of_score.weights_of(child) for of_score in both]
        score_parent_sets_twice(one.handle, other.handle, child, *of_child, masks, *weights)
    for of_score in both:
        for child in range(n):
            masks = tables.masks[: tables.n_sets[child]]
            sum_over_subsets(masks, of_score.weights_of(child), tables.sums_of(child))
        yield of_score


def _candidates_and_required(tables: ParentSetTables, space: SearchSpace, child: int) -> tuple[IntArray, int]:
    """Return the columns of a child's candidates, and the required ones as a bit mask of them."""
    columns = tables.candidates_of(child)
    return columns, mask_of(space.required[columns, child])


def _empty_tables(chosen: list[list[int]], max_parents: int) -> ParentSetTables:
    """Return the tables with weights and sums still to be filled in."""
    n, most = len(chosen), max((len(columns) for columns in chosen), default=0)
    candidates = np.full((n, most), -1, dtype=np.int64)
    place = np.full((n, n), -1, dtype=np.int64)
    for child, columns in enumerate(chosen):
        candidates[child, : len(columns)] = columns
        place[child, columns] = np.arange(len(columns))
    sets = small_sets(most, max_parents)
    n_candidates = np.array([len(columns) for columns in chosen], dtype=np.int64)
    n_sets = sets.within[n_candidates]
    first_weight = np.concatenate([[0], np.cumsum(n_sets)]).astype(np.int64)
    first_sum = np.concatenate([[0], np.cumsum(1 << n_candidates)]).astype(np.int64)
    return ParentSetTables(
        candidates=candidates,
        n_candidates=n_candidates,
        place=place,
        masks=sets.masks,
        n_sets=n_sets,
        weights=np.empty(first_weight[-1]),
        first_weight=first_weight,
        sums=np.empty(first_sum[-1]),
        first_sum=first_sum,
        n_evaluations=0,
    )


# Sums over the small subsets of every set, without a table of all sets for each variable.
#
# The total weight of the parent sets within S obeys a recursion that removes one variable at a time: of the sets within
# S + u, those without u are sets within S, and those with u are such sets with u added. Going through all S in numeric
# order needs one list a bit (compare the truncated zeta transform of Björklund, Husfeldt, Kaski & Koivisto 2010):
# memory counts the sets of at most k members, and the work for each S is some 2 (k + 1) operations a variable.
#
# A child's parent sets are sets of the *others*, of which other o is variable o, or o + 1 from the child on.


class SmallSets(NamedTuple):
    """All sets of at most k among n others, in numeric order: those among the first m are the first ``within[m]``.

    Those among the first m with fewer than k members number ``smaller[m]``, and they stand at ``places``; with other m
    added they are, in this order, the sets after the first ``within[m]``. A list for each m begins at ``starts[m]``.
    """

    masks: IntArray  # (within[n],)
    places: IntArray  # (smaller[n],)
    within: IntArray  # (n + 1,)
    smaller: IntArray  # (n + 1,)
    starts: IntArray  # (n + 1,)


def number_of_small_sets(n: int, k: int) -> int:
    """Count the subsets of n that have at most k members."""
    return sum(math.comb(n, size) for size in range(min(n, k) + 1))


def small_sets(n: int, k: int) -> SmallSets:
    """Return the sets of at most ``k`` among ``n`` others."""
    masks = np.zeros(1, dtype=np.int64)
    for other in range(n):
        masks = np.concatenate([masks, masks[np.bitwise_count(masks) < k] | (1 << other)])
    within = np.array([number_of_small_sets(m, k) for m in range(n + 1)], dtype=np.int64)
    smaller = np.array([number_of_small_sets(m, k - 1) for m in range(n + 1)], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(within[:-1])]).astype(np.int64)
    return SmallSets(masks, np.flatnonzero(np.bitwise_count(masks) < k), within, smaller, starts)


NEGLIGIBLE = 40.0  # nats: exp(-40) is less than half the last digit of 1


@inlined
def log_add(a: float, b: float) -> float:
    """Return ln(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    if b < a - NEGLIGIBLE or b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


# Log weights of a child's parent sets among its candidates, and their sums over all subsets of each set of them.
#
# A set of candidates is a bit mask: bit i stands for the child's i-th candidate.


@inlined
def _take(context: ScoreContext, candidates: IntArray, mask: int) -> int:
    """Write the columns of a set of candidates to the buffer of parents; returns how many they are."""
    k = 0
    for c in range(candidates.shape[0]):
        if (mask >> c) & 1:
            context.work.parents[k] = candidates[c]
            k += 1
    return k


@compiled
def score_parent_sets(
    handle: Handle, child: int, candidates: IntArray, required: int, masks: IntArray, out: FloatArray
) -> None:
    """Fill in the log weight of each parent set: its local score; minus infinity where a required parent is missing.

    When the search is to stop, minus infinity for all that are left but the required parents alone.
    """
    context = score_context(handle)
    for i in range(masks.shape[0]):
        out[i] = -np.inf
        if required & ~masks[i] == 0 and (not stopped(context) or masks[i] == required):
            out[i] = local_score(context, child, context.work.parents, _take(context, candidates, masks[i]))


@compiled
def score_parent_sets_twice(
    handle: Handle,
    other: Handle,
    child: int,
    candidates: IntArray,
    required: int,
    masks: IntArray,
    out: FloatArray,
    of_other: FloatArray,
) -> None:
    """Do the same for two scores that share their sample and their buffers: each family is counted once.

    For scores without a prior network, and rows without holes.
    """
    first, second = score_context(handle), score_context(other)
    parents, arity = first.work.parents, float(first.sample.arities[child])
    for i in range(masks.shape[0]):
        out[i], of_other[i] = -np.inf, -np.inf
        if required & ~masks[i] == 0 and (not stopped(first) or masks[i] == required):
            k = _take(first, candidates, masks[i])
            n_configurations, n_cells = count(first.sample, first.work, child, parents, k)
            q = configurations(first, parents, k)
            fewest = fewest_states(first, parents, k, arity)
            out[i] = score_of_counts(first, q, arity, n_configurations, n_cells)
            out[i] -= penalty_of(first, child, q, arity, k, fewest)
            of_other[i] = score_of_counts(second, q, arity, n_configurations, n_cells)
            of_other[i] -= penalty_of(second, child, q, arity, k, fewest)


@compiled
def sum_over_subsets(masks: IntArray, weights: FloatArray, sums: FloatArray) -> None:
    """Compute the log total weight of the parent sets within each set of candidates, into the 2**K ``sums``.

    The zeta transform, one candidate at a time (Yates 1937; Koivisto & Sood 2004, Sec. 4): sums of positive terms only,
    so that nothing is lost by cancellation.
    """
    for mask in range(sums.shape[0]):
        sums[mask] = -np.inf
    for i in range(masks.shape[0]):
        sums[masks[i]] = weights[i]
    bit = 1
    while bit < sums.shape[0]:
        for first in range(bit, sums.shape[0], 2 * bit):
            for mask in range(first, first + bit):
                sums[mask] = log_add(sums[mask], sums[mask - bit])
        bit <<= 1
