"""The best graph of all: short lists of parent sets for each variable, then the best ordering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.display import gigabytes
from bnengine._core.settings import InR, Whole, field, setting
from bnengine._core.validation import ParentLimit, VariableCount, validated
from bnengine._jit.compiled import compiled, pointer_to
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.search import result as limits
from bnengine.search._order_graph import best_ordering_by_bounds
from bnengine.search._parent_sets import (
    BYTES_A_CANDIDATE,
    ParentSets,
    bytes_of_lists,
    candidate_parent_sets,
    lowest_bit,
    other_of,
    pieces,
    small_sets,
    within_piece,
)
from bnengine.search._parent_sets import MOST_VARIABLES as MOST_VARIABLES
from bnengine.search.edge_changes import tolerance
from bnengine.search.result import SearchResult

# How many steps the exact solution of a structure-learning problem takes, from the easiest set of graphs to all.

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class ExactProblem(NamedTuple):
    """A set of graphs, how its best member is found exactly, how the number of steps grows, and that number."""

    among: str
    method: str
    growth: str
    steps: int
    polynomial: bool


@validated
def exact_problems(n_variables: VariableCount, max_parents: ParentLimit = 3) -> list[ExactProblem]:
    """List what it takes to find the best graph exactly, from the easiest set of graphs to all.

    A step scores one family or looks one up. Finding the best of all graphs is NP-hard as soon as a variable may have
    two parents (Chickering 1996), and with three even in the limit of unlimited data (Chickering, Heckerman & Meek
    2004).

    Parameters
    ----------
    n_variables : int
    max_parents : int
        Limit in the problem with a given ordering.

    Raises
    ------
    ValueError
        If ``n_variables`` is below 1 or ``max_parents`` below 0.

    Examples
    --------
    >>> [(problem.steps, problem.polynomial) for problem in exact_problems(4, 2)]
    [(6, True), (14, True), (32, False)]
    """
    ordered = sum(math.comb(place, k) for place in range(n_variables) for k in range(max_parents + 1))
    return [
        ExactProblem(
            "trees: one parent per variable", "Chow & Liu 1968", "n²", n_variables * (n_variables - 1) // 2, True
        ),
        ExactProblem(
            f"graphs of a given ordering, at most {max_parents} parents",
            "each parent set tried",
            "n" + str(max_parents + 1).translate(_RAISED),
            ordered,
            True,
        ),
        ExactProblem(
            "all graphs",
            "dynamic programming over sets of variables",
            "n 2ⁿ",
            n_variables * 2 ** (n_variables - 1),
            False,
        ),
    ]


# The best ordering by enumerating all sets of variables (Silander & Myllymäki 2006), in 8 bytes per set.
#
# The best score of each set of variables is that of a smaller set and a last variable, which takes the best parent
# set within the smaller one. Those are not kept: they come from short lists as the sets are enumerated
# (``small_sets``).


@compiled
def _best_of_each_set(
    within: IntArray,
    smaller: IntArray,
    places: IntArray,
    starts: IntArray,
    lists: FloatArray,
    best: FloatArray,
    stop: UInt8Array,
) -> None:
    """Compute for each set of variables the best score of a graph over it; end early when ``stop`` is set.

    ``lists`` has one row per child; the last of its lists holds the scores of the child's parent sets.
    """
    n_variables = lists.shape[0]
    within_at, smaller_at, places_at = pointer_to(within), pointer_to(smaller), pointer_to(places)
    starts_at, lists_at, stop_at = pointer_to(starts), pointer_to(lists), pointer_to(stop)
    for number in range(best.shape[0]):
        best[number] = -np.inf
    best[0] = 0.0
    for number in range(best.shape[0] - 1):
        if stop_at[0] != 0:
            return
        bit = lowest_bit(number) if number else -1
        others_above = number & (number - 1)
        above = lowest_bit(others_above) if others_above else -1
        for v in range(n_variables):
            if (number >> v) & 1:
                continue
            source = v * lists.shape[1] + starts_at[other_of(above, v) if above >= 0 else n_variables - 1]
            if bit >= 0:
                other = other_of(bit, v)
                target = v * lists.shape[1] + starts_at[other]
                n_within = within_at[other]
                for i in range(n_within):
                    lists_at[target + i] = lists_at[source + i]
                for j in range(smaller_at[other]):
                    place, score = target + places_at[j], lists_at[source + n_within + j]
                    if score > lists_at[place]:
                        lists_at[place] = score
                source = target
            score = best[number] + lists_at[source]
            if score > best[number | (1 << v)]:
                best[number | (1 << v)] = score


def largest_set(candidates: Sequence[ParentSets]) -> int:
    """Return the size of the largest candidate parent set."""
    return max(int(np.bitwise_count(sets.masks).max()) for sets in candidates)


def bytes_needed(n_variables: int, max_parents: int) -> int:
    """Return the bytes for a score per set of variables, and for the lists."""
    return (8 << n_variables) + bytes_of_lists(n_variables, max_parents)


def best_ordering_of_all(
    candidates: Sequence[ParentSets], margin: float, stop: UInt8Array | None = None
) -> list[int] | None:
    """Return the best ordering of all; of last variables that tie, to ``margin``, the first column; None if stopped."""
    stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
    n = len(candidates)
    small = small_sets(n - 1, largest_set(candidates))
    lists = np.full((n, int(small.starts[-1]) + len(small.masks)), -np.inf)
    for v, sets in enumerate(candidates):
        others = (sets.masks & ((1 << v) - 1)) | (sets.masks >> (v + 1) << v)
        lists[v, small.starts[-1] + np.searchsorted(small.masks, others)] = sets.scores
    best = np.empty(1 << n)
    _best_of_each_set(small.within, small.smaller, small.places, small.starts, lists, best, stop)
    if stop[0]:
        return None
    return _read_off(candidates, best, margin)


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


_DEFAULT_MEMORY = 8 * 2**30
_SMALL = 20  # variables whose sets, a million, are enumerated faster than bounds are computed


@setting(
    tag="exact",
    label="Exact",
    help="Finds the graph with the best score within the limit on parents, by branch and bound over sets of variables. "
    "About a second for 20 variables; in the worst case the work doubles with each variable.",
    in_r=InR("tabu", exact=False),
)
class Exact:
    """The provably best graph with at most ``max_parents`` parents of each variable; its status is ``optimal``.

    For each variable the parent sets that can be part of a best graph (de Campos & Ji 2011), then the best ordering of
    each group of variables that can be each other's ancestors (Fan, Malone & Yuan 2014): up to 20 variables by going
    through all sets of them (Silander & Myllymäki 2006), beyond that by branch and bound over those sets (Yuan & Malone
    2013), and where that needs too much memory by going through all sets after all.

    Notes
    -----
    Memory counts the parent sets that are kept and the sets of variables that are gone through, 8 bytes for each of
    2**V at worst. How far branch and bound gets depends on the data: ALARM's 37 variables with 3 parents take seconds
    on some samples, and are out of reach on others.
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

    @property
    def name(self) -> str:
        return "exact"

    def _limit(self, n_variables: int) -> int:
        most = max(n_variables - 1, 0)
        return most if self.max_parents is None else min(self.max_parents, most)

    @validated
    def n_families(self, n_variables: VariableCount) -> int:
        """Return the most families to be counted: V times the number of parent sets up to ``max_parents``."""
        limit = self._limit(n_variables)
        return n_variables * sum(math.comb(n_variables - 1, k) for k in range(limit + 1))

    @validated
    def memory(self, n_variables: VariableCount) -> int:
        """Return the most bytes for any data: all parent sets kept, all sets of variables enumerated."""
        return BYTES_A_CANDIDATE * self.n_families(n_variables) + bytes_needed(n_variables, self._limit(n_variables))

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        n = len(names)
        if n > MOST_VARIABLES:
            raise ValueError(
                f"the exact search is for up to {MOST_VARIABLES} variables, and these are {n}: to go through their "
                f"sets would need {gigabytes(8 << n)}, more than the {self.max_memory / 2**30:.1f} GB allowed; "
                "choose fewer variables, or hill climbing, tabu or annealing"
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
    found = None if stop[0] else _proved_ordering(candidates, margin, max_memory, stop)
    return found or _greedy_ordering(candidates)


def _greedy_ordering(candidates: Sequence[ParentSets]) -> list[int]:
    """Return an ordering in which the variable comes next that loses least by the parents it can have then."""
    ordering: list[int] = []
    available, left = 0, list(range(len(candidates)))
    while left:
        loss = [candidates[v].scores[0] - candidates[v].best_score(available) for v in left]
        ordering.append(left.pop(int(np.argmin(loss))))
        available |= 1 << ordering[-1]
    return ordering


def _proved_ordering(
    candidates: Sequence[ParentSets], margin: float, max_memory: int, stop: UInt8Array
) -> list[int] | None:
    """Return the best ordering; None if it is stopped before one is known."""
    n = len(candidates)
    needed = bytes_needed(n, largest_set(candidates))
    # With lists as long as the tables of all sets, looking through them costs more than the tables.
    longest = sum(len(sets.masks) for sets in candidates)
    if needed <= max_memory and (n <= _SMALL or 16 * longest > 1 << n):
        return best_ordering_of_all(candidates, margin, stop)
    ordering = best_ordering_by_bounds(candidates, margin, max_memory, stop)
    if ordering is not None or stop[0]:
        return ordering
    if needed <= max_memory:
        return best_ordering_of_all(candidates, margin, stop)
    raise ValueError(
        f"{n} of the variables can be each other's ancestors: branch and bound over their sets does not end within the "
        f"{max_memory / 2**30:.1f} GB allowed, and enumerating all of them needs {gigabytes(needed)}: "
        "lower max_parents, choose fewer variables, or hill climbing, tabu or annealing"
    )
