"""The families of a network as flat arrays, and compiled loops over them: counting the data, drawing rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt16Array
from bnengine._jit.compiled import Pointer, compiled, pointer_to


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


def families_from(parents: Sequence[Sequence[int]], arities: Sequence[int], order: Sequence[int]) -> Families:
    """Return the families with parents in the given orders."""
    sizes = [arity * math.prod(arities[p] for p in of) for of, arity in zip(parents, arities, strict=True)]
    return Families(
        order=np.array(order, dtype=np.int64),
        arities=np.array(arities, dtype=np.int64),
        parents=np.array([p for of in parents for p in of], dtype=np.int64),
        first_parent=np.cumsum([0, *map(len, parents)], dtype=np.int64),
        first_cell=np.cumsum([0, *sizes], dtype=np.int64),
    )


def families_of(adjacency: BoolArray, arities: IntArray) -> Families:
    """Return the families of a DAG, parents in column order, and the lexicographically first topological order."""
    v = len(arities)
    found = Families(
        np.empty(v, dtype=np.int64),
        arities,
        np.empty(int(np.count_nonzero(adjacency)), dtype=np.int64),
        np.zeros(v + 1, dtype=np.int64),
        np.zeros(v + 1, dtype=np.int64),
    )
    _fill_families(np.ascontiguousarray(adjacency).view(np.uint8).ravel(), np.zeros(v, dtype=np.int64), *found)
    return found


def drawn_rows(families: Families, cumulative: FloatArray, n_rows: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    """Draw rows from a network, shape (n_rows, V) of uint16: variable by variable, each with one number a row.

    ``cumulative`` holds the cumulative probabilities of each configuration's states in the order of the cells.
    """
    columns = np.empty((len(families.order), n_rows), dtype=np.uint16)
    room = np.empty(n_rows, dtype=np.int64)
    _fill_columns(rng.random(columns.shape).ravel(), cumulative, *families, room, columns.ravel())
    return columns.T


def add_counts(codes: UInt16Array, families: Families, counts: FloatArray) -> None:
    """Add to each cell the number of rows that show it; ``codes`` has shape (V, N) and is contiguous."""
    room = np.empty(codes.shape[1], dtype=np.int64)
    _add_counts(codes.ravel(), *families, room, counts)


def accumulate(probabilities: FloatArray, arities: IntArray, first_cell: IntArray) -> FloatArray:
    """Return the cumulative probabilities of each configuration's states, in the order of the cells."""
    cumulative = probabilities.copy()
    _accumulate(cumulative, arities, first_cell)
    return cumulative


@compiled
def _fill_families(
    adjacency: UInt8Array,
    waiting: IntArray,
    order: IntArray,
    arities: IntArray,
    parents: IntArray,
    first_parent: IntArray,
    first_cell: IntArray,
) -> None:
    """Order variables after their parents; ``waiting`` (zeros) counts parents not yet placed, -1 once placed."""
    n = arities.shape[0]
    n_parents = 0
    for v in range(n):
        n_cells = arities[v]
        for p in range(n):
            if adjacency[p * n + v] != 0:
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
            if adjacency[v * n + child] != 0:
                waiting[child] -= 1


@compiled
def _add_counts(
    codes: UInt16Array,
    order: IntArray,
    arities: IntArray,
    parents: IntArray,
    first_parent: IntArray,
    first_cell: IntArray,
    room: IntArray,
    counts: FloatArray,
) -> None:
    n_rows = room.shape[0]
    codes_at, room_at = pointer_to(codes), pointer_to(room)
    arities_at, parents_at = pointer_to(arities), pointer_to(parents)
    for v in range(arities.shape[0]):
        _find_configurations(codes_at, n_rows, parents_at, first_parent[v], first_parent[v + 1], arities_at, room_at)
        first, arity, column = first_cell[v], arities_at[v], v * n_rows
        for i in range(n_rows):
            counts[first + room_at[i] * arity + np.int64(codes_at[column + i])] += 1.0


@compiled
def _fill_columns(
    uniforms: FloatArray,
    cumulative: FloatArray,
    order: IntArray,
    arities: IntArray,
    parents: IntArray,
    first_parent: IntArray,
    first_cell: IntArray,
    room: IntArray,
    columns: UInt16Array,
) -> None:
    n_rows = room.shape[0]
    columns_at, room_at = pointer_to(columns), pointer_to(room)
    arities_at, parents_at = pointer_to(arities), pointer_to(parents)
    for place in range(order.shape[0]):
        v = order[place]
        _find_configurations(columns_at, n_rows, parents_at, first_parent[v], first_parent[v + 1], arities_at, room_at)
        first, arity, column, row = first_cell[v], arities_at[v], v * n_rows, place * n_rows
        for i in range(n_rows):
            cell, uniform, state = first + room_at[i] * arity, uniforms[row + i], 0
            for k in range(arity - 1):  # without a branch: the states are random
                state += uniform >= cumulative[cell + k]
            columns_at[column + i] = state


@compiled
def _find_configurations(
    columns: Pointer, n_rows: int, parents: Pointer, begin: int, end: int, arities: Pointer, configurations: Pointer
) -> None:
    """Compute the number of each row's parent configuration, the first parent most significant."""
    for i in range(n_rows):
        configurations[i] = 0
    for k in range(begin, end):
        column, arity = parents[k] * n_rows, arities[parents[k]]
        for i in range(n_rows):
            configurations[i] = configurations[i] * arity + np.int64(columns[column + i])


@compiled
def normalize(log_weights: FloatArray, arities: IntArray, first_cell: IntArray) -> None:
    """Turn the logarithms of each configuration's weights into probabilities that sum to 1."""
    for v in range(arities.shape[0]):
        r, start = arities[v], first_cell[v]
        while start < first_cell[v + 1]:
            end, largest, total = start + r, log_weights[start], 0.0
            for cell in range(start + 1, end):
                if log_weights[cell] > largest:
                    largest = log_weights[cell]
            for cell in range(start, end):
                log_weights[cell] = math.exp(log_weights[cell] - largest)
                total += log_weights[cell]
            for cell in range(start, end):
                log_weights[cell] /= total
            start = end


@compiled
def _accumulate(cumulative: FloatArray, arities: IntArray, first_cell: IntArray) -> None:
    for v in range(arities.shape[0]):
        r, start = arities[v], first_cell[v]
        while start < first_cell[v + 1]:
            for cell in range(start + 1, start + r):
                cumulative[cell] += cumulative[cell - 1]
            start += r
