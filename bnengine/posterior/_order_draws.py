"""Edge probabilities and graphs given orderings that a chain has visited."""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt64Array
from bnengine._core.compiled import compiled, pointer_to
from bnengine.posterior._uniform import uniform


@compiled
def edge_means(
    visits: Int32Array,
    sums: FloatArray,
    first_sum: IntArray,
    candidates: IntArray,
    n_candidates: IntArray,
    mean: FloatArray,
    square: FloatArray,
) -> None:
    """Means over the visits of P(j → i | ordering) and of its square, shape (V, V) each; the visits are set to 0.

    The parent sets of i that contain j have the share 1 - Z(m without j) / Z(m) of all those within the mask m.
    """
    mean[:], square[:] = 0.0, 0.0
    for child in range(n_candidates.shape[0]):
        first, n = first_sum[child], 0
        for mask in range(1 << n_candidates[child]):
            times = visits[first + mask]
            if times == 0:
                continue
            visits[first + mask] = 0
            n += times
            for c in range(n_candidates[child]):
                if (mask >> c) & 1:
                    share = -math.expm1(sums[first + (mask ^ (1 << c))] - sums[first + mask])
                    mean[candidates[child, c], child] += times * share
                    square[candidates[child, c], child] += times * share * share
        for c in range(n_candidates[child] if n else 0):
            mean[candidates[child, c], child] /= n
            square[candidates[child, c], child] /= n


@compiled
def draw_parent_sets(
    within: IntArray,
    masks: IntArray,
    n_sets: IntArray,
    weights: FloatArray,
    first_weight: IntArray,
    sums: FloatArray,
    first_sum: IntArray,
    random: UInt64Array,
    drawn: IntArray,
    best: IntArray,
) -> tuple[float, float]:
    """For each child the number of a parent set within its mask, drawn by weight, and that of the heaviest one.

    Returns the log weights of the graph drawn and of the heaviest graph.
    """
    of_drawn, of_best = 0.0, 0.0
    for child in range(within.shape[0]):
        first, mask = first_weight[child], within[child]
        total = sums[first_sum[child] + mask]
        left, chosen, heaviest = uniform(pointer_to(random)), -1, -1
        for s in range(n_sets[child]):
            weight = weights[first + s]
            if masks[s] & ~mask != 0 or weight == -np.inf:
                continue
            if heaviest < 0 or weight > weights[first + heaviest]:
                heaviest = s
            if left >= 0.0:
                chosen = s
                left -= math.exp(weight - total)
        drawn[child], best[child] = chosen, heaviest
        of_drawn += weights[first + chosen]
        of_best += weights[first + heaviest]
    return of_drawn, of_best
