"""A Markov chain over ordered partitions (Kuipers & Moffa 2017), advanced batch by batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.records import handle_of
from bnengine.posterior._partition_graphs import start_from_ordering
from bnengine.posterior._partition_ladder import MOVES, Ladder, run_ladder, write_graph
from bnengine.posterior._partition_sets import parent_sets_of
from bnengine.posterior._partition_state import Chain, chain_for, start_from_partition
from bnengine.posterior._uniform import random_state
from bnengine.posterior.chain import Batch, Plan
from bnengine.posterior.order_chain import handles_of
from bnengine.posterior.order_prior import SoftTiers
from bnengine.posterior.parent_set_tables import ParentSetTables

_HOTTEST = 0.1  # power of the last rung
_RUNGS = 1.3  # per root of the number of variables: neighbours then exchange about every third time


def powers_for(n_variables: int) -> FloatArray:
    """Powers of the posterior that the chains on the rungs have, in equal ratios from 1 to 0.1."""
    return np.geomspace(1.0, _HOTTEST, max(2, round(_RUNGS * math.sqrt(n_variables))))


class PartitionChain:
    """A chain over ordered partitions, whose prior over graphs is a product over families and of nothing else.

    Parameters
    ----------
    tables : ParentSetTables
    prior : SoftTiers
        Uniform; partitions know no orderings.
    names : sequence of str
    orderings : sequences of int
        To start from, one for each rung, which begins with a graph drawn given it; the last one for those without.
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
        n, powers, sets = len(names), powers_for(len(names)), parent_sets_of(tables)
        self.tables = tables
        self._chains = [chain_for(sets, rng, power) for power in powers]
        self._ladder = Ladder(
            n_rungs=len(powers),
            powers=powers,
            at=np.arange(len(powers)),
            random=random_state(rng),
            trace=np.zeros(0),
            tried=np.zeros(len(MOVES), dtype=np.int64),
            made=np.zeros(len(MOVES), dtype=np.int64),
            stop=stop,
        )
        for rung, chain in enumerate(self._chains):
            chain.now.part[np.array(orderings[min(rung, len(orderings) - 1)], dtype=np.int64)] = np.arange(n)
            _start(chain)

    @property
    def ordering(self) -> IntArray:
        """An ordering that the partition allows: columns from first to last."""
        return self._chains[int(self._ladder.at[0])].now.order.copy()

    def retabled(self, tables: ParentSetTables) -> Self:
        """The chain in the same state with other tables."""
        other, sets = object.__new__(type(self)), parent_sets_of(tables)
        other.tables, other._ladder = tables, self._ladder
        other._chains = [chain._replace(sets=sets) for chain in self._chains]
        for chain in other._chains:
            ordering = chain.now.order.copy()
            if not np.isfinite(start_from_partition(handle_of(chain), int(chain.now.n_parts[0]))):
                chain.now.part[ordering] = np.arange(len(ordering))
                _start(chain)
        return other

    def advance(self, plan: Plan) -> Batch | None:
        """Run for one batch of the plan; None if the chain was stopped before it recorded anything."""
        n = self.tables.n_variables
        ladder = self._ladder._replace(trace=np.zeros(plan.records_per_graph))
        handles, mean, square = handles_of(self._chains), np.zeros((n, n)), np.zeros((n, n))
        ladder.tried[:], ladder.made[:] = 0, 0
        trace: list[FloatArray] = []
        drawn, best = [], (np.zeros(0, dtype=np.uint8), -math.inf)
        for _ in range(plan.graphs_per_batch):
            recorded = run_ladder(handle_of(ladder), handles, plan.records_per_graph, plan.thin, mean, square)
            trace.append(ladder.trace[:recorded].copy())
            if recorded:
                number = int(ladder.at[0])
                drawn.append(_graph(handles[number], n, heaviest=False))
                best = max(best, _graph(handles[number], n, heaviest=True), key=lambda graph: graph[1])
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
            proposed=ladder.tried.copy(),
            accepted=ladder.made.copy(),
        )


def _start(chain: Chain) -> None:
    if not start_from_ordering(handle_of(chain)):
        raise ValueError(
            "no graph among the candidate parents satisfies the constraints in the ordering to start from: raise "
            "max_parents or candidates"
        )


def _graph(handle: Any, n: int, *, heaviest: bool) -> tuple[UInt8Array, float]:
    """A graph of the partition, packed, and its score."""
    adjacency = np.zeros((n, n), dtype=np.bool_)
    score = write_graph(handle, heaviest, adjacency)
    return np.packbits(adjacency), float(score)
