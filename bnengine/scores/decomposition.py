"""Where a graph's score comes from: family by family, and as dependence, noise and penalty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, adjacency_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LogLikelihood, TableScore

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A score taken apart (Koller & Friedman 2009, Sec. 18.3.1): score = dependence - noise - penalty.

    Attributes
    ----------
    families : DataFrame
        One line a family: variable, parents, parameters, log_likelihood, penalty, score (nats), information and
        entropy (nats a row). ``penalty`` is what the score is below the log-likelihood, whatever the score calls it.
    dependence : float
        N sum I(X; parents), nats: the only part that edges raise.
    noise : float
        N sum H(X), nats: the same for every graph.
    penalty : float
        Nats.
    score : float
        Nats; equals dependence - noise - penalty.
    """

    families: pd.DataFrame
    dependence: float
    noise: float
    penalty: float
    score: float


def decompose(data: Dataset, edges: Iterable[Edge], score: TableScore) -> Decomposition:
    """Take the score of a graph apart.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(200, rng=1)
    >>> parts = bn.decompose(data, [("Smoker", "Cancer")], bn.BIC())
    >>> abs(parts.dependence - parts.noise - parts.penalty - parts.score) < 1e-9
    True
    """
    import pandas as pd

    adjacency = adjacency_of(data.names, edges)
    scores, fits = LocalScores(data, score), LocalScores(data, LogLikelihood())
    lines = []
    for v, name in enumerate(data.names):
        parents = np.flatnonzero(adjacency[:, v]).tolist()
        fit, alone = fits(v, parents), fits(v)
        value = scores(v, parents)
        parameters = (int(data.arities[v]) - 1) * int(np.prod(data.arities[parents], dtype=object))
        shown = ", ".join(data.names[p] for p in parents)
        information = (fit - alone) / data.n_rows
        lines.append((name, shown, parameters, fit, fit - value, value, information, -alone / data.n_rows))
    columns = ["variable", "parents", "parameters", "log_likelihood", "penalty", "score", "information", "entropy"]
    families = pd.DataFrame(lines, columns=columns)
    return Decomposition(
        families,
        float(families["information"].sum() * data.n_rows),
        float(families["entropy"].sum() * data.n_rows),
        float(families["penalty"].sum()),
        float(families["score"].sum()),
    )
