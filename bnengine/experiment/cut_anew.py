"""Cut points learned anew in every replicate, as its graph is (Steck & Jaakkola 2003, footnote 5).

With cut points fixed at those of the data, replicates differ less than fresh tables do, of which each would be cut at
points of its own. Here a replicate takes rows of the table of numbers and is cut as the data were. A column keeps its
number of states, so that |theta| is the same for the data and all replicates, and the correction is that of a resample
with fixed cut points: half a nat per parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray
from bnengine._core.environment import pd
from bnengine._core.validation import accepts, validated
from bnengine.bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, Replicate, Resampler, checked_replicate
from bnengine.bootstrap.resampling_methods import RESAMPLING_METHODS, Method
from bnengine.data.checked_frame import MISSING, checked_frame
from bnengine.data.columns import numbers_of
from bnengine.data.dataset import Dataset, worth_as
from bnengine.data.sampling_weights import SamplingWeights
from bnengine.discretization.discretize import CutRule, Cuts, choose_cuts
from bnengine.experiment.recipe import Recipe

__all__ = ["CutAnew"]

#: Resampling methods whose replicates are rows of the table; others draw states, which were no numbers.
TAKE_ROWS = (Bootstrap, DeleteD, Jackknife)


@dataclass(frozen=True, eq=False)
class CutAnew:
    """A resampling method whose replicates choose the cut points of their numbers themselves.

    It answers whether an edge would be found again in a fresh table that is cut as this one was, not whether it would
    be found again between these very cut points.

    Attributes
    ----------
    resampler : Bootstrap, DeleteD or Jackknife
        Which rows a replicate takes.
    frame : DataFrame
        The table before it was cut: the rows of the data, in their order, and columns under the data's names.
    method : {"quantile", "width", "kmeans", "hartemink", "score"} or mapping from column to method
        As of ``bn.discretize``. By "score", cut points are learned jointly with a graph, from one start.
    columns : sequence of str, optional
        The columns that are cut; by default as for ``bn.discretize``.

    Examples
    --------
    >>> import bnengine as bn
    >>> frame = bn.load_sample("regulon_raw").iloc[:, :5]
    >>> data = bn.Dataset.from_frame(bn.discretize(frame))
    >>> again = bn.CutAnew(bn.Bootstrap(20), frame)
    >>> bn.resample(data, bn.BIC(), bn.HillClimbing(), again, "leading").resampler
    'bootstrap, cut anew'
    """

    resampler: Resampler
    frame: pd.DataFrame
    method: str | Mapping[str, CutRule] = "quantile"
    columns: Sequence[str] | None = None

    @property
    def name(self) -> str:
        """The method's name, and that its replicates are cut anew."""
        return f"{self.resampler.name}, cut anew"

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def n_replicates(self, data: Dataset) -> int:
        """Return the number of replicates to learn from."""
        return self.resampler.n_replicates(data)

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def check(self, data: Dataset) -> None:
        """Raise a ValueError unless replicates are rows of the table, and its rows those of the data."""
        if not isinstance(self.resampler, TAKE_ROWS):
            raise ValueError(
                f"resampler must take rows of the table, as Bootstrap, DeleteD and Jackknife do; replicates of "
                f"'{self.resampler.name}' have no numbers that could be cut"
            )
        if len(checked_frame(self.frame)) != data.n_rows:
            raise ValueError(
                f"frame must have the rows of the data, {data.n_rows:,}; got {len(self.frame):,}: leave out the same "
                "rows, and count none twice"
            )
        self.resampler.check(data)
        self._bins(data)

    def replicate(self, data: Dataset, number: int, rng: np.random.Generator) -> Replicate:
        """Return the replicate of that number, cut at points of its own."""
        drawn = checked_replicate(self.resampler.replicate(data, number, rng), data)
        cut = [numbers_of(self.frame[name]) for name in sorted(self._bins(data))]
        rows = rows_of(drawn.weights, data, isinstance(self.resampler, Bootstrap), rng, cut)
        taken, frame = data.take(rows), self.frame.iloc[rows]
        codes = taken.codes.copy()
        for name, points in self._cut(frame, self._bins(data)).items():
            numbers, column = numbers_of(frame[name]), codes[:, data.index(name)]
            seen = np.isfinite(numbers)
            column[seen] = np.searchsorted(points, numbers[seen], side="left")
        made = Dataset(data.names, data.states, codes, taken.experiments, data.missing_way, dependent=taken.dependent)
        made = worth_as(data, made)
        return Replicate(made.multiplicities.astype(np.int32), drawn.multiplicity, made)

    def _cut(self, frame: pd.DataFrame, bins: Mapping[str, int]) -> Cuts:
        method = self.method if isinstance(self.method, str) else {name: self.method[name] for name in bins}
        return choose_cuts(frame, method, bins, list(bins), fixed=True)

    def _bins(self, data: Dataset) -> dict[str, int]:
        """Return the number of states of each column that is cut, without one that stands for missing cells."""
        columns = self.columns if self.columns is not None else None if isinstance(self.method, str) else self.method
        names = list(choose_cuts(self.frame, self.method, columns=None)) if columns is None else list(columns)
        found = {}
        for name in names:
            codes, seen = data.codes[:, data.index(name)], np.isfinite(numbers_of(self.frame[name]))
            filled = np.setdiff1d(codes[~seen], [*np.unique(codes[seen]), MISSING])
            found[name] = len(data.states[data.index(name)]) - len(filled)
        return {name: bins for name, bins in found.items() if bins > 1}


def rows_of(
    weights: Int32Array, data: Dataset, replace: bool, rng: np.random.Generator, numbers: Sequence[FloatArray] = ()
) -> IntArray:
    """Return the row numbers of a resample that is given by the weights of the distinct rows, increasing.

    The weights do not tell which of equal rows were drawn. Given the weights, all choices are equally likely. Rows of
    equal states are distinguished by the numbers that they were cut from, not by their places in the table.
    """
    if isinstance(data.dependent, SamplingWeights):
        return np.repeat(np.arange(data.n_rows), weights // data.multiplicities)
    shuffled = np.lexsort([*numbers, data.rank_of_row])[rng.permutation(data.n_rows)]
    by_row = shuffled[np.argsort(data.rank_of_row[shuffled], kind="stable")]  # equal rows together, at random
    order = data.distinct_rows_in_order
    times, weights = data.multiplicities[order], weights[order]
    first = np.repeat(np.cumsum(times) - times, weights)
    if replace:
        places = first + (rng.random(len(first)) * np.repeat(times, weights)).astype(np.int64)
    else:
        places = first + np.arange(len(first)) - np.repeat(np.cumsum(weights) - weights, weights)
    return np.asarray(np.sort(by_row[places]))


# Of an experiment: its methods with cut points learned anew.


def takes_rows(key: str) -> bool:
    """Return whether a method's replicates are rows of the table, or it repeats the search on the table itself."""
    return key == "data" or RESAMPLING_METHODS[key].resampler in TAKE_ROWS


@validated
def cut_anew(methods: Sequence[Method], recipe: Recipe, frame: pd.DataFrame, cuts: Cuts | None = None) -> list[Method]:
    """Return resampling methods whose replicates are cut anew, as a recipe cuts the raw table.

    Parameters
    ----------
    methods : sequence of Method
        That of the given data stays as it is.
    recipe : Recipe
    frame : DataFrame
        The raw table.
    cuts : mapping from column to cut points, optional
        Those of the data, if they are known.

    Raises
    ------
    ValueError
        If no column is cut by a method, or rows are counted by a column.
    """
    numbers, how = recipe.before_cutting(frame, cuts)
    if not how:
        raise ValueError(
            "recut needs a column of numbers that a method cuts into states; these data have none: switch recut off"
        )
    return [
        replace(one, resampler=CutAnew(one.resampler, numbers, how)) if isinstance(one.resampler, TAKE_ROWS) else one
        for one in methods
    ]
