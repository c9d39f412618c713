"""Consistency of scores as the sample grows, and AIC compared with cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ess, ParentLimit, Repeats, RowCount, one_of, validated
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, ancestors, dag_of, edges_of
from bnengine.networks.network import BayesianNetwork, configuration_numbers
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import AIC, BIC, BDeu, LogLikelihood, TableScore
from bnengine.search.edge_changes import tolerance
from bnengine.teaching.checked_input import check_columns
from bnengine.teaching.local_optima import MOST_PARENTS, GrowingGraph, greedy_edges
from bnengine.teaching.overfitting import family_dic

TRUE, SPURIOUS, MISSING = "true graph", "one spurious edge", "one missing edge"


@validated
def addable_edges(network: BayesianNetwork) -> list[Edge]:
    """Return the edges that could be added to the network without a cycle, in column order.

    Parameters
    ----------
    network : BayesianNetwork

    Returns
    -------
    list of (parent, child)
        In column order.

    Examples
    --------
    >>> import bnengine as bn
    >>> addable_edges(bn.load_network("cancer"))[:2]
    [('Pollution', 'Smoker'), ('Pollution', 'Xray')]
    """
    above = ancestors(network.adjacency)
    adjacent = network.adjacency | network.adjacency.T | np.eye(len(network.names), dtype=np.bool_)
    return edges_of(network.names, ~adjacent & ~above.T)


@validated
def graphs_around(
    network: BayesianNetwork, spurious: Edge | None = None, missing: Edge | None = None
) -> dict[str, list[Edge]]:
    """Return the edges of the true graph, of the same with one spurious edge, and with one edge missing, by name.

    Parameters
    ----------
    network : BayesianNetwork
    spurious, missing : (parent, child), optional
        By default the first possible edge, in column order.

    Returns
    -------
    dict from str to list of (parent, child)
        The second is left out if no edge can be added, the third if the network has no edge.

    Raises
    ------
    ValueError
        If the spurious edge cannot be added, or the missing one is not in the network.

    Examples
    --------
    >>> import bnengine as bn
    >>> [len(edges) for edges in graphs_around(bn.load_network("cancer")).values()]
    [4, 5, 3]
    """
    free = addable_edges(network)
    extra = spurious or (free[0] if free else None)
    lost = missing or (network.edges[0] if network.edges else None)
    if spurious is not None and spurious not in free:
        raise ValueError(
            f"{spurious[0]} → {spurious[1]} is in the network already, or would close a cycle; choose one of "
            "addable_edges(network)"
        )
    if missing is not None and missing not in network.edges:
        raise ValueError(f"{missing[0]} → {missing[1]} is not an edge of the network")
    graphs = {TRUE: list(network.edges)}
    if extra is not None:
        graphs[SPURIOUS] = [*network.edges, extra]
    if lost is not None:
        graphs[MISSING] = [edge for edge in network.edges if edge != lost]
    return graphs


@validated
def score_growth(
    network: BayesianNetwork,
    graphs: Mapping[str, Sequence[Edge]],
    sizes: Sequence[RowCount],
    ess: Ess = 1.0,
    repeats: Repeats = 10,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Compute BDeu and BIC of given graphs on growing samples of a network.

    Parameters
    ----------
    network : BayesianNetwork
    graphs : mapping from str to edges
        The others are compared with the first one.
    sizes : sequence of int
        Numbers of rows; smaller samples are the first rows of the largest.
    ess : float
    repeats : int
        Independent samples to average over.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    DataFrame
        One line per number of rows and graph, means over the repeats in nats: rows, graph, bdeu, bic, bdeu_minus_bic,
        bdeu_ahead, bic_ahead (score minus that of the first graph); and first_wins, the fraction of repeats in which
        the first graph's BDeu is higher.

    Raises
    ------
    ValueError
        If there are no graphs or no sizes, or the edges of a graph form a cycle.

    Notes
    -----
    BDeu - BIC stays bounded where all probabilities are positive (Schwarz 1978; Haughton 1988). Each probability that
    is 0 adds up to ln(N) / 2, since BIC penalizes a parameter that does not have to be estimated.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> table = bn.teaching.score_growth(network, bn.teaching.graphs_around(network), [100, 1000], repeats=2)
    >>> table["rows"].tolist()
    [100, 100, 100, 1000, 1000, 1000]
    """
    if not graphs or not sizes:
        raise ValueError("graphs and sizes must not be empty")
    for edges in graphs.values():
        dag_of(network.names, edges)  # checks them before the work
    values = np.empty((repeats, len(sizes), len(graphs), 2))
    used: tuple[TableScore, ...] = (BDeu(ess), BIC())
    for repeat, generator in enumerate(generator_of(rng).spawn(repeats)):
        rows = network.sample(max(sizes), generator)
        for s, size in enumerate(sizes):
            part = rows.take(range(size))
            for k, score in enumerate(used):
                values[repeat, s, :, k] = [score_of(part, edges, score) for edges in graphs.values()]
    ahead = values - values[:, :, :1]
    lines = []
    for s, size in enumerate(sizes):
        for g, name in enumerate(graphs):
            bdeu, bic = values[:, s, g].mean(axis=0)
            more, wins = ahead[:, s, g].mean(axis=0), float((ahead[:, s, g, 0] < 0).mean())
            lines.append((size, name, bdeu, bic, bdeu - bic, more[0], more[1], wins))
    columns = ["rows", "graph", "bdeu", "bic", "bdeu_minus_bic", "bdeu_ahead", "bic_ahead", "first_wins"]
    return pd.DataFrame(lines, columns=columns)


@validated
def rows_until_first_wins(table: pd.DataFrame) -> int | None:
    """Return the smallest number of rows from which the first graph's mean BDeu exceeds that of all others.

    Parameters
    ----------
    table : DataFrame
        As returned by ``score_growth``.

    Returns
    -------
    int or None
        None if another graph is ahead at the largest number of rows.

    Raises
    ------
    ValueError
        If the table lacks a column, or has no rows.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> table = bn.teaching.score_growth(network, {"true": network.edges, "empty": []}, [20, 20_000], repeats=3)
    >>> bn.teaching.rows_until_first_wins(table)
    20000
    """
    check_columns(table, ("graph", "rows", "bdeu_ahead"), "score_growth")
    first = table["graph"].iloc[0]
    others = table[table["graph"] != first]
    lost = others[others["bdeu_ahead"] >= 0]["rows"]
    sizes = sorted(table["rows"].unique())
    later = [int(size) for size in sizes if not len(lost) or size > lost.max()]
    return later[0] if later else None


@validated
def n_impossible(network: BayesianNetwork) -> int:
    """Count the network's conditional probabilities that are 0.

    Parameters
    ----------
    network : BayesianNetwork

    Returns
    -------
    int

    Examples
    --------
    >>> import bnengine as bn
    >>> n_impossible(bn.load_network("cancer")), n_impossible(bn.load_network("asia"))
    (0, 4)
    """
    return int(sum((table == 0).sum() for table in network.tables))


# AIC and cross-validation: the same graphs judged by a penalty per parameter and by rows left out.
#
# The mean leave-one-out log-probability tends to AIC / N (Stone 1977): both estimate the log-likelihood per row that
# the fitted network gives to new rows. With the mean of the Dirichlet posterior as estimate nothing has to be
# refitted: leaving out a row only reduces the count of its own cell and parent configuration by one.

#: The criteria in a path's table: nats per row, higher is better.
CRITERIA = ("bic", "aic", "dic", "leave_one_out")
_SCORES: dict[str, TableScore] = {"log_likelihood": LogLikelihood(), "bic": BIC(), "aic": AIC()}


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

    Returns
    -------
    float

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
    _check(data)
    parents = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(data.n_variables)]
    return sum(_left_out(data, v, parents[v], ess) for v in range(data.n_variables)) / data.n_rows


def _check(data: Dataset) -> None:
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
    status : {"converged", "stopped"}
    """

    table: pd.DataFrame = field(repr=False)
    n_rows: int
    status: str

    @validated
    def best(self, criterion: str) -> int:
        """Return the number of edges at which a criterion is highest; the fewest if tied.

        Parameters
        ----------
        criterion : str
            A column of the table.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If the table has no such column.
        """
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
    *,
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

    Returns
    -------
    CriteriaPath

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
    _check(data)
    n = data.n_variables
    possible = min(n * (n - 1) // 2, n * max_parents)
    data = data.select(sorted(data.names))  # ties are broken by name, not by the file's column order
    measures: dict[str, Any] = {name: LocalScores(data, score) for name, score in _SCORES.items()}
    measures["dic"] = lambda child, parents: family_dic(data, child, parents)
    measures["leave_one_out"] = lambda child, parents: _left_out(data, child, parents, ess)
    graph = GrowingGraph(n, measures)
    lines, best, best_edges, status = [_line(graph, data, "", "")], graph.total("aic"), 0, "converged"
    for parent, child in greedy_edges(data, AIC(), max_parents):
        end = possible if most_edges is None else min(most_edges, possible)
        if len(lines) > end or (most_edges is None and len(lines) > best_edges + best_edges // 2 + 5):
            break
        graph.add(parent, child)
        lines.append(_line(graph, data, data.names[parent], data.names[child]))
        if graph.total("aic") > best + tolerance(data.n_rows):
            best, best_edges = graph.total("aic"), len(lines) - 1
        if progress is not None and progress(len(lines) - 1, end) is False:
            status = "stopped"
            break
    columns = ["edges", "parent", "child", "parameters", *measures]
    return CriteriaPath(pd.DataFrame(lines, columns=columns), data.n_rows, status)


def _line(graph: GrowingGraph, data: Dataset, *added: str) -> tuple[object, ...]:
    """Return the graph's line of the table."""
    n_edges, parameters = graph.size(data)
    return n_edges, *added, parameters, *(float(graph.total(name)) / data.n_rows for name in graph.families)
