"""The result of a study: edges by resampling method, and naive against corrected confidence (Table 1, Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.standard_errors import share_error
from bnengine._core.validation import one_of, validated
from bnengine.bootstrap.averaged_network import AveragedNetwork, averaged_network, strength_of
from bnengine.bootstrap.edge_frame import edge_frame
from bnengine.bootstrap.edge_kinds import each_once, presence_of
from bnengine.bootstrap.ensemble import Ensemble, combined_status
from bnengine.bootstrap.methods import ALL_KEYS, methods
from bnengine.bootstrap.thresholds import threshold_for
from bnengine.graphs.dag import Adjacency
from bnengine.search import LearnedGraph

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Study:
    """The graph learned from the data, and one ensemble for each resampling method.

    The parameter ``kind`` of its methods says what counts as an edge: ``"directed"``, ``"adjacency"`` or
    ``"compelled"``; see ``bnengine.bootstrap.edge_kinds``.

    Attributes
    ----------
    reference : LearnedGraph
        The graph learned from the data.
    ensembles : mapping from method key (see ``ALL_KEYS``) to Ensemble
        An ensemble under ``"data"``, of repeated runs on the given data, replaces ``reference`` in comparisons, as in
        the second experiment of Steck & Jaakkola (2003): if the search draws at random or breaks ties in a drawn
        order, a single graph is only one of many.
    stopped : bool
        Whether the run was stopped before all methods were finished.
    """

    reference: LearnedGraph
    ensembles: Mapping[str, Ensemble]
    stopped: bool = False

    @property
    def status(self) -> str:
        """``"stopped"`` if a method was not finished, ``"max_iterations"`` or ``"converged"``."""
        statuses = [self.reference.status, *(ensemble.status for ensemble in self.ensembles.values())]
        return combined_status([*statuses, *["stopped"] * self.stopped])

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys with a confidence: ``"data"``, then the methods that were run."""
        return tuple(dict.fromkeys(["data", *self.ensembles]))

    @validated
    def presence(self, kind: str = "directed") -> Adjacency:
        """Edges of the graph learned from the data, shape (V, V)."""
        return presence_of(self.reference.adjacency, kind)

    @validated
    def mean_edges(self, key: str, kind: str = "directed") -> float:
        """Mean number of edges over a method's graphs; ``"data"`` stands for the reference."""
        if kind == "directed" and key in self.ensembles:
            return self._ensemble(key).mean_edges
        return float(each_once(self.confidence(key, kind), kind).sum())

    def _ensemble(self, key: str) -> Ensemble:
        return self.ensembles[one_of(key, "key", self.ensembles)]

    @validated
    def confidence(self, key: str, kind: str = "directed") -> FloatArray:
        """Confidence of each edge under a method, shape (V, V), ``[parent, child]``.

        For ``"data"`` it is 0 or 1, or the share of runs if there were repeated runs on the data.
        """
        if key == "data" and key not in self.ensembles:
            return self.presence(kind).astype(np.float64)
        ensemble = self._ensemble(key)
        if kind == "adjacency":
            return ensemble.adjacency_confidence
        return ensemble.compelled_confidence if kind == "compelled" else ensemble.confidence

    @validated
    def standard_error(self, key: str, kind: str = "directed") -> FloatArray:
        """Monte Carlo standard error of each confidence, as of independent replicates; shape (V, V).

        In the delete-1 jackknife nothing is drawn but how ties are broken: the error is that of an edge whose direction
        a tie decides. 0 for a single graph learned from the data.
        """
        return self._errors(self.confidence(key, kind), key)

    @validated
    def strength_error(self, key: str, kind: str = "directed") -> FloatArray:
        """Monte Carlo standard error of each pair's strength; shape (V, V), upper triangle."""
        return np.triu(self._errors(self.strength(key, kind), key), 1)

    @validated
    def strength(self, key: str, kind: str = "directed") -> FloatArray:
        """Share of a method's graphs that join each pair in either direction; shape (V, V), upper triangle.

        For ``"compelled"``, the share that joins it by a compelled edge.
        """
        confidence = self.confidence(key, kind)
        return np.triu(confidence if kind == "adjacency" else strength_of(confidence))

    @validated
    def averaged(self, key: str, threshold: float, kind: str = "directed") -> AveragedNetwork:
        """Averaged network of a method's graphs; for ``"compelled"``, of their compelled edges only."""
        directed = self.confidence(key, "compelled" if kind == "compelled" else "directed")
        return averaged_network(directed, threshold, self.reference.names)

    def table1(self) -> pd.DataFrame:
        """Number of edges by method: mean, sd (standard deviation) and replicates; the reference is the first row."""
        import pandas as pd

        titles = {method.key: method.title for method in methods(keys=ALL_KEYS)}
        rows: list[tuple[str, float, float, int]] = []
        for key in self.keys:
            ensemble = self.ensembles.get(key)
            sd, n = (ensemble.sd_edges, int(ensemble.multiplicities.sum())) if ensemble else (0.0, 1)
            rows.append((titles[key], self.mean_edges(key), sd, n))
        return pd.DataFrame(rows, columns=["method", "mean", "sd", "replicates"]).set_index("method")

    @validated
    def edge_table(self, kind: str = "directed") -> pd.DataFrame:
        """Confidence of every edge that the graph learned from the data or any replicate has.

        Returns
        -------
        DataFrame
            One row per edge: parent, child, in_data_graph, ``confidence_<key>`` for each method, and overstated (naive
            minus corrected bootstrap) if both were run. Sorted by the confidence of the corrected bootstrap, else of
            the first method, in decreasing order; ties in column order. An adjacency has one row.
        """
        confidences = {key: self.confidence(key, kind) for key in self.ensembles}
        shown = np.any([self.presence(kind), *(matrix > 0 for matrix in confidences.values())], axis=0)
        frame = self._edges(shown, kind, **{f"confidence_{key}": matrix for key, matrix in confidences.items()})
        if {"boot", "boot_bc"} <= set(confidences):
            frame["overstated"] = frame["confidence_boot"] - frame["confidence_boot_bc"]
        if not confidences:
            return frame.sort_values("parent", kind="stable", ignore_index=True)
        first = "boot_bc" if "boot_bc" in confidences else next(iter(confidences))
        return frame.sort_values(f"confidence_{first}", ascending=False, kind="stable", ignore_index=True)

    @validated
    def overstated(self, naive: str = "boot", corrected: str = "boot_bc", kind: str = "directed") -> pd.DataFrame:
        """Difference in confidence between two methods, for every edge that either method shows.

        Returns
        -------
        DataFrame
            One row per edge: parent, child, in_data_graph, difference (confidence by ``naive`` minus that by
            ``corrected``), standard_error of the difference as of independent replicates, and both confidences; in
            decreasing order of difference, ties in column order.
        """
        one, other = self.confidence(naive, kind), self.confidence(corrected, kind)
        errors = np.hypot(*(self._errors(self.confidence(key, kind), key) for key in (naive, corrected)))
        parts = {"standard_error": errors, f"confidence_{naive}": one, f"confidence_{corrected}": other}
        frame = self._edges((one > 0) | (other > 0), kind, difference=one - other, **parts)
        return frame.sort_values("difference", ascending=False, kind="stable", ignore_index=True)

    def _errors(self, shares: FloatArray, key: str) -> FloatArray:
        if key not in self.ensembles:
            return np.zeros_like(shares)
        return share_error(shares, self._ensemble(key).effective_replicates)

    def _edges(self, shown: Adjacency, kind: str, **matrices: FloatArray) -> pd.DataFrame:
        present = self.presence(kind)
        return edge_frame(self.reference.names, each_once(shown, kind), in_data_graph=present, **matrices)

    @validated
    def threshold(self, key: str, kind: str = "directed") -> float:
        """Confidence that keeps as many edges as the method's graphs have on average, as in the paper's Figure 1.

        1/2 for the graph learned from the data, whose confidences are all 0 or 1.
        """
        if key == "data" and key not in self.ensembles:
            return 0.5
        confidence = each_once(self.confidence(key, kind), kind)
        return threshold_for(confidence, round(self.mean_edges(key, kind)))

    @validated
    def strength_threshold(self, key: str, kind: str = "directed") -> float:
        """Strength that keeps as many pairs as the method's graphs have edges on average."""
        return threshold_for(self.strength(key, kind), round(self.mean_edges(key, kind)))
