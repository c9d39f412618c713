"""The consensus network: the acyclic graph that differs least from the graphs of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.validation import validated
from bnengine.bootstrap._consensus_order import consensus_order, parents_in
from bnengine.bootstrap.averaged_network import directed_confidence, strength_of
from bnengine.bootstrap.edge_frame import edge_frame
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, Edge, edges_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ConsensusNetwork(ReadOnlyArrays):
    """The acyclic network with the least total SHD to the graphs of an ensemble.

    Attributes
    ----------
    names : tuple of str
    adjacency : ndarray of bool, shape (V, V), read-only
        ``[parent, child]``.
    strength : ndarray of float, shape (V, V), read-only
        Share of the graphs that join each pair in either direction; symmetric.
    direction : ndarray of float, shape (V, V), read-only
        Share of the graphs joining the pair that direct it ``[parent, child]``; 0 for a pair that none joins.
    mean_shd : float
        Mean structural Hamming distance to the graphs, edges per graph.
    least_shd : float
        Lower bound of that mean for any acyclic network under the constraints; ``mean_shd`` itself where it is proved
        to be the least.
    n_graphs : int
        Number of graphs; 0 if only their confidences were given.
    status : str
        ``"optimal"`` (proved) or ``"converged"`` (no variable can be moved in the ordering with a gain).
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    strength: FloatArray = field(repr=False)
    direction: FloatArray = field(repr=False)
    mean_shd: float
    least_shd: float
    n_graphs: int
    status: str

    @property
    def edges(self) -> list[Edge]:
        """The (parent, child) pairs in column order."""
        return edges_of(self.names, self.adjacency)

    @property
    def total_shd(self) -> int | None:
        """Sum of the structural Hamming distances to all graphs; None if only confidences were given."""
        return round(self.mean_shd * self.n_graphs) if self.n_graphs else None

    def table(self) -> pd.DataFrame:
        """One row per edge: parent, child, strength, direction; in decreasing order of strength, then by name."""
        frame = edge_frame(self.names, self.adjacency, strength=self.strength, direction=self.direction)
        by = ["strength", "direction", "parent", "child"]
        return frame.sort_values(by, ascending=[False, False, True, True], ignore_index=True)


@validated
def consensus_network(
    confidence: Ensemble | FloatArray, constraints: Constraints | None = None, names: Sequence[str] | None = None
) -> ConsensusNetwork:
    """Find the acyclic network with the least total SHD to the graphs of an ensemble.

    The SHD of two graphs is the number of pairs of variables that are joined in one only, or differently (``shd``). Its
    sum over the graphs is a sum over pairs: a pair that is left apart differs from all graphs that join it, an edge
    from all that do not have this edge. So the edge i → j gains f_ij - (1 - f_ij - f_ji) per graph, f being the
    confidences, and what is wanted is the acyclic set of edges with the largest gain. (Wang & Peng 2014, "Learning
    directed acyclic graphs via bootstrap aggregating", add edges greedily.) Edges on no cycle of edges with a gain are
    settled at once. The other variables fall into groups that lie on cycles together, usually small: up to 20 variables
    are ordered exactly, over all 2^20 sets; an ordering of more is found greedily and improved by moving variables.

    An edge that no cycle or constraint keeps out is in the consensus if more graphs have it than leave its pair apart,
    and not the other direction. ``averaged_network`` has a threshold to choose; this has none.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V), [parent, child]
        Confidences of directed edges.
    constraints : Constraints, optional
        Hold in the consensus; usually those of the ensemble, whose limit on parents the consensus could otherwise
        exceed.
    names : sequence of str, optional
        Of the variables, if only confidences are given.

    Raises
    ------
    ValueError
        If the ensemble is empty, a confidence is outside [0, 1], the two directions of a pair sum to more than 1, names
        are missing, or the constraints contradict each other.

    Notes
    -----
    Equally good networks are told apart by their names, never by the order of the columns. An edge that gains nothing
    is left out.

    Examples
    --------
    >>> import numpy as np
    >>> f = np.array([[0.0, 0.6, 0.3], [0.1, 0.0, 0.6], [0.7, 0.1, 0.0]])  # a cycle is in most graphs, taken singly
    >>> found = consensus_network(f, names=["A", "B", "C"])
    >>> found.edges, round(found.mean_shd, 2), found.status
    ([('B', 'C'), ('C', 'A')], 1.4, 'optimal')
    """
    n_graphs = 0
    if isinstance(confidence, Ensemble):
        names, n_graphs = confidence.names, int(confidence.multiplicities.sum())
        if not n_graphs:
            raise ValueError("confidence is of an ensemble without graphs; learn from at least one replicate")
    shares = directed_confidence(confidence)
    if names is None or len(names) != len(shares):
        raise ValueError(f"names must name the {len(shares)} variables of the confidences")
    counts = np.rint(shares * n_graphs) if n_graphs else shares  # whole numbers have no rounding
    by_name = np.array(sorted(range(len(names)), key=list(names).__getitem__), dtype=np.int64)
    sorted_names = [names[v] for v in by_name.tolist()]
    space = (constraints or Constraints()).resolve(sorted_names)
    within = np.ix_(by_name, by_name)
    gains = _edge_gains(counts[within], float(n_graphs or 1), space)
    order, lost, status = consensus_order(gains, space.max_parents)
    adjacency: Adjacency = np.zeros(shares.shape, dtype=np.bool_)
    adjacency[within] = parents_in(order, gains, space.max_parents)
    mean = _mean_shd(adjacency, counts, float(n_graphs or 1))
    strength = strength_of(shares)
    direction = np.divide(shares, strength, out=np.zeros_like(shares), where=strength > 0)
    least = mean - lost / (n_graphs or 1)
    return ConsensusNetwork(tuple(names), adjacency, strength, direction, mean, least, n_graphs, status)


def _edge_gains(counts: FloatArray, n_graphs: float, space: SearchSpace) -> FloatArray:
    """Graphs that agree with each edge less those that agree with leaving its pair apart, shape (V, V), at least 0.

    0 for edges that are not allowed, and for the reverse of a required edge; infinity for required ones.
    """
    gains: FloatArray = np.round(counts - (n_graphs - counts - counts.T), 12)
    gains[(gains < 0) | ~space.allowed | space.required.T] = 0.0
    gains[space.required] = np.inf
    return gains


def _mean_shd(adjacency: Adjacency, counts: FloatArray, n_graphs: float) -> float:
    """Mean over the graphs of the number of pairs in another state than in the network."""
    apart = n_graphs - counts - counts.T
    joined = adjacency | adjacency.T
    agree = float(counts[adjacency].sum() + apart[np.triu(~joined, 1)].sum())
    v = len(adjacency)
    return v * (v - 1) / 2 - agree / n_graphs
