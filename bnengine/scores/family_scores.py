"""The kernels: the local score of a family, and those of a family with each further parent."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._jit.compiled import Pointer, compiled, inlined, kernel, pointer_to
from bnengine._jit.records import Address, Handle, mix
from bnengine.scores._count_terms import (
    OBSERVED,
    asymptotic_log_regret,
    evaluate,
    is_keyed,
    row_start,
    tabulated,
    total_over,
)
from bnengine.scores._incremental_counts import cells_worth_splitting, count_extended, split
from bnengine.scores.block_scores import likelihood_of_blocks, score_of_blocks, scores_with_one_more_block
from bnengine.scores.counting import append_digit, count, count_alone, count_ranks, number_configurations, rank_numbers
from bnengine.scores.prior_network import Prior, collect
from bnengine.scores.score_context import (
    FAMILY,
    ONE_MORE,
    REGRET_OF,
    VALUE,
    Kernels,
    Sample,
    ScoreContext,
    Workspace,
    configurations,
    counted_score,
    family_key,
    fewest_states,
    keys_of_counts,
    local_score,
    own_rows,
    penalty_of,
    score_context,
    scores_with_one_more,
    stopped,
)

# What counts contribute to the scores of families that add one parent to a split one (see ``_incremental_counts``).
#
# A sum over the counts of one candidate is short, and a short sum is mostly waiting. So the columns of neighbouring
# candidates are summed side by side, as long as the same tabulated values apply to them. A value that is not in the
# table yet is NaN there, and so is every sum it belongs to: those candidates are summed again, one by one.


@compiled
def _sum_between(
    context: ScoreContext, n_split: int, first: int, last: int, cell_key: float, configuration_key: float
) -> None:
    """Sum the columns from ``first`` to ``last``, to which the same keys apply."""
    if first == last:
        return
    of_cell = row_start(context.cell, cell_key)
    of_configuration = row_start(context.configuration, configuration_key)
    cell_values, configuration_values = context.cell.values, context.configuration.values
    counts, configurations, sums = context.split.counts, context.split.configurations, context.split.sums
    width = context.sample.n_columns
    column = first
    while column + 4 <= last:  # four at a time: a short loop costs more to begin and end than to run
        sum_0, sum_1, sum_2, sum_3 = 0.0, 0.0, 0.0, 0.0
        cell = 0
        while cell < n_split:
            configuration = configurations[cell]
            n_0, n_1, n_2, n_3 = 0, 0, 0, 0
            score_0, score_1, score_2, score_3 = 0.0, 0.0, 0.0, 0.0
            while cell < n_split and configurations[cell] == configuration:
                at = cell * width + column
                n_0 += counts[at]
                n_1 += counts[at + 1]
                n_2 += counts[at + 2]
                n_3 += counts[at + 3]
                score_0 += cell_values[of_cell + counts[at]]
                score_1 += cell_values[of_cell + counts[at + 1]]
                score_2 += cell_values[of_cell + counts[at + 2]]
                score_3 += cell_values[of_cell + counts[at + 3]]
                cell += 1
            sum_0 += score_0 - configuration_values[of_configuration + n_0]
            sum_1 += score_1 - configuration_values[of_configuration + n_1]
            sum_2 += score_2 - configuration_values[of_configuration + n_2]
            sum_3 += score_3 - configuration_values[of_configuration + n_3]
        sums[column], sums[column + 1], sums[column + 2], sums[column + 3] = sum_0, sum_1, sum_2, sum_3
        column += 4
    while column < last:
        total = 0.0
        cell = 0
        while cell < n_split:
            configuration, n, score = configurations[cell], 0, 0.0
            while cell < n_split and configurations[cell] == configuration:
                n += counts[cell * width + column]
                score += cell_values[of_cell + counts[cell * width + column]]
                cell += 1
            total += score - configuration_values[of_configuration + n]
        sums[column] = total
        column += 1


@compiled
def sum_columns(context: ScoreContext, n_split: int, wanted: Pointer, q: float, arity: float) -> None:
    """Sum the scores of each column's counts, nats, to ``sums`` in the buffer; NaN where ``extended_score`` must do it.

    ``q`` is the number of configurations of the split family's parents.
    """
    sample, sums = context.sample, context.split.sums
    keyed = is_keyed(context.cell) or is_keyed(context.configuration)
    too_large = sample.n_rows >= context.cell.width or sample.n_rows >= context.configuration.width
    if context.cell.form == OBSERVED or too_large:
        for column in range(sample.n_columns):
            sums[column] = np.nan
        return
    first, last, states = 0, 0, 0
    for place in range(sample.n_variables):
        candidate = sample.by_states[place]
        if wanted[candidate] == 0:
            continue
        start, arity_here = sample.first_mask[candidate], sample.arities[candidate]
        if start > last or (keyed and arity_here != states):
            _sum_between(context, n_split, first, last, *keys_of_counts(context, q * states, arity, 0))
            first, states = start, arity_here
        last = start + arity_here
    _sum_between(context, n_split, first, last, *keys_of_counts(context, q * states, arity, 0))


@compiled
def _observed_configurations(context: ScoreContext, n_split: int, candidate: int) -> int:
    """Count the configurations of the parents and the candidate were observed."""
    kept, width = context.split, context.sample.n_columns
    first = context.sample.first_mask[candidate]
    observed = 0
    for column in range(first, first + context.sample.arities[candidate]):
        cell = 0
        while cell < n_split:
            configuration, seen = kept.configurations[cell], False
            while cell < n_split and kept.configurations[cell] == configuration:
                seen |= kept.counts[cell * width + column] > 0
                cell += 1
            observed += seen
    return observed


@compiled
def _score_by_itself(context: ScoreContext, n_split: int, candidate: int, q: float, arity: float) -> float:
    """Return the same score to the last digit, whatever the counts and the form, with values added to the table."""
    cell_function, configuration_function = context.cell, context.configuration
    n_observed = _observed_configurations(context, n_split, candidate) if cell_function.form == OBSERVED else 0
    cell_key, configuration_key = keys_of_counts(context, q, arity, n_observed)
    cell_start = row_start(cell_function, cell_key)
    configuration_start = row_start(configuration_function, configuration_key)
    counts, configurations, width = context.split.counts, context.split.configurations, context.sample.n_columns
    first = context.sample.first_mask[candidate]
    total = 0.0
    for column in range(first, first + context.sample.arities[candidate]):
        cell, of_column = 0, 0.0
        while cell < n_split:
            configuration, in_configuration, in_cells = configurations[cell], 0, 0.0
            while cell < n_split and configurations[cell] == configuration:
                n = counts[cell * width + column]
                in_configuration += n
                in_cells += tabulated(context, cell_function, cell_start, cell_key, n)
                cell += 1
            of_column += in_cells - tabulated(
                context, configuration_function, configuration_start, configuration_key, in_configuration
            )
        total += of_column
    return total


@compiled
def extended_score(context: ScoreContext, n_split: int, candidate: int, q: float, arity: float) -> float:
    """Return the counted score of the split family with ``candidate`` added, which has ``q`` configurations, nats."""
    context.scored[0] += 1
    first = context.sample.first_mask[candidate]
    total = 0.0
    for column in range(first, first + context.sample.arities[candidate]):
        total += context.split.sums[column]
    return total if total == total else _score_by_itself(context, n_split, candidate, q, arity)


# Where cells are missing, a family is counted on the rows in which all of it is seen, N_f of the N that would count.
#
# Its score on these, T_f(X | parents), is scaled to all: the node-average likelihood (Balov 2013). To compare averages
# over different rows costs far more than it should, since X by itself varies from row to row: the square root of N in
# nats, more than most edges gain. So what is scaled is the difference that the parents make on the same rows,
#
#     T = N / N_X T_X(X) + N / N_f (T_f(X | parents) - T_f(X)) - N / N_f penalty |theta|,
#
# T_X(X) being that of X alone on all rows in which it is seen; without missing cells this is the score as it is. As a
# log-probability is never positive, the sum of the first two is kept from exceeding 0.


@inlined
def _of_all_rows(
    context: ScoreContext, child: int, score: float, alone: float, n_rows: int, q: float, arity: float
) -> float:
    """Return what ``n_rows`` rows say about a family as the score of all, less what the penalty is greater by."""
    share = context.sample.all_rows[child] / n_rows if n_rows > 0 else float(context.sample.all_rows[child])
    whole = context.score_without_parents[child] + share * (score - alone)
    if whole > 0.0:
        whole = 0.0
    return whole - (share - 1.0) * context.penalty[child] * q * (arity - 1.0)  # type: ignore[no-any-return]


@compiled
def _score_of_margin(context: ScoreContext, n_rows: int, n_cells: int, arity: float) -> float:
    """Return the score of a child's states without parents, whose counts are in the buffer."""
    cell_key, configuration_key = keys_of_counts(context, 1.0, arity, 1)
    context.work.configurations[0] = n_rows
    total = total_over(context, context.cell, cell_key, context.work.cells, n_cells)
    return total - total_over(context, context.configuration, configuration_key, context.work.configurations, 1)


@compiled
def _extended_of_all_rows(
    context: ScoreContext, n_split: int, child: int, candidate: int, score: float, q: float, arity: float
) -> float:
    """Return the score of the split family with ``candidate`` added, of the rows in which all are seen, as of all."""
    kept, cells, width = context.split, context.work.cells, context.sample.n_columns
    n_states = context.sample.arities[child]
    for state in range(n_states):
        kept.margin[state] = 0
    first = context.sample.first_mask[candidate]
    last = first + context.sample.arities[candidate]
    for cell in range(n_split):
        n = 0
        for column in range(cell * width + first, cell * width + last):
            n += kept.counts[column]
        kept.margin[kept.states[cell]] += n
    n_rows, n_cells = 0, 0
    for state in range(n_states):
        n = kept.margin[state]
        cells[n_cells] = n
        n_cells += n > 0
        n_rows += n
    alone = _score_of_margin(context, n_rows, n_cells, arity)
    return _of_all_rows(context, child, score, alone, n_rows, q, arity)


@compiled
def score_alone(handle: Handle) -> None:
    """Write the counted score of each child without parents, as of all rows that would count for it."""
    context = score_context(handle)
    for child in range(context.sample.n_variables):
        arity, n_rows = float(context.sample.arities[child]), context.sample.family_rows[child]
        _, n_cells = count(context.sample, context.work, child, context.work.parents, 0)
        of_seen = _score_of_margin(context, n_rows, n_cells, arity)
        context.score_without_parents[child] = (
            of_seen * (context.sample.all_rows[child] / n_rows) if n_rows > 0 else 0.0
        )


# BDe: the prior counts of a family are the equivalent sample size times the prior network's marginal of parents and
# child. The prior does not depend on a resample: marginals found for one are remembered for all.

#: Joint states up to which a marginal is remembered: the larger ones are many and seldom come up again.
LARGEST_REMEMBERED = 256


@compiled
def log_evidence_under_prior(
    prior: Prior, sample: Sample, work: Workspace, order: Pointer, child: int, parents: Pointer, k: int
) -> float:
    """Return the log marginal likelihood of a family, nats; -infinity if a row is impossible under the prior network.

    ``order`` holds the data's column at each place of the sample.
    """
    number_configurations(sample, work, parents, k)
    n_ranks = rank_numbers(sample, work)
    for i in range(k):
        prior.buffers.variables[i] = prior.variable_of[order[parents[i]]]
    own = own_rows(sample, child)
    start = _cached_marginal(prior, sample, work, n_ranks, k)
    of_configurations = _dirichlet_total(prior, sample, work, own, start, n_ranks)
    if of_configurations == -np.inf:
        return -np.inf
    append_digit(work.numbers, sample.arities[child], sample.codes, child * sample.n_distinct, sample.n_distinct)
    n_ranks = rank_numbers(sample, work)
    prior.buffers.variables[k] = prior.variable_of[order[child]]
    start = _cached_marginal(prior, sample, work, n_ranks, k + 1)
    return _dirichlet_total(prior, sample, work, own, start, n_ranks) - of_configurations


@compiled
def _dirichlet_total(prior: Prior, sample: Sample, work: Workspace, own: int, start: int, n_ranks: int) -> float:
    """Sum of ln G(n + alpha) - ln G(alpha) over the ranked joint states.

    Their probabilities begin at ``start``, the weights of the rows that count at ``own``.
    """
    count_ranks(sample, work, own, n_ranks)
    total = 0.0
    for r in range(n_ranks):
        n = work.ranked[r]
        if n > 0:
            alpha = prior.ess * prior.buffers.probabilities[start + r]
            if alpha <= 0.0:
                return -np.inf  # the data show what is impossible under the prior network
            total += math.lgamma(n * prior.row_worth + alpha) - math.lgamma(alpha)
    return total


@compiled
def _cached_marginal(prior: Prior, sample: Sample, work: Workspace, n_ranks: int, k: int) -> int:
    """Return where the probabilities of the ranked joint states of ``prior.variables[:k]`` begin, cached or new.

    Direct-mapped cache; collisions overwrite. When its numbers are used up, it is emptied.
    """
    key = mix(np.uint64(k) + np.uint64(1))
    for i in range(k):
        key ^= mix((np.uint64(prior.buffers.variables[i]) + np.uint64(1)) << np.uint64(20))
    place = np.int64(key >> np.uint64(1)) % prior.buffers.n_sets
    if prior.buffers.set_keys[place] == key:
        return prior.buffers.set_starts[place]  # type: ignore[no-any-return]
    start = prior.buffers.n_cached[0]
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
        prior.buffers.n_cached[0] = start + n_ranks
        prior.buffers.set_keys[place] = key
        prior.buffers.set_starts[place] = start
    return start  # type: ignore[no-any-return]


@inlined
def score_of_counts(context: ScoreContext, q: float, arity: float, n_configurations: int, n_cells: int) -> float:
    """Return the score of the counts now in the buffers, before the penalty."""
    context.scored[0] += 1
    cell_key, configuration_key = keys_of_counts(context, q, arity, n_configurations)
    total = total_over(context, context.cell, cell_key, context.work.cells, n_cells)
    return total - total_over(
        context, context.configuration, configuration_key, context.work.configurations, n_configurations
    )


@kernel(FAMILY)
def _counted_score(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return what a family's counts contribute to its score, nats: all but penalty and structure prior."""
    n_configurations, n_cells = count(context.sample, context.work, child, parents, k)
    context.work.observed[0] = n_configurations
    q, arity = configurations(context, parents, k), float(context.sample.arities[child])
    score = score_of_counts(context, q, arity, n_configurations, n_cells)
    if context.sample.has_holes == 0:
        return score
    n_rows, n_cells = count_alone(context.sample, context.work, child, parents, k)
    alone = _score_of_margin(context, n_rows, n_cells, arity)
    return _of_all_rows(context, child, score, alone, n_rows, q, arity)


@kernel(FAMILY)
def _local_score(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return the local score of ``child`` with ``parents[:k]`` (sorted column numbers), nats."""
    q, arity = configurations(context, parents, k), float(context.sample.arities[child])
    less = penalty_of(context, child, q, arity, k, fewest_states(context, parents, k, arity))
    return counted_score(context, child, parents, k) - less  # type: ignore[no-any-return]


@kernel(FAMILY)
def _cached_score(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return the local score of a family that may come up again, nats. Direct-mapped cache; collisions overwrite."""
    key = context.memory_epoch[0] ^ family_key(child, parents, k)
    place = np.int64(key >> np.uint64(1)) % context.n_memory
    if context.memory_keys[place] == key:
        return context.memory_values[place]  # type: ignore[no-any-return]
    score = local_score(context, child, parents, k)
    context.memory_keys[place] = key
    context.memory_values[place] = score
    return score  # type: ignore[no-any-return]


@kernel(FAMILY)
def _counted_score_under_prior(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return the same under the prior counts of a prior network, which has no masks."""
    context.scored[0] += 1
    return log_evidence_under_prior(context.prior, context.sample, context.work, context.order, child, parents, k)


@kernel(VALUE)
def _value_of_count(context: ScoreContext, form: int, ess: float, key: float, n: int) -> float:
    return evaluate(form, ess, key, n * context.row_worth)


@kernel(REGRET_OF)
def _quotient_regret(context: ScoreContext, child: int, q: float, arity: float) -> float:
    """Return ln C(N, q r) - ln C(N, q): the regret of parents and child as one variable less that of the parents."""
    own, n_rows = child * context.regrets_apart, context.sample.family_rows[child] * context.row_worth
    joint = context.regrets[own + int(q * arity)] if q * arity < context.n_regrets else -1.0
    if joint < 0.0:
        joint = asymptotic_log_regret(n_rows, q * arity)
    alone = context.regrets[own + int(q)] if q < context.n_regrets else -1.0
    if alone < 0.0:
        alone = asymptotic_log_regret(n_rows, q)
    return joint - alone


@kernel(ONE_MORE)
def _scores_with_one_more(
    context: ScoreContext, child: int, parents: Pointer, k: int, wanted: Pointer, at_least: float, out: Pointer
) -> int:
    """Score ``child`` with ``parents[:k]`` and each wanted variable in turn, nats, into ``out``.

    Minus infinity for a candidate that is not wanted, or whose penalty alone shows that it cannot exceed ``at_least``,
    and for all that are left when the search is to stop. ``wanted`` keeps those that are scored;
    ``parents`` has room for one more. Returns how many were scored.
    """
    sample, arity = context.sample, float(context.sample.arities[child])
    q, fewest, n_wanted = configurations(context, parents, k), fewest_states(context, parents, k, arity), 0
    for candidate in range(sample.n_variables):
        out[candidate] = -np.inf
        if wanted[candidate] != 0:
            states = float(sample.arities[candidate])
            less = -penalty_of(context, child, q * states, arity, k + 1, min(fewest, states))
            wanted[candidate] = less > at_least
            if wanted[candidate]:
                out[candidate] = less
                n_wanted += 1
    if n_wanted == 0:
        return 0
    n_split = -1
    if sample.n_words > 0:
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
        if sample.has_holes != 0:
            extended = q * sample.arities[candidate]
            score = _extended_of_all_rows(context, n_split, child, candidate, score, extended, arity)
        out[candidate] = score + less
    return n_scored


@cache
def kernels_for(has_prior: bool, has_quotient: bool, by_blocks: bool = False) -> Kernels:
    """Return the addresses of the kernels that a score needs; what it does not need is not compiled."""
    if by_blocks:
        of_blocks = score_of_blocks, _cached_score, likelihood_of_blocks, scores_with_one_more_block
        return Kernels(*(kernel.address for kernel in of_blocks))
    return Kernels(
        local_score=_local_score.address,
        cached_score=_cached_score.address,
        counted_score=_counted_score_under_prior.address if has_prior else _counted_score.address,
        scores_with_one_more=_scores_with_one_more.address,
        value_of_count=_value_of_count.address,
        quotient_regret=_quotient_regret.address if has_quotient else Address(0),
    )


@compiled
def local_score_of(handle: Handle, child: int, parents: IntArray) -> float:
    """Return the local score of a family, called from Python."""
    return local_score(score_context(handle), child, pointer_to(parents), parents.shape[0])  # type: ignore[no-any-return]


@compiled
def scores_with_one_more_of(
    handle: Handle, child: int, parents: IntArray, k: int, wanted: UInt8Array, out: FloatArray
) -> None:
    """Score a family with each wanted variable as one more parent, called from Python."""
    scores_with_one_more(
        score_context(handle), child, pointer_to(parents), k, pointer_to(wanted), -np.inf, pointer_to(out)
    )
