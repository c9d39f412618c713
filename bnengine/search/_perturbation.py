"""Random legal changes of a graph: what a search with restarts sets out from again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled
from bnengine.graphs.dag import Adjacency
from bnengine.search._neighbourhood import ADD, DELETE, REVERSE, Reach, reach_of, reaches, reversal_makes_cycle
from bnengine.search._parents import FloatArray, IntArray


@compiled
def _is_legal(
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    adjacency: Adjacency,
    reach: Reach,
    n_parents: IntArray,
    kind: int,
    i: int,
    j: int,
) -> bool:
    """Whether that change of the pair i → j leads to a graph of the space."""
    if kind == ADD:
        absent = not adjacency[i, j] and not adjacency[j, i]
        return absent and allowed[i, j] and n_parents[j] < max_parents and not reaches(reach, j, i)
    if not adjacency[i, j] or required[i, j]:
        return False
    if kind == DELETE:
        return True
    return allowed[j, i] and n_parents[i] < max_parents and not reversal_makes_cycle(adjacency, reach, i, j)


@compiled
def _draw_kind(counts: IntArray, uniform: float) -> int:
    """One of the kinds that have a legal change, all equally likely; 0 if none has."""
    present = 0
    for kind in (ADD, DELETE, REVERSE):
        present += counts[kind] > 0
    place = int(uniform * present)
    for kind in (ADD, DELETE, REVERSE):
        if counts[kind] > 0:
            if place == 0:
                return kind
            place -= 1
    return 0


@compiled
def perturb(
    allowed: Adjacency, required: Adjacency, max_parents: int, adjacency: Adjacency, reach: Reach, draws: FloatArray
) -> int:
    """One random legal change, in place, for each row of ``draws`` (two uniform numbers); returns how many were made.

    First the kind is drawn, of those that have a legal change, then one of its legal changes, all equally likely. Drawn
    from all changes alike, nine in ten would add an edge, which the climb takes away again. There are fewer changes
    than rows only where the space holds a single graph.
    """
    n_variables = adjacency.shape[0]
    n_parents, counts = np.empty(n_variables, dtype=np.int64), np.zeros(REVERSE + 1, dtype=np.int64)
    for d in range(draws.shape[0]):
        reach_of(adjacency, reach)
        counts[:] = 0
        for v in range(n_variables):
            n_parents[v] = adjacency[:, v].sum()
        for kind in (ADD, DELETE, REVERSE):
            for i in range(n_variables):
                for j in range(n_variables):
                    counts[kind] += _is_legal(allowed, required, max_parents, adjacency, reach, n_parents, kind, i, j)
        kind = _draw_kind(counts, draws[d, 0])
        if kind == 0:
            return d
        place = int(draws[d, 1] * counts[kind])
        for pair in range(n_variables * n_variables):
            i, j = pair // n_variables, pair % n_variables
            if _is_legal(allowed, required, max_parents, adjacency, reach, n_parents, kind, i, j):
                if place == 0:
                    adjacency[i, j] = kind == ADD
                    adjacency[j, i] = kind == REVERSE
                    break
                place -= 1
    return draws.shape[0]  # type: ignore[no-any-return]


def draws_for(rng: np.random.Generator, restarts: int, perturbation: int) -> npt.NDArray[np.float64]:
    """The uniform numbers that the perturbations of all restarts use."""
    return rng.random((restarts, perturbation, 2))
