"""K2: greedy choice of each variable's parents among those before it (Cooper & Herskovits 1992, Sec. 3.1.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnengine._core.compiled import compiled, pointer_to
from bnengine._core.settings import Names, Whole, setting
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores, Problem, families_of, local_score, scores_with_one_more
from bnengine.search import _limits as limits
from bnengine.search._parents import FloatArray, IntArray, parents_of, tolerance
from bnengine.search.result import SearchResult


@compiled
def _k2(
    problem: Problem,
    ordering: IntArray,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    adjacency: Adjacency,
    gained: FloatArray,
) -> float:
    """Fill ``adjacency``, and in ``gained`` what each variable's added parents gain; returns the graph's score."""
    families = families_of(problem)
    n_variables = ordering.shape[0]
    least_gain = tolerance(families.counter.n_rows)
    parents = np.empty(n_variables + 1, dtype=np.int64)
    wanted = np.empty(n_variables, dtype=np.uint8)
    extended = np.empty(n_variables)
    adjacency[:] = required
    total = 0.0
    for place in range(n_variables):
        child = ordering[place]
        k = parents_of(adjacency, child, parents)
        score = local_score(families, child, pointer_to(parents), k)
        total += score
        without_added = score
        while k < max_parents:
            for v in range(n_variables):
                wanted[v] = allowed[v, child] and not adjacency[v, child]
            scores_with_one_more(
                families, child, pointer_to(parents), k, pointer_to(wanted), score, pointer_to(extended)
            )
            best = -1
            for candidate in range(n_variables):
                if extended[candidate] > (score if best < 0 else extended[best]) + least_gain:
                    best = candidate
            if best < 0:
                break
            adjacency[best, child] = True
            k = parents_of(adjacency, child, parents)
            score = extended[best]
        total += score - without_added
        gained[place] = score - without_added
    return total


@setting(tag="k2", label="K2, given an ordering")
class K2:
    """Adds parents greedily among the variables that precede in an ordering (Cooper & Herskovits 1992)."""

    ordering: Names | None = limits.ordering()
    max_parents: Whole | None = limits.parent_limit()

    @property
    def name(self) -> str:
        return "K2"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        ordering = checked_ordering(names, self.ordering)
        forward = refuse_backward(names, ordering, space)
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        gained = np.zeros(len(names))
        total = _k2(
            scores.problem, ordering, space.allowed & forward, space.required, space.max_parents, adjacency, gained
        )
        trace = total - gained.sum() + np.concatenate([[0.0], np.cumsum(gained)])
        return SearchResult(adjacency, float(total), scores.n_scored, "converged", trace)


def checked_ordering(names: Sequence[str], ordering: Sequence[str] | None) -> IntArray:
    """The ordering as column numbers; a ValueError names what it lacks or has too much."""
    if ordering is None:
        return np.arange(len(names))
    if sorted(ordering) != sorted(names):
        missing = [name for name in names if name not in ordering]
        unknown = [name for name in ordering if name not in names]
        what = (
            f"lacks {', '.join(missing)}" if missing else f"has {', '.join(unknown)}" if unknown else "repeats a name"
        )
        raise ValueError(f"ordering must name each of the {len(names)} variables once; it {what}")
    return np.array([list(names).index(name) for name in ordering], dtype=np.int64)


def refuse_backward(names: Sequence[str], ordering: IntArray, space: SearchSpace) -> Adjacency:
    """Which edges go forward in the ordering; a ValueError names a required one that does not."""
    position = np.empty(len(names), dtype=np.int64)
    position[ordering] = np.arange(len(names))
    forward: Adjacency = position[:, None] < position[None, :]
    for i, j in zip(*np.nonzero(space.required & ~forward), strict=True):
        raise ValueError(
            f"edge {names[i]} → {names[j]} is required but {names[j]} stands before {names[i]} in the ordering"
        )
    return forward
