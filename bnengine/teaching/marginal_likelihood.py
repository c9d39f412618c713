"""The marginal likelihood toss by toss, and the precision of a parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
from scipy.special import rel_entr

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.validation import Ge, Le, validated

# The marginal likelihood under a Dirichlet prior, and the optimal precision of a parameter.


@dataclass(frozen=True, eq=False)
class DirichletEvidence(ReadOnlyArrays):
    """The marginal likelihood of a sequence of states under a Dirichlet prior, and the posterior.

    Attributes
    ----------
    sequence : ndarray of int, shape (N,)
        State numbers in the order observed.
    prior : ndarray, shape (r,)
        Prior counts alpha_k of the states.
    counts : ndarray of int, shape (r,)
    factors : ndarray, shape (N,)
        Chain rule: the probability of each observation given those before it, (n_k so far + alpha_k) / (t + alpha).
    seen_before : ndarray of int, shape (N,)
        n_k so far: how often the state was observed before.
    log_evidence : float
        Nats, in closed form; equals the sum of the factors' logarithms.
    log_maximum : float
        Nats: the maximized log-likelihood, which ignores that the parameters were estimated.
    bic : float
        Nats: ``log_maximum`` - (r - 1) / 2 ln N, the large-sample approximation of ``log_evidence``.
    posterior : ndarray, shape (r,)
        ``prior + counts``: the parameters of the posterior Dirichlet.
    predictive : ndarray, shape (r,)
        Probability of each state for the next observation.
    """

    sequence: IntArray
    prior: FloatArray
    counts: IntArray
    factors: FloatArray
    seen_before: IntArray
    log_evidence: float
    log_maximum: float
    bic: float
    posterior: FloatArray
    predictive: FloatArray

    @property
    def evidence(self) -> float:
        """The marginal likelihood itself, a probability; underflows to 0 below 1e-308."""
        return math.exp(self.log_evidence)

    @property
    def total_prior(self) -> float:
        """The sum of the prior counts."""
        return float(self.prior.sum())


def _log_evidence(counts: IntArray, prior: FloatArray) -> float:
    """Return the log marginal likelihood of a sequence with these counts, nats.

    Heckerman, Geiger & Chickering (1995, Eq. 13):
    ln [Γ(alpha) / Γ(alpha + N)] + sum_k ln [Γ(alpha_k + n_k) / Γ(alpha_k)], whatever the order of the observations.
    """
    total = math.lgamma(prior.sum()) - math.lgamma(prior.sum() + counts.sum())
    return total + sum(math.lgamma(a + k) - math.lgamma(a) for a, k in zip(prior, counts, strict=True))


@validated
def dirichlet_evidence(sequence: Sequence[int], prior: npt.ArrayLike) -> DirichletEvidence:
    """Compute the marginal likelihood of a sequence by the chain rule and in closed form.

    Parameters
    ----------
    sequence : sequence of int
        State numbers 0 … r - 1 in the order observed; may be empty.
    prior : array of positive floats, shape (r,)
        Prior counts of the states.

    Returns
    -------
    DirichletEvidence

    Raises
    ------
    ValueError
        If a prior count is not positive, or a state has none.

    Examples
    --------
    >>> coin = dirichlet_evidence([0, 0, 1], [1, 1])  # heads, heads, tails
    >>> [f"{p:.3f}" for p in coin.factors]
    ['0.500', '0.667', '0.250']
    >>> coin.predictive.tolist()
    [0.6, 0.4]
    """
    alpha = _checked_prior(prior)
    given = np.asarray(sequence, dtype=np.float64).reshape(-1)
    unknown = given[~np.isin(given, np.arange(alpha.size))]
    if unknown.size:
        raise ValueError(f"sequence must hold state numbers from 0 to {alpha.size - 1}; got {unknown[0]:g}")
    states = given.astype(np.int64)
    seen, places = states[:, None] == np.arange(alpha.size), np.arange(states.size)
    counts = seen.sum(axis=0)
    seen_before = seen.cumsum(axis=0)[places, states] - 1
    factors = (seen_before + alpha[states]) / (places + alpha.sum())
    observed = counts[counts > 0]
    log_maximum = float((observed * np.log(observed / max(states.size, 1))).sum())
    penalty = 0.5 * (alpha.size - 1) * math.log(states.size) if states.size else 0.0
    return DirichletEvidence(
        states,
        alpha,
        counts,
        factors,
        seen_before,
        _log_evidence(counts, alpha),
        log_maximum,
        log_maximum - penalty,
        alpha + counts,
        (alpha + counts) / (alpha.sum() + states.size),
    )


@validated
def dirichlet_density(parameters: npt.ArrayLike, grid: npt.ArrayLike) -> FloatArray:
    """Return the marginal density of each state's probability under a Dirichlet at the grid points.

    The marginal distribution of one component is Beta(alpha_k, alpha - alpha_k).

    Parameters
    ----------
    parameters : array of positive floats, shape (r,)
        Of the Dirichlet: prior counts, or prior and observed counts together.
    grid : array, shape (G,)
        Probabilities.

    Returns
    -------
    ndarray, shape (r, G)
        Density per unit of probability.

    Raises
    ------
    ValueError
        If a parameter is not positive, or there are fewer than two.

    Examples
    --------
    >>> dirichlet_density([1, 1], [0.25, 0.5]).round(9).tolist()  # uniform
    [[1.0, 1.0], [1.0, 1.0]]
    """
    from scipy.stats import beta

    alpha, points = _checked_prior(parameters), np.asarray(grid, dtype=np.float64)
    return np.array([beta.pdf(points, a, alpha.sum() - a) for a in alpha])


def _checked_prior(prior: npt.ArrayLike) -> FloatArray:
    alpha = np.array(prior, dtype=np.float64)
    if alpha.ndim != 1 or alpha.size < 2 or not np.isfinite(alpha).all() or (alpha <= 0).any():
        raise ValueError(
            f"prior must be a positive number of rows (prior counts) for each of two or more states; got {prior!r}"
        )
    return alpha


# The optimal precision of a parameter: why the description length has log2(N) / 2 bits for each.
#
# More digits of a probability take more bits to encode but make the rows encoded with it shorter. N rows determine a
# probability only to within about 1 / sqrt(N), so digits beyond that save nothing. The total is shortest with about
# sqrt(N) distinguishable values, that is log2(N) / 2 bits (Rissanen 1978; 1983).

_MOST_ROWS = 1_000_000
_PER_DOUBLING = 4  # numbers of values to evaluate between successive powers of two


@validated
def parameter_precision(n_rows: Annotated[int, Ge(1), Le(_MOST_ROWS)]) -> pd.DataFrame:
    """Tabulate the bits that encode a probability with M equally spaced values, and the bits its rounding costs.

    A binary variable has N rows, n of them in one state: the maximum-likelihood probability n/N is rounded to the
    midpoint of the nearest of M equal intervals, which takes log2(M) bits to identify. The rows then take
    N KL(n/N, rounded) / ln 2 bits more than with n/N itself. The loss is the mean over n = 0 … N, all equally
    likely.

    Parameters
    ----------
    n_rows : int
        N, at most a million.

    Returns
    -------
    DataFrame
        One line per M, from 1 to about N: values, cost_bits, loss_bits, total_bits.

    Examples
    --------
    >>> table = parameter_precision(1000)
    >>> best = table.loc[table["total_bits"].idxmin()]
    >>> int(best["values"]), float(best["cost_bits"]), round(0.5 * math.log2(1000), 2)
    (32, 5.0, 4.98)
    """
    steps = np.arange(math.floor(_PER_DOUBLING * math.log2(n_rows)) + 1)
    values = np.unique(np.rint(2.0 ** (steps / _PER_DOUBLING)).astype(np.int64))
    p = np.arange(n_rows + 1) / n_rows
    losses = []
    for m in values.tolist():
        rounded = (np.minimum(np.floor(p * m), m - 1) + 0.5) / m
        divergence = rel_entr(p, rounded) + rel_entr(1 - p, 1 - rounded)
        losses.append(n_rows * float(divergence.mean()) / math.log(2))
    cost, loss = np.log2(values), np.array(losses)
    return pd.DataFrame({"values": values, "cost_bits": cost, "loss_bits": loss, "total_bits": cost + loss})
