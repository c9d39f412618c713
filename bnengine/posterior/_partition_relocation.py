"""One variable moves: all its places in the partition of the others are weighed, and one is drawn.

Without variable v the others form parts B0, B1, …, of which v may join each, or stand alone before, between or behind
them. Drawing a place by its weight (a heat bath) needs no Metropolis step. A variable w of part k is weighed four
times at most, by where v is: behind the part before w's (``after``), in that part (``within``), alone between the two
(``alone``), or before them (``before``). Where v cannot be a parent of w, only ``alone`` differs from w's present
weight: it is zero.
"""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.compiled import compiled
from bnengine.posterior._partition_state import Chain, take, weigh
from bnengine.posterior._partition_tables import log_sum_touching
from bnengine.posterior._uniform import below, uniform

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
    """For each part the log weight of its variables, by where v is; and v's own behind each part."""
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
    """The level of a place, drawn by weight: 2 k alone before part k, 2 k + 1 in it."""
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
    """Number the parts anew, with v at its level."""
    new, place = chain.proposed, chain.level[v]
    is_alone = place % 2 == 0
    for w in range(chain.sets.n_variables):
        k = chain.level[w] >> 1
        new.part[w] = k + (is_alone and w != v and k >= place >> 1)
    new.n_parts[0] = n_parts + is_alone
