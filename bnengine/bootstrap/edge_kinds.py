"""What counts as an edge: a directed edge, an adjacency, or a compelled edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray
from bnengine._core.validation import one_of
from bnengine.graphs.cpdag import cpdag
from bnengine.graphs.dag import Adjacency, skeleton

#: ``"directed"``: parent → child as learned. ``"adjacency"``: a pair joined in either direction. ``"compelled"``: an
#: edge with the same direction in all graphs of the equivalence class.
KINDS = ("directed", "adjacency", "compelled")


def check_kind(kind: str) -> None:
    """Raise a ValueError if ``kind`` is not one of ``KINDS``."""
    one_of(kind, "kind", KINDS)


def presence_of(adjacency: Adjacency, kind: str) -> Adjacency:
    """Entries of a graph that count as edges of the given kind, shape (V, V)."""
    check_kind(kind)
    if kind == "adjacency":
        return skeleton(adjacency)
    if kind == "compelled":
        both = cpdag(adjacency)
        return both & ~both.T
    return adjacency


def each_once(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """A (V, V) matrix in which each adjacency counts once: its upper triangle for adjacencies, else unchanged."""
    return np.triu(matrix) if kind == "adjacency" else matrix


def possible_edges(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """Entries of a (V, V) matrix at the P possible edges, in column order; shape (P,).

    P is V(V - 1), or V(V - 1) / 2 for adjacencies.
    """
    entries: npt.NDArray[Any] = matrix[_possible(len(matrix), kind)]
    return entries


def as_matrix(entries: FloatArray, v: int, kind: str) -> FloatArray:
    """The (V, V) matrix of values at the possible edges, inverse of ``possible_edges``; symmetric for adjacencies."""
    matrix = np.zeros((v, v))
    matrix[_possible(v, kind)] = entries
    return matrix + matrix.T if kind == "adjacency" else matrix


def _possible(v: int, kind: str) -> BoolArray:
    return each_once(np.ones((v, v), dtype=np.bool_), kind) & ~np.eye(v, dtype=np.bool_)
