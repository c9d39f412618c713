"""The threshold by shuffled columns, and spurious edges by the number of other parents of their child."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, split_progress
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.validation import Ge, Le, NotNegative, validated
from bnengine.bootstrap.ensemble import Ensemble, check_kind
from bnengine.bootstrap.resample import ResampleTask, applied_correction, learn_from_data
from bnengine.bootstrap.resamplers import replicates_planned
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, adjacency_of, checked_graph, skeleton

#: Shuffled data sets, which are all held.
MOST_PERMUTATIONS = 10_000


@dataclass(frozen=True, eq=False)
class PermutationThreshold(ReadOnlyArrays):
    """Number of edges by threshold, all of them false, learned from shuffled data sets.

    What is counted are the edges expected if all variables were independent. Among dependent variables there are other
    false edges: between variables that a third one joins, or in the wrong direction. They are not counted here, and
    may be several times as many.

    Attributes
    ----------
    thresholds : ndarray of float, shape (T,), read-only
        All confidences above 0 that an edge can have.
    false_edges : ndarray of int, shape (P, T), read-only
        Number of edges with at least that confidence in each of P shuffled data sets.
    max_false : float
        Largest acceptable expected number of edges if all variables were independent.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge; adjacencies and pairs joined by a compelled edge are counted once.
    n_planned : int
        Number of shuffled data sets of a finished run; P is smaller if ``status`` is ``"stopped"``.
    status : str
        ``"converged"`` or ``"stopped"``.
    """

    thresholds: FloatArray = field(repr=False)
    false_edges: IntArray = field(repr=False)
    max_false: float
    kind: str
    n_planned: int
    status: str
    seed: int | None

    @property
    def expected_false(self) -> FloatArray:
        """Edges expected if all variables were independent, by threshold, shape (T,); NaN if no table is done."""
        if not len(self.false_edges):
            return np.full(len(self.thresholds), np.nan)
        return np.asarray(self.false_edges.mean(axis=0))

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of ``expected_false``, shape (T,); NaN with fewer than two data sets."""
        return standard_error(self.false_edges.astype(np.float64))

    @property
    def threshold(self) -> float:
        """The smallest threshold with at most ``max_false`` expected false edges; infinity if there is none."""
        good = self.thresholds[self.expected_false <= self.max_false]
        return float(good[0]) if good.size else math.inf


@validated
def permutation_threshold(
    task: ResampleTask,
    n_permutations: Annotated[int, Ge(1), Le(MOST_PERMUTATIONS)] = 20,
    max_false: NotNegative = 1.0,
    kind: str = "directed",
    *,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> PermutationThreshold:
    """Find the threshold at which few edges would be kept if all variables were independent.

    Shuffling each column separately keeps its frequencies and removes every dependence, so each edge learned from the
    shuffled data is false. The same ensemble is learned from several shuffled data sets (Broom, Do & Subramanian 2012
    prefer this to fixed thresholds). Edges required by the constraints are not counted. Columns are shuffled in the
    order of their names, so the result does not depend on their order in the data.

    Dependent variables have further false edges, past a third variable or reversed, which this does not count: the
    sum of one minus the posterior probability over the edges that are kept does (``edge_posterior``).

    Parameters
    ----------
    task : ResampleTask
        The arguments of ``resample``. The correction ``"matched"`` finds its strength on the given data and applies it
        to the shuffled data.
    n_permutations : int
        Number of shuffled data sets; each takes as long as the ensemble itself.
    max_false : float
        Largest acceptable expected number of edges if all variables were independent.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge. The threshold depends on it: there are fewer possible adjacencies than directed edges,
        and an adjacency has at least the confidence of either of its directions.
    rng, executor
        As for ``resample``.
    progress : callable, optional
        Counts the replicates of all shuffled data sets. Stopping keeps the finished data sets.

    Returns
    -------
    PermutationThreshold

    Raises
    ------
    ValueError
        If ``n_permutations`` is smaller than 1, ``max_false`` is negative or NaN, or ``kind`` is unknown.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(300, rng=1)
    >>> result = permutation_threshold(ResampleTask(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20)), 5)
    >>> 0 < result.threshold < 1
    True
    """
    check_kind(kind)
    required = adjacency_of(task.data.names, (task.constraints or Constraints()).required)
    generators = generator_of(rng).spawn(n_permutations)
    tables = [_shuffled(task.data, generator) for generator in generators]
    stopped = False
    shares = split_progress(progress, [replicates_planned(task.resampler, table) for table in tables])
    if task.correction == "matched":  # on the given data; its replicates are not counted
        first = shares[0]
        stoppable = None if first is None else lambda _done, n: first(0, n)
        on_data = learn_from_data(task, rng=rng, executor=executor, progress=stoppable)
        task, stopped = replace(task, strength=on_data.strength), on_data.status == "stopped"
    correction, strength = applied_correction(task.correction, task.strength)
    confidences: list[FloatArray] = []
    n_replicates = 1
    for generator, table, share in zip(generators, tables, shares, strict=True):
        if stopped:
            break
        shuffled = replace(task, data=table, correction=correction, strength=strength)
        seed = int(generator.integers(2**53))
        ensemble = learn_from_data(shuffled, rng=seed, executor=executor, progress=share)
        stopped = ensemble.status == "stopped"
        if stopped:
            break
        n_replicates = int(ensemble.multiplicities.sum())
        confidences.append(_false_confidence(ensemble, kind, required))
    times = np.arange(1, n_replicates + 1)
    found = [np.sort(np.rint(confidence * n_replicates), axis=None) for confidence in confidences]
    false_edges = [numbers.size - np.searchsorted(numbers, times) for numbers in found]
    return PermutationThreshold(
        times / n_replicates,
        np.array(false_edges, dtype=np.int64).reshape(len(confidences), n_replicates),
        float(max_false),
        kind,
        n_permutations,
        "stopped" if stopped else "converged",
        seed_of(rng),
    )


def _shuffled(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Shuffle each column of the data separately, drawn in the order of the names."""
    codes = data.codes.copy()
    for v in sorted(range(data.n_variables), key=data.names.__getitem__):
        codes[:, v] = rng.permutation(codes[:, v])
    return Dataset(data.names, data.states, codes)


def _false_confidence(ensemble: Ensemble, kind: str, required: Adjacency) -> FloatArray:
    """Return the confidence of everything that counts as an edge, shape (V, V), except required edges."""
    shuffled = Study(ensemble.reference, {"shuffled": ensemble})
    if kind == "directed":
        return np.where(required, 0.0, shuffled.confidence("shuffled"))
    return np.where(required | required.T, 0.0, shuffled.strength("shuffled", kind))


# Spurious edges by the number of other parents of their child (Steck & Jaakkola 2003, Sec. 3.2).
#
# Both the spurious gain of a family and its penalty grow with its number of parameters. Which of them prevails
# depends on the score and the data.


@validated
def spurious_edges(study: Study, truth: Adjacency | None = None) -> pd.DataFrame:
    """Tabulate the spurious edges of each method's graphs by the number of other parents of their child.

    An edge is spurious if the reference joins its two variables in neither direction.

    Parameters
    ----------
    study : Study
    truth : ndarray of bool, shape (V, V), optional
        The reference; None for the graph learned from the data.

    Returns
    -------
    DataFrame
        One row per method and number of other parents: method (key), other_parents, edges and spurious (mean number
        per graph), share (spurious / edges, NaN without edges).

    Raises
    ------
    ValueError
        If ``truth`` is not a square matrix of truth values over the study's variables.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> methods = bn.resampling_methods(5, keys=["bootstrap"])
    >>> study = bn.study(network.sample(200, rng=1), bn.BIC(), bn.HillClimbing(), methods)
    >>> table = bn.teaching.spurious_edges(study, network.adjacency)
    >>> bool((table["spurious"] <= table["edges"]).all())
    True
    """
    joined = skeleton(study.reference.adjacency if truth is None else checked_graph(truth, "truth"))
    if joined.shape != study.reference.adjacency.shape:
        raise ValueError(f"truth must have the shape {study.reference.adjacency.shape}; got {joined.shape}")
    rows = []
    for key, ensemble in study.ensembles.items():
        (graphs, _, children), n_replicates = ensemble.graphs.ends, ensemble.multiplicities.sum()
        families = graphs * len(joined) + children
        others = np.bincount(families)[families] - 1  # of the child, for each edge
        times = ensemble.multiplicities[graphs]
        of_spurious = times * ~joined.ravel()[ensemble.graphs.edges]
        numbers = np.stack([np.bincount(others, times), np.bincount(others, of_spurious)]) / n_replicates
        both = enumerate(numbers.T.tolist())
        rows += [(key, n, edges, spurious, spurious / edges if edges else np.nan) for n, (edges, spurious) in both]
    return pd.DataFrame(rows, columns=["method", "other_parents", "edges", "spurious", "share"])
