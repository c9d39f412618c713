"""How confident an edge has to be to be kept, and the network of those that are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bnengine.confidence import resample
from bnengine.constraints import Constraints
from bnengine.correction import LEADING_STRENGTH
from bnengine.data import Dataset
from bnengine.ensemble import Ensemble
from bnengine.graph import Adjacency, Edge, adjacency_of, edges_of
from bnengine.randomness import Seed, generator_of, seed_of
from bnengine.resampling import Resampler
from bnengine.scores import TableScore
from bnengine.search import Search
from bnengine.standard_errors import standard_error
from bnengine.study import threshold_for
from bnengine.workers import Progress

Confidence = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AveragedNetwork:
    """The edges above a threshold, made acyclic.

    Attributes
    ----------
    names : tuple of str
    adjacency : ndarray of bool, shape (V, V), read-only
        ``[parent, child]``.
    left_out : tuple of (parent, child)
        Edges above the threshold that would have closed a cycle, most confident first.
    threshold : float
    """

    names: tuple[str, ...]
    adjacency: Adjacency
    left_out: tuple[Edge, ...]
    threshold: float

    def __post_init__(self) -> None:
        self.adjacency.setflags(write=False)

    @property
    def edges(self) -> list[Edge]:
        """The (parent, child) pairs in column order."""
        return edges_of(self.names, self.adjacency)


def averaged_network(
    confidence: Ensemble | Confidence, threshold: float, names: Sequence[str] | None = None
) -> AveragedNetwork:
    """The network of the edges whose confidence is at least the threshold.

    Edges enter in order of decreasing confidence, equal ones in column order of the parent, then of the child. One
    that would close a cycle with those already there is left out, and said to be.

    Parameters
    ----------
    confidence : Ensemble, or ndarray of shape (V, V), [parent, child]
    threshold : float
        At 0 every edge of confidence above 0 is meant.
    names : sequence of str, optional
        Of the variables; needed with an array.

    Examples
    --------
    >>> import numpy as np
    >>> both_ways = np.array([[0.0, 0.6], [0.55, 0.0]])
    >>> network = averaged_network(both_ways, 0.5, ["A", "B"])
    >>> network.edges, network.left_out
    ([('A', 'B')], (('B', 'A'),))
    """
    names = confidence.names if isinstance(confidence, Ensemble) else names
    matrix = _checked(confidence)
    if names is None or len(names) != len(matrix):
        raise ValueError(f"names must name the {len(matrix)} variables of the confidences")
    if math.isnan(threshold):
        raise ValueError("threshold must be a number between 0 and 1; got NaN")
    i, j = np.nonzero((matrix >= threshold) & (matrix > 0))
    surest_first = np.argsort(-matrix[i, j], kind="stable")
    adjacency = np.zeros(matrix.shape, dtype=np.bool_)
    reaches = np.eye(len(matrix), dtype=np.bool_)  # [ancestor, descendant], each its own
    left_out = []
    for parent, child in zip(i[surest_first].tolist(), j[surest_first].tolist(), strict=True):
        if reaches[child, parent]:
            left_out.append((names[parent], names[child]))
            continue
        adjacency[parent, child] = True
        reaches |= np.outer(reaches[:, parent], reaches[child])
    return AveragedNetwork(tuple(names), adjacency, tuple(left_out), float(threshold))


def l1_threshold(confidence: Ensemble | Confidence) -> float:
    """The threshold at which the confidences come nearest to a clear yes or no for every edge.

    With F the distribution function of the confidences, and the ideal one a step that is t below 1 (a share t of the
    edges has confidence 0, the others 1), t minimises the area between the two, the integral of |F(x) - t| over x from
    0 to 1, and the edges of confidence above F's quantile at t are kept (Scutari & Nagarajan 2013, Sec. 3). As F never
    falls, that integral is least at t = F(1/2), the median of F over that range. Minimised exactly, the rule therefore
    keeps the edges of confidence above 1/2; how many pairs never have an edge does not matter.

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
    matrix = _checked(confidence)
    return threshold_for(matrix, int((matrix > 0.5).sum()))


def _checked(confidence: Ensemble | Confidence) -> Confidence:
    given = confidence.confidence if isinstance(confidence, Ensemble) else confidence
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"confidence must have one row and one column a variable; got shape {matrix.shape}")
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise ValueError("confidence must lie between 0 and 1 everywhere")
    return matrix


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
) -> PermutationThreshold:
    """The threshold at which few edges would be kept if all variables were independent.

    Shuffling each column by itself keeps its frequencies and undoes every dependence, so every edge learned from the
    shuffled data is false. The same ensemble is learned on several shuffled data sets (Broom, Do & Subramanian 2012
    prefer this to fixed thresholds). Edges that the constraints require do not count.

    Parameters
    ----------
    data, score, search, resampler, correction, constraints, rng, executor, strength
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
        matched = resample(data, score, search, resampler, correction, constraints, rng, executor, only_stopped)
        correction, strength = "leading", matched.strength
    for generator, shuffled in zip(generators, tables, strict=True):
        seed = int(generator.integers(2**53))
        ensemble = resample(
            shuffled, score, search, resampler, correction, constraints, seed, executor, told, strength=strength
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
