"""Data on which greedy search ends in a local optimum, and what other searches find."""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ge, Le, NotNegative, Repeats, RowCount, WholeSeed, validated
from bnengine.data.dataset import Dataset
from bnengine.networks.network import BayesianNetwork
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
