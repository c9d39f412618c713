"""Complementary-pairs stability selection: graphs from both halves of random splits, with a bound on false edges."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Learned, Progress, Step, run
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import Ge, Le, NotNegative, honours, one_of, validated
from bnengine.bootstrap.ensemble import check_kind, combined_status, each_once, presence_of
from bnengine.bootstrap.resample import check_bytes_kept
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import complementary_halves
from bnengine.data.rows import numbered
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, edge_frame, unpacked
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from bnengine.search.learning import Columns, check_ties, in_replicates

# How many false selections complementary-pairs stability selection lets through: the bounds of Shah & Samworth.

#: What is assumed of the share of splits in which both halves select an edge.
ASSUMPTIONS = ("unimodal", "none")
_ROUNDING = 1e-9


def expected_false_bound(
    threshold: float, n_pairs: int, mean_selected: float, n_possible: int, assumption: str = "unimodal"
) -> float:
    """Bound the expected number of false selections at or above a threshold (Shah & Samworth 2013).

    Let q be the expected number selected from half of the rows, p the number that could be, and let a selection be
    false if its probability on half of the rows is at most θ = q / p, no more than a choice at random. Of these at most
    θ q / K are expected to have a confidence of τ or more:

    * ``"none"`` (Theorem 1, no assumption): K = 2τ - 1.
    * ``"unimodal"`` (Theorem 2): K = 2 (2τ - 1 - 1/(2B)) for τ ≤ 3/4, and (1 + 1/B) / (4 (1 - τ + 1/(2B))) above.
      It holds where θ ≤ 1/√3, τ > 1/2 + min(θ², 1/(2B) + 3θ²/4), and, for each false selection, the share of the B
      splits in which both halves make it has a unimodal distribution on 0, 1/B, …, 1.

    Derivation: with a confidence of τ, both halves select it in a share of at least 2τ - 1 of the splits, a share whose
    mean is at most θ², as the halves are independent. Markov's inequality gives K, and a sharper one for unimodal
    distributions the other K.

    Parameters
    ----------
    threshold : float
        τ. Confidences are multiples of 1 / (2B): the next multiple counts.
    n_pairs : int
        B, the number of splits.
    mean_selected : float
        q.
    n_possible : int
        p.
    assumption : {"unimodal", "none"}

    Returns
    -------
    float
        Infinity where the bound does not exist, such as for thresholds up to 1/2.

    Raises
    ------
    ValueError
        If the threshold is not in [0, 1] or the assumption is unknown.

    Examples
    --------
    >>> round(expected_false_bound(0.9, 50, 10, 100), 6)
    0.431373
    >>> round(expected_false_bound(0.9, 50, 10, 100, "none"), 6)
    1.25
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be a number between 0 and 1; got {threshold}")
    one_of(assumption, "assumption", ASSUMPTIONS)
    if not mean_selected:
        return 0.0
    reached = math.ceil(2 * n_pairs * threshold - _ROUNDING) / (2 * n_pairs)
    share = mean_selected / n_possible
    constant = _constant(reached, n_pairs, share) if assumption == "unimodal" else 2 * reached - 1
    return share * mean_selected / constant if constant > _ROUNDING else math.inf


def _constant(threshold: float, n_pairs: int, share: float) -> float:
    """Return K under unimodality; 0 where Theorem 2 does not hold."""
    least = 0.5 + min(share**2, 1 / (2 * n_pairs) + 0.75 * share**2)
    if share > 1 / math.sqrt(3) or threshold <= least + _ROUNDING:
        return 0.0
    if threshold <= 0.75 + _ROUNDING:
        return 2 * (2 * threshold - 1 - 1 / (2 * n_pairs))
    return (1 + 1 / n_pairs) / (4 * (1 - threshold + 1 / (2 * n_pairs)))


#: The largest number of splits.
MOST_PAIRS = 10_000


@dataclass(frozen=True, eq=False)
class StabilitySelection(ReadOnlyArrays):
    """How often each edge is learned from half of the rows, and how many edges above a threshold may be false.

    Attributes
    ----------
    confidence : ndarray of float, shape (V, V), read-only, [parent, child]
        Share of the 2B graphs with each edge; symmetric for adjacencies.
    simultaneous : ndarray of float, shape (V, V), read-only
        Share of the B splits in which both halves have it.
    possible : ndarray of bool, shape (V, V), read-only
        Edges that may be present or absent: neither forbidden nor required. An adjacency is in the upper triangle only.
    mean_selected : float
        Mean number of possible edges per graph, the estimate of q.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.
    n_pairs : int
        Number of splits B that were learned from.
    n_planned : int
        Number of splits of a finished run; ``n_pairs`` is smaller if ``status`` is ``"stopped"``.
    status : str
        ``"converged"``, ``"max_iterations"`` (a search reached its limit) or ``"stopped"``.
    """

    names: tuple[str, ...]
    confidence: FloatArray = field(repr=False)
    simultaneous: FloatArray = field(repr=False)
    possible: Adjacency = field(repr=False)
    mean_selected: float
    kind: str
    n_pairs: int
    n_planned: int
    status: str
    seed: int | None

    @property
    def n_possible(self) -> int:
        """Number of possible edges p."""
        return int(self.possible.sum())

    @validated
    def bound(self, threshold: float, assumption: str = "unimodal") -> float:
        """Bound the expected number of false edges with at least this confidence.

        An edge is *false* here if it would be learned from a random half of the rows with a probability of at most
        q / p, no more than by choosing q of the p edges at random. Edges that are absent from the true graph are false
        in this sense if the search finds each of them no more often than that; a search that often finds an edge that
        is not there, such as one direction of a reversible edge, or a shortcut past a confounder, finds it in both
        halves, and no resampling of the rows can tell. With q known the bound is a theorem; here q is the observed
        mean.

        Parameters
        ----------
        threshold : float
            In [0, 1]; the bound exists above 1/2.
        assumption : {"unimodal", "none"}
            See ``expected_false_bound``. ``"none"`` needs no assumption and is several times larger.

        Returns
        -------
        float
            Infinity where there is no bound. NaN without a finished split.
        """
        if not self.n_pairs:
            return math.nan
        return expected_false_bound(threshold, self.n_pairs, self.mean_selected, self.n_possible, assumption)

    @validated
    def threshold_for(self, max_false: NotNegative, assumption: str = "unimodal") -> float:
        """Find the smallest threshold with a bound of at most ``max_false`` edges; infinity if there is none."""
        thresholds = np.arange(self.n_pairs + 1, 2 * self.n_pairs + 1) / (2 * max(self.n_pairs, 1))
        return next((float(t) for t in thresholds if self.bound(float(t), assumption) <= max_false), math.inf)

    def table(self) -> pd.DataFrame:
        """Tabulate one row per edge of any graph: parent, child, confidence, simultaneous.

        By decreasing confidence, names.
        """
        shown = each_once(self.confidence > 0, self.kind)
        frame = edge_frame(self.names, shown, confidence=self.confidence, simultaneous=self.simultaneous)
        by = ["confidence", "simultaneous", "parent", "child"]
        return frame.sort_values(by, ascending=[False, False, True, True], ignore_index=True)


@validated
@honours("experiments", "missing")
def stability_selection(
    data: Dataset,
    score: TableScore,
    search: Search,
    n_pairs: Annotated[int, Ge(1), Le(MOST_PAIRS)] = 50,
    constraints: Constraints | None = None,
    *,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    kind: str = "adjacency",
    ties: str = "drawn",
) -> StabilitySelection:
    """Learn a graph from both halves of random splits of the rows (Shah & Samworth 2013).

    The two halves of a split have no row in common; of an odd number of rows one is left out, another in each split.
    The confidences are a guarantee's ingredients (see ``StabilitySelection.bound``), neither inclusion probabilities
    for N rows nor probabilities of being true: they are those of half as many rows.

    Parameters
    ----------
    data : Dataset
    score, search
    n_pairs : int
        Number of splits B; 2B graphs are learned.
    constraints : Constraints, optional
        Hold in every graph. Required and forbidden edges are not counted in the bound.
    rng : int, Generator or None, default 0; None draws anew at each call
        Each split has a generator of its own, spawned by its number.
    executor : concurrent.futures.Executor, optional
        As for ``resample``. Results do not depend on the number of workers.
    progress : callable, optional
        Called with (splits done, ``n_pairs``); returning False stops and keeps the splits that are done.
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge. The direction of a reversible edge is found by chance in every half, so for directed
        edges fewer of the false ones are false in the bound's sense.
    ties : {"drawn", "columns"}
        As for ``learn``.

    Raises
    ------
    ValueError
        If ``n_pairs`` is not a whole number from 1 to 10,000, or ``kind`` or ``ties`` is unknown.
    DataError
        If there are fewer than two rows, or the graphs need too much memory.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(1000, rng=1)
    >>> found = bn.stability_selection(data, bn.BIC(), bn.HillClimbing(), n_pairs=20)
    >>> threshold = found.threshold_for(max_false=1)
    >>> 0.5 < threshold <= 1 and found.bound(threshold) <= 1
    True
    """
    _check(data, n_pairs)
    check_kind(kind)
    check_ties(ties)
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    work = _Work(data, score, in_replicates(search, data.names), space, ties)
    learned, stopped = run(work.prepared, generator_of(rng).spawn(n_pairs), executor, progress)
    statuses = [status for _, _, status in learned]
    v, targets = data.n_variables, numbered(data.targets, data.names)
    either, both = np.zeros((v, v)), np.zeros((v, v))
    for packed, _, _ in learned:
        halves = unpacked(packed.reshape(2, -1), v)
        first, second = (presence_of(half, kind, targets) for half in halves)
        either += first.astype(np.float64) + second
        both += first & second
    possible = _possible(space, kind)
    n_done = max(len(learned), 1)
    return StabilitySelection(
        names=data.names,
        confidence=either / (2 * n_done),
        simultaneous=both / n_done,
        possible=possible,
        mean_selected=float(either[possible].sum()) / (2 * n_done),
        kind=kind,
        n_pairs=len(learned),
        n_planned=n_pairs,
        status=combined_status([*statuses, *["stopped"] * stopped]),
        seed=seed_of(rng),
    )


def _check(data: Dataset, n_pairs: int) -> None:
    if data.n_rows < 2:
        raise DataError("stability selection needs at least two rows to be split into halves; the data have 1")
    what = f"{2 * n_pairs:,} graphs of {data.n_variables:,} variables"
    check_bytes_kept(2 * n_pairs * data.n_variables**2 // 8, what, "variables or fewer pairs")


def _possible(space: SearchSpace, kind: str) -> Adjacency:
    """Return the edges that a graph may have or not have, shape (V, V)."""
    if kind != "adjacency":
        return space.allowed & ~space.required
    joined = (space.allowed | space.allowed.T) & ~(space.required | space.required.T)
    return np.triu(joined)


@dataclass(frozen=True)
class _Work:
    """Everything a worker needs to learn from both halves of a split; picklable."""

    data: Dataset
    score: TableScore
    search: Search
    space: SearchSpace
    ties: str

    def prepared(self, stop: Flag | None = None) -> Step[Learned]:
        """Return the function that learns from one split, whose two graphs are packed one after the other."""
        scores, columns = LocalScores(self.data, self.score, stop), Columns(self.data.names, self.space, self.ties)

        def learned(number: int, generator: np.random.Generator) -> Learned | None:
            graphs, statuses = [], []
            for weights in complementary_halves(self.data, generator):
                order = columns.order(generator)
                scores.reweigh(weights, order)
                found = columns.find(self.search, scores, order, generator)
                graphs.append(np.packbits(found.adjacency))
                statuses.append(found.status)
            return None if scores.stopped else (np.concatenate(graphs), 2, combined_status(statuses))

        return learned
