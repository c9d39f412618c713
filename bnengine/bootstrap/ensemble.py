"""The graphs learned from resamples of one data set, what counts as an edge, and the share of graphs that has each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays, UInt8Array
from bnengine._core.display import Printable
from bnengine._core.lazy import pd
from bnengine._core.validation import Share, one_of, validated
from bnengine.data.row_columns import numbered
from bnengine.graphs.cpdag import cpdag
from bnengine.graphs.dag import Adjacency, as_networkx, edge_frame, skeleton
from bnengine.search import LearnedGraph

# What counts as an edge: a directed edge, an adjacency, or a compelled edge.

#: ``"directed"``: parent → child as learned. ``"adjacency"``: a pair joined in either direction. ``"compelled"``: an
#: edge with the same direction in all graphs of the equivalence class.
KINDS = ("directed", "adjacency", "compelled")


def check_kind(kind: str) -> None:
    """Raise a ValueError if ``kind`` is not one of ``KINDS``."""
    one_of(kind, "kind", KINDS)


def presence_of(adjacency: Adjacency, kind: str, targets: Sequence[Sequence[int]] = ()) -> Adjacency:
    """Return the entries of a graph that count as edges of the given kind, shape (V, V)."""
    check_kind(kind)
    if kind == "adjacency":
        return skeleton(adjacency)
    if kind == "compelled":
        both = cpdag(adjacency, targets)
        return both & ~both.T
    return adjacency


def each_once(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """Return a (V, V) matrix that counts each adjacency once: its upper triangle for adjacencies, else unchanged."""
    return np.triu(matrix) if kind == "adjacency" else matrix


def possible_edges(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """Return the entries of a (V, V) matrix at the P possible edges, in column order; shape (P,).

    P is V(V - 1), or V(V - 1) / 2 for adjacencies.
    """
    return matrix[_possible(len(matrix), kind)]


def as_matrix(entries: FloatArray, v: int, kind: str) -> FloatArray:
    """Return the (V, V) matrix of values at the possible edges, inverse of ``possible_edges``.

    Symmetric for adjacencies.
    """
    matrix = np.zeros((v, v))
    matrix[_possible(v, kind)] = entries
    return matrix + matrix.T if kind == "adjacency" else matrix


def _possible(v: int, kind: str) -> BoolArray:
    return each_once(np.ones((v, v), dtype=np.bool_), kind) & ~np.eye(v, dtype=np.bool_)


_BATCH = 16  # graphs counted at a time


@dataclass(frozen=True, eq=False)
class Ensemble(ReadOnlyArrays, Printable):
    """The graphs learned from the resamples of one data set.

    Attributes
    ----------
    packed_graphs : ndarray of uint8, shape (R, bytes), read-only
        The adjacency matrix of each graph, one bit per entry.
    multiplicities : ndarray of int, shape (R,)
        Number of equal replicates that each graph stands for.
    reference : LearnedGraph
        The graph of the given data under the uncorrected score.
    score, search, resampler, correction : str
        The settings that the graphs were learned with.
    strength : float
        Penalty of the correction, nats per parameter; 0 without one.
    n_rows : int
        Rows of the given data.
    n_planned : int
        Number of graphs of a finished run; ``n_graphs`` is smaller if ``status`` is ``"stopped"``.
    status : str
        ``"converged"``, ``"max_iterations"`` (a search reached its limit) or ``"stopped"``.
    """

    names: tuple[str, ...]
    packed_graphs: UInt8Array = field(repr=False)
    multiplicities: IntArray = field(repr=False)
    reference: LearnedGraph = field(repr=False)
    score: str
    search: str
    resampler: str
    correction: str
    strength: float
    n_rows: int
    n_planned: int
    status: str
    seed: int | None

    _picture = "ensemble"

    @property
    def n_graphs(self) -> int:
        """Number of graphs learned."""
        return len(self.multiplicities)

    @cached_property
    def adjacencies(self) -> BoolArray:
        """The graphs, shape (R, V, V), ``[replicate, parent, child]``."""
        v = len(self.names)
        bits = np.unpackbits(self.packed_graphs, axis=1, count=v * v)
        return bits.reshape(-1, v, v).astype(np.bool_)

    @cached_property
    def edge_counts(self) -> IntArray:
        """Number of edges of each graph, shape (R,)."""
        counts: IntArray = np.bitwise_count(self.packed_graphs).sum(axis=1, dtype=np.int64)
        return counts

    @property
    def effective_replicates(self) -> float:
        """Number of graphs that would vary as much if each stood for as many replicates as any other; 0 without any."""
        times = self.multiplicities.astype(np.float64)
        return float(times.sum() ** 2 / max((times**2).sum(), 1.0))

    @property
    def mean_edges(self) -> float:
        """Mean number of edges over the replicates; NaN without any."""
        if not self.n_graphs:
            return float("nan")
        return float(np.average(self.edge_counts, weights=self.multiplicities))

    @property
    def sd_edges(self) -> float:
        """Standard deviation of the number of edges over the replicates (divisor n - 1); NaN for fewer than two."""
        total = int(self.multiplicities.sum())
        if total < 2:
            return float("nan")
        squares = (self.edge_counts - self.mean_edges) ** 2
        return float(np.sqrt((squares * self.multiplicities).sum() / (total - 1)))

    @cached_property
    def confidence(self) -> FloatArray:
        """Share of the replicates that have each edge, shape (V, V), ``[parent, child]``."""
        return _share(self.adjacencies, self.multiplicities)

    @cached_property
    def adjacency_confidence(self) -> FloatArray:
        """Share of the replicates that join each pair in either direction, shape (V, V), symmetric."""
        return _share(self.adjacencies | self.adjacencies.transpose(0, 2, 1), self.multiplicities)

    @cached_property
    def distinct_classes(self) -> tuple[BoolArray, IntArray]:
        """Equivalence class (CPDAG) of each distinct graph, shape (distinct, V, V), and its number of replicates.

        With rows from experiments, the class under these (Hauser & Bühlmann 2012).
        Computed once per distinct graph: replicates often agree, those of a jackknife nearly always.
        """
        _, first, which = np.unique(self.packed_graphs, axis=0, return_index=True, return_inverse=True)
        times = np.zeros(len(first), dtype=np.int64)
        np.add.at(times, which.ravel(), self.multiplicities)
        targets = numbered(self.reference.targets, self.names)
        classes = [cpdag(self.adjacencies[graph], targets) for graph in first]
        return np.array(classes, dtype=np.bool_).reshape(-1, *self.adjacencies.shape[1:]), times

    @cached_property
    def compelled_confidence(self) -> FloatArray:
        """Share of the replicates in whose equivalence class each edge is compelled, shape (V, V), [parent, child].

        Under a score-equivalent score the data do not determine the direction of any other edge.
        """
        classes, times = self.distinct_classes
        return _share(classes & ~classes.transpose(0, 2, 1), times)

    def table(self) -> pd.DataFrame:
        """Tabulate the edges of any replicate or of the graph learned from the data.

        Returns
        -------
        DataFrame
            One row per edge: parent, child, confidence, adjacency_confidence, in_data_graph; in decreasing order of
            confidence, ties in column order.
        """
        frame = edge_frame(
            self.names,
            (self.confidence > 0) | self.reference.adjacency,
            confidence=self.confidence,
            adjacency_confidence=self.adjacency_confidence,
            in_data_graph=self.reference.adjacency,
        )
        return frame.sort_values("confidence", ascending=False, kind="stable", ignore_index=True)

    to_frame = table

    @validated
    def to_networkx(self, threshold: Share = 0.0) -> Any:
        """Return the edges above a confidence as a ``networkx.DiGraph``, which may have cycles."""
        return as_networkx(self.names, self.confidence > threshold, confidence=self.confidence)

    @validated
    def plot(self, threshold: Share = 0.5, *, dark: bool = False) -> Any:
        """Draw the averaged network; see ``averaged_network``.

        Parameters
        ----------
        threshold : float
            Least share of the graphs that join a pair.
        dark : bool
            Whether it is for a dark notebook.
        """
        return self._drawn(dark, threshold=threshold)


def combined_status(statuses: Iterable[str]) -> str:
    """Return the status of several searches together: the least complete of theirs.

    ``"optimal"`` counts as converged.
    """
    given = set(statuses)
    return next((status for status in ("stopped", "max_iterations") if status in given), "converged")


def _share(present: BoolArray, multiplicities: IntArray) -> FloatArray:
    """Return the share of the replicates that have each entry, shape (V, V), read-only."""
    counts = np.zeros(present.shape[1:])
    for first in range(0, len(present), _BATCH):  # tensordot converts each bit to a float
        batch = slice(first, first + _BATCH)
        counts += np.tensordot(multiplicities[batch].astype(np.float64), present[batch], axes=1)
    share: FloatArray = np.minimum(counts / max(int(multiplicities.sum()), 1), 1.0)
    share.setflags(write=False)
    return share
