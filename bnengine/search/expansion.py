"""Searches that expand graphs by one edge: best first, with a bounded number kept, and the lecture's tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._core.display import gigabytes
from bnengine._core.settings import InR, Number, Switch, Whole, field, setting
from bnengine._jit.compiled import compiled, inlined
from bnengine._jit.records import Handle, allocate, handle_of, record, record_from
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, ancestors, n_dags
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

    graphs: Annotated[UInt8Array, "most, V, V"]
    scores: Annotated[FloatArray, "most"]
    keys: Annotated[UInt64Array, "most"]
    joined: Annotated[IntArray, "most"]  # when each graph joined: of equal ones the first is expanded
    seen: Annotated[UInt64Array, "n_seen"]  # direct-mapped cache of keys; collisions overwrite
    sizes: Annotated[FloatArray, "T"]  # number of graphs after each expansion
    most: int
    n_seen: int
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


@inlined
def _slot(frontier: Frontier, key: np.uint64) -> int:
    """Return where a graph is marked as seen."""
    return np.int64(key >> np.uint64(1)) & (frontier.n_seen - 1)  # type: ignore[return-value]


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
                slot = _slot(frontier, next_key)
                if place < 0 or frontier.seen[slot] == next_key:
                    continue
                frontier.seen[slot] = next_key
                if place < n_open:  # the graph that makes room may be reached again
                    slot = _slot(frontier, frontier.keys[place])
                    if frontier.seen[slot] == frontier.keys[place]:
                        frontier.seen[slot] = np.uint64(0)
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

    name = "best-first search"
    depends_on = "ties"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        search = GraphSearch(space, self.max_iterations)
        sizes = {"V": len(names), "T": self.max_iterations, "most": self.frontier, "n_seen": _SEEN}
        frontier = allocate(Frontier, **sizes, patience=self.patience)
        score, steps, finished = _best_first(scores.handle, search.handle, handle_of(frontier))
        trace, status = search.state.trace[:steps].copy(), scores.status(finished)
        diagnostics = {"frontier": frontier.sizes[:steps].copy()}
        return SearchResult(search.best(), score, scores.n_scored, status, trace, diagnostics)


# The lecture's tree of networks: depth first from the empty one, an edge more at each level, pruned by three rules.

_OVERHEAD = 250  # bytes of a branch besides its graph
_MOST_MEMORY = 4 * 2**30  # bytes


class _Branch(NamedTuple):
    """A network that waits to be visited."""

    packed: bytes  # its adjacency matrix, a bit an entry
    score: float
    gains: FloatArray  # (V, V) of the network it branched from: what each further edge gains there
    child: int | None  # whose gains have changed since


@setting(
    tag="tree",
    label="Tree of networks",
    help="Traverses the tree of networks depth first, with one more edge at each level, and prunes it. Meant for "
    "teaching: use it with few variables.",
    in_r=InR("hc", exact=False),
)
class TreeSearch:
    """Depth-first search of the tree whose root is the empty network and whose branches each add an edge.

    A network met on another branch is not entered again. Three rules prune the tree; each can be switched off.
    """

    only_improving: Switch = field(
        default=True,
        label="Drop networks that do not improve",
        help="Drop a network whose score is not above its parent's.",
    )
    dependent_share: Number = field(
        default=1.0,
        gt=0,
        le=1,
        label="Share of pairs that may be joined",
        help="Join only this share of all pairs, those that gain most from a single edge; 1 allows every pair.",
    )
    beam: Whole | None = field(
        default=3,
        ge=1,
        le=1_000_000,
        none="all",
        label="Branches entered at each network",
        help="Of the networks that a network branches into, enter only this many, the best ones.",
    )
    max_parents: Whole | None = limits.parent_limit()
    max_networks: Whole = limits.most(20_000, "networks")

    name = "tree search"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        visited, finished = self.visit(scores, space)
        highest = max(score for _, score in visited) - tolerance(scores.context.sample.n_rows)
        best = next(v for v, (_, score) in enumerate(visited) if score >= highest)
        trace = np.maximum.accumulate([score for _, score in visited])
        status = scores.status(finished)
        return SearchResult(visited[best][0].copy(), visited[best][1], scores.n_scored, status, trace)

    def visit(self, scores: LocalScores, space: SearchSpace) -> tuple[list[tuple[Adjacency, float]], bool]:
        """Return the networks in the order of the visit, each with its score in nats; whether none was left waiting."""
        n_variables = len(space.allowed)
        edges = self._dependent_edges(scores, space)
        self._refuse_too_large(n_variables, int(edges.sum()), space.max_parents)
        margin = tolerance(scores.context.sample.n_rows)
        root = space.required.copy()
        start = float(sum(scores(v, np.flatnonzero(root[:, v]).tolist()) for v in range(n_variables)))
        gains = np.stack([_gains(scores, root, v, edges) for v in range(n_variables)], axis=1)
        visited: list[tuple[Adjacency, float]] = []
        packed = np.packbits(root).tobytes()
        visited_keys = {packed}
        waiting = [_Branch(packed, start, gains, None)]
        while waiting and len(visited) < self.max_networks and not (visited and scores.stopped):
            packed, score, gains, child = waiting.pop()
            bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=n_variables**2)
            graph = bits.reshape(n_variables, n_variables).astype(np.bool_)
            visited.append((graph, score))
            if child is not None:
                gains = gains.copy()
                gains[:, child] = _gains(scores, graph, child, edges)
            entered = []
            for i, j in self._branches(graph, gains, edges, space.max_parents, score, margin):
                graph[i, j] = True
                packed = np.packbits(graph).tobytes()
                graph[i, j] = False
                if packed not in visited_keys:
                    visited_keys.add(packed)
                    entered.append(_Branch(packed, score + float(gains[i, j]), gains, j))
            waiting += entered[::-1]  # the best is entered first
        return visited, not waiting

    def _refuse_too_large(self, n_variables: int, n_edges: int, max_parents: int) -> None:
        """Raise a ValueError before the work if the networks that may wait or be visited do not fit into memory."""
        cells, entered = n_variables**2, min(self.beam or n_edges, n_edges)
        branches = min(self.max_networks * entered, n_dags(min(n_variables, 20)))
        deepest = n_variables * min(4 if self.only_improving else n_variables, max_parents)  # few edges still gain
        depth = min(self.max_networks, deepest)
        needed = branches * (cells // 8 + _OVERHEAD) + self.max_networks * cells + depth * 8 * cells
        if needed > _MOST_MEMORY:
            raise ValueError(
                f"the tree search may hold {branches:,} branches of {n_variables} variables at once, about "
                f"{gigabytes(needed)} (networks x branches x (V^2 / 8 + {_OVERHEAD}) bytes), more than the "
                f"{gigabytes(_MOST_MEMORY)} allowed: set a beam, or fewer max_networks"
            )

    def _branches(
        self, graph: Adjacency, gains: FloatArray, edges: Adjacency, max_parents: int, score: float, margin: float
    ) -> list[tuple[int, int]]:
        """Return the edges whose addition is legal and not pruned, best first; ties keep column order."""
        legal = edges & ~graph & ~graph.T & ~ancestors(graph).T & (graph.sum(axis=0) < max_parents)
        if self.only_improving:
            legal &= gains > margin
        parents, children = np.nonzero(legal)
        order = np.argsort(-np.round((score + gains[legal]) / margin), kind="stable")[: self.beam]
        return list(zip(parents[order].tolist(), children[order].tolist(), strict=True))

    def _dependent_edges(self, scores: LocalScores, space: SearchSpace) -> Adjacency:
        """Return which edges are allowed and join one of the most dependent pairs, shape (V, V)."""
        n_variables = len(space.allowed)
        alone = [scores(v) for v in range(n_variables)]
        pairs = [(i, j) for i in range(n_variables) for j in range(i + 1, n_variables)]
        pairs = [(i, j) for i, j in pairs if space.allowed[i, j] or space.allowed[j, i]]
        gains = {(i, j): scores(j, [i]) - alone[j] for i, j in pairs}
        edges = np.zeros_like(space.allowed)
        for i, j in sorted(pairs, key=lambda pair: -gains[pair])[: max(1, round(self.dependent_share * len(pairs)))]:
            edges[i, j], edges[j, i] = space.allowed[i, j], space.allowed[j, i]
        return edges


def _gains(scores: LocalScores, graph: Adjacency, child: int, edges: Adjacency) -> FloatArray:
    """Return what each further parent of a variable gains, nats, shape (V,)."""
    parents = np.flatnonzero(graph[:, child]).tolist()
    gains: FloatArray = scores.with_one_more(child, parents, edges[:, child] & ~graph[:, child])
    return gains - scores(child, parents)
