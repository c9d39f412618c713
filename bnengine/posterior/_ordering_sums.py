"""Sums over all orderings and the graphs that fit them, with one number for each set of variables.

Koivisto & Sood (2004) and Koivisto (2006): forward, the weight of all orderings of a set that stands first; backward,
that of all orderings of a set that stands last, which takes the place of the former as it is last read. What a child's
parent sets within each set weigh, and what the orderings around each parent set weigh, comes from short lists as the
sets are enumerated (see ``small_sets``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._jit.compiled import compiled, inlined, pointer_to
from bnengine._jit.records import Handle, record, record_from, uniform
from bnengine.scores.counting import count
from bnengine.scores.family_scores import score_of_counts
from bnengine.scores.score_context import (
    ScoreContext,
    configurations,
    local_score,
    penalty_of,
    score_context,
    stopped,
)

_LOOK = 1023  # sets between two looks at the stop flag, less one: some milliseconds
_NEGLIGIBLE = 40.0  # nats: exp(-40) is less than half the last digit of 1


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


def mask_of(members: BoolArray) -> int:
    """Return the bit mask of a set."""
    return sum(1 << int(place) for place in np.flatnonzero(members))


def bytes_of_lists(n_variables: int, k: int) -> int:
    """Return the bytes of the weights of all children's sets and of a list for each of their bits."""
    others = max(n_variables - 1, 0)
    return 8 * n_variables * sum(number_of_small_sets(m, k) for m in range(others + 1))


@inlined
def lowest_bit(number: int) -> int:
    """Return the place of the lowest bit of a number that has one."""
    place = 0
    while not (number >> place) & 1:
        place += 1
    return place


@inlined
def other_of(v: int, child: int) -> int:
    """Return the number of variable v among the others of the child."""
    return v if v < child else v - 1


# The sums over orderings.


@record
class OrderingSums(NamedTuple):
    """What the two passes work on; see ``SmallSets`` for ``places``, ``within``, ``smaller`` and ``starts``."""

    lists: FloatArray  # (V, L) a row per child, whose last list holds the weights of its parent sets
    around: FloatArray  # (V, L) the weights of the orderings around each, filled backward
    sums: FloatArray  # (2**V,)
    places: IntArray
    within: IntArray
    smaller: IntArray
    starts: IntArray
    stop: UInt8Array
    length: int  # L
    n_variables: int  # V
    n_sets: int  # 2**V


_ordering_sums = record_from(OrderingSums)


def ordering_sums(small: SmallSets, lists: FloatArray, stop: UInt8Array) -> OrderingSums:
    """Return the sums over the orderings of V variables, not yet taken."""
    n, length = lists.shape
    around, sums = np.empty_like(lists), np.empty(1 << n)
    of_sets = small.places, small.within, small.smaller, small.starts
    return OrderingSums(lists, around, sums, *of_sets, stop, length, n, 1 << n)


@inlined
def log_add(a: float, b: float) -> float:
    """Return ln(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    if b < a - _NEGLIGIBLE or b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@inlined
def _sum_within(of: OrderingSums, source: int, target: int, other: int) -> None:
    """Turn the weights within S, by what is left of their members, into those within S and one variable more."""
    lists, places, n_within = of.lists, of.places, of.within[other]
    for i in range(n_within):
        lists[target + i] = lists[source + i]
    for j in range(of.smaller[other]):
        place = target + places[j]
        lists[place] = log_add(lists[place], lists[source + n_within + j])


@compiled
def sum_forward(handle: Handle) -> None:
    """Compute for each set the log weight of its orderings when it stands first, into the 2**V ``sums``.

    Ends early, with sums that mean nothing, once another thread has set ``stop``.
    """
    of = _ordering_sums(handle)
    n_variables, sums, starts = of.n_variables, of.sums, of.starts
    for number in range(of.n_sets):
        sums[number] = -np.inf
    sums[0] = 0.0
    for number in range(of.n_sets - 1):
        if number & _LOOK == 0 and of.stop[0] != 0:
            return
        bit = lowest_bit(number) if number else -1
        above = lowest_bit(number & (number - 1)) if number & (number - 1) else -1
        for v in range(n_variables):
            if (number >> v) & 1:
                continue
            source = v * of.length + starts[other_of(above, v) if above >= 0 else n_variables - 1]
            if bit >= 0:
                other = other_of(bit, v)
                target = v * of.length + starts[other]
                _sum_within(of, source, target, other)
                source = target
            weight = sums[number] + of.lists[source]
            sums[number | (1 << v)] = log_add(sums[number | (1 << v)], weight)


@inlined
def _within(masks: IntArray, weights: FloatArray, child: int, before: int) -> tuple[float, int]:
    """Return the log of the total weight of a child's parent sets, sorted by weight, within a set.

    The place of the heaviest.
    """
    total, heaviest = 0.0, -1
    for s in range(masks.shape[1]):
        if masks[child, s] & ~before == 0:
            if heaviest < 0:
                heaviest = s
            elif weights[child, s] < weights[child, heaviest] - _NEGLIGIBLE:
                break
            total += math.exp(weights[child, s] - weights[child, heaviest])
    return (weights[child, heaviest] + math.log(total), heaviest) if heaviest >= 0 else (-np.inf, -1)


@compiled
def draw_from_sums(
    handle: Handle,
    masks: IntArray,
    weights: FloatArray,
    random: UInt64Array,
    drawn: IntArray,
) -> int:
    """Draw orderings and, given each, a graph, independently of one another, from the sums of the forward pass.

    ``masks`` (V, S) are each child's parent sets, bits standing for variables, by falling ``weights``. Of each draw the
    graph's parent sets go to a row of ``drawn``, (m, V). Returns how many were drawn, fewer once another thread has set
    ``stop``.
    """
    of = _ordering_sums(handle)
    at, last = np.empty(of.n_variables), np.empty(of.n_variables, dtype=np.int64)
    for d in range(drawn.shape[0]):
        number = of.n_sets - 1
        while number:
            if of.stop[0] != 0:
                return d
            n, highest = 0, -np.inf
            for v in range(of.n_variables):
                if (number >> v) & 1:
                    before = number ^ (1 << v)
                    total, _ = _within(masks, weights, v, before)
                    last[n], at[n] = v, of.sums[before] + total
                    highest = max(highest, at[n])
                    n += 1
            total = 0.0
            for i in range(n):
                at[i] = math.exp(at[i] - highest)
                total += at[i]
            left, chosen = uniform(pointer_to(random)) * total, -1
            for i in range(n):
                if at[i] > 0.0 and (chosen < 0 or left >= 0.0):
                    chosen = i
                left -= at[i]
                if left < 0.0:
                    break
            v = last[chosen]
            number ^= 1 << v
            total, heaviest = _within(masks, weights, v, number)
            left = uniform(pointer_to(random))
            for s in range(heaviest, masks.shape[1]):
                if masks[v, s] & ~number == 0 and weights[v, s] > -np.inf:
                    drawn[d, v] = s
                    left -= math.exp(weights[v, s] - total)
                    if left < 0.0:
                        break
    return len(drawn)


@compiled
def sum_backward(handle: Handle) -> None:
    """Compute for each family the log weight of the orderings around it, into the last list of ``around``.

    ``sums`` is taken from the forward pass and overwritten: for each set with the log weight of the orderings of all
    others when they stand last. Sets go down in numeric order. A list of ``around`` holds, for each parent set by what
    is left of its members, the weight of all sets enumerated since the list's variable was last taken out.
    """
    of = _ordering_sums(handle)
    n_variables, sums, starts = of.n_variables, of.sums, of.starts
    everything = of.n_sets - 1
    changed = n_variables  # bits below this one are new since the set before
    for number in range(everything, -1, -1):
        if number & _LOOK == 0 and of.stop[0] != 0:
            return
        higher = -1  # the lowest bit of the set above those that are new
        for b in range(changed, n_variables):
            if (number >> b) & 1:
                higher = b
                break
        for b in range(changed - 1, -1, -1):
            for v in range(n_variables):
                if v == b or ((number >> v) & 1 and v > b):
                    continue
                other = other_of(b, v)
                source = v * of.length + starts[other_of(higher, v) if higher >= 0 else n_variables - 1]
                _sum_within(of, source, v * of.length + starts[other], other)
            higher = b
        bit = lowest_bit(number) if number else -1
        first, last = sums[number], -np.inf if number != everything else 0.0
        for v in range(n_variables):
            if (number >> v) & 1:
                continue
            after = sums[number | (1 << v)]
            source = v * of.length + starts[other_of(bit, v) if bit >= 0 else n_variables - 1]
            last = log_add(last, after + of.lists[source])
            _pass_up(of, number, v, first + after)
        sums[number] = last
        changed = bit if bit >= 0 else 0


@inlined
def _pass_up(of: OrderingSums, number: int, child: int, weight: float) -> None:
    """Enter the orderings around one set, and complete the lists of the variables that no further set contains."""
    around, within, place = of.around, of.within, child * of.length
    around[place + of.starts[0]] = weight
    for other in range(of.n_variables - 1):
        source, target = place + of.starts[other], place + of.starts[other + 1]
        variable = other if other < child else other + 1
        if (number >> variable) & 1:  # the sets with this variable are done, those without it follow
            for i in range(within[other]):
                around[target + i] = around[source + i]
            for j in range(of.smaller[other]):
                around[target + within[other] + j] = around[source + of.places[j]]
            break
        for i in range(within[other]):
            around[target + i] = log_add(around[target + i], around[source + i])


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
            out[i] = score_of_counts(first, q, arity, n_configurations, n_cells) - penalty_of(first, child, q, arity, k)
            of_other[i] = score_of_counts(second, q, arity, n_configurations, n_cells)
            of_other[i] -= penalty_of(second, child, q, arity, k)


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
        for mask in range(sums.shape[0]):
            if mask & bit:
                sums[mask] = log_add(sums[mask], sums[mask ^ bit])
        bit <<= 1
