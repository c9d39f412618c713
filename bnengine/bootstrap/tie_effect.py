"""Which parts of a learned graph depend on how ties are broken rather than on the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed
from bnengine._core.validation import Repeats, validated
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import RepeatedSearch
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Edge
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search


@dataclass(frozen=True)
class TieEffect:
    """The graphs that a search finds on the same data when it breaks ties in different orders.

    Attributes
    ----------
    n_orders : int
        Number of orders drawn.
    n_graphs, n_classes : int
        Number of different graphs and of different Markov equivalence classes found.
    unsettled : tuple of (name, name)
        Pairs that some but not all of the graphs join, in alphabetical order.
    """

    n_orders: int
    n_graphs: int
    n_classes: int
    unsettled: tuple[Edge, ...]


@validated
def tie_effect(
    data: Dataset,
    score: TableScore,
    search: Search,
    constraints: Constraints | None = None,
    n: Repeats = 20,
    rng: Seed = 0,
    progress: Progress | None = None,
    *,
    reference: LearnedGraph | None = None,
) -> TieEffect:
    """Learn from the given data ``n`` times, each time breaking ties in another order of the columns.

    The results of a search that draws at random also differ for that reason.

    Parameters
    ----------
    data, score, search, constraints, rng, progress, reference
        As for ``resample``.
    n : int
        Number of orders drawn.

    Examples
    --------
    >>> import bnengine as bn
    >>> from bnengine.bootstrap.tie_effect import tie_effect
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> effect = tie_effect(data, bn.BIC(), bn.HillClimbing())
    >>> effect.n_graphs >= effect.n_classes >= 1
    True
    """
    ensemble = resample(
        data, score, search, RepeatedSearch(n), "none", constraints, rng=rng, progress=progress, reference=reference
    )
    classes, _ = ensemble.distinct_classes
    strength = np.triu(ensemble.adjacency_confidence)
    pairs = np.argwhere((strength > 0) & (strength < 1)).tolist()
    unsettled = sorted(sorted((ensemble.names[i], ensemble.names[j])) for i, j in pairs)
    return TieEffect(
        n_orders=ensemble.n_graphs,
        n_graphs=len(classes),
        n_classes=len({equivalence_class.tobytes() for equivalence_class in classes}),
        unsettled=tuple((first, second) for first, second in unsettled),
    )
