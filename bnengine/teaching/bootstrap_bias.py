"""The bootstrap's bias of any statistic, and the corrected value.

If T is smaller (larger) on resamples than on the data by b, it is about as much smaller (larger) on the data than in
truth, so 2 T(D) - <T>_b, which is T(D) - b, is the bias-corrected estimate (Efron & Tibshirani 1993, Sec. 10.6).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.random_generators import Seed, generator_of
from bnengine.scores.dependence import g_squared_of_many, mutual_information
from bnengine.teaching.entropy_bias import (
    Vector,
    at_least_one_row,
    checked_counts,
    entropy_terms,
    expected_entropy,
    plugin_entropy,
    whole_rows,
)


@dataclass(frozen=True, eq=False)
class BootstrapBias:
    """A statistic of the data and of resamples of them, in the statistic's own unit.

    Attributes
    ----------
    value : float
        T(D).
    on_resamples : ndarray, shape (R,), read-only
        On resamples that were drawn.
    exact_mean : float, optional
        The mean over all resamples, where a formula gives it.
    """

    value: float
    on_resamples: Vector = field(repr=False)
    exact_mean: float | None = None

    def __post_init__(self) -> None:
        self.on_resamples.setflags(write=False)

    @property
    def mean(self) -> float:
        """The mean over resamples, <T>_b: exactly where that is known, of the drawn ones otherwise."""
        return float(self.on_resamples.mean()) if self.exact_mean is None else self.exact_mean

    @property
    def bias(self) -> float:
        """The bootstrap's estimate of the bias, <T>_b - T(D)."""
        return self.mean - self.value

    @property
    def corrected(self) -> float:
        """T_BC = 2 T(D) - <T>_b."""
        return self.value - self.bias

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the mean of the drawn resamples; NaN with one of them."""
        n = self.on_resamples.size
        return float(self.on_resamples.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan


def bootstrap_bias(
    rows: npt.NDArray[Any],
    statistic: Callable[[npt.NDArray[Any]], float],
    n: int = 1000,
    rng: Seed = 0,
) -> BootstrapBias:
    """The bias of any statistic of rows, by ``n`` drawn bootstrap samples.

    Parameters
    ----------
    rows : ndarray, shape (N, …)
        Such as measurements, or ``data.codes``.
    statistic : callable
        From rows to a number.
    n : int
    rng : int, Generator or None

    Examples
    --------
    >>> import numpy as np
    >>> made = bootstrap_bias(np.array([1.0, 2.0, 3.0, 6.0]), np.var, n=4000, rng=1)
    >>> made.bias < 0 < made.corrected - made.value  # on average the variance of N resampled rows is 1 - 1/N of theirs
    True
    """
    _at_least_one_resample(n)
    rows = np.asarray(rows)
    if not rows.ndim:
        raise ValueError("rows must be an array with one entry or line a row")
    at_least_one_row(len(rows))
    generator = generator_of(rng)
    on_resamples = [float(statistic(rows[generator.integers(0, len(rows), len(rows))])) for _ in range(n)]
    return BootstrapBias(float(statistic(rows)), np.array(on_resamples))


def bootstrap_entropy(counts: npt.ArrayLike, n: int = 1000, rng: Seed = 0) -> BootstrapBias:
    """The plug-in entropy of rows counted by state, nats, on ``n`` drawn resamples, with its exact mean over all.

    Examples
    --------
    >>> bootstrap_entropy([40, 30, 20, 10]).bias < 0
    True
    """
    _at_least_one_resample(n)
    rows = whole_rows(checked_counts(counts))
    drawn = generator_of(rng).multinomial(int(rows.sum()), rows / rows.sum(), size=n)
    n_rows = int(rows.sum())
    on_resamples = entropy_terms(n_rows)[drawn].sum(axis=1)
    return BootstrapBias(plugin_entropy(rows), on_resamples, expected_entropy(rows, n_rows))


def bootstrap_information(table: npt.ArrayLike, n: int = 1000, rng: Seed = 0) -> BootstrapBias:
    """The plug-in mutual information of a table of counts, nats, on ``n`` drawn resamples; its exact mean over all.

    I = H(X) + H(Y) - H(X, Y), and each entropy's mean is a matter of binomial sums.

    Examples
    --------
    >>> bootstrap_information([[25, 25], [25, 25]]).bias > 0
    True
    """
    _at_least_one_resample(n)
    value = mutual_information(table)  # which also checks the table
    counts = whole_rows(np.asarray(table, dtype=np.float64))
    n_rows = int(counts.sum())
    drawn = generator_of(rng).multinomial(n_rows, counts.ravel() / n_rows, size=n)
    on_resamples = g_squared_of_many(drawn.reshape(n, *counts.shape).astype(np.float64)) / (2 * n_rows)
    parts = [expected_entropy(cells, n_rows) for cells in (counts.sum(axis=1), counts.sum(axis=0), counts.ravel())]
    return BootstrapBias(value, on_resamples, parts[0] + parts[1] - parts[2])


def bootstrap_variance(values: npt.ArrayLike, n: int = 1000, rng: Seed = 0) -> BootstrapBias:
    """The variance of measurements (divisor N) on ``n`` drawn resamples; its exact mean over all.

    Examples
    --------
    >>> bootstrap_variance([0.0, 2.0]).corrected
    1.5
    """
    exact = variance_bias(values)
    drawn = bootstrap_bias(np.asarray(values, dtype=np.float64), lambda rows: float(np.var(rows)), n, rng)
    return BootstrapBias(exact.plugin, drawn.on_resamples, exact.expected)


@dataclass(frozen=True)
class VarianceBias:
    """The variance of N measurements, whose bootstrap bias is known exactly.

    Attributes
    ----------
    plugin : float
        sum (x - mean)² / N.
    expected : float
        Its mean over all resamples, (1 - 1/N) times as large.
    corrected : float
        2 plugin - expected, (1 + 1/N) times as large.
    unbiased : float
        N / (N - 1) times as large.
    """

    plugin: float
    expected: float
    corrected: float
    unbiased: float


def variance_bias(values: npt.ArrayLike) -> VarianceBias:
    """The variance of measurements, its exact mean over resamples, corrected, and unbiased.

    Examples
    --------
    >>> variance_bias([0.0, 2.0])
    VarianceBias(plugin=1.0, expected=0.5, corrected=1.5, unbiased=2.0)
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size < 2 or not np.isfinite(x).all():
        raise ValueError("values must be a list of at least two finite numbers")
    plugin, n = float(x.var()), x.size
    expected = plugin * (1 - 1 / n)
    return VarianceBias(plugin, expected, 2 * plugin - expected, plugin * n / (n - 1))


def _at_least_one_resample(n: int) -> None:
    if n < 1:
        raise ValueError(f"n must be 1 or more resamples; got {n}")
