"""The best graph of all, by dynamic programming over sets of variables (Silander & Myllymäki 2006)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnengine._compiled import compiled, pointer_to
from bnengine.constraints import SearchSpace
from bnengine.families import (
    LocalScores,
    Problem,
    ceiling,
    configurations,
    families_of,
    local_score_and_bound,
)
from bnengine.graph import Adjacency
from bnengine.search._families import IntArray, tolerance
from bnengine.search.found import Found
from bnengine.search_space_size import gigabytes

_BYTES_A_SET = 12  # a score and a parent set for each variable and each set of the others
_DEFAULT_MEMORY = 8 * 2**30


def members(number: int, child: int, n_variables: int) -> list[int]:
    """The variables in a set of the child's others, whose bit v stands for variable v, or v + 1 beyond the child."""
    return [v if v < child else v + 1 for v in range(n_variables - 1) if number >> v & 1]


@compiled
def parents_in(number: int, child: int, n_variables: int, out: IntArray) -> int:
    """Write the set's members, as in ``members``; returns how many."""
    k = 0
    for v in range(n_variables - 1):
        if (number >> v) & 1:
            out[k] = v if v < child else v + 1
            k += 1
    return k


@compiled
def _best_parent_sets(
    problem: Problem,
    child: int,
    allowed: int,
    required: int,
    max_parents: int,
    scores: npt.NDArray[np.float64],
    sets: npt.NDArray[np.uint32],
) -> int:
    """For each set of the other variables the best parent set within it; returns how many families were counted.

    Sets are visited so that subsets come first. A set is not counted if its charge, or the bound that a subset left
    (see ``local_score_and_bound``), shows that it cannot beat the best of its subsets.
    """
    families = families_of(problem)
    n_variables = families.counter.n_variables
    arity = float(families.counter.arities[child])
    margin = tolerance(families.counter.n_rows)
    parents = np.empty(n_variables + 1, dtype=np.int64)
    hopeless = np.zeros(scores.shape[0], dtype=np.uint8)  # neither the set nor any superset can be best
    counted = 0
    for number in range(scores.shape[0]):
        best, best_set, below = -np.inf, np.uint32(0), False
        rest = number
        while rest:
            bit = rest & -rest
            rest ^= bit
            subset = number ^ bit
            below = below or hopeless[subset] == 1
            if scores[subset] > best + margin or (best == -np.inf and scores[subset] > best):
                best, best_set = scores[subset], sets[subset]
        hopeless[number] = 1 if below else 0
        if not below and number & ~allowed == 0:
            k = parents_in(number, child, n_variables, parents)
            if k <= max_parents and required & ~number == 0:
                q = configurations(families, pointer_to(parents), k)
                if ceiling(families, q, arity, k) > best:
                    score, bound = local_score_and_bound(families, child, pointer_to(parents), k)
                    counted += 1
                    if score > best + margin or best == -np.inf:
                        best, best_set = score, np.uint32(number)
                    if bound <= best and required == 0:
                        hopeless[number] = 1
        scores[number] = best
        sets[number] = best_set
    return counted


@compiled
def without(number: int, child: int) -> int:
    """The set without the child's bit, closed up: a number over the other variables."""
    low = number & ((1 << child) - 1)
    return low | ((number >> (child + 1)) << child)


@compiled
def _best_sinks(
    scores: npt.NDArray[np.float64], margin: float, best: npt.NDArray[np.float64], sinks: npt.NDArray[np.int8]
) -> None:
    """For each set of variables the best score of a graph over it, and the last variable of that graph's ordering."""
    n_variables = scores.shape[0]
    best[0] = 0.0
    for number in range(1, 1 << n_variables):
        best[number] = -np.inf
        sinks[number] = -1
        for v in range(n_variables):
            if (number >> v) & 1:
                score = best[number ^ (1 << v)] + scores[v, without(number ^ (1 << v), v)]
                if score > best[number] + margin or sinks[number] < 0:
                    best[number] = score
                    sinks[number] = v


@dataclass(frozen=True)
class Exact:
    """The provably best graph: its result says ``optimal``.

    For every variable and every set of others the best parent set within that set, then for every set of variables the
    best last one. Parent sets that cannot matter are not counted: by their penalty, and under a marginal likelihood by
    the number of configurations their subsets observe (de Campos & Ji 2011).

    Parameters
    ----------
    max_parents : int, optional
        Largest number of parents of any variable; None for no limit.
    max_memory : int
        Bytes; a larger table, V 2**(V - 1) * 12, is refused before it is begun.
    """

    max_parents: int | None = None
    max_memory: int = _DEFAULT_MEMORY

    @property
    def name(self) -> str:
        return "exact"

    @staticmethod
    def memory(n_variables: int) -> int:
        """Bytes that the tables need: 12 V 2**(V - 1), and 9 for each of the 2**V sets."""
        return (_BYTES_A_SET * n_variables << max(n_variables - 1, 0)) + (9 << n_variables)

    def n_families(self, n_variables: int) -> int:
        """Most families that may have to be counted: V times the number of parent sets up to ``max_parents``."""
        limit = n_variables - 1 if self.max_parents is None else min(self.max_parents, n_variables - 1)
        return n_variables * sum(math.comb(n_variables - 1, k) for k in range(limit + 1))

    def find(self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator) -> Found:
        n = len(names)
        if n > 30 or self.memory(n) > self.max_memory:
            raise ValueError(
                f"the exact search over {n} variables needs 12 · V · 2^(V−1) + 9 · 2^V bytes = "
                f"{gigabytes(self.memory(n))}, more than the {self.max_memory / 2**30:.1f} GB allowed: "
                "choose fewer variables, or hill climbing, tabu or annealing"
            )
        best_scores = np.empty((n, 2 ** (n - 1)))
        best_sets = np.empty((n, 2 ** (n - 1)), dtype=np.uint32)
        counted = 0
        for child in range(n):
            others = [v for v in range(n) if v != child]
            allowed = sum(1 << b for b, v in enumerate(others) if space.allowed[v, child])
            required = sum(1 << b for b, v in enumerate(others) if space.required[v, child])
            counted += _best_parent_sets(
                scores.problem, child, allowed, required, space.max_parents, best_scores[child], best_sets[child]
            )
        best, sinks = np.empty(2**n), np.empty(2**n, dtype=np.int8)
        _best_sinks(best_scores, tolerance(scores.problem.sample.n_rows), best, sinks)
        adjacency, trace = _read_off(best_sets, best, sinks, n)
        return Found(adjacency, float(best[-1]), counted, "optimal", trace)


def _read_off(
    sets: npt.NDArray[np.uint32], best: npt.NDArray[np.float64], sinks: npt.NDArray[np.int8], n: int
) -> tuple[Adjacency, npt.NDArray[np.float64]]:
    """The best graph from the tables, last variable first; and the scores of its first 1, 2, … variables."""
    adjacency = np.zeros((n, n), dtype=np.bool_)
    remaining, trace = 2**n - 1, []
    while remaining:
        trace.append(float(best[remaining]))
        sink = int(sinks[remaining])
        remaining ^= 1 << sink
        parents = members(int(sets[sink, without(remaining, sink)]), sink, n)
        adjacency[parents, sink] = True
    return adjacency, np.array(trace[::-1])
