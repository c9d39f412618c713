"""Rows that depend on each other: which belong together, and how many independent rows they are worth.

Rows of one person, ward or household, and neighbouring rows of a series, repeat in part what others have already shown.
Where two columns are independent, but each is alike within a cluster, their table of counts varies more from sample
to sample than that of independent rows. The design effect is how many times more (Kish 1965): that many rows are worth
one independent row. Each pair of columns has its own; a table's is the mean over its pairs, so that all families are
scored on the same number of effective rows, and Markov-equivalent graphs keep equal scores.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays, UInt16Array
from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine.data.checked_frame import MISSING, DataError, state_label

_MOST_STATES = 512  # of the columns compared, in all
_MOST_ROWS = 50_000  # compared
_MOST_NEIGHBOURS = 5_000
_MOST_LAGS = 32  # rows of a cluster up to which pairs of them are compared one by one
_LEAST_BLOCKS = 5
_NO_LONGER = 0.05  # mean autocorrelation
#: Mean autocorrelations a twentieth and a tenth of the rows apart from which a series drifts; also if two columns have
#: the first a tenth apart.
_DRIFTS = (0.3, 0.1)
_DIGITS = 6  # of a design effect: sums over rows in another order differ in later ones


@dataclass(frozen=True, eq=False)
class DependentRows(ReadOnlyArrays):
    """Which rows depend on each other.

    Attributes
    ----------
    of_row : ndarray of int, shape (R,)
        The number of each row's cluster, or of its block of consecutive rows.
    block : int or None
        Rows of a block of a series; None for clusters.
    """

    of_row: IntArray
    block: int | None = None

    @property
    def kind(self) -> str:
        """What is drawn: "cluster" or "block"."""
        return "cluster" if self.block is None else "block"

    @property
    def n_units(self) -> int:
        """Number of clusters or blocks."""
        return int(self.of_row.max()) + 1

    @property
    def sizes(self) -> IntArray:
        """Number of rows of each, shape (units,)."""
        return np.bincount(self.of_row)

    def sentence(self, effective: int) -> str:
        """State what the rows are taken as, given how many independent rows they are worth."""
        n, worth = len(self.of_row), f"are worth {counted(effective, 'independent row')}"
        if self.block is None:
            return f"{n:,} rows of {counted(self.n_units, 'unit')} {worth}, and whole units are drawn."
        return f"{n:,} rows of a series {worth}, and blocks of {self.block:,} rows are drawn."

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> DependentRows | None:
        """Return those of some rows, numbered anew; None if no two of them belong together."""
        of_row = np.unique(self.of_row[rows], return_inverse=True)[1].astype(np.int64)
        return DependentRows(of_row, self.block) if of_row.size > of_row.max(initial=0) + 1 else None

    def drawn_with(self, n_rows: int, rng: np.random.Generator) -> IntArray:
        """Return how often each row is drawn, shape (R,), as whole clusters or moving blocks with replacement.

        Clusters are drawn until there are about ``n_rows`` rows (Davison & Hinkley 1997, Sec. 3.8). Blocks may begin at
        any row, and the series is closed to a circle, so that each row is as likely as another (Politis & Romano 1992).
        """
        of_row, n = self.of_row, len(self.of_row)
        if self.block is None:
            times = max(1, round(self.n_units * n_rows / n))
            return np.bincount(rng.integers(0, self.n_units, times), minlength=self.n_units)[of_row]
        starts = rng.integers(0, n, -(-n_rows // self.block))
        rows = (starts[:, None] + np.arange(self.block)).ravel()[:n_rows] % n
        return np.bincount(rows, minlength=n)

    def drawn_without(self, n_rows: int, rng: np.random.Generator) -> IntArray:
        """Return which rows are drawn, 0 or 1, shape (R,): whole clusters or blocks, of about ``n_rows`` rows."""
        most = max(1, self.n_units - 1)
        some = rng.choice(self.n_units, min(max(1, round(self.n_units * n_rows / len(self.of_row))), most), False)
        return np.isin(self.of_row, some).astype(np.int64)

    def exchanged(self, rng: np.random.Generator) -> IntArray:
        """Return for each row the one whose cell takes its place where a column's clusters or blocks change places.

        What rows of one cluster have in common in this column, they have in common afterwards. Where a cluster takes
        the place of a larger one, its rows are repeated in turn.
        """
        order, sizes = np.argsort(self.of_row, kind="stable"), self.sizes
        first, other = np.cumsum(sizes) - sizes, rng.permutation(self.n_units)
        unit = self.of_row[order]
        place = np.arange(len(order)) - first[unit]
        rows = np.empty_like(order)
        rows[order] = order[first[other[unit]] + place % sizes[other[unit]]]
        return rows


def clusters_of(name: str, column: pd.Series[Any]) -> DependentRows | None:
    """Return the clusters that a column names; None if each has one row.

    They are numbered in the order of their names, so nothing depends on the order of the rows. A DataError if a cell is
    missing, or there is one cluster only.
    """
    if column.isna().any():
        row = int(np.argmax(column.isna().to_numpy())) + 1
        raise DataError(
            f"clusters='{name}' must name the unit of every row; row {row:,} is empty: fill it in, or leave the row out"
        )
    labels = np.array([state_label(value) for value in column])
    numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    n = int(numbers.max()) + 1
    if n == 1:
        raise DataError(
            f"clusters='{name}' puts all {counted(len(labels), 'row')} into one cluster, '{labels[0][:40]}', and "
            "nothing can be learned from a single one; name the column that distinguishes units"
        )
    return DependentRows(numbers) if n < len(labels) else None


def longest_block(n_rows: int) -> int:
    """Return the largest number of rows that a block of a series may have."""
    return max(2, n_rows // _LEAST_BLOCKS)


def blocks_of(length: int, n_rows: int) -> DependentRows | None:
    """Return the blocks of a series; None if each has one row. A DataError if there are fewer than five."""
    if length * _LEAST_BLOCKS > n_rows:
        raise DataError(
            f"blocks must be at most a fifth of the {counted(n_rows, 'row')}, {n_rows // _LEAST_BLOCKS}; got {length}: "
            "with fewer than five blocks nothing is known about what fresh ones would show"
        )
    return DependentRows(np.arange(n_rows) // length, length) if length > 1 else None


#: What rows are taken as unless somebody answers that they depend on each other.
INDEPENDENT = "Rows are taken as independent of each other."


def design_effect(codes: UInt16Array, dependent: DependentRows) -> float:
    """Return how many rows are worth one independent row, at least 1.

    For two columns x and y, z_i are the products of the centred indicators of their states in row i, one for each cell
    of their table. If x and y are independent, the generalized design effect (Rao & Scott 1984, Eq. 2.8) is the sum
    over clusters of the squared sums of z_i, divided by the sum of squares of all z_i. In a series z_i z_j counts fully
    for rows i and j up to the length of a block apart, and less and less up to twice that (Politis & Romano 1995).
    Where x and y depend on each other, z_i z_j has a mean in rows that have nothing to do with each other, too, and
    that is subtracted if they are as many. Each pair of columns counts alike; of more columns than have 512 states
    together, some stand for all. Columns that are balanced within clusters, such as the number of a visit, are left
    out: they would hide how alike the others are.
    """
    codes, dependent = _some(codes, dependent)
    if dependent.block is None:
        codes = codes[:, [not _is_balanced(column, dependent.of_row) for column in codes.T]]
    columns, rows = _Columns(codes), np.arange(len(codes))
    if columns.n < 2:
        return 1.0
    own = float(columns.products(rows, rows).sum())
    near = columns.within_clusters(dependent) if dependent.block is None else columns.by_lags(dependent.block)
    total, n_near, weighed, n_weighed = near
    n_far = len(codes) * (len(codes) - 1.0) - n_near
    far = (columns.summed(rows) - own - total) / n_far if n_far >= n_near else 0.0
    beyond = own - far * len(codes)
    effect = 1.0 + (weighed - far * n_weighed) / beyond if beyond > 0.0 else 1.0
    return max(1.0, round(effect, _DIGITS))


def _is_balanced(column: UInt16Array, of_row: IntArray) -> bool:
    """Return whether the states of a column cancel within clusters, beyond three standard errors of independent rows.

    Its squared sums over clusters, and its squares, are then equal on average; here they are half of them at most.
    """
    table = np.zeros((int(of_row.max()) + 1, int(column.max()) + 1))
    np.add.at(table, (of_row, column), 1.0)
    sizes, shares = table.sum(axis=1, keepdims=True), table.sum(axis=0) / len(column)
    squares = len(column) * (1.0 - float((shares**2).sum()))
    error = math.sqrt(2.0 * max(float((sizes**2).sum()) - len(column), 0.0)) / len(column)
    return squares > 0.0 and float(((table - sizes * shares) ** 2).sum()) < (1.0 - max(0.5, 3.0 * error)) * squares


def _some(codes: UInt16Array, dependent: DependentRows) -> tuple[UInt16Array, DependentRows]:
    """Return at most about ``_MOST_ROWS`` rows: whole clusters, evenly spaced, or the first rows of a series."""
    if len(codes) <= _MOST_ROWS:
        return codes, dependent
    if dependent.block is not None:
        n = max(_MOST_ROWS, _LEAST_BLOCKS * dependent.block)
        return codes[:n], DependentRows(dependent.of_row[:n], dependent.block)
    n = max(2, dependent.n_units * _MOST_ROWS // len(codes))
    kept = np.isin(dependent.of_row, np.linspace(0, dependent.n_units - 1, n).round().astype(int))
    return codes[kept], DependentRows(np.unique(dependent.of_row[kept], return_inverse=True)[1].astype(np.int64))


#: Sums over ordered pairs of different rows near each other, and how many these are; then both as weighed.
_Near = tuple[float, float, float, float]


class _Columns:
    """Columns as centred indicators of their states, scaled so that each has variance 1 in all.

    k(i, j) is the inner product of a column's indicators in two rows; that of the products of two columns is k_x k_y.
    Columns in which only one state is seen are left out.
    """

    def __init__(self, codes: UInt16Array) -> None:
        seen = codes != MISSING
        shares = [np.bincount(own[at]) / max(1, int(at.sum())) for own, at in zip(codes.T, seen.T, strict=True)]
        kept = [v for v, own in enumerate(shares) if (own > 0).sum() > 1]
        n_states = sum(len(shares[v]) for v in kept)
        if n_states > _MOST_STATES:
            n = max(2, int(_MOST_STATES * len(kept) / n_states))
            kept = [kept[k] for k in np.linspace(0, len(kept) - 1, n).round().astype(int)]
        self.kept, self.n, self._codes = kept, len(kept), np.ascontiguousarray(codes.T[kept])
        self._shares = [shares[v] for v in kept]
        self._scales = np.array([1.0 / (1.0 - float(own @ own)) for own in self._shares])
        self._seen = np.ascontiguousarray(seen.T[kept])
        padded = [np.append(own, 0.0) - own @ own / 2.0 for own in self._shares]
        of = zip(padded, self._codes, self._shares, strict=True)
        self._expected = [shares_of[np.minimum(column, len(own))] for shares_of, column, own in of]

    def alike(self, rows: IntArray, others: IntArray) -> Iterator[FloatArray]:
        """Yield k of each column, for pairs of rows."""
        for codes, seen, expected, scale in zip(self._codes, self._seen, self._expected, self._scales, strict=True):
            k = (codes[rows] == codes[others]) - expected[rows] - expected[others]
            yield k * (scale * (seen[rows] & seen[others]))

    def products(self, rows: IntArray, others: IntArray) -> FloatArray:
        """Return the sum over pairs of columns of k_x k_y, for pairs of rows."""
        total, squares = np.zeros(len(rows)), np.zeros(len(rows))
        for k in self.alike(rows, others):
            total += k
            squares += k * k
        return np.asarray(0.5 * (total * total - squares))

    @functools.cached_property
    def indicators(self) -> tuple[FloatArray, BoolArray]:
        """All columns' indicators, shape (rows, states), and which products are of two columns, each pair once."""
        of = np.repeat(np.arange(self.n), [len(own) for own in self._shares])
        pairs = zip(self._codes, self._shares, strict=True)
        centred = np.concatenate([(codes[:, None] == np.arange(len(own))) - own for codes, own in pairs], axis=1)
        return centred * (np.sqrt(self._scales)[:, None] * self._seen).T[:, of], of[:, None] < of

    def summed(self, rows: IntArray) -> float:
        """Return the sum of ``products`` over all pairs of some rows, by their tables."""
        indicators, of_two = self.indicators
        return float((((indicators[rows].T @ indicators[rows]) ** 2) * of_two).sum())

    def within_clusters(self, dependent: DependentRows) -> _Near:
        """Sum the products over the rows of each cluster."""
        order, sizes = np.argsort(dependent.of_row, kind="stable"), dependent.sizes
        total, ends, large = 0.0, np.cumsum(sizes), sizes > _MOST_LAGS
        for end, size in zip(ends[large].tolist(), sizes[large].tolist(), strict=True):
            rows = order[end - size : end]
            total += self.summed(rows)
        of_large = order[large[dependent.of_row[order]]]
        total -= float(self.products(of_large, of_large).sum())
        order = order[~large[dependent.of_row[order]]]
        of_row = dependent.of_row[order]
        for lag in range(1, int(sizes[~large].max(initial=1))):
            both = np.flatnonzero(of_row[lag:] == of_row[:-lag])
            total += 2.0 * float(self.products(order[both], order[both + lag]).sum())
        n = float((sizes * (sizes - 1.0)).sum())
        return total, n, total, n

    def by_lags(self, block: int) -> _Near:
        """Sum the products over rows up to twice a block apart; of many lags some stand for all."""
        rows = np.arange(self._codes.shape[1])
        every = np.arange(1, min(2 * block, len(rows) - 1))
        lags = np.unique(np.linspace(1, every[-1], 2 * _MOST_LAGS).round().astype(int)).tolist()
        means = np.interp(every, lags, [float(self.products(rows[:-lag], rows[lag:]).mean()) for lag in lags])
        times, weights = 2.0 * (len(rows) - every), 2.0 * len(rows) * np.clip(2.0 - every / block, 0.0, 1.0)
        return float(times @ means), float(times.sum()), float(weights @ means), float(weights.sum())


def autocorrelations(columns: _Columns, n_rows: int, lag: int) -> list[float]:
    """Return how alike the cells of each column are ``lag`` rows apart: a correlation of the indicators of states.

    1 if always equal, about 0 if no more often than those of any two rows.
    """
    rows = np.arange(n_rows - lag)
    return [float(k.mean()) for k in columns.alike(rows, rows + lag)]


def neighbours_alike(codes: UInt16Array) -> float:
    """Return by how many standard errors neighbouring rows are more alike than any two rows are.

    Likeness is the inner product of the rows' centred indicators, the scales of all columns being equal. Over orders of
    the rows its mean between neighbours is - tr C / (N - 1), C being the matrix of second moments of the indicators,
    and the variance is |C|² over the number of neighbours (Wald & Wolfowitz 1943). Of a long table 5,000 pairs of
    neighbours are compared.
    """
    if len(codes) < 3:
        return 0.0
    first = np.unique(np.linspace(0, len(codes) - 2, _MOST_NEIGHBOURS).round().astype(int))
    columns = _Columns(codes)
    indicators = columns.indicators[0][first]
    moments = indicators.T @ indicators / len(first)
    norm = float(np.linalg.norm(moments))
    likeness = sum((float(k.mean()) for k in columns.alike(first, first + 1)), np.trace(moments) / (len(codes) - 1))
    return float(np.sqrt(len(first)) * likeness / norm) if norm else 0.0


def check_series(names: Sequence[str], codes: UInt16Array) -> None:
    """Raise a DataError if columns drift, as random walks do: there are no effective rows then."""
    columns, lags = _Columns(codes), (max(1, len(codes) // 20), max(2, len(codes) // 10))
    near, far = (autocorrelations(columns, len(codes), lag) for lag in lags)
    all_drift = columns.n > 1 and np.mean(near) > _DRIFTS[0] and np.mean(far) > _DRIFTS[1]
    drifting = [names[v] for v, own in zip(columns.kept, near if all_drift else far, strict=True) if own > _DRIFTS[0]]
    if all_drift or len(drifting) > 1:
        raise DataError(
            f"{some_of(drifting)} drift like random walks: rows {lags[0]:,} apart are still alike. "
            "However long such a series is, it has no effective rows, and any two walks look related. Learn from the "
            "differences between neighbouring rows (frame.diff()), or leave these columns out"
        )


def suggested_block(codes: UInt16Array) -> int:
    """Return the rows beyond which neighbouring rows are no longer alike: where the mean autocorrelation is below 0.05.

    At most a fifth of the rows.
    """
    most = max(1, len(codes) // _LEAST_BLOCKS)
    columns = _Columns(codes)
    for lag in np.unique(np.geomspace(1, most, 40).round().astype(int)).tolist():
        alike = autocorrelations(columns, len(codes), lag)
        if sum(alike) <= _NO_LONGER * len(alike):
            return int(lag)
    return most
