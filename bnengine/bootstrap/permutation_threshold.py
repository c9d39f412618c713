"""Shuffled and rotated copies: the threshold by them, how many edges they show; spurious edges by other parents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from scipy.stats import ttest_1samp

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.display import counted, listed, noun, short
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, split_progress
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.validation import Ge, Le, NotNegative, accepts, one_of, validated
from bnengine.bootstrap.ensemble import EDGE_KINDS, Ensemble
from bnengine.bootstrap.resample import ResampleTask, applied_correction, learn_ensemble
from bnengine.bootstrap.resamplers import replicates_planned
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, adjacency_of, checked_graph, skeleton
from bnengine.search.column_order import by_name

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
@accepts(numbers=True)
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
    one_of(kind, "kind", EDGE_KINDS)
    required = adjacency_of(task.data.names, (task.constraints or Constraints()).required)
    generators = generator_of(rng).spawn(n_permutations)
    tables = [_shuffled(task.data, generator) for generator in generators]
    stopped = False
    shares = split_progress(progress, [replicates_planned(task.resampler, table) for table in tables])
    if task.correction == "matched":  # on the given data; its replicates are not counted
        first = shares[0]
        stoppable = None if first is None else lambda _done, n: first(0, n)
        on_data = learn_ensemble(task, rng=rng, executor=executor, progress=stoppable)
        task, stopped = replace(task, strength=on_data.strength), on_data.status == "stopped"
    correction, strength = applied_correction(task.correction, task.strength)
    confidences: list[FloatArray] = []
    n_replicates = 1
    for generator, table, share in zip(generators, tables, shares, strict=True):
        if stopped:
            break
        shuffled = replace(task, data=table, correction=correction, strength=strength)
        seed = int(generator.integers(2**53))
        ensemble = learn_ensemble(shuffled, rng=seed, executor=executor, progress=share)
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
    """Shuffle each column of the data separately, drawn in the order of the names; by whole clusters or blocks."""
    codes = data.codes.copy()
    for v in by_name(data.names):
        own = np.sort(codes[:, v]) if data.dependent is None else codes[:, v]
        codes[:, v] = rng.permutation(own) if data.dependent is None else own[data.dependent.exchanged(rng)]
    return Dataset(data.names, data.states, codes, dependent=data.dependent)


def _false_confidence(ensemble: Ensemble, kind: str, required: Adjacency) -> FloatArray:
    """Return the confidence of everything that counts as an edge, shape (V, V), except required edges."""
    shuffled = Study(ensemble.reference, {"shuffled": ensemble})
    if kind == "directed":
        return np.where(required, 0.0, shuffled.confidence("shuffled"))
    return np.where(required | required.T, 0.0, shuffled.strength("shuffled", kind))


# Does the table show edges of a kind where there can be none: in copies with shuffled and with rotated columns?

#: Largest number of rows of a copy; longer tables give a part of consecutive rows.
MOST_COPIED = 5_000
#: Mean number of edges in the copies, as a share of the table's own, that is near enough to 0.
ALLOWED = 0.1
#: Probability, for either kind of copy, of finding more where their true mean is just that. Where it is 0.03 beside one
#: edge of the table's own, or 0.3 beside five, it is 0.002. A lower level let tables of 20 rows keep the name.
FALSE_ALARM = 0.2
_TENTHS = 10  # of numbers that rows are sorted by, within which they are exchanged
_LEAST = 20  # rows that are not in their block's most common state: fewer may lie together by chance


@dataclass(frozen=True, eq=False)
class NoiseCheck(ReadOnlyArrays):
    """How many edges of a kind copies of a table show in which no column depends on another.

    Attributes
    ----------
    shuffled : ndarray of int, shape (K,), read-only
        Number of edges in each copy whose columns were shuffled separately.
    rotated : ndarray of int, shape (L,), read-only
        In each copy whose columns were moved down by separate random numbers of rows, the last rows coming first. A
        column keeps what its neighbouring rows have in common, so that dependent rows show. L is 0 where the order of
        the rows is not known, or all columns are sorted.
    reordered : ndarray of int, shape (L,), read-only
        In rotated copies of the table with its rows in a random order among those alike in ``sorted_by``: what the
        sorting alone makes. All 0 where the table is not sorted.
    sorted_by : tuple of str
        Columns by whose states the table is sorted.
    n_rows : int
        Rows of a copy.
    n_planned : int
        Copies of each kind in a finished check.
    status : str
        ``"converged"`` or ``"stopped"``.
    """

    shuffled: IntArray
    rotated: IntArray
    reordered: IntArray
    sorted_by: tuple[str, ...]
    n_rows: int
    n_planned: int
    status: str

    @validated
    def sentences(self, n_own: NotNegative) -> list[str]:
        """Return a sentence for each kind of copy that shows too many edges beside the table's own ``n_own``.

        Too many is a mean number above ``ALLOWED`` of ``n_own`` by a one-sided t test of level ``FALSE_ALARM``; of
        rotated copies the number counts by which they exceed the reordered ones, and where the shuffled ones show too
        many as well, these. There is none where ``n_own`` is 0.
        """
        found, beyond = [], f", more than its order by {listed(self.sorted_by)} explains" if self.sorted_by else ""
        if _above(self.shuffled, n_own):
            found.append(f"With its columns shuffled, {_mean(self.shuffled)}; it has {n_own:g}.")
        if _above(self.rotated - self.reordered, n_own) and (not found or _above(self.rotated - self.shuffled, n_own)):
            found.append(
                f"With its columns rotated against each other, {_mean(self.rotated)}{beyond}; it has {n_own:g}. Do "
                "neighbouring rows depend on one another, as in a time series, several rows of one person, or rows "
                "pasted twice? Then they are worth fewer rows than there are: say so on Data, or by clusters "
                "or blocks. If the rows are merely sorted by a column that was left out, this proves nothing."
            )
        return found

    @property
    def summary(self) -> str:
        """What was done and what the copies show, in one sentence; empty before the first copy."""
        kinds = {"shuffled": self.shuffled, "rotated": self.rotated}
        kinds |= {"reordered": self.reordered} if self.sorted_by else {}
        kinds = {kind: numbers for kind, numbers in kinds.items() if len(numbers)}
        if not kinds:
            return ""
        early = f", stopped before all {self.n_planned} of each kind" if self.status == "stopped" else ""
        done = [f"{len(numbers):,} {kind}" for kind, numbers in kinds.items()]
        (first, mean), *others = [(kind, float(one.mean())) for kind, one in kinds.items()]
        means = [f"{short(mean, 2)} {noun(mean, 'edge')} in a {first} copy"]
        means += [f"{short(other, 2)} in a {kind} one" for kind, other in others]
        shown = f"on average {listed(means)} are"
        if not any(one.any() for one in kinds.values()):
            shown = "no edge of any copy is"
        return (
            f"Checked on {listed(done)} copies of {counted(self.n_rows, 'row')}{early}: {shown} found again and real."
        )


def _mean(numbers: IntArray) -> str:
    mean = float(numbers.mean())
    return f"this table still shows {short(mean, 2)} such {noun(mean, 'edge')} (mean of {len(numbers)} copies)"


def _above(numbers: IntArray, n_own: float) -> bool:
    """Return whether the mean of some numbers of edges is too large, by a one-sided t test."""
    allowed = ALLOWED * n_own
    if not n_own or len(numbers) < 2 or numbers.mean() <= allowed:
        return False
    return not np.ptp(numbers) or bool(ttest_1samp(numbers, allowed, alternative="greater").pvalue < FALSE_ALARM)


def check_copies(
    data: Dataset,
    n_edges: Callable[[Dataset, int, Progress | None], int | None],
    n_copies: int,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> NoiseCheck:
    """Count edges in shuffled and in rotated copies of a table.

    Parameters
    ----------
    data : Dataset
        Complete rows, none of an experiment. Where they are counted, clustered, or sorted by every column, none is
        rotated. Clusters and blocks stay together in all copies.
    n_edges : callable
        Given a copy, a seed and a progress callback, returns the number of its edges; None if it was stopped.
    n_copies : int
        Of each kind.
    rng
        Copies do not depend on the order of the columns.
    progress : callable, optional
        Counts copies. Stopping keeps those that are done.

    Returns
    -------
    NoiseCheck
    """
    in_order = data.recorded[1] is None and (data.dependent is None or data.dependent.block is not None)
    n_rows = min(data.n_rows, MOST_COPIED) if in_order or data.dependent is None else data.n_rows
    columns = sorting_columns(data) if in_order else ()
    if len(columns) == data.n_variables:  # nothing is left that the order could tell
        in_order = False
    kinds = ["shuffled", *["rotated"] * in_order, *["reordered"] * bool(in_order and columns)]
    found: dict[str, list[int]] = {kind: [] for kind in ("shuffled", "rotated", "reordered")}
    done, total = 0, n_copies * len(kinds)

    def copies() -> Iterator[tuple[str, Dataset, int]]:
        for generator in generator_of(rng).spawn(n_copies):
            first = int(generator.integers(data.n_rows - n_rows + 1))
            in_part = np.arange(first, first + n_rows)
            part = data.take(in_part if in_order else generator.choice(data.n_rows, n_rows, replace=False))
            made = {"shuffled": _shuffled(part, generator), "rotated": part}
            if "reordered" in kinds:
                made["reordered"] = part.take(_within_blocks(part, columns, generator))
            offsets = generator.choice(n_rows, data.n_variables, replace=data.n_variables > n_rows)
            for kind in kinds:
                table = made[kind] if kind == "shuffled" else _rotated(made[kind], offsets)
                yield kind, table, int(generator.integers(2**53))

    def ask(*_: int) -> bool | None:
        return None if progress is None else progress(done, total)

    for kind, table, seed in copies():
        number = n_edges(table, seed, None if progress is None else ask)
        if number is None:
            break
        found[kind].append(number)
        done += 1
        if ask() is False:
            break
    whole = min(len(found[kind]) for kind in kinds)
    counts = {kind: np.array(one[:whole] or [0] * whole, dtype=np.int64) for kind, one in found.items()}
    if not in_order:
        counts |= dict.fromkeys(("rotated", "reordered"), np.zeros(0, dtype=np.int64))
    return NoiseCheck(
        **counts, sorted_by=columns, n_rows=n_rows, n_planned=n_copies,
        status="converged" if done == total else "stopped",
    )  # fmt: skip


def _rotated(data: Dataset, offsets: IntArray) -> Dataset:
    """Move each column down by its number of rows, given in the order of the names; what leaves comes in above."""
    codes = data.codes.copy()
    for v, offset in zip(by_name(data.names), offsets.tolist(), strict=True):
        codes[:, v] = np.roll(codes[:, v], offset)
    return Dataset(data.names, data.states, codes, dependent=data.dependent)


def sorting_columns(data: Dataset) -> tuple[str, ...]:
    """Return the columns by which the rows are sorted: the states of each follow one another, in those of the last.

    Of numbers these are tenths.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"ward": ["b"] * 30 + ["a"] * 30, "sex": ["f", "m"] * 30})
    >>> sorting_columns(Dataset.from_frame(frame))
    ('ward',)
    """
    data, found = data.cut(_TENTHS), list[str]()
    block, left = np.zeros(data.n_rows, dtype=np.int64), by_name(data.names).tolist()
    while left:
        for v in left:
            both = block * int(data.arities[v]) + data.codes[:, v]
            runs = np.concatenate([[0], np.cumsum(both[1:] != both[:-1])])
            states, sizes = np.unique(both, return_counts=True)
            most = np.zeros(int(block[-1]) + 1, dtype=np.int64)
            np.maximum.at(most, states // int(data.arities[v]), sizes)
            if len(states) == runs[-1] + 1 and data.n_rows - most.sum() >= _LEAST:
                break
        else:
            break
        found.append(data.names[v])
        block = runs
        left.remove(v)
    return tuple(found)


def _within_blocks(data: Dataset, columns: tuple[str, ...], rng: np.random.Generator) -> IntArray:
    """Return the numbers of the rows in a random order among those with equal states of the sorting columns."""
    codes = data.cut(_TENTHS).codes[:, [data.names.index(name) for name in columns]]
    block = np.concatenate([[0], np.cumsum((codes[1:] != codes[:-1]).any(axis=1))])
    return np.lexsort([rng.random(data.n_rows), block])


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
