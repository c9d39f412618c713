"""How many edges are found where there is nothing to find: the threshold that shuffled data give."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.standard_errors import standard_error
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import Resampler
from bnengine.bootstrap.study import KINDS, Study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, adjacency_of
from bnengine.scores.correction import LEADING_STRENGTH
from bnengine.scores.scores import TableScore
from bnengine.search import Search


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
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge; pairs that are joined, or joined by a compelled edge, are counted once.
    n_planned : int
        Shuffled data sets of the finished run; fewer are here if ``status`` is ``"stopped"``.
    status : str
        ``"converged"`` or ``"stopped"``.
    seed : int or None
    """

    thresholds: npt.NDArray[np.float64] = field(repr=False)
    false_edges: npt.NDArray[np.int64] = field(repr=False)
    max_false: float
    kind: str
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
    kind: str = "directed",
    ties: str = "drawn",
) -> PermutationThreshold:
    """The threshold at which few edges would be kept if all variables were independent.

    Shuffling each column by itself keeps its frequencies and undoes every dependence, so every edge learned from the
    shuffled data is false. The same ensemble is learned on several shuffled data sets (Broom, Do & Subramanian 2012
    prefer this to fixed thresholds). Edges that the constraints require do not count. The columns are shuffled in the
    order of their names, so that the order in which a table holds them is of no account.

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
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge: of adjacencies fewer are possible than of directed edges, and each is found at least as
        often as the surer of its two directions, so their threshold is one of its own.

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
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got '{kind}'")
    required = adjacency_of(data.names, (constraints or Constraints()).required)
    confidences: list[npt.NDArray[np.float64]] = []
    status, before, n_replicates = "converged", 0, 1

    generators = generator_of(rng).spawn(n_permutations)
    tables = [_shuffled(data, generator) for generator in generators]
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
        confidences.append(_false(Study(ensemble.reference, {"shuffled": ensemble}), kind, required))
    thresholds = np.arange(1, n_replicates + 1) / n_replicates
    false_edges = [c.size - np.searchsorted(np.sort(c, axis=None), thresholds) for c in confidences]
    return PermutationThreshold(
        thresholds,
        np.array(false_edges, dtype=np.int64).reshape(len(confidences), len(thresholds)),
        float(max_false),
        kind,
        n_permutations,
        status,
        seed_of(rng),
    )


def _shuffled(data: Dataset, rng: np.random.Generator) -> Dataset:
    """The data with each column shuffled by itself, drawn in the order of the names."""
    codes = data.codes.copy()
    for v in sorted(range(data.n_variables), key=data.names.__getitem__):
        codes[:, v] = rng.permutation(codes[:, v])
    return Dataset(data.names, data.states, codes)


def _false(shuffled: Study, kind: str, required: Adjacency) -> npt.NDArray[np.float64]:
    """Confidence of all that counts as an edge, shape (V, V), without what is required."""
    if kind == "directed":
        return np.where(required, 0.0, shuffled.confidence("shuffled"))
    return np.where(required | required.T, 0.0, shuffled.strength("shuffled", kind))
