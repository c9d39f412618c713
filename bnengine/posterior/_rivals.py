"""Rivals of a good graph: the best graphs near it that differ in one relation between two variables.

Candidate parents must be right for every ordering that a chain should visit, not only for those near one graph. A
variable and its near copy, say, can stand for each other; whichever comes first needs the parents of both. So each pair
that is adjacent or strongly associated is changed on purpose (edge turned round, edge left out, variables exchanged),
and the climb that follows tells which parents the others then want.
"""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.compiled import Pointer, compiled, pointer_to
from bnengine._core.records import Handle
from bnengine.scores.score_context import ScoreContext, score_context, stopped
from bnengine.search._neighbourhood import (
    NOTHING,
    GraphState,
    find_reach,
    graph_state,
    make_move,
    reaches,
    refresh,
    start_at,
    total_score,
)
from bnengine.search._parents import tolerance
from bnengine.search.hill_climbing import best_move

#: How a rival differs from the graph that it is made from.
TURNED, APART, EXCHANGED, FIRST, LAST = 0, 1, 2, 3, 4


@compiled
def _climb_on(context: ScoreContext, state: GraphState) -> float:
    """Climb from the present graph, whose gains are known; returns the score reached, nats."""
    least_gain = tolerance(context.sample.n_rows)
    for _ in range(state.most_steps):
        kind, i, j = best_move(state, least_gain)
        if kind == NOTHING or stopped(context):
            break
        make_move(context, state, kind, i, j)
    return total_score(state)


@compiled
def _note(state: GraphState, score: float, best_with: Pointer) -> None:
    """Raise each edge's entry in ``best_with`` to the score of a graph that has it."""
    for e in range(state.n_variables * state.n_variables):
        if state.adjacency[e] and score > best_with[e]:
            best_with[e] = score


@compiled
def _turn(state: GraphState, i: int, j: int) -> None:
    """Turn i → j round; of j's parents those go that i has a path to."""
    n = state.n_variables
    state.adjacency[i * n + j] = 0
    for p in range(n):
        if reaches(state, i, p) and p != j:
            state.adjacency[p * n + j] = 0
    k = 0
    for p in range(n):
        k += state.adjacency[p * n + i]
    for p in range(n):
        if k >= state.max_parents and not state.required[p * n + i]:
            k -= state.adjacency[p * n + i]
            state.adjacency[p * n + i] = 0
    state.adjacency[j * n + i] = 1


@compiled
def _exchange(state: GraphState, i: int, j: int) -> bool:
    """Let two variables take each other's place; returns whether the constraints permit it."""
    n, adjacency = state.n_variables, state.adjacency
    for v in range(n):
        adjacency[v * n + i], adjacency[v * n + j] = adjacency[v * n + j], adjacency[v * n + i]
    for v in range(n):
        adjacency[i * n + v], adjacency[j * n + v] = adjacency[j * n + v], adjacency[i * n + v]
    for e in range(n * n):
        if (adjacency[e] and not state.allowed[e]) or (state.required[e] and not adjacency[e]):
            return False
    return True


@compiled
def _take_up(context: ScoreContext, state: GraphState) -> None:
    """Bring up to date what differs from the graph that the rivals are made from, ``state.other``."""
    n = state.n_variables
    for child in range(n):
        for p in range(n):
            if state.adjacency[p * n + child] != state.other[p * n + child]:
                refresh(context, state, child)
                break
    find_reach(state)


@compiled
def _put_at_end(state: GraphState, v: int, first: bool) -> None:
    """Turn all edges into a variable round, or all that lead from it, as far as the others have room."""
    n, adjacency = state.n_variables, state.adjacency
    for w in range(n):
        inward, outward = (w * n + v, v * n + w) if first else (v * n + w, w * n + v)
        child, k = w if first else v, 0
        if adjacency[inward]:
            adjacency[inward] = 0
            for p in range(n):
                k += adjacency[p * n + child]
            adjacency[outward] = 1 if k < state.max_parents and state.allowed[outward] else 0


@compiled
def _end_rival(context: ScoreContext, state: GraphState, v: int, first: bool) -> float:
    """Make a variable one without parents, or one without children, and climb under that condition; the score."""
    n = state.n_variables
    for w in range(n):
        if state.required[w * n + v if first else v * n + w]:
            return -np.inf
    for w in range(n):
        e = w * n + v if first else v * n + w
        state.n_parents[w], state.allowed[e] = state.allowed[e], 0
    _put_at_end(state, v, first)
    _take_up(context, state)
    for w in range(n):
        state.gains[w * n + v if first else v * n + w] = -np.inf
    score = _climb_on(context, state)
    for w in range(n):
        state.allowed[w * n + v if first else v * n + w] = state.n_parents[w]
    return score


@compiled
def _pair_rival(
    context: ScoreContext, state: GraphState, kind: int, i: int, j: int, best_with: Pointer, at_once: FloatArray
) -> float:
    """Change the relation of two variables and climb, the change held fast unless it is an exchange; the score.

    The score of an exchange before the climb goes to ``at_once``, shape (1,).
    """
    n, score = state.n_variables, -np.inf
    forward, backward = i * n + j, j * n + i
    allowed, back, required = state.allowed[forward], state.allowed[backward], state.required[backward]
    if kind == EXCHANGED:
        if not _exchange(state, i, j):
            return score
        _take_up(context, state)
        at_once[0] = total_score(state)
        _note(state, at_once[0], best_with)
    elif state.required[forward] or (kind == TURNED and not back):
        return score
    elif kind == TURNED:
        state.required[backward] = 1
        _turn(state, i, j)
        _take_up(context, state)
    else:
        state.allowed[forward], state.allowed[backward], state.adjacency[forward] = 0, 0, 0
        refresh(context, state, i)
        refresh(context, state, j)
        find_reach(state)
    score = _climb_on(context, state)
    state.allowed[forward], state.allowed[backward], state.required[backward] = allowed, back, required
    return score


@compiled
def climb_from(context_handle: Handle, state_handle: Handle, best_with: FloatArray) -> float:
    """Climb from the graph that was put into the state; returns the score reached, nats."""
    context, state = score_context(context_handle), graph_state(state_handle)
    start_at(context, state)
    score = _climb_on(context, state)
    _note(state, score, pointer_to(best_with))
    return score


@compiled
def climb_to_rivals(
    context_handle: Handle,
    state_handle: Handle,
    changes: IntArray,
    known: FloatArray,
    best_with: FloatArray,
    scores: FloatArray,
    at_once: FloatArray,
) -> None:
    """The rivals of the state's present graph, one for each row (kind, i, j) of ``changes``.

    A pair to be exchanged may be any, others are edges, and of FIRST and LAST only i counts.
    ``known`` is room for (V + 1, V) numbers.
    ``scores`` are of the rivals, ``at_once`` of graphs with two variables exchanged before the climb.

    The last of them is left in ``state.adjacency``, the best one in ``state.best``.
    """
    context, state = score_context(context_handle), graph_state(state_handle)
    n, noted, base = state.n_variables, pointer_to(best_with), pointer_to(known)
    start_at(context, state)
    highest = total_score(state)
    for e in range(n * n):
        state.other[e], state.best[e], base[e] = state.adjacency[e], state.adjacency[e], state.gains[e]
    for v in range(n):
        base[n * n + v] = state.family[v]
    for c in range(changes.shape[0]):
        if stopped(context):
            return
        for e in range(n * n):
            state.adjacency[e], state.gains[e] = state.other[e], base[e]
        for v in range(n):
            state.family[v] = base[n * n + v]
        find_reach(state)
        kind, i, j = changes[c, 0], changes[c, 1], changes[c, 2]
        if kind >= FIRST:
            scores[c] = _end_rival(context, state, i, kind == FIRST)
        else:
            scores[c] = _pair_rival(context, state, kind, i, j, noted, at_once[c : c + 1])
        _note(state, scores[c], noted)
        if scores[c] > highest:
            highest = scores[c]
            for e in range(n * n):
                state.best[e] = state.adjacency[e]
