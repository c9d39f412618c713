"""The ordering of a few variables that lets edges of the largest total gain into an acyclic graph.

In a given ordering a variable takes the best edges from those before it, at most as many as its limit. Dynamic
programming over the sets of variables that stand first finds the best ordering (Held & Karp 1962; for Bayesian networks
Silander & Myllymäki 2006). An ordering of more variables is improved by moving one of them at a time.

Each child's candidate parents come in decreasing order of gain: ``places[v, k]`` is the number of the k-th, or -1 where
it always stands before, and ``gains[v, k]`` its gain, infinity for a required edge; gains of 0 fill the rows.
"""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray, Int8Array, IntArray
from bnengine._core.compiled import Pointer, compiled, pointer_to

_ROUNDING = 1e-9


@compiled
def _gain_after_set(row: int, most: int, places: Pointer, gains: Pointer, limit: int, before: int) -> float:
    """What a variable gains from its parents in a set; minus infinity without a required one.

    Its candidates begin at ``row``.
    """
    total, taken = 0.0, 0
    for k in range(row, row + most):
        gain, place = gains[k], places[k]
        if gain == 0.0 or taken == limit:
            break
        if place < 0 or (before >> place) & 1:
            taken += 1
            if gain != np.inf:
                total += gain
        elif gain == np.inf:
            return -np.inf
    return total


@compiled
def _gain_at(v: int, most: int, places: Pointer, gains: Pointer, limits: Pointer, position: Pointer) -> float:
    """What v gains from its parents at lower positions; minus infinity without a required one."""
    total, taken, limit = 0.0, 0, limits[v]
    for k in range(v * most, (v + 1) * most):
        gain, place = gains[k], places[k]
        if gain == 0.0 or taken == limit:
            break
        if place < 0 or position[place] < position[v]:
            taken += 1
            if gain != np.inf:
                total += gain
        elif gain == np.inf:
            return -np.inf
    return total


@compiled
def _gain_of_two(
    a: int, b: int, most: int, places: Pointer, gains: Pointer, limits: Pointer, position: Pointer
) -> float:
    """What two variables gain together."""
    at_a = _gain_at(a, most, places, gains, limits, position)
    return at_a + _gain_at(b, most, places, gains, limits, position)


def best_ordering(places: IntArray, gains: FloatArray, limits: IntArray) -> IntArray:
    """The ordering of n variables with the largest gain, shape (n,); of equal ones, the smallest numbers come last."""
    n = len(places)
    best, last = np.full(1 << n, -np.inf), np.zeros(1 << n, dtype=np.int8)
    best[0] = 0.0
    _fill_best(places.ravel(), gains.ravel(), limits, best, last)
    order, placed = np.empty(n, dtype=np.int64), (1 << n) - 1
    for place in range(n - 1, -1, -1):
        order[place] = last[placed]
        placed ^= 1 << int(order[place])
    return order


@compiled
def _fill_best(places: IntArray, gains: FloatArray, limits: IntArray, best: FloatArray, last: Int8Array) -> None:
    """The largest gain of each set of variables that stands first, and which variable is its last."""
    n = limits.shape[0]
    places_at, gains_at, most = pointer_to(places), pointer_to(gains), places.shape[0] // n
    for placed in range(1, best.shape[0]):
        for v in range(n):
            if (placed >> v) & 1:
                before = placed ^ (1 << v)
                value = best[before] + _gain_after_set(v * most, most, places_at, gains_at, limits[v], before)
                if value > best[placed]:
                    best[placed] = value
                    last[placed] = v


@compiled
def _swap_gain(
    step: int,
    v: int,
    most: int,
    places: Pointer,
    gains: Pointer,
    limits: Pointer,
    position: Pointer,
    order: Pointer,
) -> float:
    """Swap v with its neighbour before (step -1) or after it (1); minus infinity against a required edge."""
    from_place, to_place = position[v], position[v] + step
    other = order[to_place]
    a, b = (v, other) if step > 0 else (other, v)
    old = _gain_of_two(a, b, most, places, gains, limits, position)
    order[from_place], order[to_place] = other, v
    position[v], position[other] = to_place, from_place
    return _gain_of_two(a, b, most, places, gains, limits, position) - old


def improve_ordering(order: IntArray, places: IntArray, gains: FloatArray, limits: IntArray) -> None:
    """Move single variables to where the gain is largest, until none can be moved with a gain; in place.

    The ordering given must have every required parent before its child. Neighbours are swapped on the way to each
    place, which changes what these two gain and nothing else.
    """
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    _improve(order, position, places.ravel(), gains.ravel(), limits)


@compiled
def _improve(order: IntArray, position: IntArray, places: IntArray, gains: FloatArray, limits: IntArray) -> None:
    order_at, position_at, limits_at = pointer_to(order), pointer_to(position), pointer_to(limits)
    places_at, gains_at = pointer_to(places), pointer_to(gains)
    n = order.shape[0]
    most = places.shape[0] // n
    improved = True
    while improved:
        improved = False
        for v in range(n):
            for side in range(2):
                step = 2 * side - 1
                start, value, best, best_place = position_at[v], 0.0, _ROUNDING, position_at[v]
                while 0 <= position_at[v] + step < n:
                    value += _swap_gain(step, v, most, places_at, gains_at, limits_at, position_at, order_at)
                    if value == -np.inf:
                        break
                    if value > best:
                        best, best_place = value, position_at[v]
                improved = improved or best_place != start
                while position_at[v] != best_place:
                    _swap_gain(-step, v, most, places_at, gains_at, limits_at, position_at, order_at)
