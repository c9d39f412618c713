"""Log weights of a child's parent sets among its candidates, and their sums over all subsets of each set of them.

A set of candidates is a bit mask: bit i stands for the child's i-th candidate.
"""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.compiled import compiled
from bnengine._core.records import Handle
from bnengine.posterior._ordering_sums import log_add
from bnengine.scores.score_context import local_score, score_context, stopped


@compiled
def score_parent_sets(
    handle: Handle, child: int, candidates: IntArray, required: int, masks: IntArray, out: FloatArray
) -> None:
    """Log weight of each parent set: its local score; minus infinity where a required parent is missing.

    When the search is to stop, minus infinity for all that are left but the required parents alone.
    """
    context = score_context(handle)
    parents = context.work.parents
    for i in range(masks.shape[0]):
        mask = masks[i]
        out[i] = -np.inf
        if required & ~mask != 0 or (stopped(context) and mask != required):
            continue
        k = 0
        for c in range(candidates.shape[0]):
            if (mask >> c) & 1:
                parents[k] = candidates[c]
                k += 1
        out[i] = local_score(context, child, parents, k)


@compiled
def sum_over_subsets(masks: IntArray, weights: FloatArray, sums: FloatArray) -> None:
    """Log of the total weight of the parent sets within each set of candidates, over 2**K ``sums``.

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
