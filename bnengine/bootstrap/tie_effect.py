"""What of a learned graph is settled by the order in which ties are broken, not by the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bnengine._core.random_generators import Seed
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import RepeatedSearch
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.cpdag import cpdag
from bnengine.graphs.dag import Edge
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search


@dataclass(frozen=True)
class TieEffect:
    """The graphs that a search finds on the same data when it breaks ties in other orders.

    Attributes
    ----------
    n_orders : int
        How many orders were drawn.
    n_graphs, n_classes : int
        How many different graphs, and different Markov equivalence classes, the search ended in.
    unsettled : tuple of (name, name)
        The pairs that some of the graphs join and others do not, in alphabetical order.
    """

    n_orders: int
    n_graphs: int
    n_classes: int
    unsettled: tuple[Edge, ...]


def tie_effect(
    data: Dataset,
    score: TableScore,
    search: Search,
    constraints: Constraints | None = None,
    n: int = 20,
    rng: Seed = 0,
    progress: Callable[[int, int], bool | None] | None = None,
    *,
    reference: LearnedGraph | None = None,
) -> TieEffect:
    """Learn from the given data ``n`` times, each time with ties broken in another order of the columns.

    A search that draws at random differs from time to time for that reason, too.

    Parameters
    ----------
    data, score, search, constraints, rng, progress, reference
        As of ``resample``.
    n : int
        How many orders are drawn.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> effect = bn.tie_effect(data, bn.BIC(), bn.HillClimbing())
    >>> effect.n_graphs >= effect.n_classes >= 1
    True
    """
    found = resample(
        data,
        score,
        search,
        RepeatedSearch(n),
        constraints=constraints,
        rng=rng,
        progress=progress,
        reference=reference,
    )
    return TieEffect(found.n_graphs, len(_different(found)), _n_classes(found), _unsettled(found))


def _different(ensemble: Ensemble) -> list[int]:
    """The first of each kind of graph."""
    first = np.unique(ensemble.packed_graphs, axis=0, return_index=True)[1]
    return sorted(first.tolist())


def _n_classes(ensemble: Ensemble) -> int:
    return len({cpdag(ensemble.adjacencies[graph]).tobytes() for graph in _different(ensemble)})


def _unsettled(ensemble: Ensemble) -> tuple[Edge, ...]:
    strength = np.triu(ensemble.adjacency_confidence)
    pairs = np.argwhere((strength > 0) & (strength < 1)).tolist()
    first_last = [sorted((ensemble.names[i], ensemble.names[j])) for i, j in pairs]
    return tuple(sorted((one, other) for one, other in first_last))
