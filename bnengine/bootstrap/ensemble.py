"""The graphs learned from resamples of one data set, the share that has each edge, and the averaged network."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, Int32Array, IntArray, ReadOnlyArrays
from bnengine._core.display import Displayed, counted, plus_minus, short
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import checked_names
from bnengine._core.validation import Share, one_of, validated
from bnengine.data.interventions import numbered
from bnengine.graphs.dag import Adjacency, Edge, Graph, as_networkx, cpdag, edge_frame, skeleton
from bnengine.search import LearnedGraph

# What counts as an edge: a directed edge, an adjacency, or a compelled edge.

#: ``"directed"``: parent → child as learned. ``"adjacency"``: a pair joined in either direction. ``"compelled"``: an
#: edge with the same direction in all graphs of the equivalence class.
EDGE_KINDS = ("directed", "adjacency", "compelled")


def presence_of(adjacency: Adjacency, kind: str, targets: Sequence[Sequence[int]] = ()) -> Adjacency:
    """Return the entries of a graph that count as edges of the given kind, shape (V, V)."""
    one_of(kind, "kind", EDGE_KINDS)
    if kind == "adjacency":
        return skeleton(adjacency)
    if kind == "compelled":
        both = cpdag(adjacency, targets)
        return both & ~both.T
    return adjacency


def upper_triangle_if_undirected(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """Return a (V, V) matrix that counts each adjacency once: its upper triangle for adjacencies, else unchanged."""
    return np.triu(matrix) if kind == "adjacency" else matrix


def possible_edges(matrix: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """Return the entries of a (V, V) matrix at the P possible edges, in column order; shape (P,).

    P is V(V - 1), or V(V - 1) / 2 for adjacencies.
    """
    return matrix[
        upper_triangle_if_undirected(np.ones_like(matrix, dtype=np.bool_), kind) & ~np.eye(len(matrix), dtype=np.bool_)
    ]


# Many graphs, each as the list of its edges: a matrix of thousands of variables is nearly empty.


def listed(adjacency: Adjacency) -> Int32Array:
    """Return the edges of a graph, each as parent * V + child, ascending."""
    return adjacency.ravel().nonzero()[0].astype(np.int32)


def matrix_of(edges: npt.NDArray[Any], values: bool | FloatArray, n_variables: int) -> npt.NDArray[Any]:
    """Return the matrix, shape (V, V), that has these values at edges given as parent * V + child, and else zeros."""
    matrix = np.zeros(n_variables**2, dtype=np.result_type(values))
    matrix[edges] = values
    return matrix.reshape(n_variables, n_variables)


@dataclass(frozen=True, eq=False, repr=False)
class Graphs(ReadOnlyArrays):
    """Several graphs over the same V variables; as a sequence, the list of edges of each.

    Attributes
    ----------
    edges : ndarray of int, shape (E,)
        Those of one graph after the other, each as parent * V + child, ascending in each graph.
    bounds : ndarray of int, shape (m + 1,)
        Where each graph's edges begin, and where the last one's end.
    n_variables : int
    names : tuple of str, optional
        None for the columns of whatever data they are used with.
    """

    edges: Int32Array
    bounds: IntArray
    n_variables: int
    names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"<{len(self):,} graphs>"

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, number: int) -> Int32Array:
        return self.edges[self.bounds[number] : self.bounds[number + 1]]

    def __iter__(self) -> Iterator[Int32Array]:
        return map(self.__getitem__, range(len(self)))

    @property
    def sizes(self) -> IntArray:
        """Number of edges of each graph, shape (m,)."""
        return np.diff(self.bounds)

    @property
    def ends(self) -> tuple[IntArray, IntArray, IntArray]:
        """The number of the graph, the parent and the child of each edge; shape (E,) each."""
        return np.repeat(np.arange(len(self)), self.sizes), *np.divmod(self.edges.astype(np.int64), self.n_variables)

    def joined_to(self, v: int) -> BoolArray:
        """Return which variables each graph joins to one, in either direction; shape (m, V)."""
        joined, (graphs, parents, children) = np.zeros((len(self), self.n_variables), dtype=np.bool_), self.ends
        for one, other in ((parents, children), (children, parents)):
            joined[graphs[one == v], other[one == v]] = True
        return joined

    def counted(self, times: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the edges of any graph, and how many replicates have each, given those that each graph stands for."""
        counts = np.bincount(self.edges, np.repeat(times, self.sizes), self.n_variables**2)
        edges = np.flatnonzero(counts)
        return edges, np.asarray(counts[edges], dtype=np.float64)


def graphs_from(lists: Iterable[Int32Array], n_variables: int, names: tuple[str, ...] | None = None) -> Graphs:
    """Return graphs that are given as lists of edges, see ``listed``."""
    several = [np.zeros(0, dtype=np.int32), *lists]
    return Graphs(np.concatenate(several), np.cumsum([*map(len, several)]), n_variables, names)


@dataclass(frozen=True, eq=False)
class Ensemble(ReadOnlyArrays, Displayed):
    """The graphs learned from the resamples of one data set.

    Attributes
    ----------
    graphs : Graphs
        The edges of each of the R graphs.
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
    graphs: Graphs = field(repr=False)
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

    @property
    def n_graphs(self) -> int:
        """Number of graphs learned."""
        return len(self.multiplicities)

    @property
    def adjacencies(self) -> BoolArray:
        """The graphs, shape (R, V, V), ``[replicate, parent, child]``; made at each call, since they are large."""
        graphs = np.zeros((self.n_graphs, *self.reference.adjacency.shape), dtype=np.bool_)
        graphs[self.graphs.ends] = True
        return graphs

    @property
    def edge_counts(self) -> IntArray:
        """Number of edges of each graph, shape (R,)."""
        return self.graphs.sizes

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

    @property
    def confidence(self) -> FloatArray:
        """Share of the replicates that have each edge, shape (V, V), ``[parent, child]``."""
        return self._shares(matrix_of(*self._directed, len(self.names)))

    @property
    def adjacency_confidence(self) -> FloatArray:
        """Share of the replicates that join each pair in either direction, shape (V, V), symmetric."""
        counts = matrix_of(*self._directed, len(self.names))
        return self._shares(counts + counts.T)  # no graph has both directions

    @property
    def compelled_confidence(self) -> FloatArray:
        """Share of the replicates in whose equivalence class each edge is compelled, shape (V, V), [parent, child].

        Under a score-equivalent score the data do not determine the direction of any other edge.
        """
        return self._shares(matrix_of(*self._compelled, len(self.names)))

    def _shares(self, counts: FloatArray) -> FloatArray:
        """Return counts of replicates, (V, V), as shares, read-only; 0 without any replicate.

        Counts are kept for the edges that occur: the matrix of 2,000 variables, 32 MB, is made from them in 10 ms.
        """
        counts /= max(float(self.multiplicities.sum()), 1.0)
        np.minimum(counts, 1.0, out=counts).setflags(write=False)
        return counts

    @cached_property
    def _directed(self) -> tuple[IntArray, FloatArray]:
        return self.graphs.counted(self.multiplicities)

    @cached_property
    def _compelled(self) -> tuple[IntArray, FloatArray]:
        targets, n = numbered(self.reference.targets, self.names), len(self.names)
        classes = ((cpdag(graph, targets), times) for graph, times in self.distinct_graphs())
        compelled = [(listed(both & ~both.T), times) for both, times in classes]
        times = np.array([times for _, times in compelled], dtype=np.int64)
        return graphs_from((edges for edges, _ in compelled), n).counted(times)

    def distinct_graphs(self) -> Iterator[tuple[Adjacency, int]]:
        """Yield each distinct graph, (V, V), and its number of replicates.

        Replicates often agree, those of a jackknife nearly always.
        """
        times: Counter[bytes] = Counter()
        for edges, replicates in zip(self.graphs, self.multiplicities.tolist(), strict=True):
            times[edges.tobytes()] += replicates
        for held, replicates in times.items():
            yield matrix_of(np.frombuffer(held, np.int32), True, len(self.names)), replicates

    def table(self) -> pd.DataFrame:
        """Tabulate the edges of any replicate or of the graph learned from the data.

        Returns
        -------
        DataFrame
            One row per edge: parent, child, confidence, adjacency_confidence, in_data_graph; in decreasing order of
            confidence, ties in column order.
        """
        confidence, learned = self.confidence, self.reference.adjacency
        columns = {"adjacency_confidence": self.adjacency_confidence, "in_data_graph": learned}
        frame = edge_frame(self.names, (confidence > 0) | learned, confidence=confidence, **columns)
        return frame.sort_values("confidence", ascending=False, kind="stable", ignore_index=True)

    to_frame = table

    @validated
    def to_networkx(self, threshold: Share = 0.5) -> Any:
        """Return the edges above a confidence as a ``networkx.DiGraph``, which may have cycles."""
        return as_networkx(self.names, self.confidence > threshold, confidence=self.confidence)

    def _shown(self) -> tuple[str, pd.DataFrame]:
        stopped = f" Stopped after {self.n_graphs:,} of {self.n_planned:,}." if self.status == "stopped" else ""
        return (
            f"{counted(self.n_graphs, 'graph')} by the {self.resampler} (correction: {self.correction}), {self.score}, "
            f"{self.search}: {plus_minus(self.mean_edges, self.sd_edges)} edges; the graph learned from the data has "
            f"{counted(len(self.reference.edges), 'edge')}.{stopped} Confidence is the share of these graphs that have "
            "the edge. It estimates how often the edge would be found again, not whether it is real.",
            self.table(),
        )


def confidence_of(ensemble: Ensemble, kind: str) -> FloatArray:
    """Return the share of the replicates with each edge of a kind, shape (V, V); symmetric for adjacencies."""
    if kind == "adjacency":
        return ensemble.adjacency_confidence
    return ensemble.compelled_confidence if kind == "compelled" else ensemble.confidence


def combined_status(statuses: Iterable[str]) -> str:
    """Return the least complete status of several searches; ``"optimal"`` counts as converged."""
    given = set(statuses)
    return next((status for status in ("stopped", "max_iterations") if status in given), "converged")


# The averaged network: pairs joined by enough graphs, in their more frequent direction; rules for the threshold.

_ROUNDING = 1e-9  # tolerance for equality of sums of shares


@dataclass(frozen=True, eq=False)
class AveragedNetwork(Graph, ReadOnlyArrays, Displayed):
    """An acyclic network of the pairs whose strength is at or above a threshold.

    Attributes
    ----------
    adjacency : ndarray of bool, shape (V, V), read-only
        ``[parent, child]``.
    strength : ndarray of float, shape (V, V), read-only
        Share of the graphs that join each pair in either direction; symmetric.
    direction : ndarray of float, shape (V, V), read-only
        Share of the graphs joining the pair that direct it ``[parent, child]``; 0 for a pair that none joins.
    left_out : tuple of (parent, child)
        Edges above the threshold that would have closed a cycle, in decreasing order of strength.
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    strength: FloatArray = field(repr=False)
    direction: FloatArray = field(repr=False)
    left_out: tuple[Edge, ...]
    threshold: float

    def table(self) -> pd.DataFrame:
        """Tabulate one row per edge: parent, child, strength, direction.

        In decreasing order of strength, then by name.
        """
        frame = edge_frame(self.names, self.adjacency, strength=self.strength, direction=self.direction)
        by = ["strength", "direction", "parent", "child"]
        return frame.sort_values(by, ascending=[False, False, True, True], ignore_index=True)

    to_frame = table

    def to_networkx(self) -> Any:
        """Return the network as a ``networkx.DiGraph``; each edge has its strength and direction."""
        return as_networkx(self.names, self.adjacency, strength=self.strength, direction=self.direction)

    def _shown(self) -> tuple[str, pd.DataFrame]:
        text = f"{counted(len(self.edges), 'edge')} whose pair has a strength of {short(self.threshold)} or more, each "
        text += "in its more frequent direction."
        if self.left_out:
            text += f" Left out, since they would close a cycle: {'; '.join(f'{a} → {b}' for a, b in self.left_out)}."
        return text, self.table()


@validated
def averaged_network(
    confidence: Ensemble | FloatArray, threshold: float, names: Sequence[str] | str | None = None
) -> AveragedNetwork:
    """Average the graphs into the network of the pairs whose strength reaches a threshold (Scutari & Nagarajan 2013).

    The strength of a pair is the share of the graphs that join it in either direction. It is directed as at least half
    of those graphs direct it, so a reversible edge, with half of the graphs either way, is kept. Edges enter in order
    of decreasing strength, then decreasing direction, then by name. An edge that would close a cycle with those already
    present is left out and listed in ``left_out``.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V), [parent, child]
        Confidences of directed edges: the two directions of a pair sum to its strength.
    threshold : float
        Minimum strength. 0 keeps every pair with a strength above 0.
    names : sequence of str, optional
        Names of the variables; required with an array.

    Returns
    -------
    AveragedNetwork

    Raises
    ------
    ValueError
        If a confidence is outside [0, 1], the two directions of a pair sum to more than 1, the threshold is NaN, or
        names are missing.

    Examples
    --------
    >>> import numpy as np
    >>> both_ways = np.array([[0.0, 0.4], [0.35, 0.0]])
    >>> network = averaged_network(both_ways, 0.5, ["A", "B"])
    >>> network.edges, float(network.strength[0, 1]), round(float(network.direction[0, 1]), 2)
    ([('A', 'B')], 0.75, 0.53)
    """
    names = confidence.names if isinstance(confidence, Ensemble) else names
    matrix = _checked(confidence)
    names = None if names is None else checked_names([*names] if isinstance(names, str) else names, "names")
    if names is None or len(names) != len(matrix):
        raise ValueError(f"names must name the {len(matrix)} variables of the confidences")
    if math.isnan(threshold):
        raise ValueError("threshold must be a number between 0 and 1; got NaN")
    strength = np.minimum(np.round(matrix + matrix.T, 12), 1.0)
    direction = np.divide(matrix, strength, out=np.zeros_like(matrix), where=strength > 0)
    adjacency = np.zeros(matrix.shape, dtype=np.bool_)
    reaches = np.eye(len(matrix), dtype=np.bool_)  # [ancestor, descendant]; each variable reaches itself
    left_out = []
    for parent, child in _candidates(names, strength, direction, threshold):
        if adjacency[child, parent]:  # half of the graphs either way, and the other direction is already in
            continue
        if reaches[child, parent]:
            left_out.append((parent, child))
            continue
        adjacency[parent, child] = True
        reaches |= np.outer(reaches[:, parent], reaches[child])
    dropped = tuple((names[i], names[j]) for i, j in left_out if not adjacency[j, i])
    return AveragedNetwork(tuple(names), adjacency, strength, direction, dropped, float(threshold))


def _candidates(
    names: Sequence[str], strength: FloatArray, direction: FloatArray, threshold: float
) -> list[tuple[int, int]]:
    """Return the edges at or above the threshold in the order in which they enter; a tied pair in both directions."""
    i, j = np.nonzero((strength >= threshold - _ROUNDING) & (strength > 0) & (direction >= 0.5 - _ROUNDING))
    pairs = list(zip(i.tolist(), j.tolist(), strict=True))
    return sorted(
        pairs, key=lambda pair: (-strength[pair], -round(float(direction[pair]), 9), names[pair[0]], names[pair[1]])
    )


def _checked(confidence: Ensemble | FloatArray) -> FloatArray:
    """Return confidences of directed edges, shape (V, V); a ValueError says what is wrong with them."""
    matrix = np.asarray(confidence.confidence if isinstance(confidence, Ensemble) else confidence, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"confidence must have one row and one column per variable; got shape {matrix.shape}")
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise ValueError("confidence must lie between 0 and 1 everywhere")
    if (matrix + matrix.T > 1 + _ROUNDING).any():
        raise ValueError(
            "confidence must be that of directed edges: the two directions of a pair sum to more than 1, but no graph "
            "has both; pass Ensemble.confidence rather than adjacency_confidence"
        )
    return matrix


# Thresholds of confidence above which edges are kept: by a number of edges, or by the L1 distance.


def threshold_for(confidence: FloatArray, n_edges: int) -> float:
    """Return the threshold in [0, 1] that keeps ``n_edges`` edges, as nearly as ties allow; 1 if none are to be kept.

    It lies half-way between the lowest confidence kept and the highest left out. Of two equally near numbers of edges
    the smaller is taken.

    Parameters
    ----------
    confidence : ndarray, any shape
        One entry per possible edge; entries of 0 are not edges.
    n_edges : int
    """
    values, counts = np.unique(confidence[confidence > 0], return_counts=True)
    if n_edges <= 0 or not values.size:
        return 1.0
    bounds = np.concatenate([[0.0], values, [1.0] if values[-1] < 1 else []])
    kept = np.append(np.cumsum(counts[::-1])[::-1], [0] if values[-1] < 1 else [])  # edges above each bound
    nearest = int(np.lexsort((kept, np.abs(kept - n_edges)))[0])
    return float((bounds[nearest] + bounds[nearest + 1]) / 2)


def l1_threshold(strength: FloatArray) -> float:
    """Return the threshold nearest to certainty in L1 distance (Scutari & Nagarajan 2013, Sec. 3).

    Let F be the distribution function of the confidences. If a share t of the edges had confidence 0 and the others
    confidence 1, it would be a step of height t on [0, 1). The rule chooses the t that minimizes the integral of
    |F(x) - t| over x from 0 to 1, and keeps the edges with a confidence above the t-quantile of F. As F is monotone,
    the minimum is at its median over that range, t = F(1/2). Minimized exactly, the rule therefore keeps the edges with
    a confidence above 1/2, however many pairs are never joined. (A numerical minimizer may end a rounding error above
    F(1/2), where the quantile is the lowest confidence above 1/2.)

    Parameters
    ----------
    strength : ndarray, any shape
        One entry per possible edge, or pair.

    Returns
    -------
    float
        Half-way between the lowest confidence kept and the highest left out, as for the other thresholds.
    """
    return threshold_for(strength, int((strength > 0.5).sum()))
