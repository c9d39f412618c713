"""The tree of networks that tree search explores: visited networks, predecessors and scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, Edge, edges_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import TreeSearch

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class SearchWalk(ReadOnlyArrays):
    """The visited part of the tree of networks, in order of visit.

    Attributes
    ----------
    names : tuple of str
    graphs : tuple of ndarray of bool, shape (V, V)
        ``[parent, child]``; the first is the root.
    scores : ndarray, shape (visited,), read-only
        Nats, higher is better.
    came_from : ndarray of int, shape (visited,), read-only
        Position of the predecessor of each network; -1 for the root.
    added : tuple of (parent, child) or None
        The edge added to the predecessor; None for the root.
    best : int
        Position of the best network, the first if tied.
    complete : bool
        Whether the search finished before its limit on the number of networks.
    """

    names: tuple[str, ...]
    graphs: tuple[Adjacency, ...] = field(repr=False)
    scores: FloatArray = field(repr=False)
    came_from: IntArray = field(repr=False)
    added: tuple[Edge | None, ...] = field(repr=False)
    best: int
    complete: bool

    @property
    def n_visited(self) -> int:
        """Number of visited networks."""
        return len(self.graphs)

    @property
    def depths(self) -> IntArray:
        """Number of edges that each network has in addition to the root's, shape (visited,)."""
        depths: IntArray = np.array([int(graph.sum()) for graph in self.graphs], dtype=np.int64)
        depths -= depths[0]
        return depths

    @property
    def mdl_bits(self) -> FloatArray:
        """Minus the score in bits (the description length if the score is BIC), shape (visited,)."""
        bits: FloatArray = -self.scores / np.log(2)
        return bits

    @validated
    def edges(self, position: int) -> list[Edge]:
        """Return the edges of a visited network."""
        if not 0 <= position < len(self.graphs):
            raise ValueError(f"position must be from 0 to {len(self.graphs) - 1}; got {position}")
        return edges_of(self.names, self.graphs[position])

    def table(self) -> pd.DataFrame:
        """Return one line per visited network: visit, came_from, edge_added, edges, score (nats), mdl_bits."""
        import pandas as pd

        return pd.DataFrame(
            {
                "visit": np.arange(1, self.n_visited + 1),
                "came_from": self.came_from + 1,
                "edge_added": [f"{edge[0]} → {edge[1]}" if edge else "" for edge in self.added],
                "edges": [", ".join(f"{i} → {j}" for i, j in self.edges(k)) for k in range(self.n_visited)],
                "score": self.scores,
                "mdl_bits": self.mdl_bits,
            }
        )


@validated
def walk_tree(
    data: Dataset,
    search: TreeSearch | None = None,
    score: TableScore | None = None,
    constraints: Constraints | None = None,
) -> SearchWalk:
    """Run tree search and record every network that it visits.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(1000, rng=1).select(["Pollution", "Smoker", "Cancer", "Xray"])
    >>> everything = bn.TreeSearch(only_improving=False, beam=None)
    >>> bn.teaching.walk_tree(data, everything).n_visited == bn.teaching.n_dags(4)
    True
    >>> bn.teaching.walk_tree(data).n_visited < 20
    True
    """
    used = search or TreeSearch()
    space = (constraints or Constraints()).resolve(data.names, used.max_parents)
    one_more = replace(
        used, max_networks=used.max_networks + 1
    )  # one more than allowed shows whether the tree was exhausted
    visited = one_more.visit(LocalScores(data, score or BIC()), space)
    complete = len(visited) <= used.max_networks
    visited = visited[: used.max_networks]
    graphs = tuple(graph for graph, _ in visited)
    scores = np.array([value for _, value in visited])
    last_at: dict[int, int] = {}  # depth first: the predecessor is the last visited network with one edge less
    came_from, edges = [], []
    for position, graph in enumerate(graphs):
        n_edges = int(graph.sum())
        parent = last_at.get(n_edges - 1, -1)
        last_at[n_edges] = position
        came_from.append(parent)
        new = edges_of(data.names, graph & ~graphs[parent]) if parent >= 0 else []
        edges.append(new[0] if new else None)
    best = int(np.argmax(scores))
    return SearchWalk(data.names, graphs, scores, np.array(came_from), tuple(edges), best, complete)


@validated
def visits_by_rule(data: Dataset, search: TreeSearch | None = None, score: TableScore | None = None) -> dict[str, int]:
    """Count the networks visited without rules, with each rule of a search alone, and with all of them.

    Without a limit on the number of networks, hence for at most five variables.
    """
    if data.n_variables > 5:
        raise ValueError(
            f"data must have up to 5 variables to explore the whole tree; got {data.n_variables}: select fewer"
        )
    used = search or TreeSearch()
    rules = {
        "no rule": TreeSearch(False, 1.0, None, max_networks=10**6),
        "only improving": TreeSearch(True, 1.0, None, max_networks=10**6),
        "most dependent pairs": TreeSearch(False, used.dependent_share, None, max_networks=10**6),
        "best branches": TreeSearch(False, 1.0, used.beam, max_networks=10**6),
        "all as set": used,
    }
    return {name: walk_tree(data, rule, score).n_visited for name, rule in rules.items()}
