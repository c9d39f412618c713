"""Discretization jointly with a graph, by minimum description length."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, stoppable
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import MOST_BINS, Ge, Le, validated
from bnengine.data.checked_frame import DataError, checked_columns, column_names
from bnengine.data.columns import check_numeric, cut_at, distinct_numbers, legible, measured_columns
from bnengine.discretization.optimal_cuts import (
    TOLERANCE,
    Chosen,
    DescribedTable,
    best_cuts,
    check_decomposable,
    described,
)
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, edges_of
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import IteratedLocalSearch, LearnedGraph, Search, learn

#: Default bounds of the number of states of a column.
FEWEST_LEVELS, MOST_LEVELS = 2, 8
#: Numbers of states in the starting points; the best local optimum is kept.
STARTS = (3, 2, 4)


@dataclass(frozen=True, eq=False)
class LearnedDiscretization:
    """Cut points learned jointly with a graph.

    Attributes
    ----------
    cuts : mapping from str to tuple of float
        The cut points of each measured column, increasing; a value at a cut point is in the state below it.
    frame : DataFrame
        The given frame with the measured columns cut; missing cells are still missing.
    graph : LearnedGraph
        The graph learned with them; in it the missing cells of a column are a state of their own.
    bits : float
        Description length of the whole table: network, numbers of states, cut points and values; lower is better.
    trace : ndarray of float, read-only
        Description length, bits, at the start and after each change of the graph or of a column; never increases.
    status : {"converged", "max_iterations", "stopped"}
    """

    cuts: Mapping[str, tuple[float, ...]]
    frame: pd.DataFrame = field(repr=False)
    graph: LearnedGraph = field(repr=False)
    bits: float
    trace: FloatArray = field(repr=False)
    status: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuts", MappingProxyType(dict(self.cuts)))
        self.trace.setflags(write=False)

    @property
    def levels(self) -> dict[str, int]:
        """Number of states of each measured column."""
        return {name: len(points) + 1 for name, points in self.cuts.items()}


@validated
def learn_discretization(
    frame: pd.DataFrame,
    score: TableScore | None = None,
    search: Search | None = None,
    constraints: Constraints | None = None,
    *,
    rng: Seed = 0,
    columns: Sequence[str] | None = None,
    min_levels: Annotated[int, Ge(1), Le(MOST_BINS)] = FEWEST_LEVELS,
    max_levels: Annotated[int, Ge(1), Le(MOST_BINS)] = MOST_LEVELS,
    progress: Progress | None = None,
) -> LearnedDiscretization:
    """Learn the number of states of each measured column, and its cut points, jointly with the graph.

    Two steps alternate until the description length stays the same: for a fixed graph, the cut points of each column
    are optimized given those of the others; for fixed cut points, the graph is learned and kept if its score is higher
    (Friedman & Goldszmidt 1996, Sec. 4). A column's cut points are optimal among 50 midpoints of its values that split
    the rows evenly, by dynamic programming where the source splits greedily. The result is a local optimum: the best of
    three, from 2, 3 and 4 states of equally many rows, with its cut points finally refined among all midpoints.

    Parameters
    ----------
    frame : DataFrame
        Columns that are not cut are discrete. Missing cells form a state of their own.
    score : score, default BIC()
        With BIC the description length is that of the source. Not BDe or BDs, whose prior depends on the states.
    search : search, default IteratedLocalSearch(prove=False)
    constraints : Constraints, optional
    rng : int, Generator or None, default 0; None draws anew at each call
    columns : sequence of str, optional
        Columns to cut; by default the numeric ones with more than 12 distinct values.
    min_levels, max_levels : int
        Bounds of the number of states. If one state is allowed, a column without neighbours becomes constant, and no
        edge can involve it afterwards.
    progress : callable, optional
        Called with (columns visited, upper bound); returning False stops and keeps what is done.

    Returns
    -------
    LearnedDiscretization
        Does not depend on the order of the columns.

    Raises
    ------
    DataError
        If a column does not exist, holds no numbers or is empty, or a discrete column has too many states.
    ValueError
        If the score is not supported, or min_levels exceeds max_levels.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> dose = np.linspace(0, 1, 300)
    >>> effect = np.where(dose > 0.4, "yes", "no")
    >>> found = learn_discretization(pd.DataFrame({"dose": dose, "effect": effect}))
    >>> [round(point, 2) for point in found.cuts["dose"]]
    [0.4]
    """
    score, search = score or BIC(), search or IteratedLocalSearch(prove=False)
    check_decomposable(score)
    if min_levels > max_levels:
        raise ValueError(f"min_levels must be at most max_levels; got {min_levels=}, {max_levels=}")
    frame = frame.set_axis(column_names(frame), axis=1)
    measured = sorted(_checked(frame, columns))
    table = described(frame, measured, min_levels, max_levels)
    if getattr(search, "ordering", ()) is None:  # the given column order, not the sorted one
        search = dataclasses.replace(search, ordering=tuple(frame.columns))  # type: ignore[type-var]
    alternation = Alternation(table, score, search, constraints, generator_of(rng), progress)
    best = alternation.converge(alternation.start(STARTS[0]))
    for start in STARTS[1:]:
        other = alternation.converge(alternation.start(start))
        if other.length < best.length - TOLERANCE:
            best = other
    best = alternation.converge(best, fine=True)
    points = {
        name: tuple(legible(table.candidates[name].points[list(best.chosen[name])], distinct_numbers(frame[name])))
        for name in measured
    }
    cuts = {name: points[name] for name in frame.columns if name in points}
    trace = np.array(best.trace) / math.log(2)
    graph = dataclasses.replace(_in_order(best.graph, list(frame.columns)), seed=seed_of(rng))
    return LearnedDiscretization(cuts, cut_at(frame, cuts), graph, float(trace[-1]), trace, best.status)


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
    score, search, constraints, rng
        How graphs are learned.
    progress : callable or None
        Called with (columns visited, upper bound); returning False stops with the current iterate.
    """

    table: DescribedTable
    score: TableScore
    search: Search
    constraints: Constraints | None
    rng: np.random.Generator
    progress: Progress | None
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
            return learn(self.table.data(chosen), self.score, self.search, self.constraints, rng=self.rng, stop=stop)

        graph = stoppable(learned, self._between_columns())
        self.stopped = self.stopped or graph.status == "stopped"
        return graph

    def _between_columns(self) -> Progress | None:
        """Return the callback, for work between two columns, which counts for nothing."""
        progress = self.progress
        return None if progress is None else lambda done, total: progress(self.visited, self._planned)

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
        return 6 * (1 + len(STARTS)) * len(self.table.candidates)  # about six visits of each column per pass

    def _report(self) -> None:
        self.visited = min(self.visited + 1, self._planned)
        if self.progress is not None and self.progress(self.visited, self._planned) is False:
            self.stopped = True


def _checked(frame: pd.DataFrame, columns: Sequence[str] | None) -> list[str]:
    chosen = measured_columns(frame) if columns is None else list(checked_columns(columns, "columns", "name it once"))
    check_numeric(frame, chosen)
    for name in chosen:
        if frame[name].isna().all():
            raise DataError(f"column '{name}' has no values; leave it out")
    return chosen


def _in_order(graph: LearnedGraph, names: Sequence[str]) -> LearnedGraph:
    """Return the graph with its variables in the given order."""
    places = [graph.names.index(name) for name in names]
    return dataclasses.replace(graph, names=tuple(names), adjacency=graph.adjacency[np.ix_(places, places)])
