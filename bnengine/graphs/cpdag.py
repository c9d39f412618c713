"""Markov equivalence of DAGs, and the completed partially directed graph (CPDAG) of an equivalence class."""

from __future__ import annotations

import numpy as np

from bnengine._core.validation import validated
from bnengine.graphs.dag import Adjacency, checked_graph, skeleton, topological_order


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

    Edges are labelled child by child in topological order (Chickering 1995, Sec. 3): whether those into a child are
    compelled follows from its last parent, so that the work grows with the number of edges.

    Raises
    ------
    ValueError
        If the graph has a directed cycle.
    """
    adjacency = checked_graph(adjacency)
    order = topological_order(adjacency)
    if order is None:
        raise ValueError("adjacency must have no directed cycle, since only a DAG has a CPDAG; remove an edge of it")
    rank = {v: place for place, v in enumerate(order)}
    parents = [np.flatnonzero(column).tolist() for column in adjacency.T]
    known = [set(own) for own in parents]
    compelled: list[list[int]] = [[] for _ in order]
    found = skeleton(adjacency)
    for child in order:
        if not parents[child]:
            continue
        last = max(parents[child], key=rank.__getitem__)
        inherited = all(v in known[child] for v in compelled[last])
        joined = all(v == last or v in known[last] for v in parents[child])
        compelled[child] = compelled[last] if inherited and joined else parents[child]
        found[child, compelled[child]] = False
    return found
