"""K2: greedy choice of each variable's parents among those before it (Cooper & Herskovits 1992, Sec. 3.1.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.compiled import compiled
from bnengine._core.records import Handle
from bnengine._core.settings import Names, Whole, setting
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import local_score, score_context, scores_with_one_more
from bnengine.search import _limits as limits
from bnengine.search._neighbourhood import graph_search, graph_state, parents_in
from bnengine.search._parents import tolerance
from bnengine.search.result import SearchResult


@compiled
def _k2(context_handle: Handle, state_handle: Handle, ordering: IntArray, trace: FloatArray) -> float:
    """Find the graph; returns its score, and in ``trace`` the score before and after each variable gets its parents."""
    context, state = score_context(context_handle), graph_state(state_handle)
    n, adjacency, parents = state.n_variables, state.adjacency, context.work.parents
    wanted, extended = context.work.wanted, context.work.extended
    least_gain = tolerance(context.sample.n_rows)
    total, at_first = 0.0, 0.0
    for place in range(n):
        child = ordering[place]
        k = parents_in(state, child, parents)
        score = local_score(context, child, parents, k)
        at_first += score
        without_added = score
        while k < state.max_parents:
            for v in range(n):
                wanted[v] = 0
            for earlier in range(place):
                v = ordering[earlier]
                wanted[v] = state.allowed[v * n + child] and not adjacency[v * n + child]
            scores_with_one_more(context, child, parents, k, wanted, score, extended)
            best = -1
            for candidate in range(n):
                if extended[candidate] > (score if best < 0 else extended[best]) + least_gain:
                    best = candidate
            if best < 0:
                break
            adjacency[best * n + child] = True
            k = parents_in(state, child, parents)
            score = extended[best]
        total += score
        trace[place + 1] = score - without_added
    trace[0] = at_first
    for place in range(n):
        trace[place + 1] += trace[place]
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
        refuse_backward(names, ordering, space)
        scores.group_masks(ordering)
        trace = np.empty(len(names) + 1)
        search = graph_search(scores, space, 0)
        total = _k2(scores.handle, search.handle, ordering, trace)
        adjacency = search.state.adjacency.copy().view(np.bool_)
        return SearchResult(adjacency, float(total), scores.n_scored, scores.status(True), trace)


def checked_ordering(names: Sequence[str], ordering: Sequence[str] | None) -> IntArray:
    """The ordering as column numbers; a ValueError names what it lacks or has too much."""
    if ordering is None:
        return np.arange(len(names))
    place = {name: v for v, name in enumerate(names)}
    columns = [place.get(name, -1) for name in ordering]
    if len(columns) != len(names) or -1 in columns or len(set(columns)) < len(columns):
        missing = [name for name in names if name not in ordering]
        unknown = [name for name in ordering if name not in names]
        what = (
            f"lacks {', '.join(missing)}" if missing else f"has {', '.join(unknown)}" if unknown else "repeats a name"
        )
        raise ValueError(f"ordering must name each of the {len(names)} variables once; it {what}")
    return np.array(columns, dtype=np.int64)


def refuse_backward(names: Sequence[str], ordering: IntArray, space: SearchSpace) -> None:
    """A ValueError names a required edge that does not go forward in the ordering."""
    if not space.required.any():
        return
    position = np.empty(len(names), dtype=np.int64)
    position[ordering] = np.arange(len(names))
    for i, j in zip(*np.nonzero(space.required), strict=True):
        if position[i] >= position[j]:
            raise ValueError(
                f"edge {names[i]} → {names[j]} is required but {names[j]} stands before {names[i]} in the ordering"
            )
