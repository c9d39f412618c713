"""In which order a search sees the columns.

Of moves that gain alike a search takes the first in column order, and some gain alike by their nature: A → B and B → A,
under a score that is equal for equivalent graphs. To keep the file's order of columns out of the result, each search is
shown the columns in an order drawn from their names and the seed; an ensemble draws one for each replicate.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine._core.validation import one_of
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores
from bnengine.search.best_first import BestFirst
from bnengine.search.fixed_ordering import K2, FixedOrdering
from bnengine.search.hill_climbing import HillClimbing
from bnengine.search.iterated_local_search import IteratedLocalSearch
from bnengine.search.result import Search, SearchResult
from bnengine.search.simulated_annealing import SimulatedAnnealing
from bnengine.search.tabu import Tabu

#: How ties are broken: by an order of the columns that is drawn, or by the order in which the table has them.
TIES = ("drawn", "columns")


class Columns:
    """The columns of a data set, and a search over them in one order or another.

    Parameters
    ----------
    names : sequence of str
    space : SearchSpace
        With the columns as they are given.
    ties : {"drawn", "columns"}
    """

    def __init__(self, names: Sequence[str], space: SearchSpace, ties: str = "drawn") -> None:
        check_ties(ties)
        self._names, self._space, self._ties = tuple(names), space, ties
        self._by_name = _by_name(names)
        off_diagonal = ~np.eye(len(names), dtype=np.bool_)
        self._same_in_any_order = not space.required.any() and bool((space.allowed == off_diagonal).all())

    def order(self, rng: np.random.Generator) -> IntArray | None:
        """Return the order to show them in, shape (V,): it depends on the names and the generator alone.

        None: as given.
        """
        return rng.permutation(self._by_name) if self._ties == "drawn" else None

    def find(
        self, search: Search, scores: LocalScores, order: IntArray | None, rng: np.random.Generator
    ) -> SearchResult:
        """Search with scores that show the columns in that order; the graph is over the columns as given."""
        if order is None:
            return search.find(self._names, scores, self._space, rng)
        names = tuple(map(self._names.__getitem__, order.tolist()))
        found = search.find(names, scores, self.shown(order), rng)
        return found._replace(adjacency=as_given(found.adjacency, order))

    def shown(self, order: IntArray) -> SearchSpace:
        """Return the space of a search that is shown the columns in that order."""
        if self._same_in_any_order:
            return self._space
        allowed, required, max_parents = self._space
        rows, columns = order[:, None], order
        return SearchSpace(
            np.ascontiguousarray(allowed[rows, columns]), np.ascontiguousarray(required[rows, columns]), max_parents
        )


def as_given(adjacency: Adjacency, order: IntArray) -> Adjacency:
    """Return a graph over columns shown in an order, over the columns as they are given."""
    place = order.argsort()
    return adjacency.take(place, axis=0).take(place, axis=1)  # a fifth of the time of one fancy index


def drawn_order(names: Sequence[str], rng: np.random.Generator) -> IntArray:
    """Draw an order of the columns, shape (V,), that depends on their names and the generator alone."""
    return rng.permutation(_by_name(names))


def _by_name(names: Sequence[str]) -> IntArray:
    return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)


def check_ties(ties: str) -> None:
    """Raise a ValueError unless it is one of ``TIES``."""
    one_of(ties, "ties", TIES)


def varies(search: Search, ties: str = "drawn") -> bool:
    """Return whether learning from the same data with another seed may give another number of edges.

    True for searches that draw at random, and for greedy searches whose ties are broken in a drawn order.
    """
    if isinstance(search, SimulatedAnnealing | IteratedLocalSearch) or getattr(search, "restarts", None):
        return True
    return ties == "drawn" and isinstance(search, HillClimbing | Tabu | BestFirst)


def in_replicates(search: Search, names: Sequence[str]) -> Search:
    """Return the search as replicates are learned by: with its ordering, and with less patience where it says so."""
    return with_ordering(getattr(search, "in_replicates", search), names)


def with_ordering(search: Search, names: Sequence[str]) -> Search:
    """Return the search.

    Where it goes by an ordering and has none, with that of the columns, as its documentation says.
    """
    if isinstance(search, K2 | FixedOrdering) and search.ordering is None:
        return dataclasses.replace(search, ordering=tuple(names))
    return search
