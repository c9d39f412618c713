"""How confident an edge has to be to be kept, and the network of those that are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnengine.ensemble import Ensemble
from bnengine.graph import Adjacency, Edge, edges_of
from bnengine.study import threshold_for

Confidence = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AveragedNetwork:
    """The edges above a threshold, made acyclic.

    Attributes
    ----------
    names : tuple of str
    adjacency : ndarray of bool, shape (V, V), read-only
        ``[parent, child]``.
    left_out : tuple of (parent, child)
        Edges above the threshold that would have closed a cycle, most confident first.
    threshold : float
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    left_out: tuple[Edge, ...]
    threshold: float

    def __post_init__(self) -> None:
        self.adjacency.setflags(write=False)

    @property
    def edges(self) -> list[Edge]:
        """The (parent, child) pairs in column order."""
        return edges_of(self.names, self.adjacency)


def averaged_network(
    confidence: Ensemble | Confidence, threshold: float, names: Sequence[str] | None = None
) -> AveragedNetwork:
    """The network of the edges whose confidence is at least the threshold.

    Edges enter in order of decreasing confidence, equal ones in column order of the parent, then of the child. One
    that would close a cycle with those already there is left out, and said to be.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V), [parent, child]
    threshold : float
        At 0 every edge of confidence above 0 is meant.
    names : sequence of str, optional
        Of the variables; needed with an array.

    Examples
    --------
    >>> import numpy as np
    >>> both_ways = np.array([[0.0, 0.6], [0.55, 0.0]])
    >>> network = averaged_network(both_ways, 0.5, ["A", "B"])
    >>> network.edges, network.left_out
    ([('A', 'B')], (('B', 'A'),))
    """
    names = confidence.names if isinstance(confidence, Ensemble) else names
    matrix = _checked(confidence)
    if names is None or len(names) != len(matrix):
        raise ValueError(f"names must name the {len(matrix)} variables of the confidences")
    if math.isnan(threshold):
        raise ValueError("threshold must be a number between 0 and 1; got NaN")
    i, j = np.nonzero((matrix >= threshold) & (matrix > 0))
    surest_first = np.argsort(-matrix[i, j], kind="stable")
    adjacency = np.zeros(matrix.shape, dtype=np.bool_)
    reaches = np.eye(len(matrix), dtype=np.bool_)  # [ancestor, descendant], each its own
    left_out = []
    for parent, child in zip(i[surest_first].tolist(), j[surest_first].tolist(), strict=True):
        if reaches[child, parent]:
            left_out.append((names[parent], names[child]))
            continue
        adjacency[parent, child] = True
        reaches |= np.outer(reaches[:, parent], reaches[child])
    return AveragedNetwork(tuple(names), adjacency, tuple(left_out), float(threshold))


def l1_threshold(confidence: Ensemble | Confidence) -> float:
    """The threshold at which the confidences come nearest to a clear yes or no for every edge.

    With F the distribution function of the confidences, and the ideal one a step that is t below 1 (a share t of the
    edges has confidence 0, the others 1), t minimises the area between the two, the integral of |F(x) - t| over x from
    0 to 1, and the edges of confidence above F's quantile at t are kept (Scutari & Nagarajan 2013, Sec. 3). As F never
    falls, that integral is least at t = F(1/2), the median of F over that range. Minimised exactly, the rule therefore
    keeps the edges of confidence above 1/2; how many pairs never have an edge does not matter.

    Returns
    -------
    float
        Half-way between the last confidence that is kept and the first that is not, as for the other thresholds.

    Notes
    -----
    A numerical minimiser may end a rounding error above F(1/2), where the quantile is the least confidence above 1/2.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.array([[0.0, 0.9435, 0.046], [0.2242, 0.0, 0.8935], [0.7689, 0.3921, 0.0]])
    >>> print(round(l1_threshold(sure), 4))
    0.5805
    """
    matrix = _checked(confidence)
    return threshold_for(matrix, int((matrix > 0.5).sum()))


def _checked(confidence: Ensemble | Confidence) -> Confidence:
    given = confidence.confidence if isinstance(confidence, Ensemble) else confidence
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"confidence must have one row and one column a variable; got shape {matrix.shape}")
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise ValueError("confidence must lie between 0 and 1 everywhere")
    return matrix
