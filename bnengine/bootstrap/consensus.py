"""The consensus network: the acyclic graph that differs least from the graphs of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from bnengine._core.arrays import FloatArray, Int8Array, IntArray
from bnengine._core.validation import validated
from bnengine._jit.compiled import Pointer, compiled, pointer_to
from bnengine.bootstrap.ensemble import Ensemble, NetworkOfShares, directed_confidence, shares_of_pairs
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, topological_order

# The ordering of a few variables that lets edges of the largest total gain into an acyclic graph.
#
# In a given ordering a variable takes the best edges from those before it, at most as many as its limit. Dynamic
# programming over the sets of variables that stand first finds the best ordering (Held & Karp 1962; for Bayesian
# networks Silander & Myllymäki 2006). An ordering of more variables is improved by moving one of them at a time.
#
# Each child's candidate parents come in decreasing order of gain: ``places[v, k]`` is the number of the k-th, or -1
# where it always stands before, and ``gains[v, k]`` its gain, infinity for a required edge; gains of 0 fill the rows.

_ROUNDING = 1e-9


@compiled
def _gain_after_set(row: int, most: int, places: Pointer, gains: Pointer, limit: int, before: int) -> float:
    """Return what a variable gains from its parents in a set; minus infinity without a required one.

    Its candidates begin at ``row``.
    """
    total, taken = 0.0, 0
    for k in range(row, row + most):
        gain, place = gains[k], places[k]
        if gain == 0.0 or taken == limit:
            break
        if place < 0 or (before >> place) & 1:
            taken += 1
            if gain != np.inf:
                total += gain
        elif gain == np.inf:
            return -np.inf
    return total


@compiled
def _gain_at(v: int, most: int, places: Pointer, gains: Pointer, limits: Pointer, position: Pointer) -> float:
    """Return what v gains from its parents at lower positions; minus infinity without a required one."""
    total, taken, limit = 0.0, 0, limits[v]
    for k in range(v * most, (v + 1) * most):
        gain, place = gains[k], places[k]
        if gain == 0.0 or taken == limit:
            break
        if place < 0 or position[place] < position[v]:
            taken += 1
            if gain != np.inf:
                total += gain
        elif gain == np.inf:
            return -np.inf
    return total


@compiled
def _gain_of_two(
    a: int, b: int, most: int, places: Pointer, gains: Pointer, limits: Pointer, position: Pointer
) -> float:
    """Return what two variables gain together."""
    at_a = _gain_at(a, most, places, gains, limits, position)
    return at_a + _gain_at(b, most, places, gains, limits, position)


def best_ordering(places: IntArray, gains: FloatArray, limits: IntArray) -> IntArray:
    """Return the ordering of n variables with the largest gain, shape (n,).

    Of equal ones, the smallest numbers come last.
    """
    n = len(places)
    best, last = np.full(1 << n, -np.inf), np.zeros(1 << n, dtype=np.int8)
    best[0] = 0.0
    _fill_best(places.ravel(), gains.ravel(), limits, best, last)
    order, placed = np.empty(n, dtype=np.int64), (1 << n) - 1
    for place in range(n - 1, -1, -1):
        order[place] = last[placed]
        placed ^= 1 << int(order[place])
    return order


@compiled
def _fill_best(places: IntArray, gains: FloatArray, limits: IntArray, best: FloatArray, last: Int8Array) -> None:
    """Fill in the largest gain of each set of variables that stands first, and which variable is its last."""
    n = limits.shape[0]
    places_at, gains_at, most = pointer_to(places), pointer_to(gains), places.shape[0] // n
    for placed in range(1, best.shape[0]):
        for v in range(n):
            if (placed >> v) & 1:
                before = placed ^ (1 << v)
                value = best[before] + _gain_after_set(v * most, most, places_at, gains_at, limits[v], before)
                if value > best[placed]:
                    best[placed] = value
                    last[placed] = v


@compiled
def _swap_gain(
    step: int, v: int, most: int, places: Pointer, gains: Pointer, limits: Pointer, position: Pointer, order: Pointer
) -> float:
    """Swap v with its neighbour before (step -1) or after it (1); minus infinity against a required edge."""
    from_place, to_place = position[v], position[v] + step
    other = order[to_place]
    a, b = (v, other) if step > 0 else (other, v)
    old = _gain_of_two(a, b, most, places, gains, limits, position)
    order[from_place], order[to_place] = other, v
    position[v], position[other] = to_place, from_place
    return _gain_of_two(a, b, most, places, gains, limits, position) - old


def improve_ordering(order: IntArray, places: IntArray, gains: FloatArray, limits: IntArray) -> None:
    """Move single variables to where the gain is largest, until none can be moved with a gain; in place.

    The ordering given must have every required parent before its child. Neighbours are swapped on the way to each
    place, which changes what these two gain and nothing else.
    """
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    _improve(order, position, places.ravel(), gains.ravel(), limits)


@compiled
def _improve(order: IntArray, position: IntArray, places: IntArray, gains: FloatArray, limits: IntArray) -> None:
    order_at, position_at, limits_at = pointer_to(order), pointer_to(position), pointer_to(limits)
    places_at, gains_at = pointer_to(places), pointer_to(gains)
    n = order.shape[0]
    most = places.shape[0] // n
    improved = True
    while improved:
        improved = False
        for v in range(n):
            for side in range(2):
                step = 2 * side - 1
                start, value, best, best_place = position_at[v], 0.0, _ROUNDING, position_at[v]
                while 0 <= position_at[v] + step < n:
                    value += _swap_gain(step, v, most, places_at, gains_at, limits_at, position_at, order_at)
                    if value == -np.inf:
                        break
                    if value > best:
                        best, best_place = value, position_at[v]
                improved = improved or best_place != start
                while position_at[v] != best_place:
                    _swap_gain(-step, v, most, places_at, gains_at, limits_at, position_at, order_at)


# An ordering of the variables whose edges gain most, group by group of variables that lie on cycles.

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
    """Return the edges that gain most in an ordering: each child's best allowed parents before it."""
    position = np.argsort(order)
    forward = position[:, None] < position[None, :]
    adjacency = (gains > 0) & forward
    for child in np.flatnonzero(adjacency.sum(axis=0) > limit).tolist():
        best = np.argsort(-np.where(adjacency[:, child], gains[:, child], 0.0), kind="stable")
        adjacency[best[limit:], child] = False
    return adjacency


def _without_the_certain(gains: FloatArray, limit: int) -> FloatArray:
    """Return the gains less what a pair's better and worse direction both bring, which any ordering has.

    Only where neither child can reach its limit; after that most pairs have one direction, and few are on cycles.
    """
    free = (gains > 0).sum(axis=0) <= limit
    least = np.where(free[:, None] & free[None, :], np.minimum(gains, gains.T), 0.0)
    return gains - least  # a required edge's reverse gains 0, so this never subtracts infinity


def _groups(positive: Adjacency) -> list[IntArray]:
    """Return the strongly connected groups of variables, so that no edge leads from a group to an earlier one."""
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
    """Return the candidate parents of a group's variables, by decreasing gain (see ``_best_ordering``)."""
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
    """Return an ordering for the group's edges, taken by decreasing gain unless one closes a cycle."""
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
    """Return what the ordering gains less than if every variable came after all its candidate parents."""
    position = np.argsort(order)
    total = 0.0
    for v in range(len(order)):
        given = np.isfinite(ranked[v])
        before = (places[v] < 0) | (position[places[v]] < position[v])
        best = ranked[v][given & (ranked[v] > 0)][: int(limits[v])].sum()
        total += float(best - ranked[v][given & before & (ranked[v] > 0)][: int(limits[v])].sum())
    return total


@dataclass(frozen=True, eq=False)
class ConsensusNetwork(NetworkOfShares):
    """The acyclic network with the least total SHD to the graphs of an ensemble.

    Attributes
    ----------
    mean_shd : float
        Mean structural Hamming distance to the graphs, edges per graph.
    least_shd : float
        Lower bound of that mean for any acyclic network under the constraints; ``mean_shd`` itself where it is proved
        to be the least.
    n_graphs : int
        Number of graphs; 0 if only their confidences were given.
    status : str
        ``"optimal"`` (proved) or ``"converged"`` (no variable can be moved in the ordering with a gain).
    """

    mean_shd: float
    least_shd: float
    n_graphs: int
    status: str


@validated
def consensus_network(
    confidence: Ensemble | FloatArray, constraints: Constraints | None = None, names: Sequence[str] | None = None
) -> ConsensusNetwork:
    """Find the acyclic network with the least total SHD to the graphs of an ensemble.

    The SHD of two graphs is the number of pairs of variables that are joined in one only, or differently (``shd``). Its
    sum over the graphs is a sum over pairs: a pair that is left apart differs from all graphs that join it, an edge
    from all that do not have this edge. So the edge i → j gains f_ij - (1 - f_ij - f_ji) per graph, f being the
    confidences, and what is wanted is the acyclic set of edges with the largest gain. (Wang & Peng 2014, "Learning
    directed acyclic graphs via bootstrap aggregating", add edges greedily.) Edges on no cycle of edges with a gain are
    settled at once. The other variables fall into groups that lie on cycles together, usually small: up to 20 variables
    are ordered exactly, over all 2^20 sets; an ordering of more is found greedily and improved by moving variables.

    An edge that no cycle or constraint keeps out is in the consensus if more graphs have it than leave its pair apart,
    and not the other direction. ``averaged_network`` has a threshold to choose; this has none.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V), [parent, child]
        Confidences of directed edges.
    constraints : Constraints, optional
        Hold in the consensus; usually those of the ensemble, whose limit on parents the consensus could otherwise
        exceed.
    names : sequence of str, optional
        Of the variables, if only confidences are given.

    Raises
    ------
    ValueError
        If the ensemble is empty, a confidence is outside [0, 1], the two directions of a pair sum to more than 1, names
        are missing, or the constraints contradict each other.

    Notes
    -----
    Equally good networks are told apart by their names, never by the order of the columns. An edge that gains nothing
    is left out.

    Examples
    --------
    >>> import numpy as np
    >>> f = np.array([[0.0, 0.6, 0.3], [0.1, 0.0, 0.6], [0.7, 0.1, 0.0]])  # a cycle is in most graphs, taken singly
    >>> found = consensus_network(f, names=["A", "B", "C"])
    >>> found.edges, round(found.mean_shd, 2), found.status
    ([('B', 'C'), ('C', 'A')], 1.4, 'optimal')
    """
    n_graphs = 0
    if isinstance(confidence, Ensemble):
        names, n_graphs = confidence.names, int(confidence.multiplicities.sum())
        if not n_graphs:
            raise ValueError("confidence is of an ensemble without graphs; learn from at least one replicate")
    shares = directed_confidence(confidence)
    if names is None or len(names) != len(shares):
        raise ValueError(f"names must name the {len(shares)} variables of the confidences")
    counts = np.rint(shares * n_graphs) if n_graphs else shares  # whole numbers have no rounding
    by_name = np.array(sorted(range(len(names)), key=list(names).__getitem__), dtype=np.int64)
    sorted_names = [names[v] for v in by_name.tolist()]
    space = (constraints or Constraints()).resolve(sorted_names)
    within = np.ix_(by_name, by_name)
    gains = _edge_gains(counts[within], float(n_graphs or 1), space)
    order, lost, status = consensus_order(gains, space.max_parents)
    adjacency: Adjacency = np.zeros(shares.shape, dtype=np.bool_)
    adjacency[within] = parents_in(order, gains, space.max_parents)
    mean = _mean_shd(adjacency, counts, float(n_graphs or 1))
    least = mean - lost / (n_graphs or 1)
    return ConsensusNetwork(tuple(names), adjacency, *shares_of_pairs(shares), mean, least, n_graphs, status)


def _edge_gains(counts: FloatArray, n_graphs: float, space: SearchSpace) -> FloatArray:
    """Return how many more graphs have each edge than leave its pair apart, at least 0; shape (V, V).

    0 for edges that are not allowed, and for the reverse of a required edge; infinity for required ones.
    """
    gains: FloatArray = np.round(counts - (n_graphs - counts - counts.T), 12)
    gains[(gains < 0) | ~space.allowed | space.required.T] = 0.0
    gains[space.required] = np.inf
    return gains


def _mean_shd(adjacency: Adjacency, counts: FloatArray, n_graphs: float) -> float:
    """Return the mean over the graphs of the number of pairs in another state than in the network."""
    apart = n_graphs - counts - counts.T
    joined = adjacency | adjacency.T
    agree = float(counts[adjacency].sum() + apart[np.triu(~joined, 1)].sum())
    v = len(adjacency)
    return v * (v - 1) / 2 - agree / n_graphs
