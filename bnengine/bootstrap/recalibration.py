"""Confidences recalibrated on simulated worlds, and how many false edges to expect at each threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.standard_errors import standard_error
from bnengine._core.validation import one_of, validated
from bnengine.bootstrap._regression import features, fitted
from bnengine.bootstrap.edge_frame import edge_frame
from bnengine.bootstrap.edge_kinds import each_once, possible_edges

if TYPE_CHECKING:
    import pandas as pd

#: Confidences whose thresholds can be asked about.
COLUMNS = ("naive", "leading", "found_again", "real")
_TARGETS = {"found_again": "inclusion_probability", "real": "truth"}
_THRESHOLDS = np.arange(51) / 50


@dataclass(frozen=True, eq=False)
class Recalibration(ReadOnlyArrays):
    """What bootstrap confidences mean on data like the given ones, learned from simulated worlds.

    Matrices have shape (V, V), ``[parent, child]``; those of adjacencies are symmetric. The worlds' arrays have one row
    per world and one column per possible edge (P of them; an adjacency counts once).

    Attributes
    ----------
    names : tuple of str
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge, in the graphs learned and in the worlds' networks.
    method : {"isotonic", "logistic"}
    found_again : ndarray
        Estimate of each edge's inclusion probability pi: that it is learned from a fresh table of the same size. NaN if
        no world was finished.
    real : ndarray
        Estimated probability that the edge is in the network the data came from. NaN if no world was finished.
    naive, leading : ndarray
        Confidences of the data's own naive and corrected bootstrap.
    learned : ndarray
        1 where the graph learned from the data has the edge, else 0.
    worlds : mapping from str to ndarray, shape (W, P)
        ``"naive"``, ``"leading"``, ``"learned"`` as above, of each world's table; ``"inclusion_probability"``, the
        share of fresh tables of the world from which the edge is learned; ``"truth"``, 1 if its network has the edge.
    n_worlds, n_replicates, n_fresh, n_own : int
        Worlds planned, replicates of each bootstrap in a world, fresh tables, and replicates on the data.
    n_rows : int
    score, search : str
    status : {"converged", "max_iterations", "stopped"}
        Stopped: what is learned comes from the worlds that were finished.
    seed : int or None
    """

    names: tuple[str, ...]
    kind: str
    method: str
    found_again: FloatArray = field(repr=False)
    real: FloatArray = field(repr=False)
    naive: FloatArray = field(repr=False)
    leading: FloatArray = field(repr=False)
    learned: FloatArray = field(repr=False)
    worlds: Mapping[str, FloatArray] = field(repr=False)
    n_worlds: int
    n_replicates: int
    n_fresh: int
    n_own: int
    n_rows: int
    score: str
    search: str
    status: str
    seed: int | None

    @property
    def n_finished(self) -> int:
        """Number W of worlds that were finished."""
        return len(self.worlds["truth"])

    @cached_property
    def _held_out(self) -> dict[str, FloatArray]:
        """Each world's recalibrated confidences, learned from the other worlds; shape (W, P)."""
        return {
            name: held_out(self.worlds, target, self.method, self.n_replicates) for name, target in _TARGETS.items()
        }

    def _column(self, column: str) -> FloatArray:
        one_of(column, "column", COLUMNS)
        return self._held_out[column] if column in _TARGETS else self.worlds[column]

    @validated
    def expected_edges(self, threshold: float, column: str = "leading") -> tuple[float, float]:
        """Mean number of edges that a world keeps at a threshold, and its standard error over the worlds.

        Parameters
        ----------
        threshold : float
            Edges of at least this confidence, and above 0, are kept.
        column : {"naive", "leading", "found_again", "real"}
            The confidence. A world's recalibrated ones are learned from the other worlds.

        Raises
        ------
        ValueError
            If the threshold is not between 0 and 1 or the column unknown.
        """
        return _mean_and_error(self._kept(threshold, column).sum(axis=1))

    @validated
    def expected_false_edges(self, threshold: float, column: str = "leading") -> tuple[float, float]:
        """Mean number of edges kept at a threshold that are not in the world's network, and its standard error.

        Parameters and errors as for ``expected_edges``.
        """
        return _mean_and_error((self._kept(threshold, column) & (self.worlds["truth"] == 0)).sum(axis=1))

    @validated
    def expected_precision(self, threshold: float, column: str = "leading") -> tuple[float, float]:
        """Share of true edges among all that the worlds keep at a threshold, and its standard error.

        The error is that of a ratio with the worlds as sampling units (Cochran 1977, Sec. 2.11). NaN where nothing is
        kept; parameters and errors as for ``expected_edges``.
        """
        kept = self._kept(threshold, column)
        n, hits = kept.sum(axis=1).astype(np.float64), (kept & (self.worlds["truth"] > 0)).sum(axis=1)
        if not n.sum():
            return float("nan"), float("nan")
        ratio = float(hits.sum() / n.sum())
        return ratio, float(standard_error((hits - ratio * n) / n.mean()))

    def _kept(self, threshold: float, column: str) -> BoolArray:
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold must be between 0 and 1; got {threshold}")
        values = self._column(column)
        return (values >= threshold) & (values > 0)

    @validated
    def thresholds(self, column: str = "leading") -> pd.DataFrame:
        """Edges, false edges and precision to be expected at each threshold 0, 0.02, …, 1 of a confidence.

        Returns
        -------
        DataFrame
            threshold, kept (edges of the data at the threshold), edges, edges_se, false_edges, false_edges_se,
            precision, precision_se (in the worlds).
        """
        import pandas as pd

        own = possible_edges(getattr(self, column), self.kind) if column in COLUMNS else self._column(column)
        rows = []
        for t in _THRESHOLDS.tolist():
            worlds = (self.expected_edges(t, column), self.expected_false_edges(t, column))
            kept = int(((own >= t) & (own > 0)).sum())
            rows.append((t, kept, *worlds[0], *worlds[1], *self.expected_precision(t, column)))
        names = [f"{name}{suffix}" for name in ("edges", "false_edges", "precision") for suffix in ("", "_se")]
        return pd.DataFrame(rows, columns=["threshold", "kept", *names])

    def table(self) -> pd.DataFrame:
        """Tabulate the edges that the graph learned from the data or any replicate has.

        Returns
        -------
        DataFrame
            parent, child, found_again, real, naive, leading, in_data_graph; in decreasing order of ``real``, ties in
            column order. An adjacency has one row.
        """
        shown = each_once((self.naive > 0) | (self.leading > 0) | (self.learned > 0), self.kind)
        columns = {name: getattr(self, name) for name in ("found_again", "real", "naive", "leading")}
        frame = edge_frame(self.names, shown, **columns, in_data_graph=self.learned > 0)
        return frame.sort_values("real", ascending=False, kind="stable", ignore_index=True)


def held_out(worlds: Mapping[str, FloatArray], target: str, method: str, n_replicates: int) -> FloatArray:
    """Predictions of a target for each world by a regression on the others, shape (W, P); NaN for a single one."""
    n = len(worlds[target])
    predicted = np.full(worlds[target].shape, np.nan)
    if n < 2:
        return predicted
    known = [features(worlds["naive"][w], worlds["leading"][w], worlds["learned"][w], n_replicates) for w in range(n)]
    for w in range(n):
        others = [v for v in range(n) if v != w]
        predict = fitted(np.vstack([known[v] for v in others]), worlds[target][others].ravel(), method)
        predicted[w] = predict(known[w])
    return predicted


def _mean_and_error(values: IntArray) -> tuple[float, float]:
    if not len(values):
        return float("nan"), float("nan")
    return float(values.mean()), float(standard_error(values.astype(np.float64)))
