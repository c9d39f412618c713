"""Is the graph no better than chance: tested on rows that it was not learned from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnengine._core.parallel import Progress
from bnengine.bootstrap.falsification import GraphFalsification, falsify_graph
from bnengine.data.dataset import DataError, Dataset
from bnengine.experiment.learning import Learning
from bnengine.search import LearnedGraph

_FEWEST_ROWS = 4


class Falsification(NamedTuple):
    """A graph learned from half of the rows, and its test on the others."""

    graph: LearnedGraph
    test: GraphFalsification
    n_learned: int
    n_tested: int

    @property
    def status(self) -> str:
        """``"stopped"`` if not all shuffled graphs were tested."""
        return self.test.status


def falsify_learned(
    experiment: Learning, data: Dataset, n_permutations: int = 100, progress: Progress | None = None
) -> Falsification:
    """Learn a graph from a random half of the rows and test it on the other half (Eulig et al. 2025).

    The rows are split with the experiment's seed. A graph tested on the rows that it was learned from passes too
    easily.

    Raises
    ------
    DataError
        If there are fewer than four rows.

    Examples
    --------
    >>> import bnengine as bn
    >>> experiment = bn.Experiment(bn.Recipe("sample", "asia_1000"))
    >>> found = falsify_learned(experiment, experiment.load(), n_permutations=19)
    >>> found.n_learned, found.n_tested, found.test.falsified
    (500, 500, False)
    """
    first, second = halves(data, experiment.seed)
    graph = experiment.learn(first)
    test = falsify_graph(second, graph.edges, n_permutations, rng=experiment.seed, progress=progress)
    return Falsification(graph, test, first.n_rows, second.n_rows)


def halves(data: Dataset, seed: int) -> tuple[Dataset, Dataset]:
    """Split the rows at random into two halves; both keep the states of the data."""
    if data.n_rows < _FEWEST_ROWS:
        raise DataError(f"a test on other rows needs at least {_FEWEST_ROWS} rows; the data have {data.n_rows}")
    order = np.random.default_rng(seed).permutation(data.n_rows)
    middle = data.n_rows // 2
    return data.take(np.sort(order[:middle])), data.take(np.sort(order[middle:]))
