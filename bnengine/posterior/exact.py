"""Exact posterior probabilities of edges, summed over all orderings and all graphs consistent with them.

Koivisto & Sood (2004) and Koivisto (2006): forward, the weight of all orderings of a set that stands first; backward,
that of all orderings of a set that stands last, which takes the place of the former as it is last read. What a child's
parent sets within each set weigh, and what the orderings around each parent set weigh, comes from short lists as the
sets are enumerated (see ``small_sets``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._core.display import gigabytes
from bnengine._jit.compiled import compiled, inlined, pointer_to
from bnengine._jit.records import Handle, draw_place, handle_of, lowest, random_state, record, record_from, uniform
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.posterior.parent_set_tables import (
    NEGLIGIBLE,
    SmallSets,
    log_add,
    number_of_small_sets,
    score_parent_sets,
    small_sets,
)
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search._parent_sets import mask_of

_SECONDS_PER_SET = 2.2e-8  # for each variable and one parent more than the limit; a guess for a choice, not a promise
_FAMILY, _ROW, _DRAWN = 1e-6, 2e-9, 0.005  # seconds of a family, of each distinct row of it, and of all that is drawn
_MAX_VARIABLES = 40  # one number per set of more variables exceeds the memory of any machine


def memory_needed(n_variables: int, max_parents: int) -> int:
    """Return the bytes that exact edge posteriors need: a number for each of 2**V sets, and parent sets."""
    others = max(n_variables - 1, 0)
    lists = sum(number_of_small_sets(m, max_parents) for m in range(others + 1))  # for each bit of a set of others
    return (8 << n_variables) + 16 * n_variables * lists


def check_memory(n_variables: int, max_parents: int, max_memory: int) -> None:
    """Raise a ValueError if exact posteriors need more than ``max_memory`` bytes."""
    needed = memory_needed(n_variables, max_parents)
    if needed > max_memory:
        raise ValueError(
            f"exact edge posteriors over {n_variables} variables with up to {max_parents} parents need 8 · 2^V bytes "
            f"and memory for the parent sets, {gigabytes(needed)}, more than the {max_memory / 2**30:.1f} GB allowed: "
            "choose fewer variables, lower max_parents, or the bootstrap"
        )


def seconds_of_rows(data: Dataset, max_parents: int) -> float:
    """Estimate how long the exact posterior of a table takes on one core, seconds; infinite beyond any memory."""
    n = data.n_variables
    if n > _MAX_VARIABLES:
        return math.inf
    limit = min(max_parents, n - 1)
    of_sums = _SECONDS_PER_SET * (limit + 1) * n * 2.0**n
    n_sets = n * number_of_small_sets(n - 1, limit)
    return of_sums + n_sets * (_FAMILY + _ROW * data.multiplicities.size) + _DRAWN


def any_of_exactly(data: Dataset, score: TableScore, space: SearchSpace, child: str, group: Sequence[str]) -> float:
    """Return the exact probability that an edge joins a variable to one of a group, whichever way it points.

    One less the share of all graphs, by weight, that are left where these edges are forbidden.
    """
    place, members = data.index(child), [data.index(name) for name in group]
    if space.required[members, place].any() or space.required[place, members].any():
        return 1.0
    allowed = space.allowed.copy()
    allowed[members, place] = allowed[place, members] = False
    scores = LocalScores(data, score)
    without, every = (_forward(scores, one)[0] for one in (space._replace(allowed=allowed), space))
    return 1.0 - math.exp(min(without - every, 0.0))


def _forward(scores: LocalScores, space: SearchSpace) -> tuple[float, OrderingSums, SmallSets]:
    """Return the log weight of all orderings after the forward pass, the sums, and the sets of others."""
    n = len(space.allowed)
    small = small_sets(n - 1, space.max_parents)
    first = int(small.starts[-1])  # start of the list over all other variables
    lists = np.empty((n, first + len(small.masks)))
    for child in range(n):
        weights, columns = lists[child, first:], [v for v in range(n) if v != child]
        required = mask_of(space.required[columns, child])
        score_parent_sets(scores.handle, child, np.array(columns, dtype=np.int64), required, small.masks, weights)
        weights[small.masks & mask_of(~space.allowed[columns, child]) != 0] = -np.inf
    over_all = ordering_sums(small, lists, scores.context.stop)
    sum_forward(handle_of(over_all))
    return float(over_all.sums[-1]), over_all, small


def exact_probabilities(
    scores: LocalScores, space: SearchSpace, rng: np.random.Generator | None = None, n_graphs: int = 0
) -> tuple[FloatArray, BoolArray]:
    """Compute the edge probabilities, shape (V, V), by a forward and a backward sum over sets, and draw graphs.

    The graphs, ``n_graphs`` of them, are independent of one another. Once the stop flag of the scores is set, the
    probabilities mean nothing.
    """
    n, stop = len(space.allowed), scores.context.stop
    log_evidence, over_all, small = _forward(scores, space)
    lists, first, handle = over_all.lists, int(small.starts[-1]), handle_of(over_all)
    others = [[v for v in range(n) if v != child] for child in range(n)]
    probability, graphs = np.zeros((n, n)), np.zeros((0, n, n), dtype=np.bool_)
    if stop[0]:
        return probability, graphs
    if not math.isfinite(log_evidence):
        raise ValueError(
            "no graph satisfies the constraints with so few parents: raise max_parents or drop a required edge"
        )
    if rng is not None and n_graphs:
        graphs = _drawn(handle, small.masks, lists[:, first:], others, rng, n_graphs)
    sum_backward(handle)
    remaining = over_all.around  # weight of all other families, given each parent set
    for child in range(n if not stop[0] else 0):
        share = np.exp(lists[child, first:] + remaining[child, first:] - log_evidence)
        for other, parent in enumerate(others[child]):
            probability[parent, child] = share[(small.masks >> other) & 1 == 1].sum()
    return np.minimum(probability, 1.0), graphs


def _drawn(
    handle: Handle,
    masks: IntArray,
    weights: FloatArray,
    others: list[list[int]],
    rng: np.random.Generator,
    n_graphs: int,
) -> BoolArray:
    """Draw graphs from the sums of the forward pass; ``masks`` are sets of others, ``weights`` (V, S)."""
    n = len(others)
    order = np.argsort(-weights, axis=1, kind="stable")
    of_columns = np.array([sum((((masks >> o) & 1) << v for o, v in enumerate(row)), 0 * masks) for row in others])
    of_columns, weights = np.take_along_axis(of_columns, order, 1), np.take_along_axis(weights, order, 1)
    drawn = np.zeros((n_graphs, n), dtype=np.int64)
    number = draw_from_sums(handle, of_columns, weights, random_state(rng), drawn, np.empty(n))
    parents = of_columns[np.arange(n), drawn[:number]]
    return np.asarray(((parents[:, None, :] >> np.arange(n)[:, None]) & 1).astype(np.bool_))


# The sums over orderings, in compiled code.

_LOOK = 1023  # sets between two looks at the stop flag, less one: some milliseconds


@inlined
def other_of(v: int, child: int) -> int:
    """Return the number of variable v among the others of the child."""
    return v if v < child else v - 1


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
        bit = lowest(np.uint64(number)) if number else -1
        above = lowest(np.uint64(number & (number - 1))) if number & (number - 1) else -1
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
            elif weights[child, s] < weights[child, heaviest] - NEGLIGIBLE:
                break
            total += math.exp(weights[child, s] - weights[child, heaviest])
    return (weights[child, heaviest] + math.log(total), heaviest) if heaviest >= 0 else (-np.inf, -1)


@compiled
def draw_from_sums(
    handle: Handle, masks: IntArray, weights: FloatArray, random: UInt64Array, drawn: IntArray, at: FloatArray
) -> int:
    """Draw orderings and, given each, a graph, independently of one another, from the sums of the forward pass.

    ``masks`` (V, S) are each child's parent sets, bits standing for variables, by falling ``weights``. Of each draw the
    graph's parent sets go to a row of ``drawn``, (m, V). Returns how many were drawn, fewer once another thread has set
    ``stop``; ``at`` is a buffer, (V,).
    """
    of = _ordering_sums(handle)
    last = np.empty(of.n_variables, dtype=np.int64)
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
            for i in range(n):
                at[i] = math.exp(at[i] - highest)
            v = last[draw_place(pointer_to(random), pointer_to(at), n)]
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
        bit = lowest(np.uint64(number)) if number else -1
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
