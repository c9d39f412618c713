"""One table with what methods need of it, and what a method is."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

import bnengine as bn
from bnengine.bootstrap.ensemble import Ensemble, possible_edges
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.networks.network import BayesianNetwork
from bnengine.search import LearnedGraph

from .cells import Cell, FloatArray

SCORES: dict[str, bn.scores.TableScore] = {
    "BIC": bn.BIC(),
    "BDeu(1)": bn.BDeu(1.0),
    "BDeu(10)": bn.BDeu(10.0),
    "qNML": bn.QNML(),
}
SEARCHES: dict[str, bn.search.Search] = {
    search.name: search for search in (bn.HillClimbing(), bn.IteratedLocalSearch())
}


@lru_cache(maxsize=1)
def one_thread() -> Executor:
    """Return the only thread that this process learns on: the study's workers are processes."""
    return ThreadPoolExecutor(1)


@dataclass
class Table:
    """One table with what several methods need of it, computed when first asked for."""

    data: bn.Dataset
    score: bn.scores.TableScore
    search: bn.search.Search
    replicates: int
    seed: int
    executor: Executor = field(default_factory=one_thread)
    posteriors: dict[Hashable, FloatArray] = field(default_factory=dict)

    @cached_property
    def own(self) -> LearnedGraph:
        """The graph learned from the table."""
        return bn.learn(self.data, self.score, self.search, rng=self.seed)

    def resampled(self, resampler: Any, correction: str = "none") -> Ensemble:
        """Learn graphs from resamples; methods with the same resampler see the same resamples."""
        task = ResampleTask(self.data, self.score, self.search, resampler, correction)
        return learn_ensemble(task, self.own, rng=self.seed, executor=self.executor)

    @cached_property
    def naive(self) -> Ensemble:
        """The bootstrap."""
        return self.resampled(bn.Bootstrap(self.replicates))

    @cached_property
    def leading(self) -> Ensemble:
        """The corrected bootstrap."""
        return self.resampled(bn.Bootstrap(self.replicates), "leading")


Compute = Callable[[Table], Cell]


@dataclass(frozen=True)
class Method:
    """A method, and for how much of the study it is affordable.

    Attributes
    ----------
    key, title : str
    target : {"found again", "real", "both", "the search"}
        What it claims to estimate; all are measured for both. ``"the search"``: how far the search itself varies.
    compute : callable
    own_score : bool
        Whether it depends on the score that a person learns with.
    most_variables, most_tables : int
    delay : int
        Rounds of tables that come first: the costly methods wait until all settings have the others.
    mean_of : tuple of str
        Methods whose mean it is; it is then not computed but derived from their cells.
    """

    key: str
    title: str
    target: str
    compute: Compute
    own_score: bool = True
    most_variables: int = 10_000
    most_tables: int = 10_000
    delay: int = 0
    mean_of: tuple[str, ...] = ()


def cell_of_ensemble(ensemble: Ensemble) -> Cell:
    """Return the confidence of each possible edge."""
    directed = possible_edges(ensemble.confidence, "directed")
    return Cell(possible_edges(ensemble.adjacency_confidence, "adjacency"), directed, ensemble.n_graphs, 0.0)


def cell_of_probability(probability: FloatArray) -> Cell:
    """Return the cell of a (V, V) matrix of probabilities of directed edges, of which a pair has one at most."""
    joined = np.minimum(probability + probability.T, 1.0)
    return Cell(possible_edges(joined, "adjacency"), possible_edges(probability, "directed"), 0, 0.0)


def mean_cell(cells: Sequence[Cell]) -> Cell:
    """Return the mean of several methods' cells; without directed edges where one has none."""
    directed = [cell.directed for cell in cells]
    return Cell(
        np.mean([cell.adjacency for cell in cells], axis=0),
        np.mean(directed, axis=0) if all(values.size for values in directed) else np.empty(0),
        min(cell.n for cell in cells),
        sum(cell.seconds for cell in cells),
    )


def timed(compute: Compute, table: Table) -> Cell:
    """Return a method's cell with the processor time it took."""
    start = time.process_time()
    cell = compute(table)
    return Cell(cell.adjacency, cell.directed, cell.n, time.process_time() - start)


def inclusion_probability(network: BayesianNetwork, table: Table, n_fresh: int) -> Cell:
    """Estimate π, the share of fresh tables from which each edge is learned."""
    return cell_of_ensemble(table.resampled(bn.ParametricBootstrap(n_fresh, network)))
