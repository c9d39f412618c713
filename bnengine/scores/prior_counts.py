"""BDe's prior counts in compiled code, and the score they give a family.

The prior counts of a family are the equivalent sample size times the prior network's marginal of parents and child. The
prior does not depend on a resample: marginals found for one are remembered for all.
"""

import math

import numpy as np

from bnengine._core.compiled import Pointer, compiled
from bnengine._core.hashing import mix
from bnengine.scores.counting_by_rows import append_digit, rank_configurations, rank_numbers
from bnengine.scores.prior_marginals import collect
from bnengine.scores.prior_network import Prior
from bnengine.scores.score_context import Sample, Workspace

#: Joint states up to which a marginal is remembered: the larger ones are many and seldom come up again.
LARGEST_REMEMBERED = 256


@compiled
def log_evidence_under_prior(
    prior: Prior, sample: Sample, work: Workspace, order: Pointer, child: int, parents: Pointer, k: int
) -> float:
    """Log marginal likelihood of a family, nats; ``order`` holds the data's column at each place of the sample.

    Minus infinity where a row has a state that is impossible under the prior network.
    """
    n_ranks = rank_configurations(sample, work, parents, k)
    for i in range(k):
        _insert(prior.buffers.variables, i, prior.variable_of[order[parents[i]]])
    of_configurations = _dirichlet_total(prior, sample, work, _remembered(prior, sample, work, n_ranks, k), n_ranks)
    if of_configurations == -np.inf:
        return -np.inf
    append_digit(work.numbers, sample.arities[child], sample.codes, child * sample.n_distinct, sample.n_distinct)
    n_ranks = rank_numbers(sample, work)
    _insert(prior.buffers.variables, k, prior.variable_of[order[child]])
    return (
        _dirichlet_total(prior, sample, work, _remembered(prior, sample, work, n_ranks, k + 1), n_ranks)
        - of_configurations
    )


@compiled
def _insert(ascending: Pointer, n: int, new: int) -> None:
    """Insert a number into the ascending ``ascending[:n]``."""
    place = n
    while place > 0 and ascending[place - 1] > new:
        ascending[place] = ascending[place - 1]
        place -= 1
    ascending[place] = new


@compiled
def _dirichlet_total(prior: Prior, sample: Sample, work: Workspace, start: int, n_ranks: int) -> float:
    """Sum of ln G(n + alpha) - ln G(alpha) over the ranked joint states, their probabilities beginning at ``start``."""
    for r in range(n_ranks):
        work.ranked[r] = 0
    for d in range(sample.n_distinct):
        work.ranked[work.numbers[d]] += sample.weights[d]
    total = 0.0
    for r in range(n_ranks):
        n = work.ranked[r]
        if n > 0:
            alpha = prior.ess * prior.buffers.probabilities[start + r]
            if alpha <= 0.0:
                return -np.inf  # the data show what is impossible under the prior network
            total += math.lgamma(n + alpha) - math.lgamma(alpha)
    return total


@compiled
def _remembered(prior: Prior, sample: Sample, work: Workspace, n_ranks: int, k: int) -> int:
    """Where the probabilities of the ranked joint states of ``prior.variables[:k]`` begin, computed or remembered.

    Direct-mapped cache; collisions overwrite. When its numbers are used up, it is emptied.
    """
    key = mix(np.uint64(k) + np.uint64(1))
    for i in range(k):
        key ^= mix((np.uint64(prior.buffers.variables[i]) + np.uint64(1)) << np.uint64(20))
    place = np.int64(key >> np.uint64(1)) % prior.buffers.n_sets
    if prior.buffers.set_keys[place] == key:
        return prior.buffers.set_starts[place]  # type: ignore[no-any-return]
    start = prior.buffers.n_remembered[0]
    if start + n_ranks > prior.buffers.n_probabilities:
        for s in range(prior.buffers.n_sets):
            prior.buffers.set_keys[s] = np.uint64(0)
        start = 0
    shown = 0
    for d in range(sample.n_distinct):
        if work.numbers[d] == shown:  # ranks are in order of first appearance
            prior.buffers.rows_shown[shown] = d
            shown += 1
    collect(prior, n_ranks, k, start)
    if n_ranks <= LARGEST_REMEMBERED:
        prior.buffers.n_remembered[0] = start + n_ranks
        prior.buffers.set_keys[place] = key
        prior.buffers.set_starts[place] = start
    return start  # type: ignore[no-any-return]
