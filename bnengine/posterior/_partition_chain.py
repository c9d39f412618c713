"""A chain of ordered partitions: what it is made of, its steps, and what is read off it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled, pointer_to
from bnengine._core.records import Handle
from bnengine.posterior._partition_graphs import add_edge_probabilities, draw_graph
from bnengine.posterior._partition_moves import split_or_join, swap_any, swap_neighbours
from bnengine.posterior._partition_relocation import relocate
from bnengine.posterior._partition_reversal import reverse_edge
from bnengine.posterior._partition_state import Chain, Partition, chain_from, uniform
from bnengine.posterior._partition_tables import FloatArray, ParentSets, members_of

#: The moves, and how often each is tried. A relocation and a reversal cost as much as some ten of the others.
MOVES = ("swap of neighbours", "swap", "split or join", "relocation", "edge reversal")
SHARES = (0.3, 0.2, 0.2, 0.2, 0.1)


def _empty_partition(n: int) -> Partition:
    whole = np.int64
    return Partition(
        part=np.zeros(n, whole),
        order=np.zeros(n, whole),
        first=np.zeros(n + 2, whole),
        n_parts=np.zeros(1, whole),
        weights=np.zeros(n),
    )


def partition_chain(sets: ParentSets, rng: np.random.Generator, shares: npt.ArrayLike = SHARES) -> Chain:
    """A chain with random numbers of its own, which still has to be given a partition to begin at."""
    n, whole = sets.n_variables, np.int64
    return Chain(
        sets=sets,
        now=_empty_partition(n),
        proposed=_empty_partition(n),
        random=rng.integers(0, 2**64, 1, dtype=np.uint64),
        power=np.ones(1),
        shares=np.array(shares, dtype=np.float64),
        tried=np.zeros(len(MOVES), whole),
        made=np.zeros(len(MOVES), whole),
        level=np.zeros(n, whole),
        other_level=np.zeros(n, whole),
        graph=np.zeros(n, whole),
        parents=np.zeros(n + 1, whole),
        after=np.zeros(n + 2),
        within=np.zeros(n + 2),
        alone=np.zeros(n + 2),
        before=np.zeros(n + 2),
        own=np.zeros(n + 2),
        places=np.zeros(2 * n + 3),
        strangers=np.zeros(n + 2, whole),
    )


@compiled
def _drawn_move(chain: Chain) -> int:
    """The number of a move, drawn by the shares."""
    left, move = uniform(chain.random), 0
    while move < 4:
        left -= chain.shares[move]
        if left < 0.0:
            break
        move += 1
    return move


@compiled
def advance(chain_handle: Handle, n_steps: int) -> None:
    """Make so many steps, each a move that is made or not."""
    chain = chain_from(chain_handle)
    for _ in range(n_steps):
        move = _drawn_move(chain)
        if move == 0:
            made = swap_neighbours(chain)
        elif move == 1:
            made = swap_any(chain)
        elif move == 2:
            made = split_or_join(chain)
        elif move == 3:
            made = relocate(chain)
        else:
            made = reverse_edge(chain)
        chain.tried[move] += 1
        chain.made[move] += made


@compiled
def add_edges(chain_handle: Handle, total: FloatArray) -> float:
    """Add the edges' probabilities given the partition to ``total``, (V, V); returns the partition's log weight."""
    chain = chain_from(chain_handle)
    add_edge_probabilities(chain, pointer_to(total))
    weight = 0.0
    for v in range(chain.sets.n_variables):
        weight += chain.now.weights[v]
    return weight


@compiled
def write_graph(chain_handle: Handle, adjacency: npt.NDArray[np.bool_]) -> float:
    """Draw a graph of the partition and write its edges to ``adjacency``, (V, V); returns its log weight, nats."""
    chain = chain_from(chain_handle)
    draw_graph(chain)
    adjacency[:] = False
    weight = 0.0
    for v in range(chain.sets.n_variables):
        weight += chain.sets.weights[chain.graph[v]]
        for p in range(members_of(chain.sets, v, chain.graph[v], chain.parents)):
            adjacency[chain.parents[p], v] = True
    return weight
