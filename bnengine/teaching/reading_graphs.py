"""What a learned graph shows and what it does not: the bits each edge saves, pairs without an edge, hidden causes."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, cpdag, dag_of, edges_of
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.dependence import mutual_informations
from bnengine.search.edge_changes import single_changes


@validated
def edge_costs(data: Dataset, edges: Iterable[Edge]) -> pd.DataFrame:
    """Return by how many bits the description of the data is longer without each edge of a network.

    A difference of b bits is a ratio of 2^b : 1 of the two networks' probabilities given the data, as far as the
    description length approximates the log marginal likelihood (Schwarz 1978) and the networks are equally probable
    beforehand.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)

    Returns
    -------
    DataFrame
        One line per edge, the most valuable first: edge, bits, odds (2^bits; infinite beyond 1,000 bits).

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(2000, rng=1)
    >>> costs = bn.teaching.edge_costs(data, [("Cancer", "Xray")])
    >>> bool(costs["odds"][0] > 1e6)
    True
    """
    deleted = [change for change in single_changes(data, list(edges)) if change.kind == "delete"]
    lines = [
        (f"{one.parent} → {one.child}", one.bits, 2.0**one.bits if one.bits < 1000 else math.inf)
        for one in reversed(deleted)
    ]
    return pd.DataFrame(lines, columns=["edge", "bits", "odds"])


@validated
def reversals(data: Dataset, edges: Iterable[Edge]) -> pd.DataFrame:
    """Return which arrows of a network are compelled, and what the reversal of each costs.

    A compelled arrow has the same direction in all graphs that represent the same distributions (Chickering 1995).

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)

    Returns
    -------
    DataFrame
        One line per edge, those that can be reversed first: edge, compelled, bits (by which the description becomes
        longer with this edge reversed; missing where that closes a cycle).

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(2000, rng=1)
    >>> bn.teaching.reversals(data, [("Cancer", "Xray")])["compelled"].tolist()
    [False]
    """
    joined = dag_of(data.names, edges)
    pattern = cpdag(joined)
    costs = {(one.parent, one.child): one.bits for one in single_changes(data, list(edges)) if one.kind == "reverse"}
    place = {name: v for v, name in enumerate(data.names)}
    lines = [
        (f"{parent} → {child}", not pattern[place[child], place[parent]], costs.get((parent, child)))
        for parent, child in edges_of(data.names, joined)
    ]
    table = pd.DataFrame(lines, columns=["edge", "compelled", "bits"])
    return table.sort_values(["compelled", "bits"], kind="stable", ignore_index=True)


@validated
def pair_dependence(data: Dataset, edges: Iterable[Edge]) -> pd.DataFrame:
    """Return how dependent each pair of variables is, and whether a network has an edge between them.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)

    Returns
    -------
    DataFrame
        One line per pair, the most dependent first: pair, information (nats), critical (the mutual information that a
        test at the 5% level rejects independence with, nats), dependent, edge.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(5000, rng=1)
    >>> table = bn.teaching.pair_dependence(data, bn.load_network("cancer").edges)
    >>> int(table["edge"].sum()), len(table)
    (4, 10)
    """
    from scipy.stats import chi2

    joined = dag_of(data.names, edges)
    first, second = np.triu_indices(data.n_variables, 1)
    information = mutual_informations(data)[first, second]
    freedom = np.maximum((data.arities[first] - 1) * (data.arities[second] - 1), 1)
    critical = chi2.ppf(0.95, freedom) / (2 * data.n_rows)
    table = pd.DataFrame(
        {
            "pair": [f"{data.names[i]} – {data.names[j]}" for i, j in zip(first, second, strict=True)],
            "information": information,
            "critical": critical,
            "dependent": information > critical,
            "edge": joined[first, second] | joined[second, first],
        }
    )
    return table.sort_values("information", ascending=False, kind="stable", ignore_index=True)


#: H is a cause of X and of Y; A of X, and B of Y.
_CAUSES: tuple[tuple[int, ...], ...] = ((), (0, 2), (), (2, 4), ())
_ALONE = np.array([[0.5, 0.5]])
_OF_BOTH = np.array([[0.95, 0.05], [0.6, 0.4], [0.4, 0.6], [0.05, 0.95]])


def hidden_cause() -> BayesianNetwork:
    """Return the network A → X ← H → Y ← B, in which X and Y are dependent and neither is a cause of the other.

    Of tables without H, a score that knows only the observed variables learns an edge between X and Y, and with enough
    rows a compelled arrow (Spirtes, Glymour & Scheines 2000, Chapter 6).

    Returns
    -------
    BayesianNetwork
        A, X, H, Y, B, each with the states no and yes.

    Examples
    --------
    >>> hidden_cause().edges
    [('A', 'X'), ('H', 'X'), ('H', 'Y'), ('B', 'Y')]
    """
    tables = tuple(_OF_BOTH if causes else _ALONE for causes in _CAUSES)
    return BayesianNetwork(("A", "X", "H", "Y", "B"), (("no", "yes"),) * 5, _CAUSES, tables, "a hidden cause")
