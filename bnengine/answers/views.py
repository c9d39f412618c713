"""The networks of a run on one layout: its verdict, its best-scoring graph, the pairs found again above a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bnengine._core.arrays import BoolArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.validation import Share, one_of, validated
from bnengine.answers.edge_answers import HALF
from bnengine.answers.verdict import Verdict
from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE
from bnengine.bootstrap.study import Study
from bnengine.graphs.dag import Adjacency, edges_of, places_of, skeleton
from bnengine.posterior import EdgePosterior
from bnengine.search import LearnedGraph

#: The views of a network by their keys.
VIEWS = {
    "verdict": "Verdict",
    "learned": "Best-scoring graph",
    "threshold": "Threshold",
    "naive": "Naive vs. corrected",
    "redraws": "Draw the study again",
}
#: Those that need the replicates of the naive and of the corrected bootstrap.
OF_BOOTSTRAPS = ("naive", "redraws")


@dataclass(frozen=True, eq=False)
class NetworkView(ReadOnlyArrays):
    """One network of a run, for the page, the picture and the files alike.

    Attributes
    ----------
    found : Verdict
    name : str
        A key of ``VIEWS``.
    shown : ndarray of bool, shape (V, V), [parent, child], read-only
        The edges of this view, each once; of the best-scoring graph in its own direction. One is drawn as an arrow
        where the verdict calls its direction settled.
    threshold : float, optional
        Of the share of graphs that join a pair.
    signed : bool
        Whether the picture shows the strength and the sign of each association.
    short : mapping from str to str
        Names for pictures, by the variables that have one.
    """

    found: Verdict
    name: str
    shown: Adjacency = field(repr=False)
    threshold: float | None = None
    signed: bool = False
    short: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.found.names

    @property
    def short_names(self) -> pd.DataFrame:
        """The names for pictures and what they stand for: columns short and name."""
        named = [(self.short[name], name) for name in self.names if name in self.short]
        return pd.DataFrame(named, columns=["short", "name"])

    @cached_property
    def only_here(self) -> Adjacency:
        """The edges of this view that the verdict does not show, (V, V)."""
        return np.asarray(self.shown & ~skeleton(self.found.drawn))

    @cached_property
    def not_here(self) -> Adjacency:
        """The edges of the verdict that this view does not have, (V, V)."""
        return np.asarray(self.found.drawn & ~skeleton(self.shown))

    def table(self) -> pd.DataFrame:
        """Tabulate one row per edge, as ``Verdict.table``."""
        return self.found.with_effects(self.rows())

    def rows(self) -> pd.DataFrame:
        """Tabulate one row per edge as ``table``, but without effects."""
        return self.found.rows(self.shown)

    @cached_property
    def edges(self) -> list[tuple[str, str]]:
        """The edges of an acyclic graph: each in the direction drawn, unless that closes a cycle."""
        graph: BoolArray = np.zeros_like(self.shown)
        reaches = np.eye(len(graph), dtype=np.bool_)  # [ancestor, descendant]; each variable reaches itself
        compelled = np.where(self.found.settled, self.found.compelled, 0.0)
        pairs = np.argwhere(self.shown)
        for i, j in pairs[np.argsort(-compelled[pairs[:, 0], pairs[:, 1]], kind="stable")].tolist():
            parent, child = (j, i) if reaches[j, i] else (i, j)
            graph[parent, child] = True
            reaches[reaches[:, parent]] |= reaches[child]
        return edges_of(self.names, graph)

    def expected_false(self, posterior: EdgePosterior) -> tuple[float, float]:
        """Return how many of the edges are expected not to be real, the sum of 1 − P(real), with its standard error.

        ``false_remark`` in ``reliability.py`` says what it was in simulated worlds.
        """
        false = float((1.0 - posterior.pair_probability[self.shown]).sum())
        if posterior.is_exact:
            return false, 0.0
        i, j = np.nonzero(self.shown)

        def missing(graph: Adjacency) -> float:
            return float((~(graph[i, j] | graph[j, i])).sum())

        return false, posterior.feature(missing).error


def verdict_view(found: Verdict) -> NetworkView:
    """Return the edges that are found again or real."""
    return NetworkView(found, "verdict", found.drawn)


@validated
def view_table(found: Verdict, study: Study, view: str = "verdict", threshold: Share = HALF) -> pd.DataFrame:
    """Tabulate the edges of a view of a verdict, each with its confidence by every method, as the pages' files do.

    Parameters
    ----------
    found : Verdict
    study : Study
        The one that the verdict is about.
    view : {"verdict", "learned", "threshold"}
        Its own edges, those of the graph learned from the data, or those found again in at least a share of graphs.
    threshold : float
        That share.

    Returns
    -------
    DataFrame
        As ``Verdict.table``, then a column for each method; see ``with_methods``.

    Raises
    ------
    ValueError
        If there is no such view, or the threshold is not a share.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1)
    >>> study = bn.study(data, methods=bn.resampling_methods(5, keys=["bootstrap"]), rng=1)
    >>> table = view_table(bn.verdict(study), study, "learned")
    >>> len(table) == len(study.reference.edges)
    True
    """
    made = views_of(found, study.reference, threshold)
    return with_methods(made[one_of(view, "view", made)].table(), study)


def views_of(found: Verdict, graph: LearnedGraph, threshold: float) -> dict[str, NetworkView]:
    """Return the views that need no further replicates, by their keys."""
    views = (verdict_view(found), learned_view(found, graph), threshold_view(found, threshold))
    return {view.name: view for view in views}


def learned_view(found: Verdict, graph: LearnedGraph) -> NetworkView:
    """Return the best-scoring graph."""
    return NetworkView(found, "learned", np.asarray(graph.adjacency))


def threshold_view(found: Verdict, at: float) -> NetworkView:
    """Return the pairs that at least this share of the graphs join."""
    joined = (found.answers.found_again >= at) & (found.answers.found_again > 0)
    return NetworkView(found, "threshold", found.in_one_direction(joined), at)


def with_methods(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Return a table of edges with their confidence by every method.

    Further columns: ``confidence_<key>`` for each method, and overstated (naive minus corrected bootstrap) if both were
    run. Numbers have six significant digits, which is more than their errors bear.
    """
    i, j = places_of(study.reference.names, table)
    more = {f"confidence_{key}": study.confidence(key, "adjacency")[i, j] for key in study.ensembles}
    if {NAIVE, CORRECTED} <= set(study.ensembles):
        more["overstated"] = more[f"confidence_{NAIVE}"] - more[f"confidence_{CORRECTED}"]
    table = table.assign(**more)
    return table.assign(**table.select_dtypes("float").map(lambda value: float(f"{value:.6g}")))
