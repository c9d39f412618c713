"""The regret of the normalised maximum likelihood: ln C(n, K), what it costs not to know a multinomial, in nats.

``C(n, K)`` is the sum, over all tables of ``n`` rows, of the largest likelihood a multinomial with K states gives
each. Exact by the recurrence of Kontkanen & Myllymäki (2007), C(n, K) = C(n, K - 1) + n / (K - 2) C(n, K - 2); for
more states than ``LARGEST_EXACT`` by the asymptotic form of Szpankowski & Weinberger (2012), which is exact to a
fraction of 1 / K there.
"""

from math import exp, lgamma, log, sqrt

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.compiled import compiled

#: Number of states up to which regrets are computed exactly.
LARGEST_EXACT = 4096


@compiled
def log_regret_of_two(n: int) -> float:
    """Ln C(n, 2), nats, by its definition: a sum over the count of the first state."""
    if n == 0:
        return 0.0
    total = 0.0
    for h in range(n + 1):
        term = lgamma(n + 1.0) - lgamma(h + 1.0) - lgamma(n - h + 1.0)
        if h > 0:
            term += h * log(h / n)
        if h < n:
            term += (n - h) * log((n - h) / n)
        total += exp(term)
    return log(total)


@compiled
def log_regret(n: int, states: float) -> float:
    """Ln C(n, K), nats, for a whole number K of states."""
    if n == 0 or states <= 1.0:
        return 0.0
    if states > LARGEST_EXACT:
        return asymptotic_log_regret(n, states)
    before, now = 0.0, log_regret_of_two(n)
    k = 3
    while k <= states:
        # ln(exp(now) + n / (k - 2) exp(before)), kept in logarithms: C may be beyond any float
        before, now = now, now + log(1.0 + n / (k - 2.0) * exp(before - now))
        k += 1
    return now


@compiled
def asymptotic_log_regret(n: int, states: float) -> float:
    """Ln C(n, K), nats, for large K (Szpankowski & Weinberger 2012, Theorem 1, as used by Silander et al. 2018)."""
    alpha = states / n
    c = 0.5 + 0.5 * sqrt(1.0 + 4.0 / alpha)
    return n * (log(alpha) + (alpha + 2.0) * log(c) - 1.0 / c) - 0.5 * log(c + 2.0 / alpha)


@compiled
def log_regrets(n: int) -> FloatArray:
    """Ln C(n, K) for K = 0 (unused), 1, …, ``LARGEST_EXACT``, nats."""
    regrets = np.zeros(LARGEST_EXACT + 1)
    if n == 0:
        return regrets
    regrets[2] = log_regret_of_two(n)
    for k in range(3, LARGEST_EXACT + 1):
        regrets[k] = regrets[k - 1] + log(1.0 + n / (k - 2.0) * exp(regrets[k - 2] - regrets[k - 1]))
    return regrets
