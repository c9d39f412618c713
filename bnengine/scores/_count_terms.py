"""The functions of one count that scores are sums of, tabulated as their values are asked for.

Every table score is ``sum_jk f(n_jk) - sum_j g(n_j) - penalty * q * (r - 1)``. The functions f and g are few in form:

=========  =========================================  ===============================================
form       value at count n                           used by
=========  =========================================  ===============================================
ENTROPY    n ln n                                     log-likelihood, AIC, BIC (f and g)
SHARED     ln G(n + ess / key) - ln G(ess / key)      BDeu: key = q r in f, key = q in g
OFFSET     ln G(n + key) - ln G(key)                  K2: key = 1 in f, key = r in g
OBSERVED   as SHARED                                  BDs: as BDeu, q counting observed configurations only
REGRET     n ln n + ln C(n, key), see ``regret``      factorised NML: key = r, in g
=========  =========================================  ===============================================

(G is the gamma function; q the number of parent configurations, r the child's arity.) All are zero at n = 0, so empty
cells need not be visited. A search meets few different keys and few different counts, so a value is computed once, kept
in a row of a small table, and read from there ever after.

Where rows depend on each other, a count is divided by their design effect before a function is applied, so that n rows
count as the effective rows that they are worth (``Dataset.design_effect``); a count need not be whole then.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log, sqrt
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._jit.compiled import Pointer, compiled, inlined
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.score_context import (
    ENTROPY,
    OBSERVED,
    OFFSET,
    REGRET,
    SHARED,
    CountFunction,
    ScoreContext,
    value_of_count,
)

# The regret of the normalised maximum likelihood: ln C(n, K), what it costs not to know a multinomial, in nats.
#
# ``C(n, K)`` is the sum, over all tables of ``n`` rows, of the largest likelihood a multinomial with K states gives
# each. Exact by the recurrence of Kontkanen & Myllymäki (2007), C(n, K) = C(n, K - 1) + n / (K - 2) C(n, K - 2); for
# more states than ``LARGEST_EXACT`` by the asymptotic form of Szpankowski & Weinberger (2012), which is exact to a
# fraction of 1 / K there.

#: Number of states up to which regrets are computed exactly.
LARGEST_EXACT = 4096


@compiled
def log_regret_of_two(n: int) -> float:
    """Return ln C(n, 2), nats, by its definition: a sum over the count of the first state."""
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
    """Return ln C(n, K), nats, for a whole number K of states."""
    if n == 0 or states <= 1.0:
        return 0.0
    if states > LARGEST_EXACT:
        return asymptotic_log_regret(n, states)
    return log_regrets(n, int(states))[int(states)]  # type: ignore[no-any-return]


@compiled
def asymptotic_log_regret(n: float, states: float) -> float:
    """Return ln C(n, K), nats, for large K (Szpankowski & Weinberger 2012, Theorem 1; Silander et al. 2018)."""
    alpha = states / n
    c = 0.5 + 0.5 * sqrt(1.0 + 4.0 / alpha)
    return n * (log(alpha) + (alpha + 2.0) * log(c) - 1.0 / c) - 0.5 * log(c + 2.0 / alpha)


@compiled
def log_regrets(n: int, most: int = LARGEST_EXACT) -> FloatArray:
    """Return ln C(n, K) for K = 0 (unused), 1, …, ``most``, nats; kept in logarithms, as C may be beyond any float."""
    regrets = np.zeros(max(most, 2) + 1)
    if n == 0:
        return regrets
    regrets[2] = log_regret_of_two(n)
    for k in range(3, most + 1):
        regrets[k] = regrets[k - 1] + log(1.0 + n / (k - 2.0) * exp(regrets[k - 2] - regrets[k - 1]))
    return regrets


# A score as the compiled kernel reads it, and the interface of a score.


class ScoreForm(NamedTuple):
    """A score as the kernel reads it.

    The two functions of a count (see ``_count_terms``), their equivalent sample size, and the penalties of a family:
    ``penalty`` nats for each free parameter, ``edge_penalty`` nats for each parent, if ``uniform_parent_sizes`` the
    logarithm of the number of parent sets of that size, and if ``quotient`` the regret ln C(N, q r) - ln C(N, q). With
    a ``network``, its marginals are the prior, and the count functions are not used. A family with parents is ruled out
    (see ``penalty_of``) if its variables but the one with the fewest states have more than ``most_configurations``.
    With a ``degree`` families are scored by blocks of features instead of counts, numbers by powers up to it; so is
    every table that has numbers in it, then to the first degree (see ``block_scores``).
    """

    cell: int
    configuration: int
    ess: float
    penalty: float
    edge_penalty: float = 0.0
    uniform_parent_sizes: bool = False
    quotient: bool = False
    network: BayesianNetwork | None = None
    most_configurations: float = inf
    degree: int = 0


@runtime_checkable
class TableScore(Protocol):
    """The interface of a score."""

    @property
    def name(self) -> str:
        """The score's name in tables and figures."""

    def form(self, n_rows: int) -> ScoreForm:
        """Return the score's description for a sample of ``n_rows`` rows."""


__all__ = ["ENTROPY", "OBSERVED", "OFFSET", "REGRET", "SHARED"]

#: Counts above this are computed each time: they are few, and the tables stay small for any number of rows.
LARGEST_TABULATED = 8191
_ROWS = 256
_PROBED = 16  # rows that may hold a key's values: emptying one that is in use costs more than looking further


def count_function(form: int, ess: float, n_rows: int) -> CountFunction:
    """Return an empty table for counts up to ``n_rows``; one row suffices where the key does not matter."""
    rows = 1 if form == ENTROPY else _ROWS
    values = np.full((rows, min(n_rows, LARGEST_TABULATED) + 1), np.nan)
    return CountFunction(form, float(ess), np.full(rows, np.nan), values, rows, values.shape[1])


@compiled
def log_regret_between(n: float, states: float) -> float:
    """Return ln C(n, K), nats, interpolated where n is no whole number."""
    below = int(n)
    at_below, share = log_regret(below, states), n - below
    return at_below + share * (log_regret(below + 1, states) - at_below) if share > 0.0 else at_below


@compiled
def evaluate(form: int, ess: float, key: float, n: float) -> float:
    """Return the value itself (natural log)."""
    if n <= 0.0:
        return 0.0
    if form == ENTROPY:
        return n * log(n)
    if form == REGRET:
        return n * log(n) + log_regret_between(n, key)
    a = key if form == OFFSET else ess / key
    return lgamma(n + a) - lgamma(a)


@inlined
def is_keyed(function: CountFunction) -> bool:
    """Return whether the function depends on the key."""
    return function.form != ENTROPY


@compiled
def row_start(function: CountFunction, key: float) -> int:
    """Return where the values for ``key`` begin; a row that holds another key's values is emptied."""
    if not is_keyed(function):
        key = 1.0
    hashed: Any = 0
    if function.rows > 1:
        hashed = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40))
    row = hashed % function.rows
    for step in range(min(_PROBED, function.rows)):
        probed = (hashed + step) % function.rows
        if function.keys[probed] == key:
            return int(probed * function.width)
        if function.keys[probed] != function.keys[probed]:  # NaN: free
            row = probed
            break
    start = row * function.width
    function.keys[row] = key
    for n in range(function.width):
        function.values[start + n] = np.nan
    return int(start)


@inlined
def tabulated(context: ScoreContext, function: CountFunction, start: int, key: float, n: int) -> float:
    """Return the function at ``n``, from the row that begins at ``start`` or into it."""
    if n >= function.width:
        return value_of_count(context, function.form, function.ess, key, n)  # type: ignore[no-any-return]
    value = function.values[start + n]
    if value != value:
        value = value_of_count(context, function.form, function.ess, key, n)
        function.values[start + n] = value
    return value  # type: ignore[no-any-return]


@compiled
def total_over(context: ScoreContext, function: CountFunction, key: float, counts: Pointer, n_counts: int) -> float:
    """Sum of the function over ``counts[:n_counts]``."""
    start = row_start(function, key)
    total = 0.0
    for i in range(n_counts):
        total += tabulated(context, function, start, key, counts[i])
    return total
