"""What the states do to an experiment's edges: too coarse bins make some, too many states hide others.

An edge between variables of many states costs so many parameters that few rows cannot pay for it; joined states may.
For the edges that bins make see ``bnengine.answers.binning``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine.answers.binning import FinerBins, finer_bins
from bnengine.data.columns import numeric_columns
from bnengine.data.dataset import Dataset
from bnengine.discretization.discretize import BY_SCORE
from bnengine.experiment.column_lists import BY_HAND, MOST_BINS, NO_DISCRETIZATION
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.dag import Edge
from bnengine.search.learning import drawn_once

#: How fine: numbers of bins b become b + 2 and 2 b + 2, so that 3 become 5 and 8.
_FINER = ((1, 2), (2, 2))
#: With more states than this, a variable without an edge may have one once its states are joined.
_MANY_STATES = 5


def check_states(
    experiment: Experiment, frame: pd.DataFrame, data: Dataset, edges: Sequence[Edge], progress: Progress | None = None
) -> StatesCheck:
    """Learn again with finer bins, and with the states of variables without an edge joined.

    Parameters
    ----------
    experiment : Experiment
        Its recipe says how the table is treated; columns that are cut by hand keep their bins.
    frame : DataFrame
        The raw table.
    data : Dataset
        As the recipe makes it of the table.
    edges : sequence of (parent, child)
        Of the graph learned by the experiment.
    progress : callable, optional
        Called with (graphs learned, graphs to learn); returning False stops the work.

    Returns
    -------
    StatesCheck
    """
    tables = {
        bins: drawn_once(recipe.prepare(frame), experiment.seed)
        for bins, recipe in _finer(experiment.data, frame).items()
    }
    finer = finer_bins(edges, tables, experiment.full_score, experiment.learn, progress)
    stopped = finer.status == "stopped"
    return StatesCheck(finer, None if stopped else joined_states(experiment, frame, data, edges))


def may_depend_on_states(recipe: Recipe, frame: pd.DataFrame, data: Dataset) -> bool:
    """Return whether a table has binned columns or variables of many states, so that there is something to check."""
    return bool(_finer(recipe, frame)) or max(map(len, data.states)) > _MANY_STATES


@dataclass(frozen=True)
class StatesCheck:
    """What the states do to the edges of a graph: those made by coarse bins, those hidden by many states."""

    finer: FinerBins
    joined: JoinedStates | None

    @property
    def status(self) -> str:
        """``"stopped"`` if not all numbers of bins were tried."""
        return self.finer.status


@dataclass(frozen=True)
class JoinedStates:
    """Variables without an edge whose many states hide some, and the treatment that joins the states.

    Attributes
    ----------
    states : (int, int)
        The fewest and the most states that they have.
    recipe : Recipe
        In which their states are joined: numbers in bins, texts in one state for the less common ones.
    new_edges : int
        How many edges more the graph then has.
    """

    variables: tuple[str, ...]
    states: tuple[int, int]
    recipe: Recipe
    new_edges: int

    @property
    def sentence(self) -> str:
        """Say why edges are missing, and what would find them."""
        low, high = self.states
        many = str(low) if low == high else f"{low} to {high}"
        each, them = (" each", "their states") if len(self.variables) > 1 else ("", "its states")
        verb = "have" if len(self.variables) > 1 else "has"
        return (
            f"{counted(len(self.variables), 'variable')} without an edge {verb} {many} states{each}, so that an edge "
            f"costs many parameters. With {them} joined, {counted(self.new_edges, 'more edge')} would be found."
        )


def joined_states(
    experiment: Experiment, frame: pd.DataFrame, data: Dataset, edges: Sequence[Edge]
) -> JoinedStates | None:
    """Learn again with the states joined of variables that have many states and no edge; None if that finds no more.

    Parameters
    ----------
    experiment : Experiment
    frame : DataFrame
        The raw table.
    data : Dataset
        As the experiment's recipe makes it of the table.
    edges : sequence of (parent, child)
        Of the graph learned by the experiment.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import bnengine as bn
    >>> rng = np.random.default_rng(1)
    >>> pain = rng.integers(0, 11, 200)
    >>> frame = pd.DataFrame({"pain": pain, "sleep": 10 - pain + rng.integers(-4, 5, 200)})
    >>> experiment = bn.Experiment(bn.Recipe("file", "diary.csv"))
    >>> print(joined_states(experiment, frame, experiment.data.prepare(frame), []).sentence)
    2 variables without an edge have 11 to 19 states each, so that an edge costs many parameters. With their states \
joined, 1 more edge would be found.
    """
    recipe, ends = experiment.data, {name for edge in edges for name in edge}
    many = [name for name in data.names if name not in ends and len(data.states[data.index(name)]) > _MANY_STATES]
    if not many:
        return None
    raw = {new: old for old, new in recipe.renamed}
    columns, repaired = [raw.get(name, name) for name in many], recipe.repaired(frame)
    numeric = [name for name in numeric_columns(repaired) if name in columns]
    rare = {name: _fewest_rows(repaired[name]) for name in columns if name not in numeric}
    joined = dataclasses.replace(
        recipe,
        per_column=(
            *(one for one in recipe.per_column if one[0] not in numeric),
            *((name, "quantile") for name in numeric),
        ),
        rare=(*(one for one in recipe.rare if one[0] not in rare), *((name, str(rows)) for name, rows in rare.items())),
        states=tuple(one for one in recipe.states if one[0] not in columns),
    )
    again = dataclasses.replace(experiment, data=joined).learn(joined.prepare(frame))
    arities = [len(data.states[data.index(name)]) for name in many]
    more = len(again.edges) - len(edges)
    return JoinedStates(tuple(many), (min(arities), max(arities)), joined, more) if more > 0 else None


def _fewest_rows(column: pd.Series[str]) -> int:
    """Return below how many rows a state is merged so that at most ``_MANY_STATES`` remain, with the merged one."""
    return int(column.value_counts().iloc[_MANY_STATES - 1]) + 1


def _finer(recipe: Recipe, frame: pd.DataFrame) -> dict[int, Recipe]:
    """Return the recipe with finer bins, by the default number of bins; none where no column is binned."""
    methods, _ = recipe.treatment(recipe.repaired(frame)[recipe.used(recipe.repaired(frame))])
    if not any(isinstance(how, str) for how in methods.values()):
        return {}
    made = [_with_bins(recipe, factor, more) for factor, more in _FINER]
    return {one.bins: one for one in made}


def _with_bins(recipe: Recipe, factor: int, more: int) -> Recipe:
    """Return the recipe with more bins; where the score chose the bins, they hold equally many rows."""

    def number(bins: int) -> int:
        return min(factor * bins + more, MOST_BINS)

    def column(name: str, how: str, *own: str) -> tuple[str, ...]:
        if how in (NO_DISCRETIZATION, BY_HAND):
            return (name, how, *own)
        return (name, "quantile" if how == BY_SCORE else how, *(str(number(int(bins))) for bins in own))

    return dataclasses.replace(
        recipe,
        bins=number(recipe.bins),
        discretization="quantile" if recipe.discretization == BY_SCORE else recipe.discretization,
        per_column=tuple(column(*one) for one in recipe.per_column),
    )
