"""Which edges of an experiment are there by coarse bins alone: learned again with finer ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine.answers.binning import FinerBins, finer_bins
from bnengine.discretization.discretize import BY_SCORE
from bnengine.experiment.column_lists import BY_HAND, MOST_BINS, NO_DISCRETIZATION
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.dag import Edge
from bnengine.search.learning import drawn_once

#: How fine: numbers of bins b become b + 2 and 2 b + 2, so that 3 become 5 and 8.
_FINER = ((1, 2), (2, 2))


def check_bins(
    experiment: Experiment, frame: pd.DataFrame, edges: Sequence[Edge], progress: Progress | None = None
) -> FinerBins:
    """Learn again with finer bins.

    Parameters
    ----------
    experiment : Experiment
        Its recipe says how the table is treated; columns that are cut by hand keep their bins.
    frame : DataFrame
        The raw table.
    edges : sequence of (parent, child)
        Of the graph learned by the experiment.
    progress : callable, optional
        Called with (graphs learned, graphs to learn); returning False stops the work.

    Returns
    -------
    FinerBins
        See ``bnengine.answers.binning``.
    """
    tables = {
        bins: drawn_once(recipe.prepare(frame), experiment.seed)
        for bins, recipe in _finer(experiment.data, frame).items()
    }
    return finer_bins(edges, tables, experiment.full_score, experiment.learn, progress)


def has_bins(recipe: Recipe, frame: pd.DataFrame) -> bool:
    """Return whether a table has binned columns, so that there is something to check."""
    return bool(_finer(recipe, frame))


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
