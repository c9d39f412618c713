"""Sums over all orderings and the graphs that fit them, with one number for each set of variables.

Koivisto & Sood (2004) and Koivisto (2006): forward, the weight of all orderings of a set that stands first; backward,
that of all orderings of a set that stands last, which takes the place of the former as it is last read. What a child's
parent sets within each set weigh, and what the orderings around each parent set weigh, comes from short lists as the
sets are enumerated (see ``small_sets``).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import Pointer, compiled, inlined, pointer_to
from bnengine._core.records import Handle
from bnengine.scores.score_context import local_score, score_context, stopped
from bnengine.search._small_sets import SmallSets, lowest_bit, other_of

LogWeights = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_NEGLIGIBLE = 40.0  # nats: exp(-40) is less than half the last digit of 1


@inlined
def log_add(a: float, b: float) -> float:
    """ln(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    if b < a - _NEGLIGIBLE or b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@compiled
def family_weights(
    handle: Handle,
    child: int,
    allowed: int,
    required: int,
    masks: IntArray,
    out: LogWeights,
) -> None:
    """Log weight of each parent set among the child's others: its local score, minus infinity if it is not allowed.

    The rest is left as it is when the context's flag says stop.
    """
    context = score_context(handle)
    parents = context.work.parents
    for i in range(masks.shape[0]):
        if stopped(context):
            return
        out[i] = -np.inf
        if masks[i] & ~allowed == 0 and required & ~masks[i] == 0:
            k = 0
            for v in range(context.sample.n_variables):
                if v != child and (masks[i] >> other_of(v, child)) & 1:
                    parents[k] = v
                    k += 1
            out[i] = local_score(context, child, parents, k)


@inlined
def _sum_within(lists: Pointer, source: int, target: int, n_within: int, n_smaller: int, places: Pointer) -> None:
    """From the weights within S, by what is left of their members, to those within S and one variable more."""
    for i in range(n_within):
        lists[target + i] = lists[source + i]
    for j in range(n_smaller):
        place = target + places[j]
        lists[place] = log_add(lists[place], lists[source + n_within + j])


@inlined
def _ordering_weight(number: int, later: int, penalty: float) -> float:
    """Log weight of placing a variable after a set: ``penalty`` off for each member that should stand later."""
    against = number & later
    total = 0.0
    while against:
        against &= against - 1
        total -= penalty
    return total


@compiled
def sum_forward(
    small: SmallSets,
    later: IntArray,
    penalty: float,
    lists: LogWeights,
    sums: LogWeights,
    stop: npt.NDArray[np.uint8],
) -> None:
    """For each set the log weight of its orderings when it stands first, over 2**V ``sums``, until ``stop`` is set.

    ``lists`` has one row per child, whose last list holds the weights of its parent sets.
    """
    n_variables = lists.shape[0]
    lists_at, places_at, starts_at = pointer_to(lists), pointer_to(small.places), pointer_to(small.starts)
    within_at, smaller_at, stop_at = pointer_to(small.within), pointer_to(small.smaller), pointer_to(stop)
    sums[:] = -np.inf
    sums[0] = 0.0
    for number in range(sums.shape[0] - 1):
        if stop_at[0] != 0:
            return
        bit = lowest_bit(number) if number else -1
        above = lowest_bit(number & (number - 1)) if number & (number - 1) else -1
        for v in range(n_variables):
            if (number >> v) & 1:
                continue
            source = v * lists.shape[1] + starts_at[other_of(above, v) if above >= 0 else n_variables - 1]
            if bit >= 0:
                other = other_of(bit, v)
                target = v * lists.shape[1] + starts_at[other]
                _sum_within(lists_at, source, target, within_at[other], smaller_at[other], places_at)
                source = target
            weight = sums[number] + lists_at[source] + _ordering_weight(number, later[v], penalty)
            sums[number | (1 << v)] = log_add(sums[number | (1 << v)], weight)


@compiled
def sum_backward(
    small: SmallSets,
    later: IntArray,
    penalty: float,
    lists: LogWeights,
    around: LogWeights,
    sums: LogWeights,
    stop: npt.NDArray[np.uint8],
) -> None:
    """For each child and parent set the log weight of the orderings around it, in the last list of ``around``.

    It ends early when ``stop`` is set.

    ``sums`` is taken from the forward pass and overwritten: for each set with the log weight of the orderings of all
    others when they stand last. Sets go down in numeric order. A list of ``around`` holds, for each parent set by what
    is left of its members, the weight of all sets enumerated since the list's variable was last taken out.
    """
    n_variables = lists.shape[0]
    lists_at, places_at, starts_at = pointer_to(lists), pointer_to(small.places), pointer_to(small.starts)
    within_at, smaller_at, around_at = pointer_to(small.within), pointer_to(small.smaller), pointer_to(around)
    stop_at = pointer_to(stop)
    everything = sums.shape[0] - 1
    changed = n_variables  # bits below this one are new since the set before
    for number in range(everything, -1, -1):
        if stop_at[0] != 0:
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
                source = v * lists.shape[1] + starts_at[other_of(higher, v) if higher >= 0 else n_variables - 1]
                target = v * lists.shape[1] + starts_at[other]
                _sum_within(lists_at, source, target, within_at[other], smaller_at[other], places_at)
            higher = b
        bit = lowest_bit(number) if number else -1
        first, last = sums[number], -np.inf if number != everything else 0.0
        for v in range(n_variables):
            if (number >> v) & 1:
                continue
            prior = _ordering_weight(number, later[v], penalty)
            after = sums[number | (1 << v)] + prior
            place = v * lists.shape[1]
            source = place + starts_at[other_of(bit, v) if bit >= 0 else n_variables - 1]
            last = log_add(last, after + lists_at[source])
            _pass_up(
                around_at, place, number, v, n_variables, first + after, within_at, smaller_at, places_at, starts_at
            )
        sums[number] = last
        changed = bit if bit >= 0 else 0


@inlined
def _pass_up(
    around: Pointer,
    place: int,
    number: int,
    child: int,
    n_variables: int,
    weight: float,
    within: Pointer,
    smaller: Pointer,
    places: Pointer,
    starts: Pointer,
) -> None:
    """Enter the orderings around one set, and complete the lists of the variables that no further set contains."""
    around[place + starts[0]] = weight
    for other in range(n_variables - 1):
        source, target = place + starts[other], place + starts[other + 1]
        variable = other if other < child else other + 1
        if (number >> variable) & 1:  # the sets with this variable are done, those without it follow
            for i in range(within[other]):
                around[target + i] = around[source + i]
            for j in range(smaller[other]):
                around[target + within[other] + j] = around[source + places[j]]
            break
        for i in range(within[other]):
            around[target + i] = log_add(around[target + i], around[source + i])
