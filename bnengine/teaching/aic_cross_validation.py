"""AIC beside cross-validation: the same graphs judged by a charge a parameter and by rows that were left out.

Leaving out one row at a time, the mean log-probability of the row left out tends to AIC / N (Stone 1977): both estimate
what the fitted network gives to fresh rows. With the mean of the Dirichlet posterior as estimate, nothing has to be
fitted again: without a row, its own cell and parent configuration have one row less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine.data.dataset import DataError, Dataset
from bnengine.graphs.dag import Edge, adjacency_of, ancestors, edges_of, find_cycle
from bnengine.networks.network import check_ess, configuration_numbers
from bnengine.scores.bootstrap_scores import DIC
from bnengine.scores.evaluation import n_parameters
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import AIC, BIC, LogLikelihood, TableScore
from bnengine.search._parents import tolerance

if TYPE_CHECKING:
    import pandas as pd

#: The criteria in a path's table: nats a row, higher is better.
CRITERIA = ("bic", "aic", "dic", "leave_one_out")
_SCORES: dict[str, TableScore] = {"log_likelihood": LogLikelihood(), "bic": BIC(), "aic": AIC(), "dic": DIC()}
_MOST_PARENTS = 5


def leave_one_out(data: Dataset, edges: Iterable[Edge], ess: float = 1.0) -> float:
    """Mean log-probability of each row under the network fitted to all other rows, nats a row.

    Parameters
    ----------
    data : Dataset
        At least two rows.
    edges : iterable of (parent, child)
        The graph is given and stays; its probabilities are fitted anew without each row.
    ess : float
        Dirichlet prior of the fitted tables (see ``fit``); without one, a row with a combination of its own would
        have probability 0.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(1000, rng=1)
    >>> edges = bn.load_network("asia").edges
    >>> left_out, aic = bn.teaching.leave_one_out(data, edges), bn.score(data, edges, bn.AIC()) / data.n_rows
    >>> bool(abs(left_out - aic) < 0.01 < bn.score(data, edges, bn.LogLikelihood()) / data.n_rows - aic)
    True
    """
    adjacency = adjacency_of(data.names, edges)
    if find_cycle(adjacency) is not None:
        raise ValueError("the edges form a cycle; a network has none")
    _check(data, ess)
    parents = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(data.n_variables)]
    return sum(_left_out(data, v, parents[v], ess) for v in range(data.n_variables)) / data.n_rows


def _check(data: Dataset, ess: float) -> None:
    check_ess(ess)
    if data.n_rows < 2:
        raise DataError("leaving one row out needs two rows at least; the data have one")


def _left_out(data: Dataset, child: int, parents: Sequence[int], ess: float) -> float:
    """Sum over rows of ln P(child | parents) as fitted without the row, nats."""
    arities = data.arities.tolist()
    _, ranks = np.unique(configuration_numbers(data.codes, parents, arities), return_inverse=True)
    r, n_configurations = arities[child], int(ranks.max()) + 1
    q = float(np.prod([arities[parent] for parent in parents], dtype=object))
    n_jk = np.bincount(ranks * r + data.codes[:, child], minlength=n_configurations * r).reshape(-1, r)
    n_j = n_jk.sum(axis=1)
    seen = n_jk[n_jk > 0]
    return float(seen @ np.log(seen - 1 + ess / (q * r)) - n_j @ np.log(n_j - 1 + ess / q))


@dataclass(frozen=True, eq=False)
class CriteriaPath:
    """Graphs of more and more edges, judged by several criteria.

    Attributes
    ----------
    table : DataFrame
        One line a graph: edges, parent and child (of the edge added last), parameters, and in nats a row
        log_likelihood, bic, aic, dic and leave_one_out.
    n_rows : int
    status : str
        ``"converged"``, or ``"stopped"`` before the path's end.
    """

    table: pd.DataFrame = field(repr=False)
    n_rows: int
    status: str

    def best(self, criterion: str) -> int:
        """The number of edges at which a criterion, a column of the table, is highest; of equals the fewest."""
        return int(self.table["edges"][self.table[criterion].idxmax()])

    def below_best(self) -> pd.DataFrame:
        """``edges``, and each criterion less its own best, nats in all."""
        criteria = self.table[list(CRITERIA)]
        below = (criteria - criteria.max()) * self.n_rows
        below.insert(0, "edges", self.table["edges"])
        return below


def criteria_path(
    data: Dataset,
    ess: float = 1.0,
    max_parents: int = _MOST_PARENTS,
    most_edges: int | None = None,
    progress: Callable[[int, int], bool | None] | None = None,
) -> CriteriaPath:
    """Add the edge that raises AIC most, again and again, past AIC's best, and judge each graph.

    The graphs are chosen with all rows, and every criterion here, leaving one out among them, is that of a given graph:
    none of them sees what choosing costs.

    Parameters
    ----------
    data : Dataset
    ess : float
        See ``leave_one_out``.
    max_parents : int
    most_edges : int, optional
        Where to stop; None goes on until there are half as many edges again as at AIC's best, and five.
    progress : callable, optional
        Called with (edges added, edges at most); False stops, and what is done is returned.

    Examples
    --------
    >>> import bnengine as bn
    >>> path = bn.teaching.criteria_path(bn.load_network("asia").sample(1000, rng=1))
    >>> path.best("bic") < path.best("aic")
    True
    """
    import pandas as pd

    _check(data, ess)
    if max_parents < 0 or (most_edges is not None and most_edges < 0):
        raise ValueError(f"max_parents and most_edges must be 0 or more; got {max_parents} and {most_edges}")
    n = data.n_variables
    possible = min(n * (n - 1) // 2, n * max_parents)
    data = data.select(sorted(data.names))  # ties go by name, not by the file's order of columns
    climb = _Climb(data, ess, max_parents)
    lines, best, best_edges, status = [climb.line("", "")], climb.total("aic"), 0, "converged"
    while True:
        end = possible if most_edges is None else min(most_edges, possible)
        if len(lines) > end or (most_edges is None and len(lines) > best_edges + best_edges // 2 + 5):
            break
        edge = climb.best_edge()
        if edge is None:
            break
        climb.add(*edge)
        lines.append(climb.line(data.names[edge[0]], data.names[edge[1]]))
        if climb.total("aic") > best + tolerance(data.n_rows):
            best, best_edges = climb.total("aic"), len(lines) - 1
        if progress is not None and progress(len(lines) - 1, end) is False:
            status = "stopped"
            break
    columns = ["edges", "parent", "child", "parameters", *_SCORES, "leave_one_out"]
    return CriteriaPath(pd.DataFrame(lines, columns=columns), data.n_rows, status)


class _Climb:
    """A graph under construction with what each criterion says of each family."""

    def __init__(self, data: Dataset, ess: float, max_parents: int) -> None:
        n = data.n_variables
        self.data, self.ess, self.max_parents = data, ess, max_parents
        self.scores = {name: LocalScores(data, score) for name, score in _SCORES.items()}
        self.families = {name: np.zeros(n) for name in (*_SCORES, "leave_one_out")}
        self.adjacency, self.gains = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n))
        for child in range(n):
            self._refresh(child)

    def _refresh(self, child: int) -> None:
        """Everything that depends on the child's parents."""
        parents = np.flatnonzero(self.adjacency[:, child]).tolist()
        for name, scores in self.scores.items():
            self.families[name][child] = scores(child, parents)
        self.families["leave_one_out"][child] = _left_out(self.data, child, parents, self.ess)
        self.gains[:, child] = -np.inf
        if len(parents) < self.max_parents:
            wanted = ~self.adjacency[:, child]
            wanted[child] = False
            self.gains[:, child] = (
                self.scores["aic"].with_one_more(child, parents, wanted) - self.families["aic"][child]
            )

    def best_edge(self) -> tuple[int, int] | None:
        """The legal edge that raises AIC most or lowers it least; of equals the first by column order."""
        closing = ancestors(self.adjacency).T | self.adjacency.T
        gains = np.where(closing, -np.inf, self.gains)
        best = gains.max(initial=-np.inf)
        if best == -np.inf:
            return None
        i, j = np.argwhere(gains >= best - tolerance(self.data.n_rows))[0]
        return int(i), int(j)

    def add(self, parent: int, child: int) -> None:
        self.adjacency[parent, child] = True
        self._refresh(child)

    def total(self, name: str) -> float:
        """A criterion of the whole graph, nats."""
        return float(self.families[name].sum())

    def line(self, parent: str, child: str) -> tuple[object, ...]:
        """The graph's line of the table."""
        parameters = n_parameters(self.data, edges_of(self.data.names, self.adjacency))
        values = [self.total(name) / self.data.n_rows for name in self.families]
        return int(self.adjacency.sum()), parent, child, parameters, *values
