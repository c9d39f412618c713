"""Tabu search: hill climbing that goes on through worse graphs, but not back to those it has just left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled
from bnengine._core.records import Handle
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import ScoreContext, score_context
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
    context: ScoreContext,
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
    margin = tolerance(context.sample.n_rows)
    key = _key_of(adjacency)
    for child in range(n_variables):
        refresh(context, allowed, required, max_parents, adjacency, child, family, gains, scratch)
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
            refresh(context, allowed, required, max_parents, adjacency, i, family, gains, scratch)
        refresh(context, allowed, required, max_parents, adjacency, j, family, gains, scratch)
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
    handle: Handle,
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
    context = score_context(handle)
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
            context, allowed, required, max_parents, patience, adjacency, family, reach, recent, trace, step, met
        )
        if score >= best_score - tolerance(context.sample.n_rows):
            best_score = max(best_score, score)
            best[:] = met
    return best_score, step, done


@dataclass(frozen=True)
class Tabu:
    """The best single-edge change, even where none gains, but never back to a graph left a short while ago.

    Glover (1989), on graphs as in Bouckaert (1995). So it crosses plateaus and leaves local optima; the best graph met
    is the result. An addition whose penalty alone shows a loss is not considered.

    Parameters
    ----------
    tenure : int
        How many graphs back count as recent.
    patience : int
        How many moves without a new best graph end the search.
    max_parents : int, optional
        Largest number of parents of any variable.
    max_iterations : int
        Most moves in all searches together; reaching it is said in ``status``.
    restarts : int
        How often to shake the best graph so far and search again; the best graph of all searches is kept.
    perturbation : int
        How many random legal single-edge changes a restart makes: additions, deletions, reversals, each kind as likely
        as the others.
    """

    tenure: int = 100
    patience: int = 100
    max_parents: int | None = None
    max_iterations: int = 10_000
    restarts: int = 0
    perturbation: int = 5

    def __post_init__(self) -> None:
        for field in ("tenure", "patience", "max_iterations", "perturbation"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} must be 1 or more; got {getattr(self, field)}")
        if self.restarts < 0:
            raise ValueError(f"restarts must be 0 or more; got {self.restarts}")

    @property
    def name(self) -> str:
        return "tabu search" if not self.restarts else f"tabu search, {self.restarts} restarts"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        trace = np.empty(self.max_iterations + 1)
        score, steps, finished = _tabu(
            scores.handle,
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
