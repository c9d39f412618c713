"""Greedy hill climbing over single-edge changes: add, delete, reverse; restarts by random perturbation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnengine._core.compiled import compiled
from bnengine._core.settings import Whole, setting
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import Families, LocalScores, Problem, families_of
from bnengine.search import _limits as limits
from bnengine.search._neighbourhood import (
    ADD,
    DELETE,
    NOTHING,
    REVERSE,
    Reach,
    reach_of,
    reaches,
    refresh,
    reversal_makes_cycle,
    scratch_for,
)
from bnengine.search._parents import FloatArray, tolerance
from bnengine.search._perturbation import draws_for, perturb
from bnengine.search.result import SearchResult


@compiled
def best_move(
    adjacency: Adjacency, allowed: Adjacency, required: Adjacency, reach: Reach, gains: FloatArray, least_gain: float
) -> tuple[int, int, int]:
    """The legal move of largest gain above ``least_gain``; ties go to the first in column order."""
    n_variables = adjacency.shape[0]
    kind, parent, child, best = NOTHING, -1, -1, least_gain
    for i in range(n_variables):
        for j in range(n_variables):
            gain = gains[i, j]
            margin = least_gain if kind != NOTHING else 0.0
            if adjacency[i, j]:
                if gain > best + margin:
                    kind, parent, child, best = DELETE, i, j, gain
                turned = gain + gains[j, i]
                if turned > best + margin and not reversal_makes_cycle(adjacency, reach, i, j):
                    kind, parent, child, best = REVERSE, i, j, turned
            elif gain > best + margin and not adjacency[j, i] and not reaches(reach, j, i):
                kind, parent, child, best = ADD, i, j, gain
    return kind, parent, child


@compiled
def total_of(family: FloatArray) -> float:
    """Score of a graph from its local scores, summed in column order."""
    total = 0.0
    for v in range(family.shape[0]):
        total += family[v]
    return total


@compiled
def climb(
    families: Families,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    adjacency: Adjacency,
    family: FloatArray,
    gains: FloatArray,
    reach: Reach,
    trace: FloatArray,
    step: int,
) -> tuple[int, bool]:
    """Climb from ``adjacency``, in place, until no move gains or the trace is full; returns the next step's number."""
    n_variables = adjacency.shape[0]
    scratch = scratch_for(n_variables)
    least_gain = tolerance(families.counter.n_rows)
    for child in range(n_variables):
        refresh(families, allowed, required, max_parents, adjacency, child, family, gains, scratch)
    reach_of(adjacency, reach)
    if step < trace.shape[0]:
        trace[step] = total_of(family)
        step += 1
    while step < trace.shape[0]:
        kind, i, j = best_move(adjacency, allowed, required, reach, gains, least_gain)
        if kind == NOTHING:
            return step, True
        adjacency[i, j] = kind == ADD
        if kind == REVERSE:
            adjacency[j, i] = True
            refresh(families, allowed, required, max_parents, adjacency, i, family, gains, scratch)
        refresh(families, allowed, required, max_parents, adjacency, j, family, gains, scratch)
        reach_of(adjacency, reach)
        trace[step] = total_of(family)
        step += 1
    return step, False


@compiled
def _climb_with_restarts(
    problem: Problem,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    draws: FloatArray,
    trace: FloatArray,
    best: Adjacency,
) -> tuple[float, int, bool]:
    """Climb from the required edges, then once from each perturbation of the best graph so far, kept in ``best``.

    Of graphs that score the same the last is perturbed (as in R's bnlearn), so that the restarts set out from several
    members of an equivalence class.
    """
    families = families_of(problem)
    n_variables = allowed.shape[0]
    family = np.empty(n_variables)
    gains = np.empty((n_variables, n_variables))
    reach = np.zeros((n_variables, (n_variables + 63) // 64), dtype=np.uint64)
    best[:] = required
    step, converged = climb(families, allowed, required, max_parents, best, family, gains, reach, trace, 0)
    best_score = total_of(family)
    adjacency = best.copy()
    for restart in range(draws.shape[0]):
        if not converged:
            break
        adjacency[:] = best
        perturb(allowed, required, max_parents, adjacency, reach, draws[restart])
        step, converged = climb(families, allowed, required, max_parents, adjacency, family, gains, reach, trace, step)
        if total_of(family) >= best_score - tolerance(families.counter.n_rows):
            best_score = max(best_score, total_of(family))
            best[:] = adjacency
    return best_score, step, converged


@setting(tag="hill_climbing", label="Hill climbing")
class HillClimbing:
    """From the empty graph, the single-edge change that gains most, until none gains."""

    restarts: Whole = limits.restarts()
    perturbation: Whole = limits.perturbation()
    max_parents: Whole | None = limits.parent_limit()
    max_iterations: Whole = limits.most(10_000, "moves")

    @property
    def name(self) -> str:
        return "hill climbing" if not self.restarts else f"hill climbing, {self.restarts} restarts"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        trace = np.empty(self.max_iterations + 1)
        draws = draws_for(rng, self.restarts, self.perturbation)
        score, steps, converged = _climb_with_restarts(
            scores.problem, space.allowed, space.required, space.max_parents, draws, trace, adjacency
        )
        status = "converged" if converged else "max_iterations"
        return SearchResult(adjacency, float(score), scores.n_scored, status, trace[:steps].copy())
