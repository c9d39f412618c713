"""Random legal changes of a graph: what a search with restarts sets out from again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled
from bnengine._core.records import Handle
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
from bnengine.search._parents import FloatArray


@compiled
def _is_legal(state: GraphState, kind: int, i: int, j: int) -> bool:
    """Whether that change of the pair i → j leads to a graph of the space."""
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
    """How many legal changes of a kind there are."""
    number = 0
    for i in range(state.n_variables):
        for j in range(state.n_variables):
            number += _is_legal(state, kind, i, j)
    return number


@compiled
def _draw_kind(additions: int, deletions: int, reversals: int, uniform: float) -> tuple[int, int]:
    """One of the kinds that have a legal change, all equally likely, and how many it has; 0 if none has."""
    present = 0
    if additions > 0:
        present += 1
    if deletions > 0:
        present += 1
    if reversals > 0:
        present += 1
    place = np.int64(uniform * present)
    if additions > 0:
        if place == 0:
            return ADD, additions
        place -= 1
    if deletions > 0:
        if place == 0:
            return DELETE, deletions
        place -= 1
    if reversals > 0 and place == 0:
        return REVERSE, reversals
    return 0, 0


@compiled
def _perturb(handle: Handle, draws: FloatArray) -> int:
    state = graph_state(handle)
    n, adjacency = state.n_variables, state.adjacency
    for d in range(draws.shape[0]):
        find_reach(state)
        for v in range(n):
            state.n_parents[v] = 0
            for u in range(n):
                state.n_parents[v] += adjacency[u * n + v]
        kind, number = _draw_kind(
            _number_legal(state, ADD), _number_legal(state, DELETE), _number_legal(state, REVERSE), draws[d, 0]
        )
        if kind == 0:
            return d
        place = np.int64(draws[d, 1] * number)
        for pair in range(n * n):
            i, j = pair // n, pair % n
            if _is_legal(state, kind, i, j):
                if place == 0:
                    adjacency[i * n + j] = kind == ADD
                    adjacency[j * n + i] = kind == REVERSE
                    break
                place -= 1
    return draws.shape[0]  # type: ignore[no-any-return]


def perturb(search: GraphSearch, draws: FloatArray) -> int:
    """One random legal change of the present graph for each row of ``draws`` (two uniform numbers).

    First the kind is drawn, of those that have a legal change, then one of its legal changes, all equally likely. Drawn
    from all changes alike, nine in ten would add an edge, which the climb takes away again. Returns how many changes
    were made: fewer than rows only where the space holds a single graph.
    """
    return _perturb(search.handle, draws)


def draws_for(rng: np.random.Generator, restarts: int, perturbation: int) -> npt.NDArray[np.float64]:
    """The uniform numbers that the perturbations of all restarts use."""
    return rng.random((restarts, perturbation, 2))
