"""Thresholds of confidence above which edges are kept: by a number of edges, or by the L1 distance."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.validation import validated
from bnengine.bootstrap.averaged_network import checked_confidence
from bnengine.bootstrap.ensemble import Ensemble


def threshold_for(confidence: FloatArray, n_edges: int) -> float:
    """Threshold in [0, 1] that keeps ``n_edges`` edges, as nearly as ties allow; 1 if none are to be kept.

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


@validated
def l1_threshold(confidence: Ensemble | FloatArray) -> float:
    """Threshold that brings the confidences nearest to certainty, in L1 distance (Scutari & Nagarajan 2013, Sec. 3).

    Let F be the distribution function of the confidences. If a share t of the edges had confidence 0 and the others
    confidence 1, it would be a step of height t on [0, 1). The rule chooses the t that minimizes the integral of
    |F(x) - t| over x from 0 to 1, and keeps the edges with a confidence above the t-quantile of F. As F is monotone,
    the minimum is at its median over that range, t = F(1/2). Minimized exactly, the rule therefore keeps the edges with
    a confidence above 1/2, however many pairs are never joined.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V)
        For an ensemble its strengths, the share of graphs that join each pair, as in ``averaged_network``; in a
        matrix each entry is one confidence.

    Returns
    -------
    float
        Half-way between the lowest confidence kept and the highest left out, as for the other thresholds.

    Raises
    ------
    ValueError
        If the matrix is not square or has an entry outside [0, 1].

    Notes
    -----
    A numerical minimizer may end a rounding error above F(1/2), where the quantile is the lowest confidence above 1/2.

    Examples
    --------
    >>> import numpy as np
    >>> confidence = np.array([[0.0, 0.9435, 0.046], [0.2242, 0.0, 0.8935], [0.7689, 0.3921, 0.0]])
    >>> print(round(l1_threshold(confidence), 4))
    0.5805
    """
    if isinstance(confidence, Ensemble):
        confidence = np.triu(confidence.adjacency_confidence)
    matrix = checked_confidence(confidence)
    return threshold_for(matrix, int((matrix > 0.5).sum()))
