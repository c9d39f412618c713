"""What the states do to the edges: too coarse bins make some, too many states hide others.

Two variables that are independent given a third one are dependent given only which bin the third one is in. With enough
rows such an edge is certain, and still not real. With finer bins the dependence left over shrinks, and the edge goes;
an edge that goes although its two variables still depend is therefore a suspect. Conversely, an edge between variables
of many states costs so many parameters that few rows cannot pay for it; joined states may.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine.data.columns import numeric_columns
from bnengine.data.dataset import Dataset
from bnengine.discretization.discretize import BY_SCORE
from bnengine.experiment.column_lists import BY_HAND, MOST_BINS, NO_DISCRETIZATION
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search.learning import drawn_once

Pair = tuple[str, str]
#: How fine: numbers of bins b become b + 2 and 2 b + 2, so that 3 become 5 and 8.
_FINER = ((1, 2), (2, 2))
_NAMED = 4  # in a sentence


@dataclass(frozen=True)
class FinerBins:
    """What became of each adjacency with finer bins.

    Attributes
    ----------
    bins : tuple of int
        The numbers of bins that were tried, in place of the default one.
    found : dict from (str, str) to tuple of int
        With which of them each adjacency was found again; the names of each pair are in alphabetical order.
    suspects : dict from (str, str) to tuple of int
        Adjacencies that are gone with these numbers of bins, although the score still gains from the edge alone:
        other variables explain the dependence, so that binning may have made the edge.
    status : str
        "converged", or "stopped" before all numbers of bins were tried.
    """

    bins: tuple[int, ...]
    found: dict[Pair, tuple[int, ...]]
    suspects: dict[Pair, tuple[int, ...]]
    status: str = "converged"

    def about(self, one: str, other: str) -> str:
        """Say what became of an adjacency; empty if it was not tried."""
        pair = _pair(one, other)
        if pair not in self.found or not self.bins:
            return ""
        if pair in self.suspects:
            return f"gone with {_bins(self.suspects[pair])}: perhaps by binning alone"
        if self.found[pair] == self.bins:
            return f"also with {_bins(self.bins)}"
        return f"too weak for {_bins([one for one in self.bins if one not in self.found[pair]])}"

    def suspected(self, one: str, other: str) -> bool:
        """Whether binning alone may have made an adjacency."""
        return _pair(one, other) in self.suspects

    @property
    def sentence(self) -> str:
        """Name the adjacencies that binning may have made, or say how many are found with finer bins, too."""
        if not self.suspects:
            again = sum(numbers == self.bins for numbers in self.found.values())
            return f"{again} of {counted(len(self.found), 'edge')} are found with {_bins(self.bins)}, too."
        named = [f"{one} – {other} (gone with {_bins(numbers)})" for (one, other), numbers in self.suspects.items()]
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        return (
            f"{counted(len(named), 'edge')} may exist by binning alone: {', '.join(named[:_NAMED])}{more}. With finer "
            "bins, other variables explain that dependence."
        )


def finer_bins(
    experiment: Experiment, frame: pd.DataFrame, edges: Sequence[Pair], progress: Progress | None = None
) -> FinerBins:
    """Learn again from the same table with finer bins, and compare the adjacencies.

    Parameters
    ----------
    experiment : Experiment
        Its recipe says how the table is treated; columns that are cut by hand stay as they are.
    frame : DataFrame
        The raw table.
    edges : sequence of (parent, child)
        Of the graph learned by the experiment.
    progress : callable, optional
        Called with (graphs learned, graphs to learn); returning False stops the work.

    Returns
    -------
    FinerBins
        Without any numbers of bins where no column is binned.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import bnengine as bn
    >>> rng = np.random.default_rng(1)
    >>> plan = rng.choice(3, 4000)
    >>> minutes = rng.gamma(4, 10, 4000) * 2.0**plan  # the plan decides on the minutes, the minutes on the cost
    >>> frame = pd.DataFrame({"plan": plan, "minutes": minutes, "cost": minutes * rng.uniform(0.8, 1.2, 4000)})
    >>> experiment = bn.Experiment(bn.Recipe("file", "calls.csv", discretization="quantile", bins=2))
    >>> graph = experiment.learn(experiment.data.prepare(frame))
    >>> finer_bins(experiment, frame, graph.edges).suspects
    {('cost', 'plan'): (4, 6)}
    """
    recipes = _finer(experiment.data, frame)
    pairs = sorted({_pair(parent, child) for parent, child in edges})
    found: dict[Pair, list[int]] = {pair: [] for pair in pairs}
    gone: dict[Pair, list[int]] = {}
    tried: list[int] = []
    for bins, recipe in recipes.items():
        if progress is not None and progress(len(tried), len(recipes)) is False:
            break
        data = drawn_once(recipe.prepare(frame), experiment.seed)
        again = {_pair(*edge) for edge in dataclasses.replace(experiment, data=recipe).learn(data).edges}
        tried.append(bins)
        for pair in pairs:
            if pair in again:
                found[pair].append(bins)
            elif _gain(data, pair, experiment.full_score) > 0:
                gone.setdefault(pair, []).append(bins)
    return FinerBins(
        tuple(tried),
        {pair: tuple(numbers) for pair, numbers in found.items()},
        {pair: tuple(numbers) for pair, numbers in gone.items()},
        "converged" if len(tried) == len(recipes) else "stopped",
    )


@dataclass(frozen=True)
class StatesCheck:
    """What the states do to the edges of a graph: those made by coarse bins, those hidden by many states."""

    finer: FinerBins
    joined: JoinedStates | None

    @property
    def status(self) -> str:
        """``"stopped"`` if not all numbers of bins were tried."""
        return self.finer.status


def check_states(
    experiment: Experiment, frame: pd.DataFrame, data: Dataset, edges: Sequence[Pair], progress: Progress | None = None
) -> StatesCheck:
    """Return both answers about a learned graph (see ``finer_bins`` and ``joined_states``)."""
    finer = finer_bins(experiment, frame, edges, progress)
    stopped = finer.status == "stopped"
    return StatesCheck(finer, None if stopped else joined_states(experiment, frame, data, edges))


def may_depend_on_states(recipe: Recipe, frame: pd.DataFrame, data: Dataset) -> bool:
    """Return whether a table has binned columns or variables of many states, so that there is something to check."""
    return bool(_finer(recipe, frame)) or max(map(len, data.states)) > _MANY_STATES


#: With more states than this, a variable without an edge may have one once its states are joined.
_MANY_STATES = 5


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
    experiment: Experiment, frame: pd.DataFrame, data: Dataset, edges: Sequence[Pair]
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


def _gain(data: Dataset, pair: Pair, score: TableScore) -> float:
    """Return the gain in score of the edge between two variables without other parents, nats."""
    scores, (i, j) = LocalScores(data, score), map(data.index, pair)
    return max(scores(b, [a]) - scores(b) for a, b in ((i, j), (j, i)))


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _bins(numbers: Sequence[int]) -> str:
    """Write numbers of bins.

    >>> _bins([5, 8])
    '5 and 8 bins'
    """
    return f"{' and '.join(map(str, numbers))} bins"
