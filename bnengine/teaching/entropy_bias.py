"""The bias of the plug-in entropy under resampling, and the bias of the score in sparse tables.

The plug-in entropy T(D) = -sum_x n_x/N ln(n_x/N) is concave in the counts, so on average over samples it lies below the
entropy of the underlying distribution. A bootstrap sample is to the data what the data are to that distribution: its
entropy lies below that of the data (Steck & Jaakkola 2003, Sec. 3.1). Entropies are in nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of, standard_error
from bnengine._core.validation import Ge, Le, NotNegative, RowCount, Samples, StateCount, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge, dag_of
from bnengine.networks.network import BayesianNetwork, configuration_numbers


@validated
def skewed_distribution(n_states: StateCount, skew: NotNegative = 0.0) -> FloatArray:
    """Return n_states probabilities proportional to 1, 2^-skew, 3^-skew, …: uniform at skew 0, Zipf's law at 1.

    Parameters
    ----------
    n_states : int
    skew : float
        0 or more.

    Returns
    -------
    ndarray, shape (n_states,)
        Probabilities, largest first.

    Examples
    --------
    >>> skewed_distribution(4, 0.0).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    weights: FloatArray = np.arange(1, n_states + 1, dtype=np.float64) ** -skew
    return np.asarray(weights / weights.sum())


@validated
def plugin_entropy(counts: npt.ArrayLike) -> float:
    """Return the entropy of the relative frequencies, nats; accepts probabilities in place of counts.

    Parameters
    ----------
    counts : array, shape (|X|,)
        Rows in each state, or probabilities.

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If a count is negative or not finite, or all are 0.

    Examples
    --------
    >>> round(plugin_entropy([2, 2]), 4)  # ln 2
    0.6931
    """
    frequencies = checked_counts(counts)
    frequencies = frequencies[frequencies > 0] / frequencies.sum()
    return float(-(frequencies * np.log(frequencies)).sum()) + 0.0  # avoids -0.0


def entropy_terms(n_rows: int) -> FloatArray:
    """Return a state's term of the entropy, -n/N ln(n/N), for n = 0 … N. Shape (N + 1,), nats."""
    shares = np.arange(n_rows + 1) / n_rows
    terms = np.zeros(n_rows + 1)
    terms[1:] = -shares[1:] * np.log(shares[1:])
    return terms


def resampled_entropies(rows: IntArray, n: int, rng: Seed) -> FloatArray:
    """Return the plug-in entropies of ``n`` bootstrap samples of rows counted by state. Shape (n,), nats."""
    n_rows = int(rows.sum())
    drawn = generator_of(rng).multinomial(n_rows, rows / n_rows, size=n)
    return np.asarray(entropy_terms(n_rows)[drawn].sum(axis=1))


#: Binomial sums are evaluated in pieces of this many cells.
_PIECE = 1 << 18


def binomial_means(
    function: Callable[[IntArray, FloatArray], FloatArray], probabilities: FloatArray, n_rows: int
) -> FloatArray:
    """Return E f(nu) for nu ~ Binomial(N, p), for each p (Steck & Jaakkola 2003, Eq. 3). Shape (P,).

    Parameters
    ----------
    function : callable
        Called with counts, shape (P', K), and the means N p that they belong to, shape (P', 1); also with counts that
        exceed N, whose probability is 0.
    probabilities : ndarray, shape (P,)
    n_rows : int
        N.
    """
    from scipy.stats import binom

    # P(|nu - N p| > t) < 2 exp(-t² / (2 sd² + 2 t / 3)) (Bernstein 1924): below 1e-19 at this t for any sd
    reach = np.ceil(12 * np.sqrt(n_rows * probabilities * (1 - probabilities)) + 30).astype(np.int64)
    lowest = np.maximum(np.floor(n_rows * probabilities).astype(np.int64) - reach, 0)
    highest = np.minimum(np.ceil(n_rows * probabilities).astype(np.int64) + reach, n_rows)
    means = np.empty(probabilities.size)
    step = max(_PIECE // int((highest - lowest).max(initial=0) + 1), 1)
    for start in range(0, probabilities.size, step):
        piece = slice(start, start + step)
        p = probabilities[piece, None]
        counts = lowest[piece, None] + np.arange((highest - lowest)[piece].max() + 1)
        means[piece] = (binom.pmf(counts, n_rows, p) * function(counts, n_rows * p)).sum(axis=1)
    return means


@validated
def expected_entropy(probabilities: npt.ArrayLike, n_rows: Annotated[int, Ge(1)]) -> float:
    """Return the exact mean of the plug-in entropy over samples of N rows, nats.

    Each state's count is Binomial(N, p_x), so the mean is a sum of |X| binomial expectations (Steck & Jaakkola 2003,
    Eq. 3). With the relative frequencies of N rows as probabilities it is the mean over bootstrap samples.

    Parameters
    ----------
    probabilities : array, shape (|X|,)
        They are divided by their sum, so that counts will do.
    n_rows : int
        N, the rows of each sample.

    Returns
    -------
    float
        Nats.

    Raises
    ------
    ValueError
        If a probability is negative or not finite, or all are 0.

    Examples
    --------
    >>> expected_entropy([0.5, 0.5], 1)
    0.0
    """
    weights = checked_counts(probabilities)
    distinct, times = np.unique(weights[weights > 0] / weights.sum(), return_counts=True)
    terms = binomial_means(lambda n, _: xlogy(n / n_rows, n / n_rows), np.minimum(distinct, 1.0), n_rows)
    return float(-(times @ terms)) + 0.0  # avoids -0.0


@validated
def leading_entropy_bias(n_states: StateCount, n_rows: Annotated[int, Ge(1)]) -> float:
    """Return the leading term of the bias, -(|X| - 1) / (2 N), nats (Miller 1955; Steck & Jaakkola 2003, Eq. 4).

    Parameters
    ----------
    n_states : int
        |X|.

    Returns
    -------
    float
        Nats; negative.

    Examples
    --------
    >>> leading_entropy_bias(4, 100)
    -0.015
    """
    return -(n_states - 1) / (2 * n_rows)


@dataclass(frozen=True)
class EntropyBias:
    """The bootstrap bias of a sample's plug-in entropy, nats: the mean over resamples minus T(D).

    Attributes
    ----------
    plugin : float
        T(D).
    exact : float
        By binomial sums.
    monte_carlo, monte_carlo_error : float
        The mean over drawn resamples minus T(D), and its standard error.
    leading : float
        -(|X| - 1) / (2 N), with all declared states.
    observed : float
        The same, counting only the observed states: a state without rows has none in any resample.
    """

    n_rows: int
    plugin: float
    exact: float
    monte_carlo: float
    monte_carlo_error: float
    leading: float
    observed: float


@validated
def entropy_bias(counts: npt.ArrayLike, n_resamples: Samples = 500, rng: Seed = 0) -> EntropyBias:
    """Estimate by how much the entropy of a resample lies below that of the data on average, four ways.

    Parameters
    ----------
    counts : array of int, shape (|X|,)
        Number of rows in each declared state.
    n_resamples : int
        For the Monte Carlo value; at least 2.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    EntropyBias

    Raises
    ------
    ValueError
        If a count is negative or not a whole number, or all are 0.

    Examples
    --------
    >>> bias = entropy_bias([40, 30, 20, 10], rng=1)
    >>> bias.leading
    -0.015
    >>> abs(bias.monte_carlo - bias.exact) < 4 * bias.monte_carlo_error
    True
    """
    rows = whole_rows(checked_counts(counts))
    n_rows, plugin = int(rows.sum()), plugin_entropy(rows)
    on_resamples = resampled_entropies(rows, n_resamples, rng)
    return EntropyBias(
        n_rows,
        plugin,
        expected_entropy(rows, n_rows) - plugin,
        float(on_resamples.mean()) - plugin,
        float(standard_error(on_resamples)),
        leading_entropy_bias(rows.size, n_rows),
        leading_entropy_bias(int((rows > 0).sum()), n_rows),
    )


@validated
def entropy_bias_by_size(
    probabilities: npt.ArrayLike, sizes: Sequence[RowCount], n_resamples: Samples = 500, rng: Seed = 0
) -> pd.DataFrame:
    """Evaluate ``entropy_bias`` on one growing sample at each of the sizes.

    Parameters
    ----------
    probabilities : array, shape (|X|,)
    sizes : sequence of int
        Numbers of rows; a smaller sample is the first rows of a larger one.
    n_resamples : int
        Resamples of each sample; at least 2.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    DataFrame
        One line per size: the fields of ``EntropyBias``, nats, counts (a tuple), and replicate (those of one resample).

    Raises
    ------
    ValueError
        If there are no sizes, or a probability is negative, or all are 0.

    Examples
    --------
    >>> table = entropy_bias_by_size([0.5, 0.3, 0.2], [10, 100], n_resamples=50)
    >>> table["n_rows"].tolist()
    [10, 100]
    """
    weights = checked_counts(probabilities)
    if not sizes:
        raise ValueError("sizes must hold at least one number of rows")
    sample_rng, *resample_rngs = generator_of(rng).spawn(1 + len(sizes))
    rows = sample_rng.choice(weights.size, max(sizes), p=weights / weights.sum())
    lines = []
    for size, resample_rng in zip(sizes, resample_rngs, strict=True):
        counts = np.bincount(rows[:size], minlength=weights.size)
        bias = entropy_bias(counts, n_resamples, resample_rng)
        replicate = resample_rng.multinomial(size, counts / size)
        lines.append({**vars(bias), "counts": tuple(counts.tolist()), "replicate": tuple(replicate.tolist())})
    return pd.DataFrame(lines)


# The bootstrap bias in sparse tables, where half of |theta| overestimates it: a cell without rows stays empty.
#
# The mean log-likelihood of a graph on resamples exceeds that on the data by sum_jk b(n_jk) - sum_j b(n_j), where
# b(n) = E nu ln nu - n ln n with nu ~ Binomial(N, n / N). Unless n is very small, b(n) is about (1 - n / N) / 2, so
# each free parameter adds half a nat (Steck & Jaakkola 2003, Eq. 7); but b(0) = 0, while |theta| counts the cells and
# parent configurations without rows like all others.


def _added(counts: IntArray, n_rows: int) -> FloatArray:
    """Return b(n) of each count, nats."""
    distinct, place = np.unique(counts, return_inverse=True)
    added = np.zeros(distinct.size)
    seen = distinct > 0
    # since E nu = n, b(n) is the mean of nu ln(nu / n), in which nothing large cancels
    added[seen] = binomial_means(lambda nu, n: xlogy(nu, nu / n), distinct[seen] / n_rows, n_rows)
    return np.asarray(added[place])


@validated
def bias_by_count(n_rows: RowCount, largest: RowCount | None = None) -> pd.DataFrame:
    """Tabulate b(n), the mean increase of n ln n under resampling in nats, for n = 0 … ``largest``: n and bias.

    Parameters
    ----------
    n_rows : int
        N.
    largest : int, optional
        The largest count; by default N.

    Returns
    -------
    DataFrame
        One line per count: n, bias.

    Examples
    --------
    >>> bias_by_count(200, 3)["bias"].round(3).tolist()
    [0.0, 0.571, 0.565, 0.54]
    """
    counts = np.arange(min(n_rows, n_rows if largest is None else largest) + 1)
    return pd.DataFrame({"n": counts, "bias": _added(counts, n_rows)})


@validated
def bias_by_family(data: Dataset, edges: Iterable[Edge]) -> pd.DataFrame:
    """Tabulate the bootstrap bias of each family's log-likelihood: its leading term and its exact value.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)

    Returns
    -------
    DataFrame
        One line per family: variable, parents, parameters; cells (all declared ones) and empty_cells; in nats
        ``leading`` (half of the parameters), ``observed`` (half of the observed cells minus half of the observed parent
        configurations) and ``exact``.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or the edges form a cycle.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(200, rng=1)
    >>> table = bn.teaching.bias_by_family(data, bn.load_network("asia").edges)
    >>> float(table["leading"].sum()), bool(table["exact"].sum() < 8)
    (9.0, True)
    """
    adjacency, arities, lines = dag_of(data.names, edges), data.arities.tolist(), []
    for v, name in enumerate(data.names):
        parents = np.flatnonzero(adjacency[:, v]).tolist()
        cells, configurations = (
            np.unique(configuration_numbers(data.codes, of, arities), return_counts=True)[1]
            for of in ((*parents, v), parents)
        )
        n_cells = math.prod(arities[u] for u in (*parents, v))
        parameters = n_cells - n_cells // arities[v]
        exact = _added(cells, data.n_rows).sum() - _added(configurations, data.n_rows).sum()
        observed = (cells.size - configurations.size) / 2
        parent_names = ", ".join(data.names[u] for u in parents)
        empty = n_cells - cells.size
        lines.append((name, parent_names, parameters, n_cells, empty, parameters / 2, observed, float(exact)))
    columns = ["variable", "parents", "parameters", "cells", "empty_cells", "leading", "observed", "exact"]
    return pd.DataFrame(lines, columns=columns)


@validated
def bias_by_rows(network: BayesianNetwork, sizes: Sequence[RowCount], rng: Seed = 0) -> pd.DataFrame:
    """Sum ``bias_by_family`` over the families of a network, for one growing sample of it.

    Parameters
    ----------
    network : BayesianNetwork
    sizes : sequence of int
        Numbers of rows; a smaller sample is the first rows of a larger one.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    DataFrame
        One line per size: n_rows, parameters, cells, empty_cells, leading, observed, exact.

    Raises
    ------
    ValueError
        If there are no sizes.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.teaching.bias_by_rows(bn.load_network("asia"), [50, 5000])["empty_cells"].is_monotonic_decreasing
    True
    """
    if not sizes:
        raise ValueError(f"sizes must hold at least one number of rows, each 1 or more; got {list(sizes)}")
    rows = network.sample(max(sizes), rng)
    columns = ["parameters", "cells", "empty_cells", "leading", "observed", "exact"]
    lines = [bias_by_family(rows.take(range(size)), network.edges)[columns].sum() for size in sizes]
    frame = pd.DataFrame(lines).reset_index(drop=True)
    frame = frame.astype(dict.fromkeys(["parameters", "cells", "empty_cells"], np.int64))
    frame.insert(0, "n_rows", list(sizes))
    return frame


# The corrected entropy compared with the truth, over repeated samples.


@dataclass(frozen=True, eq=False)
class EntropyEstimates(ReadOnlyArrays):
    """Estimates of an entropy from repeated samples.

    Attributes
    ----------
    truth : float
        The entropy of the distribution, nats.
    names : tuple of str
        "bootstrap" (the mean over resamples), "plug-in", "corrected", "corrected twice".
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
    probabilities: npt.ArrayLike, n_rows: Annotated[int, Ge(1), Le(2_000)], n_samples: Samples = 400, rng: Seed = 0
) -> EntropyEstimates:
    """Compare the bootstrap mean, the plug-in entropy and the corrected ones on repeated samples with the truth.

    The corrected entropy is T_BC = 2 T(D) - <T>_b, exactly: a state with n of N rows has Binomial(N, n/N) rows in a
    resample. Corrected twice it is 3 T(D) - 3 <T>_b + <<T>>_bb, with the mean over resamples of resamples, which
    estimate the bias of the first correction (Steck & Jaakkola 2003, Sec. 2; Hall 1992, Sec. 1.4).

    Parameters
    ----------
    probabilities : array, shape (|X|,)
    n_rows : int
        Rows of each sample.
    n_samples : int
        At least 2.
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
    drawn = generator_of(rng).multinomial(n_rows, weights, size=n_samples)
    counts = np.arange(n_rows + 1)
    plugin = entropy_terms(n_rows)
    resampled = -binomial_means(lambda n, _: xlogy(n / n_rows, n / n_rows), counts / n_rows, n_rows)
    again = binomial_means(lambda n, _: resampled[np.minimum(n, n_rows)], counts / n_rows, n_rows)
    # of a state, by its count
    terms = np.stack([resampled, plugin, 2 * plugin - resampled, 3 * (plugin - resampled) + again])
    chances = binom.pmf(counts, n_rows, weights[:, None]).sum(axis=0)
    truth = plugin_entropy(weights)
    names = ("bootstrap", "plug-in", "corrected", "corrected twice")
    return EntropyEstimates(truth, n_rows, names, terms[:, drawn].sum(axis=2), terms @ chances - truth)


def checked_counts(counts: npt.ArrayLike) -> FloatArray:
    """Return counts or probabilities as a vector of floats; ValueError if they are negative, all 0 or not finite."""
    values = np.asarray(counts, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all() or (values < 0).any() or not values.sum():
        raise ValueError("counts must be a list of numbers, none negative and not all 0, one for each state")
    return values


def whole_rows(counts: FloatArray) -> IntArray:
    """Return the counts as integers; ValueError if they are not: only whole rows can be resampled."""
    if (counts != np.round(counts)).any():
        part = float(counts[counts != np.round(counts)][0])
        raise ValueError(f"counts must be whole numbers of rows, since probabilities have no resamples; got {part:g}")
    return counts.astype(np.int64)
