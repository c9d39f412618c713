"""Overfitting: the fit to training rows and to held-out rows as edges are added."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.random_generators import Seed, random_parts
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import edges_of
from bnengine.networks.likelihood import family_predictions
from bnengine.networks.network import check_ess
from bnengine.scores.evaluation import n_parameters
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, LogLikelihood
from bnengine.teaching.checked_input import same_variables
from bnengine.teaching.greedy_edges import MOST_PARENTS, check_limits, greedy_edges

if TYPE_CHECKING:
    import pandas as pd


def split_rows(data: Dataset, share: float = 0.5, rng: Seed = 0) -> tuple[Dataset, Dataset]:
    """Split the rows at random; a fraction ``share``, at least one row and not all, goes to the first part.

    Examples
    --------
    >>> import bnengine as bn
    >>> train, test = bn.teaching.split_rows(bn.load_network("cancer").sample(10, rng=1), 0.7)
    >>> train.n_rows, test.n_rows
    (7, 3)
    """
    first, second = random_parts(data.n_rows, share, rng)
    return data.take(first), data.take(second)


def fit_by_edges(
    train: Dataset, test: Dataset, ess: float = 1.0, max_parents: int = MOST_PARENTS, most_edges: int | None = None
) -> pd.DataFrame:
    """Add edges greedily by the training likelihood, and follow the fit to the held-out rows.

    Parameters
    ----------
    train, test : Dataset
        Over the same variables and states; see ``split_rows``.
    ess : float
        Held-out rows are predicted with the mean of the Dirichlet posterior under BDeu's prior; with maximum-likelihood
        parameters a single unobserved combination of states would make a row impossible.
    max_parents : int
    most_edges : int, optional
        Where to stop; by default, when no edge is legal.

    Returns
    -------
    DataFrame
        One line per number of edges: edges, parent, child, parameters, train and held_out (mean log-probability, nats
        per row), bic (of the training rows, nats per row), impossible (held-out rows with probability 0 under the
        maximum-likelihood parameters).

    Raises
    ------
    ValueError
        If the variables or states differ, ess is not positive, or a limit is negative.
    """
    import pandas as pd

    same_variables(train, test)
    check_ess(ess)
    check_limits(max_parents, most_edges)
    graph = _FittedGraph(train, test, ess)
    lines = [graph.line("", "")]
    for parent, child in itertools.islice(greedy_edges(train, LogLikelihood(), max_parents), most_edges):
        graph.add(parent, child)
        lines.append(graph.line(train.names[parent], train.names[child]))
    columns = ["edges", "parent", "child", "parameters", "train", "held_out", "bic", "impossible"]
    return pd.DataFrame(lines, columns=columns)


class _FittedGraph:
    """A growing graph with each family's fit to both parts of the rows."""

    def __init__(self, train: Dataset, test: Dataset, ess: float) -> None:
        n = train.n_variables
        self.train, self.test, self.ess = train, test, ess
        self.likelihoods, self.bics = LocalScores(train, LogLikelihood()), LocalScores(train, BIC())
        self.adjacency = np.zeros((n, n), dtype=np.bool_)
        self.fit, self.bic = np.zeros(n), np.zeros(n)
        self.held_out, self.impossible = np.zeros((n, test.n_rows)), np.zeros((n, test.n_rows), dtype=np.bool_)
        for child in range(n):
            self._refresh(child)

    def _refresh(self, child: int) -> None:
        parents = np.flatnonzero(self.adjacency[:, child]).tolist()
        self.fit[child], self.bic[child] = self.likelihoods(child, parents), self.bics(child, parents)
        predicted = family_predictions(self.train, self.test, child, parents, self.ess)
        self.held_out[child], self.impossible[child] = predicted

    def add(self, parent: int, child: int) -> None:
        self.adjacency[parent, child] = True
        self._refresh(child)

    def line(self, parent: str, child: str) -> tuple[object, ...]:
        """Return the graph's line of the table."""
        rows, edges = self.train.n_rows, int(self.adjacency.sum())
        parameters = n_parameters(self.train, edges_of(self.train.names, self.adjacency))
        held_out = float(self.held_out.sum(axis=0).mean())
        impossible = int(self.impossible.any(axis=0).sum())
        return edges, parent, child, parameters, self.fit.sum() / rows, held_out, self.bic.sum() / rows, impossible
