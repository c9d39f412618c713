"""Best-first search: of all graphs reached and not yet expanded, expand the best; a bounded number of them is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._core.settings import InR, Whole, field, setting
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle, handle_of, record, record_from
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import score_context, stopped
from bnengine.search import result as limits
from bnengine.search.edge_changes import (
    GraphSearch,
    GraphState,
    copy_graph,
    edge_key,
    graph_state,
    reaches,
    reversal_makes_cycle,
    start_at,
    tolerance,
    total_score,
)
from bnengine.search.result import SearchResult

_SEEN = 1 << 16  # graphs remembered as visited


@record
class Frontier(NamedTuple):
    """The graphs reached and not yet expanded, and which graphs were reached at all."""

    graphs: UInt8Array  # (F, V, V)
    scores: FloatArray  # (F,)
    keys: UInt64Array  # (F,)
    joined: IntArray  # (F,) when each graph joined: of equal ones the first is expanded
    seen: UInt64Array  # (S,) direct-mapped cache of keys; collisions overwrite
    sizes: FloatArray  # (T,) number of graphs after each expansion
    most: int  # F
    n_seen: int  # S
    patience: int  # expansions without a new best graph


_frontier = record_from(Frontier)


@compiled
def _place_for(frontier: Frontier, n_open: int, score: float, margin: float) -> int:
    """Return where a graph of that score may be kept: a free place, the worst one's if it is better, or -1."""
    if n_open < frontier.most:
        return n_open
    worst, scores = 0, frontier.scores
    for g in range(1, n_open):
        if scores[g] < scores[worst]:
            worst = g
    return worst if scores[worst] + margin < score else -1


@compiled
def _seen_before(frontier: Frontier, key: np.uint64) -> bool:
    """Test and mark as visited."""
    place = np.int64(key >> np.uint64(1)) % frontier.n_seen
    if frontier.seen[place] == key:
        return True
    frontier.seen[place] = key
    return False


@compiled
def _forget(frontier: Frontier, key: np.uint64) -> None:
    place = np.int64(key >> np.uint64(1)) % frontier.n_seen
    if frontier.seen[place] == key:
        frontier.seen[place] = np.uint64(0)


@compiled
def _take_best(state: GraphState, frontier: Frontier, n_open: int, margin: float) -> np.uint64:
    """Make the best of the graphs the present one, and the last of them take its place; returns its key."""
    scores, joined, size = frontier.scores, frontier.joined, state.n_variables * state.n_variables
    chosen, last = 0, n_open - 1
    for g in range(1, n_open):
        tie = abs(scores[g] - scores[chosen]) <= margin
        if (tie and joined[g] < joined[chosen]) or (not tie and scores[g] > scores[chosen]):
            chosen = g
    key = frontier.keys[chosen]
    for e in range(size):
        state.adjacency[e] = frontier.graphs[chosen * size + e]
        frontier.graphs[chosen * size + e] = frontier.graphs[last * size + e]
    scores[chosen], frontier.keys[chosen], joined[chosen] = scores[last], frontier.keys[last], joined[last]
    return key  # type: ignore[no-any-return]


@compiled
def _keep(state: GraphState, frontier: Frontier, place: int, i: int, j: int, turn: int) -> None:
    """Write the present graph with one change to a place of the frontier."""
    n = state.n_variables
    first = place * n * n
    for e in range(n * n):
        frontier.graphs[first + e] = state.adjacency[e]
    frontier.graphs[first + i * n + j] = not state.adjacency[i * n + j]
    if turn:
        frontier.graphs[first + j * n + i] = True


@compiled
def _expand(
    state: GraphState, frontier: Frontier, key: np.uint64, score: float, n_open: int, n_joined: int, margin: float
) -> tuple[int, int]:
    """Let the legal changes of the present graph join; returns how many graphs are open, and how many ever joined."""
    n, adjacency, gains = state.n_variables, state.adjacency, state.gains
    for i in range(n):
        for j in range(n):
            for turn in range(2):
                if adjacency[i * n + j]:
                    gain = gains[i * n + j] + (gains[j * n + i] if turn else 0.0)
                    next_key = key ^ edge_key(i, j) ^ (edge_key(j, i) if turn else np.uint64(0))
                    legal = turn == 0 or not reversal_makes_cycle(state, i, j)
                else:
                    gain, next_key = gains[i * n + j], key ^ edge_key(i, j)
                    legal = turn == 0 and not adjacency[j * n + i] and not reaches(state, j, i)
                if not legal or gain == -np.inf:
                    continue
                place = _place_for(frontier, n_open, score + gain, margin)
                if place < 0 or _seen_before(frontier, next_key):
                    continue
                if place < n_open:  # a graph that makes room may be reached again
                    _forget(frontier, frontier.keys[place])
                _keep(state, frontier, place, i, j, turn)
                n_joined += 1
                frontier.scores[place], frontier.keys[place] = score + gain, next_key
                frontier.joined[place] = n_joined
                n_open = max(n_open, place + 1)
    return n_open, n_joined


@compiled
def _best_first(context_handle: Handle, state_handle: Handle, frontier_handle: Handle) -> tuple[float, int, bool]:
    """Expand from the required edges; returns the best score, how many were expanded, and whether the search ended."""
    context, state, frontier = score_context(context_handle), graph_state(state_handle), _frontier(frontier_handle)
    margin = tolerance(context.sample.n_rows)
    copy_graph(state, state.required, frontier.graphs)
    frontier.scores[0] = -np.inf
    n_joined, n_open, step, since_best, best_score = 0, 1, 0, 0, -np.inf
    while n_open > 0 and step < state.most_steps and not (step > 0 and stopped(context)):
        if since_best >= frontier.patience:
            return best_score, step, True
        key = _take_best(state, frontier, n_open, margin)
        n_open -= 1
        start_at(context, state)
        score = total_score(state)
        since_best += 1
        if score > best_score + margin or step == 0:
            best_score, since_best = score, 0
            copy_graph(state, state.adjacency, state.best)
        state.trace[step], frontier.sizes[step] = score, n_open
        step += 1
        n_open, n_joined = _expand(state, frontier, key, score, n_open, n_joined, margin)
    return best_score, step, n_open == 0


@setting(
    tag="best_first",
    label="Best-first search",
    help="Always expands the best graph that was visited but not yet expanded, and returns to others when it leads "
    "nowhere. The frontier is bounded: the worst graphs are dropped.",
    in_r=InR("tabu", exact=False),
)
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
        search = GraphSearch(space, self.max_iterations)
        frontier = Frontier(
            graphs=np.zeros((self.frontier, len(names), len(names)), dtype=np.uint8),
            scores=np.empty(self.frontier),
            keys=np.zeros(self.frontier, dtype=np.uint64),
            joined=np.zeros(self.frontier, dtype=np.int64),
            seen=np.zeros(_SEEN, dtype=np.uint64),
            sizes=np.empty(self.max_iterations),
            most=self.frontier,
            n_seen=_SEEN,
            patience=self.patience,
        )
        score, steps, finished = _best_first(scores.handle, search.handle, handle_of(frontier))
        diagnostics = {"frontier": frontier.sizes[:steps].copy()}
        return search.result(
            score, scores.n_scored, scores.status(finished), search.state.trace[:steps].copy(), diagnostics
        )
