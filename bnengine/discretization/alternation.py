"""Alternating minimization of the description length over the graph and the cut points."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import BoolArray
from bnengine._core.parallel import Progress
from bnengine._core.stoppable import Flag, stoppable
from bnengine.discretization.description_length import Chosen, DescribedTable
from bnengine.discretization.optimal_cuts import TOLERANCE, best_cuts
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, edges_of
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search, learn

_MOST_ROUNDS = 50


@dataclass(frozen=True, eq=False)
class Iterate:
    """Current state of the alternation: cut points, graph, description length in nats, and its trace."""

    chosen: Chosen
    graph: LearnedGraph
    length: float
    trace: tuple[float, ...]
    status: str = "max_iterations"


@dataclass
class Alternation:
    """Alternate between graph and cut points, from any start to a local optimum.

    Attributes
    ----------
    table : DescribedTable
    score, search, constraints, rng
        How graphs are learned.
    progress : callable or None
        Called with (columns visited, upper bound); returning False stops with the current iterate.
    passes : int
        Number of planned calls of ``converge``, for the upper bound.
    """

    table: DescribedTable
    score: TableScore
    search: Search
    constraints: Constraints | None
    rng: np.random.Generator
    progress: Progress | None = None
    passes: int = 1
    visited: int = 0
    stopped: bool = False

    def start(self, n_states: int) -> Iterate:
        """Cut each column into ``n_states`` states of about equally many rows, within the bounds, and learn a graph."""
        chosen = self.table.even(min(max(n_states, self.table.least), self.table.most))
        graph = self._graph(chosen)
        length = self.table.length(chosen, graph.score)
        return Iterate(chosen, graph, length, (length,))

    def converge(self, now: Iterate, fine: bool = False) -> Iterate:
        """Iterate until neither another graph nor other cut points of one column shorten the description."""
        pending = list(self.table.candidates)
        for _ in range(_MOST_ROUNDS):
            now = self._recut(now, pending, fine)
            if self.stopped:
                return dataclasses.replace(now, status="stopped")
            graph = self._graph(now.chosen)
            if self.stopped:
                return dataclasses.replace(now, status="stopped")
            length = self.table.length(now.chosen, graph.score)
            if length > now.length - TOLERANCE:
                return dataclasses.replace(now, status="converged")
            changed = (graph.adjacency != now.graph.adjacency).any(axis=0)
            pending = self._measured_in(changed, graph.adjacency | now.graph.adjacency)
            now = Iterate(now.chosen, graph, length, (*now.trace, length))
        return dataclasses.replace(now, status="max_iterations")

    def _graph(self, chosen: Chosen) -> LearnedGraph:
        def learned(stop: Flag) -> LearnedGraph:
            return learn(self.table.data(chosen), self.score, self.search, self.constraints, self.rng, stop=stop)

        graph = stoppable(learned, self._asked())
        self.stopped = self.stopped or graph.status == "stopped"
        return graph

    def _asked(self) -> Progress | None:
        """The callback, for work between two columns, which counts for nothing."""
        asked = self.progress
        return None if asked is None else lambda done, total: asked(self.visited, self._planned)

    def _measured_in(self, families: BoolArray, adjacency: Adjacency) -> list[str]:
        """Return the measured columns in the families of these children."""
        inside = families | (adjacency & families).any(axis=1)
        return [self.table.names[v] for v in np.flatnonzero(inside) if self.table.names[v] in self.table.candidates]

    def _recut(self, now: Iterate, pending: Sequence[str], fine: bool) -> Iterate:
        """Optimize the cut points of each column in turn for a fixed graph, until none improves."""
        adjacency = now.graph.adjacency
        for _ in range(_MOST_ROUNDS):
            touched = np.zeros(len(adjacency), dtype=np.bool_)
            for name in pending:
                self._report()
                if self.stopped:
                    return now
                before, now = now, self._recut_one(now, name, fine)
                if now is not before:
                    v = self.table.names.index(name)
                    touched |= adjacency[v]
                    touched[v] = True
            pending = self._measured_in(touched, adjacency)
            if not pending:
                break
        return now

    def _recut_one(self, now: Iterate, name: str, fine: bool) -> Iterate:
        """Optimize the cut points of one column; unchanged if the description gets no shorter."""
        table = self.table
        neighbours = table.neighbours(name, now.chosen, now.graph.adjacency)
        cuts = best_cuts(
            table.candidates[name], neighbours, self.score, table.least, table.most, now.chosen[name], fine
        )
        if cuts == now.chosen[name]:
            return now
        chosen: Mapping[str, tuple[int, ...]] = {**now.chosen, name: cuts}
        value = score_of(table.data(chosen), edges_of(table.names, now.graph.adjacency), self.score)
        length = table.length(chosen, value)
        if length > now.length - TOLERANCE:
            return now
        return Iterate(chosen, dataclasses.replace(now.graph, score=value), length, (*now.trace, length))

    @property
    def _planned(self) -> int:
        return 6 * self.passes * len(self.table.candidates)  # about six visits of each column per pass

    def _report(self) -> None:
        self.visited = min(self.visited + 1, self._planned)
        if self.progress is not None and self.progress(self.visited, self._planned) is False:
            self.stopped = True
