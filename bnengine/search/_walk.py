"""A graph under random changes: parent sets, paths and a list of its edges, all kept up to date as it changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import Pointer, compiled
from bnengine._core.records import record, record_from
from bnengine.scores.score_context import ScoreContext, remembered_score
from bnengine.search._neighbourhood import GraphState
from bnengine.search._parents import FloatArray, IntArray


@record
class Walk(NamedTuple):
    """A graph under random changes. ``graph`` holds the space, and the local scores of the present graph."""

    graph: GraphState
    parents: IntArray  # (V, V + 1) sorted, row by row
    n_parents: IntArray  # (V,)
    children: npt.NDArray[np.uint64]  # (V, words) bit sets
    edges: IntArray  # (V * V,) each edge as parent * V + child, in any order
    places: IntArray  # (V * V,) where in the list an edge stands; -1 for those that are absent
    n_edges: IntArray  # (1,)
    trial: IntArray  # (V + 1,) a parent set to be scored
    other: IntArray  # (V + 1,) another
    seen: npt.NDArray[np.uint64]  # (words,) variables visited on paths
    open: npt.NDArray[np.uint64]  # (words,) those of them whose children are still to be visited
    random: npt.NDArray[np.uint64]  # (1,) state of the random numbers
    scores: FloatArray  # (T,) score after each temperature
    temperatures: FloatArray  # (T,)


#: The walk behind the handle that a search is called with.
walk_from = record_from(Walk)


def walk_for(graph: GraphState, rng: np.random.Generator, temperatures: int) -> Walk:
    """A walk with no edges and random numbers of its own."""
    n, n_words = graph.n_variables, graph.n_words
    return Walk(
        graph=graph,
        parents=np.empty((n, n + 1), dtype=np.int64),
        n_parents=np.zeros(n, dtype=np.int64),
        children=np.zeros((n, n_words), dtype=np.uint64),
        edges=np.empty(n * n, dtype=np.int64),
        places=np.full(n * n, -1),
        n_edges=np.zeros(1, dtype=np.int64),
        trial=np.empty(n + 1, dtype=np.int64),
        other=np.empty(n + 1, dtype=np.int64),
        seen=np.empty(n_words, dtype=np.uint64),
        open=np.empty(n_words, dtype=np.uint64),
        random=rng.integers(0, 2**64, 1, dtype=np.uint64),
        scores=np.empty(temperatures),
        temperatures=np.empty(temperatures),
    )


@compiled
def set_out(context: ScoreContext, walk: Walk) -> None:
    """Begin at the present graph of ``walk.graph``."""
    n = walk.graph.n_variables
    for j in range(n):
        for i in range(n):
            if walk.graph.adjacency[i * n + j]:
                join(walk, i, j)
    for j in range(n):
        walk.graph.family[j] = score_without(context, walk, j, -1, walk.trial)


@compiled
def write_graph(walk: Walk) -> None:
    """Make the walk's edges the present graph of ``walk.graph``."""
    for e in range(walk.graph.n_variables * walk.graph.n_variables):
        walk.graph.adjacency[e] = walk.places[e] >= 0


@compiled
def joined(walk: Walk, i: int, j: int) -> bool:
    """Whether the edge i → j is present."""
    return walk.places[i * walk.graph.n_variables + j] >= 0  # type: ignore[no-any-return]


@compiled
def join(walk: Walk, i: int, j: int) -> None:
    """Add the edge i → j."""
    row = j * (walk.graph.n_variables + 1)
    k = walk.n_parents[j]
    while k > 0 and walk.parents[row + k - 1] > i:
        walk.parents[row + k] = walk.parents[row + k - 1]
        k -= 1
    walk.parents[row + k] = i
    walk.n_parents[j] += 1
    flip(walk, i, j)
    edge = i * walk.graph.n_variables + j
    walk.places[edge] = walk.n_edges[0]
    walk.edges[walk.n_edges[0]] = edge
    walk.n_edges[0] += 1


@compiled
def part(walk: Walk, i: int, j: int) -> None:
    """Delete the edge i → j."""
    row, k = j * (walk.graph.n_variables + 1), 0
    for p in range(walk.n_parents[j]):
        if walk.parents[row + p] != i:
            walk.parents[row + k] = walk.parents[row + p]
            k += 1
    walk.n_parents[j] = k
    flip(walk, i, j)
    edge = i * walk.graph.n_variables + j
    walk.n_edges[0] -= 1
    last, place = walk.edges[walk.n_edges[0]], walk.places[edge]
    walk.edges[place] = last
    walk.places[last] = place
    walk.places[edge] = -1


@compiled
def flip(walk: Walk, i: int, j: int) -> None:
    """Let paths go through i → j, or no more."""
    walk.children[i * walk.graph.n_words + (j >> 6)] ^= np.uint64(1) << np.uint64(j & 63)


@compiled
def has_path(walk: Walk, start: int, end: int) -> bool:
    """Whether a directed path leads from ``start`` to ``end``."""
    for w in range(walk.graph.n_words):
        walk.seen[w] = walk.open[w] = walk.children[start * walk.graph.n_words + w]
    while True:
        if (walk.seen[end >> 6] >> np.uint64(end & 63)) & np.uint64(1):
            return True
        found = False
        for w in range(walk.graph.n_words):
            if walk.open[w] != 0:
                lowest = walk.open[w] & (~walk.open[w] + np.uint64(1))
                walk.open[w] ^= lowest
                v = (w << 6) + _bit_number(lowest)
                for u in range(walk.graph.n_words):
                    fresh = walk.children[v * walk.graph.n_words + u] & ~walk.seen[u]
                    walk.seen[u] |= fresh
                    walk.open[u] |= fresh
                found = True
                break
        if not found:
            return False


@compiled
def _bit_number(bit: np.uint64) -> int:
    """The place of the only one bit, by halving."""
    place = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if bit >> np.uint64(shift):
            bit >>= np.uint64(shift)
            place += shift
    return place


@compiled
def score_with(context: ScoreContext, walk: Walk, child: int, new: int, out: Pointer) -> float:
    """Local score of the child with one more parent."""
    return score_exchanged(context, walk, child, -1, new, out)


@compiled
def score_without(context: ScoreContext, walk: Walk, child: int, old: int, out: Pointer) -> float:
    """Local score of the child without that parent (-1: with all of them)."""
    row, k = child * (walk.graph.n_variables + 1), 0
    for p in range(walk.n_parents[child]):
        if walk.parents[row + p] != old:
            out[k] = walk.parents[row + p]
            k += 1
    return remembered_score(context, child, out, k)  # type: ignore[no-any-return]


@compiled
def score_exchanged(context: ScoreContext, walk: Walk, child: int, old: int, new: int, out: Pointer) -> float:
    """Local score of the child with ``new`` among its parents instead of ``old`` (-1: in addition to all of them)."""
    row, k, placed = child * (walk.graph.n_variables + 1), 0, False
    for p in range(walk.n_parents[child]):
        parent = walk.parents[row + p]
        if not placed and parent > new:
            out[k] = new
            k += 1
            placed = True
        if parent != old:
            out[k] = parent
            k += 1
    if not placed:
        out[k] = new
        k += 1
    return remembered_score(context, child, out, k)  # type: ignore[no-any-return]
