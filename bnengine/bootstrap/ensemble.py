"""The graphs learned on the resamples of one data set, and what share of them has each edge."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnengine.graphs.cpdag import cpdag
from bnengine.search import LearnedGraph

if TYPE_CHECKING:
    import pandas as pd

_AT_ONCE = 16  # graphs counted at once


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The graphs learned on the resamples of one data set.

    Attributes
    ----------
    names : tuple of str
    packed_graphs : ndarray of uint8, shape (R, bytes), read-only
        The adjacency matrix of each graph, one bit an entry.
    multiplicities : ndarray of int, shape (R,)
        For how many equal replicates each graph stands.
    reference : LearnedGraph
        The graph of the given data under the uncorrected score.
    score, search, resampler, correction : str
        How the graphs were learned.
    strength : float
        Nats charged per parameter by the correction; 0 without one.
    n_rows : int
        Rows of the given data.
    n_planned : int
        How many graphs the finished run would have; fewer are here if ``status`` is ``"stopped"``.
    status : str
        ``"converged"``, ``"max_iterations"`` (some search reached its limit) or ``"stopped"``.
    seed : int or None
    """

    names: tuple[str, ...]
    packed_graphs: npt.NDArray[np.uint8] = field(repr=False)
    multiplicities: npt.NDArray[np.int64] = field(repr=False)
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

    def __post_init__(self) -> None:
        self.packed_graphs.setflags(write=False)
        self.multiplicities.setflags(write=False)

    @property
    def n_graphs(self) -> int:
        """How many graphs were learned."""
        return len(self.multiplicities)

    @cached_property
    def adjacencies(self) -> npt.NDArray[np.bool_]:
        """The graphs, shape (R, V, V), ``[replicate, parent, child]``."""
        v = len(self.names)
        bits = np.unpackbits(self.packed_graphs, axis=1, count=v * v)
        return bits.reshape(-1, v, v).astype(np.bool_)

    @cached_property
    def edge_counts(self) -> npt.NDArray[np.int64]:
        """Number of edges of each graph, shape (R,)."""
        counts: npt.NDArray[np.int64] = np.bitwise_count(self.packed_graphs).sum(axis=1, dtype=np.int64)
        return counts

    @property
    def mean_edges(self) -> float:
        """Mean number of edges over the replicates; NaN if none was learned from."""
        if not self.n_graphs:
            return float("nan")
        return float(np.average(self.edge_counts, weights=self.multiplicities))

    @property
    def sd_edges(self) -> float:
        """Standard deviation of the number of edges over the replicates (divisor: their number less one)."""
        total = int(self.multiplicities.sum())
        if total < 2:
            return float("nan")
        squares = (self.edge_counts - self.mean_edges) ** 2
        return float(np.sqrt((squares * self.multiplicities).sum() / (total - 1)))

    @cached_property
    def confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates that have each edge, shape (V, V), ``[parent, child]``."""
        return _share(self.adjacencies, self.multiplicities)

    @cached_property
    def adjacency_confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates that join each pair in either direction, shape (V, V), symmetric."""
        return _share(self.adjacencies | self.adjacencies.transpose(0, 2, 1), self.multiplicities)

    @cached_property
    def _classes(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """The equivalence class of each distinct graph, shape (distinct, V, V), and how many replicates have it.

        Replicates often agree, those of a jackknife nearly always.
        """
        _, first, which = np.unique(self.packed_graphs, axis=0, return_index=True, return_inverse=True)
        times = np.zeros(len(first), dtype=np.int64)
        np.add.at(times, which.ravel(), self.multiplicities)
        classes = [cpdag(self.adjacencies[graph]) for graph in first]
        return np.array(classes, dtype=np.bool_).reshape(-1, *self.adjacencies.shape[1:]), times

    @cached_property
    def compelled_confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates in whose equivalence class each edge is compelled, shape (V, V), [parent, child].

        Under a score that is equal for equivalent graphs the data cannot tell the direction of any other edge.
        """
        classes, times = self._classes
        return _share(classes & ~classes.transpose(0, 2, 1), times)

    @cached_property
    def reversible_confidence(self) -> npt.NDArray[np.float64]:
        """Share of the replicates that join each pair by a reversible edge, shape (V, V), symmetric."""
        classes, times = self._classes
        return _share(classes & classes.transpose(0, 2, 1), times)

    def table(self) -> pd.DataFrame:
        """One line for each edge that some graph has: parent, child, confidence, adjacency_confidence, in_data_graph.

        Most confident first, ties in column order.
        """
        import pandas as pd

        shown = (self.confidence > 0) | self.reference.adjacency
        i, j = np.nonzero(shown)
        frame = pd.DataFrame(
            {
                "parent": [self.names[v] for v in i],
                "child": [self.names[v] for v in j],
                "confidence": self.confidence[i, j],
                "adjacency_confidence": self.adjacency_confidence[i, j],
                "in_data_graph": self.reference.adjacency[i, j],
            }
        )
        return frame.sort_values("confidence", ascending=False, kind="stable", ignore_index=True)


def _share(present: npt.NDArray[np.bool_], multiplicities: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Share of the replicates that have each entry, shape (V, V), read-only."""
    counts = np.zeros(present.shape[1:])
    for first in range(0, len(present), _AT_ONCE):  # the product holds a float for each bit
        some = slice(first, first + _AT_ONCE)
        counts += np.tensordot(multiplicities[some].astype(np.float64), present[some], axes=1)
    share: npt.NDArray[np.float64] = np.minimum(counts / max(int(multiplicities.sum()), 1), 1.0)
    share.setflags(write=False)
    return share
