"""Networks compared on one data set: of several searches, equivalent ones, a tree that is searched, local optima."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.setting_kinds import some_of
from bnengine._core.validation import Ge, Le, RowCount, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, cpdag, edges_of
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.evaluation import mdl
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, BDeu, K2Score, TableScore
from bnengine.search import K2, ChowLiu, Exact, HillClimbing, LearnedGraph, Search, Tabu, TreeSearch, learn
from bnengine.search.edge_changes import single_changes, tolerance

#: Largest number of variables for which exact search provides a candidate.
MOST_FOR_EXACT = 9


@validated
def candidate_networks(data: Dataset, network: BayesianNetwork | None = None) -> dict[str, list[Edge]]:
    """Return the edges of candidate networks by BIC, by name.

    Parameters
    ----------
    data : Dataset
    network : BayesianNetwork, optional
        The true network; a candidate if it has the data's variables.

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
    searches: dict[str, Search] = {"exact": Exact()} if data.n_variables <= MOST_FOR_EXACT else {}
    searches |= {"hill climbing": HillClimbing(), "Chow–Liu tree": ChowLiu(), "K2, column order": K2()}
    found: dict[str, list[Edge]] = {name: learn(data, BIC(), search).edges for name, search in searches.items()}
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


# Score equivalence, shown on the chains, the fork and the collider of three variables.


@validated
def small_graphs(names: Sequence[str]) -> dict[str, list[Edge]]:
    """Return the connected graphs to compare over three variables, by label; the second variable is in the middle.

    Examples
    --------
    >>> list(small_graphs(["X", "Z", "Y"]))
    ['X → Z → Y', 'X ← Z ← Y', 'X ← Z → Y', 'X → Z ← Y']
    """
    if len(names) != 3 or len(set(names)) != 3:
        raise ValueError(f"names must be three different variables; got {', '.join(names) or 'none'}")
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
        Three variables; the second is the one in the middle.
    scores : sequence of score

    Returns
    -------
    DataFrame
        One line per graph: graph, equivalence_class (numbered from 1), v_structure, and two columns per score, nats:
        its value, and (``… behind``) by how much it is below the best of these graphs.

    Raises
    ------
    ValueError
        If the names are not three different variables of the data.

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
    classes: dict[bytes, int] = {}
    lines = []
    for graph, edges in graphs.items():
        adjacency = adjacency_of(part.names, edges)
        number = classes.setdefault(cpdag(adjacency).tobytes(), len(classes) + 1)
        collider = bool((adjacency.sum(axis=0) > 1).any())
        lines.append((graph, number, collider, *(score_of(part, edges, score) for score in scores)))
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


# The tree of networks that tree search explores: visited networks, predecessors and scores.


@dataclass(frozen=True, eq=False)
class SearchWalk(ReadOnlyArrays):
    """The visited part of the tree of networks, in order of visit.

    Attributes
    ----------
    graphs : tuple of ndarray of bool, shape (V, V)
        ``[parent, child]``; the first is the root.
    scores : ndarray, shape (visited,), read-only
        Nats, higher is better.
    came_from : ndarray of int, shape (visited,), read-only
        Position of the predecessor of each network; -1 for the root.
    best : int
        Position of the best network, the first if tied.
    """

    names: tuple[str, ...]
    graphs: tuple[Adjacency, ...] = field(repr=False)
    scores: FloatArray = field(repr=False)
    came_from: IntArray = field(repr=False)
    best: int

    @property
    def n_visited(self) -> int:
        """Number of visited networks."""
        return len(self.graphs)

    @property
    def depths(self) -> IntArray:
        """Number of edges of each network, shape (visited,)."""
        return np.array([int(graph.sum()) for graph in self.graphs], dtype=np.int64)

    @property
    def mdl_bits(self) -> FloatArray:
        """The description length in bits, shape (visited,)."""
        return np.asarray(-self.scores / np.log(2))

    @validated
    def edges(self, position: int) -> list[Edge]:
        """Return the edges of a visited network."""
        if not 0 <= position < len(self.graphs):
            raise ValueError(f"position must be from 0 to {len(self.graphs) - 1}; got {position}")
        return edges_of(self.names, self.graphs[position])


@validated
def walk_tree(data: Dataset, search: TreeSearch | None = None) -> SearchWalk:
    """Run tree search by BIC and record every network that it visits.

    Parameters
    ----------
    data : Dataset
    search : TreeSearch, default TreeSearch()

    Returns
    -------
    SearchWalk

    Raises
    ------
    ValueError
        If the search may need too much memory for these data.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(1000, rng=1).select(["Pollution", "Smoker", "Cancer", "Xray"])
    >>> everything = bn.TreeSearch(only_improving=False, beam=None)
    >>> bn.teaching.walk_tree(data, everything).n_visited == bn.teaching.n_dags(4)
    True
    >>> bn.teaching.walk_tree(data).n_visited < 20
    True
    """
    used = search or TreeSearch()
    space = Constraints().resolve(data.names, used.max_parents)
    visited, _ = used.visit(LocalScores(data, BIC()), space)
    graphs = tuple(graph for graph, _ in visited)
    scores = np.array([value for _, value in visited])
    last_at: dict[int, int] = {}  # depth first: the predecessor is the last visited network with one edge less
    came_from = []
    for position, graph in enumerate(graphs):
        n_edges = int(graph.sum())
        came_from.append(last_at.get(n_edges - 1, -1))
        last_at[n_edges] = position
    return SearchWalk(data.names, graphs, scores, np.array(came_from), int(np.argmax(scores)))


def check_columns(table: pd.DataFrame, names: Iterable[str], maker: str) -> None:
    """Raise a ValueError that names a column which the table lacks, or if it has no rows."""
    if not len(table):
        raise ValueError(f"table must have rows, as {maker} gives")
    for name in names:
        if name not in table.columns:
            raise ValueError(
                f"table must have a column '{name}', as {maker} gives; it has {some_of([str(name) for name in table])}"
            )


# Data on which greedy search ends in a local optimum, and what other searches find.


#: Greedy search and two searches that leave local optima.
LECTURE_SEARCHES: tuple[Search, ...] = (HillClimbing(), Tabu(), HillClimbing(restarts=20))


@validated
def parity_sample(n_rows: RowCount, noise: Annotated[float, Ge(0), Le(0.5)] = 0.1, rng: Seed = 0) -> Dataset:
    """Sample two fair coins and their parity, which is flipped with probability ``noise``.

    Neither coin is informative about the parity, both together nearly determine it: no single edge raises the score,
    so greedy search stops at the empty graph.

    Parameters
    ----------
    n_rows : int
    noise : float
        Probability that a parity is flipped, 0 to ½.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    Dataset
        Columns X1, X2 and parity.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.teaching.parity_sample(500, rng=1)
    >>> [len(bn.learn(data, search=search).edges) for search in (bn.HillClimbing(), bn.Tabu())]
    [0, 2]
    """
    generator = generator_of(rng)
    causes = generator.integers(0, 2, (n_rows, 2))
    parity = causes.sum(axis=1) % 2 ^ (generator.random(n_rows) < noise)
    return Dataset(("X1", "X2", "parity"), (("0", "1"),) * 3, np.column_stack([causes, parity]).astype(np.uint16))


@dataclass(frozen=True, eq=False)
class GreedyComparison:
    """What greedy search and other searches find on the same rows.

    Attributes
    ----------
    graphs : dict from str to LearnedGraph
        By the search's name. Greedy search is the first.
    behind : dict from str to float
        Nats by which each score is below the best of them.
    stuck : bool
        Whether greedy search is below the best by more than rounding.
    neighbours : int
        Number of legal single-edge changes of the greedy graph.
    level : int
        Number of those that leave the score unchanged up to rounding: a plateau.
    """

    graphs: dict[str, LearnedGraph]
    behind: dict[str, float]
    stuck: bool
    neighbours: int
    level: int


@validated
def compare_with_greedy(data: Dataset) -> GreedyComparison:
    """Run greedy search by BIC, and two searches that leave local optima, on the same rows.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    GreedyComparison

    Examples
    --------
    >>> import bnengine as bn
    >>> found = bn.teaching.compare_with_greedy(bn.teaching.parity_sample(500, rng=1))
    >>> found.stuck, list(found.behind)[0]
    (True, 'hill climbing')
    """
    graphs = {search.name: learn(data, BIC(), search) for search in LECTURE_SEARCHES}
    best = max(graph.score for graph in graphs.values())
    behind = {name: max(best - graph.score, 0.0) for name, graph in graphs.items()}
    greedy, margin = next(iter(graphs)), tolerance(data.n_rows)
    changes = single_changes(data, graphs[greedy].edges, BIC())
    level = sum(abs(change.gain) <= margin for change in changes)
    return GreedyComparison(graphs, behind, behind[greedy] > margin, len(changes), level)
