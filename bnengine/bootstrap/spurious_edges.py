"""Where spurious edges point: how many other parents their child has (Steck & Jaakkola 2003, Sec. 3.2).

A family's spurious gain grows with its number of parameters, and so does what a score charges for them. Which of the
two wins depends on the score and the data; the numbers tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnengine.bootstrap.study import Study
from bnengine.graphs.dag import Adjacency, skeleton

if TYPE_CHECKING:
    import pandas as pd


def in_degrees(study: Study) -> pd.DataFrame:
    """Number of parents of each variable: in the data's own graph, and on average by each method.

    Returns
    -------
    DataFrame
        One line a variable, in column order: variable, data, then one column a method.
    """
    import pandas as pd

    columns = {key: study.confidence(key).sum(axis=0) for key in study.keys}
    return pd.DataFrame({"variable": list(study.reference.names), **columns})


def spurious_edges(study: Study, truth: Adjacency | None = None) -> pd.DataFrame:
    """Spurious edges of each method's graphs by the number of other parents that their child has.

    An edge is spurious if the reference does not join its ends in either direction.

    Parameters
    ----------
    study : Study
    truth : adjacency matrix, optional
        The reference; None takes the data's own graph.

    Returns
    -------
    DataFrame
        One line a method and number of other parents: method (key), other_parents, edges and spurious (mean number a
        graph), share (spurious / edges, NaN where there are none).
    """
    import pandas as pd

    joined = skeleton(study.reference.adjacency if truth is None else truth)
    lines = []
    for key, ensemble in study.ensembles.items():
        graphs, weights = ensemble.adjacencies, ensemble.multiplicities / ensemble.multiplicities.sum()
        others = graphs.sum(axis=1)[:, None, :] - 1  # of the child of each edge
        for n in range(int(others.max(initial=-1)) + 1):
            of_n = graphs & (others == n)
            edges = float(weights @ of_n.sum(axis=(1, 2)))
            spurious = float(weights @ (of_n & ~joined).sum(axis=(1, 2)))
            lines.append((key, n, edges, spurious, spurious / edges if edges else np.nan))
    return pd.DataFrame(lines, columns=["method", "other_parents", "edges", "spurious", "share"])


def pooled_above(table: pd.DataFrame, key: str, most: int = 2) -> pd.DataFrame:
    """One method's lines of ``spurious_edges`` with all numbers of other parents from ``most`` on taken together.

    Returns
    -------
    DataFrame
        other_parents (``most`` stands for so many or more), edges, spurious, share; without lines that have no edge.
    """
    lines = table[(table["method"] == key) & (table["edges"] > 0)]
    sums = lines.groupby(lines["other_parents"].clip(upper=most))[["edges", "spurious"]].sum()
    return sums.assign(share=sums["spurious"] / sums["edges"]).reset_index()
