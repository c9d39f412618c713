"""How far a learned graph can be from the best one: an upper bound on every graph's score, proved step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bnengine._core.parallel import Flag, stoppable, to_the_end
from bnengine._core.validation import accepts, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search._parent_sets import MOST_VARIABLES, candidate_parent_sets
from bnengine.search.edge_changes import tolerance
from bnengine.search.exact import Proof
from bnengine.search.learning import LearnedGraph

_MOST_MEMORY = 2 * 2**30  # bytes of candidate parent sets


@dataclass(frozen=True)
class Certificate:
    """What is proved about a graph.

    Attributes
    ----------
    graph : LearnedGraph
        The graph that was given, or a better one that was met on the way; its ``bound`` is the one below.
    bound : float
        No network with at most ``max_parents`` parents of a variable scores higher, nats; never below the graph's own
        score.
    max_parents : int
        The limit that the bound holds for.
    status : str
        ``"optimal"``: nothing scores higher; ``"stopped"``: the bound is what was reached by then.
    """

    graph: LearnedGraph
    bound: float
    max_parents: int
    status: str

    @property
    def gap(self) -> float:
        """How much higher, at most, a network within the limit on parents can score, nats."""
        return max(self.bound - self.graph.score, 0.0)


@to_the_end
@validated
@accepts(interventions=True, missing=True, numbers=True)
def certify(
    data: Dataset,
    score: TableScore,
    graph: LearnedGraph,
    *,
    constraints: Constraints | None = None,
    max_parents: int = 3,
    progress: Callable[[int, int], bool | None] | None = None,
) -> Certificate:
    """Try to prove that a learned graph is the best one; what is known when it is stopped holds all the same.

    For each variable the parent sets that can be part of a best graph are listed (de Campos & Ji 2011); then a linear
    program bounds the score of every acyclic choice among them (Jaakkola, Sontag, Globerson & Meila 2010; Cussens
    2011; Bartlett & Cussens 2013), tighter and tighter, with branches where it must.

    Parameters
    ----------
    data : Dataset
    score : score
        The one that the graph was learned with.
    graph : LearnedGraph
    constraints : Constraints, optional
        Those that it was learned with.
    max_parents : int
        The bound is for networks with at most so many parents of a variable; the graph itself may have more.
    progress : callable, optional
        Called with (0, 1) while it works; the proof ends when it returns False.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        More than 63 variables, other names than the data's, or more parent sets than fit into 2 GB.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("child").sample(300, rng=1)
    >>> found = bn.learn(data, bn.BIC(), bn.IteratedLocalSearch())
    >>> proved = bn.answers.certify(data, bn.BIC(), found)
    >>> proved.status, proved.max_parents
    ('optimal', 3)
    """
    if graph.names != data.names:
        raise ValueError("graph has other variables than data, or in another order: learn it from these data")
    if data.n_variables > MOST_VARIABLES:
        raise ValueError(
            f"a proof is for up to {MOST_VARIABLES} variables, and these are {data.n_variables}: choose fewer"
        )
    if max_parents < 0:
        raise ValueError(f"max_parents must be 0 or more; got {max_parents}")
    return stoppable(partial(_certify, data, score, graph, constraints or Constraints(), max_parents), progress)


def _certify(
    data: Dataset, score: TableScore, graph: LearnedGraph, constraints: Constraints, max_parents: int, stop: Flag
) -> Certificate:
    scores, space = LocalScores(data, score, stop), constraints.resolve(data.names, max_parents)
    candidates, _ = candidate_parent_sets(scores, space, _MOST_MEMORY)
    if stop[0]:
        return Certificate(replace(graph, bound=np.inf), np.inf, space.max_parents, "stopped")
    proof = Proof(candidates, graph.score, tolerance(data.n_rows))
    proved = proof.run(lambda: bool(stop[0]))
    if proof.chosen is not None:
        places = np.arange(data.n_variables)[:, None]
        adjacency = (proof.chosen >> places & 1).astype(np.bool_)
        graph = replace(graph, adjacency=adjacency, score=proof.floor, trace=np.append(graph.trace, proof.floor))
    status = "optimal" if proved else "stopped"
    graph = replace(graph, bound=proof.bound, status=status if proved else graph.status)
    return Certificate(graph, proof.bound, space.max_parents, status)
