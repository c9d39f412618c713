"""The kernels for blocks: the local score of a family from one matrix of second moments.

Of a table with numbers every variable is a block of features (see ``data.blocks``). With Σ_S the covariances of the d_S
features of the variables S, and N rows,

    ll(S) = -N/2 (ln det Σ_S + d_S (1 + ln 2π)),    |θ_S| = d_S + d_S (d_S + 1) / 2,

and a local score is ll(C ∪ P) - ll(P) - penalty (|θ_{C ∪ P}| - |θ_P|): the degenerate Gaussian score (Andrews, Ramsey &
Cooper 2019), with powers of the numbers a basis-function score (Ramsey, Andrews & Spirtes 2025). It is a difference of
one function of sets, so equal for Markov-equivalent graphs. ll(C ∪ P) - ll(P) comes from the last pivots of Σ, the
child's features standing last. For all further parents of a family its own are eliminated once, from all columns of Σ.
"""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._jit.compiled import Pointer, compiled, inlined, kernel
from bnengine._jit.records import allocate
from bnengine.data.blocks import Features
from bnengine.scores.score_context import (
    FAMILY,
    ONE_MORE,
    Blocks,
    ScoreContext,
    counted_score,
    penalty_of_blocks,
    stopped,
)

#: Features up to which the likelihood of each block given all others is worked out, as a bound.
_MOST_BOUNDED = 200
_SLACK = 1e-7  # nats a row: what rounding may take from a bound
_CONSTANT = 1.0 + math.log(2.0 * math.pi)
_LEAST_PIVOT = 1e-12  # of what others determine, but for rounding


def blocks_for(features: Features | None, n_groups: int) -> Blocks:
    """Allocate moments and buffers for features, in so many groups of rows that count; empty ones without features."""
    n, n_features = (0, 1) if features is None else (len(features.first), len(features.floor))
    room = {"V": n, "G": n_groups if n else 0, "n_features": max(n_features, 1)}
    return allocate(Blocks, highest=np.full(n, np.inf), in_use=int(n > 0), **room)


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
def _has_room(blocks: Blocks, n: int, child: int, more: int) -> bool:
    """Return whether a further variable fits beside n features and the child's: always, if all are different."""
    return n + blocks.size[more] + blocks.size[child] <= blocks.n_features  # type: ignore[no-any-return]


@compiled
def _chosen(blocks: Blocks, child: int, parents: Pointer, k: int) -> int:
    """Write the features of the parents to ``chosen``; returns how many there are."""
    n = 0
    for i in range(k):
        if _has_room(blocks, n, child, parents[i]):
            for feature in range(blocks.first[parents[i]], blocks.first[parents[i]] + blocks.size[parents[i]]):
                blocks.chosen[n] = feature
                n += 1
    return n


@compiled
def _half_log_det(matrix: Pointer, m: int, size: int) -> float:
    """Return half the log determinant of the last ``size`` of m features given the others.

    Of their covariances, (m, m), the upper triangle is read, and eliminated in place.
    """
    half, product = 0.0, 1.0
    for p in range(m):
        pivot = max(matrix[p * m + p], _LEAST_PIVOT)
        if p >= m - size:
            product *= pivot
            if product < 1e-200:
                half, product = half + 0.5 * math.log(product), 1.0
        for i in range(p + 1, m):
            times = matrix[p * m + i] / pivot
            for j in range(i, m):
                matrix[i * m + j] -= times * matrix[p * m + j]
    return half + 0.5 * math.log(product)


@inlined
def _fit(context: ScoreContext, child: int, half_log_det: float) -> float:
    """Return the log-likelihood of a child whose features have that log determinant, halved, given its parents'."""
    n_rows = context.sample.family_rows[child] * context.row_worth
    return -n_rows * (half_log_det + 0.5 * context.blocks.size[child] * _CONSTANT)  # type: ignore[no-any-return]


@kernel(FAMILY)
def likelihood_of_blocks(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return ll(C ∪ P) - ll(P), nats."""
    context.scored[0] += 1
    blocks, width = context.blocks, context.blocks.n_features
    n, size, moments = _chosen(blocks, child, parents, k), blocks.size[child], blocks.group[child] * width * width
    for i in range(size):
        blocks.chosen[n + i] = blocks.first[child] + i
    for i in range(n + size):
        row = moments + blocks.chosen[i] * width
        for j in range(i, n + size):
            blocks.square[i * (n + size) + j] = blocks.moments[row + blocks.chosen[j]]
    return _fit(context, child, _half_log_det(blocks.square, n + size, size))


@kernel(FAMILY)
def score_of_blocks(context: ScoreContext, child: int, parents: Pointer, k: int) -> float:
    """Return the local score of ``child`` with ``parents[:k]``, nats."""
    return counted_score(context, child, parents, k) - penalty_of_blocks(context, child, parents, k)  # type: ignore[no-any-return]


@inlined
def _less_parents(blocks: Blocks, group: int, n: int, feature: int, row: int) -> None:
    """Write to a row of ``given`` the covariances of a feature with all others, given the first n of ``chosen``."""
    width, given = blocks.n_features, blocks.given
    moments, here = (group * width + feature) * width, row * width
    for f in range(width):
        given[here + f] = blocks.moments[moments + f]
    for j in range(n):
        times, there = given[j * width + feature], j * width
        for f in range(width):
            given[here + f] -= times * given[there + f]


@compiled
def _given_parents(blocks: Blocks, child: int, parents: Pointer, k: int) -> int:
    """Fill ``given`` for a family; returns how many features the parents have.

    Its first rows are those of the Cholesky factor for each feature of the parents, with all features in the columns;
    then the covariances of each feature of the child with all, and last the variances of all, given the parents.
    """
    width, given, group, size = blocks.n_features, blocks.given, blocks.group[child], blocks.size[child]
    n = _chosen(blocks, child, parents, k)
    for j in range(n):
        feature, here = blocks.chosen[j], j * width
        _less_parents(blocks, group, j, feature, j)
        times = 1.0 / math.sqrt(max(given[here + feature], _LEAST_PIVOT))
        for f in range(width):
            given[here + f] *= times
    for i in range(size):
        _less_parents(blocks, group, n, blocks.first[child] + i, n + i)
    last = (n + size) * width
    for f in range(width):
        given[last + f] = blocks.moments[(group * width + f) * width + f]
    for j in range(n):
        for f in range(width):
            given[last + f] -= given[j * width + f] * given[j * width + f]
    return n


@compiled
def _extended_likelihood(context: ScoreContext, child: int, n: int, candidate: int) -> float:
    """Return the log-likelihood with one more parent, once ``given`` is that of the family without it."""
    blocks = context.blocks
    width, square, given = blocks.n_features, blocks.square, blocks.given
    more, size = blocks.size[candidate], blocks.size[child]
    first, of_child, m, last = blocks.first[candidate], blocks.first[child], more + size, (n + size) * width
    if more == 1 and size == 1:
        common, own = given[n * width + first], max(given[last + first], _LEAST_PIVOT)
        pivot = max(given[last + of_child] - common * common / own, _LEAST_PIVOT)
        return _fit(context, child, 0.5 * math.log(pivot))
    for i in range(more):
        square[i * m + i] = given[last + first + i]
        for j in range(i + 1, more):
            value = blocks.moments[(blocks.group[child] * width + first + i) * width + first + j]
            for row in range(n):
                value -= given[row * width + first + i] * given[row * width + first + j]
            square[i * m + j] = value
        for j in range(size):
            square[i * m + more + j] = given[(n + j) * width + first + i]
    for i in range(size):
        for j in range(i, size):
            square[(more + i) * m + more + j] = given[(n + i) * width + of_child + j]
    return _fit(context, child, _half_log_det(square, m, size))


@kernel(ONE_MORE)
def scores_with_one_more_block(
    context: ScoreContext, child: int, parents: Pointer, k: int, wanted: Pointer, at_least: float, out: Pointer
) -> int:
    """Do what ``_scores_with_one_more`` does for tables; the parents are eliminated once."""
    blocks, n_scored = context.blocks, 0
    n = _given_parents(blocks, child, parents, k)
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
