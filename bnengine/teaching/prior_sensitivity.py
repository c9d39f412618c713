"""Sensitivity of the learned graph to the equivalent sample size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.parallel import Progress
from bnengine._core.validation import Ess, WholeSeed, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.scores.evaluation import n_parameters
from bnengine.scores.scores import BDeu
from bnengine.search import HillClimbing, Search, learn
from bnengine.teaching.graph_series import GraphSeries, learn_each

if TYPE_CHECKING:
    import pandas as pd

#: Equivalent sample sizes from 0.1 to 100, four per decade.
ESS_GRID = tuple(float(f"{ess:.2g}") for ess in np.geomspace(0.1, 100, 13))


@validated
def graphs_by_ess(
    data: Dataset,
    ess: Sequence[Ess] = ESS_GRID,
    search: Search | None = None,
    constraints: Constraints | None = None,
    rng: WholeSeed = 0,
    progress: Progress | None = None,
) -> GraphSeries:
    """Learn a graph under BDeu with each equivalent sample size, several at a time.

    Parameters
    ----------
    data, ess, search, constraints, rng
        See ``edges_by_ess``.
    progress : callable, optional
        Called with (graphs learned, all graphs); returning False stops and keeps what is done.

    Examples
    --------
    >>> import bnengine as bn
    >>> found = bn.teaching.graphs_by_ess(bn.load_network("asia").sample(300, rng=1), [0.1, 100])
    >>> [len(graph.edges) for graph in found.graphs.values()] == found.table["edges"].tolist()
    True
    """
    import pandas as pd

    climbing = search or HillClimbing()
    possible = data.n_variables * (data.n_variables - 1) // 2
    data.multiplicities.sum()  # rows are compared once, not by each thread
    found, status = learn_each(
        lambda value, stop: learn(data, BDeu(value), climbing, constraints, rng, stop=stop), ess, progress
    )
    lines = [
        (value, len(graph.edges), possible, n_parameters(data, graph.edges), graph.score) for value, graph in found
    ]
    table = pd.DataFrame(lines, columns=["ess", "edges", "possible", "parameters", "log_evidence"])
    return GraphSeries(dict(found), table, status)


@validated
def edges_by_ess(
    data: Dataset,
    ess: Sequence[Ess] = ESS_GRID,
    search: Search | None = None,
    constraints: Constraints | None = None,
    rng: WholeSeed = 0,
) -> pd.DataFrame:
    """Learn a graph under BDeu with each equivalent sample size (Silander, Kontkanen & Myllymäki 2007).

    Parameters
    ----------
    data : Dataset
    ess : sequence of float
        Positive.
    search : search, default HillClimbing()
    constraints : Constraints, optional
    rng : int

    Returns
    -------
    DataFrame
        One line per ess: ess, edges, possible (edges of a complete graph), parameters, log_evidence (nats).

    Examples
    --------
    >>> import bnengine as bn
    >>> found = bn.teaching.edges_by_ess(bn.load_network("asia").sample(300, rng=1), [0.1, 100])
    >>> bool(found["edges"][0] < found["edges"][1])
    True
    """
    return graphs_by_ess(data, ess, search, constraints, rng).table
