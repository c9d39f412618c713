"""Networks compared on one data set: those of several searches, equivalent graphs, the tree that a search visits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, adjacency_of, markov_equivalent
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.evaluation import mdl
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import BIC, BDeu, K2Score, TableScore
from bnengine.search import K2, ChowLiu, Exact, HillClimbing, Search, learn
from bnengine.teaching.checked_input import check_columns

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

    Parameters
    ----------
    data : Dataset
    networks : mapping from str to edges
        The networks by name, each as its (parent, child) pairs.

    Returns
    -------
    DataFrame
        network, edges, parameters, size_bits (|theta| / 2 log2 N), misfit_bits (-log2 likelihood), mdl_bits (their sum;
        lower is better), above_best_bits, log2_likelihood and likelihood (underflows to 0 beyond 1,074 bits of misfit).

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges of a network form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1)
    >>> lengths = bn.teaching.description_lengths(data, {"empty": [], "one edge": [("Smoker", "Cancer")]})
    >>> lengths["network"].tolist(), lengths["above_best_bits"][0]
    (['one edge', 'empty'], np.float64(0.0))
    """
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


# Score equivalence, shown on the graphs of two variables and on the chains, fork and collider of three.


def small_graphs(names: Sequence[str]) -> dict[str, list[Edge]]:
    """Return the connected graphs to compare over two or three variables, by label; the second of three is the middle.

    Examples
    --------
    >>> list(small_graphs(["X", "Z", "Y"]))
    ['X → Z → Y', 'X ← Z ← Y', 'X ← Z → Y', 'X → Z ← Y']
    """
    if len(set(names)) != len(names) or len(names) not in (2, 3):
        raise ValueError(f"names must be two or three different variables; got {', '.join(names) or 'none'}")
    if len(names) == 2:
        x, y = names
        return {f"{x} → {y}": [(x, y)], f"{x} ← {y}": [(y, x)]}
    x, z, y = names
    return {
        f"{x} → {z} → {y}": [(x, z), (z, y)],
        f"{x} ← {z} ← {y}": [(z, x), (y, z)],
        f"{x} ← {z} → {y}": [(z, x), (z, y)],
        f"{x} → {z} ← {y}": [(x, z), (y, z)],
    }


@validated
def equivalence_table(
    data: Dataset, names: Sequence[str], scores: Sequence[TableScore] = (BIC(), BDeu(1.0), K2Score())
) -> pd.DataFrame:
    """Tabulate the scores of ``small_graphs`` (Chickering 1995; Heckerman, Geiger & Chickering 1995).

    Parameters
    ----------
    data : Dataset
    names : sequence of str
        Two or three variables; of three, the second is the one in the middle.
    scores : sequence of score

    Returns
    -------
    DataFrame
        One line per graph: graph, equivalence_class (numbered from 1), v_structure, and two columns per score, nats:
        its value, and (``… behind``) by how much it is below the best of these graphs.

    Raises
    ------
    ValueError
        If the names are not two or three different variables of the data.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> table = bn.teaching.equivalence_table(data, ["Pollution", "Cancer", "Smoker"])
    >>> table["equivalence_class"].tolist()
    [1, 1, 1, 2]
    """
    graphs = small_graphs(names)
    part = data.select(names)
    classes: list[object] = []
    lines = []
    for graph, edges in graphs.items():
        adjacency = adjacency_of(part.names, edges)
        number = next((k for k, other in enumerate(classes) if markov_equivalent(adjacency, other)), len(classes))  # type: ignore[arg-type]
        if number == len(classes):
            classes.append(adjacency)
        collider = bool((adjacency.sum(axis=0) > 1).any())
        lines.append((graph, number + 1, collider, *(score_of(part, edges, score) for score in scores)))
    columns = ["graph", "equivalence_class", "v_structure", *(score.name for score in scores)]
    table = pd.DataFrame(lines, columns=columns)
    for score in scores:
        table[f"{score.name} behind"] = table[score.name].max() - table[score.name]
    return table


@validated
def spread_within_classes(table: pd.DataFrame, scores: Sequence[str]) -> dict[str, float]:
    """Return the largest difference of each score within an equivalence class of an ``equivalence_table``, nats.

    Parameters
    ----------
    table : DataFrame
        As ``equivalence_table`` returns it.
    scores : sequence of str
        Names of scores, which are columns of the table.

    Returns
    -------
    dict from str to float
        Nats, by score; 0 up to rounding for a score that is equal for equivalent graphs.

    Raises
    ------
    ValueError
        If the table has no such column, or no rows.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> table = bn.teaching.equivalence_table(data, ["Pollution", "Cancer", "Smoker"])
    >>> spread = bn.teaching.spread_within_classes(table, ["BIC", "K2"])
    >>> spread["BIC"] < 1e-9 < spread["K2"]
    True
    """
    check_columns(table, ("equivalence_class", *scores), "equivalence_table")
    classes = table.groupby("equivalence_class")
    return {score: float((classes[score].max() - classes[score].min()).max()) for score in scores}
