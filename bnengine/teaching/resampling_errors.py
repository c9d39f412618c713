"""Standard errors by the jackknife, with its variance inflation, compared with the bootstrap and the truth.

Two delete-1 jackknife replicates differ in one row, two bootstrap samples in most of theirs, so the spread of jackknife
replicates is far smaller than that of the statistic over samples. Their variance estimates it after multiplication by
N - 1, or by (N - d) / d if d rows are deleted (Efron & Tibshirani 1993, Sec. 11.2 and 11.7; Shao & Wu 1989; Steck &
Jaakkola 2003, Sec. 5), provided that d is large enough: 1 suffices for a smooth statistic, not for a discontinuous one
such as the number of edges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.setting_kinds import UnfitError, shown
from bnengine._core.setting_kinds import number as finite_number
from bnengine._core.validation import Ge, Le, Repeats, RowCount, Samples, one_of, validated
from bnengine.bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, Resampler, replicate_generators
from bnengine.data.dataset import Dataset
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.dependence import g_squared_of_many
from bnengine.teaching.dependence import mutual_information
from bnengine.teaching.entropy_bias import expected_entropy, whole_rows

FRESH, BOOTSTRAP, DELETE_1, DELETE_D = "new samples", "bootstrap", "jackknife, delete 1", "jackknife, delete d"


def inflation(n_rows: int, d: int = 1) -> float:
    """Return the inflation factor of the variance of delete-d replicates of N rows, (N - d) / d.

    Examples
    --------
    >>> inflation(300), inflation(300, 30)
    (299.0, 9.0)
    """
    if not 1 <= d < n_rows:
        raise ValueError(f"d must be from 1 to one less than the number of rows, {n_rows}; got {d}")
    return (n_rows - d) / d


@validated
def jackknife_error(
    values: npt.ArrayLike, n_rows: RowCount, d: RowCount = 1, multiplicities: npt.ArrayLike | None = None
) -> float:
    """Return the jackknife standard error of a statistic, in its own unit, from its values on the replicates.

    The square root of ``(N - d) / d`` times the mean squared deviation of the values.

    Parameters
    ----------
    values : array of float, shape (R,)
        The statistic with each row deleted, or with d rows drawn at random deleted.
    n_rows : int
        N, the number of rows of the data.
    d : int
        Number of rows deleted.
    multiplicities : array of int, shape (R,), optional
        Number of identical replicates that each value represents.

    Returns
    -------
    float
        In the statistic's unit.

    Raises
    ------
    ValueError
        If a value is not finite, d is not below N, or multiplicities are not positive, one for each value.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([1.0, 2.0, 4.0, 7.0])
    >>> without_each = (x.sum() - x) / 3
    >>> bool(np.isclose(jackknife_error(without_each, 4), x.std(ddof=1) / 2))  # the standard error of a mean
    True
    """
    return math.sqrt(inflation(n_rows, d)) * _spread(np.asarray(values, dtype=np.float64), multiplicities)


def _spread(values: FloatArray, multiplicities: npt.ArrayLike | None = None) -> float:
    """Return the root mean squared deviation from the mean."""
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ValueError("values must be a list of finite numbers, one per replicate")
    weights = np.ones(values.size) if multiplicities is None else np.asarray(multiplicities, dtype=np.float64)
    if weights.shape != values.shape or (weights <= 0).any():
        raise ValueError("multiplicities must be positive, one for each value")
    mean = np.average(values, weights=weights)
    return math.sqrt(float(np.average((values - mean) ** 2, weights=weights)))


@dataclass(frozen=True, eq=False)
class ResamplingErrors(ReadOnlyArrays):
    """A statistic of one sample of a network, of its resamples, and of other samples of the network.

    Attributes
    ----------
    value : float
        The statistic of the sample.
    n_rows, d : int
        Rows of the sample, and rows that the delete-d jackknife deletes.
    values : mapping from str to ndarray, read-only
        By method: ``"new samples"``, ``"bootstrap"``, ``"jackknife, delete 1"`` and ``"jackknife, delete d"``.
    multiplicities : ndarray of int
        Number of rows that each replicate of the delete-1 jackknife represents.
    status : {"converged", "stopped"}
    """

    value: float
    n_rows: int
    d: int
    values: Mapping[str, FloatArray] = field(repr=False)
    multiplicities: IntArray = field(repr=False)
    status: str

    def table(self) -> pd.DataFrame:
        """Return one line per method: replicates, their mean and sd, inflation, standard_error = sd √inflation."""
        lines = []
        for method, values in self.values.items():
            weights = self.multiplicities if method == DELETE_1 else np.ones(values.size)
            factor = {DELETE_1: inflation(self.n_rows), DELETE_D: inflation(self.n_rows, self.d)}.get(method, 1.0)
            mean, sd = float(np.average(values, weights=weights)), _spread(values, weights)
            lines.append((method, values.size, mean, sd, factor, sd * math.sqrt(factor)))
        return pd.DataFrame(lines, columns=["method", "replicates", "mean", "sd", "inflation", "standard_error"])


@validated
def resampling_errors(
    truth: BayesianNetwork,
    n_rows: RowCount,
    statistic: Callable[[Dataset], float],
    n: Samples = 200,
    d: RowCount | None = None,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> ResamplingErrors:
    """Compare a statistic's variation over samples of a network with resampling estimates from one sample.

    Parameters
    ----------
    truth : BayesianNetwork
    n_rows : int
        Rows of each sample, at least 2.
    statistic : callable
        Takes a Dataset and returns a number, for example ``lambda data: len(bn.learn(data).edges)``.
    n : int
        Number of new samples, of bootstrap samples, and of delete-d jackknife replicates; at least 2. The delete-1
        jackknife has at least one replicate for each distinct row.
    d : int, optional
        Rows that the delete-d jackknife deletes; by default a tenth.
    rng : int, Generator or None, default 0; None draws anew at each call
    progress : callable, optional
        Called with (replicates done, all replicates); returning False stops and keeps what is done.

    Returns
    -------
    ResamplingErrors

    Raises
    ------
    ValueError
        If d is not below the number of rows, or the statistic does not return a finite number.

    Examples
    --------
    >>> import bnengine as bn
    >>> entropy = lambda data: bn.teaching.plugin_entropy(np.bincount(data.codes[:, 0]))
    >>> table = bn.teaching.resampling_errors(bn.load_network("survey"), 200, entropy).table().set_index("method")
    >>> bool(table["sd"]["jackknife, delete 1"] < table["sd"]["bootstrap"] / 10)
    True
    """
    sample_rng, fresh_rng, *resample_rngs = generator_of(rng).spawn(5)
    data = truth.sample(n_rows, sample_rng)
    delete_d = DeleteD(d, n)
    resamplers: dict[str, Resampler] = {BOOTSTRAP: Bootstrap(n), DELETE_1: Jackknife(), DELETE_D: delete_d}
    for resampler in resamplers.values():
        resampler.check(data)
    generators = {FRESH: fresh_rng.spawn(n)}
    for (method, resampler), resample_rng in zip(resamplers.items(), resample_rngs, strict=True):
        generators[method] = replicate_generators(resample_rng, resampler.n_replicates(data))

    def drawn(method: str, number: int) -> tuple[Dataset, int]:
        generator = generators[method][number]
        if method == FRESH:
            return truth.sample(n_rows, generator), 1
        replicate = resamplers[method].replicate(data, number, generator)
        rows = np.repeat(data.distinct_codes.T, replicate.weights, axis=0)
        return Dataset(data.names, data.states, rows), replicate.multiplicity

    # interleaved, so that a stopped run has replicates of every method
    plan = sorted((number, method) for method, one_each in generators.items() for number in range(len(one_each)))
    results: dict[str, list[float]] = {method: [] for method in generators}
    multiplicities: list[int] = []
    for done, (number, method) in enumerate(plan, start=1):
        replicate, times = drawn(method, number)
        results[method].append(statistic_value(statistic(replicate)))
        if method == DELETE_1:
            multiplicities.append(times)
        if progress is not None and progress(done, len(plan)) is False and number >= 1:
            break
    return ResamplingErrors(
        statistic_value(statistic(data)),
        n_rows,
        delete_d.rows_left_out(data),
        {method: np.array(values) for method, values in results.items()},
        np.array(multiplicities, dtype=np.int64),
        "converged" if done == len(plan) else "stopped",
    )


# The bootstrap estimate of a statistic's bias, the corrected statistic, and Jensen's inequality.
#
# If T is smaller (larger) on resamples than on the data by b, it is expected to be about as much smaller (larger) on
# the data than in truth, so 2 T(D) - <T>_b = T(D) - b is the corrected estimate (Efron & Tibshirani 1993, Sec. 10.6).


@dataclass(frozen=True, eq=False)
class BootstrapBias(ReadOnlyArrays):
    """A statistic of the data and of resamples, in the statistic's own unit.

    Attributes
    ----------
    value : float
        T(D).
    on_resamples : ndarray, shape (R,), read-only
        The statistic on each drawn resample.
    exact_mean : float, optional
        The mean over all resamples, where a formula is known.
    """

    value: float
    on_resamples: FloatArray = field(repr=False)
    exact_mean: float | None = None

    @property
    def mean(self) -> float:
        """Mean over resamples, <T>_b: exact if a formula is known, otherwise over the drawn resamples."""
        return float(self.on_resamples.mean()) if self.exact_mean is None else self.exact_mean

    @property
    def bias(self) -> float:
        """Bootstrap estimate of the bias, <T>_b - T(D)."""
        return self.mean - self.value

    @property
    def corrected(self) -> float:
        """T_BC = 2 T(D) - <T>_b."""
        return self.value - self.bias


@validated
def bootstrap_information(table: npt.ArrayLike, n: Repeats = 1000, rng: Seed = 0) -> BootstrapBias:
    """Bootstrap the plug-in mutual information of a table of counts, nats; the mean over resamples is exact.

    I = H(X) + H(Y) - H(X, Y), and the mean of each entropy is a sum of binomial expectations.

    Parameters
    ----------
    table : array of int, shape (r, c)
    n : int
        Resamples, at least 1.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    BootstrapBias

    Raises
    ------
    ValueError
        If the table is not two-dimensional, an entry is negative or not a whole number, or all are 0.

    Examples
    --------
    >>> bootstrap_information([[25, 25], [25, 25]]).bias > 0
    True
    """
    value = mutual_information(table)  # checks the table, too
    counts = whole_rows(np.asarray(table, dtype=np.float64))
    n_rows = int(counts.sum())
    drawn = generator_of(rng).multinomial(n_rows, counts.ravel() / n_rows, size=n)
    on_resamples = g_squared_of_many(drawn.reshape(n, *counts.shape).astype(np.float64)) / (2 * n_rows)
    parts = [expected_entropy(cells, n_rows) for cells in (counts.sum(axis=1), counts.sum(axis=0), counts.ravel())]
    return BootstrapBias(value, on_resamples, parts[0] + parts[1] - parts[2])


@validated
def bootstrap_variance(values: npt.ArrayLike, n: Repeats = 1000, rng: Seed = 0) -> BootstrapBias:
    """Bootstrap the variance of measurements (divisor N); the mean over resamples, 1 - 1/N times as large, is exact.

    The corrected variance is (1 + 1/N) times as large; an unbiased one would be N / (N - 1) times as large.

    Parameters
    ----------
    values : array of float, shape (N,)
    n : int
        Resamples, at least 1.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    BootstrapBias

    Raises
    ------
    ValueError
        If there are fewer than two values, or one is not finite.

    Examples
    --------
    >>> bootstrap_variance([0.0, 2.0]).corrected
    1.5
    """
    x, generator = np.asarray(values, dtype=np.float64), generator_of(rng)
    if x.ndim != 1 or x.size < 2 or not np.isfinite(x).all():
        raise ValueError("values must be a list of at least two finite numbers")
    drawn = [float(np.var(x[generator.integers(0, x.size, x.size)])) for _ in range(n)]
    return BootstrapBias(float(x.var()), np.array(drawn), float(x.var()) * (1 - 1 / x.size))


@validated
def repeated_variance(n_rows: Annotated[int, Ge(2), Le(10_000)], n: Repeats = 1000, rng: Seed = 0) -> pd.DataFrame:
    """Draw new samples of normal measurements with variance 1, and estimate the variance from each.

    Parameters
    ----------
    n_rows : int
        N, at least 2.
    n : int
        Samples, at least 1.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    DataFrame
        One line per sample: plugin (divisor N) and corrected (1 + 1/N times as much).

    Examples
    --------
    >>> repeated_variance(10, 4000, rng=1).mean().round(2).tolist()
    [0.89, 0.98]
    """
    plugin = generator_of(rng).standard_normal((n, n_rows)).var(axis=1)
    return pd.DataFrame({"plugin": plugin, "corrected": (1 + 1 / n_rows) * plugin})


# The iterated bootstrap: resamples of resamples estimate the bias of the correction itself (Hall 1992, Sec. 1.4).


@dataclass(frozen=True, eq=False)
class IteratedBootstrap(ReadOnlyArrays):
    """A statistic of the data and of successive generations of resamples, in the statistic's own unit.

    Attributes
    ----------
    value : float
        T(D).
    on_resamples : ndarray, shape (chains, generations), read-only
        The statistic on each chain's first resample, on a resample of that, and so on.
    status : {"converged", "stopped"}
    """

    value: float
    on_resamples: FloatArray = field(repr=False)
    status: str
    seed: int | None

    def table(self) -> pd.DataFrame:
        """Return one line per number of corrections, from 0: corrections, value, and its Monte Carlo standard_error.

        With T_j the mean over the j-th generation and T_0 = T(D), the value corrected k times is the sum over j of
        (-1)^j C(k + 1, j + 1) T_j: 2 T_0 - T_1, then 3 T_0 - 3 T_1 + T_2.
        """
        orders, lines = range(self.on_resamples.shape[1] + 1), []
        for k in orders:
            first, *weights = ((-1.0) ** j * math.comb(k + 1, j + 1) for j in orders)
            of_chains = first * self.value + self.on_resamples @ np.array(weights)
            lines.append((k, float(of_chains.mean()), float(standard_error(of_chains))))
        return pd.DataFrame(lines, columns=["corrections", "value", "standard_error"])


@validated
def iterated_bootstrap(
    rows: npt.NDArray[Any] | Dataset,
    statistic: Callable[[Any], float],
    generations: Annotated[int, Ge(1), Le(10)] = 2,
    n: Repeats = 1000,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> IteratedBootstrap:
    """Evaluate a statistic on ``n`` resamples of the rows, on a resample of each of those, and so on.

    Parameters
    ----------
    rows : ndarray, shape (N, …), or Dataset
    statistic : callable
        Takes rows of the same type and returns a finite number.
    generations : int
        How often to correct: 2 bootstraps the bootstrap.
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
    >>> bool(made.table()["value"].is_monotonic_increasing)  # towards the unbiased variance
    True
    """
    given = rows if isinstance(rows, Dataset) else np.asarray(rows)
    n_rows = given.n_rows if isinstance(given, Dataset) else len(given) if given.ndim else 0
    if not n_rows:
        raise ValueError("rows must be a Dataset, or an array with at least one row; got none")
    value, lines = statistic_value(statistic(given)), []
    for generator in generator_of(rng).spawn(n):
        drawn, chain = given, []
        for _ in range(generations):
            numbers = generator.integers(0, n_rows, n_rows)
            drawn = drawn.take(numbers) if isinstance(drawn, Dataset) else drawn[numbers]
            chain.append(statistic_value(statistic(drawn)))
        lines.append(chain)
        if progress is not None and progress(len(lines), n) is False:
            break
    return IteratedBootstrap(value, np.array(lines), "converged" if len(lines) == n else "stopped", seed_of(rng))


# Jensen's inequality: the exact bootstrap bias of a function of a proportion, and why it has its sign.


#: Functions of a proportion for ``jensen``, by name: convex, linear and concave ones.
PROPORTION_FUNCTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "p²": np.square,
    "eᵖ": np.exp,
    "p": np.array,
    "√p": np.sqrt,
    "−p ln p": lambda p: -p * np.log(np.where(p > 0, p, 1.0)),
    "p (1 − p)": lambda p: p * (1 - p),
}


@dataclass(frozen=True, eq=False)
class Jensen(ReadOnlyArrays):
    """A function of a proportion on the data and, exactly, over all resamples.

    Attributes
    ----------
    proportion, value : float
        n/N, and the function of it.
    proportions, chances, values : ndarray, shape (N + 1,), read-only
        The proportions possible in a resample, their probabilities, and the function of them.
    mean : float
        Mean of the function over resamples.
    """

    function: str
    n_rows: int
    proportion: float
    value: float
    proportions: FloatArray = field(repr=False)
    chances: FloatArray = field(repr=False)
    values: FloatArray = field(repr=False)
    mean: float

    @property
    def bias(self) -> float:
        """Mean minus value: positive for a convex function, negative for a concave one, 0 for a linear one."""
        return self.mean - self.value

    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Return proportions from 0 to 1, and the function of them."""
        grid = np.linspace(0, 1, 201)
        return grid, PROPORTION_FUNCTIONS[self.function](grid)


@validated
def jensen(function: str, n_ones: Annotated[int, Ge(0), Le(10_000_000)], n_rows: RowCount) -> Jensen:
    """Return a function of the proportion n/N and its exact mean over bootstrap samples, a binomial sum.

    Parameters
    ----------
    function : str
        A key of ``PROPORTION_FUNCTIONS``.
    n_ones, n_rows : int
        n of N rows are in the state.

    Returns
    -------
    Jensen

    Raises
    ------
    ValueError
        If there is no such function, or n exceeds N.

    Examples
    --------
    >>> jensen("p²", 2, 4).bias  # p (1 - p) / N
    0.0625
    """
    from scipy.stats import binom

    one_of(function, "function", PROPORTION_FUNCTIONS)
    if not 0 <= n_ones <= n_rows:
        raise ValueError(f"n_ones must be from 0 to the number of rows, {n_rows}; got {n_ones}")
    shape = PROPORTION_FUNCTIONS[function]
    proportions, p = np.arange(n_rows + 1) / n_rows, n_ones / n_rows
    chances, values = binom.pmf(np.arange(n_rows + 1), n_rows, p), shape(proportions)
    value = float(values[n_ones])
    return Jensen(function, n_rows, p, value, proportions, chances, values, value + float(chances @ (values - value)))


def statistic_value(value: Any) -> float:
    """Return what a caller's statistic gave as a float; ValueError if it is no finite number."""
    try:
        return finite_number(value[()] if isinstance(value, np.ndarray) and not value.ndim else value)
    except UnfitError:
        raise ValueError(f"statistic must return a finite number for every resample; got {shown(value)}") from None
