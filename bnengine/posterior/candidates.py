"""Candidate parents of each child: where sampling looks for parent sets.

Candidates must be right for every ordering that a chain should visit: of a variable and its near copy, whichever comes
first needs the parents of both. So they are first the parents in the rivals of the best graph known, and those that
gain only together, which neither graphs near it nor single variables show; then the most frequent neighbours in graphs
learned from resamples, whose over-inclusiveness is welcome here, and the variables whose single edge gains most
(Friedman & Koller 2003, Sec. 4.2; Kuipers, Suter & Moffa 2022).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.parallel import processors
from bnengine._jit.compiled import Pointer, compiled, pointer_to
from bnengine._jit.records import Handle
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import ScoreContext, score_context, stopped
from bnengine.scores.scores import TableScore
from bnengine.search._joint_sets import THOROUGH, joint_sets
from bnengine.search.column_order import Columns
from bnengine.search.edge_changes import (
    NOTHING,
    GraphSearch,
    GraphState,
    find_reach,
    graph_state,
    make_move,
    reaches,
    refresh,
    start_at,
    tolerance,
    total_score,
)
from bnengine.search.hill_climbing import best_move, climb
from bnengine.search.iterated_local_search import IteratedLocalSearch, ReplicateSearch

# Alternatives to a good graph: the best graphs near it that differ in one relation between two variables.
#
# Candidate parents must be right for every ordering that a chain should visit, not only for those near one graph. A
# variable and its near copy, say, can stand for each other; whichever comes first needs the parents of both. So each
# pair that is adjacent or strongly associated is changed on purpose (edge turned round, edge left out, variables
# exchanged), and the climb that follows tells which parents the others then want.

#: How a rival differs from the graph that it is made from.
TURNED, APART, EXCHANGED, FIRST, LAST = 0, 1, 2, 3, 4


@compiled
def _climb_on(context: ScoreContext, state: GraphState) -> float:
    """Climb from the present graph, whose gains are known; returns the score reached, nats."""
    least_gain = tolerance(context.sample.n_rows)
    for _ in range(state.most_steps):
        kind, i, j = best_move(state, least_gain, least_gain, np.uint64(0), 0)
        if kind == NOTHING or stopped(context):
            break
        make_move(context, state, kind, i, j)
    return total_score(state)


@compiled
def _note(state: GraphState, score: float, best_with: Pointer) -> None:
    """Raise each edge's entry in ``best_with`` to the score of a graph that has it."""
    for e in range(state.n_variables * state.n_variables):
        if state.adjacency[e] and score > best_with[e]:
            best_with[e] = score


@compiled
def _turn(state: GraphState, i: int, j: int) -> None:
    """Turn i → j round; of j's parents those go that i has a path to."""
    n = state.n_variables
    state.adjacency[i * n + j] = 0
    for p in range(n):
        if reaches(state, i, p) and p != j:
            state.adjacency[p * n + j] = 0
    k = 0
    for p in range(n):
        k += state.adjacency[p * n + i]
    for p in range(n):
        if k >= state.max_parents and not state.required[p * n + i]:
            k -= state.adjacency[p * n + i]
            state.adjacency[p * n + i] = 0
    state.adjacency[j * n + i] = 1


@compiled
def _exchange(state: GraphState, i: int, j: int) -> bool:
    """Let two variables take each other's place; returns whether the constraints permit it."""
    n, adjacency = state.n_variables, state.adjacency
    for v in range(n):
        adjacency[v * n + i], adjacency[v * n + j] = adjacency[v * n + j], adjacency[v * n + i]
    for v in range(n):
        adjacency[i * n + v], adjacency[j * n + v] = adjacency[j * n + v], adjacency[i * n + v]
    for e in range(n * n):
        if (adjacency[e] and not state.allowed[e]) or (state.required[e] and not adjacency[e]):
            return False
    return True


@compiled
def _refresh_changed(context: ScoreContext, state: GraphState) -> None:
    """Rescore the families that differ from those of ``state.other``, the graph that the rivals start from."""
    n = state.n_variables
    for child in range(n):
        for p in range(n):
            if state.adjacency[p * n + child] != state.other[p * n + child]:
                refresh(context, state, child)
                break
    find_reach(state)


@compiled
def _put_at_end(state: GraphState, v: int, first: bool) -> None:
    """Turn all edges into a variable round, or all that lead from it, as far as the others have room."""
    n, adjacency = state.n_variables, state.adjacency
    for w in range(n):
        inward, outward = (w * n + v, v * n + w) if first else (v * n + w, w * n + v)
        child, k = w if first else v, 0
        if adjacency[inward]:
            adjacency[inward] = 0
            for p in range(n):
                k += adjacency[p * n + child]
            adjacency[outward] = 1 if k < state.max_parents and state.allowed[outward] else 0


@compiled
def _end_rival(context: ScoreContext, state: GraphState, v: int, first: bool) -> float:
    """Make a variable one without parents, or one without children, and climb under that condition; the score."""
    n = state.n_variables
    for w in range(n):
        if state.required[w * n + v if first else v * n + w]:
            return -np.inf
    for w in range(n):
        e = w * n + v if first else v * n + w
        state.n_parents[w], state.allowed[e] = state.allowed[e], 0
    _put_at_end(state, v, first)
    _refresh_changed(context, state)
    for w in range(n):
        state.gains[w * n + v if first else v * n + w] = -np.inf
    score = _climb_on(context, state)
    for w in range(n):
        state.allowed[w * n + v if first else v * n + w] = state.n_parents[w]
    return score


@compiled
def _pair_rival(
    context: ScoreContext, state: GraphState, kind: int, i: int, j: int, best_with: Pointer, before_climb: FloatArray
) -> float:
    """Change the relation of two variables and climb, the change held fast unless it is an exchange; the score.

    The score of an exchange before the climb goes to ``before_climb``, shape (1,).
    """
    n, score = state.n_variables, -np.inf
    forward, backward = i * n + j, j * n + i
    allowed, back, required = state.allowed[forward], state.allowed[backward], state.required[backward]
    if kind == EXCHANGED:
        if not _exchange(state, i, j):
            return score
        _refresh_changed(context, state)
        before_climb[0] = total_score(state)
        _note(state, before_climb[0], best_with)
    elif state.required[forward] or (kind == TURNED and not back):
        return score
    elif kind == TURNED:
        state.required[backward] = 1
        _turn(state, i, j)
        _refresh_changed(context, state)
    else:
        state.allowed[forward], state.allowed[backward], state.adjacency[forward] = 0, 0, 0
        refresh(context, state, i)
        refresh(context, state, j)
        find_reach(state)
    score = _climb_on(context, state)
    state.allowed[forward], state.allowed[backward], state.required[backward] = allowed, back, required
    return score


@compiled
def climb_to_rivals(
    context_handle: Handle,
    state_handle: Handle,
    changes: IntArray,
    known: FloatArray,
    best_with: FloatArray,
    scores: FloatArray,
    before_climb: FloatArray,
) -> None:
    """Climb to the rivals of the present graph, one for each row (kind, i, j) of ``changes``.

    A pair to be exchanged may be any, others are edges, and of FIRST and LAST only i counts.
    ``known`` is room for (V + 1, V) numbers.
    ``scores`` are of the rivals, ``before_climb`` of graphs with two variables exchanged before the climb.

    The last of them is left in ``state.adjacency``, the best one in ``state.best``.
    """
    context, state = score_context(context_handle), graph_state(state_handle)
    n, noted, base = state.n_variables, pointer_to(best_with), pointer_to(known)
    start_at(context, state)
    highest = total_score(state)
    for e in range(n * n):
        state.other[e], state.best[e], base[e] = state.adjacency[e], state.adjacency[e], state.gains[e]
    for v in range(n):
        base[n * n + v] = state.family[v]
    for c in range(changes.shape[0]):
        if stopped(context):
            return
        for e in range(n * n):
            state.adjacency[e], state.gains[e] = state.other[e], base[e]
        for v in range(n):
            state.family[v] = base[n * n + v]
        find_reach(state)
        kind, i, j = changes[c, 0], changes[c, 1], changes[c, 2]
        if kind >= FIRST:
            scores[c] = _end_rival(context, state, i, kind == FIRST)
        else:
            scores[c] = _pair_rival(context, state, kind, i, j, noted, before_climb[c : c + 1])
        _note(state, scores[c], noted)
        if scores[c] > highest:
            highest = scores[c]
            for e in range(n * n):
                state.best[e] = state.adjacency[e]


#: How many graphs are learned from resamples.
N_GRAPHS = 24
_STRONGEST = 3  # partners of each variable that it is exchanged with, besides its neighbours
_STARTS = 3  # graphs to restart hill climbing from
_SECOND = 3  # rivals of the last of these whose own rivals are looked at
#: Nats below the best graph within which a graph's edges are worth a candidate: there may be thousands of such graphs.
GOOD = 12.0
_BAND = 4.0  # nats within which such graphs count alike
_FAR = 25.0  # nats below the best graph: about 1e-11 of its weight
#: Alternative graphs times pairs of variables compared, about 8 seconds of one core. With up to some 80 variables that
#: is no limit; with 220 they are the rivals of five graphs, with 440 most of those of the best one.
_MOST_PAIRS = 500_000_000
_CLIMBERS, _WORTH_THREADS = 4, 64  # scores with buffers of their own, and rivals from which all of them climb


def graphs_of_resamples(
    data: Dataset, score: TableScore, space: SearchSpace, stop: UInt8Array, generators: list[np.random.Generator]
) -> tuple[list[np.random.Generator], list[Adjacency]]:
    """Learn a graph by a climb from the resample that each generator draws; fewer when stopped.

    A search for the optimum would find fewer different parents, and chains then miss those of near copies: an edge of
    probability 0.80 was given 1 where the search was iterated local search.
    """
    scores, columns = LocalScores(data, score, stop), Columns(data.names, space)
    graphs: list[Adjacency] = []
    shares = data.multiplicities / data.n_rows
    for rng in generators:
        if data.dependent is None:
            weights = rng.multinomial(data.n_rows, shares).astype(np.int32)
        else:
            weights = drawn_with(data, data.n_rows, rng)
        graphs.append(columns.climbed(scores, weights, rng))
        if scores.stopped:
            break
    return generators, graphs


class EdgeAlternatives:
    """The best graph known, and for each edge the score of the best graph known that has it.

    Parameters
    ----------
    make_scores : callable
        Returns local scores of the data for one thread, columns as in ``space``.
    space : SearchSpace

    Attributes
    ----------
    graph : ndarray of bool, shape (V, V)
    score : float
        Of ``graph``, nats.
    best_with : ndarray of float, shape (V, V)
        Nats; minus infinity for edges that no graph met had.
    alone : ndarray of float, shape (V, V)
        ``[child, parent]``: the local score of the child with that parent alone.
    """

    def __init__(self, make_scores: Callable[[], LocalScores], space: SearchSpace) -> None:
        n = len(space.allowed)
        own_spaces = [
            SearchSpace(space.allowed.copy(), space.required.copy(), space.max_parents) for _ in range(_CLIMBERS)
        ]
        self._climbers = [(make_scores(), GraphSearch(own, 2 * n * n)) for own in own_spaces]  # which rivals change
        (self.scores, self._search), self._space = self._climbers[0], space
        self.graph, self.score = space.required.copy(), -math.inf
        self.best_with = np.full((n, n), -np.inf)
        self.alone = np.array([self.scores.with_one_more(child, [], space.allowed[:, child]) for child in range(n)])
        self._copies: dict[tuple[int, int], float] = {}  # the best score with two variables exchanged
        self._looked_at: set[bytes] = set()  # graphs whose rivals are known
        self._most_rivals = _MOST_PAIRS // (n * n)  # that may still be climbed to
        self._present = np.empty(0)  # the scores of those that are climbed to now
        self._strongest = np.argsort(-self.alone, axis=1, kind="stable")[:, :_STRONGEST]

    @property
    def n_scored(self) -> int:
        """How many families were counted."""
        return sum(scores.n_scored for scores, _ in self._climbers)

    @property
    def explored(self) -> float:
        """The share of all rivals that may be climbed to that were; of few variables it stays small."""
        left = self._most_rivals + np.count_nonzero(np.isneginf(self._present))
        return 1.0 - float(left) / (_MOST_PAIRS // self.graph.size)

    @property
    def below_best(self) -> FloatArray:
        """How far below the best graph known is the best one with each edge, nats, at most 0."""
        below = self.best_with - self.score
        for (u, v), score in sorted(self._copies.items()):  # what can be joined to one can be joined to its copy
            for one, other in ((u, v), (v, u)):
                below[:, one] = np.maximum(below[:, one], below[:, other] + min(score - self.score, 0.0))
                below[one] = np.maximum(below[one], below[other] + min(score - self.score, 0.0))
        return np.asarray(below)

    def explore(self, graphs: Sequence[Adjacency]) -> None:
        """Climb from each graph; from the best few on to the best rival, and to its best rival, till none gains.

        Last look at the rivals of a few rivals that score nearly as well as the best. With hundreds of variables only
        some rivals of the best graphs are looked at.
        """
        state = self._search.state
        reached: dict[float, Adjacency] = {}
        for graph in graphs:
            state.adjacency[:] = graph
            score, _, _ = climb(self.scores.handle, self._search.handle, 0)
            found = state.adjacency.copy().view(np.bool_)
            self.best_with[found] = np.maximum(self.best_with[found], score)
            reached.setdefault(score, found)
            self._take(score, state.adjacency)
        margin = tolerance(self.scores.context.sample.n_rows)
        for score in sorted(reached, reverse=True)[:_STARTS]:
            graph = reached[score]
            if graph.tobytes() in self._looked_at:
                continue
            changes, scores = self._rivals_of(graph)
            while scores.max(initial=-math.inf) > score + margin and not self.scores.stopped:
                score, graph = scores.max(), state.best.copy().view(np.bool_)
                changes, scores = self._rivals_of(graph)
            near = np.argsort(-scores, kind="stable")
            near = near[scores[near] > self.score - GOOD]
            turns = near[np.linspace(0, len(near) - 1, min(_SECOND, len(near))).astype(int)]
            for change in changes[np.unique(turns)]:
                if not self.scores.stopped:
                    self._run(graph, change[None])
                    self._rivals_of(state.adjacency.copy().view(np.bool_))

    def explore_joint(self, rng: np.random.Generator) -> None:
        """Make candidates of parents that gain only together: climb from the best graph that a search finds with them.

        Then let a graph that has such a family count as near to the best one as the family is to the best part of it.
        """
        joint = joint_sets(self.scores, self._space, THOROUGH)
        if not len(joint.children):
            return
        names = tuple(map(str, range(len(self.graph))))
        search = ReplicateSearch(IteratedLocalSearch(), names, None, joint)
        self.explore([search.find(names, self.scores, self._space, rng).adjacency])
        for child, parents, gain in zip(joint.children.tolist(), joint.parents, joint.gains.tolist(), strict=True):
            of_child = self.best_with[:, child]
            of_child[parents] = np.maximum(of_child[parents], self.score + min(gain, 0.0))

    def _take(self, score: float, graph: UInt8Array) -> None:
        if score > self.score:
            self.score, self.graph = score, graph.copy().view(np.bool_)

    def _run(self, graph: Adjacency, changes: IntArray) -> FloatArray:
        """Climb to rivals of a graph, some in each thread; the first of the best is left in the first one's state.

        Which climber has which rivals does not depend on the number of processors.
        """
        scores, before_climb = np.full((2, len(changes)), -np.inf)
        climbers = self._climbers if len(changes) >= _WORTH_THREADS else self._climbers[:1]
        pieces = [np.array_split(one, len(climbers)) for one in (changes, scores, before_climb)]  # views
        self._present = scores
        best_with = np.tile(self.best_with, (len(climbers), 1, 1))

        def climb_to(by: tuple[LocalScores, GraphSearch], own: FloatArray, piece: IntArray, *found: FloatArray) -> None:
            (of_rows, search), room = by, np.empty((len(graph) + 1, len(graph)))
            search.state.adjacency[:] = graph
            climb_to_rivals(of_rows.handle, search.handle, piece, room, own, *found)

        with ThreadPoolExecutor(min(processors(), len(climbers))) as threads:
            list(threads.map(climb_to, climbers, best_with, *pieces))
        best_with.max(axis=0, out=self.best_with)
        highest = max(range(len(climbers)), key=lambda c: pieces[1][c].max(initial=-math.inf))
        self._search.state.best[:] = climbers[highest][1].state.best
        for c in np.flatnonzero(before_climb > self.score - _FAR):
            pair = (int(changes[c, 1]), int(changes[c, 2]))
            self._copies[pair] = max(self._copies.get(pair, -math.inf), float(before_climb[c]))
        return scores

    def _rivals_of(self, graph: Adjacency) -> tuple[IntArray, FloatArray]:
        """Return the changes of a graph that were looked at, and the score that each led to."""
        self._looked_at.add(graph.tobytes())
        edges = np.argwhere(graph)
        near = [*edges.tolist(), *([child, v] for child, row in enumerate(self._strongest.tolist()) for v in row)]
        pairs = np.unique(np.sort([pair for pair in near if pair[0] != pair[1]], axis=1), axis=0)
        ends = np.repeat(np.arange(len(graph))[:, None], 2, axis=1)
        kinds = [(TURNED, edges), (APART, edges), (EXCHANGED, pairs), (FIRST, ends), (LAST, ends)]
        changes = np.concatenate([np.insert(which, 0, kind, axis=1) for kind, which in kinds])
        if len(changes) > self._most_rivals:
            changes = changes[np.linspace(0, len(changes) - 1, self._most_rivals).astype(np.int64)]
        self._most_rivals -= len(changes)
        scores = self._run(graph, changes)
        self._take(float(scores.max(initial=-math.inf)), self._search.state.best)
        return changes, scores


def candidate_parents(
    space: SearchSpace,
    rivals: EdgeAlternatives | None,
    graphs: Sequence[Adjacency],
    usual: int,
    most: int,
    rng: np.random.Generator,
) -> list[list[int]]:
    """Choose ``usual`` candidates for each child, up to ``most`` if graphs want them.

    Required parents always, others by rank.

    First those that a graph has that scores nearly as well as the best one known, in bands of a few nats, within which
    the edges most frequent in the graphs come first: of many graphs that score alike, those with one child turned into
    a parent fit few orderings, those in which a near copy has all the parents it needs fit many. Then the most frequent
    neighbours in the graphs; then those whose single edge gains most, with some noise, so that chains differ in what
    they leave out.

    Parameters
    ----------
    space : SearchSpace
    rivals : EdgeAlternatives or None
        None if all others are candidates.
    graphs : sequence of ndarray of bool, shape (V, V)
        From resamples.
    usual, most : int
    rng : Generator
    """
    n = len(space.allowed)
    if rivals is None:
        return [np.flatnonzero(space.allowed[:, child]).tolist() for child in range(n)]
    near, parents, below = np.zeros((n, n)), np.zeros((n, n)), rivals.below_best
    for graph in graphs:
        near += graph | graph.T
        parents += graph
    candidates = []
    for child in range(n):
        allowed, required = space.allowed[:, child], space.required[:, child]
        alone = np.where(np.isfinite(rivals.alone[child]), rivals.alone[child], -1e300) + rng.gumbel(size=n)
        by_graph = np.where(below[:, child] > -_FAR, below[:, child], -_FAR)
        is_good = by_graph > -GOOD
        by_graph = np.where(is_good, _BAND * np.ceil(by_graph / _BAND), by_graph)
        often = np.where(is_good, parents[:, child], 0)
        ranked = [v for v in np.lexsort((-alone, -near[:, child], -often, -by_graph, ~required)).tolist() if allowed[v]]
        wanted = min(most, int((below[allowed, child] > -GOOD).sum()))
        candidates.append(sorted(ranked[: max(usual, wanted, int(required.sum()))]))
    return candidates
