"""The iterated bootstrap: resamples of resamples by simulation, and in closed form for sums over counts.

With T_0 = T(D) and T_j the mean of the statistic after j generations of resampling, the estimate corrected k times is
sum over j of (-1)^j C(k + 1, j + 1) T_j: 2 T_0 - T_1 for k = 1, 3 T_0 - 3 T_1 + T_2 for k = 2 (Hall 1992, Sec. 1.4).
Each chain resamples its own last resample, so k generations take k evaluations per chain, and the chains are
independent: the standard error is that of a mean. For the exact values of some statistics see ``iterated_correction``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.validation import Ge, Le, Repeats, RowCount, Samples, validated
from bnengine.data.dataset import Dataset
from bnengine.teaching.checked_input import (
    at_least_one_row,
    checked_counts,
    checked_measurements,
    statistic_value,
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
            f"got {n_rows:,}: use fewer rows, or iterated_bootstrap, which simulates it"
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


@validated
def corrected_information(table: npt.ArrayLike, order: Order = 1) -> float:
    """Return the plug-in mutual information of a table of counts, bias-corrected ``order`` times, exactly, nats.

    I = H(X) + H(Y) - H(X, Y), and the correction is linear.

    Parameters
    ----------
    table : array of int, shape (r, c)
        Counts, 2,000 in all at most.
    order : int
        How often to correct, 0 to 10.

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If the table is not two-dimensional, an entry is negative or not a whole number, all are 0, or there are too
        many rows.

    Examples
    --------
    >>> corrected_information([[30, 20], [20, 30]], 2) < corrected_information([[30, 20], [20, 30]], 0)
    True
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2:
        raise ValueError(
            f"table must have one line per state of X and one column per state of Y; got shape {counts.shape}"
        )
    parts = (counts.sum(axis=1), counts.sum(axis=0), counts.ravel())
    of_x, of_y, of_both = (corrected_entropy(part, order) for part in parts)
    return of_x + of_y - of_both


@validated
def corrected_variance(values: npt.ArrayLike, order: Order = 1) -> float:
    """Return the variance of N measurements (divisor N), bias-corrected ``order`` times, exactly.

    Each generation of resampling multiplies the mean variance by 1 - 1/N, so the corrections add 1/N, 1/N², … of the
    variance; their limit is the unbiased variance, N / (N - 1) times as large.

    Parameters
    ----------
    values : array of float, shape (N,)
    order : int
        How often to correct, 0 to 10.

    Returns
    -------
    float
        In the square of the measurements' unit.

    Raises
    ------
    ValueError
        If there are fewer than two values, or one is not finite.

    Examples
    --------
    >>> [corrected_variance([0.0, 2.0], order) for order in range(4)]
    [1.0, 1.5, 1.75, 1.875]
    """
    x = checked_measurements(values)
    return float(x.var() * sum(x.size**-k for k in map(float, range(order + 1))))


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


Rows = TypeVar("Rows", npt.NDArray[Any], Dataset)
_MOST_GENERATIONS = 10


@dataclass(frozen=True, eq=False)
class IteratedBootstrap(ReadOnlyArrays):
    """A statistic of the data and of successive generations of resamples, in the statistic's own unit.

    Attributes
    ----------
    value : float
        T(D).
    on_resamples : ndarray, shape (chains, generations), read-only
        The statistic on each chain's first resample, on a resample of that, and so on.
    n_planned : int
        Number of chains asked for; there are fewer if ``status`` is ``"stopped"``.
    status : {"converged", "stopped"}
    """

    value: float
    on_resamples: FloatArray = field(repr=False)
    n_planned: int
    status: str
    seed: int | None

    @property
    def means(self) -> FloatArray:
        """T(D) and the mean of each generation, shape (generations + 1,); NaN if no chain is finished."""
        if not len(self.on_resamples):
            return np.array([self.value] + [math.nan] * self.on_resamples.shape[1])
        return np.concatenate([[self.value], self.on_resamples.mean(axis=0)])

    @validated
    def corrected(self, order: Annotated[int, Ge(0)]) -> float:
        """Return the estimate corrected ``order`` times; order 0 is T(D).

        Parameters
        ----------
        order : int
            From 0 to the number of generations.

        Returns
        -------
        float
            In the statistic's unit.

        Raises
        ------
        ValueError
            If there are not so many generations.
        """
        return float(self._weights(order) @ self.means)

    @validated
    def standard_error(self, order: Annotated[int, Ge(0)]) -> float:
        """Return the Monte Carlo standard error of ``corrected(order)``; NaN with fewer than two chains.

        Parameters
        ----------
        order : int
            From 0 to the number of generations.

        Returns
        -------
        float
            In the statistic's unit.

        Raises
        ------
        ValueError
            If there are not so many generations.
        """
        return float(standard_error(self.on_resamples @ self._weights(order)[1:]))

    def table(self) -> pd.DataFrame:
        """Return one line per number of corrections: estimate, value, standard_error."""
        orders = range(self.on_resamples.shape[1] + 1)
        lines = [(times_corrected(k), self.corrected(k), self.standard_error(k)) for k in orders]
        return pd.DataFrame(lines, columns=["estimate", "value", "standard_error"])

    def _weights(self, order: int) -> FloatArray:
        """Return the weight of each generation's mean in the estimate corrected ``order`` times."""
        generations = self.on_resamples.shape[1]
        if not 0 <= order <= generations:
            raise ValueError(f"order must be from 0 to the number of generations, {generations}; got {order}")
        return np.array([(-1.0) ** j * math.comb(order + 1, j + 1) for j in range(generations + 1)])


@validated
def iterated_bootstrap(
    rows: Rows,
    statistic: Callable[[Rows], float],
    generations: Annotated[int, Ge(1), Le(_MOST_GENERATIONS)] = 2,
    n: Repeats = 1000,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> IteratedBootstrap:
    """Evaluate a statistic on ``n`` resamples of the rows, on resamples of those, and so on.

    Parameters
    ----------
    rows : ndarray, shape (N, …), or Dataset
    statistic : callable
        Takes rows of the same type and returns a finite number.
    generations : int
        1 for the bootstrap, 2 for the twice iterated bootstrap, up to 10.
    n : int
        Chains; each has its own random generator and costs ``generations`` evaluations.
    rng : int, Generator or None, default 0; None draws anew at each call
    progress : callable, optional
        Called with (chains done, all chains); returning False stops and keeps what is done.

    Returns
    -------
    IteratedBootstrap

    Raises
    ------
    ValueError
        If there are no rows, or the statistic does not return a finite number.

    Examples
    --------
    >>> import numpy as np
    >>> made = iterated_bootstrap(np.array([1.0, 2.0, 3.0, 6.0]), np.var, n=4000, rng=1)
    >>> made.value < made.corrected(1) < made.corrected(2)  # towards the unbiased variance
    True
    """
    given = rows if isinstance(rows, Dataset) else np.asarray(rows)
    if isinstance(given, np.ndarray) and not given.ndim:
        raise ValueError("rows must be a Dataset, or an array with one entry or line per row")
    n_rows = given.n_rows if isinstance(given, Dataset) else len(given)
    at_least_one_row(n_rows)
    value = statistic_value(statistic(given))
    values = np.empty((n, generations))
    done = n
    for chain, generator in enumerate(generator_of(rng).spawn(n)):
        if progress is not None and progress(chain, n) is False:
            done = chain
            break
        drawn = given
        for generation in range(generations):
            numbers = generator.integers(0, n_rows, n_rows)
            drawn = drawn.take(numbers) if isinstance(drawn, Dataset) else drawn[numbers]
            values[chain, generation] = statistic_value(statistic(drawn))
    return IteratedBootstrap(value, values[:done].copy(), n, "converged" if done == n else "stopped", seed_of(rng))
