"""Decomposition of a graph's score: one term per family, and dependence, noise and penalty in total."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, dag_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LogLikelihood, TableScore

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A score as dependence - noise - penalty (Koller & Friedman 2009, Sec. 18.3.1).

    Attributes
    ----------
    families : DataFrame
        One row per family: variable, parents, parameters, log_likelihood, penalty, score (nats), information and
        entropy (nats per row). ``penalty`` is log-likelihood minus score, for every kind of score.
    dependence : float
        N sum I(X; parents), nats: the only part that grows with added edges.
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


@validated
def decompose(data: Dataset, edges: Iterable[Edge], score: TableScore) -> Decomposition:
    """Decompose the score of a graph into dependence, noise and penalty.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    score : score

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(200, rng=1)
    >>> parts = bn.decompose(data, [("Smoker", "Cancer")], bn.BIC())
    >>> abs(parts.dependence - parts.noise - parts.penalty - parts.score) < 1e-9
    True
    """
    import pandas as pd

    adjacency = dag_of(data.names, edges)
    scores, likelihoods = LocalScores(data, score), LocalScores(data, LogLikelihood())
    rows = []
    for v, name in enumerate(data.names):
        parents = np.flatnonzero(adjacency[:, v]).tolist()
        fitted, alone, value = likelihoods(v, parents), likelihoods(v), scores(v, parents)
        parameters = (int(data.arities[v]) - 1) * int(np.prod(data.arities[parents], dtype=object))
        parent_names = ", ".join(data.names[p] for p in parents)
        information = (fitted - alone) / data.n_rows
        rows.append((name, parent_names, parameters, fitted, fitted - value, value, information, -alone / data.n_rows))
    columns = ["variable", "parents", "parameters", "log_likelihood", "penalty", "score", "information", "entropy"]
    families = pd.DataFrame(rows, columns=columns)
    return Decomposition(
        families,
        float(families["information"].sum() * data.n_rows),
        float(families["entropy"].sum() * data.n_rows),
        float(families["penalty"].sum()),
        float(families["score"].sum()),
    )
