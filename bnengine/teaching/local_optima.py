"""Data on which greedy search ends in a local optimum, what other searches find, and ties in bootstrap samples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ge, Le, NotNegative, Repeats, RowCount, WholeSeed, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import edges_of
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.evaluation import n_parameters
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import HillClimbing, LearnedGraph, Search, Tabu, learn
from bnengine.search.edge_changes import single_changes, tolerance

#: Greedy search and two searches that leave local optima.
LECTURE_SEARCHES: tuple[Search, ...] = (HillClimbing(), Tabu(), HillClimbing(restarts=20))


@validated
def parity_sample(
    n_rows: RowCount,
    noise: Annotated[float, Ge(0), Le(0.5)] = 0.1,
    n_causes: Annotated[int, Ge(2), Le(1_000)] = 2,
    rng: Seed = 0,
) -> Dataset:
    """Sample fair coins and their parity, which is flipped with probability ``noise``.

    No single cause is informative about the parity, all of them together nearly determine it: no single edge raises
    the score, so greedy search stops at the empty graph.

    Parameters
    ----------
    n_rows : int
    noise : float
        Probability that a parity is flipped, 0 to ½.
    n_causes : int
        Number of coins.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    Dataset
        Columns X1, X2, … and parity.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.teaching.parity_sample(500, rng=1)
    >>> [len(bn.learn(data, search=search).edges) for search in (bn.HillClimbing(), bn.Tabu())]
    [0, 2]
    """
    generator = generator_of(rng)
    causes = generator.integers(0, 2, (n_rows, n_causes))
    parity = causes.sum(axis=1) % 2 ^ (generator.random(n_rows) < noise)
    names = (*(f"X{k + 1}" for k in range(n_causes)), "parity")
    return Dataset(names, (("0", "1"),) * len(names), np.column_stack([causes, parity]).astype(np.uint16))


@dataclass(frozen=True, eq=False)
class GreedyComparison:
    """What greedy search and other searches find on the same rows.

    Attributes
    ----------
    graphs : dict from str to LearnedGraph
        By the search's name, numbered where it repeats: "tabu search", "tabu search (2)". Greedy search is the first.
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
def compare_with_greedy(
    data: Dataset, score: TableScore | None = None, searches: Sequence[Search] = LECTURE_SEARCHES, rng: Seed = 0
) -> GreedyComparison:
    """Run greedy search and other searches on the same rows; the first of ``searches`` is the greedy one.

    Parameters
    ----------
    data : Dataset
    score : score, default BIC()
    searches : sequence of search
        The greedy search first.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    GreedyComparison

    Raises
    ------
    ValueError
        If there is no search.

    Examples
    --------
    >>> import bnengine as bn
    >>> found = bn.teaching.compare_with_greedy(bn.teaching.parity_sample(500, rng=1))
    >>> found.stuck, list(found.behind)[0]
    (True, 'hill climbing')
    """
    if not searches:
        raise ValueError("searches must hold at least one search to run")
    used = score or BIC()
    graphs: dict[str, LearnedGraph] = {}
    for search in searches:
        graphs[_unused(search.name, graphs)] = learn(data, used, search, rng=rng)
    best = max(graph.score for graph in graphs.values())
    behind = {name: max(best - graph.score, 0.0) for name, graph in graphs.items()}
    greedy, margin = next(iter(graphs)), tolerance(data.n_rows)
    changes = single_changes(data, graphs[greedy].edges, used)
    level = sum(abs(change.gain) <= margin for change in changes)
    return GreedyComparison(graphs, behind, behind[greedy] > margin, len(changes), level)


@validated
def find_trap(
    network: BayesianNetwork,
    n_rows: RowCount,
    score: TableScore | None = None,
    searches: Sequence[Search] = LECTURE_SEARCHES,
    first: WholeSeed = 0,
    tries: Repeats = 50,
    least: NotNegative = 0.1,
) -> int | None:
    """Find the first seed whose rows trap greedy search while each other search scores ``least`` nats more, or better.

    Parameters
    ----------
    network : BayesianNetwork
    n_rows : int
        Rows of each sample.
    score : score, default BIC()
    searches : sequence of search
        The greedy search first, and at least one other.
    first : int
        The first seed to try.
    tries : int
        How many seeds to try.
    least : float
        Nats by which each other search must be ahead.

    Returns
    -------
    int or None
        A seed for ``network.sample``; None if there is none among the ``tries`` seeds from ``first`` on.

    Raises
    ------
    ValueError
        If there are fewer than two searches.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.teaching.find_trap(bn.load_network("cancer"), 50, tries=3) is None
    True
    """
    if len(searches) < 2:
        raise ValueError(f"searches must hold a greedy search and at least one other; got {len(searches)}")
    for seed in range(first, first + tries):
        found = compare_with_greedy(network.sample(n_rows, seed), score, searches)
        scores = [graph.score for graph in found.graphs.values()]
        if min(scores[1:]) >= scores[0] + least:
            return seed
    return None


def _unused(name: str, taken: Container[str]) -> str:
    """Return the name, numbered if it is taken: "tabu search", "tabu search (2)", "tabu search (3)"."""
    numbered = (f"{name} ({k})" for k in itertools.count(2))
    return next(n for n in itertools.chain([name], numbered) if n not in taken)


# Greedy addition of edges, past the score's maximum.

MOST_PARENTS = 5


def greedy_edges(data: Dataset, score: TableScore, max_parents: int) -> Iterator[tuple[int, int]]:
    """Yield (parent, child) of the legal edge that raises the score most or lowers it least, until none is legal.

    Among equal gains, the first edge in column order is taken.
    """
    scores, n = LocalScores(data, score), data.n_variables
    adjacency, gains = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n))
    reach = np.eye(n, dtype=np.bool_)  # [i, j]: a path leads from i to j, or they are the same

    def refresh(child: int) -> None:
        parents = np.flatnonzero(adjacency[:, child]).tolist()
        gains[:, child] = -np.inf
        if len(parents) < max_parents:
            wanted = ~adjacency[:, child]
            wanted[child] = False
            gains[:, child] = scores.with_one_more(child, parents, wanted) - scores(child, parents)

    for child in range(n):
        refresh(child)
    while True:
        legal = np.where(reach.T, -np.inf, gains)  # i → j closes a cycle if a path leads from j to i
        best = legal.max()
        if best == -np.inf:
            return
        parent, child = divmod(int(np.argmax(legal >= best - tolerance(data.n_rows))), n)
        yield parent, child
        adjacency[parent, child] = True
        reach |= reach[:, parent, None] & reach[child]
        refresh(child)


class GrowingGraph:
    """A graph of n variables, at first without edges, and numbers of each family, by ``(child, parents)`` and name."""

    def __init__(self, n: int, measures: Mapping[str, Callable[[int, list[int]], Any]]) -> None:
        self.adjacency, self._measures = np.zeros((n, n), dtype=np.bool_), measures
        self.families = {name: np.array([measure(v, []) for v in range(n)]) for name, measure in measures.items()}

    def add(self, parent: int, child: int) -> None:
        """Add an edge."""
        self.adjacency[parent, child] = True
        parents = np.flatnonzero(self.adjacency[:, child]).tolist()
        for name, measure in self._measures.items():
            self.families[name][child] = measure(child, parents)

    def total(self, name: str) -> Any:
        """Return the sum of one measure over the families."""
        return self.families[name].sum(axis=0)

    def size(self, data: Dataset) -> tuple[int, int]:
        """Return the numbers of edges and of free parameters."""
        return int(self.adjacency.sum()), n_parameters(data, edges_of(data.names, self.adjacency))


# Ties in bootstrap samples of continuous data: a resample of N distinct values contains about 0.63 N of them.

#: Resamples are counted in pieces of about this many values.
_PIECE = 1 << 18


@dataclass(frozen=True, eq=False)
class Ties(ReadOnlyArrays):
    """Bootstrap samples of N distinct measurements.

    Attributes
    ----------
    values : ndarray, shape (N,), read-only
        In increasing order.
    times : ndarray of int, shape (N,), read-only
        How often each occurs in the first resample.
    distinct : ndarray of int, shape (R,), read-only
        Number of distinct values in each resample.
    """

    values: FloatArray = field(repr=False)
    times: IntArray = field(repr=False)
    distinct: IntArray = field(repr=False)

    @property
    def expected(self) -> float:
        """Mean number of distinct values, N (1 - (1 - 1/N)^N)."""
        n = self.values.size
        return n * (1 - (1 - 1 / n) ** n)

    @property
    def limit(self) -> float:
        """The large-sample approximation N (1 - 1/e) of ``expected``."""
        return self.values.size * (1 - math.exp(-1))

    def table(self) -> pd.DataFrame:
        """Return one line per measurement: value, times in the first resample."""
        return pd.DataFrame({"value": self.values, "times_in_resample": self.times})


@validated
def ties_in_resamples(n_rows: RowCount = 50, n_resamples: Repeats = 1000, rng: Seed = 0) -> Ties:
    """Draw N values of a normal variable, and count the distinct ones in each resample.

    Parameters
    ----------
    n_rows : int
        N.
    n_resamples : int
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    Ties

    Examples
    --------
    >>> made = ties_in_resamples(100, 500, rng=1)
    >>> bool(abs(made.distinct.mean() - made.expected) < 1)
    True
    """
    generator = generator_of(rng)
    values = np.sort(generator.standard_normal(n_rows))
    first = np.empty(0, dtype=np.int64)
    distinct = np.empty(n_resamples, dtype=np.int64)
    step = max(_PIECE // n_rows, 1)
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        drawn = generator.integers(0, n_rows, (size, n_rows)) + n_rows * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * n_rows).reshape(size, n_rows)
        distinct[start : start + size] = (times > 0).sum(axis=1)
        first = first if start else times[0].copy()
    return Ties(values, first, distinct)
