"""The best graph of all: short lists of parent sets for each variable, then the best ordering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine._core.settings import InR, Whole, field, setting
from bnengine._core.validation import ParentLimit, VariableCount, validated
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.search import result as limits
from bnengine.search._order_graph import best_ordering_by_bounds, best_ordering_of_all
from bnengine.search._parent_sets import BYTES_A_CANDIDATE, ParentSets, candidate_parent_sets, pieces, within_piece
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

    Returns
    -------
    list of ExactProblem

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
    pairs, growth = n_variables * (n_variables - 1) // 2, "n" + str(max_parents + 1).translate(_RAISED)
    of_ordering = f"graphs of a given ordering, at most {max_parents} parents"
    sets = n_variables * 2 ** (n_variables - 1)
    return [
        ExactProblem("trees: one parent per variable", "Chow & Liu 1968", "n²", pairs, True),
        ExactProblem(of_ordering, "each parent set tried", growth, ordered, True),
        ExactProblem("all graphs", "dynamic programming over sets of variables", "n 2ⁿ", sets, False),
    ]


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
    2013).

    Notes
    -----
    Memory counts the parent sets that are kept and the sets of variables that branch and bound holds at once. How far
    it gets depends on the data: ALARM's 37 variables with 3 parents take seconds on some samples, and are out of reach
    on others.
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
    if len(candidates) <= _SMALL:
        return best_ordering_of_all(candidates, margin, stop)
    ordering = best_ordering_by_bounds(candidates, margin, max_memory, stop)
    if ordering is not None or stop[0]:
        return ordering
    raise ValueError(
        f"{len(candidates)} of the variables can be each other's ancestors: branch and bound over their sets does not "
        f"end within the {max_memory / 2**30:.1f} GB allowed: lower max_parents, choose fewer variables, or hill "
        "climbing, tabu or annealing"
    )
