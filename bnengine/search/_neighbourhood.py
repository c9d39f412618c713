"""The neighbourhood of a graph: its single-edge changes, which of them are legal, and what each would gain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled, pointer_to
from bnengine._core.hashing import mix
from bnengine.graphs.dag import Adjacency
from bnengine.scores.score_context import ScoreContext, local_score, scores_with_one_more
from bnengine.search._parents import FloatArray, IntArray, parents_of, without_parent

#: Bit sets, one row a variable: which variables it has a directed path to.
Reach = npt.NDArray[np.uint64]

NOTHING, ADD, DELETE, REVERSE = 0, 1, 2, 3


@compiled
def edge_key(i: int, j: int) -> np.uint64:
    """A graph's key is the exclusive or of its edges' keys."""
    return mix((np.uint64(i) << np.uint64(20)) + np.uint64(j) + np.uint64(1))


@compiled
def reach_of(adjacency: Adjacency, reach: Reach) -> None:
    """Write to ``reach`` (bit sets) which variables each variable has a directed path to."""
    n_variables = adjacency.shape[0]
    reach[:] = 0
    for i in range(n_variables):
        for j in range(n_variables):
            if adjacency[i, j]:
                reach[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    for middle in range(n_variables):
        word, bit = middle >> 6, np.uint64(1) << np.uint64(middle & 63)
        for i in range(n_variables):
            if reach[i, word] & bit:
                for w in range(reach.shape[1]):
                    reach[i, w] |= reach[middle, w]


@compiled
def reaches(reach: Reach, i: int, j: int) -> bool:
    """Whether there is a directed path from i to j."""
    return bool((reach[i, j >> 6] >> np.uint64(j & 63)) & np.uint64(1) != 0)


@compiled
def reversal_makes_cycle(adjacency: Adjacency, reach: Reach, i: int, j: int) -> bool:
    """Whether i has another path to j than the edge i → j."""
    for middle in range(adjacency.shape[0]):
        if middle != j and adjacency[i, middle] and reaches(reach, middle, j):
            return True
    return False


class Scratch(NamedTuple):
    """Buffers of one climb."""

    parents: IntArray  # (V + 1,) parents of the variable at hand
    fewer: IntArray  # (V + 1,) the same but one
    wanted: npt.NDArray[np.uint8]  # (V,) which further parents are worth a score
    extended: FloatArray  # (V,) local score with each of them


@compiled
def scratch_for(n_variables: int) -> Scratch:
    """Buffers for a graph of that size."""
    return Scratch(
        np.empty(n_variables + 1, dtype=np.int64),
        np.empty(n_variables + 1, dtype=np.int64),
        np.empty(n_variables, dtype=np.uint8),
        np.empty(n_variables),
    )


@compiled
def refresh(
    context: ScoreContext,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    adjacency: Adjacency,
    child: int,
    family: FloatArray,
    gains: FloatArray,
    scratch: Scratch,
) -> None:
    """Local score of ``child``, and in ``gains[:, child]`` what adding or deleting each parent would change.

    Minus infinity marks what is not allowed, and additions whose penalty alone shows that they cannot gain. Such an
    addition cannot make a reversal the best move either: the deletion it begins with would gain as much.
    """
    parents, fewer, wanted, extended = scratch
    k = parents_of(adjacency, child, parents)
    score = local_score(context, child, pointer_to(parents), k)
    family[child] = score
    for v in range(adjacency.shape[0]):
        wanted[v] = allowed[v, child] and not adjacency[v, child] and k < max_parents
    scores_with_one_more(context, child, pointer_to(parents), k, pointer_to(wanted), score, pointer_to(extended))
    for v in range(adjacency.shape[0]):
        gains[v, child] = extended[v] - score if extended[v] > -np.inf else -np.inf
        if adjacency[v, child] and not required[v, child]:
            without_parent(parents, k, v, fewer)
            without = local_score(context, child, pointer_to(fewer), k - 1)
            gains[v, child] = without - score if without > -np.inf else -np.inf
