"""How much of the bootstrap's doubt about an edge is the search's, and how much the data's.

A confidence of 0.6 is doubt, but whose? An edge may be in the best graph of some samples only. Or the search ends in
one of several local optima of the same sample, by the order in which it happens to break ties. Learning twice from
every bootstrap sample, each time with a seed of its own, tells the two apart by the law of total variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray
from bnengine._core.parallel import Flag, Progress, Step, run
from bnengine._core.random_generators import Seed, generator_of, standard_error
from bnengine._core.tables import ReadOnlyArrays
from bnengine._core.validation import Repeats, validated
from bnengine.bootstrap.ensemble import as_matrix, possible_edges
from bnengine.bootstrap.resamplers import Bootstrap, replicate_generators
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import skeleton
from bnengine.scores.correction import LEADING_STRENGTH, corrected
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from bnengine.search.column_order import Columns, in_replicates

if TYPE_CHECKING:
    import pandas as pd

#: Graphs learned from each sample, and from how many samples a variance can be estimated.
TWICE, _FEWEST = 2, 2


@dataclass(frozen=True, eq=False)
class SearchDoubt(ReadOnlyArrays):
    """Variances of adjacencies between graphs learned from bootstrap samples, by cause, for each of S searches.

    Attributes
    ----------
    names : tuple of str
        The V variables.
    searches : tuple of str
    joined : ndarray of bool, shape (S, n, 2, P)
        Whether each of the P = V (V - 1) / 2 pairs is joined in the first and second graph of each of n samples.
    scores : ndarray, shape (S, n, 2)
        Each graph's score on its sample, nats.
    n_planned : int
        Samples asked for.
    status : {"converged", "stopped"}
    """

    names: tuple[str, ...]
    searches: tuple[str, ...]
    joined: BoolArray = field(repr=False)
    scores: FloatArray = field(repr=False)
    n_planned: int
    status: str

    @property
    def n(self) -> int:
        """Samples learned from."""
        return len(self.joined[0])

    @property
    def confidence(self) -> FloatArray:
        """Share of the graphs that join each pair, shape (S, V, V), symmetric."""
        return np.stack([as_matrix(own, len(self.names), "adjacency") for own in self.joined.mean(axis=(1, 2))])

    def _of_search(self, which: int) -> FloatArray:
        """Variance within a sample, summed over pairs: half the pairs on which its two graphs differ; shape (n,)."""
        first, second = self.joined[which].swapaxes(0, 1)
        halves: FloatArray = (first != second).sum(axis=1) / 2.0
        return halves

    def _of_data(self, which: int) -> FloatArray:
        """Each sample's term of the variance between samples, summed over pairs; their mean is unbiased; shape (n,).

        The covariance between the two graphs of a sample: what they have in common comes from the sample.
        """
        first, second = self.joined[which].swapaxes(0, 1).astype(np.float64)
        products: FloatArray = ((first - first.mean(axis=0)) * (second - second.mean(axis=0))).sum(axis=1)
        return products * (self.n / (self.n - 1) if self.n > 1 else np.nan)

    def table(self) -> pd.DataFrame:
        """Return one row a search.

        Returns
        -------
        DataFrame
            ``search``, ``edges`` (mean number), ``score`` (mean on the samples, nats), ``of_data`` and ``of_search``
            (variances summed over pairs), each with its ``_error``, ``share`` (the search's part of their sum; missing
            where there is no doubt at all) and ``unsettled`` (pairs with a confidence between 0.1 and 0.9).
        """
        import pandas as pd

        lines = []
        for s, name in enumerate(self.searches):
            data, own = self._of_data(s), self._of_search(s)
            p, whole = self.joined[s].mean(axis=(0, 1)), float(data.mean() + own.mean())
            lines.append(
                {
                    "search": name,
                    "edges": float(p.sum()),
                    "score": float(self.scores[s].mean()),
                    "of_data": float(data.mean()),
                    "of_data_error": float(standard_error(data)),
                    "of_search": float(own.mean()),
                    "of_search_error": float(standard_error(own)),
                    "share": min(float(own.mean()) / whole, 1.0) if whole > 0 else np.nan,
                    "unsettled": int(((p > 0.1) & (p < 0.9)).sum()),
                }
            )
        return pd.DataFrame(lines)

    def pairs(self) -> pd.DataFrame:
        """Return one row a pair of variables, ``first`` and ``second``, with its confidence by each search."""
        import pandas as pd

        at = np.triu_indices(len(self.names), 1)
        columns = {word: np.array(self.names)[rows] for word, rows in zip(("first", "second"), at, strict=True)}
        return pd.DataFrame(columns | {name: p[at] for name, p in zip(self.searches, self.confidence, strict=True)})


@validated
def search_doubt(
    data: Dataset,
    score: TableScore,
    searches: Sequence[Search],
    n: Repeats = 100,
    correction: str = "none",
    constraints: Constraints | None = None,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> SearchDoubt:
    """Learn twice from each of ``n`` bootstrap samples with every search, and part the variance of edges by cause.

    Var(edge) = Var over samples of P(edge | sample) + mean over samples of Var(edge | sample). The second part would be
    0 if the search found the best graph of every sample and this graph were unique up to equivalence.

    Parameters
    ----------
    data : Dataset
    score : score
    searches : sequence of search
        All see the same samples. Each learning has a seed of its own.
    n : int
        Number of bootstrap samples, at least 2.
    correction : {"none", "leading"}
        Of the score on samples.
    constraints : Constraints, optional
    rng : int, Generator or None, default 0; None draws anew at each call
        Results do not depend on the number of threads.
    progress : callable, optional
        Called with (samples done, all samples). Stopping drops the samples that are not finished.

    Raises
    ------
    ValueError
        If fewer than two samples are asked for, or the correction does not exist for the score.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("child").sample(300, rng=1)
    >>> searches = [bn.HillClimbing(), bn.IteratedLocalSearch()]
    >>> climb, best = bn.teaching.search_doubt(data, bn.BIC(), searches, n=20).table()["share"]
    >>> bool(climb > best)
    True
    """
    if n < _FEWEST:
        raise ValueError(f"n must be at least {_FEWEST} samples, between which edges can vary; got {n}")
    used = corrected(score, correction, LEADING_STRENGTH)
    ordered = [in_replicates(search, data.names) for search in searches]
    spaces = [(constraints or Constraints()).resolve(data.names, search.max_parents) for search in ordered]

    def prepared(stop: Flag | None = None) -> Step[tuple[BoolArray, FloatArray]]:
        scores, resampler = LocalScores(data, used, stop), Bootstrap(n)
        columns = [Columns(data.names, space) for space in spaces]

        def learned(number: int, generator: np.random.Generator) -> tuple[BoolArray, FloatArray] | None:
            weights, *seeds = resampler.replicate(data, number, generator).weights, *generator.spawn(len(ordered))
            joined, reached = [], []
            for search, shown, own in zip(ordered, columns, seeds, strict=True):
                for seed in own.spawn(TWICE):
                    order = shown.order(seed)
                    scores.reweigh(weights, order)
                    found = shown.find(search, scores, order, seed)
                    joined.append(possible_edges(skeleton(found.adjacency), "adjacency"))
                    reached.append(found.score)
            return None if scores.stopped else (np.array(joined), np.array(reached))

        return learned

    made, stopped = run(prepared, replicate_generators(generator_of(rng), n), None, progress)
    shape, n_pairs = (len(made), len(ordered), TWICE), data.n_variables * (data.n_variables - 1) // 2
    joined = np.array([pairs for pairs, _ in made], dtype=np.bool_).reshape(*shape, n_pairs)
    reached = np.array([nats for _, nats in made], dtype=np.float64).reshape(shape)
    return SearchDoubt(
        data.names,
        tuple(search.name for search in ordered),
        joined.swapaxes(0, 1).copy(),
        reached.swapaxes(0, 1).copy(),
        n,
        "stopped" if stopped else "converged",
    )
