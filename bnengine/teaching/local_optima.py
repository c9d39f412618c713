"""Data on which greedy search gets stuck, and how far other searches get on them."""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.random_generators import Seed, generator_of
from bnengine.data.dataset import Dataset
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import HillClimbing, LearnedGraph, Search, Tabu, learn
from bnengine.search._parents import tolerance
from bnengine.search.edge_changes import single_changes

#: Greedy search and the two ways out that a lecture shows.
ESCAPES: tuple[Search, ...] = (HillClimbing(), Tabu(), HillClimbing(restarts=20))


def parity_sample(n_rows: int, noise: float = 0.1, n_causes: int = 2, rng: Seed = 0) -> Dataset:
    """Fair coins and their parity, which is flipped with probability ``noise``.

    No cause tells anything about the parity by itself, all of them together tell nearly everything: no single edge
    gains, so greedy search never takes the first step.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.teaching.parity_sample(500, rng=1)
    >>> len(bn.learn(data).edges), len(bn.learn(data, search=bn.Tabu()).edges)
    (0, 2)
    """
    if n_rows < 1 or n_causes < 2 or not 0 <= noise <= 0.5:
        raise ValueError(
            "one row, two causes and a noise between 0 and 0.5 are needed; "
            f"got {n_rows} rows, {n_causes} causes, noise {noise}"
        )
    generator = generator_of(rng)
    causes = generator.integers(0, 2, (n_rows, n_causes))
    parity = causes.sum(axis=1) % 2 ^ (generator.random(n_rows) < noise)
    names = (*(f"X{k + 1}" for k in range(n_causes)), "parity")
    return Dataset(names, (("0", "1"),) * len(names), np.column_stack([causes, parity]).astype(np.uint16))


@dataclass(frozen=True, eq=False)
class Escape:
    """What greedy search and its rivals find on the same rows.

    Attributes
    ----------
    graphs : dict from str to LearnedGraph
        By the search's name, numbered where it repeats: "tabu search", "tabu search (2)". The first is the greedy one.
    behind : dict from str to float
        Nats by which each is below the best of them.
    stuck : bool
        Whether the first one is below the best by more than rounding.
    neighbours : int
        Legal single-edge changes of the first one's graph.
    level : int
        Those of them that change the score by no more than rounding: a plateau.
    """

    graphs: dict[str, LearnedGraph]
    behind: dict[str, float]
    stuck: bool
    neighbours: int
    level: int


def compare_escapes(
    data: Dataset, score: TableScore | None = None, searches: Sequence[Search] = ESCAPES, rng: Seed = 0
) -> Escape:
    """Run greedy search and its rivals on the same rows."""
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
    return Escape(graphs, behind, behind[greedy] > margin, len(changes), level)


def find_trap(
    network: BayesianNetwork,
    n_rows: int,
    score: TableScore | None = None,
    searches: Sequence[Search] = ESCAPES,
    first: int = 0,
    tries: int = 50,
    least: float = 0.1,
) -> int | None:
    """The first seed whose rows trap greedy search while every other search gets at least ``least`` nats further.

    Returns
    -------
    int or None
        A seed for ``network.sample``; None if none of ``tries`` seeds, from ``first`` on, has such rows.
    """
    if len(searches) < 2:
        raise ValueError(f"searches must hold a greedy search and at least one rival; got {len(searches)}")
    for seed in range(first, first + tries):
        found = compare_escapes(network.sample(n_rows, seed), score, searches)
        scores = [graph.score for graph in found.graphs.values()]
        if min(scores[1:]) >= scores[0] + least:
            return seed
    return None


def _unused(name: str, taken: Container[str]) -> str:
    """The name, numbered if it is taken: "tabu search", "tabu search (2)", "tabu search (3)"."""
    numbered = (f"{name} ({k})" for k in itertools.count(2))
    return next(n for n in itertools.chain([name], numbered) if n not in taken)
