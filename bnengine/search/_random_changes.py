"""Random changes of a graph, proposed and accepted by Metropolis' rule at a temperature.

Each proposal is as likely as the one that takes it back. One that is not legal is no proposal.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt64Array
from bnengine._jit.compiled import Pointer, compiled
from bnengine._jit.records import Handle, below, popcount, random_state, record, record_from, uniform, with_room
from bnengine.scores.score_context import ScoreContext, cached_score, stopped
from bnengine.search.edge_changes import (
    ADD,
    DELETE,
    NOTHING,
    REVERSE,
    GraphSearch,
    GraphState,
    find_reach,
    graph_state,
    reaches,
    reversal_makes_cycle,
)

# Random legal changes of a graph: what a search with restarts sets out from again.


@compiled
def _can_be_made(state: GraphState, kind: int, i: int, j: int) -> bool:
    """Return whether that change of the pair i → j leads to a graph of the space."""
    forward, backward = i * state.n_variables + j, j * state.n_variables + i
    adjacency, n_parents = state.adjacency, state.n_parents
    if kind == ADD:
        absent = not adjacency[forward] and not adjacency[backward]
        return absent and state.allowed[forward] != 0 and n_parents[j] < state.max_parents and not reaches(state, j, i)
    if not adjacency[forward] or state.required[forward]:
        return False
    if kind == DELETE:
        return True
    return state.allowed[backward] != 0 and n_parents[i] < state.max_parents and not reversal_makes_cycle(state, i, j)


@compiled
def _number_legal(state: GraphState, kind: int) -> int:
    """Count the legal changes of a kind."""
    number = 0
    for i in range(state.n_variables):
        for j in range(state.n_variables):
            number += _can_be_made(state, kind, i, j)
    return number


@compiled
def _draw_kind(numbers: IntArray, uniform: float) -> int:
    """Draw one of the kinds that have a legal change, all equally likely; 0 if none has."""
    present = 0
    for kind in range(ADD, REVERSE + 1):
        if numbers[kind] > 0:
            present += 1
    place = np.int64(uniform * present)
    for kind in range(ADD, REVERSE + 1):
        if numbers[kind] > 0:
            if place == 0:
                return kind
            place -= 1
    return 0


@compiled
def _perturb(handle: Handle, draws: FloatArray, numbers: IntArray) -> int:
    """See ``perturb``; ``numbers`` is room for how many legal changes each kind has."""
    state = graph_state(handle)
    n, adjacency, n_parents = state.n_variables, state.adjacency, state.n_parents
    for d in range(draws.shape[0]):
        find_reach(state)
        for v in range(n):
            n_parents[v] = 0
            for u in range(n):
                n_parents[v] += adjacency[u * n + v]
        for kind in range(ADD, REVERSE + 1):
            numbers[kind] = _number_legal(state, kind)
        drawn = _draw_kind(numbers, draws[d, 0])
        if drawn == 0:
            return d
        place = np.int64(draws[d, 1] * numbers[drawn])
        for pair in range(n * n):
            i, j = pair // n, pair % n
            if _can_be_made(state, drawn, i, j):
                if place == 0:
                    adjacency[i * n + j] = drawn == ADD
                    adjacency[j * n + i] = drawn == REVERSE
                    break
                place -= 1
    return draws.shape[0]  # type: ignore[no-any-return]


def perturb(search: GraphSearch, draws: FloatArray) -> int:
    """Make one random legal change of the present graph for each row of ``draws`` (two uniform numbers).

    First the kind is drawn, of those that have a legal change, then one of its legal changes, all equally likely. Drawn
    from all changes alike, nine in ten would add an edge, which the climb takes away again. Returns how many changes
    were made: fewer than rows only where the space holds a single graph.
    """
    return _perturb(search.handle, draws, np.zeros(REVERSE + 1, dtype=np.int64))


def draws_for(rng: np.random.Generator, restarts: int, perturbation: int) -> FloatArray:
    """Return the uniform numbers that the perturbations of all restarts use."""
    return rng.random((restarts, perturbation, 2))


# A graph under random changes: parent sets, paths and a list of its edges, all kept up to date as it changes.


@record
class Walk(NamedTuple):
    """A graph under random changes. ``graph`` holds the space, and the local scores of the present graph."""

    graph: GraphState
    parents: Annotated[IntArray, "V, V + 1"]  # sorted, row by row
    n_parents: Annotated[IntArray, "V"]
    children: Annotated[UInt64Array, "V, W"]  # bit sets
    edges: Annotated[IntArray, "V * V"]  # each edge as parent * V + child, in any order
    places: IntArray  # (V * V,) where in the list an edge stands; -1 for those that are absent
    n_edges: Annotated[IntArray, "1"]
    trial: Annotated[IntArray, "V + 1"]  # a parent set to be scored
    other: Annotated[IntArray, "V + 1"]  # another
    seen: Annotated[UInt64Array, "W"]  # variables visited on paths
    open: Annotated[UInt64Array, "W"]  # those of them whose children are still to be visited
    random: UInt64Array  # (1,) state of the random numbers
    scores: Annotated[FloatArray, "T"]  # score after each temperature
    temperatures: Annotated[FloatArray, "T"]


#: The walk behind the handle that a search is called with.
walk_from = record_from(Walk)


def walk_for(graph: GraphState, rng: np.random.Generator, temperatures: int) -> Walk:
    """Return a walk with no edges and random numbers of its own."""
    n, places = graph.n_variables, np.full(graph.n_variables**2, -1)
    return with_room(Walk, V=n, W=graph.n_words, T=temperatures, graph=graph, places=places, random=random_state(rng))


@compiled
def start_walk(context: ScoreContext, walk: Walk) -> None:
    """Begin at the present graph of ``walk.graph``."""
    n = walk.graph.n_variables
    for j in range(n):
        for i in range(n):
            if walk.graph.adjacency[i * n + j]:
                connect(walk, i, j)
    for j in range(n):
        walk.graph.family[j] = score_changed(context, walk, j, -1, -1, walk.trial)


@compiled
def write_graph(walk: Walk) -> None:
    """Make the walk's edges the present graph of ``walk.graph``."""
    for e in range(walk.graph.n_variables * walk.graph.n_variables):
        walk.graph.adjacency[e] = walk.places[e] >= 0


@compiled
def joined(walk: Walk, i: int, j: int) -> bool:
    """Return whether the edge i → j is present."""
    return walk.places[i * walk.graph.n_variables + j] >= 0  # type: ignore[no-any-return]


@compiled
def connect(walk: Walk, i: int, j: int) -> None:
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
def disconnect(walk: Walk, i: int, j: int) -> None:
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
    """Return whether a directed path leads from ``start`` to ``end``."""
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
    """Return the child's local score without the parent ``old`` and with ``new``; -1 for neither."""
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
    return cached_score(context, child, out, k)  # type: ignore[no-any-return]


ILLEGAL, REFUSED, MADE = 0, 1, 2
EXCHANGE = REVERSE + 1


@compiled
def _is_accepted(walk: Walk, gain: float, temperature: float) -> bool:
    """Return whether a change is made; a number is drawn for gains, too, so that no tie shifts the draws after it."""
    loss = 0.0 if gain > 0.0 else gain
    return uniform(walk.random) < math.exp(loss / temperature)


@compiled
def _is_legal(walk: Walk, kind: int, i: int, j: int, parent: int, child: int) -> bool:
    """Return whether i → j may go (unless it is an addition), and parent → child come (unless it is a deletion)."""
    n, graph = walk.graph.n_variables, walk.graph
    if kind != ADD and graph.required[i * n + j]:
        return False
    if kind == DELETE:
        return True
    if not graph.allowed[parent * n + child]:
        return False
    if kind == EXCHANGE:
        if joined(walk, parent, child):
            return False
    elif walk.n_parents[child] >= graph.max_parents:
        return False
    if kind == REVERSE:
        flip(walk, i, j)
    closes_cycle = has_path(walk, child, parent)
    if kind == REVERSE:
        flip(walk, i, j)
    return not closes_cycle


@compiled
def _propose(
    context: ScoreContext, walk: Walk, kind: int, i: int, j: int, k: int, temperature: float
) -> tuple[int, float]:
    """Propose a change: that i → j comes, goes, becomes j → i, or is exchanged for k → j in one step."""
    parent, child = i, j  # the edge that comes
    if kind == REVERSE:
        parent, child = j, i
    elif kind == EXCHANGE:
        parent = k
    if not _is_legal(walk, kind, i, j, parent, child):
        return ILLEGAL, 0.0
    family = walk.graph.family
    old, new = i if kind != ADD else -1, parent if kind != DELETE and kind != REVERSE else -1
    at_j, at_i = score_changed(context, walk, j, old, new, walk.trial), 0.0
    gain = at_j - family[j]
    if kind == REVERSE:
        at_i = score_changed(context, walk, i, -1, j, walk.other)
        gain = gain + at_i - family[i]
    if not _is_accepted(walk, gain, temperature):
        return REFUSED, 0.0
    if kind != ADD:
        disconnect(walk, i, j)
    if kind != DELETE:
        connect(walk, parent, child)
    family[j] = at_j
    if kind == REVERSE:
        family[i] = at_i
    return MADE, gain


@compiled
def _draw(walk: Walk, exchanges: bool) -> tuple[int, int, int, int]:
    """Draw a change: its kind, the edge i → j, and the new parent k of an exchange.

    With exchanges a third each: an addition or deletion, a reversal, an exchange. The number of edges stays what it is
    in the latter two, so an edge may be drawn from the list. Without them, one of the single-edge changes, all equally
    likely.
    """
    n, kind, second = walk.graph.n_variables, 0, False
    if exchanges:
        kind = below(walk.random, 3)
    if kind == 0:
        i = below(walk.random, n)
        j = below(walk.random, n)
        if not exchanges:
            second = uniform(walk.random) < 0.5
        if i == j or joined(walk, j, i):
            return NOTHING, i, j, -1
        if joined(walk, i, j):
            return DELETE if exchanges or second else REVERSE, i, j, -1
        return NOTHING if second else ADD, i, j, -1
    if walk.n_edges[0] == 0:
        return NOTHING, -1, -1, -1
    edge = walk.edges[below(walk.random, walk.n_edges[0])]
    i, j = edge // n, edge % n
    if kind == 1:
        return REVERSE, i, j, -1
    return EXCHANGE, i, j, below(walk.random, n)


@compiled
def walk_at(
    context: ScoreContext, walk: Walk, temperature: float, most_proposals: int, most_accepted: int, exchanges: bool
) -> tuple[float, int]:
    """Walk at one temperature, not for long where little is legal; return what it gained and the changes made."""
    proposals, accepted, drawn, gained = 0, 0, 0, 0.0
    most_drawn = 64 * most_proposals
    while proposals < most_proposals and accepted < most_accepted and drawn < most_drawn and not stopped(context):
        drawn += 1
        kind, i, j, k = _draw(walk, exchanges)
        outcome, gain = ILLEGAL, 0.0
        if kind != NOTHING:
            outcome, gain = _propose(context, walk, kind, i, j, k, temperature)
        proposals += outcome != ILLEGAL
        accepted += outcome == MADE
        gained += gain
    return gained, accepted
