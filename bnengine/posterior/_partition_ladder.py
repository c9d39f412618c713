"""Steps of a chain of partitions, and of a ladder of heated chains that exchange their partitions.

From a random start a single chain of partitions stays for very long where a few edges are turned the wrong way round.
So several chains run at once, of which rung 0 has the posterior and the others its powers below 1, which cross such
valleys easily. Neighbours on the ladder exchange partitions by Metropolis' rule (Geyer 1991), which leaves the
distribution of each what it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._core.compiled import compiled, pointer_to
from bnengine._core.records import Handle, record, record_from
from bnengine.posterior._partition_graphs import add_edge_probabilities, draw_graph
from bnengine.posterior._partition_moves import split_or_join, swap_any, swap_neighbours
from bnengine.posterior._partition_relocation import relocate
from bnengine.posterior._partition_reversal import reverse_edge
from bnengine.posterior._partition_state import Chain, chain_from, log_weight
from bnengine.posterior._partition_tables import members_of
from bnengine.posterior._uniform import uniform

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
    """A kind of move; a relocation and a reversal take as long as some five and twenty of the others."""
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
