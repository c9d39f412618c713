"""The kernels: the local score of a family, and those of a family with each further parent."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.compiled import Pointer, compiled, inlined, pointer_to
from bnengine._core.kernels import kernel
from bnengine._core.record_types import Address
from bnengine._core.records import Handle
from bnengine.scores._count_terms import evaluate, total_bias_over, total_over
from bnengine.scores._extended_scores import extended_score, sum_columns
from bnengine.scores._incremental_counts import cells_worth_splitting, count_extended, split
from bnengine.scores.counting import count
from bnengine.scores.counting_by_rows import count_by_rows
from bnengine.scores.nml import asymptotic_log_regret
from bnengine.scores.prior_counts import log_evidence_under_prior
from bnengine.scores.score_context import (
    FAMILY,
    ONE_MORE,
    REGRET_OF,
    VALUE,
    Kernels,
    ScoreContext,
    configurations,
    counted_score,
    family_key,
    keys_of_counts,
    local_score,
    penalty_of,
    resampling_bias,
    score_context,
    score_under_prior,
    scores_with_one_more,
    stopped,
)


@inlined
def _score_of_counts(context: ScoreContext, q: float, arity: float, n_configurations: int, n_cells: int) -> float:
    """The score of the counts now in the buffers, before penalty and bias."""
    context.scored[0] += 1
    cell_key, configuration_key = keys_of_counts(context, q, arity, n_configurations)
    total = total_over(context, context.cell, cell_key, context.work.cells, n_cells)
    return total - total_over(
        context, context.configuration, configuration_key, context.work.configurations, n_configurations
    )


@kernel(FAMILY)
def _counted_score(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """What a family's counts contribute to its score, nats: all but penalty, structure prior and bias."""
    n_configurations, n_cells = count(context.sample, context.work, child, parents, k)
    context.work.observed[0] = n_configurations
    q, arity = configurations(context, parents, k), float(context.sample.arities[child])
    return _score_of_counts(context, q, arity, n_configurations, n_cells)


@kernel(FAMILY)
def _local_score(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Local score of ``child`` with ``parents[:k]`` (sorted column numbers), nats."""
    q, arity = configurations(context, parents, k), float(context.sample.arities[child])
    if context.prior.tree.n_cliques > 0:
        context.scored[0] += 1
        return score_under_prior(context, child, parents, k) - penalty_of(context, q, arity, k)  # type: ignore[no-any-return]
    less = resampling_bias(context, child, parents, k)  # before counting: both counts use the same buffers
    return counted_score(context, child, parents, k) - penalty_of(context, q, arity, k) - less  # type: ignore[no-any-return]


@kernel(FAMILY)
def _remembered_score(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Local score of a family that may come up again, nats. Direct-mapped cache; collisions overwrite."""
    key = context.memory_epoch[0] ^ family_key(child, parents, k)
    place = np.int64(key >> np.uint64(1)) % context.n_memory
    if context.memory_keys[place] == key:
        return context.memory_values[place]  # type: ignore[no-any-return]
    score = local_score(context, child, parents, k)
    context.memory_keys[place] = key
    context.memory_values[place] = score
    return score  # type: ignore[no-any-return]


@kernel(FAMILY)
def _score_under_prior(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    return log_evidence_under_prior(context.prior, context.sample, context.work, context.order, child, parents, k)


@kernel(VALUE)
def _value_of_count(context: ScoreContext, form: int, ess: float, key: float, n: int) -> float:
    return evaluate(form, ess, key, n)


@kernel(REGRET_OF)
def _quotient_regret(context: ScoreContext, q: float, arity: float) -> float:
    """Ln C(N, q r) - ln C(N, q): the regret of parents and child as one variable less that of the parents."""
    joint = context.regrets[int(q * arity)] if q * arity < context.n_regrets else -1.0
    if joint < 0.0:
        joint = asymptotic_log_regret(context.sample.n_rows, q * arity)
    alone = context.regrets[int(q)] if q < context.n_regrets else -1.0
    if alone < 0.0:
        alone = asymptotic_log_regret(context.sample.n_rows, q)
    return joint - alone


@kernel(FAMILY)
def _resampling_bias(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """The bias of a family, computed once from the given data and remembered for all resamples.

    Resamples may show the columns in different orders; the given data keep theirs, and the memory goes by it.
    """
    given_child, given_parents = context.order[child], context.work.states
    for i in range(k):  # sorted, by insertion
        parent, at = context.order[parents[i]], i
        while at > 0 and given_parents[at - 1] > parent:
            given_parents[at] = given_parents[at - 1]
            at -= 1
        given_parents[at] = parent
    key = family_key(given_child, given_parents, k)
    place = np.int64(key >> np.uint64(1)) % context.n_biases
    if context.bias_keys[place] == key:
        return context.bias_values[place]  # type: ignore[no-any-return]
    n_configurations, n_cells = count_by_rows(context.given, context.work, given_child, given_parents, k)
    q, arity = configurations(context, parents, k), float(context.sample.arities[child])
    cell_key, configuration_key = keys_of_counts(context, q, arity, n_configurations)
    value = total_bias_over(context.cell_bias, cell_key, context.work.cells, n_cells)
    value -= total_bias_over(
        context.configuration_bias, configuration_key, context.work.configurations, n_configurations
    )
    context.bias_keys[place] = key
    context.bias_values[place] = value
    return value


@kernel(ONE_MORE)
def _scores_with_one_more(
    context: ScoreContext, child: int, parents: Pointer, k: int, wanted: Pointer, at_least: float, out: Pointer
) -> int:
    """Local score of ``child`` with ``parents[:k]`` and each wanted variable in turn, nats, into ``out``.

    Minus infinity for a candidate that is not wanted, or whose penalty alone shows that it cannot exceed ``at_least``,
    and for all that are left when the search is to stop. ``wanted`` keeps those that are scored;
    ``parents`` has room for one more. Returns how many were scored.
    """
    sample, arity = context.sample, float(context.sample.arities[child])
    q, has_prior = configurations(context, parents, k), context.prior.tree.n_cliques > 0
    n_wanted = 0
    for candidate in range(sample.n_variables):
        out[candidate] = -np.inf
        if wanted[candidate] != 0:
            less = -penalty_of(context, q * sample.arities[candidate], arity, k + 1)
            wanted[candidate] = context.n_biases > 0 or less > at_least
            if wanted[candidate]:
                out[candidate] = less
                n_wanted += 1
    if n_wanted == 0:
        return 0
    n_split = -1
    if not has_prior and sample.n_words > 0:
        n_split = split(sample, context.work, context.split, child, parents, k, cells_worth_splitting(sample, k))
    if n_split >= 0:
        count_extended(context, n_split, wanted)
        sum_columns(context, n_split, wanted, q, arity)
    n_scored = 0
    for candidate in range(sample.n_variables):
        if wanted[candidate] == 0:
            continue
        less, out[candidate] = out[candidate], -np.inf
        if stopped(context):
            continue
        n_scored += 1
        parents[k] = candidate  # the order of parents does not matter to counts
        if n_split < 0:
            out[candidate] = local_score(context, child, parents, k + 1)
            continue
        score = extended_score(context, n_split, candidate, q * sample.arities[candidate], arity)
        out[candidate] = score + less - resampling_bias(context, child, parents, k + 1)
    return n_scored


def kernels_for(has_prior: bool, has_quotient: bool, has_bias: bool) -> Kernels:
    """The addresses of the kernels that a score needs; what it does not need is not compiled."""
    nowhere = Address(0)
    return Kernels(
        local_score=_local_score.address,
        remembered_score=_remembered_score.address,
        counted_score=_counted_score.address,
        scores_with_one_more=_scores_with_one_more.address,
        value_of_count=_value_of_count.address,
        quotient_regret=_quotient_regret.address if has_quotient else nowhere,
        score_under_prior=_score_under_prior.address if has_prior else nowhere,
        resampling_bias=_resampling_bias.address if has_bias else nowhere,
    )


@compiled
def local_score_of(handle: Handle, child: int, parents: IntArray) -> float:
    """Local score of a family, called from Python."""
    return local_score(score_context(handle), child, pointer_to(parents), parents.shape[0])  # type: ignore[no-any-return]


@compiled
def scores_with_one_more_of(
    handle: Handle,
    child: int,
    parents: IntArray,
    k: int,
    wanted: UInt8Array,
    out: FloatArray,
) -> None:
    """Local scores with each wanted variable as one more parent, called from Python."""
    scores_with_one_more(
        score_context(handle), child, pointer_to(parents), k, pointer_to(wanted), -np.inf, pointer_to(out)
    )
