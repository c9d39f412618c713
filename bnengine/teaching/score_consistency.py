"""How scores behave as rows come in: the true graph against one edge too many and one too few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.random_generators import Seed, generator_of
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, adjacency_of, ancestors, edges_of
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, BDeu, TableScore

if TYPE_CHECKING:
    import pandas as pd

TRUE, SPURIOUS, MISSING = "true graph", "one spurious edge", "one missing edge"


def addable_edges(network: BayesianNetwork) -> list[Edge]:
    """The edges that could be added to the network without a cycle, in column order."""
    reach = ancestors(network.adjacency)
    near = network.adjacency | network.adjacency.T | np.eye(len(network.names), dtype=np.bool_)
    return edges_of(network.names, ~near & ~reach.T)


def graphs_around(
    network: BayesianNetwork, spurious: Edge | None = None, missing: Edge | None = None
) -> dict[str, list[Edge]]:
    """The true graph, the same with one spurious edge, and with one missing: edges by name.

    Parameters
    ----------
    network : BayesianNetwork
    spurious, missing : (parent, child), optional
        Which edges; by default the first that there is, in column order.
    """
    free = addable_edges(network)
    extra = spurious or (free[0] if free else None)
    lost = missing or (network.edges[0] if network.edges else None)
    if spurious is not None and spurious not in free:
        raise ValueError(f"{spurious[0]} → {spurious[1]} is in the network already, or would close a cycle")
    if missing is not None and missing not in network.edges:
        raise ValueError(f"{missing[0]} → {missing[1]} is not an edge of the network")
    graphs = {TRUE: list(network.edges)}
    if extra is not None:
        graphs[SPURIOUS] = [*network.edges, extra]
    if lost is not None:
        graphs[MISSING] = [edge for edge in network.edges if edge != lost]
    return graphs


def score_growth(
    network: BayesianNetwork,
    graphs: Mapping[str, Sequence[Edge]],
    sizes: Sequence[int],
    ess: float = 1.0,
    repeats: int = 10,
    rng: Seed = 0,
) -> pd.DataFrame:
    """BDeu and BIC of given graphs on more and more rows drawn from a network.

    Parameters
    ----------
    network : BayesianNetwork
    graphs : mapping from str to edges
        The first one is what the others are compared with.
    sizes : sequence of int
        Numbers of rows; smaller samples are the beginnings of the largest.
    ess : float
    repeats : int
        Independent samples to average over.
    rng : int, Generator or None

    Returns
    -------
    DataFrame
        One line a number of rows and a graph, means over the repeats: rows, graph, bdeu, bic, bdeu_minus_bic,
        bdeu_ahead, bic_ahead (score less that of the first graph), all nats; and first_wins, the share of repeats in
        which the first graph's BDeu is higher.

    Notes
    -----
    BDeu - BIC stays bounded where all probabilities are positive (Schwarz 1978; Haughton 1988). Each probability that
    is 0 adds up to ln(N) / 2, for BIC then charges a parameter that need not be learned.
    """
    import pandas as pd

    if not graphs or repeats < 1 or not sizes or min(sizes) < 1:
        raise ValueError("graphs, sizes (1 row or more) and repeats (1 or more) must not be empty")
    adjacencies = {name: adjacency_of(network.names, edges) for name, edges in graphs.items()}
    values = np.empty((repeats, len(sizes), len(graphs), 2))
    used: tuple[TableScore, ...] = (BDeu(ess), BIC())
    for repeat, generator in enumerate(generator_of(rng).spawn(repeats)):
        rows = network.sample(max(sizes), generator)
        for s, size in enumerate(sizes):
            part = Dataset(rows.names, rows.states, rows.codes[:size])
            for k, score in enumerate(used):
                scores = LocalScores(part, score)
                for g, adjacency in enumerate(adjacencies.values()):
                    families = ((v, np.flatnonzero(adjacency[:, v]).tolist()) for v in range(len(network.names)))
                    values[repeat, s, g, k] = sum(scores(v, parents) for v, parents in families)
    ahead = values - values[:, :, :1]
    lines = []
    for s, size in enumerate(sizes):
        for g, name in enumerate(graphs):
            bdeu, bic = values[:, s, g].mean(axis=0)
            more, wins = ahead[:, s, g].mean(axis=0), float((ahead[:, s, g, 0] < 0).mean())
            lines.append((size, name, bdeu, bic, bdeu - bic, more[0], more[1], wins))
    columns = ["rows", "graph", "bdeu", "bic", "bdeu_minus_bic", "bdeu_ahead", "bic_ahead", "first_wins"]
    return pd.DataFrame(lines, columns=columns)


def rows_until_first_wins(table: pd.DataFrame) -> int | None:
    """The smallest number of rows from which on the first graph is ahead of all others in BDeu, on average.

    Parameters
    ----------
    table : DataFrame
        What ``score_growth`` gave.

    Returns
    -------
    int or None
        None if some other graph is still ahead with the most rows.
    """
    first = table["graph"].iloc[0]
    others = table[table["graph"] != first]
    lost = others[others["bdeu_ahead"] >= 0]["rows"]
    sizes = sorted(table["rows"].unique())
    later = [int(size) for size in sizes if not len(lost) or size > lost.max()]
    return later[0] if later else None


def n_impossible(network: BayesianNetwork) -> int:
    """How many of the network's conditional probabilities are 0."""
    return int(sum((table == 0).sum() for table in network.tables))
