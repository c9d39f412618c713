"""Discretisation joint with the graph: as many levels a column, and where, as describe the table most briefly."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine.data.cuts import cut_at, measured_columns, numeric_columns
from bnengine.data.dataset import DataError
from bnengine.discretization.alternation import Alternation
from bnengine.discretization.description_length import described
from bnengine.discretization.levels import TOLERANCE, refuse
from bnengine.graphs.constraints import Constraints
from bnengine.scores.scores import BIC, TableScore
from bnengine.search import HillClimbing, LearnedGraph, Search

if TYPE_CHECKING:
    import pandas as pd

#: Levels that a column may get, unless said otherwise.
FEWEST_LEVELS, MOST_LEVELS = 2, 8
#: Even cuts to set out from; the shortest description reached from any of them is kept.
STARTS = (3, 2, 4)


@dataclass(frozen=True, eq=False)
class LearnedDiscretization:
    """Cuts learned jointly with a graph.

    Attributes
    ----------
    cuts : mapping from str to tuple of float
        The cut points of each measured column, increasing; a value at a cut is in the level below it.
    frame : DataFrame
        The given frame with the measured columns cut; missing cells are still missing.
    graph : LearnedGraph
        The graph that was learned with them; in it the missing cells of a column are a state of their own.
    bits : float
        Description length of the whole table: network, levels, cuts and numbers; lower is better.
    trace : ndarray of float, read-only
        Description length, bits, at the start and after each change of a graph or a column's cuts. Never rises.
    status : str
        ``"converged"``, ``"max_iterations"`` or ``"stopped"``.
    """

    cuts: Mapping[str, tuple[float, ...]]
    frame: pd.DataFrame = field(repr=False)
    graph: LearnedGraph = field(repr=False)
    bits: float
    trace: npt.NDArray[np.float64] = field(repr=False)
    status: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuts", MappingProxyType(dict(self.cuts)))
        self.trace.setflags(write=False)

    @property
    def levels(self) -> dict[str, int]:
        """How many levels each measured column got."""
        return {name: len(points) + 1 for name, points in self.cuts.items()}


def learn_discretization(
    frame: pd.DataFrame,
    score: TableScore | None = None,
    search: Search | None = None,
    constraints: Constraints | None = None,
    rng: Seed = 0,
    *,
    columns: Sequence[str] | None = None,
    min_levels: int = FEWEST_LEVELS,
    max_levels: int = MOST_LEVELS,
    progress: Progress | None = None,
) -> LearnedDiscretization:
    """Learn the number of levels of each measured column, and the cuts, jointly with the graph.

    In turn, until the description length stays: with the graph held, each column is cut anew, the others' cuts held,
    so that the families it is in and its cuts are described most briefly; with the cuts held, the graph is learned
    anew and kept if its score is higher (Friedman & Goldszmidt 1996, Sec. 4). A column's cuts are the best of all
    among 50 midpoints of its values that split the rows evenly, found by dynamic programming where the source splits
    greedily. This ends in a local optimum; the best of three is taken, set out from 2, 3 and 4 levels of equally many
    rows, and its cuts are then moved among all midpoints.

    Parameters
    ----------
    frame : DataFrame
        The other columns are taken as discrete. Missing cells count as a state of their own.
    score : score, default BIC()
        With BIC the description length is that of the source. Any but BDe and BDs, whose prior depends on the states.
    search : search, default HillClimbing()
    constraints : Constraints, optional
    rng : int, Generator or None
    columns : sequence of str, optional
        Which columns to cut; None takes the numeric ones with more than 12 distinct values.
    min_levels, max_levels : int
        With one level allowed, a column without neighbours becomes a constant, and no edge will ever touch it.
    progress : callable, optional
        Called with (columns looked at, most that there can be); returning False stops, and what was found stands.

    Returns
    -------
    LearnedDiscretization
        The same for any order of the columns.

    Raises
    ------
    DataError
        A column that is not there or holds no numbers; a discrete column with too many states.
    ValueError
        Another score, or bounds of the levels that contradict each other.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> dose = np.linspace(0, 1, 300)
    >>> effect = np.where(dose > 0.4, "yes", "no")
    >>> found = learn_discretization(pd.DataFrame({"dose": dose, "effect": effect}))
    >>> [round(point, 2) for point in found.cuts["dose"]]
    [0.4]
    """
    score, search = score or BIC(), search or HillClimbing()
    refuse(score)
    if not 1 <= min_levels <= max_levels:
        raise ValueError(
            f"min_levels must be 1 or more and at most max_levels; got min_levels={min_levels}, max_levels={max_levels}"
        )
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    measured = sorted(_checked(frame, columns))
    table = described(frame, measured, min_levels, max_levels)
    if getattr(search, "ordering", ()) is None:  # the order of the given columns, not of the sorted ones
        search = dataclasses.replace(search, ordering=tuple(frame.columns))  # type: ignore[type-var]
    alternation = Alternation(table, score, search, constraints, generator_of(rng), progress, 1 + len(STARTS))
    best = alternation.settle(alternation.start(STARTS[0]))
    for start in STARTS[1:]:
        reached = alternation.settle(alternation.start(start))
        if reached.length < best.length - TOLERANCE:
            best = reached
    best = alternation.settle(best, fine=True)
    points = {name: tuple(table.candidates[name].points[list(best.chosen[name])].tolist()) for name in measured}
    cuts = {name: points[name] for name in frame.columns if name in points}
    trace = np.array(best.trace) / math.log(2)
    graph = dataclasses.replace(_in_order(best.graph, list(frame.columns)), seed=seed_of(rng))
    return LearnedDiscretization(cuts, cut_at(frame, cuts), graph, float(trace[-1]), trace, best.status)


def _checked(frame: pd.DataFrame, columns: Sequence[str] | None) -> list[str]:
    numeric = numeric_columns(frame)
    chosen = measured_columns(frame) if columns is None else list(columns)
    for name in chosen:
        if chosen.count(name) > 1:
            raise DataError(f"column '{name}' is named twice; name each column once")
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}' to discretise")
        if name not in numeric:
            raise DataError(f"column '{name}' holds words, not numbers; it is discrete already")
        if frame[name].isna().all():
            raise DataError(f"column '{name}' has no values; leave it out")
    return chosen


def _in_order(graph: LearnedGraph, names: Sequence[str]) -> LearnedGraph:
    """The graph with its variables in the given order."""
    places = [graph.names.index(name) for name in names]
    return dataclasses.replace(graph, names=tuple(names), adjacency=graph.adjacency[np.ix_(places, places)])
