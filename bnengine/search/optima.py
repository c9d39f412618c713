"""How unique the best graph is: from how many starts a search ends there, and what the next best optima are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, Step, run
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import Repeats, honours, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, cpdag, shd
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, TableScore
from bnengine.search.edge_changes import tolerance
from bnengine.search.iterated_local_search import IteratedLocalSearch
from bnengine.search.learning import Columns, LearnedGraph, as_given, drawn_order, joint_sets_of

#: How many optima of different classes each search keeps.
MOST_KEPT = 20

_MARKS = {(True, False): "→", (False, True): "←", (True, True): "–", (False, False): ""}


class Difference(NamedTuple):
    """A pair of variables that two equivalence classes do not join alike.

    The marks are "→" and "←" for an edge with that direction in all graphs of the class, from ``first`` to ``second``
    or back, "–" for one with either direction, and "" for none.
    """

    first: str
    second: str
    in_best: str
    in_other: str


@dataclass(frozen=True, eq=False)
class Optima(ReadOnlyArrays):
    """The local optima of different equivalence classes that searches from different starts found, the best first.

    Attributes
    ----------
    graphs : ndarray of bool, shape (K, V, V), read-only
        One of each class, ``[parent, child]``; no change of a single edge raises its score.
    scores : ndarray of float, shape (K,), read-only
        Nats, higher is better; the best found in the class.
    n_ended : ndarray of int, shape (K,), read-only
        How many of the searches ended in each class.
    n_planned : int
        Searches asked for.
    status : str
        ``"converged"``, or ``"stopped"``: then fewer searches are counted than were asked for.
    seed : int or None
        The seed that repeats this; None if a generator was passed.
    """

    names: tuple[str, ...]
    graphs: BoolArray
    scores: FloatArray
    n_ended: IntArray
    n_planned: int
    status: str
    seed: int | None

    @property
    def n_starts(self) -> int:
        """Searches that ran to their end."""
        return int(self.n_ended.sum())

    @property
    def below_best(self) -> FloatArray:
        """How far each optimum is below the best, nats, shape (K,)."""
        return self.scores[:1] - self.scores if len(self.scores) else self.scores

    @validated
    def place_of(self, graph: LearnedGraph) -> int | None:
        """Return which of the optima is equivalent to a graph, counted from 0; None if none is.

        Raises
        ------
        ValueError
            If the graph has other variables.
        """
        if graph.names != self.names:
            raise ValueError("graph has other variables than the optima, or in another order: learn it from their data")
        sought = cpdag(graph.adjacency)
        equal = [k for k, other in enumerate(self.graphs) if (cpdag(other) == sought).all()]
        return equal[0] if equal else None

    @validated
    def differences(self, place: int = 1) -> list[Difference]:
        """Return where the CPDAG of the optimum at a place, counted from 0, is not that of the best.

        Raises
        ------
        ValueError
            If there are not so many optima.
        """
        if not 0 <= place < len(self.graphs):
            raise ValueError(f"place must be from 0 to {len(self.graphs) - 1}; got {place}")
        best, other = cpdag(self.graphs[0]), cpdag(self.graphs[place])
        differs = np.triu((best != other) | (best != other).T)
        return [
            Difference(self.names[i], self.names[j], *(_MARKS[bool(c[i, j]), bool(c[j, i])] for c in (best, other)))
            for i, j in np.argwhere(differs).tolist()
        ]

    def table(self) -> pd.DataFrame:
        """Return one line an optimum: score (nats), below_best (nats), ended (searches), edges, class_distance.

        ``class_distance`` is the structural Hamming distance of its CPDAG to that of the best.
        """
        classes = [cpdag(graph) for graph in self.graphs]
        return pd.DataFrame(
            {
                "score": self.scores,
                "below_best": self.below_best,
                "ended": self.n_ended,
                "edges": self.graphs.sum(axis=(1, 2), dtype=np.int64),
                "class_distance": np.array([shd(classes[0], other) for other in classes], dtype=np.int64),
            }
        )


@validated
@honours("experiments", "missing")
def find_optima(
    data: Dataset,
    score: TableScore | None = None,
    search: IteratedLocalSearch | None = None,
    constraints: Constraints | None = None,
    n: Repeats = 20,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Optima:
    """Search for the best graph from ``n`` random graphs, and note which local optima are met.

    If all searches end in one equivalence class, it is hard to find a better one; a class that only few of them reach
    may not be the best either. The next best optimum tells what else the data would almost as soon have.

    Parameters
    ----------
    data : Dataset
    score : score, default BIC()
    search : IteratedLocalSearch, default IteratedLocalSearch()
    constraints : Constraints, optional
    n : int
        Number of searches; each begins at a random graph and breaks ties in an order of its own.
    rng : int, Generator or None, default 0; None draws anew at each call
        The result does not depend on the order of the columns or the number of workers.
    progress : callable, optional
        Called with (searches done, ``n``); returning False stops the run, which keeps the searches done.

    Returns
    -------
    Optima
        The best 20 of each search, and with them the ones in which the searches ended. Not all local optima of the
        data: only what was met.

    Notes
    -----
    Optima are told apart by their equivalence class (Verma & Pearl 1990), not by their score. With rows from
    experiments, of the graphs that only these tell apart the best is kept.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> optima = bn.find_optima(data)
    >>> int(optima.n_ended[0]), bool(optima.scores[0] == bn.learn(data, search=bn.Exact()).score)
    (20, True)
    """
    used, climbing = score or BIC(), search or IteratedLocalSearch()
    space = (constraints or Constraints()).resolve(data.names, climbing.max_parents)
    work = _Work(data, used, climbing, space)
    found, stopped = run(work.prepared, generator_of(rng).spawn(n), None, progress)
    order = np.argsort(np.array(data.names, dtype=object))  # classes that score alike are listed by the names
    met: dict[bytes, tuple[float, Adjacency]] = {}
    ended: dict[bytes, int] = {}
    for optima in found:
        for place, (points, graph) in enumerate(optima):
            key = cpdag(graph)[np.ix_(order, order)].tobytes()
            if place == 0:
                ended[key] = ended.get(key, 0) + 1
            if key not in met or points > met[key][0]:
                met[key] = points, graph
    margin = tolerance(data.n_rows)
    keys = sorted(met, key=lambda key: (-round(met[key][0] / margin), key))
    kept = [key for place, key in enumerate(keys) if place < MOST_KEPT or key in ended]
    return Optima(
        data.names,
        np.array([met[key][1] for key in kept], dtype=np.bool_).reshape(-1, data.n_variables, data.n_variables),
        np.array([met[key][0] for key in kept], dtype=np.float64),
        np.array([ended.get(key, 0) for key in kept], dtype=np.int64),
        n,
        "stopped" if stopped else "converged",
        seed_of(rng),
    )


@dataclass(frozen=True)
class _Work:
    """Everything a worker needs to search from one start after the other."""

    data: Dataset
    score: TableScore
    search: IteratedLocalSearch
    space: SearchSpace

    def prepared(self, stop: Flag | None = None) -> Step[list[tuple[float, Adjacency]]]:
        """Return what searches from one start."""
        scores, columns = LocalScores(self.data, self.score, stop), Columns(self.data.names, self.space)
        joint = joint_sets_of(self.data, self.score, self.space)
        weights = self.data.multiplicities.astype(np.int32)

        def searched(number: int, generator: np.random.Generator) -> list[tuple[float, Adjacency]] | None:
            order = drawn_order(self.data.names, generator)
            scores.reweigh(weights, order)
            optima = self.search.find_optima(scores, columns.shown(order), joint.shown(order), generator, MOST_KEPT)
            return None if scores.stopped else [(points, as_given(graph, order)) for points, graph in optima]

        return searched
