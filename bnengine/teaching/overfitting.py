"""Overfitting: the fit to training rows and to held-out rows as edges are added."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, random_parts
from bnengine._core.validation import Ess, ParentLimit, Share, validated
from bnengine.data.dataset import Dataset
from bnengine.networks.likelihood import family_predictions
from bnengine.networks.network import check_ess
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, LogLikelihood
from bnengine.teaching.checked_input import same_variables
from bnengine.teaching.greedy_edges import MOST_PARENTS, check_limits, greedy_edges

if TYPE_CHECKING:
    import pandas as pd


@validated
def split_rows(data: Dataset, share: Share = 0.5, rng: Seed = 0) -> tuple[Dataset, Dataset]:
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


@validated
def fit_by_edges(
    train: Dataset,
    test: Dataset,
    ess: Ess = 1.0,
    max_parents: ParentLimit = MOST_PARENTS,
    most_edges: ParentLimit | None = None,
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
    return fit_path(train, test, ess, max_parents, most_edges).table


@dataclass(frozen=True, eq=False)
class FitPath:
    """The fit to training and held-out rows, edge by edge.

    Attributes
    ----------
    table : DataFrame
        See ``fit_by_edges``.
    status : {"converged", "stopped"}
    """

    table: pd.DataFrame = field(repr=False)
    status: str


@validated
def fit_path(
    train: Dataset,
    test: Dataset,
    ess: Ess = 1.0,
    max_parents: ParentLimit = MOST_PARENTS,
    most_edges: ParentLimit | None = None,
    progress: Progress | None = None,
) -> FitPath:
    """Do the work of ``fit_by_edges``, which can be stopped.

    Parameters
    ----------
    train, test, ess, max_parents, most_edges
        See ``fit_by_edges``.
    progress : callable, optional
        Called with (edges added, edges at most), first before any is; returning False stops and keeps what is done.

    Examples
    --------
    >>> import bnengine as bn
    >>> train, test = bn.teaching.split_rows(bn.load_network("cancer").sample(200, rng=1))
    >>> path = bn.teaching.fit_path(train, test, progress=lambda edges, most: edges < 3)
    >>> path.status, len(path.table)
    ('stopped', 4)
    """
    import pandas as pd

    same_variables(train, test)
    check_ess(ess)
    check_limits(max_parents, most_edges)
    n = train.n_variables
    possible = min(n * (n - 1) // 2, n * max_parents)
    most = possible if most_edges is None else min(most_edges, possible)
    graph = _FittedGraph(train, test, ess)
    lines, further = [graph.line("", "")], greedy_edges(train, LogLikelihood(), max_parents)
    status = "converged"
    while len(lines) <= most:
        if progress is not None and progress(len(lines) - 1, most) is False:
            status = "stopped"
            break
        edge = next(further, None)
        if edge is None:
            break
        graph.add(*edge)
        lines.append(graph.line(*(train.names[v] for v in edge)))
    columns = ["edges", "parent", "child", "parameters", "train", "held_out", "bic", "impossible"]
    return FitPath(pd.DataFrame(lines, columns=columns), status)


class _FittedGraph:
    """A growing graph with each family's fit to both parts of the rows."""

    def __init__(self, train: Dataset, test: Dataset, ess: float) -> None:
        n = train.n_variables
        self.train, self.test, self.ess = train, test, ess
        self.likelihoods, self.bics = LocalScores(train, LogLikelihood()), LocalScores(train, BIC())
        self.adjacency = np.zeros((n, n), dtype=np.bool_)
        self.fit, self.bic, self.parameters = np.zeros(n), np.zeros(n), [0] * n
        self.held_out, self.impossible = np.zeros((n, test.n_rows)), np.zeros((n, test.n_rows), dtype=np.bool_)
        for child in range(n):
            self._refresh(child)

    def _refresh(self, child: int) -> None:
        parents = np.flatnonzero(self.adjacency[:, child]).tolist()
        self.fit[child], self.bic[child] = self.likelihoods(child, parents), self.bics(child, parents)
        arities = self.train.arities.tolist()
        self.parameters[child] = (arities[child] - 1) * math.prod(arities[parent] for parent in parents)
        predicted = family_predictions(self.train, self.test, child, parents, self.ess)
        self.held_out[child], self.impossible[child] = predicted

    def add(self, parent: int, child: int) -> None:
        self.adjacency[parent, child] = True
        self._refresh(child)

    def line(self, parent: str, child: str) -> tuple[object, ...]:
        """Return the graph's line of the table."""
        rows, edges = self.train.n_rows, int(self.adjacency.sum())
        parameters = sum(self.parameters)
        held_out = float(self.held_out.sum(axis=0).mean())
        impossible = int(self.impossible.any(axis=0).sum())
        return edges, parent, child, parameters, self.fit.sum() / rows, held_out, self.bic.sum() / rows, impossible
