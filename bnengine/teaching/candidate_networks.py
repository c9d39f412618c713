"""Networks to compare on one data set: those that several searches find, the true one if known, the empty one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.evaluation import mdl
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import K2, ChowLiu, Exact, HillClimbing, Search, learn

if TYPE_CHECKING:
    import pandas as pd

#: Largest number of variables for which exact search provides a candidate.
MOST_FOR_EXACT = 9


@validated
def candidate_networks(
    data: Dataset, network: BayesianNetwork | None = None, score: TableScore | None = None
) -> dict[str, list[Edge]]:
    """Return the edges of candidate networks, by name.

    Parameters
    ----------
    data : Dataset
    network : BayesianNetwork, optional
        The true network; a candidate if it has the data's variables.
    score : score, default BIC()
        The score that the searches maximize.

    Returns
    -------
    dict from str to list of (parent, child)
        Exact search (up to 9 variables), hill climbing, Chow–Liu tree, K2 in column order, true network, empty network.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> list(bn.teaching.candidate_networks(network.sample(500, rng=1), network))
    ['exact', 'hill climbing', 'Chow–Liu tree', 'K2, column order', 'true network', 'empty']
    """
    used = score or BIC()
    searches: dict[str, Search] = {"exact": Exact()} if data.n_variables <= MOST_FOR_EXACT else {}
    searches |= {"hill climbing": HillClimbing(), "Chow–Liu tree": ChowLiu(), "K2, column order": K2()}
    found: dict[str, list[Edge]] = {name: learn(data, used, search).edges for name, search in searches.items()}
    if network is not None and set(network.names) == set(data.names):
        found["true network"] = list(network.edges)
    found["empty"] = []
    return found


@validated
def description_lengths(data: Dataset, networks: Mapping[str, Iterable[Edge]]) -> pd.DataFrame:
    """Return the description length of each network, shortest first.

    Returns
    -------
    DataFrame
        network, edges, parameters, size_bits (|theta| / 2 log2 N), misfit_bits (-log2 likelihood), mdl_bits (their sum;
        lower is better), above_best_bits, log2_likelihood and likelihood (underflows to 0 beyond 1,074 bits of misfit).
    """
    import pandas as pd

    lines = []
    for name, edges in networks.items():
        listed = list(edges)
        length = mdl(data, listed)
        misfit = 0.0 - length.log2_likelihood  # avoids -0.0
        lines.append((name, len(listed), length.parameters, length.size_bits, misfit, length.mdl))
    columns = ["network", "edges", "parameters", "size_bits", "misfit_bits", "mdl_bits"]
    frame = pd.DataFrame(lines, columns=columns).sort_values("mdl_bits", kind="stable", ignore_index=True)
    frame["above_best_bits"] = frame["mdl_bits"] - frame["mdl_bits"].min()
    frame["log2_likelihood"] = 0.0 - frame["misfit_bits"]
    frame["likelihood"] = np.exp2(-frame["misfit_bits"].to_numpy(dtype=np.float64))
    return frame
