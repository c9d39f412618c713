"""Greedy hill climbing over single-edge changes, restarted by random perturbation; tabu search, which goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.settings import InR, Whole, field, setting
from bnengine._jit.compiled import compiled
from bnengine._jit.records import LANES, Handle, lowest, where_above, where_set
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import score_context, stopped
from bnengine.search import result as limits
from bnengine.search.edge_changes import (
    ADD,
    DELETE,
    NOTHING,
    REVERSE,
    Graph,
    GraphSearch,
    GraphState,
    copy_graph,
    edge_key,
    find_reach,
    graph_search,
    graph_state,
    make_move,
    reaches,
    reversal_makes_cycle,
    start_at,
    tolerance,
    total_score,
)
from bnengine.search.result import SearchResult


@compiled
def best_move(state: GraphState, least: float, margin: float, key: np.uint64, n_left: int) -> tuple[int, int, int]:
    """Return the legal move that gains most, and more than ``least``; ties, to a margin, go by column order.

    None leads back to a graph left lately: ``key`` is the present one's, and ``n_left`` were left before it. Of LANES
    entries at a time only edges, and what gains more than the best move so far, are looked at.
    """
    n, adjacency, gains = state.n_variables, state.adjacency, state.gains
    kind, parent, child, best, tie = NOTHING, -1, -1, least, 0.0
    for i in range(n):
        for start in range(0, n, LANES):
            first = max(0, min(start, n - LANES))  # the last entries twice: what was passed over is so again
            if n < LANES:
                marked = (np.uint64(1) << np.uint64(n)) - np.uint64(1)
            else:
                marked = where_above(gains, i * n + first, best) | where_set(adjacency, i * n + first, 0)
            while marked != np.uint64(0):
                j = first + lowest(marked)
                marked &= marked - np.uint64(1)
                gain = gains[i * n + j]
                if adjacency[i * n + j]:
                    if gain > best + tie and not _was_left(state, key ^ edge_key(i, j), n_left):
                        kind, parent, child, best, tie = DELETE, i, j, gain, margin
                    turned = gain + gains[j * n + i]
                    if (
                        turned > best + tie
                        and not _was_left(state, key ^ edge_key(i, j) ^ edge_key(j, i), n_left)
                        and not reversal_makes_cycle(state, i, j)
                    ):
                        kind, parent, child, best, tie = REVERSE, i, j, turned, margin
                elif (
                    gain > best + tie
                    and not adjacency[j * n + i]
                    and not reaches(state, j, i)
                    and not _was_left(state, key ^ edge_key(i, j), n_left)
                ):
                    kind, parent, child, best, tie = ADD, i, j, gain, margin
    return kind, parent, child


@compiled
def _was_left(state: GraphState, key: np.uint64, n_left: int) -> bool:
    """Return whether a graph is among the ``n_left`` left last, as far as they are remembered."""
    for r in range(min(n_left, state.n_recent)):  # noqa: SIM110 - the compiler takes no generator
        if state.recent[r] == key:
            return True
    return False


@compiled
def climb(context_handle: Handle, state_handle: Handle, step: int) -> tuple[float, int, bool]:
    """Climb until no move gains or the trace is full; return the score, the next step, and whether no move gains."""
    context, state = score_context(context_handle), graph_state(state_handle)
    least_gain = tolerance(context.sample.n_rows)
    start_at(context, state)
    if step < state.most_steps:
        state.trace[step] = total_score(state)
        step += 1
    while step < state.most_steps:
        kind, i, j = best_move(state, least_gain, least_gain, np.uint64(0), 0)
        if kind == NOTHING:
            return total_score(state), step, not stopped(context)
        make_move(context, state, kind, i, j)
        state.trace[step] = total_score(state)
        step += 1
    return total_score(state), step, False


def _best_of(
    once: Callable[[int], tuple[float, int, bool]],
    scores: LocalScores,
    search: GraphSearch,
    found: Graph,
    draws: FloatArray,
) -> SearchResult:
    """Search once, and again from the best graph perturbed by each of the draws; ``found`` receives each graph."""
    state, margin = search.state, tolerance(scores.context.sample.n_rows)
    best_score, step, finished = once(0)
    state.best[:] = found
    for draw in draws:
        if not finished:
            break
        state.adjacency[:] = state.best
        perturb(search.handle, draw, np.zeros(REVERSE + 1, dtype=np.int64))
        score, step, finished = once(step)
        # Of graphs that score the same the last is perturbed (as in R's bnlearn), so that the restarts set out from
        # several members of an equivalence class.
        if score >= best_score - margin:
            best_score = max(best_score, score)
            state.best[:] = found
    return SearchResult(search.best(), best_score, scores.n_scored, scores.status(finished), state.trace[:step].copy())


@setting(
    tag="hill_climbing",
    label="Hill climbing",
    help="Starts without edges and makes the single change (add, delete or reverse an edge) that improves the score "
    "most, until none does. Fast, but it stops at the first local optimum; restarts perturb the best graph and climb "
    "again.",
    in_r=InR("hc", {"restart": "restarts", "perturb": "perturbation", "max.iter": "max_iterations"}),
)
class HillClimbing:
    """From the empty graph, the single-edge change that gains most, until none gains."""

    restarts: Whole = limits.restarts()
    perturbation: Whole = limits.perturbation()
    max_parents: Whole | None = limits.parent_limit()
    max_iterations: Whole = limits.most(10_000, "moves")
    depends_on = "ties"

    @property
    def name(self) -> str:
        return "hill climbing" if not self.restarts else f"hill climbing, {self.restarts} restarts"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        search = graph_search(scores, space, self.max_iterations + 1)
        draws = rng.random((self.restarts, self.perturbation, 2))
        once = partial(climb, scores.handle, search.handle)
        return _best_of(once, scores, search, search.state.adjacency, draws)


# Random legal changes of a graph: what a search with restarts sets out from again.


@compiled
def perturb(handle: Handle, draws: FloatArray, numbers: IntArray) -> int:
    """Make one random legal change of the present graph for each row of ``draws`` (two uniform numbers).

    First the kind is drawn, of those that have a legal change, then one of its legal changes, all equally likely. Drawn
    from all changes alike, nine in ten would add an edge, which the climb takes away again. Returns how many changes
    were made: fewer than rows only where the space holds a single graph. ``numbers`` is a buffer, (4,).
    """
    state = graph_state(handle)
    n, adjacency, n_parents = state.n_variables, state.adjacency, state.n_parents
    for d in range(draws.shape[0]):
        find_reach(state)
        for v in range(n):
            n_parents[v] = 0
            for u in range(n):
                n_parents[v] += adjacency[u * n + v]
        n_kinds = 0
        for kind in range(ADD, REVERSE + 1):
            numbers[kind] = 0
            for i in range(n):
                for j in range(n):
                    numbers[kind] += _can_be_made(state, kind, i, j)
            n_kinds += numbers[kind] > 0
        if n_kinds == 0:
            return d
        drawn, kinds_left = NOTHING, np.int64(draws[d, 0] * n_kinds)
        while kinds_left >= 0:
            drawn += 1
            kinds_left -= numbers[drawn] > 0
        place = np.int64(draws[d, 1] * numbers[drawn])
        for pair in range(n * n):
            i, j = pair // n, pair % n
            if _can_be_made(state, drawn, i, j):
                if place == 0:
                    adjacency[i * n + j] = drawn == ADD
                    adjacency[j * n + i] = drawn == REVERSE
                    break
                place -= 1
    return draws.shape[0]  # type: ignore[no-any-return]


@compiled
def _can_be_made(state: GraphState, kind: int, i: int, j: int) -> bool:
    """Return whether that change of the pair i → j leads to a graph of the space."""
    forward, backward = i * state.n_variables + j, j * state.n_variables + i
    adjacency, n_parents = state.adjacency, state.n_parents
    if kind == ADD:
        absent = not adjacency[forward] and not adjacency[backward]
        return absent and state.allowed[forward] != 0 and n_parents[j] < state.max_parents and not reaches(state, j, i)
    if not adjacency[forward] or state.required[forward]:
        return False
    if kind == DELETE:
        return True
    return state.allowed[backward] != 0 and n_parents[i] < state.max_parents and not reversal_makes_cycle(state, i, j)


# Tabu search: hill climbing that goes on through worse graphs, but not back to those it has just left.


@compiled
def _search(context_handle: Handle, state_handle: Handle, patience: int, step: int) -> tuple[float, int, bool]:
    """Search from the present graph; leave the best in ``other``; return its score, steps, and if it ended."""
    context, state, key = score_context(context_handle), graph_state(state_handle), np.uint64(0)
    margin = tolerance(context.sample.n_rows)
    start_at(context, state)
    copy_graph(state, state.adjacency, state.other)
    best_score = total_score(state)
    if step < state.most_steps:
        state.trace[step] = best_score
        step += 1
    since_best, n_left = 0, 0
    while step < state.most_steps and not stopped(context):
        if since_best >= patience:
            return best_score, step, True
        state.recent[n_left % state.n_recent] = key
        n_left += 1
        kind, i, j = best_move(state, -np.inf, margin, key, n_left)
        if kind == NOTHING:
            return best_score, step, True
        key ^= edge_key(i, j)
        if kind == REVERSE:
            key ^= edge_key(j, i)
        make_move(context, state, kind, i, j)
        state.trace[step] = total_score(state)
        since_best += 1
        if state.trace[step] > best_score + margin:
            best_score, since_best = state.trace[step], 0
            copy_graph(state, state.adjacency, state.other)
        step += 1
    return best_score, step, False


@setting(
    tag="tabu",
    label="Tabu search",
    help="Continues through worse graphs when no change improves the score, without returning to recent ones. This "
    "crosses plateaus and leaves local optima; the best graph visited is kept.",
    in_r=InR("tabu", {"tabu": "tenure", "max.tabu": "patience", "max.iter": "max_iterations"}),
)
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
    depends_on = "ties"

    @property
    def name(self) -> str:
        return "tabu search" if not self.restarts else f"tabu search, {self.restarts} restarts"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        search = GraphSearch(space, self.max_iterations + 1, self.tenure)
        draws = rng.random((self.restarts, self.perturbation, 2))
        once = partial(_search, scores.handle, search.handle, self.patience)
        return _best_of(once, scores, search, search.state.other, draws)
