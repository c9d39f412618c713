"""``learn``: one graph from one data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bnengine.constraints import Constraints
from bnengine.data import Dataset
from bnengine.families import LocalScores
from bnengine.graph import Adjacency, Edge, cpdag, edges_of
from bnengine.randomness import Seed, generator_of, seed_of
from bnengine.scores import BIC, TableScore
from bnengine.search.found import Search
from bnengine.search.hill_climbing import HillClimbing


@dataclass(frozen=True, eq=False)
class LearnedGraph:
    """A learned graph and how it was found.

    Attributes
    ----------
    names : tuple of str
    adjacency : ndarray of bool, shape (V, V), read-only
        ``[parent, child]``.
    score : float
        Nats, higher is better.
    n_evaluations : int
        Families counted.
    status : str
        ``"converged"``, ``"optimal"`` (proved), ``"max_iterations"`` or ``"stopped"``.
    trace : ndarray of float
        The score after each step of the search.
    beside : mapping from str to ndarray of float
        What else is known of each step, such as annealing's temperature.
    seed : int or None
        The seed that repeats this; None where a generator was handed in.
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    score: float
    n_evaluations: int
    status: str
    trace: npt.NDArray[np.float64] = field(repr=False)
    beside: Mapping[str, npt.NDArray[np.float64]] = field(repr=False, default_factory=dict)
    seed: int | None = None

    def __post_init__(self) -> None:
        self.adjacency.setflags(write=False)
        self.trace.setflags(write=False)

    @property
    def edges(self) -> list[Edge]:
        """The (parent, child) pairs in column order."""
        return edges_of(self.names, self.adjacency)

    @property
    def cpdag(self) -> Adjacency:
        """The Markov equivalence class; see ``graph.cpdag``."""
        return cpdag(self.adjacency)


def learn(
    data: Dataset,
    score: TableScore | None = None,
    search: Search | None = None,
    constraints: Constraints | None = None,
    rng: Seed = 0,
) -> LearnedGraph:
    """Learn one graph from the data.

    Parameters
    ----------
    data : Dataset
    score : score, default BIC()
    search : search, default HillClimbing()
    constraints : Constraints, optional
    rng : int, Generator or None
        Only searches with random restarts draw from it.

    Returns
    -------
    LearnedGraph

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(5000, rng=1)
    >>> bn.learn(data, bn.BDeu(1), bn.K2(["Pollution", "Smoker", "Cancer", "Xray", "Dyspnoea"])).edges
    [('Pollution', 'Cancer'), ('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea')]
    """
    score, search = score or BIC(), search or HillClimbing()
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    found = search.find(data.names, LocalScores(data, score), space, generator_of(rng))
    return LearnedGraph(
        data.names,
        found.adjacency,
        found.score,
        found.n_evaluations,
        found.status,
        found.trace,
        found.beside,
        seed_of(rng),
    )
