"""The lecture's tree of networks: depth first from the empty one, an arc more at each level, pruned by three rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnengine.constraints import SearchSpace
from bnengine.families import LocalScores
from bnengine.graph import Adjacency, ancestors
from bnengine.search._families import tolerance
from bnengine.search.found import Found


@dataclass(frozen=True)
class TreeSearch:
    """Depth-first search of the tree whose root is the empty network and whose branches each add an arc.

    A network that was met on another branch is not entered again. Three rules prune, each can be switched off.

    Parameters
    ----------
    only_improving : bool
        Drop a network whose description length is not lower (whose score is not higher) than its parent's.
    dependent_share : float
        Add arcs only between the pairs of variables whose gain from one arc, twice the mutual information under a
        likelihood, is among this share of all pairs; 1 allows every pair.
    beam : int, optional
        Of the networks that a network branches into, enter only so many, the best ones; None enters all.
    max_parents : int, optional
        Largest number of parents of any variable.
    max_networks : int
        Most networks visited; reaching it is said in ``status``.
    """

    only_improving: bool = True
    dependent_share: float = 1.0
    beam: int | None = 3
    max_parents: int | None = None
    max_networks: int = 20_000

    def __post_init__(self) -> None:
        if not 0 < self.dependent_share <= 1:
            raise ValueError(f"dependent_share must lie above 0 and up to 1; got {self.dependent_share}")
        if (self.beam is not None and self.beam < 1) or self.max_networks < 1:
            raise ValueError("beam and max_networks must be 1 or more")

    @property
    def name(self) -> str:
        return "tree search"

    def find(self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator) -> Found:
        visited = self.visit(scores, space)
        best = max(range(len(visited)), key=lambda v: (visited[v][1], -v))
        trace = np.maximum.accumulate([score for _, score in visited])
        status = "max_iterations" if len(visited) >= self.max_networks else "converged"
        return Found(visited[best][0].copy(), visited[best][1], scores.n_scored, status, trace)

    def visit(self, scores: LocalScores, space: SearchSpace) -> list[tuple[Adjacency, float]]:
        """The networks in the order of the visit, each with its score in nats."""
        remember: dict[tuple[int, bytes], float] = {}

        def local(child: int, column: np.ndarray) -> float:
            key = (child, column.tobytes())
            if key not in remember:
                remember[key] = scores(child, np.flatnonzero(column).tolist())
            return remember[key]

        n_variables = len(space.allowed)
        arcs = self._dependent_arcs(scores, space)
        margin = tolerance(scores.problem.sample.n_rows)
        root = space.required.copy()
        start = sum(local(v, root[:, v]) for v in range(n_variables))
        visited: list[tuple[Adjacency, float]] = []
        met = {root.tobytes()}
        waiting = [(root, float(start))]
        while waiting and len(visited) < self.max_networks:
            graph, score = waiting.pop()
            visited.append((graph, score))
            reach = ancestors(graph)
            branches = []
            for i, j in arcs:
                if graph[i, j] or graph[j, i] or reach[j, i] or graph[:, j].sum() >= space.max_parents:
                    continue
                column = graph[:, j].copy()
                column[i] = True
                new = score + local(j, column) - local(j, graph[:, j])
                if self.only_improving and new <= score + margin:
                    continue
                branches.append((new, i, j))
            branches.sort(key=lambda branch: -round(branch[0] / margin))  # stable: ties keep column order
            entered = []
            for new, i, j in branches[: self.beam]:
                branch = graph.copy()
                branch[i, j] = True
                if branch.tobytes() not in met:
                    met.add(branch.tobytes())
                    entered.append((branch, new))
            waiting += entered[::-1]  # the best is entered first
        return visited

    def _dependent_arcs(self, scores: LocalScores, space: SearchSpace) -> list[tuple[int, int]]:
        """The allowed arcs between the most dependent pairs, in column order."""
        n_variables = len(space.allowed)
        alone = [scores(v) for v in range(n_variables)]
        pairs = [(i, j) for i in range(n_variables) for j in range(i + 1, n_variables)]
        pairs = [(i, j) for i, j in pairs if space.allowed[i, j] or space.allowed[j, i]]
        gains = {(i, j): scores(j, [i]) - alone[j] for i, j in pairs}
        kept = set(sorted(pairs, key=lambda pair: -gains[pair])[: max(1, round(self.dependent_share * len(pairs)))])
        both = sorted(arc for i, j in pairs if (i, j) in kept for arc in ((i, j), (j, i)))
        return [(i, j) for i, j in both if space.allowed[i, j]]
