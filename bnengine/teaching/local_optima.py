"""Data on which greedy search ends in a local optimum, what other searches find, and ties in bootstrap samples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, Step, run
from bnengine._core.random_generators import Seed, generator_of, standard_error
from bnengine._core.validation import Ge, Le, NotNegative, Repeats, RowCount, Samples, WholeSeed, validated
from bnengine.bootstrap.ensemble import as_matrix, possible_edges
from bnengine.bootstrap.resamplers import Bootstrap, replicate_generators
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import skeleton
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.correction import LEADING_STRENGTH, corrected
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import HillClimbing, LearnedGraph, Search, Tabu, learn
from bnengine.search.edge_changes import single_changes, tolerance
from bnengine.search.learning import Columns, in_replicates

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
    """Run greedy search and other searches on the same rows; the first of ``searches`` is the greedy one."""
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

    Returns
    -------
    int or None
        A seed for ``network.sample``; None if there is none among the ``tries`` seeds from ``first`` on.
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


# How much of the bootstrap's doubt about an edge is the search's, and how much the data's.
#
# A confidence of 0.6 is doubt, but whose? An edge may be in the best graph of some samples only. Or the search ends
# in one of several local optima of the same sample, by the order in which it happens to break ties. Learning twice
# from every bootstrap sample, each time with a seed of its own, tells the two apart by the law of total variance.

#: Graphs learned from each sample.
TWICE = 2


@dataclass(frozen=True, eq=False)
class SearchDoubt(ReadOnlyArrays):
    """Variances of adjacencies between graphs learned from bootstrap samples, by cause, for each of S searches.

    Attributes
    ----------
    names : tuple of str
        The V variables.
    joined : ndarray of bool, shape (S, n, 2, P)
        Whether each of the P = V (V - 1) / 2 pairs is joined in the first and second graph of each of n samples.
    scores : ndarray, shape (S, n, 2)
        Each graph's score on its sample, nats.
    n_planned : int
        Samples asked for.
    status : {"converged", "stopped"}
    """

    names: tuple[str, ...]
    searches: tuple[str, ...]
    joined: BoolArray = field(repr=False)
    scores: FloatArray = field(repr=False)
    n_planned: int
    status: str

    @property
    def n(self) -> int:
        """Samples learned from."""
        return len(self.joined[0])

    @property
    def confidence(self) -> FloatArray:
        """Share of the graphs that join each pair, shape (S, V, V), symmetric."""
        return np.stack([as_matrix(own, len(self.names), "adjacency") for own in self.joined.mean(axis=(1, 2))])

    def _of_search(self, which: int) -> FloatArray:
        """Variance within a sample, summed over pairs: half the pairs on which its two graphs differ; shape (n,)."""
        first, second = self.joined[which].swapaxes(0, 1)
        return np.asarray((first != second).sum(axis=1) / 2.0)

    def _of_data(self, which: int) -> FloatArray:
        """Each sample's term of the variance between samples, summed over pairs; their mean is unbiased; shape (n,).

        The covariance between the two graphs of a sample: what they have in common comes from the sample.
        """
        first, second = self.joined[which].swapaxes(0, 1).astype(np.float64)
        products: FloatArray = ((first - first.mean(axis=0)) * (second - second.mean(axis=0))).sum(axis=1)
        return products * (self.n / (self.n - 1) if self.n > 1 else np.nan)

    def table(self) -> pd.DataFrame:
        """Return one row a search.

        Returns
        -------
        DataFrame
            ``search``, ``edges`` (mean number), ``score`` (mean on the samples, nats), ``of_data`` and ``of_search``
            (variances summed over pairs), each with its ``_error``, ``share`` (the search's part of their sum; missing
            where there is no doubt at all) and ``unsettled`` (pairs with a confidence between 0.1 and 0.9).
        """
        lines = []
        for s, name in enumerate(self.searches):
            data, own = self._of_data(s), self._of_search(s)
            p, whole = self.joined[s].mean(axis=(0, 1)), float(data.mean() + own.mean())
            lines.append(
                {
                    "search": name,
                    "edges": float(p.sum()),
                    "score": float(self.scores[s].mean()),
                    "of_data": float(data.mean()),
                    "of_data_error": float(standard_error(data)),
                    "of_search": float(own.mean()),
                    "of_search_error": float(standard_error(own)),
                    "share": min(float(own.mean()) / whole, 1.0) if whole > 0 else np.nan,
                    "unsettled": int(((p > 0.1) & (p < 0.9)).sum()),
                }
            )
        return pd.DataFrame(lines)

    def pairs(self) -> pd.DataFrame:
        """Return one row a pair of variables, ``first`` and ``second``, with its confidence by each search."""
        at = np.triu_indices(len(self.names), 1)
        columns = {word: np.array(self.names)[rows] for word, rows in zip(("first", "second"), at, strict=True)}
        return pd.DataFrame(columns | {name: p[at] for name, p in zip(self.searches, self.confidence, strict=True)})


@validated
def search_doubt(
    data: Dataset,
    score: TableScore,
    searches: Sequence[Search],
    n: Samples = 100,
    correction: str = "none",
    constraints: Constraints | None = None,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> SearchDoubt:
    """Learn twice from each of ``n`` bootstrap samples with every search, and part the variance of edges by cause.

    Var(edge) = Var over samples of P(edge | sample) + mean over samples of Var(edge | sample). The second part would be
    0 if the search found the best graph of every sample and this graph were unique up to equivalence.

    Parameters
    ----------
    data : Dataset
    score : score
    searches : sequence of search
        All see the same samples. Each learning has a seed of its own.
    n : int
        Number of bootstrap samples, at least 2.
    correction : {"none", "leading"}
        Of the score on samples.
    constraints : Constraints, optional
    rng : int, Generator or None, default 0; None draws anew at each call
        Results do not depend on the number of threads.
    progress : callable, optional
        Called with (samples done, all samples). Stopping drops the samples that are not finished.

    Raises
    ------
    ValueError
        If fewer than two samples are asked for, or the correction does not exist for the score.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("child").sample(300, rng=1)
    >>> searches = [bn.HillClimbing(), bn.IteratedLocalSearch()]
    >>> climb, best = bn.teaching.search_doubt(data, bn.BIC(), searches, n=20).table()["share"]
    >>> bool(climb > best)
    True
    """
    used = corrected(score, correction, LEADING_STRENGTH)
    ordered = [in_replicates(search, data.names) for search in searches]
    spaces = [(constraints or Constraints()).resolve(data.names, search.max_parents) for search in ordered]

    def prepared(stop: Flag | None = None) -> Step[tuple[BoolArray, FloatArray]]:
        scores, resampler = LocalScores(data, used, stop), Bootstrap(n)
        columns = [Columns(data.names, space) for space in spaces]

        def learned(number: int, generator: np.random.Generator) -> tuple[BoolArray, FloatArray] | None:
            weights, *seeds = resampler.replicate(data, number, generator).weights, *generator.spawn(len(ordered))
            joined, reached = [], []
            for search, shown, own in zip(ordered, columns, seeds, strict=True):
                for seed in own.spawn(TWICE):
                    order = shown.order(seed)
                    scores.reweigh(weights, order)
                    found = shown.find(search, scores, order, seed)
                    joined.append(possible_edges(skeleton(found.adjacency), "adjacency"))
                    reached.append(found.score)
            return None if scores.stopped else (np.array(joined), np.array(reached))

        return learned

    made, stopped = run(prepared, replicate_generators(generator_of(rng), n), None, progress)
    shape, n_pairs = (len(made), len(ordered), TWICE), data.n_variables * (data.n_variables - 1) // 2
    joined = np.array([pairs for pairs, _ in made], dtype=np.bool_).reshape(*shape, n_pairs)
    reached = np.array([nats for _, nats in made], dtype=np.float64).reshape(shape)
    return SearchDoubt(
        data.names,
        tuple(search.name for search in ordered),
        joined.swapaxes(0, 1).copy(),
        reached.swapaxes(0, 1).copy(),
        n,
        "stopped" if stopped else "converged",
    )
