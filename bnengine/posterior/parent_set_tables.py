"""The weights of all small parent sets among each child's candidate parents: all that sampling asks of the data.

Friedman & Koller (2003) restrict a child's parents to candidates; Kuipers, Suter & Moffa (2022) keep, for every set of
candidates, the total weight of the parent sets within it, so that the weight of a child in any ordering is one look-up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.display import gigabytes
from bnengine._core.validation import Ge, validated
from bnengine.graphs.constraints import SearchSpace
from bnengine.posterior._ordering_sums import (
    mask_of,
    number_of_small_sets,
    score_parent_sets,
    score_parent_sets_twice,
    small_sets,
    sum_over_subsets,
)
from bnengine.posterior.running import StepReport, run_steps
from bnengine.scores._count_terms import ENTROPY, OBSERVED, OFFSET, REGRET, SHARED
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore

# Interpretation of exp(score): which scores give posterior probabilities, and what the others give.


class ScoreWeight(NamedTuple):
    """Interpretation of normalized sums of exp(score) over graphs."""

    kind: str  # of exp(score)
    title: str  # of the normalized sums
    reason: str
    is_posterior: bool  # only for a marginal likelihood


MARGINAL_LIKELIHOOD = ScoreWeight(
    "marginal likelihood",
    "posterior probability",
    "exp(score) is the probability of the data given the graph, so these are posterior probabilities",
    True,
)
SCHWARZ = ScoreWeight(
    "Schwarz approximation",
    "approximate posterior probability",
    "exp(BIC) approximates the probability of the data given the graph in large samples (Schwarz 1978), so these are "
    "approximate posterior probabilities",
    False,
)
NORMALIZED_MAXIMUM_LIKELIHOOD = ScoreWeight(
    "normalized maximum likelihood",
    "normalized maximum likelihood weight",
    "exp(score) is a normalized maximum likelihood, a probability of the data without a prior over parameters, so "
    "these are weights by description length, not posterior probabilities",
    False,
)
REAL = ScoreWeight(
    "mean of posteriors",
    "probability of being real",
    "the mean of the posterior and of corrected posteriors of resamples, under BDeu(1) and BDeu(10)",
    True,
)
NO_PROBABILITY = ScoreWeight(
    "not a probability of the data",
    "normalized weight",
    "exp(score) is not a probability of the data given the graph, so these are normalized weights, not posterior "
    "probabilities",
    False,
)


@validated
def score_weight(score: TableScore, n_rows: Annotated[int, Ge(1)]) -> ScoreWeight:
    """Interpret exp(score) for a sample of ``n_rows`` rows, structure priors aside.

    A bias-corrected score is never a marginal likelihood.

    Examples
    --------
    >>> import bnengine as bn
    >>> [bn.posterior.score_weight(score, 100).title for score in (bn.BDeu(1), bn.BIC(), bn.AIC())]
    ['posterior probability', 'approximate posterior probability', 'normalized weight']
    """
    form = score.form(n_rows)
    functions = (form.cell, form.configuration)
    if form.penalty == 0.0 and functions in ((SHARED, SHARED), (OFFSET, OFFSET), (OBSERVED, OBSERVED)):
        return MARGINAL_LIKELIHOOD
    if form.penalty == 0.0 and (functions == (ENTROPY, REGRET) or form.quotient):
        return NORMALIZED_MAXIMUM_LIKELIHOOD
    if functions == (ENTROPY, ENTROPY) and not form.quotient and _is_schwarz(form.penalty, n_rows):
        return SCHWARZ
    return NO_PROBABILITY


def _is_schwarz(penalty: float, n_rows: int) -> bool:
    return n_rows > 1 and math.isclose(penalty, 0.5 * math.log(n_rows), rel_tol=1e-12)


#: Most candidate parents of a child: the sums over subsets of 20 take 8 MB.
MOST_CANDIDATES = 20


@dataclass(frozen=True, eq=False)
class ParentSetTables:
    """Log weights of parent sets, and of all parent sets within each set of candidates.

    A child's candidates are in column order; bit c of a mask stands for the c-th of them. The parent sets of child v
    are ``masks[:n_sets[v]]``: those among its first n candidates come first in numeric order for any n.

    Attributes
    ----------
    candidates : ndarray of int64, shape (V, K)
        The columns of each child's candidates; -1 beyond its number of candidates.
    n_candidates : ndarray of int64, shape (V,)
    place : ndarray of int64, shape (V, V)
        ``[child, parent]``: the parent's bit among the child's candidates; -1 if it is not one of them.
    masks : ndarray of int64
        The parent sets of a child with K candidates: all masks with at most ``max_parents`` bits, in numeric order.
    n_sets : ndarray of int64, shape (V,)
    weights : ndarray of float64
        Nats. Those of child v begin at ``first_weight[v]``: local score with structure prior, minus infinity where the
        constraints forbid the set.
    first_weight : ndarray of int64, shape (V + 1,)
    sums : ndarray of float64
        Nats. Those of child v begin at ``first_sum[v]``, 2**n_candidates[v] of them: entry m is the log of the total
        weight of the parent sets within mask m.
    first_sum : ndarray of int64, shape (V + 1,)
    n_evaluations : int
        Number of local scores computed.
    """

    candidates: IntArray = field(repr=False)
    n_candidates: IntArray = field(repr=False)
    place: IntArray = field(repr=False)
    masks: IntArray = field(repr=False)
    n_sets: IntArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    first_weight: IntArray = field(repr=False)
    sums: FloatArray = field(repr=False)
    first_sum: IntArray = field(repr=False)
    max_parents: int
    n_evaluations: int

    @property
    def n_variables(self) -> int:
        """Number of variables V."""
        return len(self.n_candidates)

    def candidates_of(self, child: int) -> IntArray:
        """Return the columns of a child's candidate parents, in column order."""
        return self.candidates[child, : self.n_candidates[child]]

    @property
    def columns(self) -> list[list[int]]:
        """The columns of each child's candidate parents."""
        return [self.candidates_of(child).tolist() for child in range(self.n_variables)]

    def weights_of(self, child: int) -> FloatArray:
        """Return the log weight of each of a child's parent sets, nats; the sets are ``masks[:n_sets[child]]``."""
        return self.weights[self.first_weight[child] : self.first_weight[child + 1]]

    def sums_of(self, child: int) -> FloatArray:
        """Return the log total weight of the parent sets within each set of a child's candidates, (2**K,), nats."""
        return self.sums[self.first_sum[child] : self.first_sum[child + 1]]


def tables_memory(n_candidates: Sequence[int], max_parents: int) -> int:
    """Return the bytes that tables over children with these numbers of candidates take."""
    return 8 * sum((1 << n) + number_of_small_sets(n, max_parents) for n in n_candidates) + 8 * len(n_candidates) ** 2


def check_tables_memory(n_candidates: Sequence[int], max_parents: int, max_memory: int, besides: int = 0) -> None:
    """Raise a ValueError if a child has too many candidates, or the tables and ``besides`` exceed ``max_memory``."""
    most = max(n_candidates, default=0)
    if most > MOST_CANDIDATES:
        raise ValueError(
            f"candidates must be at most {MOST_CANDIDATES} a variable, required parents included; got {most}"
        )
    needed = tables_memory(n_candidates, max_parents) + besides
    if needed > max_memory:
        raise ValueError(
            f"the tables of parent sets of {len(n_candidates):,} variables with up to {most} candidate parents, and "
            f"what chains record, need {gigabytes(needed)}, more than the {gigabytes(max_memory)} allowed: lower "
            "candidates or max_parents, or "
            "raise max_memory"
        )


def parent_set_tables(
    scores: Callable[[], LocalScores],
    space: SearchSpace,
    candidates: Sequence[Sequence[int]],
    *,
    n_threads: int = 1,
    stop: UInt8Array | None = None,
    report_steps: StepReport | None = None,
) -> ParentSetTables:
    """Score all parent sets of at most ``space.max_parents`` among each child's candidates, once.

    Parameters
    ----------
    scores : callable
        Makes the local scores that a thread may use; their stop flag ends the scoring: what is left then gets no
        weight but the required parents alone.
    space : SearchSpace
    candidates : sequence of sequences of int
        For each child the columns of its candidates, its required parents among them. Those that may not be its
        parents are left out.
    n_threads : int
    stop : ndarray of uint8, shape (1,), optional
        The flag of the local scores, which is set when ``report_steps`` returns False.
    report_steps : callable, optional
        Called from this thread now and then.
    """
    n = len(candidates)
    chosen = [sorted({int(v) for v in columns if space.allowed[v, child]}) for child, columns in enumerate(candidates)]
    tables = _empty_tables(chosen, space.max_parents)

    def score_children(children: range) -> tuple[range, int]:
        local = scores()
        for child in children:
            masks, weights = tables.masks[: tables.n_sets[child]], tables.weights_of(child)
            score_parent_sets(local.handle, child, *_candidates_and_required(tables, space, child), masks, weights)
            sum_over_subsets(masks, weights, tables.sums_of(child))
        return children, local.n_scored

    flag = np.zeros(1, dtype=np.uint8) if stop is None else stop
    pieces = [range(first, n, n_threads) for first in range(n_threads)]
    _, scored = run_steps(score_children, pieces, 1, flag, None, report_steps)
    return replace(tables, n_evaluations=sum(number for thread in scored for number in thread))


def tables_of_two(
    one: LocalScores, other: LocalScores, space: SearchSpace, candidates: Sequence[Sequence[int]]
) -> tuple[ParentSetTables, ParentSetTables]:
    """Return the tables of two scores of the same rows, complete ones, each family being counted once."""
    n, both = len(candidates), tuple(_empty_tables(list(map(list, candidates)), space.max_parents) for _ in range(2))
    other.context = other.context._replace(sample=one.context.sample, work=one.context.work)
    for child in range(n):
        masks, (first, second) = both[0].masks[: both[0].n_sets[child]], [tables.weights_of(child) for tables in both]
        of_child = _candidates_and_required(both[0], space, child)
        score_parent_sets_twice(one.handle, other.handle, child, *of_child, masks, first, second)
        for tables, weights in zip(both, (first, second), strict=True):
            sum_over_subsets(masks, weights, tables.sums_of(child))
    return both[0], both[1]


def _candidates_and_required(tables: ParentSetTables, space: SearchSpace, child: int) -> tuple[IntArray, int]:
    """Return the columns of a child's candidates, and the required ones as a bit mask of them."""
    columns = tables.candidates_of(child)
    return columns, mask_of(space.required[columns, child])


def _empty_tables(chosen: list[list[int]], max_parents: int) -> ParentSetTables:
    """Return the tables with weights and sums still to be filled in."""
    n, most = len(chosen), max((len(columns) for columns in chosen), default=0)
    candidates = np.full((n, most), -1, dtype=np.int64)
    place = np.full((n, n), -1, dtype=np.int64)
    for child, columns in enumerate(chosen):
        candidates[child, : len(columns)] = columns
        place[child, columns] = np.arange(len(columns))
    sets = small_sets(most, max_parents)
    n_candidates = np.array([len(columns) for columns in chosen], dtype=np.int64)
    n_sets = sets.within[n_candidates]
    first_weight = np.concatenate([[0], np.cumsum(n_sets)]).astype(np.int64)
    first_sum = np.concatenate([[0], np.cumsum(1 << n_candidates)]).astype(np.int64)
    return ParentSetTables(
        candidates=candidates,
        n_candidates=n_candidates,
        place=place,
        masks=sets.masks,
        n_sets=n_sets,
        weights=np.empty(first_weight[-1]),
        first_weight=first_weight,
        sums=np.empty(first_sum[-1]),
        first_sum=first_sum,
        max_parents=max_parents,
        n_evaluations=0,
    )
