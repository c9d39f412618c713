"""An ordered partition of the variables, the proposal to change it, and Metropolis' rule.

Proposals are written to ``proposed`` as the number of each variable's part. What else a partition holds, and the
weights of the variables whose parts or earlier parts changed, follow from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray, UInt64Array
from bnengine._jit.compiled import Pointer, compiled, inlined
from bnengine._jit.records import Handle, record, record_from
from bnengine.posterior._ordering_sums import random_state, uniform
from bnengine.posterior.parent_set_tables import ParentSetTables

# Every child's parent sets by falling weight, and sums over those that touch the part before the child's.
#
# In an ordered partition (Kuipers & Moffa 2017) a variable's parents stand in earlier parts, and one of them at least
# in the part just before its own. Where the parts stand is given as a *level* for each variable. The weight of all
# parent sets with levels up to r, one of them r itself, is the difference of two sums that a table holds. Where this
# difference cancels, the sets are added up one by one.

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
    """Return ln(exp(a) - exp(b)), a > b."""
    return a if b == -np.inf else a + math.log(-math.expm1(b - a))


@compiled
def levels_of(sets: ParentSets, child: int, level: Pointer, r: int) -> tuple[int, int]:
    """Return the child's candidates with levels up to r, and those at r, as masks."""
    first = sets.first_candidate[child]
    below, at = 0, 0
    for c in range(sets.first_candidate[child + 1] - first):
        place = level[sets.candidates[first + c]]
        below |= int(place <= r) << c
        at |= int(place == r) << c
    return below, at


@compiled
def log_sum_within(sets: ParentSets, child: int, level: Pointer, r: int) -> float:
    """Return the log weight of all parent sets with levels up to r."""
    below, _ = levels_of(sets, child, level, r)
    return sets.sums[sets.first_sum[child] + below]  # type: ignore[no-any-return]


@compiled
def log_sum_touching(sets: ParentSets, child: int, level: Pointer, r: int) -> float:
    """Return the log weight of all parent sets with levels up to r and one member at least at r.

    Of the empty set if r < 0.
    """
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
    """Return whether a set has members among those below only, and one at least among those at the last level."""
    return (mask & ~below) == 0 and (mask & at) != 0


@compiled
def _added_up(sets: ParentSets, child: int, below: int, at: int) -> float:
    """Compute ``log_sum_touching`` set by set: slower, and exact however small the sum is."""
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
    """Return the parent set at the share ``u`` of ``log_sum``, the weight of all within r, or of all that touch r.

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


@record
class Partition(NamedTuple):
    """An ordered partition; parts are numbered from 0."""

    part: IntArray  # (V,) the part of each variable
    order: IntArray  # (V,) the variables, part by part
    first: IntArray  # (V + 2,) where each part begins in ``order``
    n_parts: IntArray  # (1,)
    weights: FloatArray  # (V,) log weight of each variable's possible parent sets, nats


@record
class Chain(NamedTuple):
    """A Markov chain of ordered partitions and the buffers of its moves."""

    sets: ParentSets
    now: Partition
    proposed: Partition
    random: UInt64Array  # (1,) state of the random numbers
    power: FloatArray  # (1,) to which the weights of partitions are raised: 1, less in a heated chain
    level: IntArray  # (V,)
    other_level: IntArray  # (V,)
    graph: IntArray  # (V,) the number of each variable's set in a graph drawn from the partition
    parents: IntArray  # (V + 1,) members of one set
    shares: FloatArray  # (V + 1,) probability of each candidate's being a parent
    after: FloatArray  # (V + 2,) see ``_partition_relocation``
    within: FloatArray  # (V + 2,)
    alone: FloatArray  # (V + 2,)
    before: FloatArray  # (V + 2,)
    own: FloatArray  # (V + 2,)
    places: FloatArray  # (2 V + 3,)
    strangers: IntArray  # (V + 2,) how many variables of a part cannot have the relocated one as a parent


#: The chain behind the handle that the compiled functions are called with.
chain_from = record_from(Chain)


@compiled
def lay_out(partition: Partition, n_variables: int, n_parts: int) -> None:
    """Fill in what follows from each variable's part."""
    partition.n_parts[0] = n_parts
    for p in range(n_parts + 2):
        partition.first[p] = 0
    for v in range(n_variables):
        partition.first[partition.part[v] + 2] += 1
    for p in range(n_parts):
        partition.first[p + 2] += partition.first[p + 1]
    for v in range(n_variables):  # first[p + 1] runs from the beginning of part p to its end
        place = partition.part[v] + 1
        partition.order[partition.first[place]] = v
        partition.first[place] += 1


@compiled
def size_of(partition: Partition, p: int) -> int:
    """Return the number of variables in a part."""
    return partition.first[p + 1] - partition.first[p]  # type: ignore[no-any-return]


@compiled
def weigh(chain: Chain, lowest: int, highest: int) -> float:
    """Weigh the proposal anew from one part to another; returns the gain, nats, -infinity if it is not legal.

    Variables elsewhere keep their weights: their part, the one before, and all before it together are what they were.
    """
    now, new, gain = chain.now, chain.proposed, 0.0
    for v in range(chain.sets.n_variables):
        p = new.part[v]
        new.weights[v] = now.weights[v]
        if lowest <= p <= highest:
            new.weights[v] = log_sum_touching(chain.sets, v, new.part, p - 1)
            if new.weights[v] == -np.inf:
                return -np.inf
            gain += new.weights[v] - now.weights[v]
    return gain


@compiled
def take(chain: Chain) -> None:
    """Make the proposal, which has been weighed, the present partition."""
    now, new = chain.now, chain.proposed
    lay_out(new, chain.sets.n_variables, new.n_parts[0])
    now.n_parts[0] = new.n_parts[0]
    for v in range(chain.sets.n_variables):
        now.part[v], now.order[v], now.weights[v] = new.part[v], new.order[v], new.weights[v]
    for p in range(new.n_parts[0] + 1):
        now.first[p] = new.first[p]


@compiled
def is_made(chain: Chain, log_ratio: float, gain: float, power: float) -> bool:
    """Make the weighed proposal with probability min(1, exp(log_ratio + power gain)) (Metropolis & Hastings)."""
    if gain == -np.inf or uniform(chain.random) >= math.exp(min(log_ratio + power * gain, 0.0)):
        return False
    take(chain)
    return True


@compiled
def log_weight(chain: Chain) -> float:
    """Return the log weight of the present partition, nats."""
    total = 0.0
    for v in range(chain.sets.n_variables):
        total += chain.now.weights[v]
    return total


@compiled
def start_from_partition(chain_handle: Handle, n_parts: int) -> float:
    """Begin at the partition given by ``now.part``; returns its log weight, -infinity if it is not legal."""
    chain = chain_from(chain_handle)
    lay_out(chain.now, chain.sets.n_variables, n_parts)
    for v in range(chain.sets.n_variables):
        chain.now.weights[v] = log_sum_touching(chain.sets, v, chain.now.part, chain.now.part[v] - 1)
    return log_weight(chain)


def _empty_partition(n: int) -> Partition:
    whole = np.int64
    return Partition(np.zeros(n, whole), np.zeros(n, whole), np.zeros(n + 2, whole), np.zeros(1, whole), np.zeros(n))


def chain_for(sets: ParentSets, rng: np.random.Generator, power: float = 1.0) -> Chain:
    """Return a chain with random numbers of its own, still without a partition to begin at."""
    n, whole = sets.n_variables, np.int64
    return Chain(
        sets=sets,
        now=_empty_partition(n),
        proposed=_empty_partition(n),
        random=random_state(rng),
        power=np.array([power]),
        level=np.zeros(n, whole),
        other_level=np.zeros(n, whole),
        graph=np.zeros(n, whole),
        parents=np.zeros(n + 1, whole),
        shares=np.zeros(n + 1),
        after=np.zeros(n + 2),
        within=np.zeros(n + 2),
        alone=np.zeros(n + 2),
        before=np.zeros(n + 2),
        own=np.zeros(n + 2),
        places=np.zeros(2 * n + 3),
        strangers=np.zeros(n + 2, whole),
    )


# The parent sets of all children as partitions need them: sorted by weight, with the sums of the tables.

_SORTED: WeakKeyDictionary[ParentSetTables, ParentSets] = WeakKeyDictionary()


def parent_sets_of(tables: ParentSetTables) -> ParentSets:
    """Return the parent sets of the tables, sorted once for all chains."""
    if tables not in _SORTED:
        _SORTED[tables] = _sorted_sets(tables)
    return _SORTED[tables]


def _sorted_sets(tables: ParentSetTables) -> ParentSets:
    """Sort each child's parent sets by falling weight; sets that the constraints forbid are left out."""
    n = tables.n_variables
    masks, weights, first = [], [], np.zeros(n + 1, dtype=np.int64)
    for child in range(n):
        log_weights = tables.weights_of(child)
        order = np.argsort(-log_weights, kind="stable")[: int(np.isfinite(log_weights).sum())]
        masks.append(tables.masks[order])
        weights.append(log_weights[order])
        first[child + 1] = first[child] + len(order)
    is_candidate = tables.place >= 0  # [child, parent]
    return ParentSets(
        n_variables=n,
        first_candidate=_starts(tables.n_candidates),
        candidates=_joined([tables.candidates_of(child) for child in range(n)], np.int64),
        first_sum=tables.first_sum,
        sums=tables.sums,
        first_set=first,
        masks=_joined(masks, np.int64),
        weights=_joined(weights, np.float64),
        first_child=_starts(is_candidate.sum(axis=0)),
        children=np.nonzero(is_candidate.T)[1].astype(np.int64),
    )


def _starts(counts: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(parts: Sequence[npt.NDArray[Any]], dtype: Any) -> npt.NDArray[Any]:
    return np.concatenate([*parts, []]).astype(dtype)


# Graphs of a partition: drawn from it, the partition of a graph, and the probabilities of edges summed over all.
#
# Every graph belongs to one partition: its variables without parents, those whose parents are among these, and so on.

#: What of a variable's parent sets a sum of probabilities may leave out.
_ROUNDING = 1e-12


@compiled
def draw_graph(chain: Chain, heaviest: bool) -> float:
    """Draw each variable's parent set, given the partition, by its weight, or take the heaviest; returns their weight.

    A log weight: the sum of the local scores with structure prior, nats.
    """
    now, total = chain.now, 0.0
    for v in range(chain.sets.n_variables):
        r = now.part[v] - 1
        share = 0.0 if heaviest else uniform(chain.random)
        chain.graph[v] = draw_set(chain.sets, v, now.part, r, r >= 0, now.weights[v], share)
        total += chain.sets.weights[chain.graph[v]]
    return total


@compiled
def mark_descendants(chain: Chain, ancestor: int, orphan: int, marks: Pointer) -> None:
    """Mark a variable and its descendants in the drawn graph with 1, others with 0; neither of the two has parents.

    The present partition orders the drawn graph: parents come before their children.
    """
    for k in range(chain.sets.n_variables):
        v = chain.now.order[k]
        marks[v] = v == ancestor
        if v != ancestor and v != orphan:
            for p in range(members_of(chain.sets, v, chain.graph[v], chain.parents)):
                if marks[chain.parents[p]]:
                    marks[v] = 1
                    break


@compiled
def propose_partition_of_graph(chain: Chain) -> None:
    """Propose the partition of the drawn graph: a variable's part is the length of the longest path to it."""
    new, n_parts, settled = chain.proposed, 1, False
    for v in range(chain.sets.n_variables):
        new.part[v] = 0
    while not settled:  # as often as the graph's longest path against the present order
        settled = True
        for k in range(chain.sets.n_variables):
            v = chain.now.order[k]
            longest = 0
            for p in range(members_of(chain.sets, v, chain.graph[v], chain.parents)):
                longest = max(longest, new.part[chain.parents[p]] + 1)
            if longest != new.part[v]:
                new.part[v] = longest
                settled = False
            n_parts = max(n_parts, longest + 1)
    new.n_parts[0] = n_parts


@compiled
def add_edge_probabilities(chain: Chain, mean: Pointer, square: Pointer) -> None:
    """Add each edge's probability given the partition to ``mean``, (V, V) [parent, child], its square to ``square``.

    The shares of a variable's parent sets add up to 1; those that contain j have the probability of j → variable.
    """
    sets, now = chain.sets, chain.now
    for v in range(sets.n_variables):
        r, first = now.part[v] - 1, sets.first_candidate[v]
        if r < 0:
            continue
        n_candidates = sets.first_candidate[v + 1] - first
        for c in range(n_candidates):
            chain.shares[c] = 0.0
        below, at = levels_of(sets, v, now.part, r)
        left, f = 1.0, sets.first_set[v]
        while left > _ROUNDING and f < sets.first_set[v + 1]:
            if is_touching(sets.masks[f], below, at):
                share = math.exp(sets.weights[f] - now.weights[v])
                left -= share
                for c in range(n_candidates):
                    if (sets.masks[f] >> c) & 1:
                        chain.shares[c] += share
            f += 1
        for c in range(n_candidates):
            place = sets.candidates[first + c] * sets.n_variables + v
            mean[place] += chain.shares[c]
            square[place] += chain.shares[c] ** 2


@compiled
def start_from_ordering(chain_handle: Handle) -> bool:
    """Begin at the partition of a graph drawn given an ordering, each variable's place in which is in ``now.part``.

    Returns whether every variable has a parent set of some weight among those before it.
    """
    chain = chain_from(chain_handle)
    sets, now = chain.sets, chain.now
    for v in range(sets.n_variables):
        now.order[now.part[v]] = v
        r = now.part[v] - 1
        log_sum = log_sum_within(sets, v, now.part, r)
        if log_sum == -np.inf:
            return False
        chain.graph[v] = draw_set(sets, v, now.part, r, False, log_sum, uniform(chain.random))
        now.weights[v] = 0.0
    propose_partition_of_graph(chain)
    weigh(chain, 0, chain.proposed.n_parts[0])
    take(chain)
    return True
