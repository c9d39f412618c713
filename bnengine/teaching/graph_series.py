"""Graphs learned along a series of values, several at a time, with progress and stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.parallel import Progress, Step, run
from bnengine._core.stoppable import Flag
from bnengine.search import LearnedGraph

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class GraphSeries:
    """Graphs learned along a series of values, such as equivalent sample sizes.

    Attributes
    ----------
    graphs : dict from float to LearnedGraph
        By value, in the order asked for; some are missing if the work was stopped.
    table : DataFrame
        One line per graph.
    status : {"converged", "stopped"}
    """

    graphs: dict[float, LearnedGraph] = field(repr=False)
    table: pd.DataFrame = field(repr=False)
    status: str


def learn_each(
    learned: Callable[[float, Flag], LearnedGraph], values: Sequence[float], progress: Progress | None
) -> tuple[list[tuple[float, LearnedGraph]], str]:
    """The graph of each value, and whether the work was stopped; a graph whose search a stop ended is left out.

    Parameters
    ----------
    learned : callable
        Gets a value and the flag that ends its search.
    values : sequence of float
    progress : callable, optional
        Called with (graphs learned, all graphs); returning False stops.
    """

    def prepared(stop: Flag | None) -> Step[tuple[float, LearnedGraph]]:
        def one(number: int, _: np.random.Generator) -> tuple[float, LearnedGraph] | None:
            assert stop is not None  # threads have one
            graph = learned(values[number], stop)
            return None if graph.status == "stopped" else (values[number], graph)

        return one

    if not len(values):
        return [], "converged"
    unused = [np.random.default_rng(0)] * len(values)  # the graphs differ by their values only
    found, stopped = run(prepared, unused, None, progress)
    return found, "stopped" if stopped else "converged"
