"""A graph under random changes: parent sets, paths and a list of its edges, all kept up to date as it changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt64Array
from bnengine._core.compiled import Pointer, compiled
from bnengine._core.records import record, record_from
from bnengine._core.vectors import popcount
from bnengine.scores.score_context import ScoreContext, remembered_score
from bnengine.search._neighbourhood import GraphState


@record
class Walk(NamedTuple):
    """A graph under random changes. ``graph`` holds the space, and the local scores of the present graph."""

    graph: GraphState
    parents: IntArray  # (V, V + 1) sorted, row by row
    n_parents: IntArray  # (V,)
    children: UInt64Array  # (V, words) bit sets
    edges: IntArray  # (V * V,) each edge as parent * V + child, in any order
    places: IntArray  # (V * V,) where in the list an edge stands; -1 for those that are absent
    n_edges: IntArray  # (1,)
    trial: IntArray  # (V + 1,) a parent set to be scored
    other: IntArray  # (V + 1,) another
    seen: UInt64Array  # (words,) variables visited on paths
    open: UInt64Array  # (words,) those of them whose children are still to be visited
    random: UInt64Array  # (1,) state of the random numbers
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
        walk.graph.family[j] = score_changed(context, walk, j, -1, -1, walk.trial)


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
    n, parents = walk.graph.n_variables, walk.parents
    place, row = walk.n_parents[j], j * (n + 1)
    walk.n_parents[j] = place + 1
    place += row
    while place > row and parents[place - 1] > i:
        parents[place] = parents[place - 1]
        place -= 1
    parents[place] = i
    flip(walk, i, j)
    last = walk.n_edges[0]
    walk.places[i * n + j] = last
    walk.edges[last] = i * n + j
    walk.n_edges[0] = last + 1


@compiled
def part(walk: Walk, i: int, j: int) -> None:
    """Delete the edge i → j."""
    n, parents, places = walk.graph.n_variables, walk.parents, walk.places
    row = j * (n + 1)
    k = row
    for p in range(row, row + walk.n_parents[j]):
        if parents[p] != i:
            parents[k] = parents[p]
            k += 1
    walk.n_parents[j] = k - row
    flip(walk, i, j)
    n_edges, place = walk.n_edges[0] - 1, places[i * n + j]
    last = walk.edges[n_edges]
    walk.n_edges[0] = n_edges
    walk.edges[place] = last
    places[last] = place
    places[i * n + j] = -1


@compiled
def flip(walk: Walk, i: int, j: int) -> None:
    """Let paths go through i → j, or no more."""
    walk.children[i * walk.graph.n_words + (j >> 6)] ^= np.uint64(1) << np.uint64(j & 63)


@compiled
def has_path(walk: Walk, start: int, end: int) -> bool:
    """Whether a directed path leads from ``start`` to ``end``."""
    n_words, seen, waiting, children = walk.graph.n_words, walk.seen, walk.open, walk.children
    for w in range(n_words):
        seen[w] = waiting[w] = children[start * n_words + w]
    while True:
        if (seen[end >> 6] >> np.uint64(end & 63)) & np.uint64(1):
            return True
        found = False
        for w in range(n_words):
            word = waiting[w]
            if word != 0:
                waiting[w] = word & (word - np.uint64(1))
                row = ((w << 6) + np.int64(popcount(~word & (word - np.uint64(1))))) * n_words  # of its lowest bit
                for u in range(n_words):
                    fresh = children[row + u] & ~seen[u]
                    seen[u] |= fresh
                    waiting[u] |= fresh
                found = True
                break
        if not found:
            return False


@compiled
def score_changed(context: ScoreContext, walk: Walk, child: int, old: int, new: int, out: Pointer) -> float:
    """Local score of the child without the parent ``old`` and with ``new`` among its parents; -1 for neither."""
    row, k, placed = child * (walk.graph.n_variables + 1), 0, new < 0
    for p in range(row, row + walk.n_parents[child]):
        parent = walk.parents[p]
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
