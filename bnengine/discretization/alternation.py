"""The graph learned anew and the columns cut anew in turn, each time to a shorter description of the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnengine._core.parallel import Progress
from bnengine.discretization.description_length import Chosen, DescribedTable
from bnengine.discretization.levels import TOLERANCE, best_cuts
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, edges_of
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search, learn

_MOST_ROUNDS = 50


@dataclass(frozen=True, eq=False)
class Reached:
    """Where the alternation has come to: cuts by column, the graph, the description length in nats, and its course."""

    chosen: Chosen
    graph: LearnedGraph
    length: float
    trace: tuple[float, ...]
    status: str = "max_iterations"


@dataclass
class Alternation:
    """Between the graph and the cuts, from any start to a local optimum.

    Attributes
    ----------
    table : DescribedTable
    score, search, constraints, rng
        How graphs are learned.
    progress : callable or None
        Told how many columns have been looked at; once it returns False, everything is left as it is.
    passes : int
        How often ``settle`` will be called, for the progress.
    """

    table: DescribedTable
    score: TableScore
    search: Search
    constraints: Constraints | None
    rng: np.random.Generator
    progress: Progress | None = None
    passes: int = 1
    looked_at: int = 0
    stopped: bool = False

    def start(self, levels: int) -> Reached:
        """So many levels of about equally many rows in each column, within the bounds, and their graph."""
        chosen = self.table.even(min(max(levels, self.table.least), self.table.most))
        graph = self._graph(chosen)
        length = self.table.length(chosen, graph.score)
        return Reached(chosen, graph, length, (length,))

    def settle(self, now: Reached, fine: bool = False) -> Reached:
        """On to where neither another graph nor other cuts of one column make the description shorter."""
        pending = list(self.table.candidates)
        for _ in range(_MOST_ROUNDS):
            now = self._recut(now, pending, fine)
            if self.stopped:
                return dataclasses.replace(now, status="stopped")
            graph = self._graph(now.chosen)
            length = self.table.length(now.chosen, graph.score)
            if length > now.length - TOLERANCE:
                return dataclasses.replace(now, status="converged")
            changed = (graph.adjacency != now.graph.adjacency).any(axis=0)
            pending = self._measured_in(changed, graph.adjacency | now.graph.adjacency)
            now = Reached(now.chosen, graph, length, (*now.trace, length))
        return dataclasses.replace(now, status="max_iterations")

    def _graph(self, chosen: Chosen) -> LearnedGraph:
        return learn(self.table.data(chosen), self.score, self.search, self.constraints, self.rng)

    def _measured_in(self, families: npt.NDArray[np.bool_], adjacency: Adjacency) -> list[str]:
        """The measured columns that are in the families of these children."""
        inside = families | (adjacency & families).any(axis=1)
        return [self.table.names[v] for v in np.flatnonzero(inside) if self.table.names[v] in self.table.candidates]

    def _recut(self, now: Reached, pending: Sequence[str], fine: bool) -> Reached:
        """Cut columns anew, the graph held, until none can be described more briefly."""
        adjacency = now.graph.adjacency
        for _ in range(_MOST_ROUNDS):
            touched = np.zeros(len(adjacency), dtype=np.bool_)
            for name in pending:
                self._tell(len(self.table.candidates))
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

    def _recut_one(self, now: Reached, name: str, fine: bool) -> Reached:
        """With other cuts of the column, where they make the description shorter."""
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
        return Reached(chosen, dataclasses.replace(now.graph, score=value), length, (*now.trace, length))

    def _tell(self, n_columns: int) -> None:
        planned = 6 * self.passes * n_columns  # looks at each column in a pass, about
        self.looked_at = min(self.looked_at + 1, planned)
        if self.progress is not None and self.progress(self.looked_at, planned) is False:
            self.stopped = True
