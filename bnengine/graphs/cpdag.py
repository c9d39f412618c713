"""Markov equivalence of DAGs, and the completed partially directed graph (CPDAG) of an equivalence class.

Experiments tell more DAGs apart: with rows in which variables were set, the class is the smaller one of the DAGs that
are equivalent under interventions, and its CPDAG has more compelled edges (Hauser & Bühlmann 2012).
"""

from __future__ import annotations

from collections.abc import Sequence

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
def cpdag(adjacency: Adjacency, targets: Sequence[Sequence[int]] = ()) -> Adjacency:
    """Return the CPDAG of a DAG: ``C[i, j]`` without ``C[j, i]`` is a compelled edge, both together a reversible one.

    Edges are labelled child by child in topological order (Chickering 1995, Sec. 3): whether those into a child are
    compelled follows from its last parent, so that the work grows with the number of edges.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (V, V)
        ``[parent, child]``.
    targets : sequence of sequence of int, optional
        The variables that were set in each experiment, if some were. Then it is the interventional CPDAG (Hauser &
        Bühlmann 2012, Theorem 18): an edge is also compelled if an experiment set one of its ends but not the other, or
        if the edges compelled so far leave it no other direction without a new v-structure or a cycle (Meek 1995).

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
    return _told_apart(adjacency, found, targets) if any(targets) else found


def _told_apart(adjacency: Adjacency, found: Adjacency, targets: Sequence[Sequence[int]]) -> Adjacency:
    """Return the CPDAG with the reversible edges directed that experiments compel."""
    n = len(adjacency)
    outside = next((v for variables in targets for v in variables if not 0 <= v < n), None)
    if outside is not None:
        raise ValueError(f"targets must be column numbers 0 to {n - 1}; got {outside}")
    was_set = np.zeros((len(targets), n), dtype=np.bool_)
    for experiment, variables in enumerate(targets):
        was_set[experiment, list(variables)] = True
    compelled = adjacency & (was_set[:, :, None] != was_set[:, None, :]).any(axis=0)
    far = ~skeleton(adjacency) & ~np.eye(n, dtype=np.bool_)
    while compelled.any():
        found = found & ~compelled.T
        directed, open_edges = found & ~found.T, found & found.T
        into = directed.astype(np.int64)
        chain = (into.T @ far) > 0  # c → a – b, c and b not joined: else a new v-structure
        detour = (into @ into) > 0  # a → c → b: else a cycle
        compelled = adjacency & open_edges & (chain | detour)
        for a, b in np.argwhere(adjacency & open_edges & ~compelled).tolist():
            between = open_edges[a] & directed[:, b]  # a – c → b and a – d → b, c and d not joined: else one of both
            compelled[a, b] = bool(far[np.ix_(between, between)].any())
    return found
