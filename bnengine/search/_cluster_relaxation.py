"""How high the score of an acyclic graph can be: a linear program over parent sets, clusters, and branches.

A weight between 0 and 1 for each candidate parent set of each variable, those of a variable summing to 1, relaxes the
choice of a graph. In an acyclic graph every set of variables, a *cluster*, has a member with no parent in it (Jaakkola,
Sontag, Globerson & Meila 2010); clusters that the weights violate are added (Bartlett & Cussens 2013), and where none
is found the question is split: with an edge, and without it.

The bound is that of Lagrange: for any prices of the clusters, none negative, each variable takes the parent set that is
worth most, by its score and the prices of the clusters that it serves. It holds however exactly the program was solved.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine.search._parent_sets import ParentSets

_VIOLATED = 1e-4  # by how much a cluster must be violated to be added
_PRESENT = 1e-6  # the weight from which a parent set counts as present
_ROUNDS = 12  # of added clusters in a branch, before it is split again
_LARGEST_EXCESS = 1.5  # a growing cluster is given up where more than this serves it


class ClusterRelaxation:
    """The program over all candidate parent sets, which are numbered through, and the clusters found so far.

    Parameters
    ----------
    candidates : sequence of ParentSets
        Of each variable.
    """

    def __init__(self, candidates: Sequence[ParentSets]) -> None:
        self.n_variables = len(candidates)
        self.child = np.concatenate([np.full(len(sets.masks), v) for v, sets in enumerate(candidates)])
        self.masks: IntArray = np.concatenate([sets.masks for sets in candidates])
        self.scores: FloatArray = np.concatenate([sets.scores for sets in candidates])
        self.clusters: IntArray = np.zeros(0, dtype=np.int64)

    def start(self) -> IntArray:
        """The numbers of all parent sets that are possible."""
        return np.flatnonzero(np.isfinite(self.scores))

    def _serves(self, sets: IntArray) -> BoolArray:
        """Whether each set gives its child, a member of the cluster, no parent in it: shape (clusters, sets)."""
        clusters = self.clusters[:, None]
        is_member: BoolArray = ((clusters >> self.child[sets]) & 1) != 0
        has_none_inside: BoolArray = (clusters & self.masks[sets]) == 0
        return np.logical_and(is_member, has_none_inside)

    def solve(self, sets: IntArray) -> tuple[FloatArray, FloatArray] | None:
        """The best weights of these sets and the prices of the clusters; None if no weights serve every cluster."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        n_sets = len(sets)
        top = np.full(self.n_variables, -np.inf)
        np.maximum.at(top, self.child[sets], self.scores[sets])
        if not np.isfinite(top).all():
            return None
        sums = csr_matrix((np.ones(n_sets), (self.child[sets], np.arange(n_sets))), shape=(self.n_variables, n_sets))
        serves = csr_matrix(self._serves(sets), dtype=np.float64)
        solved = linprog(
            top[self.child[sets]] - self.scores[sets],
            A_ub=-serves if len(self.clusters) else None,
            b_ub=-np.ones(len(self.clusters)) if len(self.clusters) else None,
            A_eq=sums,
            b_eq=np.ones(self.n_variables),
            method="highs",
        )
        if solved.x is None:
            return None
        prices = np.maximum(-solved.ineqlin.marginals, 0.0) if len(self.clusters) else np.zeros(0)
        return np.asarray(solved.x), prices

    def bound(self, sets: IntArray, prices: FloatArray) -> tuple[float, FloatArray]:
        """What no acyclic graph of these sets exceeds, and none that holds the set in question, nats."""
        worth = self.scores[sets] + prices @ self._serves(sets)
        most = np.full(self.n_variables, -np.inf)
        np.maximum.at(most, self.child[sets], worth)
        bound = float(most.sum() - prices.sum())
        return bound, bound + worth - most[self.child[sets]]

    def tighten(self, sets: IntArray, weights: FloatArray, thoroughly: bool) -> int:
        """Add clusters that the weights violate; returns how many. If ``thoroughly``, none only where there is none."""
        present = weights > _PRESENT
        sets, weights = sets[present], weights[present]
        found = {self._grown_from(v, sets, weights) for v in range(self.n_variables)} - {0}
        known = set(self.clusters.tolist())
        new = sorted(found - known)
        if thoroughly and not new:
            new = sorted({self._most_violated(sets, weights)} - known - {0})
        self.clusters = np.array([*self.clusters.tolist(), *new], dtype=np.int64)
        return len(new)

    def keep_clusters(self, kept: BoolArray) -> None:
        """Forget the other clusters."""
        self.clusters = self.clusters[kept]

    def _grown_from(self, start: int, sets: IntArray, weights: FloatArray) -> int:
        """The most violated cluster met when the variable that serves least is added again and again; 0 if none."""
        child, masks = self.child[sets], self.masks[sets]
        cluster, found, least = 1 << start, 0, 1.0 - _VIOLATED
        bits = np.int64(1) << np.arange(self.n_variables)
        for _ in range(self.n_variables - 1):
            larger = (cluster | bits)[:, None]
            served = ((((larger >> child) & 1) != 0) & ((larger & masks) == 0)) @ weights
            served[(cluster & bits) != 0] = np.inf
            v = int(np.argmin(served))
            if served[v] > _LARGEST_EXCESS:
                break
            cluster |= int(bits[v])
            if served[v] < least:
                found, least = cluster, float(served[v])
        return found

    def _most_violated(self, sets: IntArray, weights: FloatArray) -> int:
        """The most violated cluster by a program of its own (Bartlett & Cussens 2013); 0 if none is violated.

        Its whole numbers say which variables are members; the others, which sets give a member a parent among them.
        What serves the cluster is the number of its members less the weights of those sets.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_matrix

        n, k = self.n_variables, len(sets)
        holds = ((self.masks[sets][:, None] >> np.arange(n)) & 1).astype(np.float64)
        is_child = np.zeros((k, n))
        is_child[np.arange(k), self.child[sets]] = 1.0
        inside = np.block([[-is_child, np.eye(k)], [-holds, np.eye(k)]])
        two_at_least = np.concatenate([np.ones(n), np.zeros(k)])[None]
        found = milp(
            np.concatenate([np.ones(n), -weights]),
            constraints=[LinearConstraint(csr_matrix(inside), -np.inf, 0), LinearConstraint(two_at_least, 2, np.inf)],
            integrality=two_at_least[0],
            bounds=Bounds(0, 1),
        )
        if found.x is None or found.fun > 1 - _VIOLATED:
            return 0
        return sum(1 << v for v in range(n) if found.x[v] > 0.5)

    def cycle(self, sets: IntArray) -> int:
        """The variables that cannot be put in order, where each has one of these sets; 0 if the graph is acyclic."""
        left = (1 << self.n_variables) - 1
        while True:
            free = sum(
                1 << int(self.child[s]) for s in sets if left >> int(self.child[s]) & 1 and not self.masks[s] & left
            )
            if not free:
                return left
            left &= ~free

    def add_cluster(self, cluster: int) -> None:
        """Add one that is violated."""
        self.clusters = np.append(self.clusters, np.int64(cluster))

    def split(self, sets: IntArray, weights: FloatArray) -> list[IntArray]:
        """The sets with, and those without, the edge of which the weights are least sure."""
        n = self.n_variables
        edges = np.zeros((n, n))
        for v in range(n):
            has = (self.masks[sets] >> v) & 1
            edges[v] = np.bincount(self.child[sets], weights * has, n)
        parent, child = divmod(int(np.argmax(np.minimum(edges, 1.0 - edges))), n)
        at_child, has = self.child[sets] == child, (self.masks[sets] >> parent & 1) != 0
        backward = (self.child[sets] == parent) & ((self.masks[sets] >> child & 1) != 0)
        return [sets[(~at_child | has) & ~backward], sets[~(at_child & has)]]


class Proof:
    """The attempt to prove that no acyclic graph of some parent sets scores above a given one.

    Parameters
    ----------
    candidates : sequence of ParentSets
        Of each variable.
    floor : float
        The score of the given graph, nats.
    margin : float
        Differences below this are rounding, nats.

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

    def run(self, told: Callable[[], bool]) -> bool:
        """Go on until nothing is left to prove, or ``told``, asked after each step, is True; returns which."""
        is_root = True
        while self._waiting:
            negative, _, sets = heapq.heappop(self._waiting)
            if -negative > self.floor + self._margin and self._explore(-negative, sets, is_root, told):
                return False
            is_root = False
            self._note(self.floor)
        self.bound = max(self.floor, self._settled)
        return True

    def _note(self, of_branch: float) -> None:
        """Lower the bound to the highest of what is left."""
        highest = -self._waiting[0][0] if self._waiting else self.floor
        self.bound = min(self.bound, max(highest, of_branch, self.floor, self._settled))

    def _explore(self, bound: float, sets: IntArray, is_root: bool, told: Callable[[], bool]) -> bool:
        """Tighten a branch until it is closed, or split it; returns whether it was left early."""
        program, rounds = self._program, 0
        while True:
            if told():
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
            if (is_root or rounds < _ROUNDS) and program.tighten(sets, weights, is_root):
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
