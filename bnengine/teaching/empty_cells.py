"""The bootstrap bias in sparse tables, where half of |theta| overestimates it: a cell without rows stays empty.

The mean log-likelihood of a graph on resamples exceeds that on the data by sum_jk b(n_jk) - sum_j b(n_j), where
b(n) = E nu ln nu - n ln n with nu ~ Binomial(N, n / N). Unless n is very small, b(n) is about (1 - n / N) / 2, so each
free parameter adds half a nat (Steck & Jaakkola 2003, Eq. 7); but b(0) = 0, while |theta| counts the cells and parent
configurations without rows like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.random_generators import Seed
from bnengine._core.validation import RowCount, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, adjacency_of
from bnengine.networks.network import BayesianNetwork, configuration_numbers
from bnengine.scores._count_terms import ENTROPY, expected_bias
from bnengine.scores.correction import ExactCorrection
from bnengine.scores.decomposition import decompose
from bnengine.scores.scores import LogLikelihood

if TYPE_CHECKING:
    import pandas as pd


@validated
def bias_by_count(n_rows: RowCount, largest: RowCount | None = None) -> pd.DataFrame:
    """Tabulate b(n), the mean increase of n ln n under resampling in nats, for n = 0 … ``largest``: n and bias.

    Examples
    --------
    >>> bias_by_count(200, 3)["bias"].round(3).tolist()
    [0.0, 0.571, 0.565, 0.54]
    """
    import pandas as pd

    counts = range(min(n_rows, n_rows if largest is None else largest) + 1)
    return pd.DataFrame({"n": counts, "bias": [expected_bias(ENTROPY, 1.0, 1.0, n, n_rows) for n in counts]})


@validated
def bias_by_family(data: Dataset, edges: Iterable[Edge]) -> pd.DataFrame:
    """Tabulate the bootstrap bias of each family's log-likelihood: its leading term and its exact value.

    Returns
    -------
    DataFrame
        One line per family: variable, parents, parameters; cells (all declared ones) and empty_cells; in nats
        ``leading`` (half of the parameters), ``observed`` (half of the observed cells minus half of the observed parent
        configurations) and ``exact``.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(200, rng=1)
    >>> table = bn.teaching.bias_by_family(data, bn.load_network("asia").edges)
    >>> float(table["leading"].sum()), bool(table["exact"].sum() < 8)
    (9.0, True)
    """
    edges = list(edges)
    adjacency, arities = adjacency_of(data.names, edges), data.arities.tolist()
    families = decompose(data, edges, ExactCorrection(LogLikelihood())).families
    table = families[["variable", "parents", "parameters"]].copy()
    cells, empty, observed = [], [], []
    for v in range(data.n_variables):
        parents = np.flatnonzero(adjacency[:, v]).tolist()
        observed_of = [
            np.unique(configuration_numbers(data.codes, of, arities)).size for of in ((*parents, v), parents)
        ]
        cells.append(int(np.prod([arities[u] for u in (*parents, v)], dtype=object)))
        empty.append(cells[-1] - observed_of[0])
        observed.append((observed_of[0] - observed_of[1]) / 2)
    return table.assign(
        cells=cells, empty_cells=empty, leading=table["parameters"] / 2, observed=observed, exact=families["penalty"]
    )


@validated
def bias_by_rows(network: BayesianNetwork, sizes: Sequence[RowCount], rng: Seed = 0) -> pd.DataFrame:
    """Sum ``bias_by_family`` over the families of a network, for one growing sample of it.

    Returns
    -------
    DataFrame
        One line per size: n_rows, parameters, cells, empty_cells, leading, observed, exact.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.teaching.bias_by_rows(bn.load_network("asia"), [50, 5000])["empty_cells"].is_monotonic_decreasing
    True
    """
    import pandas as pd

    if not sizes or min(sizes) < 1:
        raise ValueError(f"sizes must hold at least one number of rows, each 1 or more; got {list(sizes)}")
    rows = network.sample(max(sizes), rng)
    columns = ["parameters", "cells", "empty_cells", "leading", "observed", "exact"]
    lines = [bias_by_family(rows.take(range(size)), network.edges)[columns].sum() for size in sizes]
    frame = pd.DataFrame(lines).reset_index(drop=True)
    frame = frame.astype(dict.fromkeys(["parameters", "cells", "empty_cells"], np.int64))
    frame.insert(0, "n_rows", list(sizes))
    return frame
