"""Maximum likelihood always wants another edge: the fit to training rows and to held-out rows as edges are added."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.random_generators import Seed, random_parts
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import ancestors, edges_of
from bnengine.networks.likelihood import family_predictions
from bnengine.networks.network import check_ess
from bnengine.scores.evaluation import n_parameters
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, LogLikelihood
from bnengine.search._parents import tolerance

if TYPE_CHECKING:
    import pandas as pd

_MOST_PARENTS = 5


def split_rows(data: Dataset, share: float = 0.5, rng: Seed = 0) -> tuple[Dataset, Dataset]:
    """The rows in two random parts; ``share`` of them, at least one and not all, are in the first.

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
    train: Dataset,
    test: Dataset,
    ess: float = 1.0,
    max_parents: int = _MOST_PARENTS,
    most_edges: int | None = None,
) -> pd.DataFrame:
    """Add the edge that raises the training likelihood most, again and again, and look at the held-out rows.

    Parameters
    ----------
    train, test : Dataset
        Over the same variables and states; see ``split_rows``.
    ess : float
        Held-out rows are predicted with the mean of the Dirichlet posterior under BDeu's prior; at maximum likelihood
        a single unseen combination would make them impossible.
    max_parents : int
    most_edges : int, optional
        Where to stop; None goes on until no edge is legal.

    Returns
    -------
    DataFrame
        One line a number of edges: edges, parent, child, parameters, train and held_out (mean log-probability, nats a
        row), bic (of the training rows, nats a row), impossible (held-out rows to which the maximum-likelihood network
        gives probability 0).
    """
    import pandas as pd

    if (train.names, train.states) != (test.names, test.states):
        raise ValueError("test must have the training data's variables and states; Dataset.take keeps both")
    check_ess(ess)
    climb = _Climb(train, test, ess, max_parents)
    lines = [climb.line("", "")]
    while most_edges is None or len(lines) <= most_edges:
        edge = climb.best_edge()
        if edge is None:
            break
        climb.add(*edge)
        lines.append(climb.line(train.names[edge[0]], train.names[edge[1]]))
    columns = ["edges", "parent", "child", "parameters", "train", "held_out", "bic", "impossible"]
    return pd.DataFrame(lines, columns=columns)


class _Climb:
    """A graph under construction with its fit to both parts, kept family by family."""

    def __init__(self, train: Dataset, test: Dataset, ess: float, max_parents: int) -> None:
        n = train.n_variables
        self.train, self.test, self.ess, self.max_parents = train, test, ess, max_parents
        self.fits, self.prices = LocalScores(train, LogLikelihood()), LocalScores(train, BIC())
        self.adjacency = np.zeros((n, n), dtype=np.bool_)
        self.gains = np.zeros((n, n))
        self.fit, self.bic = np.zeros(n), np.zeros(n)
        self.held_out, self.impossible = np.zeros((n, test.n_rows)), np.zeros((n, test.n_rows), dtype=np.bool_)
        for child in range(n):
            self._refresh(child)

    def _refresh(self, child: int) -> None:
        """Everything that depends on the child's parents."""
        parents = np.flatnonzero(self.adjacency[:, child]).tolist()
        self.fit[child], self.bic[child] = self.fits(child, parents), self.prices(child, parents)
        predicted = family_predictions(self.train, self.test, child, parents, self.ess)
        self.held_out[child], self.impossible[child] = predicted
        self.gains[:, child] = -np.inf
        if len(parents) < self.max_parents:
            for v in range(len(self.adjacency)):
                if v != child and not self.adjacency[v, child]:
                    self.gains[v, child] = self.fits(child, [*parents, v]) - self.fit[child]

    def best_edge(self) -> tuple[int, int] | None:
        """The legal edge that raises the training likelihood most; ties go by column order."""
        closing = ancestors(self.adjacency).T | self.adjacency.T
        gains = np.where(closing, -np.inf, self.gains)
        best = float(gains.max()) if gains.size else -math.inf
        if best == -math.inf:
            return None
        i, j = np.argwhere(gains >= best - tolerance(self.train.n_rows))[0]
        return int(i), int(j)

    def add(self, parent: int, child: int) -> None:
        self.adjacency[parent, child] = True
        self._refresh(child)

    def line(self, parent: str, child: str) -> tuple[object, ...]:
        rows = self.train.n_rows
        parameters = n_parameters(self.train, edges_of(self.train.names, self.adjacency))
        held_out = float(self.held_out.sum(axis=0).mean())
        impossible = int(self.impossible.any(axis=0).sum())
        edges = int(self.adjacency.sum())
        return edges, parent, child, parameters, self.fit.sum() / rows, held_out, self.bic.sum() / rows, impossible
