"""The best graph of all: short lists of parent sets for each variable, then the best choice without a cycle."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.settings import InR, Whole, field, setting
from bnengine._core.validation import VariableCount, validated
from bnengine._jit.compiled import Pointer, compiled, inlined, pointer_to
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import topological_order
from bnengine.scores.local_score import LocalScores
from bnengine.search import result as limits
from bnengine.search._parent_sets import BYTES_A_CANDIDATE, ParentSets, candidate_parent_sets, pieces, within_piece
from bnengine.search._parent_sets import MOST_VARIABLES as MOST_VARIABLES
from bnengine.search.edge_changes import tolerance
from bnengine.search.result import SearchResult

_DEFAULT_MEMORY = 8 * 2**30
_SMALL = 20  # variables whose sets, a million, are gone through in a second
_BYTES_IN_PROGRAM = 2_000  # of a parent set in the linear program, with its clusters


@setting(
    tag="exact",
    label="Exact",
    help="Finds the graph with the best score within the limit on parents, up to 20 variables by going "
    "through all sets of them, in about a second, beyond that by a linear program, whose work depends on the data.",
    in_r=InR("tabu", exact=False),
)
class Exact:
    """The provably best graph with at most ``max_parents`` parents of each variable; its status is ``optimal``.

    For each variable the parent sets that can be part of a best graph (de Campos & Ji 2011), then the best choice among
    them for each group of variables that can be each other's ancestors (Fan, Malone & Yuan 2014): up to 20 variables by
    going through all sets of them (Silander & Myllymäki 2006), beyond that by the linear program of ``certify``
    (Bartlett & Cussens 2013).

    Notes
    -----
    Memory counts the parent sets that are kept, and the linear program over them. How long it takes depends on the
    data: ALARM's 37 variables with 3 parents take seconds on some samples, and far longer on others.
    """

    max_parents: Whole | None = limits.parent_limit()
    max_memory: Whole = field(
        default=_DEFAULT_MEMORY,
        ge=1,
        le=2**50,
        label="Memory",
        unit="bytes",
        help="A search that would need more is refused before it starts.",
    )

    name = "exact"

    def _limit(self, n_variables: int) -> int:
        most = max(n_variables - 1, 0)
        return most if self.max_parents is None else min(self.max_parents, most)

    @validated
    def n_families(self, n_variables: VariableCount) -> int:
        """Return the most families to be counted: V times the number of parent sets up to ``max_parents``.

        Parameters
        ----------
        n_variables : int

        Returns
        -------
        int

        Examples
        --------
        >>> Exact(max_parents=2).n_families(5)
        55
        """
        limit = self._limit(n_variables)
        return n_variables * sum(math.comb(n_variables - 1, k) for k in range(limit + 1))

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        n = len(names)
        if n > MOST_VARIABLES:
            raise ValueError(
                f"the exact search is for up to {MOST_VARIABLES} variables, and these are {n}: choose fewer variables, "
                "or hill climbing, tabu or annealing"
            )
        margin = tolerance(scores.context.sample.n_rows)
        candidates, counted = candidate_parent_sets(scores, space, self.max_memory)
        held = BYTES_A_CANDIDATE * sum(len(sets.masks) for sets in candidates)
        ordering: list[int] = []
        for members in pieces(candidates):
            lists = [within_piece(candidates[v], members) for v in members]
            best = _best_ordering(lists, margin, self.max_memory - held, scores.context.stop)
            ordering += [members[i] for i in best]
        adjacency, available, so_far, trace = np.zeros((n, n), dtype=np.bool_), 0, 0.0, []
        for v in ordering:
            parents = candidates[v].best_within(available)
            adjacency[:, v] = [bool(int(candidates[v].masks[parents]) >> u & 1) for u in range(n)]
            so_far += float(candidates[v].scores[parents])
            available |= 1 << v
            trace.append(so_far)
        status = "stopped" if scores.stopped else "optimal"
        return SearchResult(adjacency, so_far, counted, status, np.array(trace))


def _best_ordering(candidates: Sequence[ParentSets], margin: float, max_memory: int, stop: UInt8Array) -> list[int]:
    """Return the best ordering of one piece's variables; if stopped, the best so far or a greedy one."""
    if len(candidates) == 1:
        return [0]
    if len(candidates) > _SMALL:
        return _ordering_by_program(candidates, margin, max_memory, stop)
    return _ordering_by_sets(candidates, margin, stop) or _greedy_ordering(candidates)


def _greedy_ordering(candidates: Sequence[ParentSets]) -> list[int]:
    """Return an ordering in which the variable comes next that loses least by the parents it can have then."""
    ordering: list[int] = []
    available, left = 0, list(range(len(candidates)))
    while left:
        loss = [candidates[v].scores[0] - candidates[v].best_score(available) for v in left]
        ordering.append(left.pop(int(np.argmin(loss))))
        available |= 1 << ordering[-1]
    return ordering


def _ordering_by_program(
    candidates: Sequence[ParentSets], margin: float, max_memory: int, stop: UInt8Array
) -> list[int]:
    """Return the best ordering by the linear program, which begins with the score of a greedy one."""
    n, n_sets = len(candidates), sum(len(sets.masks) for sets in candidates)
    if n_sets * _BYTES_IN_PROGRAM > max_memory:
        raise ValueError(
            f"{n} of the variables can be each other's ancestors: the linear program over their {n_sets:,} parent sets "
            f"needs more than the {max_memory / 2**30:.1f} GB allowed: lower max_parents, choose fewer variables, or "
            "hill climbing, tabu or annealing"
        )
    ordering = _greedy_ordering(candidates)
    floor = sum(candidates[v].best_score(sum(1 << u for u in ordering[:place])) for place, v in enumerate(ordering))
    proof = Proof(candidates, floor, margin)
    proof.run(lambda: bool(stop[0]))
    if proof.chosen is None:
        return ordering
    places = np.arange(n)[:, None]
    return topological_order((proof.chosen >> places & 1).astype(np.bool_)) or ordering


# The best ordering by going through all sets of variables (Silander & Myllymäki 2006): the best score of each is that
# of a smaller set and a last variable, which takes its best parent set within the smaller one.


@compiled
def _best_of_each_set(masks: IntArray, scores: FloatArray, first: IntArray, best: FloatArray, stop: UInt8Array) -> None:
    """Fill in for each set of variables the best score of a graph over it; end early when ``stop`` is set."""
    masks_at, scores_at, n_variables = pointer_to(masks), pointer_to(scores), first.shape[0] - 1
    for number in range(best.shape[0] - 1):
        if stop[0] != 0:
            return
        for v in range(n_variables):
            if (number >> v) & 1 == 0:
                score = best[number] + _best_within(masks_at, scores_at, first[v], first[v + 1], number)
                if score > best[number | (1 << v)]:
                    best[number | (1 << v)] = score


def _ordering_by_sets(candidates: Sequence[ParentSets], margin: float, stop: UInt8Array) -> list[int] | None:
    """Return the best ordering of all; of last variables that tie, to ``margin``, the first column; None if stopped."""
    best = np.full(1 << len(candidates), -np.inf)
    best[0] = 0.0
    _best_of_each_set(*_joined(candidates), best, stop)
    return None if stop[0] else _read_off(candidates, best, margin)


def _read_off(candidates: Sequence[ParentSets], best: FloatArray, margin: float) -> list[int]:
    """Return the ordering from the scores of all sets, last variable first."""
    ordering: list[int] = []
    left = len(best) - 1
    while left:
        members = [v for v in range(len(candidates)) if left >> v & 1]
        scores = [best[left ^ (1 << v)] + candidates[v].best_score(left ^ (1 << v)) for v in members]
        last = next(v for v, score in zip(members, scores, strict=True) if score >= max(scores) - margin)
        ordering.append(last)
        left ^= 1 << last
    return ordering[::-1]


@inlined
def _best_within(masks: Pointer, scores: Pointer, first: int, end: int, available: int) -> float:
    """Return the score of the first set of a list, which is sorted, with no member that is not available."""
    for i in range(first, end):
        if masks[i] & ~available == 0:
            return scores[i]  # type: ignore[no-any-return]
    return -np.inf


def _joined(candidates: Sequence[ParentSets]) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the lists one after the other: masks, scores, and where each list begins, shape (n + 1,)."""
    first = np.concatenate([[0], np.cumsum([len(sets.masks) for sets in candidates])]).astype(np.int64)
    return np.concatenate([sets.masks for sets in candidates]), np.concatenate([s.scores for s in candidates]), first


# How high the score of an acyclic graph can be: a linear program over parent sets, clusters, and branches.
#
# A weight between 0 and 1 for each candidate parent set of each variable, those of a variable summing to 1, relaxes
# the choice of a graph. In an acyclic graph every set of variables, a *cluster*, has a member with no parent in it
# (Jaakkola, Sontag, Globerson & Meila 2010), and k members with fewer than k parents in it, the first k of them in an
# ordering: a cluster of *level* k (Cussens 2011). Clusters that the weights violate are added (Bartlett & Cussens
# 2013), and where none is found the question is split: with an edge, and without it.
#
# The bound is that of Lagrange: for any prices of the clusters, none negative, each variable takes the parent set
# that is worth most, by its score and the prices of the clusters that it serves. It holds however exactly the program
# was solved.

_VIOLATED = 1e-4  # by how much a cluster must be violated to be added
_PRESENT = 1e-6  # the weight from which a parent set counts as present
_ROUNDS = 12  # of added clusters in a branch, before it is split again
_LARGEST_EXCESS = 1.5  # a growing cluster of level 1 is given up where more than this serves it
_HIGHER_LEVELS = (2, 3)
_SOLVED, _INFEASIBLE = 0, 2  # what scipy says of a linear program


class Proof:
    """The attempt to prove that no acyclic graph of some parent sets scores above ``floor``, up to rounding.

    Attributes
    ----------
    floor : float
        The best score known, nats: it rises when a better graph is found.
    bound : float
        What no graph exceeds, nats; at least ``floor``.
    chosen : ndarray of int, shape (V,), or None
        The parent sets, as masks, of a better graph than the given one.
    """

    def __init__(self, candidates: Sequence[ParentSets], floor: float, margin: float) -> None:
        self._program, self.floor, self._margin = ClusterRelaxation(candidates), floor, margin
        self.chosen: IntArray | None = None
        start = self._program.start()
        first, _ = self._program.bound(start, np.zeros(0))
        self.bound = max(first, floor)
        self._settled = floor  # the highest bound of the branches whose best graph was found
        self._order = count()
        self._waiting: list[tuple[float, int, IntArray]] = [(-first, next(self._order), start)]

    def run(self, should_stop: Callable[[], bool]) -> bool:
        """Branch and bound until the best graph is proved or ``should_stop`` says so; return whether it is proved."""
        is_root = True
        while self._waiting:
            negative, _, sets = heapq.heappop(self._waiting)
            if -negative > self.floor + self._margin and self._explore(-negative, sets, is_root, should_stop):
                return False
            is_root = False
            self._note(self.floor)
        self.bound = max(self.floor, self._settled)
        return True

    def _note(self, of_branch: float) -> None:
        """Lower the bound to the highest of what is left."""
        highest = -self._waiting[0][0] if self._waiting else self.floor
        self.bound = min(self.bound, max(highest, of_branch, self.floor, self._settled))

    def _explore(self, bound: float, sets: IntArray, is_root: bool, should_stop: Callable[[], bool]) -> bool:
        """Tighten a branch until it is closed, or split it; returns whether it was left early."""
        program, rounds = self._program, 0
        while True:
            if should_stop():
                heapq.heappush(self._waiting, (-bound, next(self._order), sets))
                return True
            solved = program.solve(sets)
            if solved is None:
                return False
            weights, prices = solved
            lower, with_set = program.bound(sets, prices)
            bound = min(bound, lower)
            self._note(bound)
            kept = with_set > self.floor + self._margin
            if bound <= self.floor + self._margin or not kept.any():
                return False
            present = np.flatnonzero(weights > 1.0 - _PRESENT)
            if len(present) == program.n_variables:
                cycle = program.cycle(sets[present])
                if not cycle:
                    self._take(sets[present])
                    self._settled = max(self._settled, bound)  # above that graph's score by rounding only
                    return False
                program.add_cluster(cycle)
                sets = sets[kept]
                continue
            rounds += 1
            if (is_root or rounds < _ROUNDS) and program.tighten(sets, weights):
                sets = sets[kept]
                continue
            if is_root:
                program.keep_clusters(prices > 0)
            for branch in program.split(sets, weights):
                inside = np.isin(branch, sets[kept])
                heapq.heappush(self._waiting, (-bound, next(self._order), branch[inside]))
            return False

    def _take(self, sets: IntArray) -> None:
        """Note a graph if it is better than the best one known."""
        score = float(self._program.scores[sets].sum())
        if score > self.floor + self._margin:
            self.floor = score
            self.chosen = np.zeros(self._program.n_variables, dtype=np.int64)
            self.chosen[self._program.child[sets]] = self._program.masks[sets]


class ClusterRelaxation:
    """The program over all variables' candidate parent sets, numbered through, and the clusters found so far."""

    def __init__(self, candidates: Sequence[ParentSets]) -> None:
        self.n_variables = len(candidates)
        self.child = np.concatenate([np.full(len(sets.masks), v) for v, sets in enumerate(candidates)])
        self.masks: IntArray = np.concatenate([sets.masks for sets in candidates])
        self.scores: FloatArray = np.concatenate([sets.scores for sets in candidates])
        self.clusters: IntArray = np.zeros(0, dtype=np.int64)
        self.levels: IntArray = np.zeros(0, dtype=np.int64)

    def start(self) -> IntArray:
        """Return the numbers of all parent sets that are possible."""
        return np.flatnonzero(np.isfinite(self.scores))

    def _serves(self, sets: IntArray) -> BoolArray:
        """Return ``_serve`` of each set and each cluster found so far, shape (clusters, sets)."""
        return _serve(self.clusters[:, None], self.child[sets], self.masks[sets], self.levels[:, None])

    def solve(self, sets: IntArray) -> tuple[FloatArray, FloatArray] | None:
        """Return the best weights of these sets and the clusters' prices; None if no weights serve every cluster."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        n_sets = len(sets)
        top = np.full(self.n_variables, -np.inf)
        np.maximum.at(top, self.child[sets], self.scores[sets])
        if not np.isfinite(top).all():
            return None
        sums = csr_matrix((np.ones(n_sets), (self.child[sets], np.arange(n_sets))), shape=(self.n_variables, n_sets))
        serves = csr_matrix(self._serves(sets), dtype=np.float64)
        with_clusters = {"A_ub": -serves, "b_ub": -self.levels.astype(np.float64)} if len(self.clusters) else {}
        for presolve in (False, True):  # without it the dual simplex takes half the time
            solved = linprog(
                top[self.child[sets]] - self.scores[sets],
                A_eq=sums,
                b_eq=np.ones(self.n_variables),
                method="highs-ds",
                options={"presolve": presolve},
                **with_clusters,
            )
            if solved.status in (_SOLVED, _INFEASIBLE):
                break
        if solved.status == _INFEASIBLE:
            return None
        if solved.status != _SOLVED:  # nothing is known then, but that does not close the branch
            return 1.0 / np.bincount(self.child[sets])[self.child[sets]], np.zeros(len(self.clusters))
        prices = np.maximum(-solved.ineqlin.marginals, 0.0) if len(self.clusters) else np.zeros(0)
        return np.asarray(solved.x), prices

    def bound(self, sets: IntArray, prices: FloatArray) -> tuple[float, FloatArray]:
        """Return what no acyclic graph of these sets exceeds, and what none with each set exceeds, nats."""
        worth = self.scores[sets] + prices @ self._serves(sets)
        most = np.full(self.n_variables, -np.inf)
        np.maximum.at(most, self.child[sets], worth)
        bound = float(most.sum() - prices @ self.levels)
        return bound, bound + worth - most[self.child[sets]]

    def tighten(self, sets: IntArray, weights: FloatArray) -> int:
        """Add clusters that the weights violate; returns how many."""
        present = weights > _PRESENT
        sets, weights = sets[present], weights[present]
        known = set(zip(self.clusters.tolist(), self.levels.tolist(), strict=True))
        found = {(self._grown_from(1 << v, 1, sets, weights), 1) for v in range(self.n_variables)}
        families = sorted({int(mask) | 1 << int(v) for v, mask in zip(self.child[sets], self.masks[sets], strict=True)})
        for level in _HIGHER_LEVELS:
            found |= {(self._grown_from(f, level, sets, weights), level) for f in families if f.bit_count() > level}
        new = sorted({one for one in found if one[0]} - known)
        for cluster, level in new:
            self.add_cluster(cluster, level)
        return len(new)

    def keep_clusters(self, kept: BoolArray) -> None:
        """Forget the other clusters."""
        self.clusters, self.levels = self.clusters[kept], self.levels[kept]

    def _grown_from(self, cluster: int, level: int, sets: IntArray, weights: FloatArray) -> int:
        """Return the most violated cluster met while the variable that serves least is added; 0 if none is violated."""
        child, masks = self.child[sets], self.masks[sets]
        found, least = 0, level - _VIOLATED
        bits = np.int64(1) << np.arange(self.n_variables)
        if (served_first := float(_serve(cluster, child, masks, level) @ weights)) < least:
            found, least = cluster, served_first
        while cluster.bit_count() < self.n_variables:
            larger = (cluster | bits)[:, None]
            served = _serve(larger, child, masks, level) @ weights
            served[(cluster & bits) != 0] = np.inf
            v = int(np.argmin(served))
            if served[v] > level - 1 + _LARGEST_EXCESS:
                break
            cluster |= int(bits[v])
            if served[v] < least:
                found, least = cluster, float(served[v])
        return found

    def _edges(self, sets: IntArray, weights: FloatArray) -> FloatArray:
        """Return the weight of each edge, shape (V, V), [parent, child]: that of the sets that hold it."""
        bits = np.arange(self.n_variables)[:, None]
        has = ((self.masks[sets] >> bits) & 1) * weights
        return np.array([np.bincount(self.child[sets], row, self.n_variables) for row in has])

    def cycle(self, sets: IntArray) -> int:
        """Return variables that cannot be put in order, where each has one of these sets; 0 if the graph is acyclic."""
        left = (1 << self.n_variables) - 1
        while True:
            free = sum(
                1 << int(self.child[s]) for s in sets if left >> int(self.child[s]) & 1 and not self.masks[s] & left
            )
            if not free:
                return left
            left &= ~free

    def add_cluster(self, cluster: int, level: int = 1) -> None:
        """Add one that is violated."""
        self.clusters = np.append(self.clusters, np.int64(cluster))
        self.levels = np.append(self.levels, level)

    def split(self, sets: IntArray, weights: FloatArray) -> list[IntArray]:
        """Return the sets with, and those without, the edge of which the weights are least sure."""
        edges = self._edges(sets, weights)
        parent, child = divmod(int(np.argmax(np.minimum(edges, 1.0 - edges))), self.n_variables)
        at_child, has = self.child[sets] == child, (self.masks[sets] >> parent & 1) != 0
        backward = (self.child[sets] == parent) & ((self.masks[sets] >> child & 1) != 0)
        return [sets[(~at_child | has) & ~backward], sets[~(at_child & has)]]


def _serve(clusters: Any, child: IntArray, masks: IntArray, levels: Any) -> BoolArray:
    """Return whether each set gives its child, a member of a cluster, fewer parents in it than the cluster's level."""
    is_member: BoolArray = ((clusters >> child) & 1) != 0
    few_inside: BoolArray = np.bitwise_count(clusters & masks) < levels
    return np.logical_and(is_member, few_inside)
