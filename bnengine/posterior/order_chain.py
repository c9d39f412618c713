"""A Markov chain over orderings (Friedman & Koller 2003), advanced batch by batch."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array, UInt64Array
from bnengine._jit.compiled import compiled, pointer_to
from bnengine._jit.records import handle_of, random_state, uniform
from bnengine.graphs.constraints import SearchSpace
from bnengine.posterior._order_moves import OrderState, run_moves, start_from
from bnengine.posterior.chain import Batch, Plan
from bnengine.posterior.parent_set_tables import ParentSetTables

# Edge probabilities and graphs given orderings that a chain has visited.


@compiled
def edge_means(
    visits: Int32Array,
    sums: FloatArray,
    first_sum: IntArray,
    candidates: IntArray,
    n_candidates: IntArray,
    mean: FloatArray,
    square: FloatArray,
) -> None:
    """Fill in means over the visits of P(j → i | ordering) and its square, (V, V) each; set the visits to 0.

    The parent sets of i that contain j have the share 1 - Z(m without j) / Z(m) of all those within the mask m.
    """
    mean[:], square[:] = 0.0, 0.0
    for child in range(n_candidates.shape[0]):
        first, n = first_sum[child], 0
        for mask in range(1 << n_candidates[child]):
            times = visits[first + mask]
            if times == 0:
                continue
            visits[first + mask] = 0
            n += times
            for c in range(n_candidates[child]):
                if (mask >> c) & 1:
                    share = -math.expm1(sums[first + (mask ^ (1 << c))] - sums[first + mask])
                    mean[candidates[child, c], child] += times * share
                    square[candidates[child, c], child] += times * share * share
        for c in range(n_candidates[child] if n else 0):
            mean[candidates[child, c], child] /= n
            square[candidates[child, c], child] /= n


@compiled
def draw_parent_sets(
    within: IntArray,
    masks: IntArray,
    n_sets: IntArray,
    weights: FloatArray,
    first_weight: IntArray,
    sums: FloatArray,
    first_sum: IntArray,
    random: UInt64Array,
    drawn: IntArray,
    best: IntArray,
) -> float:
    """Draw for each child a parent set within its mask, by weight, and find the heaviest one.

    Returns the log weight of the heaviest graph.
    """
    of_best = 0.0
    for child in range(within.shape[0]):
        first, mask = first_weight[child], within[child]
        total = sums[first_sum[child] + mask]
        left, chosen, heaviest = uniform(pointer_to(random)), -1, -1
        for s in range(n_sets[child]):
            weight = weights[first + s]
            if masks[s] & ~mask != 0 or weight == -np.inf:
                continue
            if heaviest < 0 or weight > weights[first + heaviest]:
                heaviest = s
            if left >= 0.0:
                chosen = s
                left -= math.exp(weight - total)
        drawn[child], best[child] = chosen, heaviest
        of_best += weights[first + heaviest]
    return of_best


_DISTANT = 0.1  # share of the moves
_RELOCATIONS = 2.0  # for every V moves: one costs about as much as V others
_HOTTEST = 0.2  # power of the last rung
_RUNGS = 0.7  # per root of the number of variables


def n_rungs(n_variables: int) -> int:
    """Return how many orderings a chain moves at once."""
    return max(2, round(_RUNGS * math.sqrt(n_variables)))


def handles_of(states: Sequence[OrderState]) -> Any:
    """Return the handles of several states, as compiled code indexes them."""
    handles = [handle_of(state) for state in states]
    return np.array(handles) if isinstance(handles[0], np.ndarray) else handles


def start_all(states: Sequence[OrderState]) -> None:
    """Take up the orderings that were put into the states; a ValueError if one has no weight."""
    if not all(np.isfinite(start_from(handle_of(state))) for state in states):
        raise ValueError(
            "no graph among the candidate parents satisfies the constraints in the ordering to start from: raise "
            "max_parents or candidates"
        )


def state_with_tables(state: OrderState, tables: ParentSetTables) -> OrderState:
    """Return the state with other tables, still to be taken up."""
    return state._replace(sums=tables.sums, first_sum=tables.first_sum, place=tables.place.astype(np.int8))


class OrderChain:
    """A chain over orderings.

    Parameters
    ----------
    tables : ParentSetTables
    orderings : sequences of int
        To start from, one for each rung; the last one for those that have none.
    rng : Generator
    stop : ndarray of uint8, shape (1,)
        Set to 1 by another thread to end a batch early.

    Raises
    ------
    ValueError
        If the ordering has no weight.
    """

    def __init__(
        self,
        tables: ParentSetTables,
        orderings: Sequence[Sequence[int]],
        rng: np.random.Generator,
        stop: UInt8Array,
    ) -> None:
        n = tables.n_variables
        self.tables = tables
        powers = np.geomspace(1.0, _HOTTEST, n_rungs(n))
        visits = np.zeros(len(tables.sums), dtype=np.int32)
        self._at = np.arange(len(powers))
        #: One for each rung, in no order.
        self.states = [
            OrderState(
                sums=tables.sums,
                first_sum=tables.first_sum,
                place=tables.place.astype(np.int8),
                ordering=np.array(orderings[min(rung, len(orderings) - 1)], dtype=np.int64),
                position=np.zeros(n, dtype=np.int64),
                masks=np.zeros(n, dtype=np.int64),
                at=np.zeros(n),
                relative=np.zeros(n),
                random=random_state(rng),
                power=np.array([power]),
                visits=visits,
                trace=np.zeros(0),
                stop=stop,
                n_variables=n,
                share_distant=_DISTANT,
                share_relocation=min(_RELOCATIONS / max(n, 1), 0.5),
            )
            for rung, power in enumerate(powers)
        ]
        start_all(self.states)

    @property
    def _cold(self) -> OrderState:
        """The state on rung 0."""
        return self.states[int(self._at[0])]

    @property
    def orderings(self) -> list[list[int]]:
        """The present ordering of each rung: columns from first to last."""
        return [self.states[int(state)].ordering.tolist() for state in self._at]

    def with_tables(self, tables: ParentSetTables) -> Self:
        """Return the chain in the same state with other tables."""
        chain = copy.copy(self)
        chain.tables, visits = tables, np.zeros(len(tables.sums), dtype=np.int32)
        chain.states = [state_with_tables(state, tables)._replace(visits=visits) for state in self.states]
        start_all(chain.states)
        return chain

    def advance(self, plan: Plan) -> Batch | None:
        """Run for one batch of the plan; None if the chain was stopped before it recorded anything."""
        n, tables = self.tables.n_variables, self.tables
        written = np.zeros(plan.records_per_graph)
        states, trace, draws = [state._replace(trace=written) for state in self.states], [], []
        handles = handles_of(states)
        for _ in range(plan.graphs_per_batch):
            recorded = run_moves(handles, self._at, plan.records_per_graph, plan.thin)
            trace.append(written[:recorded].copy())
            if recorded:
                draws.append(self._draw())
            if recorded < plan.records_per_graph:
                break
        if not draws:
            return None
        mean, square = np.zeros((n, n)), np.zeros((n, n))
        edge_means(
            self._cold.visits, tables.sums, tables.first_sum, tables.candidates, tables.n_candidates, mean, square
        )
        log_weights, (graphs, best, weights, orderings) = np.concatenate(trace), zip(*draws, strict=True)
        return Batch(
            n_records=len(log_weights),
            mean=mean,
            square=square,
            trace=log_weights,
            graphs=np.array(graphs),
            orderings=np.array(orderings, dtype=np.int32),
            best_graph=best[int(np.argmax(weights))],
        )

    def _draw(self) -> tuple[UInt8Array, UInt8Array, float, IntArray]:
        """Draw a graph given the ordering; return it, the heaviest graph, its log weight, and the ordering."""
        tables, state = self.tables, self._cold
        drawn, best = np.empty_like(state.masks), np.empty_like(state.masks)
        of_best = draw_parent_sets(
            state.masks,
            tables.masks,
            tables.n_sets,
            tables.weights,
            tables.first_weight,
            tables.sums,
            tables.first_sum,
            state.random,
            drawn,
            best,
        )
        return packed_graph(tables, drawn), packed_graph(tables, best), of_best, state.ordering.copy()


def packed_graph(tables: ParentSetTables, sets: IntArray) -> UInt8Array:
    """Return the packed adjacency matrix of a graph given by the number of each child's parent set."""
    n = tables.n_variables
    adjacency = np.zeros((n, n), dtype=np.bool_)
    chosen = (tables.masks[sets][:, None] >> np.arange(tables.candidates.shape[1])) & 1 == 1
    children, places = np.nonzero(chosen)
    adjacency[tables.candidates[children, places], children] = True
    return np.packbits(adjacency)


def ordering_near(preferred: Sequence[int], space: SearchSpace) -> list[int]:
    """Return the ordering nearest to a preferred one in which required edges point forward."""
    waiting, left, ordering = space.required.sum(axis=0), list(preferred), []
    while left:
        at = next(k for k, v in enumerate(left) if waiting[v] == 0)
        ordering.append(int(left.pop(at)))
        waiting = waiting - space.required[ordering[-1]]
    return ordering
