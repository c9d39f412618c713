"""A Markov chain over ordered partitions (Kuipers & Moffa 2017), advanced batch by batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._jit.compiled import compiled, pointer_to
from bnengine._jit.records import Handle, handle_of, record, record_from
from bnengine.posterior._ordering_sums import random_state, uniform
from bnengine.posterior._partition_moves import relocate, reverse_edge, split_or_join, swap_any, swap_neighbours
from bnengine.posterior._partitions import (
    Chain,
    add_edge_probabilities,
    chain_for,
    chain_from,
    draw_graph,
    log_weight,
    members_of,
    parent_sets_of,
    start_from_ordering,
    start_from_partition,
)
from bnengine.posterior.chain import Batch, Plan
from bnengine.posterior.order_chain import SoftTiers, handles_of
from bnengine.posterior.parent_set_tables import ParentSetTables

# Steps of a chain of partitions, and of a ladder of heated chains that exchange their partitions.
#
# From a random start a single chain of partitions stays for very long where a few edges are turned the wrong way
# round. So several chains run at once, of which rung 0 has the posterior and the others its powers below 1, which
# cross such valleys easily. Neighbours on the ladder exchange partitions by Metropolis' rule (Geyer 1991), which
# leaves the distribution of each what it is.

#: The kinds of moves, in the order of the counters.
MOVES: tuple[str, ...] = ("swap in adjacent parts", "swap", "split or join", "relocation", "edge reversal", "exchange")
SWAP_NEIGHBOURS, SWAP_ANY, SPLIT_OR_JOIN, RELOCATION, REVERSAL, EXCHANGE = 0, 1, 2, 3, 4, 5
_ROUND = 25  # steps between exchanges, and between looks at the stop flag: a few milliseconds for a thousand variables


@record
class Ladder(NamedTuple):
    """Several chains, each on one rung."""

    n_rungs: int
    powers: FloatArray  # (rungs,) falling from 1
    at: IntArray  # (rungs,) the number of the chain on each rung
    random: UInt64Array  # (1,)
    trace: FloatArray  # log weight of each partition recorded on rung 0
    tried: IntArray  # (6,) by kind of move, on rung 0
    made: IntArray  # (6,)
    stop: UInt8Array  # (1,)


ladder_from = record_from(Ladder)


@compiled
def make_move(chain: Chain, kind: int) -> bool:
    """Propose one change of that kind; returns whether it was made."""
    if kind == SWAP_NEIGHBOURS:
        return swap_neighbours(chain)
    if kind == SWAP_ANY:
        return swap_any(chain)
    if kind == SPLIT_OR_JOIN:
        return split_or_join(chain)
    if kind == RELOCATION:
        return relocate(chain)
    return reverse_edge(chain)


@compiled
def _drawn_kind(chain: Chain) -> int:
    """Draw a kind of move; a relocation takes as long as some five of the others, a reversal as some twenty."""
    u = uniform(chain.random)
    if u < 0.3:
        return SWAP_NEIGHBOURS
    if u < 0.5:
        return SWAP_ANY
    if u < 0.7:
        return SPLIT_OR_JOIN
    return RELOCATION if u < 0.9 else REVERSAL


@compiled
def make_moves(chain_handle: Handle, kind: int, n_moves: int) -> int:
    """Propose so many changes of one kind; returns how many were made."""
    chain, made = chain_from(chain_handle), 0
    for _ in range(n_moves):
        made += make_move(chain, kind)
    return made


@compiled
def _advance(ladder: Ladder, chain: Chain, rung: int, n_steps: int) -> None:
    for _ in range(n_steps):
        kind = _drawn_kind(chain)
        made = make_move(chain, kind)
        if rung == 0:
            ladder.tried[kind] += 1
            ladder.made[kind] += made


@compiled
def _exchange(ladder: Ladder, handles: Handle, rung: int) -> None:
    """Propose that the chains on a rung and on the next one change places."""
    one, other = chain_from(handles[ladder.at[rung]]), chain_from(handles[ladder.at[rung + 1]])
    gain = (ladder.powers[rung] - ladder.powers[rung + 1]) * (log_weight(other) - log_weight(one))
    ladder.tried[EXCHANGE] += 1
    if uniform(ladder.random) < math.exp(min(gain, 0.0)):
        ladder.made[EXCHANGE] += 1
        ladder.at[rung], ladder.at[rung + 1] = ladder.at[rung + 1], ladder.at[rung]
        one.power[0], other.power[0] = ladder.powers[rung + 1], ladder.powers[rung]


@compiled
def run_ladder(
    ladder_handle: Handle, handles: Handle, n_records: int, thin: int, mean: FloatArray, square: FloatArray
) -> int:
    """Record ``n_records`` partitions, ``thin`` steps apart; returns how many were, fewer if the run was stopped.

    The probabilities of the edges given each and their squares are added to ``mean`` and ``square``, (V, V).
    """
    ladder, sum_at, square_at = ladder_from(ladder_handle), pointer_to(mean), pointer_to(square)
    for number in range(n_records):
        left = thin
        while left > 0:
            if ladder.stop[0] != 0:
                return number
            n_steps = min(left, _ROUND)
            left -= n_steps
            for rung in range(ladder.n_rungs):
                _advance(ladder, chain_from(handles[ladder.at[rung]]), rung, n_steps)
            for rung in range(ladder.n_rungs - 1):
                _exchange(ladder, handles, rung)
        chain = chain_from(handles[ladder.at[0]])
        add_edge_probabilities(chain, sum_at, square_at)
        ladder.trace[number] = log_weight(chain)
    return n_records


@compiled
def write_graph(chain_handle: Handle, heaviest: bool, adjacency: BoolArray) -> float:
    """Write a graph of the partition, drawn or the heaviest, to ``adjacency``, (V, V); returns its log weight, nats."""
    chain = chain_from(chain_handle)
    weight = draw_graph(chain, heaviest)
    adjacency[:] = False
    for v in range(chain.sets.n_variables):
        for p in range(members_of(chain.sets, v, chain.graph[v], chain.parents)):
            adjacency[chain.parents[p], v] = True
    return weight


_HOTTEST = 0.1  # power of the last rung
_RUNGS = 1.3  # per root of the number of variables: neighbours then exchange about every third time


def powers_for(n_variables: int) -> FloatArray:
    """Return the powers of the posterior on the rungs, in equal ratios from 1 to 0.1."""
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
        """Return the chain in the same state with other tables."""
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
    """Draw a graph of the partition; return it, packed, and its score."""
    adjacency = np.zeros((n, n), dtype=np.bool_)
    score = write_graph(handle, heaviest, adjacency)
    return np.packbits(adjacency), float(score)
