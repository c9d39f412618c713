"""Random legal changes of a graph: what a search with restarts sets out from again."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle
from bnengine.search._neighbourhood import (
    ADD,
    DELETE,
    REVERSE,
    GraphSearch,
    GraphState,
    find_reach,
    graph_state,
    reaches,
    reversal_makes_cycle,
)


@compiled
def _is_legal(state: GraphState, kind: int, i: int, j: int) -> bool:
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
            number += _is_legal(state, kind, i, j)
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
            if _is_legal(state, drawn, i, j):
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
