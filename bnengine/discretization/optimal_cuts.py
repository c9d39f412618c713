"""The optimal cut points of one column given its families: exact over candidates, by dynamic programming.

A table score is a sum over cells, and every cell lies in one state of the column. For a given number of states the
description length is therefore a sum over states, and the optimal cut points follow from those for fewer states
(Bellman 1961; for discretization Elomaa & Rousu 1999). Friedman & Goldszmidt (1996) split greedily instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.environment import BoundedCache, pd
from bnengine.data.columns import numbers_of
from bnengine.data.dataset import Dataset
from bnengine.data.rows_and_states import fill_missing
from bnengine.graphs.dag import Adjacency
from bnengine.scores._count_terms import ENTROPY, OBSERVED, SHARED, evaluate, log_regret
from bnengine.scores.scores import BIC, ScoreForm, TableScore

#: Description lengths this close, in nats, are equal: then more even cut points and fewer states are preferred.
TOLERANCE = 1e-6
#: Number of points in the exhaustive search; the other points serve to refine its result.
COARSE = 50
_ZOOM = 8


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate cut points of a column.

    Attributes
    ----------
    points : ndarray, shape (m,)
        Midpoints between neighbouring distinct values, increasing.
    interval_of : ndarray of int, shape (N,)
        Which of the m + 1 intervals between the points each row is in; -1 if the value is missing.
    within : float
        Nats to encode the values if all are in one state: sum over distinct values of n ln(N / n).
    even : ndarray of int, shape (at most ``COARSE``,)
        Indices of points that split the rows about evenly.
    """

    points: FloatArray
    interval_of: IntArray
    within: float
    even: IntArray

    @property
    def has_missing(self) -> bool:
        """Whether there are missing cells, which form a state of their own."""
        return bool((self.interval_of < 0).any())

    def states(self, chosen: Sequence[int]) -> IntArray:
        """Return the state of each row if the column is cut at these points; missing cells are the last state."""
        states = np.searchsorted(np.asarray(chosen, dtype=np.int64), self.interval_of)
        return np.where(self.interval_of < 0, len(chosen) + 1, states)

    def code_length(self, chosen: Sequence[int], most: int) -> float:
        """Return the nats that encode the cut points and, within each state, the values.

        ln ``most`` for the number of states, ln binom(m, k - 1) for which points are the k - 1 cut points, N H(X | X*)
        with the frequencies in the table for the values (Friedman & Goldszmidt 1996, Sec. 3).
        """
        sizes = np.bincount(self.states(chosen)[self.interval_of >= 0])
        values = self.within - _n_log_n(sizes.sum()) + _n_log_n(sizes).sum()
        return float(values) + math.log(most) + self.cut_code(len(chosen))

    def cut_code(self, n_cuts: int) -> float:
        """Return the nats that encode which of the points are the cut points."""
        return math.log(math.comb(len(self.points), n_cuts))


def candidates_of(values: FloatArray) -> Candidates:
    """Return the candidate cut points of a column."""
    present = np.isfinite(values)
    distinct, counts = np.unique(values[present], return_counts=True)
    points = (distinct[:-1] + distinct[1:]) / 2
    numbers = np.arange(len(points))
    if len(points) > COARSE:
        wanted = np.arange(1, COARSE + 1) / (COARSE + 1) * counts.sum()
        numbers = np.unique(np.abs(np.cumsum(counts)[None, :-1] - wanted[:, None]).argmin(axis=1))
    intervals = np.where(present, np.searchsorted(points, values, side="left"), -1)
    return Candidates(points, intervals, float(_n_log_n(counts.sum()) - _n_log_n(counts).sum()), numbers)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The families that a column belongs to.

    Attributes
    ----------
    parents : ndarray of int, shape (N,), and float
        Each row's parent configuration in the column's own family, and the number of configurations.
    children : sequence of (others, q, states, r)
        For each child: each row's configuration of the child's other parents, the number of configurations, each row's
        state of the child, the number of states.
    """

    parents: tuple[IntArray, float]
    children: Sequence[tuple[IntArray, float, IntArray, int]]


def best_cuts(
    candidates: Candidates,
    neighbours: Neighbours,
    score: TableScore,
    least: int,
    most: int,
    now: Sequence[int] = (),
    fine: bool = False,
) -> tuple[int, ...]:
    """Return the indices of the points that minimize the description length, with ``least`` to ``most`` states.

    It is the optimum among at most ``COARSE`` points that split the rows evenly, and the present ones, ``now``. If
    ``fine``, these are then moved among the points between them, in decreasing steps, to the nearest optimum. The score
    may be any but those whose prior depends on the observed cells (see ``check_decomposable``).
    """
    numbers = np.union1d(candidates.even, np.asarray(now, dtype=np.int64))
    chosen = _best_among(numbers, candidates, neighbours, score, range(least, most + 1))
    step = len(candidates.points) // COARSE if fine and chosen else 0
    while step:
        finer = step // _ZOOM
        moved = np.arange(-step, step + 1, max(finer, 1))
        near = np.unique(np.asarray(chosen)[:, None] + np.append(moved, 0))
        near = near[(near >= 0) & (near < len(candidates.points))]
        chosen = _best_among(near, candidates, neighbours, score, range(len(chosen) + 1, len(chosen) + 2))
        step = finer
    return chosen


def _best_among(
    numbers: IntArray, candidates: Candidates, neighbours: Neighbours, score: TableScore, sizes: range
) -> tuple[int, ...]:
    """Return the optimal cut points among these points, for these numbers of states or as many as possible."""
    form = score.form(len(candidates.interval_of))
    parts = _parts(numbers, candidates, neighbours)
    best: tuple[float, tuple[int, ...]] = (math.inf, ())
    for n_states in sorted({min(n, len(numbers) + 1) for n in sizes}):
        costs, fixed = parts(form, n_states)
        value, chosen = _segments(costs, n_states)
        total = value + fixed + candidates.cut_code(n_states - 1)
        if total < best[0] - TOLERANCE:
            best = (total, tuple(numbers[list(chosen)].tolist()))
    return best[1]


def check_decomposable(score: TableScore) -> None:
    """Raise a ValueError for a score that is not a sum over the states of a column."""
    form = score.form(1)
    if form.network is not None or OBSERVED in (form.cell, form.configuration):
        raise ValueError(
            f"score must be one whose prior does not depend on the chosen states, such as BIC() or BDeu(); "
            f"got {score!r:.80}"
        )


def dense_rank(codes: IntArray) -> IntArray:
    """Return the dense ranks of the codes; they are sorted only if they are much larger than their number."""
    largest = int(codes.max())
    if largest > 8 * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    present = np.zeros(largest + 1, dtype=np.bool_)
    present[codes] = True
    return (np.cumsum(present) - 1)[codes]


def _n_log_n(n: npt.ArrayLike) -> FloatArray:
    counts = np.asarray(n, dtype=np.float64)
    return counts * np.log(np.maximum(counts, 1.0))


#: Values of count functions, by function, ess, key and number of rows.
_VALUES: BoundedCache[tuple[int, float, float, int], FloatArray] = BoundedCache(most_bytes=256 * 2**20, most_values=128)


def _values(form: int, ess: float, key: float, n_rows: int) -> FloatArray:
    """Return the count function at 0, 1, …, ``n_rows``, nats."""
    return _VALUES.get_or_make((form, ess, key, n_rows), lambda: _computed(form, ess, key, n_rows))


def _computed(form: int, ess: float, key: float, n_rows: int) -> FloatArray:
    if form == ENTROPY:
        return _n_log_n(np.arange(n_rows + 1))
    return np.array([evaluate(form, ess, key, n) for n in range(n_rows + 1)])


def _keys(form: ScoreForm, q: float, r: float) -> tuple[float, float]:
    """Return the keys of the two count functions for a family (see ``scores._count_terms``)."""
    return (q * r, q) if form.configuration == SHARED else (1.0, r)


def _penalty(form: ScoreForm, q: float, r: int, n_rows: int) -> float:
    """Return the penalty of a family, which depends only on its numbers of configurations and states, nats."""
    regret = log_regret(n_rows, q * r) - log_regret(n_rows, q) if form.quotient else 0.0
    return form.penalty * q * (r - 1) + regret


class _Counts:
    """Counts of rows by code between any two candidate points, and sums of a function of those counts."""

    def __init__(self, interval_of: IntArray, n_intervals: int, codes: IntArray) -> None:
        ranks = dense_rank(codes)
        width, present = int(ranks.max()) + 1, interval_of >= 0
        cells = np.bincount(interval_of[present] * width + ranks[present], minlength=n_intervals * width)
        self._below = np.concatenate([np.zeros((1, width), np.int64), cells.reshape(-1, width).cumsum(axis=0)])
        self._missing = np.bincount(ranks[~present], minlength=width)
        self._known: dict[int, tuple[FloatArray, FloatArray]] = {}

    def sums(self, values: FloatArray) -> FloatArray:
        """Return ``[a, b]``, the function summed over the codes' counts in intervals a to b - 1; (m + 2, m + 2)."""
        if id(values) not in self._known:
            n = len(self._below)
            table = np.zeros((n, n))
            for a in range(n - 1):
                table[a, a + 1 :] = values[self._below[a + 1 :] - self._below[a]].sum(axis=1)
            self._known[id(values)] = values, table  # a reference to the array, so that its id is not reused
        return self._known[id(values)][1]

    def missing(self, values: FloatArray) -> float:
        """Return the function summed over the codes' counts in the rows where the column is missing."""
        return float(values[self._missing].sum())


def _parts(
    numbers: IntArray, candidates: Candidates, neighbours: Neighbours
) -> Callable[[ScoreForm, int], tuple[FloatArray, float]]:
    """Return a function of the score and the number of states: the cost of each possible state, and the rest, nats."""
    n_rows, n_intervals = len(candidates.interval_of), len(numbers) + 1
    intervals = np.where(candidates.interval_of < 0, -1, np.searchsorted(numbers, candidates.interval_of))

    def counted(codes: IntArray) -> _Counts:
        return _Counts(intervals, n_intervals, codes)

    alone = counted(np.zeros(n_rows, dtype=np.int64))
    parents, q = neighbours.parents
    of_parents = np.bincount(dense_rank(parents))
    own = counted(parents)
    families = [
        (counted(others * r + states), counted(others), q_others, r)
        for others, q_others, states, r in neighbours.children
    ]
    evenness = (
        np.arange(n_rows + 1) / n_rows
    ) ** 2 * TOLERANCE  # breaks ties between cut points of the same description length
    within = _values(ENTROPY, 1.0, 1.0, n_rows) + evenness

    def costs(form: ScoreForm, n_states: int) -> tuple[FloatArray, float]:
        arity = n_states + candidates.has_missing
        cell_key, configuration_key = _keys(form, q, arity)
        cell = _values(form.cell, form.ess, cell_key, n_rows)
        each = alone.sums(within) - own.sums(cell)
        fixed = _penalty(form, q, arity, n_rows) - own.missing(cell)
        fixed += float(_values(form.configuration, form.ess, configuration_key, n_rows)[of_parents].sum())
        for of_cells, of_configurations, q_others, r in families:
            cell_key, configuration_key = _keys(form, q_others * arity, r)
            cell = _values(form.cell, form.ess, cell_key, n_rows)
            configuration = _values(form.configuration, form.ess, configuration_key, n_rows)
            each = each - of_cells.sums(cell) + of_configurations.sums(configuration)
            fixed += _penalty(form, q_others * arity, r, n_rows)
            fixed += of_configurations.missing(configuration) - of_cells.missing(cell)
        return each, fixed

    return costs


def _segments(costs: FloatArray, n_states: int) -> tuple[float, tuple[int, ...]]:
    """Return the minimal cost of dividing all intervals into ``n_states`` states, and the indices of the points."""
    n = len(costs)
    before = np.tri(n, k=-1, dtype=np.bool_).T  # [a, b]: a state from interval a to b - 1 is not empty
    costs = np.where(before, costs, math.inf)
    best, starts = costs[0], []
    for _ in range(n_states - 1):
        totals = best[:, None] + costs
        starts.append(totals.argmin(axis=0))
        best = totals.min(axis=0)
    end, chosen = n - 1, []
    for start in reversed(starts):
        end = int(start[end])
        chosen.append(end - 1)
    return float(best[-1]), tuple(reversed(chosen))


# The description length of a table of numbers, given cut points and a network.
#
# It has four parts (Friedman & Goldszmidt 1996, Section 3), here in nats:
#
# * the network and the discretized table: minus the score, for BIC N sum_i H(X_i* | parents*) + |theta| / 2 ln N;
# * the number of states of each measured column, one of K: ln K;
# * its k - 1 cut points among its m candidates: ln binom(m, k - 1);
# * each number given its state: N H(X_i | X_i*), with the frequencies of the values in the table.
#
# The last part makes tables with different states comparable. Since X_i* is a function of X_i, the first and the last
# add up to N sum_i H(X_i) - N sum_i I(X_i*; parents*), of which only the information depends on the cut points: a
# coarser table is not shorter by itself, and a state is worth the information it gives about the neighbours in the
# graph. All graphs have the same code length; a structure prior (``WithPrior``) adds a penalty per edge (source: ln V
# nats).

#: Indices of the candidate points chosen as cut points, by column.
Chosen = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class DescribedTable:
    """The columns sorted by name: discrete ones as codes, measured ones with their candidate cut points."""

    names: tuple[str, ...]
    discrete: Mapping[str, tuple[tuple[str, ...], IntArray]]
    candidates: Mapping[str, Candidates]
    n_rows: int
    least: int
    most: int

    def even(self, n_states: int) -> dict[str, tuple[int, ...]]:
        """Return cut points for ``n_states`` states of about equally many rows."""
        alone = Neighbours((np.zeros(self.n_rows, dtype=np.int64), 1.0), ())
        return {name: best_cuts(one, alone, BIC(), n_states, n_states) for name, one in self.candidates.items()}

    def codes(self, name: str, chosen: Chosen) -> tuple[IntArray, int]:
        """Return a column's codes and its number of states."""
        if name not in self.candidates:
            states, codes = self.discrete[name]
            return codes, len(states)
        one = self.candidates[name]
        return one.states(chosen[name]), len(chosen[name]) + 1 + one.has_missing

    def data(self, chosen: Chosen) -> Dataset:
        """Return the discretized table."""
        columns = [self.codes(name, chosen) for name in self.names]
        states = tuple(tuple(map(str, range(arity))) for _, arity in columns)
        return Dataset(self.names, states, np.column_stack([codes for codes, _ in columns]).astype(np.uint16))

    def length(self, chosen: Chosen, network_score: float) -> float:
        """Return the description length of the whole table, nats."""
        return sum(self.candidates[v].code_length(chosen[v], self.most) for v in self.candidates) - network_score

    def neighbours(self, name: str, chosen: Chosen, adjacency: Adjacency) -> Neighbours:
        """Return the families that a column belongs to."""
        v = self.names.index(name)
        children = []
        for child in np.flatnonzero(adjacency[v]).tolist():
            others = [p for p in np.flatnonzero(adjacency[:, child]).tolist() if p != v]
            codes, q = _configurations([self.codes(self.names[p], chosen) for p in others], self.n_rows)
            children.append((codes, q, *self.codes(self.names[child], chosen)))
        parents = [self.codes(self.names[p], chosen) for p in np.flatnonzero(adjacency[:, v]).tolist()]
        return Neighbours(_configurations(parents, self.n_rows), children)


def _configurations(columns: Sequence[tuple[IntArray, int]], n_rows: int) -> tuple[IntArray, float]:
    """Return each row's rank among the observed configurations, and the number of all configurations."""
    codes, q = np.zeros(n_rows, dtype=np.int64), 1.0
    for states, arity in columns:
        codes = dense_rank(codes * arity + states)
        q *= arity
    return codes, q


def described(frame: pd.DataFrame, measured: Sequence[str], least: int, most: int) -> DescribedTable:
    """Prepare a frame whose measured columns are to get between ``least`` and ``most`` states."""
    names = tuple(sorted(frame.columns))
    discrete = {}
    rest = [name for name in frame.columns if name not in measured]
    if rest:
        whole = Dataset.from_frame(fill_missing(frame[rest], "own_state"))
        discrete = {name: (whole.states[v], whole.codes[:, v].astype(np.int64)) for v, name in enumerate(rest)}
    candidates = {name: candidates_of(numbers_of(frame[name])) for name in measured}
    return DescribedTable(names, discrete, candidates, len(frame), least, most)
