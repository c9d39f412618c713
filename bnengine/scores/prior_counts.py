"""BDe's prior counts in compiled code, and the score they give a family.

The prior counts of a family are the equivalent sample size times the prior network's marginal of parents and child. The
prior does not depend on a resample: marginals found for one are remembered for all.
"""

import math

import numpy as np

from bnengine._core.compiled import Pointer, compiled
from bnengine._core.hashing import mix
from bnengine.scores.counting import Counter, append_digit, rank_configurations, rank_numbers
from bnengine.scores.prior_marginals import PriorMarginals, collect

#: Joint states up to which a marginal is remembered: the larger ones are many and seldom come up again.
LARGEST_REMEMBERED = 256


@compiled
def score_under_prior(
    prior: PriorMarginals, counter: Counter, order: Pointer, child: int, parents: Pointer, k: int
) -> float:
    """Log marginal likelihood of a family, nats; ``order`` holds the data's columns behind the counter's.

    Minus infinity where a row shows what the prior network holds for impossible.
    """
    n_ranks = rank_configurations(counter, parents, k)
    for i in range(k):
        _insert(prior.variables, i, prior.variable_of[order[parents[i]]])
    of_configurations = _dirichlet_total(prior, counter, _remembered(prior, counter, n_ranks, k), n_ranks)
    if of_configurations == -np.inf:
        return -np.inf
    append_digit(counter.numbers, counter.arities[child], counter.codes, child * counter.n_distinct, counter.n_distinct)
    n_ranks = rank_numbers(counter)
    _insert(prior.variables, k, prior.variable_of[order[child]])
    return _dirichlet_total(prior, counter, _remembered(prior, counter, n_ranks, k + 1), n_ranks) - of_configurations


@compiled
def _insert(ascending: Pointer, n: int, new: int) -> None:
    """Insert a number into the ascending ``ascending[:n]``."""
    place = n
    while place > 0 and ascending[place - 1] > new:
        ascending[place] = ascending[place - 1]
        place -= 1
    ascending[place] = new


@compiled
def _dirichlet_total(prior: PriorMarginals, counter: Counter, start: int, n_ranks: int) -> float:
    """Sum of ln G(n + alpha) - ln G(alpha) over the ranked joint states, their probabilities beginning at ``start``."""
    for r in range(n_ranks):
        counter.ranked[r] = 0
    for d in range(counter.n_distinct):
        counter.ranked[counter.numbers[d]] += counter.weights[d]
    total = 0.0
    for r in range(n_ranks):
        n = counter.ranked[r]
        if n > 0:
            alpha = prior.ess * prior.probabilities[start + r]
            if alpha <= 0.0:
                return -np.inf  # the prior network holds for impossible what the data show
            total += math.lgamma(n + alpha) - math.lgamma(alpha)
    return total


@compiled
def _remembered(prior: PriorMarginals, counter: Counter, n_ranks: int, k: int) -> int:
    """Where the probabilities of the ranked joint states of ``prior.variables[:k]`` begin, computed or remembered.

    A place in the memory is given to whoever came last; when it is full, it is begun anew.
    """
    key = mix(np.uint64(k) + np.uint64(1))
    for i in range(k):
        key ^= mix((np.uint64(prior.variables[i]) + np.uint64(1)) << np.uint64(20))
    place = np.int64(key >> np.uint64(1)) % prior.n_sets
    if prior.set_keys[place] == key:
        return prior.set_starts[place]  # type: ignore[no-any-return]
    start = prior.n_remembered[0]
    if start + n_ranks > prior.n_probabilities:
        for s in range(prior.n_sets):
            prior.set_keys[s] = np.uint64(0)
        start = 0
    shown = 0
    for d in range(counter.n_distinct):
        if counter.numbers[d] == shown:  # ranks are in order of first appearance
            prior.rows_shown[shown] = d
            shown += 1
    collect(prior, n_ranks, k, start)
    if n_ranks <= LARGEST_REMEMBERED:
        prior.n_remembered[0] = start + n_ranks
        prior.set_keys[place] = key
        prior.set_starts[place] = start
    return start  # type: ignore[no-any-return]
