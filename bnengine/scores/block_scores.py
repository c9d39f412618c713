"""The kernels for blocks: the local score of a family from one matrix of second moments.

Of a table with numbers every variable is a block of features (see ``data.blocks``). With Σ_S the covariances of the d_S
features of the variables S, and N rows,

    ll(S) = -N/2 (ln det Σ_S + d_S (1 + ln 2π)),    |θ_S| = d_S + d_S (d_S + 1) / 2,

and a local score is ll(C ∪ P) - ll(P) - penalty (|θ_{C ∪ P}| - |θ_P|): the degenerate Gaussian score (Andrews, Ramsey &
Cooper 2019), with powers of the numbers a basis-function score (Ramsey, Andrews & Spirtes 2025). It is a difference of
one function of sets, so equal for Markov-equivalent graphs. ll(C ∪ P) - ll(P) comes from the last rows of the Cholesky
factor of Σ, the child's features standing last; a further parent adds rows before these.
"""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._jit.compiled import Pointer, compiled, inlined, kernel
from bnengine._jit.records import Address
from bnengine.scores.score_context import (
    FAMILY,
    ONE_MORE,
    Blocks,
    Kernels,
    ScoreContext,
    counted_score,
    penalty_of_blocks,
    stopped,
)

#: Features up to which the likelihood of each block given all others is worked out, as a bound.
_MOST_BOUNDED = 200
_SLACK = 1e-7  # nats a row: what rounding may take from a bound
_CONSTANT = 1.0 + math.log(2.0 * math.pi)


def blocks_for(n_variables: int, n_groups: int, n_features: int) -> Blocks:
    """Allocate the moments and the buffers of tables with so many features, in so many groups of rows that count."""
    side = max(n_features, 1)
    return Blocks(
        first=np.zeros(n_variables, dtype=np.int64),
        size=np.zeros(n_variables, dtype=np.int64),
        group=np.zeros(n_variables, dtype=np.int64),
        highest=np.full(n_variables, np.inf),
        moments=np.zeros((n_groups, side, side)),
        factor=np.zeros((side, side)),
        chosen=np.zeros(side, dtype=np.int64),
        n_features=side,
        in_use=int(n_groups > 0),
    )


def likelihoods_given_all(moments: FloatArray, first: IntArray, size: IntArray, n_rows: float) -> FloatArray:
    """Return the log-likelihood of each block given all others, nats: no family of it has a higher one.

    Infinity where there are too many features to work it out.
    """
    if len(moments) > _MOST_BOUNDED:
        return np.full(len(first), np.inf)
    given_all, found = np.linalg.inv(moments), np.zeros(len(first))
    for v, (at, d) in enumerate(zip(first.tolist(), size.tolist(), strict=True)):
        log_det = -np.linalg.slogdet(given_all[at : at + d, at : at + d])[1] if d else 0.0
        found[v] = n_rows * (_SLACK - 0.5 * (log_det + d * _CONSTANT))
    return found


@inlined
def _rows_of(blocks: Blocks, group: int, n: int, feature: int, row: int, done: int) -> float:
    """Write a feature's row of the factor, from column ``done`` to column n; return its last entry.

    The features of the first n columns are ``chosen``.
    """
    width, factor = blocks.n_features, blocks.factor
    moments, here = (group * width + feature) * width, row * width
    square = blocks.moments[moments + feature]
    for j in range(done):
        square -= factor[here + j] * factor[here + j]
    for j in range(done, n):
        value = blocks.moments[moments + blocks.chosen[j]]
        there = j * width
        for i in range(j):
            value -= factor[here + i] * factor[there + i]
        value /= factor[there + j]
        factor[here + j] = value
        square -= value * value
    factor[here + n] = math.sqrt(square) if square > 1e-12 else 1e-6
    return factor[here + n]  # type: ignore[no-any-return]


@compiled
def _appended(blocks: Blocks, group: int, n: int, variable: int) -> int:
    """Add the rows of a variable to the factor, which has n; returns how many it has now."""
    for feature in range(blocks.first[variable], blocks.first[variable] + blocks.size[variable]):
        _rows_of(blocks, group, n, feature, n, 0)
        blocks.chosen[n] = feature
        n += 1
    return n


@inlined
def _has_room(blocks: Blocks, n: int, child: int, more: int) -> bool:
    """Return whether a further variable fits beside n rows and the child's: always, if all are different variables."""
    return n + blocks.size[more] + blocks.size[child] <= blocks.n_features  # type: ignore[no-any-return]


@compiled
def _parents_factored(blocks: Blocks, child: int, parents: Pointer, k: int) -> int:
    """Factor the parents, in the rows that count for the child; returns how many rows there are."""
    n = 0
    for i in range(k):
        if _has_room(blocks, n, child, parents[i]):
            n = _appended(blocks, blocks.group[child], n, parents[i])
    return n


@inlined
def _fit(context: ScoreContext, child: int, half_log_det: float) -> float:
    """Return the log-likelihood of a child whose features have that log determinant, halved, given its parents'."""
    n_rows = context.sample.family_rows[child] * context.row_worth
    return -n_rows * (half_log_det + 0.5 * context.blocks.size[child] * _CONSTANT)  # type: ignore[no-any-return]


@compiled
def _log_likelihood(context: ScoreContext, child: int, n: int) -> float:
    """Return what the child's rows, which follow the n of its parents in the factor, say of its likelihood, nats."""
    blocks, width, size = context.blocks, context.blocks.n_features, context.blocks.size[child]
    half_log_det = 0.0
    for row in range(n, n + size):
        half_log_det += math.log(blocks.factor[row * width + row])
    return _fit(context, child, half_log_det)


@kernel(FAMILY)
def _likelihood_of_blocks(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return ll(C ∪ P) - ll(P), nats."""
    context.scored[0] += 1
    blocks, group = context.blocks, context.blocks.group[child]
    n = _parents_factored(blocks, child, parents, k)
    _appended(blocks, group, n, child)
    return _log_likelihood(context, child, n)


@kernel(FAMILY)
def _score_of_blocks(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return the local score of ``child`` with ``parents[:k]``, nats."""
    return counted_score(context, child, parents, k) - penalty_of_blocks(context, child, parents, k)  # type: ignore[no-any-return]


@compiled
def _child_begun(blocks: Blocks, group: int, n: int, child: int) -> None:
    """Write the child's rows beside the n of its parents to the end of the factor, where further parents leave them."""
    first, size = blocks.first[child], blocks.size[child]
    for i in range(size):
        _rows_of(blocks, group, n, first + i, blocks.n_features - size + i, 0)


@compiled
def _extended_likelihood(context: ScoreContext, child: int, n: int, candidate: int) -> float:
    """Return the log-likelihood with one more parent, once the child's rows have been begun beside the n others."""
    blocks, width, group = context.blocks, context.blocks.n_features, context.blocks.group[child]
    m, size = _appended(blocks, group, n, candidate), blocks.size[child]
    half_log_det, end = 0.0, width - size
    for i in range(size):
        # the child's own columns come after those of the candidate; the rows they refer to stand at the end
        feature, here = blocks.first[child] + i, (end + i) * width
        diagonal = _rows_of(blocks, group, m, feature, end + i, n)
        square = diagonal * diagonal
        for j in range(i):
            there = (end + j) * width
            value = blocks.moments[(group * width + feature) * width + blocks.first[child] + j]
            for column in range(m + j):
                value -= blocks.factor[here + column] * blocks.factor[there + column]
            value /= blocks.factor[there + m + j]
            blocks.factor[here + m + j] = value
            square -= value * value
        blocks.factor[here + m + i] = math.sqrt(square) if square > 1e-12 else 1e-6
        half_log_det += math.log(blocks.factor[here + m + i])
    return _fit(context, child, half_log_det)


@kernel(ONE_MORE)
def _scores_with_one_more_block(
    context: ScoreContext, child: int, parents: Pointer, k: int, wanted: Pointer, at_least: float, out: Pointer
) -> int:
    """Do what ``_scores_with_one_more`` does for tables; the parents are factored once."""
    blocks, group, n_scored = context.blocks, context.blocks.group[child], 0
    n = _parents_factored(blocks, child, parents, k)
    _child_begun(blocks, group, n, child)
    for candidate in range(context.sample.n_variables):
        out[candidate] = -np.inf
        if wanted[candidate] == 0 or candidate == child or not _has_room(blocks, n, child, candidate):
            wanted[candidate] = 0
            continue
        parents[k] = candidate
        less = penalty_of_blocks(context, child, parents, k + 1)
        wanted[candidate] = blocks.highest[child] - less > at_least
        if wanted[candidate] == 0 or stopped(context):
            continue
        context.scored[0] += 1
        n_scored += 1
        out[candidate] = _extended_likelihood(context, child, n, candidate) - less
    return n_scored


def kernels_of_blocks(cached_score: Address) -> Kernels:
    """Return the addresses of the kernels for blocks, beside the one that remembers scores."""
    nowhere = Address(0)
    return Kernels(
        local_score=_score_of_blocks.address,
        cached_score=cached_score,
        counted_score=_likelihood_of_blocks.address,
        scores_with_one_more=_scores_with_one_more_block.address,
        value_of_count=nowhere,
        quotient_regret=nowhere,
        score_under_prior=nowhere,
    )
