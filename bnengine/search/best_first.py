"""Best-first search: of all graphs met and not yet expanded, expand the best; a bounded number of them is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled
from bnengine._core.settings import Whole, field, setting
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores, Problem, families_of
from bnengine.search import _limits as limits
from bnengine.search._neighbourhood import edge_key, reach_of, reaches, refresh, reversal_makes_cycle, scratch_for
from bnengine.search._parents import FloatArray, tolerance
from bnengine.search.hill_climbing import total_of
from bnengine.search.result import SearchResult


@compiled
def _place_for(scores: FloatArray, n_open: int, score: float, margin: float) -> int:
    """Where a graph of that score may be kept: a free place, the worst one's if it is better, or -1."""
    if n_open < scores.shape[0]:
        return n_open
    worst = 0
    for g in range(1, n_open):
        if scores[g] < scores[worst]:
            worst = g
    return worst if scores[worst] + margin < score else -1


@compiled
def _seen_before(key: np.uint64, seen: npt.NDArray[np.uint64]) -> bool:
    """Whether a graph was met; it is now. The table forgets whom a newcomer takes the place of."""
    place = np.int64(key >> np.uint64(1)) % seen.shape[0]
    if seen[place] == key:
        return True
    seen[place] = key
    return False


@compiled
def _forget(key: np.uint64, seen: npt.NDArray[np.uint64]) -> None:
    place = np.int64(key >> np.uint64(1)) % seen.shape[0]
    if seen[place] == key:
        seen[place] = np.uint64(0)


@compiled
def _best_first(
    problem: Problem,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    frontier: int,
    patience: int,
    best: Adjacency,
    trace: FloatArray,
    sizes: FloatArray,
) -> tuple[float, int, bool]:
    """Expand from the required edges; the best graph is left in ``best``; returns score, expansions, whether done."""
    families = families_of(problem)
    n_variables = allowed.shape[0]
    family = np.empty(n_variables)
    gains = np.empty((n_variables, n_variables))
    reach = np.zeros((n_variables, (n_variables + 63) // 64), dtype=np.uint64)
    scratch = scratch_for(n_variables)
    margin = tolerance(families.counter.n_rows)
    graphs = np.zeros((frontier, n_variables, n_variables), dtype=np.bool_)
    scores, keys = np.empty(frontier), np.zeros(frontier, dtype=np.uint64)
    seen = np.zeros(1 << 16, dtype=np.uint64)
    adjacency = np.zeros((n_variables, n_variables), dtype=np.bool_)
    graphs[0] = required
    scores[0] = -np.inf
    met = np.zeros(frontier, dtype=np.int64)  # when each graph joined: of equal ones the first is expanded
    n_met = 0
    n_open, step, since_best, best_score = 1, 0, 0, -np.inf
    while n_open > 0 and step < trace.shape[0]:
        if since_best >= patience:
            return best_score, step, True
        chosen = 0
        for g in range(1, n_open):
            tie = abs(scores[g] - scores[chosen]) <= margin
            if (tie and met[g] < met[chosen]) or (not tie and scores[g] > scores[chosen]):
                chosen = g
        adjacency[:] = graphs[chosen]
        key = keys[chosen]
        n_open -= 1
        graphs[chosen] = graphs[n_open]
        scores[chosen], keys[chosen], met[chosen] = scores[n_open], keys[n_open], met[n_open]
        for child in range(n_variables):
            refresh(families, allowed, required, max_parents, adjacency, child, family, gains, scratch)
        reach_of(adjacency, reach)
        score = total_of(family)
        since_best += 1
        if score > best_score + margin or step == 0:
            best_score, since_best = score, 0
            best[:] = adjacency
        trace[step], sizes[step] = score, n_open
        step += 1
        for i in range(n_variables):
            for j in range(n_variables):
                for turn in range(2):
                    if adjacency[i, j]:
                        gain = gains[i, j] + (gains[j, i] if turn else 0.0)
                        next_key = key ^ edge_key(i, j) ^ (edge_key(j, i) if turn else np.uint64(0))
                        legal = turn == 0 or not reversal_makes_cycle(adjacency, reach, i, j)
                    else:
                        gain, next_key = gains[i, j], key ^ edge_key(i, j)
                        legal = turn == 0 and not adjacency[j, i] and not reaches(reach, j, i)
                    if not legal or gain == -np.inf:
                        continue
                    place = _place_for(scores, n_open, score + gain, margin)
                    if place < 0 or _seen_before(next_key, seen):
                        continue
                    if place < n_open:  # a graph that makes room may be met again
                        _forget(keys[place], seen)
                    graphs[place] = adjacency
                    graphs[place, i, j] = not adjacency[i, j]
                    if turn:
                        graphs[place, j, i] = True
                    n_met += 1
                    scores[place], keys[place], met[place] = score + gain, next_key, n_met
                    n_open = max(n_open, place + 1)
    return best_score, step, n_open == 0


@setting(tag="best_first", label="Best-first search")
class BestFirst:
    """Expands the best graph on the frontier: all its legal single-edge changes join it (Russell & Norvig 2010, Ch. 3).

    Unlike hill climbing it can come back to a second-best graph when the best leads nowhere.
    """

    frontier: Whole = field(
        default=200,
        ge=1,
        le=100_000,
        label="Frontier",
        unit="graphs",
        help="How many unexpanded graphs are kept; the worst are dropped first.",
    )
    patience: Whole = limits.patience(50, "expansions")
    max_parents: Whole | None = limits.parent_limit()
    max_iterations: Whole = limits.most(5_000, "expansions")

    @property
    def name(self) -> str:
        return "best-first search"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        trace, sizes = np.empty(self.max_iterations), np.empty(self.max_iterations)
        score, steps, finished = _best_first(
            scores.problem,
            space.allowed,
            space.required,
            space.max_parents,
            self.frontier,
            self.patience,
            adjacency,
            trace,
            sizes,
        )
        status = "converged" if finished else "max_iterations"
        diagnostics = {"frontier": sizes[:steps].copy()}
        return SearchResult(adjacency, float(score), scores.n_scored, status, trace[:steps].copy(), diagnostics)
