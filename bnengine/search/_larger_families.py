"""Local scores of a family with each of many further parents, each as if it were asked for by itself.

``LocalScores.with_one_more`` is faster, but adds up a family's cells in another order: the last digits may differ from
those of a single question. Here they do not.
"""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.compiled import compiled
from bnengine._core.records import Handle
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import local_score, score_context


@compiled
def _score_larger(handle: Handle, child: int, parents: IntArray, wanted: UInt8Array, out: FloatArray) -> None:
    context = score_context(handle)
    larger = context.work.parents
    for v in range(wanted.shape[0]):
        if wanted[v] == 0:
            continue
        n_before = 0
        for p in range(parents.shape[0]):  # sorted: the new one stands between those before and those after it
            after = parents[p] > v
            larger[p + after] = parents[p]
            n_before += not after
        larger[n_before] = v
        out[v] = local_score(context, child, larger, parents.shape[0] + 1)


def scores_of_larger(scores: LocalScores, child: int, parents: IntArray, wanted: BoolArray) -> FloatArray:
    """Local score of a family with each wanted variable as one more parent, nats, shape (V,); else -infinity.

    ``parents`` is sorted and holds no wanted variable.
    """
    out = np.full(len(wanted), -np.inf)
    _score_larger(scores.handle, child, parents, wanted.astype(np.uint8), out)
    return out
