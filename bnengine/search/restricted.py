"""The best graph of a restricted kind: a tree or forest (Chow & Liu 1968), or one that fits a given ordering."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.settings import InR, Name, Names, Whole, field, setting
from bnengine._core.validation import VariableCount, validated
from bnengine._jit.compiled import Pointer, compiled
from bnengine._jit.records import Handle
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import (
    ScoreContext,
    local_score,
    score_context,
    scores_with_one_more,
    stopped,
    upper_bound,
)
from bnengine.search import result as limits
from bnengine.search.edge_changes import GraphSearch, GraphState, graph_search, graph_state, parents_in, tolerance
from bnengine.search.result import SearchResult


def _pair_gains(scores: LocalScores) -> tuple[FloatArray, FloatArray]:
    """Return local scores without parents, (V,), and what one parent adds to them, [parent, child]; 0 once stopped."""
    n = scores.context.sample.n_variables
    alone = np.array([scores(child) for child in range(n)])
    others = ~np.eye(n, dtype=np.bool_)
    gains = np.stack([scores.with_one_more(child, [], others[child]) - alone[child] for child in range(n)], axis=1)
    gains[~others | scores.stopped] = 0.0
    return alone, gains


@setting(
    tag="chow_liu",
    label="Chow–Liu tree",
    help="Finds the best graph with at most one parent per variable: a tree or a forest. Exact, under this "
    "restriction.",
    in_r=InR("chow.liu"),
)
class ChowLiu:
    """The highest-scoring graph in which no variable has more than one parent.

    An edge that does not gain is left out, so the result may be a forest. Where gains do not depend on an edge's
    direction (a score equal on Markov-equivalent graphs, and no constraint on directions) this is a maximum spanning
    forest (Kruskal), each tree directed away from its root. Otherwise it is a maximum branching (Edmonds 1967), in
    which directions, and so roots, follow from the gains.

    Notes
    -----
    The other trees, and without ``root`` all trees, are rooted at the column that is shown first (see ``ties`` of
    ``learn``).
    """

    root: Name | None = field(
        default=None,
        none="the column that is shown first",
        label="Root",
        help="Root of the tree that contains this variable, where gains do not depend on directions.",
    )

    name = "Chow–Liu"
    max_parents = 1

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        if self.root is not None and self.root not in names:
            raise ValueError(f"root: no variable is named '{self.root}'")
        alone, gains = _pair_gains(scores)
        least_gain = tolerance(scores.context.sample.n_rows)
        free = bool(space.allowed[~np.eye(len(names), dtype=np.bool_)].all()) and not space.required.any()
        if space.max_parents == 0:
            adjacency = np.zeros(gains.shape, dtype=np.bool_)
        elif free and _symmetric(gains, least_gain):
            first = names.index(self.root) if self.root is not None else 0
            adjacency = _spanning_forest(gains, least_gain, first)
        else:
            adjacency = _branching(gains, least_gain, space)
        chosen = np.sort(gains[adjacency])[::-1]
        trace = alone.sum() + np.concatenate([[0.0], np.cumsum(chosen)])
        return SearchResult(adjacency, float(trace[-1]), scores.n_scored, scores.status(True), trace)


def _symmetric(gains: FloatArray, margin: float) -> bool:
    """Return whether each gain equals that of the reversed edge; an impossible edge must be impossible both ways."""
    possible = np.isfinite(gains)
    finite = np.where(possible, gains, 0.0)
    return bool((possible == possible.T).all() and (np.abs(finite - finite.T) <= margin).all())


def _spanning_forest(gains: FloatArray, least_gain: float, root: int) -> Adjacency:
    """Return the maximum spanning forest of the gaining edges, directed away from ``root`` or first columns."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    n_variables = len(gains)
    gaining = np.nonzero(np.triu(gains > least_gain, k=1))
    i, j = (index.astype(np.int32) for index in gaining)  # as every scipy's graph algorithms take them
    rounded = np.round(gains[i, j] / least_gain)  # equal gains must tie, so that ties go by column order
    ranks = np.empty(len(i))
    ranks[np.lexsort((j, i, -rounded))] = np.arange(1, len(i) + 1)  # Kruskal needs no more than the order
    forest = minimum_spanning_tree(csr_array((ranks, (i, j)), shape=gains.shape))
    adjacency = np.zeros(gains.shape, dtype=np.bool_)
    seen: set[int] = set()
    for start in [root, *range(n_variables)]:
        if start in seen:
            continue
        order, before = breadth_first_order(forest, start, directed=False)
        seen.update(order.tolist())
        for v in order[1:]:
            adjacency[before[v], v] = True
    return adjacency


def _branching(gains: FloatArray, least_gain: float, space: SearchSpace) -> Adjacency:
    """Return the maximum branching of the gaining, allowed edges; required ones outweigh all others."""
    import networkx as nx

    bonus = float(np.abs(gains[np.isfinite(gains)]).sum()) + 1.0
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(gains)))
    for i, j in zip(*np.nonzero(space.allowed & ((gains > least_gain) | space.required)), strict=True):
        graph.add_edge(int(i), int(j), weight=float(gains[i, j]) + bonus * bool(space.required[i, j]))
    adjacency = np.zeros(gains.shape, dtype=np.bool_)
    for i, j in nx.maximum_branching(graph).edges:
        adjacency[i, j] = True
    return adjacency


# K2: greedy choice of each variable's parents among those before it (Cooper & Herskovits 1992, Sec. 3.1.2).


@compiled
def _k2(context_handle: Handle, state_handle: Handle, ordering: IntArray, trace: FloatArray) -> float:
    """Find the graph; returns its score, and in ``trace`` the score before and after each variable gets its parents."""
    context, state = score_context(context_handle), graph_state(state_handle)
    n, adjacency, parents = state.n_variables, state.adjacency, context.work.parents
    wanted, extended = context.work.wanted, context.work.extended
    least_gain = tolerance(context.sample.n_rows)
    total, at_first = 0.0, 0.0
    for place in range(n):
        child = ordering[place]
        k = parents_in(state, child, parents)
        score = local_score(context, child, parents, k)
        at_first += score
        without_added = score
        while k < state.max_parents:
            for v in range(n):
                wanted[v] = 0
            for earlier in range(place):
                v = ordering[earlier]
                wanted[v] = state.allowed[v * n + child] and not adjacency[v * n + child]
            scores_with_one_more(context, child, parents, k, wanted, score, extended)
            best = -1
            for candidate in range(n):
                if extended[candidate] > (score if best < 0 else extended[best]) + least_gain:
                    best = candidate
            if best < 0:
                break
            adjacency[best * n + child] = True
            k = parents_in(state, child, parents)
            score = extended[best]
        total += score
        trace[place + 1] = score - without_added
    trace[0] = at_first
    for place in range(n):
        trace[place + 1] += trace[place]
    return total


@setting(
    tag="k2",
    label="K2, given an ordering",
    help="Takes the variables in a given order and greedily adds the earlier variables that improve the score most. "
    "Fast and always acyclic, but only as good as the ordering.",
    in_r=InR("hc", exact=False),
)
class K2:
    """Adds parents greedily among the variables that precede in an ordering (Cooper & Herskovits 1992)."""

    ordering: Names | None = limits.ordering()
    max_parents: Whole | None = limits.parent_limit()

    name = "K2"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        ordering = checked_ordering(names, self.ordering)
        refuse_backward(names, ordering, space)
        trace = np.empty(len(names) + 1)
        search = graph_search(scores, space, 0)
        total = _k2(scores.handle, search.handle, ordering, trace)
        adjacency = search.state.adjacency.copy().view(np.bool_)
        return SearchResult(adjacency, float(total), scores.n_scored, scores.status(True), trace)


def checked_ordering(names: Sequence[str], ordering: Sequence[str] | None) -> IntArray:
    """Return the ordering as column numbers; a ValueError names what it lacks or has too much."""
    if ordering is None:
        return np.arange(len(names))
    place = dict(zip(names, range(len(names)), strict=True))
    if len(ordering) != len(place) or place.keys() != set(ordering):
        missing = [name for name in names if name not in ordering]
        unknown = [name for name in ordering if name not in names]
        what = (
            f"lacks {', '.join(missing)}" if missing else f"has {', '.join(unknown)}" if unknown else "repeats a name"
        )
        raise ValueError(f"ordering must name each of the {len(names)} variables once; it {what}")
    return np.fromiter(map(place.__getitem__, ordering), dtype=np.int64, count=len(place))


def refuse_backward(names: Sequence[str], ordering: IntArray, space: SearchSpace) -> None:
    """Raise a ValueError that names a required edge that does not go forward in the ordering."""
    if not space.required.any():
        return
    position = np.argsort(ordering)
    for i, j in np.argwhere(space.required & (position[:, None] >= position)).tolist():
        raise ValueError(
            f"edge {names[i]} → {names[j]} is required but {names[j]} stands before {names[i]} in the ordering"
        )


#: More families than this are refused; at a microsecond each this is about two minutes.
LARGEST_SEARCH = 100_000_000


@compiled
def _next_combination(chosen: Pointer, size: int, n: int) -> bool:
    """Turn to the next of the ascending combinations of ``size`` numbers below ``n``; False after the last."""
    i = size - 1
    while i >= 0 and chosen[i] == n - size + i:
        i -= 1
    if i < 0:
        return False
    chosen[i] += 1
    for later in range(i + 1, size):
        chosen[later] = chosen[later - 1] + 1
    return True


@compiled
def _best_set(context: ScoreContext, state: GraphState, child: int, free: Pointer, chosen: Pointer) -> float:
    """Give the child its best parent set, all of ``required`` and any of ``allowed``; returns its score."""
    n, parents = state.n_variables, context.work.parents
    least_gain = tolerance(context.sample.n_rows)
    n_free, n_required = 0, 0
    for v in range(n):
        if state.required[v * n + child]:
            n_required += 1
        elif state.allowed[v * n + child]:
            free[n_free] = v
            n_free += 1
    best = -np.inf
    for size in range(min(state.max_parents - n_required, n_free) + 1):
        for i in range(size):
            chosen[i] = i
        more = size == 0 or not stopped(context)
        while more:
            k, at = 0, 0
            for v in range(n):  # the required and the chosen, in column order
                if state.required[v * n + child] or (at < size and free[chosen[at]] == v):
                    at += not state.required[v * n + child]
                    parents[k] = v
                    k += 1
            if upper_bound(context, child, parents, k) > best:
                score = local_score(context, child, parents, k)
                if score > best + least_gain or best == -np.inf:
                    best = score
                    for v in range(n):
                        state.adjacency[v * n + child] = False
                    for i in range(k):
                        state.adjacency[parents[i] * n + child] = True
            more = not stopped(context) and _next_combination(chosen, size, n_free)
    return best


@compiled
def _best_sets(context_handle: Handle, state_handle: Handle, ordering: IntArray, totals: FloatArray) -> float:
    """Give each variable its best parent set, and write to ``totals`` the score so far."""
    context, state = score_context(context_handle), graph_state(state_handle)
    total = 0.0
    for place in range(state.n_variables):
        total += _best_set(context, state, ordering[place], context.work.fewer, state.n_parents)
        totals[place] = total
    return total


@setting(
    tag="fixed_ordering",
    label="Exact, given an ordering",
    help="Scores every parent set among the earlier variables, up to a size, and keeps the best. Finds parents that "
    "help only together; the result is optimal for this ordering.",
    in_r=InR("hc", exact=False),
)
class FixedOrdering:
    """The provably best graph in which every edge goes forward in an ordering and no family exceeds ``max_parents``.

    Given an ordering the families are independent, so each variable's parent sets are tried one by one (Buntine 1991;
    Koller & Friedman 2009, Sec. 18.4.2). Where K2 adds parents greedily, this finds pairs that gain only together. The
    work grows with the number of variables to the power of ``max_parents``.
    """

    ordering: Names | None = limits.ordering()
    max_parents: Whole | None = limits.parent_limit(3)

    name = "fixed ordering, exact"

    @validated
    def n_families(self, n_variables: VariableCount) -> int:
        """Return how many families there are to try: the sum over places p of binom(p, 0 … max_parents).

        Parameters
        ----------
        n_variables : int

        Returns
        -------
        int

        Examples
        --------
        >>> FixedOrdering(max_parents=2).n_families(5)
        25
        """
        return _n_families(n_variables, n_variables - 1 if self.max_parents is None else self.max_parents)

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        n_families = _n_families(len(names), space.max_parents)
        if n_families > LARGEST_SEARCH:
            raise ValueError(
                f"{len(names)} variables with up to {space.max_parents} parents have {n_families:,} families to try, "
                f"more than {LARGEST_SEARCH:,}: lower max_parents"
            )
        ordering = checked_ordering(names, self.ordering)
        refuse_backward(names, ordering, space)
        totals = np.zeros(len(names))
        position = np.argsort(ordering)
        search = GraphSearch(space._replace(allowed=space.allowed & (position[:, None] < position)), 0)
        total = _best_sets(scores.handle, search.handle, ordering, totals)
        return SearchResult(
            search.state.adjacency.view(np.bool_), float(total), scores.n_scored, scores.status(True), totals
        )


def _n_families(n_variables: int, max_parents: int) -> int:
    return sum(math.comb(place, k) for place in range(n_variables) for k in range(min(max_parents, place) + 1))
