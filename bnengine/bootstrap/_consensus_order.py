"""An ordering of the variables whose edges gain most, group by group of variables that lie on cycles."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

from bnengine._core.arrays import FloatArray, IntArray
from bnengine.bootstrap._best_ordering import best_ordering, improve_ordering
from bnengine.graphs.dag import Adjacency, topological_order

#: Variables of the largest group that is ordered exactly.
LARGEST_EXACT = 20


def consensus_order(gains: FloatArray, limit: int) -> tuple[IntArray, float, str]:
    """Order V variables so that the edges from earlier to later ones gain as much as possible.

    Parameters
    ----------
    gains : (V, V), [parent, child]; 0 or more, infinity for a required edge.
    limit : the most parents of a variable.

    Returns
    -------
    The ordering, shape (V,); how much more any ordering could gain at most; ``"optimal"`` or ``"converged"``.
    """
    needed = _without_the_certain(gains, limit)
    order: list[int] = []
    lost, status = 0.0, "optimal"
    for members in _groups(needed > 0):
        if len(members) == 1:
            order += members.tolist()
            continue
        places, ranked, limits = _candidates(members, needed, limit)
        if len(members) <= LARGEST_EXACT:
            found = best_ordering(places, ranked, limits)
        else:
            found = _greedy(members, needed, limit)
            improve_ordering(found, places, ranked, limits)
            lost += _shortfall(found, places, ranked, limits)
            status = "converged" if lost > 0 else status
        order += members[found].tolist()
    return np.array(order, dtype=np.int64), lost, status


def parents_in(order: IntArray, gains: FloatArray, limit: int) -> Adjacency:
    """The edges that gain most in an ordering: each child's best allowed parents among the variables before it."""
    position = np.argsort(order)
    forward = position[:, None] < position[None, :]
    adjacency = (gains > 0) & forward
    for child in np.flatnonzero(adjacency.sum(axis=0) > limit).tolist():
        best = np.argsort(-np.where(adjacency[:, child], gains[:, child], 0.0), kind="stable")
        adjacency[best[limit:], child] = False
    return adjacency


def _without_the_certain(gains: FloatArray, limit: int) -> FloatArray:
    """Gains less what a pair's better and worse direction both bring, which any ordering has.

    Only where neither child can reach its limit; after that most pairs have one direction, and few are on cycles.
    """
    free = (gains > 0).sum(axis=0) <= limit
    least = np.where(free[:, None] & free[None, :], np.minimum(gains, gains.T), 0.0)
    certain: FloatArray = gains - least  # a required edge's reverse gains 0, so this never subtracts infinity
    return certain


def _groups(positive: Adjacency) -> list[IntArray]:
    """Strongly connected groups of variables, so that no edge leads from a group to an earlier one."""
    _, label = connected_components(positive, directed=True, connection="strong")
    _, first, label = np.unique(label, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))  # number the groups by their first members
    group = rank[label]
    between = np.zeros((len(first), len(first)), dtype=np.bool_)
    i, j = np.nonzero(positive)
    between[group[i], group[j]] = True
    np.fill_diagonal(between, False)
    members = [np.flatnonzero(group == g) for g in range(len(first))]
    return [members[g] for g in topological_order(between) or []]


def _candidates(members: IntArray, gains: FloatArray, limit: int) -> tuple[IntArray, FloatArray, IntArray]:
    """The candidate parents of a group's variables, by decreasing gain (see ``_best_ordering``)."""
    n, width = len(members), max(int((gains[:, members] > 0).sum(axis=0).max()), 1)
    place = np.full(len(gains), -1, dtype=np.int64)
    place[members] = np.arange(n)
    places, ranked = np.full((n, width), -1, dtype=np.int64), np.zeros((n, width))
    for k, child in enumerate(members.tolist()):
        column = gains[:, child]
        parents = np.argsort(-column, kind="stable")[: int((column > 0).sum())]
        places[k, : parents.size], ranked[k, : parents.size] = place[parents], column[parents]
    return places, ranked, np.full(n, limit, dtype=np.int64)


def _greedy(members: IntArray, gains: FloatArray, limit: int) -> IntArray:
    """An ordering for the group's edges, taken by decreasing gain unless one closes a cycle."""
    own = gains[np.ix_(members, members)]
    n = len(members)
    adjacency, reaches = np.zeros((n, n), dtype=np.bool_), np.eye(n, dtype=np.bool_)
    i, j = np.nonzero(own > 0)
    for k in np.lexsort((j, i, -own[i, j])).tolist():
        parent, child = int(i[k]), int(j[k])
        full = adjacency[:, child].sum() >= limit
        if not reaches[child, parent] and not full:
            adjacency[parent, child] = True
            reaches |= np.outer(reaches[:, parent], reaches[child])
    return np.array(topological_order(adjacency), dtype=np.int64)


def _shortfall(order: IntArray, places: IntArray, ranked: FloatArray, limits: IntArray) -> float:
    """What the ordering gains less than if every variable came after all its candidate parents."""
    position = np.argsort(order)
    total = 0.0
    for v in range(len(order)):
        given = np.isfinite(ranked[v])
        before = (places[v] < 0) | (position[places[v]] < position[v])
        best = ranked[v][given & (ranked[v] > 0)][: int(limits[v])].sum()
        total += float(best - ranked[v][given & before & (ranked[v] > 0)][: int(limits[v])].sum())
    return total
