"""The families of a network as flat arrays, and compiled loops over them: counting the data, drawing rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class Families(NamedTuple):
    """Each variable with its parents, and where its table stands in one long array of all tables.

    The cell of variable v for parent configuration j and state k is ``first_cell[v] + j * arities[v] + k``; j is a
    mixed-radix number, the first parent most significant.
    """

    order: IntArray  # (V,) the variables in the order in which they are drawn: parents first
    arities: IntArray  # (V,)
    parents: IntArray  # (E,) those of variable v from first_parent[v] to first_parent[v + 1]
    first_parent: IntArray  # (V + 1,)
    first_cell: IntArray  # (V + 1,)

    @property
    def n_cells(self) -> int:
        """Number of cells of all tables."""
        return int(self.first_cell[-1])

    def configurations(self, v: int) -> int:
        """Number q of parent configurations of a variable."""
        return int(self.first_cell[v + 1] - self.first_cell[v]) // int(self.arities[v])


def families_from(parents: Sequence[Sequence[int]], arities: Sequence[int], order: Sequence[int]) -> Families:
    """The families with parents in the given orders."""
    sizes = [arity * int(np.prod([arities[p] for p in of])) for of, arity in zip(parents, arities, strict=True)]
    return Families(
        order=np.array(order, dtype=np.int64),
        arities=np.array(arities, dtype=np.int64),
        parents=np.array([p for of in parents for p in of], dtype=np.int64),
        first_parent=np.cumsum([0, *map(len, parents)], dtype=np.int64),
        first_cell=np.cumsum([0, *sizes], dtype=np.int64),
    )


def families_of(adjacency: npt.NDArray[np.bool_], arities: IntArray) -> Families:
    """The families of a DAG, parents in column order, and the lexicographically smallest topological order.

    The tables must have been found small enough: their sizes are whole numbers of 64 bits here.
    """
    v = len(arities)
    found = Families(
        np.empty(v, dtype=np.int64),
        arities,
        np.empty(int(np.count_nonzero(adjacency)), dtype=np.int64),
        np.zeros(v + 1, dtype=np.int64),
        np.zeros(v + 1, dtype=np.int64),
    )
    _fill_families(np.ascontiguousarray(adjacency).view(np.uint8), *found)
    return found


def drawn_rows(families: Families, cumulative: FloatArray, n_rows: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    """Rows drawn from a network, shape (n_rows, V) of uint16: variable by variable, each with one number a row.

    ``cumulative`` holds the cumulative probabilities of each configuration's states in the order of the cells.
    """
    columns = np.empty((len(families.order), n_rows), dtype=np.uint16)
    _fill_columns(rng.random(columns.shape), cumulative, *families, columns)
    return columns.T


@compiled
def _fill_families(
    adjacency: npt.NDArray[np.uint8],
    order: IntArray,
    arities: IntArray,
    parents: IntArray,
    first_parent: IntArray,
    first_cell: IntArray,
) -> None:
    n = arities.shape[0]
    n_parents = 0
    waiting = np.zeros(n, dtype=np.int64)  # parents that are not placed yet; -1 once the variable is placed itself
    for v in range(n):
        n_cells = arities[v]
        for p in range(n):
            if adjacency[p, v]:
                parents[n_parents] = p
                n_parents += 1
                waiting[v] += 1
                n_cells *= arities[p]
        first_parent[v + 1] = n_parents
        first_cell[v + 1] = first_cell[v] + n_cells
    for place in range(n):
        v = 0
        while waiting[v] != 0:
            v += 1
        order[place] = v
        waiting[v] = -1
        for child in range(n):
            if adjacency[v, child]:
                waiting[child] -= 1


@compiled
def add_counts(
    codes: npt.NDArray[np.uint16],
    order: IntArray,
    arities: IntArray,
    parents: IntArray,
    first_parent: IntArray,
    first_cell: IntArray,
    counts: FloatArray,
) -> None:
    """Add to each cell the number of rows that show it; ``codes`` has shape (V, N)."""
    n_rows = codes.shape[1]
    configurations = np.empty(n_rows, dtype=np.int64)
    for v in range(arities.shape[0]):
        _find_configurations(codes, parents[first_parent[v] : first_parent[v + 1]], arities, configurations)
        for i in range(n_rows):
            counts[first_cell[v] + configurations[i] * arities[v] + np.int64(codes[v, i])] += 1.0


@compiled
def _fill_columns(
    uniforms: FloatArray,
    cumulative: FloatArray,
    order: IntArray,
    arities: IntArray,
    parents: IntArray,
    first_parent: IntArray,
    first_cell: IntArray,
    columns: npt.NDArray[np.uint16],
) -> None:
    n_rows = columns.shape[1]
    configurations = np.empty(n_rows, dtype=np.int64)
    for place in range(order.shape[0]):
        v = order[place]
        _find_configurations(columns, parents[first_parent[v] : first_parent[v + 1]], arities, configurations)
        for i in range(n_rows):
            cell = first_cell[v] + configurations[i] * arities[v]
            state = 0
            for k in range(arities[v] - 1):  # without a branch: the states are random
                state += uniforms[place, i] >= cumulative[cell + k]
            columns[v, i] = state


@compiled
def _find_configurations(
    columns: npt.NDArray[np.uint16], parents: IntArray, arities: IntArray, configurations: IntArray
) -> None:
    """Number of each row's parent configuration, the first parent most significant."""
    configurations[:] = 0
    for p in parents:
        arity = arities[p]
        for i in range(columns.shape[1]):
            configurations[i] = configurations[i] * arity + np.int64(columns[p, i])


@compiled
def normalize(log_weights: FloatArray, arities: IntArray, first_cell: IntArray) -> None:
    """Turn the logarithms of each configuration's weights into probabilities that sum to 1."""
    for v in range(arities.shape[0]):
        r = arities[v]
        for start in range(first_cell[v], first_cell[v + 1], r):
            largest = log_weights[start]
            for cell in range(start + 1, start + r):
                largest = max(largest, log_weights[cell])
            total = 0.0
            for cell in range(start, start + r):
                log_weights[cell] = np.exp(log_weights[cell] - largest)
                total += log_weights[cell]
            for cell in range(start, start + r):
                log_weights[cell] /= total


@compiled
def accumulate(probabilities: FloatArray, arities: IntArray, first_cell: IntArray) -> FloatArray:
    """Cumulative probabilities of each configuration's states, in the order of the cells."""
    cumulative = probabilities.copy()
    for v in range(arities.shape[0]):
        r = arities[v]
        for start in range(first_cell[v], first_cell[v + 1], r):
            for cell in range(start + 1, start + r):
                cumulative[cell] += cumulative[cell - 1]
    return cumulative
