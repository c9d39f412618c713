"""A Markov chain over graphs, each of which counts once, with an ordering that each fits; advanced batch by batch."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine.posterior._graph_moves import MOVES, PairState, ParentSets, run_pairs, start_from, write_graph
from bnengine.posterior._order_moves import OrderState
from bnengine.posterior.chain import Batch, Plan
from bnengine.posterior.order_chain import OrderChain, SoftTiers, handles_of, start_all, with_tables
from bnengine.posterior.parent_set_tables import ParentSetTables

# Shares of the moves, chosen on ALARM with 1,000 rows; the rest are adjacent swaps.
_DISTANT, _PARENTS = 0.3, 0.02
_SORTS = 1.0  # for every V moves

_SORTED: WeakKeyDictionary[ParentSetTables, ParentSets] = WeakKeyDictionary()


def parent_sets_of(tables: ParentSetTables) -> ParentSets:
    """Return the parent sets of the tables, sorted once for all chains."""
    if tables not in _SORTED:
        _SORTED[tables] = _sorted_sets(tables)
    return _SORTED[tables]


def _sorted_sets(tables: ParentSetTables) -> ParentSets:
    masks, weights = [], []
    for child in range(tables.n_variables):
        log_weights = tables.weights_of(child)
        order = np.argsort(-log_weights, kind="stable")[: int(np.isfinite(log_weights).sum())]
        masks.append(tables.masks[order])
        weights.append(log_weights[order])
    is_candidate = tables.place >= 0  # [child, parent]
    children = np.nonzero(is_candidate.T)[1].astype(np.int64)
    return ParentSets(
        first_candidate=_starts(tables.n_candidates),
        candidates=np.concatenate([tables.candidates_of(child) for child in range(tables.n_variables)]),
        first_set=_starts([len(of_child) for of_child in masks]),
        masks=np.concatenate(masks),
        weights=np.concatenate(weights),
        first_child=_starts(is_candidate.sum(axis=0)),
        children=children,
    )


def _starts(counts: Any) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def pair_state_for(order: OrderState, sets: ParentSets, tried: IntArray, made: IntArray) -> PairState:
    """Return the state of a pair that is still to be started; the counters are those of its chain."""
    n = order.n_variables
    return PairState(
        order=order._replace(share_distant=_DISTANT, visits=np.zeros(0, dtype=np.int32)),
        sets=sets,
        chosen=np.zeros(n, dtype=np.int64),
        last=np.zeros(n, dtype=np.int64),
        available=np.zeros(n + 1, dtype=np.int64),
        logs=np.log(np.maximum(np.arange(-n, n + 2), 1)),
        old_masks=np.zeros(n, dtype=np.int64),
        old_chosen=np.zeros(n, dtype=np.int64),
        old_last=np.zeros(n, dtype=np.int64),
        old_available=np.zeros(n + 1, dtype=np.int64),
        tried=tried,
        made=made,
        share_parents=_PARENTS,
        share_sort=min(_SORTS / max(n, 1), 0.25),
    )


class GraphChain:
    """A chain over pairs of a graph and an ordering, whose prior over graphs is a product over families and no more.

    Parameters
    ----------
    tables : ParentSetTables
    prior : SoftTiers
        Uniform; a graph's weight does not depend on orderings.
    names : sequence of str
    orderings : sequences of int
        To start from, one for each rung; the last one for those that have none.
    rng : Generator
    stop : ndarray of uint8, shape (1,)
        Set to 1 by another thread to end a batch early.

    Raises
    ------
    ValueError
        If no graph has any weight in that ordering.
    """

    moves = MOVES

    def __init__(
        self,
        tables: ParentSetTables,
        prior: SoftTiers,
        names: Sequence[str],
        orderings: Sequence[Sequence[int]],
        rng: np.random.Generator,
        stop: UInt8Array,
    ) -> None:
        orders = OrderChain(tables, prior, names, orderings, rng, stop)
        sets, (tried, made) = parent_sets_of(tables), np.zeros((2, len(MOVES)), dtype=np.int64)
        self.tables, self._at = tables, np.arange(len(orders.states))
        self._states = [pair_state_for(order, sets, tried, made) for order in orders.states]
        start_all(start_from, self._states)

    @property
    def cold(self) -> PairState:
        """The pair on rung 0."""
        return self._states[int(self._at[0])]

    @property
    def ordering(self) -> IntArray:
        """An ordering that the graph fits: columns from first to last."""
        return self.cold.order.ordering.copy()

    def retabled(self, tables: ParentSetTables) -> Self:
        """Return the chain at the same orderings with other tables, a graph being drawn given each."""
        chain, sets = copy.copy(self), parent_sets_of(tables)
        chain.tables = tables
        chain._states = [state._replace(order=with_tables(state.order, tables), sets=sets) for state in self._states]
        start_all(start_from, chain._states)
        return chain

    def advance(self, plan: Plan) -> Batch | None:
        """Run for one batch of the plan; None if the chain was stopped before it recorded anything."""
        n, written = self.tables.n_variables, np.zeros(plan.records_per_graph)
        handles, (mean, square) = handles_of(self._states), np.zeros((2, n, n))
        tried, made = self._states[0].tried, self._states[0].made
        tried[:], made[:] = 0, 0
        trace: list[FloatArray] = []
        drawn, best = [], (np.zeros(0, dtype=np.uint8), -math.inf)
        for _ in range(plan.graphs_per_batch):
            recorded = run_pairs(handles, self._at, plan.records_per_graph, plan.thin, written, mean, square)
            trace.append(written[:recorded].copy())
            if recorded:
                handle = handles[int(self._at[0])]
                drawn.append(_graph(handle, n, heaviest=False))
                best = max(best, _graph(handle, n, heaviest=True), key=lambda graph: graph[1])
            if recorded < plan.records_per_graph:
                break
        log_weights = np.concatenate(trace)
        if not drawn:
            return None
        return Batch(
            n_records=len(log_weights),
            mean=mean / len(log_weights),
            square=square / len(log_weights),
            trace=log_weights,
            graphs=np.array([graph for graph, _ in drawn]),
            orderings=np.zeros((len(drawn), 0), dtype=np.int32),
            scores=np.array([score for _, score in drawn]),
            best_graph=best[0],
            best_score=best[1],
            proposed=tried.copy(),
            accepted=made.copy(),
        )


def _graph(handle: Any, n: int, *, heaviest: bool) -> tuple[UInt8Array, float]:
    """Return the graph, or the heaviest one of its ordering, packed, and its score."""
    adjacency = np.zeros((n, n), dtype=np.bool_)
    score = write_graph(handle, heaviest, adjacency)
    return np.packbits(adjacency), float(score)
