"""Networks compared on one data set: those of several searches, equivalent graphs, the tree that a search visits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.validation import ParentLimit, VariableCount, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, edges_of, markov_equivalent
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.evaluation import mdl
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, BDeu, K2Score, TableScore
from bnengine.search import K2, ChowLiu, Exact, HillClimbing, Search, TreeSearch, learn
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
    added : tuple of (parent, child) or None
        The edge added to the predecessor; None for the root.
    best : int
        Position of the best network, the first if tied.
    complete : bool
        Whether the search finished before its limit on the number of networks.
    """

    names: tuple[str, ...]
    graphs: tuple[Adjacency, ...] = field(repr=False)
    scores: FloatArray = field(repr=False)
    came_from: IntArray = field(repr=False)
    added: tuple[Edge | None, ...] = field(repr=False)
    best: int
    complete: bool

    @property
    def n_visited(self) -> int:
        """Number of visited networks."""
        return len(self.graphs)

    @property
    def depths(self) -> IntArray:
        """Number of edges that each network has in addition to the root's, shape (visited,)."""
        depths: IntArray = np.array([int(graph.sum()) for graph in self.graphs], dtype=np.int64)
        depths -= depths[0]
        return depths

    @property
    def mdl_bits(self) -> FloatArray:
        """Minus the score in bits (the description length if the score is BIC), shape (visited,)."""
        return np.asarray(-self.scores / np.log(2))

    @validated
    def edges(self, position: int) -> list[Edge]:
        """Return the edges of a visited network."""
        if not 0 <= position < len(self.graphs):
            raise ValueError(f"position must be from 0 to {len(self.graphs) - 1}; got {position}")
        return edges_of(self.names, self.graphs[position])

    def table(self) -> pd.DataFrame:
        """Return one line per visited network: visit, came_from, edge_added, edges, score (nats), mdl_bits."""
        return pd.DataFrame(
            {
                "visit": np.arange(1, self.n_visited + 1),
                "came_from": self.came_from + 1,
                "edge_added": [f"{edge[0]} → {edge[1]}" if edge else "" for edge in self.added],
                "edges": [", ".join(f"{i} → {j}" for i, j in self.edges(k)) for k in range(self.n_visited)],
                "score": self.scores,
                "mdl_bits": self.mdl_bits,
            }
        )


@validated
def walk_tree(
    data: Dataset,
    search: TreeSearch | None = None,
    score: TableScore | None = None,
    constraints: Constraints | None = None,
) -> SearchWalk:
    """Run tree search and record every network that it visits.

    Parameters
    ----------
    data : Dataset
    search : TreeSearch, default TreeSearch()
    score : score, default BIC()
    constraints : Constraints, optional

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
    space = (constraints or Constraints()).resolve(data.names, used.max_parents)
    visited, complete = used.visit(LocalScores(data, score or BIC()), space)
    graphs = tuple(graph for graph, _ in visited)
    scores = np.array([value for _, value in visited])
    last_at: dict[int, int] = {}  # depth first: the predecessor is the last visited network with one edge less
    came_from, edges = [], []
    for position, graph in enumerate(graphs):
        n_edges = int(graph.sum())
        parent = last_at.get(n_edges - 1, -1)
        last_at[n_edges] = position
        came_from.append(parent)
        new = edges_of(data.names, graph & ~graphs[parent]) if parent >= 0 else []
        edges.append(new[0] if new else None)
    best = int(np.argmax(scores))
    return SearchWalk(data.names, graphs, scores, np.array(came_from), tuple(edges), best, complete)


@validated
def visits_by_rule(data: Dataset, search: TreeSearch | None = None, score: TableScore | None = None) -> dict[str, int]:
    """Count the networks visited without rules, with each rule of a search alone, and with all of them.

    Without a limit on the number of networks, hence for at most five variables.

    Parameters
    ----------
    data : Dataset
        At most five variables.
    search : TreeSearch, default TreeSearch()
        Its rules are tried one by one, and together.
    score : score, default BIC()

    Returns
    -------
    dict from str to int
        Number of networks visited, by rule.

    Raises
    ------
    ValueError
        If the data have more than five variables.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1).select(["Smoker", "Cancer", "Xray"])
    >>> visits = bn.teaching.visits_by_rule(data)
    >>> visits["no rule"], visits["all as set"] < 10
    (25, True)
    """
    if data.n_variables > 5:
        raise ValueError(
            f"data must have up to 5 variables to explore the whole tree; got {data.n_variables}: select fewer"
        )
    used = search or TreeSearch()
    rules = {
        "no rule": TreeSearch(False, 1.0, None, max_networks=10**6),
        "only improving": TreeSearch(True, 1.0, None, max_networks=10**6),
        "most dependent pairs": TreeSearch(False, used.dependent_share, None, max_networks=10**6),
        "best branches": TreeSearch(False, 1.0, used.beam, max_networks=10**6),
        "all as set": used,
    }
    return {name: walk_tree(data, rule, score).n_visited for name, rule in rules.items()}


# How many steps the exact solution of a structure-learning problem takes, from the easiest set of graphs to all.

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class ExactProblem(NamedTuple):
    """A set of graphs, how its best member is found exactly, how the number of steps grows, and that number."""

    among: str
    method: str
    growth: str
    steps: int
    polynomial: bool


@validated
def exact_problems(n_variables: VariableCount, max_parents: ParentLimit = 3) -> list[ExactProblem]:
    """List what it takes to find the best graph exactly, from the easiest set of graphs to all.

    A step scores one family or looks one up. Finding the best of all graphs is NP-hard as soon as a variable may have
    two parents (Chickering 1996), and with three even in the limit of unlimited data (Chickering, Heckerman & Meek
    2004).

    Parameters
    ----------
    n_variables : int
    max_parents : int
        Limit in the problem with a given ordering.

    Returns
    -------
    list of ExactProblem

    Raises
    ------
    ValueError
        If ``n_variables`` is below 1 or ``max_parents`` below 0.

    Examples
    --------
    >>> [(problem.steps, problem.polynomial) for problem in exact_problems(4, 2)]
    [(6, True), (14, True), (32, False)]
    """
    ordered = sum(math.comb(place, k) for place in range(n_variables) for k in range(max_parents + 1))
    pairs, growth = n_variables * (n_variables - 1) // 2, "n" + str(max_parents + 1).translate(_RAISED)
    of_ordering = f"graphs of a given ordering, at most {max_parents} parents"
    sets = n_variables * 2 ** (n_variables - 1)
    return [
        ExactProblem("trees: one parent per variable", "Chow & Liu 1968", "n²", pairs, True),
        ExactProblem(of_ordering, "each parent set tried", growth, ordered, True),
        ExactProblem("all graphs", "dynamic programming over sets of variables", "n 2ⁿ", sets, False),
    ]
