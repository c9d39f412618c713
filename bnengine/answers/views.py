"""The networks of a run on one layout: its verdict, its best-scoring graph, the pairs found again above a threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bnengine._core.arrays import BoolArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine.answers.edge_answers import expected_false
from bnengine.answers.verdict import Verdict
from bnengine.graphs.dag import Adjacency, edges_of, is_dag, skeleton
from bnengine.posterior import EdgePosterior
from bnengine.search import LearnedGraph

#: The views of a network by their keys.
VIEWS = {
    "verdict": "Verdict",
    "learned": "Best-scoring graph",
    "threshold": "Threshold",
    "naive": "Naive against corrected",
}


@dataclass(frozen=True, eq=False)
class NetworkView(ReadOnlyArrays):
    """One network of a run, for the page, the picture and the files alike.

    Attributes
    ----------
    found : Verdict
    name : str
        A key of ``VIEWS``.
    shown : ndarray of bool, shape (V, V), [parent, child], read-only
        The adjacencies of this view, each once; of the best-scoring graph in its own direction.
    settled : ndarray of bool, shape (V, V), [parent, child], read-only
        The directions that are drawn as arrows.
    threshold : float, optional
        Of the share of graphs that join a pair.
    signed : bool
        Whether the picture shows the strength and the sign of each association.
    """

    found: Verdict
    name: str
    shown: Adjacency = field(repr=False)
    settled: Adjacency = field(repr=False)
    threshold: float | None = None
    signed: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.found.names

    @cached_property
    def only_here(self) -> Adjacency:
        """The adjacencies of this view that the verdict does not show, (V, V)."""
        return np.asarray(self.shown & ~skeleton(self.found.drawn))

    @cached_property
    def not_here(self) -> Adjacency:
        """The adjacencies of the verdict that this view does not have, (V, V)."""
        return np.asarray(self.found.drawn & ~skeleton(self.shown))

    def table(self) -> pd.DataFrame:
        """Tabulate one row per adjacency, as ``Verdict.table``; *settled* are the directions drawn as arrows."""
        table, place = self.found.rows(self.shown), {name: v for v, name in enumerate(self.names)}
        i, j = ([place[name] for name in table[end]] for end in ("parent", "child"))
        return table.assign(direction=np.where(self.settled[i, j], "settled", "open").astype(object))

    @cached_property
    def edges(self) -> list[tuple[str, str]]:
        """The adjacencies as edges of an acyclic graph: in the direction drawn, unless that closes a cycle."""
        graph: BoolArray = np.zeros_like(self.shown)
        compelled = np.where(self.settled, self.found.compelled, 0.0)
        pairs = np.argwhere(self.shown)
        for i, j in pairs[np.argsort(-compelled[pairs[:, 0], pairs[:, 1]], kind="stable")]:
            graph[i, j] = True
            if not is_dag(graph):
                graph[i, j], graph[j, i] = False, True
        return edges_of(self.names, graph)

    def expected_false(self, posterior: EdgePosterior) -> tuple[float, float]:
        """Return how many of the adjacencies are expected not to be real, with the standard error."""
        return expected_false(posterior, self.shown, "adjacency")


def verdict_view(found: Verdict) -> NetworkView:
    """Return the adjacencies that are found again or real; an arrow where the direction is settled."""
    return NetworkView(found, "verdict", found.drawn, found.settled)


def learned_view(found: Verdict, graph: LearnedGraph) -> NetworkView:
    """Return the best-scoring graph; an arrow where its direction is the settled one."""
    learned = np.asarray(graph.adjacency)
    return NetworkView(found, "learned", learned, found.settled & learned)


def threshold_view(found: Verdict, at: float) -> NetworkView:
    """Return the pairs that at least this share of the graphs join; an arrow where the direction is settled."""
    joined = (found.answers.found_again >= at) & (found.answers.found_again > 0)
    return NetworkView(found, "threshold", found.in_one_direction(joined), found.settled, at)
