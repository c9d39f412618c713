"""Tabu search: hill climbing that goes on through worse graphs, but not back to those it has just left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled
from bnengine._core.settings import Whole, field, setting
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
    edge_key,
    reach_of,
    reaches,
    refresh,
    reversal_makes_cycle,
    scratch_for,
)
from bnengine.search._parents import FloatArray, tolerance
from bnengine.search._perturbation import draws_for, perturb
from bnengine.search.hill_climbing import total_of
from bnengine.search.result import SearchResult


@compiled
def _is_tabu(key: np.uint64, recent: npt.NDArray[np.uint64], n_recent: int) -> bool:
    for r in range(min(n_recent, recent.shape[0])):  # noqa: SIM110 - the compiler takes no generator
        if recent[r] == key:
            return True
    return False


@compiled
def _best_allowed_move(
    adjacency: Adjacency,
    reach: Reach,
    gains: FloatArray,
    key: np.uint64,
    recent: npt.NDArray[np.uint64],
    n_recent: int,
    margin: float,
) -> tuple[int, int, int]:
    """The legal move of largest gain, a loss included, that does not lead to a recent graph."""
    n_variables = adjacency.shape[0]
    kind, parent, child, best = NOTHING, -1, -1, -np.inf
    for i in range(n_variables):
        for j in range(n_variables):
            gain = gains[i, j]
            if adjacency[i, j]:
                without = key ^ edge_key(i, j)
                if gain > best + margin and not _is_tabu(without, recent, n_recent):
                    kind, parent, child, best = DELETE, i, j, gain
                turned = gain + gains[j, i]
                if (
                    turned > best + margin
                    and not _is_tabu(without ^ edge_key(j, i), recent, n_recent)
                    and not reversal_makes_cycle(adjacency, reach, i, j)
                ):
                    kind, parent, child, best = REVERSE, i, j, turned
            elif (
                gain > best + margin
                and not adjacency[j, i]
                and not reaches(reach, j, i)
                and not _is_tabu(key ^ edge_key(i, j), recent, n_recent)
            ):
                kind, parent, child, best = ADD, i, j, gain
    return kind, parent, child


@compiled
def _key_of(adjacency: Adjacency) -> np.uint64:
    key = np.uint64(0)
    for i in range(adjacency.shape[0]):
        for j in range(adjacency.shape[0]):
            if adjacency[i, j]:
                key ^= edge_key(i, j)
    return key


@compiled
def _walk(
    families: Families,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    patience: int,
    adjacency: Adjacency,
    family: FloatArray,
    reach: Reach,
    recent: npt.NDArray[np.uint64],
    trace: FloatArray,
    step: int,
    best: Adjacency,
) -> tuple[float, int, bool]:
    """Tabu search from ``adjacency``; the best graph is left in ``best``; returns its score, steps, whether done."""
    n_variables = allowed.shape[0]
    gains = np.empty((n_variables, n_variables))
    scratch = scratch_for(n_variables)
    margin = tolerance(families.counter.n_rows)
    key = _key_of(adjacency)
    for child in range(n_variables):
        refresh(families, allowed, required, max_parents, adjacency, child, family, gains, scratch)
    reach_of(adjacency, reach)
    best[:] = adjacency
    best_score = total_of(family)
    if step < trace.shape[0]:
        trace[step] = best_score
        step += 1
    since_best, n_recent = 0, 0
    while step < trace.shape[0]:
        if since_best >= patience:
            return best_score, step, True
        recent[n_recent % recent.shape[0]] = key
        n_recent += 1
        kind, i, j = _best_allowed_move(adjacency, reach, gains, key, recent, n_recent, margin)
        if kind == NOTHING:
            return best_score, step, True
        key ^= edge_key(i, j)
        adjacency[i, j] = kind == ADD
        if kind == REVERSE:
            adjacency[j, i] = True
            key ^= edge_key(j, i)
            refresh(families, allowed, required, max_parents, adjacency, i, family, gains, scratch)
        refresh(families, allowed, required, max_parents, adjacency, j, family, gains, scratch)
        reach_of(adjacency, reach)
        trace[step] = total_of(family)
        since_best += 1
        if trace[step] > best_score + margin:
            best_score, since_best = trace[step], 0
            best[:] = adjacency
        step += 1
    return best_score, step, False


@compiled
def _tabu(
    problem: Problem,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    tenure: int,
    patience: int,
    draws: FloatArray,
    trace: FloatArray,
    best: Adjacency,
) -> tuple[float, int, bool]:
    """Search from the required edges, then once from each perturbation of the best graph so far, kept in ``best``.

    A restart begins with an empty list of recent graphs. Of graphs that score the same the last is perturbed.
    """
    families = families_of(problem)
    n_variables = allowed.shape[0]
    family = np.empty(n_variables)
    reach = np.zeros((n_variables, (n_variables + 63) // 64), dtype=np.uint64)
    recent = np.zeros(tenure, dtype=np.uint64)
    adjacency, met = required.copy(), required.copy()
    best_score, step, done = -np.inf, 0, True
    for start in range(draws.shape[0] + 1):
        if not done:
            break
        if start > 0:
            adjacency[:] = best
            perturb(allowed, required, max_parents, adjacency, reach, draws[start - 1])
        score, step, done = _walk(
            families, allowed, required, max_parents, patience, adjacency, family, reach, recent, trace, step, met
        )
        if score >= best_score - tolerance(families.counter.n_rows):
            best_score = max(best_score, score)
            best[:] = met
    return best_score, step, done


@setting(tag="tabu", label="Tabu search")
class Tabu:
    """The best single-edge change, even where none gains, but never back to a graph left a short while ago.

    Glover (1989), on graphs as in Bouckaert (1995). It crosses plateaus and leaves local optima; the best graph visited
    is the result. An addition whose penalty alone implies a loss is not considered.
    """

    tenure: Whole = field(
        default=100,
        ge=1,
        le=100_000,
        label="Tenure",
        unit="graphs",
        help="How many of the last graphs are not returned to.",
    )
    patience: Whole = limits.patience(100, "moves")
    max_parents: Whole | None = limits.parent_limit()
    max_iterations: Whole = limits.most(10_000, "moves")
    restarts: Whole = limits.restarts()
    perturbation: Whole = limits.perturbation()

    @property
    def name(self) -> str:
        return "tabu search" if not self.restarts else f"tabu search, {self.restarts} restarts"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        trace = np.empty(self.max_iterations + 1)
        score, steps, finished = _tabu(
            scores.problem,
            space.allowed,
            space.required,
            space.max_parents,
            self.tenure,
            self.patience,
            draws_for(rng, self.restarts, self.perturbation),
            trace,
            adjacency,
        )
        status = "converged" if finished else "max_iterations"
        return SearchResult(adjacency, float(score), scores.n_scored, status, trace[:steps].copy())
