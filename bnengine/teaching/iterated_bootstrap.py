"""The iterated bootstrap of sums over counts: resamples of resamples, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.validation import Ge, Le, RowCount, Samples, validated
from bnengine.teaching.checked_input import (
    at_least_one_row,
    checked_counts,
    whole_rows,
)
from bnengine.teaching.entropy_bias import entropy_terms, plugin_entropy

# The iterated bootstrap in closed form: the bias of the bias correction, and so on (Hall 1992, Sec. 1.4).
#
# The bootstrap estimate of the bias is itself biased, and resamples of resamples estimate by how much. For a
# statistic that is a sum over states of a function f of one count this can be computed exactly: a state with n of N
# rows has Binomial(N, n/N) rows in a resample. With P the matrix of these probabilities, the mean of f after k
# generations of resampling is P^k f, and the estimate corrected k times is (sum over i ≤ k of (1 - P)^i) f: 2f - Pf
# for k = 1, 3f - 3Pf + P²f for k = 2. (P also describes genetic drift, Wright 1931: diversity is lost in the same way
# as entropy.)

MOST_ROWS = 2000  # the matrix has N² entries
#: How often an estimate is corrected: 0 leaves it as it is.
Order = Annotated[int, Ge(0), Le(10)]


@lru_cache(maxsize=4)
def resampling_matrix(n_rows: int) -> FloatArray:
    """Return ``P[n, m]``, the probability that a state with n of N rows has m in a resample.

    Shape (N + 1, N + 1), read-only.

    Examples
    --------
    >>> resampling_matrix(2).round(12).tolist()
    [[1.0, 0.0, 0.0], [0.25, 0.5, 0.25], [0.0, 0.0, 1.0]]
    """
    from scipy.stats import binom

    at_least_one_row(n_rows)
    if n_rows > MOST_ROWS:
        raise ValueError(
            f"the exact iterated bootstrap needs a matrix of N² numbers and is limited to {MOST_ROWS:,} rows; "
            f"got {n_rows:,}: use fewer rows"
        )
    counts = np.arange(n_rows + 1)
    matrix: FloatArray = binom.pmf(counts[None, :], n_rows, counts[:, None] / n_rows)
    matrix = np.where(matrix < 1e-300, 0.0, matrix)  # subnormal numbers are slow to multiply
    matrix.setflags(write=False)
    return matrix


def resampled_terms(n_rows: int, generations: int) -> FloatArray:
    """Return the mean of ``entropy_terms`` after some generations of resampling, by count. Shape (N + 1,), nats."""
    terms = entropy_terms(n_rows)
    for _ in range(generations):
        terms = resampling_matrix(n_rows) @ terms
    return terms


def corrected_terms(n_rows: int, order: int) -> FloatArray:
    """Return ``entropy_terms`` bias-corrected ``order`` times, by count. Shape (N + 1,), nats."""
    last = total = entropy_terms(n_rows)
    for _ in range(order):
        last = last - resampling_matrix(n_rows) @ last
        total = total + last
    return total


@validated
def corrected_entropy(counts: npt.ArrayLike, order: Order = 1) -> float:
    """Return the plug-in entropy bias-corrected ``order`` times by the bootstrap, exactly, nats.

    Order 1 is T_BC = 2 T(D) - <T>_b; order 2 corrects the correction's own bias.

    Parameters
    ----------
    counts : array of int, shape (|X|,)
        Rows in each state, 2,000 in all at most.
    order : int
        How often to correct, 0 to 10.

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If a count is negative or not a whole number, all are 0, or there are too many rows.

    Examples
    --------
    >>> corrected_entropy([3, 1], 0) < corrected_entropy([3, 1], 1) < corrected_entropy([3, 1], 2)
    True
    """
    rows = whole_rows(checked_counts(counts))
    return float(corrected_terms(int(rows.sum()), order)[rows].sum())


@dataclass(frozen=True, eq=False)
class EntropyEstimates(ReadOnlyArrays):
    """Estimates of an entropy from repeated samples.

    Attributes
    ----------
    truth : float
        The entropy of the distribution, nats.
    names : tuple of str
        "bootstrap" (the mean over resamples), "plug-in", "corrected", "corrected twice", …
    estimates : ndarray, shape (estimators, samples), read-only
    exact_bias : ndarray, shape (estimators,), read-only
        Expectation over all samples minus the truth, by binomial sums.
    """

    truth: float
    n_rows: int
    names: tuple[str, ...]
    estimates: FloatArray = field(repr=False)
    exact_bias: FloatArray = field(repr=False)

    def table(self) -> pd.DataFrame:
        """Return one line per estimator, nats.

        Columns: exact bias, observed bias and its standard error, sd over samples, root mean square error.
        """
        errors = self.estimates - self.truth
        sd = errors.std(axis=1, ddof=1)
        return pd.DataFrame(
            {
                "estimator": self.names,
                "bias": self.exact_bias,
                "observed_bias": errors.mean(axis=1),
                "standard_error": sd / np.sqrt(errors.shape[1]),
                "sd": sd,
                "rmse": np.sqrt(self.exact_bias**2 + sd**2),
            }
        )


@validated
def repeated_entropy(
    probabilities: npt.ArrayLike,
    n_rows: RowCount,
    n_samples: Samples = 400,
    orders: Sequence[Order] = (1, 2),
    rng: Seed = 0,
) -> EntropyEstimates:
    """Compare the bootstrap mean, the plug-in entropy and corrected entropies on repeated samples with the truth.

    Parameters
    ----------
    probabilities : array, shape (|X|,)
    n_rows : int
        Rows of each sample, at most 2,000.
    n_samples : int
        At least 2.
    orders : sequence of int
        Numbers of corrections, 0 to 10; 0, the plug-in entropy, is always included.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    EntropyEstimates

    Raises
    ------
    ValueError
        If a probability is negative, all are 0, or there are more than 2,000 rows.

    Examples
    --------
    >>> made = repeated_entropy([0.5, 0.3, 0.2], 10, n_samples=50)
    >>> made.names
    ('bootstrap', 'plug-in', 'corrected', 'corrected twice')
    """
    from scipy.stats import binom

    weights = checked_counts(probabilities)
    weights = weights / weights.sum()
    counts = generator_of(rng).multinomial(n_rows, weights, size=n_samples)
    chosen = [0, *sorted(set(orders) - {0})]
    terms = np.stack([resampled_terms(n_rows, 1), *[corrected_terms(n_rows, order) for order in chosen]])
    chances = binom.pmf(np.arange(n_rows + 1), n_rows, weights[:, None]).sum(axis=0)
    truth = plugin_entropy(weights)
    names = ("bootstrap", "plug-in", *[times_corrected(order) for order in chosen[1:]])
    return EntropyEstimates(truth, n_rows, names, terms[:, counts].sum(axis=2), terms @ chances - truth)


def times_corrected(order: int) -> str:
    """Return the label of an estimate corrected ``order`` times."""
    return {0: "plug-in", 1: "corrected", 2: "corrected twice"}.get(order, f"corrected {order} times")
