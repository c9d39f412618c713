"""The best tree or forest: Chow & Liu (1968), with the edge weights of any score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.settings import InR, Name, field, setting
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import local_score, score_context, stopped
from bnengine.search.edge_changes import tolerance
from bnengine.search.result import SearchResult


@compiled
def _pair_gains(handle: Handle, alone: FloatArray, gains: FloatArray) -> None:
    """Fill in local scores without parents, and in ``gains[parent, child]`` what one parent adds to them."""
    context = score_context(handle)
    n, parents = context.sample.n_variables, context.work.parents
    for child in range(n):
        alone[child] = local_score(context, child, parents, 0)
        for v in range(n):
            gains[v, child] = 0.0
            if v != child and not stopped(context):
                parents[0] = v
                gains[v, child] = local_score(context, child, parents, 1) - alone[child]


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

    @property
    def name(self) -> str:
        return "Chow–Liu"

    @property
    def max_parents(self) -> int | None:
        return 1

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        if self.root is not None and self.root not in names:
            raise ValueError(f"root: no variable is named '{self.root}'")
        alone = np.empty(len(names))
        gains = np.empty((len(names), len(names)))
        _pair_gains(scores.handle, alone, gains)
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
    """Return the maximum branching of the gaining, allowed edges.

    Required edges get a weight that no sum of others outbids.
    """
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
