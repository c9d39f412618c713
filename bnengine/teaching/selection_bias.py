"""Selection bias: the optimism of the score of a graph selected on a resample, which no correction removes.

With the exact correction the mean score of any *fixed* graph over resamples equals its score on the data. The graph
that a search finds on a resample is not fixed: it is the best one there, and the mean of a maximum exceeds the maximum
of the means. Its score on the resample is therefore too high, and on the data it scores below the graph learned there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.standard_errors import standard_error
from bnengine._core.validation import Repeats, validated
from bnengine.bootstrap.resamplers import Bootstrap, replicate_generators
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency
from bnengine.scores.correction import LEADING_STRENGTH, corrected
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from bnengine.search.column_order import drawn_order, with_ordering

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class SelectionBias(ReadOnlyArrays):
    """Scores on resamples and on the data, nats, relative to the graph learned from the data, scored on the data.

    Attributes
    ----------
    on_data : float
        Score of the graph learned from the data on the data, nats.
    own_edges : int
        Number of its edges.
    edges : ndarray of int, shape (R,)
        Number of edges of the graph learned from each resample.
    own : ndarray, shape (R,)
        The graph learned from the data, scored on each resample by the corrected score.
    chosen : ndarray, shape (R,)
        The graph learned from each resample, scored on that resample by the corrected score.
    chosen_on_data : ndarray, shape (R,)
        The graph learned from each resample, scored on the data by the uncorrected score.
    correction : str
    n_planned : int
    status : {"converged", "stopped"}
    """

    on_data: float
    own_edges: int
    edges: IntArray = field(repr=False)
    own: FloatArray = field(repr=False)
    chosen: FloatArray = field(repr=False)
    chosen_on_data: FloatArray = field(repr=False)
    correction: str
    n_planned: int
    status: str

    @property
    def gains(self) -> FloatArray:
        """Score of the chosen graph minus that of the graph learned from the data, on each resample, nats."""
        return self.chosen - self.own

    @property
    def bias(self) -> float:
        """Mean score of the chosen graphs on their resamples minus that on the data, nats."""
        return float((self.chosen - self.chosen_on_data).mean())

    def table(self) -> pd.DataFrame:
        """Return the mean, standard_error and sd over resamples of each score, relative to ``on_data``."""
        import pandas as pd

        lines = []
        for graph, scored_on, values in (
            ("learned from the data", "replicate", self.own),
            ("learned from the replicate", "replicate", self.chosen),
            ("learned from the replicate", "data", self.chosen_on_data),
        ):
            sd = float(values.std(ddof=1)) if values.size > 1 else np.nan
            lines.append((graph, scored_on, float(values.mean()), float(standard_error(values)), sd))
        return pd.DataFrame(lines, columns=["graph", "scored_on", "mean", "standard_error", "sd"])


@validated
def selection_bias(
    data: Dataset,
    score: TableScore,
    search: Search,
    n: Repeats = 200,
    correction: str = "exact",
    constraints: Constraints | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
    *,
    strength: float = LEADING_STRENGTH,
) -> SelectionBias:
    """Learn a graph from each of ``n`` bootstrap samples by the corrected score, and score it there and on the data.

    Parameters
    ----------
    data : Dataset
    score, search
    n : int
        Number of bootstrap samples.
    correction : {"none", "leading", "exact"}
    constraints : Constraints, optional
    rng : int, Generator or None
    progress : callable, optional
        Called with (resamples done, all resamples); returning False stops and keeps what is done.
    strength : float
        Nats per parameter of the leading correction.

    Raises
    ------
    ValueError
        If the correction does not exist for the score.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(300, rng=1)
    >>> made = bn.teaching.selection_bias(data, bn.BIC(), bn.HillClimbing(), n=100)
    >>> made.own.mean() < made.chosen.mean() and made.chosen_on_data.max() < 1e-6
    np.True_
    """
    own_rng, resample_rng = generator_of(rng).spawn(2)
    search = with_ordering(search, data.names)
    data = data.select(
        [data.names[v] for v in drawn_order(data.names, own_rng)]
    )  # ties must not depend on the file's order
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    resampler = Bootstrap(n)
    on_resample = LocalScores(data, corrected(score, correction, strength))
    on_data = LocalScores(data, score)
    own = search.find(data.names, on_data, space, own_rng)
    base = _total(on_data, own.adjacency)
    lines = []
    for number, generator in enumerate(replicate_generators(resample_rng, n)):
        on_resample.reweigh(resampler.replicate(data, number, generator).weights)
        found = search.find(data.names, on_resample, space, generator).adjacency
        scores = [_total(on_resample, own.adjacency), _total(on_resample, found), _total(on_data, found)]
        lines.append((int(found.sum()), *(value - base for value in scores)))
        if progress is not None and progress(number + 1, n) is False and number + 1 < n:
            break
    values = np.array(lines).T.copy()
    status = "converged" if len(lines) == n else "stopped"
    edges, (own_scores, chosen, chosen_on_data) = values[0].astype(np.int64), values[1:]
    return SelectionBias(
        base, int(own.adjacency.sum()), edges, own_scores, chosen, chosen_on_data, correction, n, status
    )


def _total(scores: LocalScores, adjacency: Adjacency) -> float:
    """Return the score of a graph on the current sample, nats."""
    return float(sum(scores(v, np.flatnonzero(adjacency[:, v]).tolist()) for v in range(len(adjacency))))
