"""Consistency of scores as the sample grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ess, Repeats, RowCount, validated
from bnengine.graphs.dag import Edge, ancestors, dag_of, edges_of
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import BIC, BDeu, TableScore
from bnengine.teaching.checked_input import check_columns

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
