"""The best graph given an ordering: for each variable the best parent set among those before it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bnengine._core.compiled import compiled, pointer_to
from bnengine._core.settings import Names, Whole, setting
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores, Problem, configurations, families_of, local_score, upper_bound
from bnengine.search import _limits as limits
from bnengine.search._parents import FloatArray, IntArray, tolerance
from bnengine.search.k2 import checked_ordering, refuse_backward
from bnengine.search.result import SearchResult

#: More families than this are refused; at a microsecond each this is about two minutes.
LARGEST_SEARCH = 100_000_000


@compiled
def _best_sets(
    problem: Problem,
    ordering: IntArray,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    adjacency: Adjacency,
    totals: FloatArray,
) -> float:
    """Fill ``adjacency`` with each variable's best parent set, and ``totals`` with the score so far."""
    families = families_of(problem)
    counter = families.counter
    n_variables = ordering.shape[0]
    least_gain = tolerance(counter.n_rows)
    free = np.empty(n_variables + 1, dtype=np.int64)
    chosen = np.empty(n_variables + 1, dtype=np.int64)
    parents = np.empty(n_variables + 1, dtype=np.int64)
    total = 0.0
    for place in range(n_variables):
        child = ordering[place]
        arity = float(counter.arities[child])
        n_free = 0
        n_required = 0
        for v in range(n_variables):
            if required[v, child]:
                adjacency[v, child] = True
                n_required += 1
            elif allowed[v, child]:
                free[n_free] = v
                n_free += 1
        best = -np.inf
        largest = min(max_parents - n_required, n_free)
        for size in range(largest + 1):
            for i in range(size):
                chosen[i] = i
            while True:
                k = 0
                at = 0
                for v in range(n_variables):  # the required and the chosen, in column order
                    if required[v, child]:
                        parents[k] = v
                        k += 1
                    elif at < size and free[chosen[at]] == v:
                        parents[k] = v
                        k += 1
                        at += 1
                q = configurations(families, pointer_to(parents), k)
                if upper_bound(families, q, arity, k) > best:
                    score = local_score(families, child, pointer_to(parents), k)
                    if score > best + least_gain or best == -np.inf:
                        best = score
                        adjacency[:, child] = False
                        for i in range(k):
                            adjacency[parents[i], child] = True
                i = size - 1
                while i >= 0 and chosen[i] == n_free - size + i:
                    i -= 1
                if i < 0:
                    break
                chosen[i] += 1
                for later in range(i + 1, size):
                    chosen[later] = chosen[later - 1] + 1
        total += best
        totals[place] = total
    return total


@setting(tag="fixed_ordering", label="Exact, given an ordering")
class FixedOrdering:
    """The provably best graph in which every edge goes forward in an ordering and no family exceeds ``max_parents``.

    Given an ordering the families are independent, so each variable's parent sets are tried one by one (Buntine 1991;
    Koller & Friedman 2009, Sec. 18.4.2). Where K2 adds parents greedily, this finds pairs that gain only together. The
    work grows with the number of variables to the power of ``max_parents``.
    """

    ordering: Names | None = limits.ordering()
    max_parents: Whole | None = limits.parent_limit(3)

    @property
    def name(self) -> str:
        return "fixed ordering, exact"

    def n_families(self, n_variables: int) -> int:
        """How many families there are to try: the sum over places p of binom(p, 0 … max_parents)."""
        return _n_families(n_variables, n_variables - 1 if self.max_parents is None else self.max_parents)

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        n_families = _n_families(len(names), space.max_parents)
        if n_families > LARGEST_SEARCH:
            raise ValueError(
                f"{len(names)} variables with up to {space.max_parents} parents have {n_families:,} families to try, "
                f"more than {LARGEST_SEARCH:,}: lower max_parents"
            )
        ordering = checked_ordering(names, self.ordering)
        forward = refuse_backward(names, ordering, space)
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        totals = np.zeros(len(names))
        total = _best_sets(
            scores.problem, ordering, space.allowed & forward, space.required, space.max_parents, adjacency, totals
        )
        return SearchResult(adjacency, float(total), scores.n_scored, "converged", totals)


def _n_families(n_variables: int, max_parents: int) -> int:
    return sum(math.comb(place, k) for place in range(n_variables) for k in range(min(max_parents, place) + 1))
