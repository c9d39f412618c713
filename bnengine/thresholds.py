"""How confident an edge has to be to be kept."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bnengine.averaged import Confidence, checked_confidence
from bnengine.confidence import resample
from bnengine.constraints import Constraints
from bnengine.correction import LEADING_STRENGTH
from bnengine.data import Dataset
from bnengine.ensemble import Ensemble
from bnengine.graph import adjacency_of
from bnengine.randomness import Seed, generator_of, seed_of
from bnengine.resampling import Resampler
from bnengine.scores import TableScore
from bnengine.search import Search
from bnengine.standard_errors import standard_error
from bnengine.study import threshold_for
from bnengine.workers import Progress


def l1_threshold(confidence: Ensemble | Confidence) -> float:
    """The threshold at which the confidences come nearest to a clear yes or no for every edge.

    With F the distribution function of the confidences, and the ideal one a step that is t below 1 (a share t of the
    edges has confidence 0, the others 1), t minimises the area between the two, the integral of |F(x) - t| over x from
    0 to 1, and the edges of confidence above F's quantile at t are kept (Scutari & Nagarajan 2013, Sec. 3). As F never
    falls, that integral is least at t = F(1/2), the median of F over that range. Minimised exactly, the rule therefore
    keeps the edges of confidence above 1/2; how many pairs never have an edge does not matter.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V)
        Of an ensemble the strengths are meant, the share of its graphs that join each pair, as for
        ``averaged_network``; of a matrix each entry is one.

    Returns
    -------
    float
        Half-way between the last confidence that is kept and the first that is not, as for the other thresholds.

    Notes
    -----
    A numerical minimiser may end a rounding error above F(1/2), where the quantile is the least confidence above 1/2.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.array([[0.0, 0.9435, 0.046], [0.2242, 0.0, 0.8935], [0.7689, 0.3921, 0.0]])
    >>> print(round(l1_threshold(sure), 4))
    0.5805
    """
    if isinstance(confidence, Ensemble):
        confidence = np.triu(confidence.adjacency_confidence)
    matrix = checked_confidence(confidence)
    return threshold_for(matrix, int((matrix > 0.5).sum()))


@dataclass(frozen=True, eq=False)
class PermutationThreshold:
    """How many edges are found where there is nothing to find, by threshold.

    Attributes
    ----------
    thresholds : ndarray of float, shape (T,), read-only
        Every confidence that an edge can have, above 0.
    false_edges : ndarray of int, shape (P, T), read-only
        Number of edges of at least that confidence in each shuffled data set.
    max_false : float
        The expected number of false edges that is put up with.
    n_planned : int
        Shuffled data sets of the finished run; fewer are here if ``status`` is ``"stopped"``.
    status : str
        ``"converged"`` or ``"stopped"``.
    seed : int or None
    """

    thresholds: npt.NDArray[np.float64] = field(repr=False)
    false_edges: npt.NDArray[np.int64] = field(repr=False)
    max_false: float
    n_planned: int
    status: str
    seed: int | None

    def __post_init__(self) -> None:
        self.thresholds.setflags(write=False)
        self.false_edges.setflags(write=False)

    @property
    def expected_false(self) -> npt.NDArray[np.float64]:
        """Expected number of false edges at each threshold, shape (T,); NaN if no shuffled data set was finished."""
        if not len(self.false_edges):
            return np.full(len(self.thresholds), np.nan)
        means: npt.NDArray[np.float64] = self.false_edges.mean(axis=0)
        return means

    @property
    def standard_error(self) -> npt.NDArray[np.float64]:
        """Monte-Carlo standard error of ``expected_false``, shape (T,); NaN with fewer than two data sets."""
        return standard_error(self.false_edges.astype(np.float64))

    @property
    def threshold(self) -> float:
        """The smallest threshold with at most ``max_false`` expected false edges; infinity if there is none."""
        good = self.thresholds[self.expected_false <= self.max_false]
        return float(good[0]) if good.size else math.inf


def permutation_threshold(
    data: Dataset,
    score: TableScore,
    search: Search,
    resampler: Resampler,
    correction: str = "none",
    constraints: Constraints | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    strength: float = LEADING_STRENGTH,
    n_permutations: int = 20,
    max_false: float = 1.0,
    ties: str = "drawn",
) -> PermutationThreshold:
    """The threshold at which few edges would be kept if all variables were independent.

    Shuffling each column by itself keeps its frequencies and undoes every dependence, so every edge learned from the
    shuffled data is false. The same ensemble is learned on several shuffled data sets (Broom, Do & Subramanian 2012
    prefer this to fixed thresholds). Edges that the constraints require do not count.

    Parameters
    ----------
    data, score, search, resampler, correction, constraints, rng, executor, strength, ties
        As for ``resample``.
    progress : callable, optional
        Called with the replicates done and those of all shuffled data sets; returning False stops, and keeps the
        shuffled data sets that are finished.
    n_permutations : int
        Shuffled data sets; each costs as much as the ensemble itself.
    max_false : float
        Largest expected number of false edges.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(300, rng=1)
    >>> found = bn.permutation_threshold(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20), n_permutations=5)
    >>> 0 < found.threshold < 1
    True
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations must be 1 or more; got {n_permutations}")
    if not max_false >= 0:
        raise ValueError(f"max_false must be 0 or more expected edges; got {max_false}")
    required = adjacency_of(data.names, (constraints or Constraints()).required)
    confidences: list[Confidence] = []
    status, before, n_replicates = "converged", 0, 1

    generators = generator_of(rng).spawn(n_permutations)
    tables = [Dataset(data.names, data.states, g.permuted(data.codes, axis=0)) for g in generators]
    total = sum(resampler.n_replicates(table) for table in tables)

    def told(done: int, _: int) -> bool | None:
        return progress(before + done, total) if progress else None

    def only_stopped(_done: int, _planned: int) -> bool | None:
        return progress(0, total) if progress else None

    if correction == "matched":  # the strength is the given data's, as for every other correction
        matched = resample(
            data, score, search, resampler, correction, constraints, rng, executor, only_stopped, ties=ties
        )
        correction, strength = "leading", matched.strength
    for generator, shuffled in zip(generators, tables, strict=True):
        seed = int(generator.integers(2**53))
        ensemble = resample(
            shuffled,
            score,
            search,
            resampler,
            correction,
            constraints,
            seed,
            executor,
            told,
            strength=strength,
            ties=ties,
        )
        if ensemble.status == "stopped":
            status = "stopped"
            break
        before += ensemble.n_planned
        n_replicates = int(ensemble.multiplicities.sum())
        confidences.append(np.where(required, 0.0, ensemble.confidence))
    thresholds = np.arange(1, n_replicates + 1) / n_replicates
    false_edges = [c.size - np.searchsorted(np.sort(c, axis=None), thresholds) for c in confidences]
    return PermutationThreshold(
        thresholds,
        np.array(false_edges, dtype=np.int64).reshape(len(confidences), len(thresholds)),
        float(max_false),
        n_permutations,
        status,
        seed_of(rng),
    )
