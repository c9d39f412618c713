"""``learn``: one graph from one data set, whatever the order of its columns; several searches compared."""

from __future__ import annotations

import dataclasses
import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bnengine._core.arrays import FloatArray, ReadOnlyArrays, UInt8Array
from bnengine._core.display import Displayed, counted, fixed
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, stoppable, to_the_end
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import accepts, validated
from bnengine.data.dataset import Dataset
from bnengine.data.interventions import Targets, numbered
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, Edge, Graph, cpdag, edge_frame, edges_of, shd
from bnengine.scores.local_score import LocalScores, default_score
from bnengine.scores.scores import TableScore
from bnengine.search._joint_sets import JointSets, joint_sets
from bnengine.search.column_order import Columns, by_name
from bnengine.search.drawn_cells import drawn_once
from bnengine.search.iterated_local_search import MANY_VARIABLES, IteratedLocalSearch, ReplicateSearch
from bnengine.search.many_columns import ManyColumnsWarning, size_remark, takes_long
from bnengine.search.result import Search


def is_random(search: Search, ties: str = "drawn") -> bool:
    """Return whether another seed may give another graph: a search that draws, or one in which drawn ties decide."""
    depends = getattr(search, "depends_on", "")
    return depends == "seed" or bool(getattr(search, "restarts", 0)) or (depends == "ties" and ties == "drawn")


#: By what the patience is divided in a replicate: it starts from the data's graph, with many variables from it alone.
_LESS_PATIENCE, _LESS_PATIENCE_OF_MANY = 2, 12


def search_for_replicates(search: Search, names: Sequence[str]) -> Search:
    """Return the search as replicates are learned by: with its ordering; iterated local search with less patience."""
    if isinstance(search, IteratedLocalSearch):
        share = _LESS_PATIENCE if len(names) <= MANY_VARIABLES else _LESS_PATIENCE_OF_MANY
        return dataclasses.replace(search, patience=max(search.patience // share, 1), prove=False)
    return with_ordering(search, names)


def search_from_graph(
    data: Dataset,
    score: TableScore,
    search: Search,
    space: SearchSpace,
    graph: Adjacency,
    stop: UInt8Array | None = None,
) -> Search:
    """Return ``search_for_replicates``; iterated local search starts from the data's graph, too, if it is in the space.

    What the data show of parents that gain only together is found once, for all replicates.
    """
    used = search_for_replicates(search, data.names)
    if not isinstance(used, IteratedLocalSearch):
        return used
    start = graph if space.holds(graph) else None
    return ReplicateSearch(used, data.names, start, joint_sets_of(drawn_once(data, 0, stop), score, space, stop))


def joint_sets_of(data: Dataset, score: TableScore, space: SearchSpace, stop: UInt8Array | None = None) -> JointSets:
    """Return the data's families whose parents gain only together, whatever the order of the columns."""
    order = by_name(data.names)
    scores = LocalScores(data, score, stop, order)
    return joint_sets(scores, Columns(data.names, space).shown(order)).shown(order.argsort())


def with_ordering(search: Search, names: Sequence[str]) -> Search:
    """Return the search, with the columns' ordering if it goes by one and has none."""
    if getattr(search, "ordering", names) is None:
        return dataclasses.replace(search, ordering=tuple(names))  # type: ignore[type-var]
    return search


@dataclass(frozen=True, eq=False)
class LearnedGraph(Graph, ReadOnlyArrays, Displayed):
    """A learned graph and how it was found.

    Attributes
    ----------
    adjacency : ndarray of bool, shape (V, V), read-only
        ``[parent, child]``.
    score : float
        Nats, higher is better.
    n_evaluations : int
        Families counted.
    status : str
        ``"converged"``, ``"optimal"`` (proved), ``"max_iterations"`` or ``"stopped"``.
    trace : ndarray of float
        The score after each step of the search.
    diagnostics : mapping from str to ndarray of float
        What else is known of each step, such as annealing's temperature.
    seed : int or None
        The seed that repeats this; None if a generator was passed.
    bound : float or None
        What no graph of the space that was searched exceeds, nats: the score itself where it is proved to be the
        highest; see ``certify``. None where nothing was proved.
    targets : tuple of tuple of str
        The variables that each experiment set; the empty tuple is observation.
    search : str
        The name of the search that ran: the exact one where iterated local search leaves it to that.
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    score: float
    n_evaluations: int
    status: str
    trace: FloatArray = field(repr=False)
    diagnostics: Mapping[str, FloatArray] = field(repr=False, default_factory=dict)
    seed: int | None = None
    bound: float | None = None
    targets: Targets = ((),)
    search: str = ""

    @property
    def cpdag(self) -> Adjacency:
        """The equivalence class, under the experiments if the data have any; see ``bnengine.cpdag``."""
        return cpdag(self.adjacency, numbered(self.targets, self.names))

    @property
    def decided(self) -> list[Edge]:
        """The edges whose direction experiments decide: they could be reversed if nothing had been set."""
        open_edges, here = cpdag(self.adjacency), self.cpdag
        return edges_of(self.names, self.adjacency & open_edges.T & ~here.T)

    def to_frame(self) -> pd.DataFrame:
        """One row per edge: parent and child, in column order."""
        return edge_frame(self.names, self.adjacency)

    def _shown(self) -> tuple[str, pd.DataFrame]:
        size = f"{counted(len(self.edges), 'edge')} over {counted(len(self.names), 'variable')}"
        return f"{size}; score {fixed(self.score, 2)} nats. {self._how_far()}", self.to_frame()

    def _how_far(self) -> str:
        """How far the space was explored, and what is known of better graphs."""
        explored = f"{self.n_evaluations:,} families scored"
        if self.status == "optimal":
            return f"Proved to be the highest; {explored}."
        ends = {
            "converged": "The search converged",
            "max_iterations": "The search reached its limit of steps before it converged",
            "stopped": "The search was stopped",
        }[self.status]
        if self.bound is None:
            return f"{ends}; {explored}. That no graph has a higher score is not proved; bn.answers.certify bounds it."
        return f"{ends}; {explored}. No graph has a score above {fixed(self.bound, 2)} nats."


@validated
@accepts(interventions=True, missing=True, numbers=True)
def learn(
    data: Dataset,
    score: TableScore | None = None,
    search: Search | None = None,
    *,
    constraints: Constraints | None = None,
    rng: Seed = 0,
    ties: str = "drawn",
    stop: UInt8Array | None = None,
) -> LearnedGraph:
    """Learn one graph from the data.

    Where missing cells are to be drawn, it is learned from one draw, and its score is that on these rows; another seed
    gives another draw.

    Parameters
    ----------
    data : Dataset
    score : score, default BIC(), of numbers GaussianBIC()
    search : search, default IteratedLocalSearch()
    constraints : Constraints, optional
    rng : int, Generator or None, default 0; None draws anew at each call
        For searches that draw at random, and for the order in which ties are broken.
    ties : {"drawn", "columns"}
        Moves that gain alike are taken in an order of the columns drawn from their names and the seed, so that the
        result does not depend on their order in the table; ``"columns"`` goes by that order, as many other
        programs do.
    stop : ndarray of uint8, shape (1,), optional
        Another thread may set it to 1: the search then ends within some milliseconds with the best graph so far, and
        the status is ``"stopped"``.

    Returns
    -------
    LearnedGraph

    Raises
    ------
    ValueError
        If the constraints name unknown variables or contradict each other, or the search refuses the data.
    DataError
        If cells are missing, and the score cannot be computed where they are.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(5000, rng=1)
    >>> bn.learn(data, bn.BDeu(1), bn.K2(["Pollution", "Smoker", "Cancer", "Xray", "Dyspnoea"])).edges
    [('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea')]
    """
    search = search or IteratedLocalSearch()
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    return learned_graph(data, score or default_score(data), search, space, rng, ties, stop)


def learned_graph(
    data: Dataset,
    score: TableScore,
    search: Search,
    space: SearchSpace,
    rng: Seed,
    ties: str,
    stop: UInt8Array | None = None,
) -> LearnedGraph:
    """Return the graph that ``learn`` learns, from arguments that were checked, in a space over the data's columns."""
    if takes_long(data):
        where = 5  # behind ``learn`` and the functions that check its arguments
        warnings.warn(size_remark(data), ManyColumnsWarning, stacklevel=where)
    columns, generator = Columns(data.names, space, ties), generator_of(rng)
    data = drawn_once(data, generator, stop)
    order = columns.order(generator)
    scores = LocalScores(data, score, stop, order)
    found = columns.find(with_ordering(search, data.names), scores, order, generator)
    fields = found._replace(search=found.search or search.name)._asdict()
    fields["diagnostics"] = dict(found.diagnostics)  # of a type that can be pickled
    fields["bound"] = found.score if found.status == "optimal" else None
    return LearnedGraph(data.names, **fields, seed=seed_of(rng), targets=data.targets)


@to_the_end
@validated
@accepts(interventions=True, missing=True, numbers=True)
def compare_searches(
    data: Dataset,
    score: TableScore,
    searches: Sequence[Search],
    *,
    constraints: Constraints | None = None,
    rng: Seed = 0,
    progress: Callable[[int, int], bool | None] | None = None,
    ties: str = "drawn",
) -> pd.DataFrame:
    """Run each search once and compare what they find.

    Parameters
    ----------
    data : Dataset
    score : score
    searches : sequence of search
    constraints : Constraints, optional
    rng, ties
        As of ``learn``, for each of them.
    progress : callable, optional
        Called with (searches done, all searches); returning False stops, and the searches that ended are compared.

    Returns
    -------
    DataFrame
        One line a search: search, score (nats), below_best (nats), edges, class_distance (structural Hamming distance
        between its equivalence class and the best one's), families (counted), seconds, status. A search that refuses
        these data has the reason as its status and no numbers.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> table = bn.teaching.compare_searches(data, bn.BIC(), [bn.HillClimbing(), bn.Exact()])
    >>> table["below_best"].tolist()[1], table["status"].tolist()
    (0.0, ['converged', 'optimal'])
    """

    def learned_by(search: Search) -> Callable[[Flag], LearnedGraph]:
        return lambda stop: learn(data, score, search, constraints=constraints, rng=rng, ties=ties, stop=stop)

    runs: list[tuple[Search, LearnedGraph | str, float]] = []  # a refusal instead of a graph
    for done, search in enumerate(searches):
        if progress is not None and progress(done, len(searches)) is False:
            break
        start = time.perf_counter()
        try:
            graph = stoppable(learned_by(search), progress, len(searches), done)
        except ValueError as error:
            runs.append((search, str(error), math.nan))
            continue
        if graph.status == "stopped":
            break
        runs.append((search, graph, time.perf_counter() - start))
    learned = [graph for _, graph, _ in runs if not isinstance(graph, str)]
    best = max(learned, key=lambda graph: graph.score, default=None)
    lines: list[tuple[object, ...]] = []
    for search, found, seconds in runs:
        if isinstance(found, str) or best is None:
            lines.append((search.name, *[None] * 6, found))
            continue
        below, distance = best.score - found.score, shd(found.cpdag, best.cpdag)
        counts = len(found.edges), distance, found.n_evaluations
        lines.append((search.name, found.score, below, *counts, seconds, found.status))
    columns = ["search", "score", "below_best", "edges", "class_distance", "families", "seconds", "status"]
    return pd.DataFrame(lines, columns=columns)
