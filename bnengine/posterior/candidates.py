"""Candidate parents of each child: where sampling looks for parent sets.

Candidates must be right for every ordering that a chain should visit: of a variable and its near copy, whichever comes
first needs the parents of both. So they are first the parents in the rivals of the best graph known; then the most
frequent neighbours in graphs learned from resamples, whose over-inclusiveness is welcome here, and the variables that
gain most by themselves (Friedman & Koller 2003, Sec. 4.2; Kuipers, Suter & Moffa 2022).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.posterior._rivals import APART, EXCHANGED, FIRST, LAST, TURNED, climb_from, climb_to_rivals
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search._neighbourhood import GraphSearch
from bnengine.search._parents import tolerance
from bnengine.search.column_order import Columns
from bnengine.search.hill_climbing import HillClimbing

#: How many graphs are learned from resamples.
N_GRAPHS = 24
_STRONGEST = 3  # partners of each variable that it is exchanged with, besides its neighbours
_STARTS = 3  # graphs from which rivals lead on to better ones
_SECOND = 3  # rivals of the last of these whose own rivals are looked at
#: Nats below the best graph within which a graph's edges are worth a candidate: there may be thousands of such graphs.
GOOD = 12.0
_FAR = 25.0  # nats below the best graph: about 1e-11 of its weight


class Resampled(NamedTuple):
    """Learns a graph from each resample that a generator draws."""

    data: Dataset
    score: TableScore
    space: SearchSpace
    weights: Int32Array  # (D,) of the distinct rows to draw from
    stop: UInt8Array

    def learn(self, generators: list[np.random.Generator]) -> list[Adjacency]:
        """One graph a generator; fewer when stopped."""
        scores = LocalScores(self.data, self.score, self.stop)
        columns = Columns(self.data.names, self.space)
        n_rows = int(self.weights.sum())
        graphs: list[Adjacency] = []
        for rng in generators:
            drawn = rng.multinomial(n_rows, self.weights / n_rows).astype(np.int32)
            order = columns.order(rng)
            scores.reweigh(drawn, order)
            graphs.append(columns.find(HillClimbing(), scores, order, rng).adjacency)
            if scores.stopped:
                break
        return graphs


class Rivals:
    """The best graph known, and for each edge the score of the best graph known that has it.

    Parameters
    ----------
    scores : LocalScores
        Of the data, columns as in ``space``.
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

    def __init__(self, scores: LocalScores, space: SearchSpace) -> None:
        n = len(space.allowed)
        self.scores, self._search = scores, GraphSearch(space, 2 * n * n)
        self.graph, self.score = space.required.copy(), -math.inf
        self.best_with = np.full((n, n), -np.inf)
        self.alone = np.array([scores.with_one_more(child, [], space.allowed[:, child]) for child in range(n)])
        self._copies: dict[tuple[int, int], float] = {}  # the best score with two variables exchanged
        self._strongest = np.argsort(-self.alone, axis=1, kind="stable")[:, :_STRONGEST]

    @property
    def below_best(self) -> FloatArray:
        """How far below the best graph known is the best one with each edge, nats, at most 0."""
        below = self.best_with - self.score
        for (u, v), score in sorted(
            self._copies.items()
        ):  # what can be a parent or child of one can be of its near copy
            for one, other in ((u, v), (v, u)):
                below[:, one] = np.maximum(below[:, one], below[:, other] + min(score - self.score, 0.0))
                below[one] = np.maximum(below[one], below[other] + min(score - self.score, 0.0))
        return np.asarray(below)

    def explore(self, graphs: Sequence[Adjacency]) -> None:
        """Climb from each graph; from the best few on to the best rival, and to its best rival, till none gains.

        Last look at the rivals of a few rivals that score nearly as well as the best.
        """
        state = self._search.state
        reached: dict[float, Adjacency] = {}
        for graph in graphs:
            state.adjacency[:] = graph
            score = climb_from(self.scores.handle, self._search.handle, self.best_with)
            reached.setdefault(score, state.adjacency.copy().view(np.bool_))
            self._take(score, state.adjacency)
        margin = tolerance(self.scores.context.sample.n_rows)
        for score in sorted(reached, reverse=True)[:_STARTS]:
            graph, (changes, scores) = reached[score], self._rivals_of(reached[score])
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

    def _take(self, score: float, graph: UInt8Array) -> None:
        if score > self.score:
            self.score, self.graph = score, graph.copy().view(np.bool_)

    def _run(self, graph: Adjacency, changes: IntArray) -> FloatArray:
        state, (scores, at_once) = self._search.state, np.full((2, len(changes)), -np.inf)
        state.adjacency[:] = graph
        room = np.empty((len(graph) + 1, len(graph)))
        climb_to_rivals(self.scores.handle, self._search.handle, changes, room, self.best_with, scores, at_once)
        for c in np.flatnonzero(at_once > self.score - _FAR):
            pair = (int(changes[c, 1]), int(changes[c, 2]))
            self._copies[pair] = max(self._copies.get(pair, -math.inf), float(at_once[c]))
        return scores

    def _rivals_of(self, graph: Adjacency) -> tuple[IntArray, FloatArray]:
        """The changes of a graph that were looked at, and the score that each led to."""
        edges = np.argwhere(graph)
        near = [*edges.tolist(), *([child, v] for child, row in enumerate(self._strongest.tolist()) for v in row)]
        pairs = np.unique(np.sort([pair for pair in near if pair[0] != pair[1]], axis=1), axis=0)
        ends = np.repeat(np.arange(len(graph))[:, None], 2, axis=1)
        kinds = [(TURNED, edges), (APART, edges), (EXCHANGED, pairs), (FIRST, ends), (LAST, ends)]
        changes = np.concatenate([np.insert(which, 0, kind, axis=1) for kind, which in kinds])
        scores = self._run(graph, changes)
        self._take(float(scores.max(initial=-math.inf)), self._search.state.best)
        return changes, scores


def candidate_parents(
    space: SearchSpace,
    rivals: Rivals | None,
    graphs: Sequence[Adjacency],
    usual: int,
    most: int,
    rng: np.random.Generator,
) -> list[list[int]]:
    """``usual`` candidates for each child, up to ``most`` if graphs want them; required parents always, others by rank.

    First those that a graph has that scores nearly as well as the best one known; then the most frequent neighbours in
    the graphs; then those that gain most by themselves, with some noise, so that chains differ in what they leave out.

    Parameters
    ----------
    space : SearchSpace
    rivals : Rivals or None
        None if all others are candidates.
    graphs : sequence of ndarray of bool, shape (V, V)
        From resamples.
    usual, most : int
    rng : Generator
    """
    n = len(space.allowed)
    if rivals is None:
        return [np.flatnonzero(space.allowed[:, child]).tolist() for child in range(n)]
    near, below = np.zeros((n, n)), rivals.below_best
    for graph in graphs:
        near += graph | graph.T
    candidates = []
    for child in range(n):
        allowed, required = space.allowed[:, child], space.required[:, child]
        alone = np.where(np.isfinite(rivals.alone[child]), rivals.alone[child], -1e300) + rng.gumbel(size=n)
        by_graph = np.where(below[:, child] > -_FAR, below[:, child], -_FAR)
        ranked = [v for v in np.lexsort((-alone, -near[:, child], -by_graph, ~required)).tolist() if allowed[v]]
        wanted = min(most, int((below[allowed, child] > -GOOD).sum()))
        candidates.append(sorted(ranked[: max(usual, wanted, int(required.sum()))]))
    return candidates
