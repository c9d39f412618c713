"""Markov equivalence of DAGs, and the completed partially directed graph (CPDAG) of an equivalence class."""

from __future__ import annotations

import numpy as np

from bnengine._core.validation import validated
from bnengine.graphs.dag import Adjacency, checked_graph, is_dag, skeleton


def v_structures(adjacency: Adjacency) -> list[tuple[int, int, int]]:
    """Return the (parent, child, parent) triples whose parents are not adjacent; first parent < second parent."""
    near = skeleton(adjacency)
    found = []
    for child in range(len(adjacency)):
        parents = np.flatnonzero(adjacency[:, child])
        for i, first in enumerate(parents):
            found += [(int(first), child, int(second)) for second in parents[i + 1 :] if not near[first, second]]
    return found


def markov_equivalent(one: Adjacency, other: Adjacency) -> bool:
    """Return whether two DAGs have the same skeleton and the same v-structures (Verma & Pearl 1990)."""
    return bool((skeleton(one) == skeleton(other)).all()) and v_structures(one) == v_structures(other)


@validated
def cpdag(adjacency: Adjacency) -> Adjacency:
    """Return the CPDAG of a DAG: ``C[i, j]`` without ``C[j, i]`` is a compelled edge, both together a reversible one.

    The edges of v-structures are compelled, and those that follow by the rules of Meek (1995, Sec. 2.1.2).
    """
    adjacency = checked_graph(adjacency)
    if not is_dag(adjacency):
        raise ValueError("adjacency must have no directed cycle, since only a DAG has a CPDAG; remove an edge of it")
    near = skeleton(adjacency)
    directed = np.zeros_like(adjacency)
    for first, child, second in v_structures(adjacency):
        directed[first, child] = directed[second, child] = True
    apart = ~near & ~np.eye(len(adjacency), dtype=np.bool_)
    while True:
        free = near & ~directed & ~directed.T
        new = free & (directed.T @ apart)  # a → b − c with a, c apart: else b would get a new v-structure
        new |= free & (directed @ directed)  # a → b → c with a − c: else a cycle
        for a, b in zip(*np.nonzero(free & (free @ directed)), strict=True):
            between = np.flatnonzero(free[a] & directed[:, b])  # a − c → b, a − d → b with c, d apart
            if apart[np.ix_(between, between)].any():
                new[a, b] = True
        if not new.any():
            return directed | free
        directed |= new
