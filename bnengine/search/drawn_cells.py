"""Missing cells filled by draws from a network that is fitted to what is seen, and learned anew from its own draws.

Beside numbers they are matched instead, each with what the Markov blanket in such a graph predicts.

Bootstrap, then impute: each replicate draws its rows with their missing cells, and fills these by draws of its own,
so that the uncertainty about them is included, like that about the rows. The network that they are drawn from
begins with a graph learned from the given data, families counted where they are seen; then graph and probabilities
are learned from the completed rows, from which the cells are drawn again (data augmentation: Tanner & Wong 1987;
for graphs, Adel & de Campos 2017).
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from bnengine._core.arrays import BoolArray, Int32Array, UInt8Array
from bnengine._core.parallel import Progress, one_thread_each, stoppable
from bnengine._core.random_generators import Seed, generator_of
from bnengine.data.dataset import Dataset, worth_as
from bnengine.data.interventions import Experiments
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, blankets, edges_of
from bnengine.networks.matched_cells import matched_cells
from bnengine.networks.missing_cells import draw_missing
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.scores.local_score import LocalScores, default_score
from bnengine.search.column_order import Columns

_ESS = 1.0  # of the prior of probabilities that cells are drawn from: none is 0
_MAX_PARENTS = 4


#: What the first pass over a table with numbers found: the same for all methods and pieces of work on it.
_MATCHED_BY: WeakKeyDictionary[Dataset, BoolArray] = WeakKeyDictionary()


class DrawnCells:
    """Completions of a table with missing cells and of its resamples.

    Cells are drawn twice: under the graph of the given data, then under a graph of the completed rows.
    """

    def __init__(self, data: Dataset, stop: UInt8Array | None = None, near: BoolArray | None = None) -> None:
        space = Constraints().resolve(data.names, _MAX_PARENTS)
        self._names, self._columns, self._stop = data.names, Columns(data.names, space), stop
        self.near = near  # which variables are matched by which, where there are numbers
        first = np.random.default_rng(0)
        if data.numbers:
            self.near = _MATCHED_BY.get(data) if near is None else near
            if self.near is None:
                with one_thread_each():
                    every = np.ones((data.n_variables, data.n_variables), dtype=np.bool_)
                    self.near = blankets(self._climbed(matched_cells(data, every, first, stop=stop), first))
                if stop is None or not stop[0]:
                    _MATCHED_BY[data] = self.near
            return
        self._first = edges_of(self._names, self._climbed(data.with_missing("complete_families"), first))

    def network(self, table: Dataset, rng: np.random.Generator) -> BayesianNetwork:
        """Return the network from which the missing cells of a resample are drawn last."""
        completed = draw_missing(fit(table, self._first, _ESS), table, rng)
        return fit(completed, edges_of(self._names, self._climbed(completed, rng)), _ESS)

    def completed(self, table: Dataset, rng: np.random.Generator) -> Dataset:
        """Return a resample with its missing cells drawn; it has the variables and states of the given data."""
        if table.holes is None:
            return table
        if self.near is None:
            return draw_missing(self.network(table, rng), table, rng)
        rows = matched_cells(table, self.near, rng, stop=self._stop)
        return matched_cells(table, blankets(self._climbed(rows, rng)), rng, rows, self._stop)

    def _climbed(self, rows: Dataset, rng: np.random.Generator) -> Adjacency:
        """Return the graph that a climb learns from rows; of missing cells each family is counted where it is seen."""
        scores = LocalScores(rows, default_score(rows), self._stop)
        return self._columns.climbed(scores, rows.multiplicities.astype(np.int32), rng)


def drawn_once(
    data: Dataset, rng: Seed = 0, stop: UInt8Array | None = None, progress: Progress | None = None
) -> Dataset:
    """Return the draw of missing cells that ``learn`` learns from with this seed; the data if none are to be drawn.

    It is cut short once ``stop`` is set or ``progress``, which is called meanwhile, refuses to go on.
    """

    def drawn(flag: UInt8Array | None) -> Dataset:
        return DrawnCells(data, flag).completed(data, generator_of(rng))

    if data.missing_way != "drawn":
        return data
    return drawn(stop) if progress is None else stoppable(drawn, progress)


def resampled(data: Dataset, weights: Int32Array) -> Dataset:
    """Return the rows of a resample, given by how often each distinct row occurs."""
    order, codes = data.distinct_rows_in_order, data.distinct_codes.T
    rows = np.repeat(order, weights[order])
    experiments = None
    if data.experiments is not None:
        experiments = Experiments(data.targets, data.experiment_of_distinct[rows])
    return worth_as(data, Dataset(data.names, data.states, codes[rows], experiments, data.missing_way))
