"""Spurious edges by the number of other parents of their child (Steck & Jaakkola 2003, Sec. 3.2).

Both the spurious gain of a family and its penalty grow with its number of parameters. Which of them prevails depends on
the score and the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.validation import validated
from bnengine.bootstrap.study import Study
from bnengine.graphs.dag import Adjacency, checked_graph, skeleton

if TYPE_CHECKING:
    import pandas as pd


@validated
def in_degrees(study: Study) -> pd.DataFrame:
    """Number of parents of each variable: in the graph learned from the data, and on average by each method.

    Returns
    -------
    DataFrame
        One row per variable, in column order: variable, data, then one column per method.
    """
    import pandas as pd

    columns = {key: study.confidence(key).sum(axis=0) for key in study.keys}
    return pd.DataFrame({"variable": list(study.reference.names), **columns})


@validated
def spurious_edges(study: Study, truth: Adjacency | None = None) -> pd.DataFrame:
    """Spurious edges of each method's graphs by the number of other parents of their child.

    An edge is spurious if the reference joins its two variables in neither direction.

    Parameters
    ----------
    study : Study
    truth : ndarray of bool, shape (V, V), optional
        The reference; None for the graph learned from the data.

    Returns
    -------
    DataFrame
        One row per method and number of other parents: method (key), other_parents, edges and spurious (mean number
        per graph), share (spurious / edges, NaN without edges).
    """
    import pandas as pd

    joined = skeleton(study.reference.adjacency if truth is None else checked_graph(truth, "truth"))
    rows = []
    for key, ensemble in study.ensembles.items():
        graphs, weights = ensemble.adjacencies, ensemble.multiplicities / ensemble.multiplicities.sum()
        others = graphs.sum(axis=1)[:, None, :] - 1  # other parents of the child, for each edge
        for n in range(int(others.max(initial=-1)) + 1):
            edges_of_n = graphs & (others == n)
            edges = float(weights @ edges_of_n.sum(axis=(1, 2)))
            spurious = float(weights @ (edges_of_n & ~joined).sum(axis=(1, 2)))
            rows.append((key, n, edges, spurious, spurious / edges if edges else np.nan))
    return pd.DataFrame(rows, columns=["method", "other_parents", "edges", "spurious", "share"])


def pooled_above(table: pd.DataFrame, key: str, most: int = 2) -> pd.DataFrame:
    """Rows of ``spurious_edges`` for one method, with ``most`` or more other parents pooled.

    Returns
    -------
    DataFrame
        other_parents (the last value stands for ``most`` or more), edges, spurious, share; without rows of no edges.
    """
    rows = table[(table["method"] == key) & (table["edges"] > 0)]
    sums = rows.groupby(rows["other_parents"].clip(upper=most))[["edges", "spurious"]].sum()
    return sums.assign(share=sums["spurious"] / sums["edges"]).reset_index()
