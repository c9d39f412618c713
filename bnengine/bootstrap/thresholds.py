"""How confident an edge has to be to be kept."""

from __future__ import annotations

import numpy as np

from bnengine.bootstrap.averaged_network import Confidence, checked_confidence
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.study import threshold_for


def l1_threshold(confidence: Ensemble | Confidence) -> float:
    """The threshold at which the confidences come nearest to a clear yes or no for every edge.

    With F the distribution function of the confidences, and the ideal one a step that is t below 1 (a share t of the
    edges has confidence 0, the others 1), t minimises the area between the two, the integral of |F(x) - t| over x from
    0 to 1, and the edges of confidence above F's quantile at t are kept (Scutari & Nagarajan 2013, Sec. 3). As F never
    falls, that integral is least at t = F(1/2), the median of F over that range. Minimised exactly, the rule therefore
    keeps the edges of confidence above 1/2; how many pairs never have an edge does not matter.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V)
        Of an ensemble the strengths are meant, the share of its graphs that join each pair, as for
        ``averaged_network``; of a matrix each entry is one.

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
    if isinstance(confidence, Ensemble):
        confidence = np.triu(confidence.adjacency_confidence)
    matrix = checked_confidence(confidence)
    return threshold_for(matrix, int((matrix > 0.5).sum()))
