"""The best graph of all: short lists of parent sets for each variable, then the best choice without a cycle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.settings import InR, Whole, field, setting
from bnengine._core.validation import VariableCount, validated
from bnengine._jit.compiled import Pointer, compiled, inlined, pointer_to
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import topological_order
from bnengine.scores.local_score import LocalScores
from bnengine.search import result as limits
from bnengine.search._parent_sets import BYTES_A_CANDIDATE, ParentSets, candidate_parent_sets, pieces, within_piece
from bnengine.search._parent_sets import MOST_VARIABLES as MOST_VARIABLES
from bnengine.search._proof import Proof
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
