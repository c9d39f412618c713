"""The ordering of a few variables that lets edges of the largest total gain into an acyclic graph.

In a given ordering a variable takes the best edges from those before it, at most as many as its limit. Dynamic
programming over the sets of variables that stand first finds the best ordering (Held & Karp 1962; for Bayesian networks
Silander & Myllymäki 2006). An ordering of more variables is improved by moving one of them at a time.

Each child's candidate parents come in decreasing order of gain: ``places[v, k]`` is the number of the k-th, or -1 where
it always stands before, and ``gains[v, k]`` its gain, infinity for a required edge; gains of 0 fill the rows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled, inlined

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_ROUNDING = 1e-9


@inlined
def _gain_after_set(v: int, before: int, places: IntArray, gains: FloatArray, limit: int) -> float:
    """What v gains from its parents in a set; minus infinity without a required one."""
    total, taken = 0.0, 0
    for k in range(places.shape[1]):
        gain, place = gains[v, k], places[v, k]
        if gain == 0.0 or taken == limit:
            break
        if place < 0 or (before >> place) & 1:
            total += 0.0 if gain == np.inf else gain
            taken += 1
        elif gain == np.inf:
            return -np.inf
    return total


@inlined
def _gain_at(v: int, position: IntArray, places: IntArray, gains: FloatArray, limit: int) -> float:
    """What v gains from its parents at lower positions; minus infinity without a required one."""
    total, taken = 0.0, 0
    for k in range(places.shape[1]):
        gain, place = gains[v, k], places[v, k]
        if gain == 0.0 or taken == limit:
            break
        if place < 0 or position[place] < position[v]:
            total += 0.0 if gain == np.inf else gain
            taken += 1
        elif gain == np.inf:
            return -np.inf
    return total


@compiled
def best_ordering(places: IntArray, gains: FloatArray, limits: IntArray) -> IntArray:
    """The ordering of n variables with the largest gain, shape (n,); of equal ones, the smallest numbers come last."""
    n = places.shape[0]
    best, last = np.full(1 << n, -np.inf), np.zeros(1 << n, dtype=np.int8)
    best[0] = 0.0
    for placed in range(1, 1 << n):
        for v in range(n):
            if (placed >> v) & 1:
                before = placed ^ (1 << v)
                value = best[before] + _gain_after_set(v, before, places, gains, limits[v])
                if value > best[placed]:
                    best[placed] = value
                    last[placed] = v
    order, placed = np.empty(n, dtype=np.int64), (1 << n) - 1
    for place in range(n - 1, -1, -1):
        order[place] = last[placed]
        placed ^= 1 << order[place]
    return order


@inlined
def _swap_gain(
    first: int, position: IntArray, order: IntArray, places: IntArray, gains: FloatArray, limits: IntArray
) -> float:
    """Swap the variables at a position and the next; return what is gained, minus infinity against a required edge."""
    a, b = order[first], order[first + 1]
    old = _gain_at(a, position, places, gains, limits[a]) + _gain_at(b, position, places, gains, limits[b])
    order[first], order[first + 1] = b, a
    position[a], position[b] = first + 1, first
    return _gain_at(a, position, places, gains, limits[a]) + _gain_at(b, position, places, gains, limits[b]) - old


@compiled
def improve_ordering(order: IntArray, places: IntArray, gains: FloatArray, limits: IntArray) -> None:
    """Move single variables to where the gain is largest, until none can be moved with a gain; in place.

    The ordering given must have every required parent before its child. Neighbours are swapped on the way to each
    place, which changes what these two gain and nothing else.
    """
    n = order.shape[0]
    position = np.empty(n, dtype=np.int64)
    for place in range(n):
        position[order[place]] = place
    improved = True
    while improved:
        improved = False
        for v in range(n):
            for step in (-1, 1):
                start, value, best, best_place = position[v], 0.0, _ROUNDING, position[v]
                while 0 <= position[v] + step < n:
                    value += _swap_gain(min(position[v], position[v] + step), position, order, places, gains, limits)
                    if value == -np.inf:
                        break
                    if value > best:
                        best, best_place = value, position[v]
                improved = improved or best_place != start
                while position[v] != best_place:
                    back = 1 if position[v] < best_place else -1
                    _swap_gain(min(position[v], position[v] + back), position, order, places, gains, limits)
