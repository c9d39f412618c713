"""Swaps, splits and joins of parts (Kuipers & Moffa 2017, Sec. 4).

Each function proposes one change of the partition and makes it or not; it returns whether it was made. Where a drawn
change does not exist the partition stays as it is, which keeps the proposal probabilities simple.
"""

from __future__ import annotations

import math

import numpy as np

from bnengine._jit.compiled import compiled
from bnengine.posterior._ordering_sums import below, uniform
from bnengine.posterior._partitions import (
    Chain,
    draw_graph,
    draw_set,
    is_made,
    log_sum_touching,
    log_sum_within,
    mark_descendants,
    members_of,
    propose_partition_of_graph,
    size_of,
    take,
    weigh,
)


@compiled
def _copy(chain: Chain) -> None:
    """Begin the proposal as a copy of the present parts."""
    chain.proposed.n_parts[0] = chain.now.n_parts[0]
    for v in range(chain.sets.n_variables):
        chain.proposed.part[v] = chain.now.part[v]


@compiled
def _swapped(chain: Chain, v: int, w: int) -> bool:
    """Let two variables change places; as likely to be proposed as the swap back, since all sizes stay."""
    p, q = chain.now.part[v], chain.now.part[w]
    if p == q:
        return False
    _copy(chain)
    chain.proposed.part[v], chain.proposed.part[w] = q, p
    return is_made(chain, 0.0, weigh(chain, min(p, q), max(p, q) + 1), chain.power[0])


@compiled
def swap_any(chain: Chain) -> bool:
    """Swap two variables of any two parts."""
    n = chain.sets.n_variables
    return _swapped(chain, below(chain.random, n), below(chain.random, n))


@compiled
def swap_neighbours(chain: Chain) -> bool:
    """Swap two variables of parts that follow each other."""
    now = chain.now
    if now.n_parts[0] < 2:
        return False
    p = below(chain.random, now.n_parts[0] - 1)
    v = now.order[now.first[p] + below(chain.random, size_of(now, p))]
    w = now.order[now.first[p + 1] + below(chain.random, size_of(now, p + 1))]
    return _swapped(chain, v, w)


@compiled
def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)


@compiled
def _log_split(n_divisible: int, size: int, size_of_first: int) -> float:
    """Return the log probability of one split: a part of two or more, then how many go first, then which."""
    return -math.log(n_divisible) - math.log(size - 1) - _log_binomial(size, size_of_first)


@compiled
def _n_divisible(chain: Chain) -> int:
    """Return the number of parts with two variables or more."""
    n = 0
    for p in range(chain.now.n_parts[0]):
        n += size_of(chain.now, p) > 1
    return n


@compiled
def split_or_join(chain: Chain) -> bool:
    """Split a part in two, or join two parts that follow each other, as likely one as the other."""
    return _split(chain) if uniform(chain.random) < 0.5 else _join(chain)


@compiled
def _split(chain: Chain) -> bool:
    now, new, n_divisible = chain.now, chain.proposed, _n_divisible(chain)
    if n_divisible == 0:
        return False
    left = below(chain.random, n_divisible)
    p = -1
    while left >= 0:
        p += 1
        left -= size_of(now, p) > 1
    size = size_of(now, p)
    n_first = 1 + below(chain.random, size - 1)
    for v in range(chain.sets.n_variables):
        new.part[v] = now.part[v] + (now.part[v] > p)
    needed, start = n_first, now.first[p]
    for k in range(size):  # each subset of that size is as likely as any other
        if below(chain.random, size - k) < needed:
            needed -= 1
        else:
            new.part[now.order[start + k]] = p + 1
    new.n_parts[0] = now.n_parts[0] + 1
    ratio = -math.log(now.n_parts[0]) - _log_split(n_divisible, size, n_first)
    return is_made(chain, ratio, weigh(chain, p + 1, p + 2), chain.power[0])


@compiled
def _join(chain: Chain) -> bool:
    now, new = chain.now, chain.proposed
    if now.n_parts[0] < 2:
        return False
    p = below(chain.random, now.n_parts[0] - 1)
    n_first, n_second = size_of(now, p), size_of(now, p + 1)
    for v in range(chain.sets.n_variables):
        new.part[v] = now.part[v] - (now.part[v] > p)
    new.n_parts[0] = now.n_parts[0] - 1
    n_divisible = _n_divisible(chain) + 1 - (n_first > 1) - (n_second > 1)
    ratio = math.log(now.n_parts[0] - 1) + _log_split(n_divisible, n_first + n_second, n_first)
    return is_made(chain, ratio, weigh(chain, p, p + 1), chain.power[0])


# One variable moves: all its places in the partition of the others are weighed, and one is drawn.
#
# Without variable v the others form parts B0, B1, …, of which v may join each, or stand alone before, between or
# behind them. Drawing a place by its weight (a heat bath) needs no Metropolis step. A variable w of part k is weighed
# four times at most, by where v is: behind the part before w's (``after``), in that part (``within``), alone between
# the two (``alone``), or before them (``before``). Where v cannot be a parent of w, only ``alone`` differs from w's
# present weight: it is zero.

_LAST = 1 << 40  # a level behind all others


@compiled
def relocate(chain: Chain) -> bool:
    """Draw a new place for a variable; returns whether it is another one than before."""
    now, level = chain.now, chain.level
    v = below(chain.random, chain.sets.n_variables)
    home = now.part[v]
    is_alone = now.first[home + 1] - now.first[home] == 1
    n_parts = now.n_parts[0] - is_alone
    for w in range(chain.sets.n_variables):  # part k is at level 2 k + 1, the gap before it at 2 k
        level[w] = 2 * (now.part[w] - (is_alone and now.part[w] > home)) + 1
    _weigh_parts(chain, v, n_parts)
    place = _drawn_place(chain, n_parts)
    if place == (2 * home if is_alone else 2 * home + 1):
        return False
    level[v] = place
    _write_proposal(chain, v, n_parts)
    old, new = now.part[v], chain.proposed.part[v]
    weigh(chain, min(old, new) - 1, max(old, new) + 2)
    take(chain)
    return True


@compiled
def _weigh_parts(chain: Chain, v: int, n_parts: int) -> None:
    """Compute for each part the log weight of its variables, by where v is, and v's own behind each part."""
    sets, now, level = chain.sets, chain.now, chain.level
    for k in range(n_parts + 1):
        chain.after[k] = chain.within[k] = chain.alone[k] = chain.before[k] = 0.0
        chain.own[k] = log_sum_touching(sets, v, level, 2 * k - 1)
        chain.strangers[k] = 0
    for w in range(sets.n_variables):
        chain.strangers[level[w] >> 1] += w != v
    for i in range(sets.first_child[v], sets.first_child[v + 1]):
        chain.strangers[level[sets.children[i]] >> 1] -= 1
    for k in range(n_parts + 1):
        if chain.strangers[k] > 0:
            chain.alone[k] = -np.inf
    for i in range(sets.first_child[v], sets.first_child[v + 1]):
        w = sets.children[i]
        k = level[w] >> 1
        r, weight = 2 * k - 1, now.weights[w]
        level[v] = _LAST
        chain.after[k] += log_sum_touching(sets, w, level, r) - weight
        if chain.alone[k] != -np.inf:
            level[v] = 2 * k
            chain.alone[k] += log_sum_touching(sets, w, level, 2 * k) - weight
        if k > 0:
            level[v] = r
            chain.within[k] += log_sum_touching(sets, w, level, r) - weight
            level[v] = 0
            chain.before[k] += log_sum_touching(sets, w, level, r) - weight


@compiled
def _drawn_place(chain: Chain, n_parts: int) -> int:
    """Return the level of a place, drawn by weight: 2 k alone before part k, 2 k + 1 in it."""
    places = chain.places
    total = 0.0
    for k in range(n_parts + 1):  # parts before v
        places[2 * k] = total + chain.alone[k] + chain.own[k]
        if k < n_parts:
            total += chain.after[k]
            places[2 * k + 1] = total + chain.within[k + 1] + chain.own[k]
    total = 0.0
    for k in range(n_parts, -1, -1):  # parts behind v, but for the next one
        places[2 * k] += total
        if k > 0:
            places[2 * k - 1] += total
        total += chain.before[k]
    largest = -np.inf
    for i in range(2 * n_parts + 1):
        largest = max(largest, places[i])
    total = 0.0
    for i in range(2 * n_parts + 1):
        places[i] = math.exp(chain.power[0] * (places[i] - largest))
        total += places[i]
    left, last = uniform(chain.random) * total, -1
    for i in range(2 * n_parts + 1):
        if places[i] > 0.0:
            last = i
            left -= places[i]
            if left <= 0.0:
                break
    return last


@compiled
def _write_proposal(chain: Chain, v: int, n_parts: int) -> None:
    """Renumber the parts, with v at its level."""
    new, place = chain.proposed, chain.level[v]
    is_alone = place % 2 == 0
    for w in range(chain.sets.n_variables):
        k = chain.level[w] >> 1
        new.part[w] = k + (is_alone and w != v and k >= place >> 1)
    new.n_parts[0] = n_parts + is_alone


# Edge reversal (Grzegorczyk & Husmeier 2008) in a graph drawn from the partition.
#
# An edge i → j of the graph is chosen and both variables lose their parents. Then i draws new ones, j among them, and
# after it j, both by weight among the sets that close no cycle. The graph's partition is the proposal. Drawing the
# graph by its probability given the partition, and forgetting it afterwards, leaves the distribution of partitions as
# it was; where their weights are raised to a power, a Metropolis step accounts for the difference.


@compiled
def _n_members(chain: Chain, v: int) -> int:
    """Return the number of parents in the drawn graph."""
    return members_of(chain.sets, v, chain.graph[v], chain.parents)


@compiled
def _n_edges(chain: Chain) -> int:
    n = 0
    for v in range(chain.sets.n_variables):
        n += _n_members(chain, v)
    return n


@compiled
def _edge(chain: Chain, number: int) -> tuple[int, int]:
    """Return the edge of that number: parent and child."""
    for v in range(chain.sets.n_variables):
        n = _n_members(chain, v)
        if number < n:
            return chain.parents[number], v
        number -= n
    return -1, -1


@compiled
def _allow(chain: Chain, i: int, j: int) -> None:
    """Set levels for the parents of each: 0 what closes no cycle, 1 the other of the two, 2 all else.

    In ``level`` for i, with j at 1; in ``other_level`` for j, with i at 1; both have no parents.
    """
    mark_descendants(chain, i, j, chain.level)
    mark_descendants(chain, j, i, chain.other_level)
    for v in range(chain.sets.n_variables):
        chain.level[v] *= 2
        chain.other_level[v] *= 2
    chain.level[j], chain.other_level[i] = 1, 1


@compiled
def _allow_both(chain: Chain) -> None:
    """Set ``level`` to 0 for what descends from neither: it closes no cycle once one is the other's parent."""
    for v in range(chain.sets.n_variables):
        chain.level[v] = max(chain.level[v], chain.other_level[v])


@compiled
def reverse_edge(chain: Chain) -> bool:
    """Draw a graph, reverse one of its edges with new parents for both ends, and go to its partition or not."""
    sets = chain.sets
    draw_graph(chain, False)
    n_edges = _n_edges(chain)
    if n_edges == 0:
        return False
    i, j = _edge(chain, below(chain.random, n_edges))
    _allow(chain, i, j)
    forth = log_sum_touching(sets, i, chain.level, 1)
    back = log_sum_touching(sets, j, chain.other_level, 1)
    if forth == -np.inf:
        return False
    new_of_i = draw_set(sets, i, chain.level, 1, True, forth, uniform(chain.random))
    _allow_both(chain)
    rest_forth = log_sum_within(sets, j, chain.level, 0)
    rest_back = log_sum_within(sets, i, chain.level, 0)
    if rest_forth == -np.inf:
        return False
    chain.graph[i] = new_of_i
    chain.graph[j] = draw_set(sets, j, chain.level, 0, False, rest_forth, uniform(chain.random))
    ratio = math.log(n_edges / _n_edges(chain)) + forth - back + rest_forth - rest_back
    propose_partition_of_graph(chain)
    gain = weigh(chain, 0, chain.proposed.n_parts[0])
    return is_made(chain, ratio, gain, chain.power[0] - 1.0)
