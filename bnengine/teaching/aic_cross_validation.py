"""AIC and cross-validation: the same graphs judged by a penalty per parameter and by rows left out.

The mean leave-one-out log-probability tends to AIC / N (Stone 1977): both estimate the log-likelihood per row that the
fitted network gives to new rows. With the mean of the Dirichlet posterior as estimate nothing has to be refitted:
leaving out a row only reduces the count of its own cell and parent configuration by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.parallel import Progress
from bnengine._core.validation import Ess, ParentLimit, one_of, validated
from bnengine.data.dataset import DataError, Dataset
from bnengine.graphs.dag import Edge, dag_of, edges_of
from bnengine.networks.network import check_ess, configuration_numbers
from bnengine.scores.bootstrap_scores import DIC
from bnengine.scores.evaluation import n_parameters
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import AIC, BIC, LogLikelihood, TableScore
from bnengine.search._parents import tolerance
from bnengine.teaching.greedy_edges import MOST_PARENTS, check_limits, greedy_edges

if TYPE_CHECKING:
    import pandas as pd

#: The criteria in a path's table: nats per row, higher is better.
CRITERIA = ("bic", "aic", "dic", "leave_one_out")
_SCORES: dict[str, TableScore] = {"log_likelihood": LogLikelihood(), "bic": BIC(), "aic": AIC(), "dic": DIC()}


@validated
def leave_one_out(data: Dataset, edges: Iterable[Edge], ess: Ess = 1.0) -> float:
    """Return the mean log-probability of each row under the network fitted to all other rows, nats per row.

    Parameters
    ----------
    data : Dataset
        At least two rows.
    edges : iterable of (parent, child)
        The fixed graph; only its probabilities are fitted without each row.
    ess : float
        Equivalent sample size of the Dirichlet prior (see ``fit``); without a prior, a row whose combination of
        states occurs once would have probability 0.

    Raises
    ------
    ValueError
        If the edges form a cycle or ess is not positive; DataError if there is only one row.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(1000, rng=1)
    >>> edges = bn.load_network("asia").edges
    >>> left_out, aic = bn.teaching.leave_one_out(data, edges), bn.score(data, edges, bn.AIC()) / data.n_rows
    >>> bool(abs(left_out - aic) < 0.01 < bn.score(data, edges, bn.LogLikelihood()) / data.n_rows - aic)
    True
    """
    adjacency = dag_of(data.names, edges)
    _check(data, ess)
    parents = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(data.n_variables)]
    return sum(_left_out(data, v, parents[v], ess) for v in range(data.n_variables)) / data.n_rows


def _check(data: Dataset, ess: float) -> None:
    check_ess(ess)
    if data.n_rows < 2:
        raise DataError("leave-one-out needs two rows at least; the data have one")


def _left_out(data: Dataset, child: int, parents: Sequence[int], ess: float) -> float:
    """Return the sum over rows of ln P(child | parents), each row predicted by all others, nats."""
    arities = data.arities.tolist()
    _, ranks = np.unique(configuration_numbers(data.codes, parents, arities), return_inverse=True)
    r, n_configurations = arities[child], int(ranks.max()) + 1
    q = float(np.prod([arities[parent] for parent in parents], dtype=object))
    n_jk = np.bincount(ranks * r + data.codes[:, child], minlength=n_configurations * r).reshape(-1, r)
    n_j = n_jk.sum(axis=1)
    occupied = n_jk[n_jk > 0]
    return float(occupied @ np.log(occupied - 1 + ess / (q * r)) - n_j @ np.log(n_j - 1 + ess / q))


@dataclass(frozen=True, eq=False)
class CriteriaPath:
    """Graphs with one more edge each, judged by several criteria.

    Attributes
    ----------
    table : DataFrame
        One line per graph: edges, parent and child (of the edge added last), parameters, and in nats per row
        log_likelihood, bic, aic, dic and leave_one_out.
    n_rows : int
    status : {"converged", "stopped"}
    """

    table: pd.DataFrame = field(repr=False)
    n_rows: int
    status: str

    @validated
    def best(self, criterion: str) -> int:
        """Return the number of edges at which a criterion (a column of the table) is highest; the fewest if tied."""
        one_of(criterion, "criterion", [str(name) for name in self.table.columns])
        return int(self.table["edges"][self.table[criterion].idxmax()])

    def below_best(self) -> pd.DataFrame:
        """Return ``edges`` and each criterion minus its maximum, nats for all rows together."""
        criteria = self.table[list(CRITERIA)]
        below = (criteria - criteria.max()) * self.n_rows
        below.insert(0, "edges", self.table["edges"])
        return below


@validated
def criteria_path(
    data: Dataset,
    ess: Ess = 1.0,
    max_parents: ParentLimit = MOST_PARENTS,
    most_edges: ParentLimit | None = None,
    progress: Progress | None = None,
) -> CriteriaPath:
    """Add edges greedily by AIC, beyond its maximum, and evaluate each criterion for every graph.

    The graphs are chosen using all rows, and each criterion, leave-one-out included, treats its graph as given: none
    of them accounts for the selection of the graph.

    Parameters
    ----------
    data : Dataset
    ess : float
        See ``leave_one_out``.
    max_parents : int
    most_edges : int, optional
        Where to stop; by default, half as many edges again as at AIC's maximum, plus five.
    progress : callable, optional
        Called with (edges added, edges at most); returning False stops and keeps what is done.

    Raises
    ------
    ValueError
        If ess is not positive or a limit is negative; DataError if there is only one row.

    Examples
    --------
    >>> import bnengine as bn
    >>> path = bn.teaching.criteria_path(bn.load_network("asia").sample(1000, rng=1))
    >>> path.best("bic") < path.best("aic")
    True
    """
    import pandas as pd

    _check(data, ess)
    check_limits(max_parents, most_edges)
    n = data.n_variables
    possible = min(n * (n - 1) // 2, n * max_parents)
    data = data.select(sorted(data.names))  # ties are broken by name, not by the file's column order
    graph = _JudgedGraph(data, ess)
    lines, best, best_edges, status = [graph.line("", "")], graph.total("aic"), 0, "converged"
    for parent, child in greedy_edges(data, AIC(), max_parents):
        end = possible if most_edges is None else min(most_edges, possible)
        if len(lines) > end or (most_edges is None and len(lines) > best_edges + best_edges // 2 + 5):
            break
        graph.add(parent, child)
        lines.append(graph.line(data.names[parent], data.names[child]))
        if graph.total("aic") > best + tolerance(data.n_rows):
            best, best_edges = graph.total("aic"), len(lines) - 1
        if progress is not None and progress(len(lines) - 1, end) is False:
            status = "stopped"
            break
    columns = ["edges", "parent", "child", "parameters", *_SCORES, "leave_one_out"]
    return CriteriaPath(pd.DataFrame(lines, columns=columns), data.n_rows, status)


class _JudgedGraph:
    """A growing graph with every criterion of each family."""

    def __init__(self, data: Dataset, ess: float) -> None:
        n = data.n_variables
        self.data, self.ess, self.adjacency = data, ess, np.zeros((n, n), dtype=np.bool_)
        self.scores = {name: LocalScores(data, score) for name, score in _SCORES.items()}
        self.families = {name: np.zeros(n) for name in (*_SCORES, "leave_one_out")}
        for child in range(n):
            self._refresh(child)

    def _refresh(self, child: int) -> None:
        parents = np.flatnonzero(self.adjacency[:, child]).tolist()
        for name, scores in self.scores.items():
            self.families[name][child] = scores(child, parents)
        self.families["leave_one_out"][child] = _left_out(self.data, child, parents, self.ess)

    def add(self, parent: int, child: int) -> None:
        self.adjacency[parent, child] = True
        self._refresh(child)

    def total(self, name: str) -> float:
        """Return a criterion of the whole graph, nats."""
        return float(self.families[name].sum())

    def line(self, parent: str, child: str) -> tuple[object, ...]:
        """Return the graph's line of the table."""
        parameters = n_parameters(self.data, edges_of(self.data.names, self.adjacency))
        values = [self.total(name) / self.data.n_rows for name in self.families]
        return int(self.adjacency.sum()), parent, child, parameters, *values
