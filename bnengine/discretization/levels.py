"""The best cuts of one column, given the families that it is in: exact over candidate cuts, by dynamic programming.

A table score is a sum over cells, and every cell lies in one level of the column. For a given number of levels the
description length is therefore a sum over levels, and the best cuts follow from those of fewer levels (Bellman 1961;
for discretisation Elomaa & Rousu 1999). Friedman & Goldszmidt (1996) split greedily instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bnengine.scores._count_terms import ENTROPY, OBSERVED, SHARED, evaluate
from bnengine.scores.nml import log_regret
from bnengine.scores.scores import ScoreForm, TableScore

Codes = npt.NDArray[np.int64]
Costs = npt.NDArray[np.float64]

#: Description lengths this close, in nats, are the same: then the more even cuts, and the fewer levels, are taken.
TOLERANCE = 1e-6
#: Points among which all cuts are compared; the others come in where cuts are moved.
COARSE = 50
_ZOOM = 8


@dataclass(frozen=True, eq=False)
class Candidates:
    """Where a column may be cut.

    Attributes
    ----------
    points : ndarray, shape (m,)
        Midpoints between neighbouring distinct values, increasing.
    interval_of : ndarray of int, shape (N,)
        Which of the m + 1 intervals between the points each row is in; -1 where the value is missing.
    within : float
        Nats that tell the values apart where all is one level: sum over distinct values of n ln(N / n).
    even : ndarray of int, shape (at most ``COARSE``,)
        Numbers of points that split the rows about evenly.
    """

    points: npt.NDArray[np.float64]
    interval_of: Codes
    within: float
    even: Codes

    @property
    def has_missing(self) -> bool:
        """Whether missing cells make a state of their own."""
        return bool((self.interval_of < 0).any())

    def levels(self, chosen: Sequence[int]) -> Codes:
        """The level of each row when the column is cut at the points with these numbers; missing cells come last."""
        levels = np.searchsorted(np.asarray(chosen, dtype=np.int64), self.interval_of)
        return np.where(self.interval_of < 0, len(chosen) + 1, levels)

    def code_length(self, chosen: Sequence[int], most: int) -> float:
        """Nats to write down the cuts and, level by level, the values.

        ln ``most`` for the number of levels, ln binom(m, k - 1) for which points are the k - 1 cuts, N H(X | X*) with
        the frequencies in the table for the values (Friedman & Goldszmidt 1996, Sec. 3).
        """
        sizes = np.bincount(self.levels(chosen)[self.interval_of >= 0])
        values = self.within - _n_log_n(sizes.sum()) + _n_log_n(sizes).sum()
        return float(values) + math.log(most) + self.cut_code(len(chosen))

    def cut_code(self, n_cuts: int) -> float:
        """Nats to write down which of the points are the cuts."""
        return math.log(math.comb(len(self.points), n_cuts))


def candidates_of(values: npt.NDArray[np.float64]) -> Candidates:
    """The candidate cuts of a column."""
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
    """The families that a column is in.

    Attributes
    ----------
    parents : ndarray of int, shape (N,), and float
        Number of each row's parent configuration in the column's own family, and how many configurations there are.
    children : sequence of (others, q, states, r)
        For each child: number of each row's configuration of the child's other parents, how many there are, each
        row's state of the child, how many there are.
    """

    parents: tuple[Codes, float]
    children: Sequence[tuple[Codes, float, Codes, int]]


def best_cuts(
    candidates: Candidates,
    neighbours: Neighbours,
    score: TableScore,
    least: int,
    most: int,
    now: Sequence[int] = (),
    fine: bool = False,
) -> tuple[int, ...]:
    """Numbers of the candidate points at which the description length is least.

    Parameters
    ----------
    candidates, neighbours
    score : TableScore
        Any but those whose prior depends on which cells are seen (see ``refuse``).
    least, most : int
        Bounds of the number of levels.
    now : sequence of int
        The present cuts, which are candidates, too.
    fine : bool
        Coarse: the best of all cuts among those that split the rows evenly, ``COARSE`` at most. Fine: these are then
        moved among the points between, step by step smaller, to the best that is near.
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
    numbers: Codes, candidates: Candidates, neighbours: Neighbours, score: TableScore, levels: range
) -> tuple[int, ...]:
    """The best cuts among the points with these numbers, with so many levels or as many as there can be."""
    form = score.form(len(candidates.interval_of))
    parts = _parts(numbers, candidates, neighbours)
    best: tuple[float, tuple[int, ...]] = (math.inf, ())
    for n_levels in sorted({min(n, len(numbers) + 1) for n in levels}):
        costs, fixed = parts(form, n_levels)
        value, chosen = _segments(costs, n_levels)
        total = value + fixed + candidates.cut_code(n_levels - 1)
        if total < best[0] - TOLERANCE:
            best = (total, tuple(numbers[list(chosen)].tolist()))
    return best[1]


def refuse(score: TableScore) -> None:
    """A ValueError for a score whose cells do not add up level by level."""
    form = score.form(1)
    if form.network is not None or form.unbias or OBSERVED in (form.cell, form.configuration):
        raise ValueError(
            f"score must be one whose prior does not depend on the states that are being chosen, such as BIC() or "
            f"BDeu(); got {score!r:.80}"
        )


def ranked(codes: Codes) -> Codes:
    """The codes numbered without gaps, in order of size; sorting is for codes much larger than they are many."""
    largest = int(codes.max())
    if largest > 8 * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    seen = np.zeros(largest + 1, dtype=np.bool_)
    seen[codes] = True
    return (np.cumsum(seen) - 1)[codes]


def _n_log_n(n: npt.ArrayLike) -> Costs:
    counts = np.asarray(n, dtype=np.float64)
    return counts * np.log(np.maximum(counts, 1.0))


@lru_cache(maxsize=128)
def _values(form: int, ess: float, key: float, n_rows: int) -> Costs:
    """The count function at 0, 1, …, ``n_rows``, nats."""
    if form == ENTROPY:
        return _n_log_n(np.arange(n_rows + 1))
    return np.array([evaluate(form, ess, key, n) for n in range(n_rows + 1)])


def _keys(form: ScoreForm, q: float, r: float) -> tuple[float, float]:
    """The keys of the two count functions for a family (see ``count_functions``)."""
    return (q * r, q) if form.configuration == SHARED else (1.0, r)


def _charge(form: ScoreForm, q: float, r: int, n_rows: int) -> float:
    """What a family is charged for its numbers of configurations and states, nats."""
    regret = log_regret(n_rows, q * r) - log_regret(n_rows, q) if form.quotient else 0.0
    return form.penalty * q * (r - 1) + regret


class _Counts:
    """How many rows of each code lie between two candidate points; and the sums of a function of those counts."""

    def __init__(self, interval_of: Codes, n_intervals: int, codes: Codes) -> None:
        ranks = ranked(codes)
        width, present = int(ranks.max()) + 1, interval_of >= 0
        cells = np.bincount(interval_of[present] * width + ranks[present], minlength=n_intervals * width)
        self._below = np.concatenate([np.zeros((1, width), np.int64), cells.reshape(-1, width).cumsum(axis=0)])
        self._missing = np.bincount(ranks[~present], minlength=width)
        self._known: dict[int, tuple[Costs, Costs]] = {}

    def sums(self, values: Costs) -> Costs:
        """``[a, b]``: sum of the function over the codes' counts in intervals a to b - 1; shape (m + 2, m + 2)."""
        if id(values) not in self._known:
            n = len(self._below)
            table = np.zeros((n, n))
            for a in range(n - 1):
                table[a, a + 1 :] = values[self._below[a + 1 :] - self._below[a]].sum(axis=1)
            self._known[id(values)] = values, table  # kept beside the sums, so that no other array has its id
        return self._known[id(values)][1]

    def missing(self, values: Costs) -> float:
        """Sum of the function over the codes' counts in the rows where the column is missing."""
        return float(values[self._missing].sum())


def _parts(
    numbers: Codes, candidates: Candidates, neighbours: Neighbours
) -> Callable[[ScoreForm, int], tuple[Costs, float]]:
    """A function of the score's form and the number of levels: the cost of each possible level, and the rest, nats."""
    n_rows, n_intervals = len(candidates.interval_of), len(numbers) + 1
    intervals = np.where(candidates.interval_of < 0, -1, np.searchsorted(numbers, candidates.interval_of))

    def counted(codes: Codes) -> _Counts:
        return _Counts(intervals, n_intervals, codes)

    alone = counted(np.zeros(n_rows, dtype=np.int64))
    parents, q = neighbours.parents
    of_parents = np.bincount(ranked(parents))
    own = counted(parents)
    families = [
        (counted(others * r + states), counted(others), q_others, r)
        for others, q_others, states, r in neighbours.children
    ]
    evenness = (np.arange(n_rows + 1) / n_rows) ** 2 * TOLERANCE  # decides between cuts of the same length
    within = _values(ENTROPY, 1.0, 1.0, n_rows) + evenness

    def costs(form: ScoreForm, levels: int) -> tuple[Costs, float]:
        arity = levels + candidates.has_missing
        cell_key, configuration_key = _keys(form, q, arity)
        cell = _values(form.cell, form.ess, cell_key, n_rows)
        each = alone.sums(within) - own.sums(cell)
        fixed = _charge(form, q, arity, n_rows) - own.missing(cell)
        fixed += float(_values(form.configuration, form.ess, configuration_key, n_rows)[of_parents].sum())
        for of_cells, of_configurations, q_others, r in families:
            cell_key, configuration_key = _keys(form, q_others * arity, r)
            cell = _values(form.cell, form.ess, cell_key, n_rows)
            configuration = _values(form.configuration, form.ess, configuration_key, n_rows)
            each = each - of_cells.sums(cell) + of_configurations.sums(configuration)
            fixed += _charge(form, q_others * arity, r, n_rows)
            fixed += of_configurations.missing(configuration) - of_cells.missing(cell)
        return each, fixed

    return costs


def _segments(costs: Costs, levels: int) -> tuple[float, tuple[int, ...]]:
    """The cheapest way to cut all intervals into so many levels: its cost, and the numbers of the points."""
    n = len(costs)
    before = np.tri(n, k=-1, dtype=np.bool_).T  # [a, b]: a level from interval a to b - 1 is not empty
    costs = np.where(before, costs, math.inf)
    best, starts = costs[0], []
    for _ in range(levels - 1):
        totals = best[:, None] + costs
        starts.append(totals.argmin(axis=0))
        best = totals.min(axis=0)
    end, chosen = n - 1, []
    for start in reversed(starts):
        end = int(start[end])
        chosen.append(end - 1)
    return float(best[-1]), tuple(reversed(chosen))
