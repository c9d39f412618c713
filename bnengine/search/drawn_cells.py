"""Missing cells filled by draws: from a network that is fitted to what is seen, and learned anew from its own draws.

Bootstrap, then impute: each replicate draws its rows with their missing cells, and fills these by draws of its own, so
that the doubt about them enters the confidence like that about the rows. The network that they are drawn from begins
with a graph learned from the given data, families counted where they are seen; then graph and probabilities are learned
from the completed rows, from which the cells are drawn again (data augmentation: Tanner & Wong 1987; for graphs, Adel &
de Campos 2017).
"""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import Int32Array
from bnengine._core.random_generators import Seed, generator_of
from bnengine.data.dataset import Dataset
from bnengine.data.row_columns import Experiments
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Edge
from bnengine.networks.missing_cells import draw_missing
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC
from bnengine.search.column_order import Columns
from bnengine.search.hill_climbing import HillClimbing

#: How often the cells are drawn: first under the graph of the given data, then under graphs of the completed rows.
ROUNDS = 2
_ESS = 1.0  # of the prior of probabilities that cells are drawn from: none is 0
_MAX_PARENTS = 4


class DrawnCells:
    """Completions of a table and its resamples.

    Parameters
    ----------
    data : Dataset
        With missing cells.

    Notes
    -----
    Not to be shared by threads: the buffers belong to one caller at a time.
    """

    def __init__(self, data: Dataset) -> None:
        space = Constraints().resolve(data.names, _MAX_PARENTS)
        self._names, self._columns = data.names, Columns(data.names, space)
        self._scores: LocalScores | None = None
        seen = LocalScores(data.with_missing("complete_families"), BIC())
        self._first = self._climbed(seen, data.multiplicities.astype(np.int32), np.random.default_rng(0))

    def network(self, table: Dataset, rng: np.random.Generator) -> BayesianNetwork:
        """Return the network from which the missing cells of a resample are drawn last."""
        found = fit(table, self._first, _ESS)
        for _ in range(ROUNDS - 1):
            completed = draw_missing(found, table, rng)
            scores = LocalScores(completed, BIC()) if self._scores is None else self._scores.with_rows_of(completed)
            self._scores = scores
            found = fit(completed, self._climbed(scores, completed.multiplicities.astype(np.int32), rng), _ESS)
        return found

    def completed(self, table: Dataset, rng: np.random.Generator) -> Dataset:
        """Return a resample with its missing cells drawn; it has the variables and states of the given data."""
        return table if table.holes is None else draw_missing(self.network(table, rng), table, rng)

    def _climbed(self, scores: LocalScores, weights: Int32Array, rng: np.random.Generator) -> list[Edge]:
        order = self._columns.order(rng)
        scores.reweigh(weights, order)
        found = self._columns.find(HillClimbing(), scores, order, rng)
        return [(self._names[i], self._names[j]) for i, j in np.argwhere(found.adjacency)]


def drawn_once(data: Dataset, rng: Seed = 0) -> Dataset:
    """Return the draw of the missing cells that ``learn`` learns from with this seed.

    The data themselves where no cells are to be drawn.
    """
    return DrawnCells(data).completed(data, generator_of(rng)) if data.missing_way == "drawn" else data


def resampled(data: Dataset, weights: Int32Array) -> Dataset:
    """Return the rows of a resample, given by how often each distinct row occurs."""
    rows, codes = np.repeat(np.arange(weights.size), weights), data.distinct_codes.T
    experiments = None
    if data.experiments is not None:
        experiments = Experiments(data.targets, data.experiment_of_distinct[rows])
    return Dataset(data.names, data.states, codes[rows], experiments, data.missing_way)
