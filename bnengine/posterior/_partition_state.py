"""An ordered partition of the variables, the proposal to change it, and Metropolis' rule.

Proposals are written to ``proposed`` as the number of each variable's part. What else a partition holds, and the
weights of the variables whose parts or earlier parts changed, follow from it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt64Array
from bnengine._core.compiled import compiled
from bnengine._core.records import Handle, record, record_from
from bnengine.posterior._partition_tables import ParentSets, log_sum_touching
from bnengine.posterior._uniform import random_state, uniform


@record
class Partition(NamedTuple):
    """An ordered partition; parts are numbered from 0."""

    part: IntArray  # (V,) the part of each variable
    order: IntArray  # (V,) the variables, part by part
    first: IntArray  # (V + 2,) where each part begins in ``order``
    n_parts: IntArray  # (1,)
    weights: FloatArray  # (V,) log weight of each variable's possible parent sets, nats


@record
class Chain(NamedTuple):
    """A Markov chain of ordered partitions and the buffers of its moves."""

    sets: ParentSets
    now: Partition
    proposed: Partition
    random: UInt64Array  # (1,) state of the random numbers
    power: FloatArray  # (1,) to which the weights of partitions are raised: 1, less in a heated chain
    level: IntArray  # (V,)
    other_level: IntArray  # (V,)
    graph: IntArray  # (V,) the number of each variable's set in a graph drawn from the partition
    parents: IntArray  # (V + 1,) members of one set
    shares: FloatArray  # (V + 1,) probability of each candidate's being a parent
    after: FloatArray  # (V + 2,) see ``_partition_relocation``
    within: FloatArray  # (V + 2,)
    alone: FloatArray  # (V + 2,)
    before: FloatArray  # (V + 2,)
    own: FloatArray  # (V + 2,)
    places: FloatArray  # (2 V + 3,)
    strangers: IntArray  # (V + 2,) how many variables of a part cannot have the relocated one as a parent


#: The chain behind the handle that the compiled functions are called with.
chain_from = record_from(Chain)


@compiled
def lay_out(partition: Partition, n_variables: int, n_parts: int) -> None:
    """Fill in what follows from each variable's part."""
    partition.n_parts[0] = n_parts
    for p in range(n_parts + 2):
        partition.first[p] = 0
    for v in range(n_variables):
        partition.first[partition.part[v] + 2] += 1
    for p in range(n_parts):
        partition.first[p + 2] += partition.first[p + 1]
    for v in range(n_variables):  # first[p + 1] runs from the beginning of part p to its end
        place = partition.part[v] + 1
        partition.order[partition.first[place]] = v
        partition.first[place] += 1


@compiled
def size_of(partition: Partition, p: int) -> int:
    """The number of variables in a part."""
    return partition.first[p + 1] - partition.first[p]  # type: ignore[no-any-return]


@compiled
def weigh(chain: Chain, lowest: int, highest: int) -> float:
    """Weigh the proposal anew from one part to another; returns the gain, nats, -infinity if it is not legal.

    Variables elsewhere keep their weights: their part, the one before, and all before it together are what they were.
    """
    now, new, gain = chain.now, chain.proposed, 0.0
    for v in range(chain.sets.n_variables):
        p = new.part[v]
        new.weights[v] = now.weights[v]
        if lowest <= p <= highest:
            new.weights[v] = log_sum_touching(chain.sets, v, new.part, p - 1)
            if new.weights[v] == -np.inf:
                return -np.inf
            gain += new.weights[v] - now.weights[v]
    return gain


@compiled
def take(chain: Chain) -> None:
    """Make the proposal, which has been weighed, the present partition."""
    now, new = chain.now, chain.proposed
    lay_out(new, chain.sets.n_variables, new.n_parts[0])
    now.n_parts[0] = new.n_parts[0]
    for v in range(chain.sets.n_variables):
        now.part[v], now.order[v], now.weights[v] = new.part[v], new.order[v], new.weights[v]
    for p in range(new.n_parts[0] + 1):
        now.first[p] = new.first[p]


@compiled
def is_made(chain: Chain, log_ratio: float, gain: float, power: float) -> bool:
    """Metropolis & Hastings: make the weighed proposal with probability min(1, exp(log_ratio + power gain))."""
    if gain == -np.inf or uniform(chain.random) >= math.exp(min(log_ratio + power * gain, 0.0)):
        return False
    take(chain)
    return True


@compiled
def log_weight(chain: Chain) -> float:
    """Log weight of the present partition, nats."""
    total = 0.0
    for v in range(chain.sets.n_variables):
        total += chain.now.weights[v]
    return total


@compiled
def start_from_partition(chain_handle: Handle, n_parts: int) -> float:
    """Begin at the partition given by ``now.part``; returns its log weight, -infinity if it is not legal."""
    chain = chain_from(chain_handle)
    lay_out(chain.now, chain.sets.n_variables, n_parts)
    for v in range(chain.sets.n_variables):
        chain.now.weights[v] = log_sum_touching(chain.sets, v, chain.now.part, chain.now.part[v] - 1)
    return log_weight(chain)


def _empty_partition(n: int) -> Partition:
    whole = np.int64
    return Partition(np.zeros(n, whole), np.zeros(n, whole), np.zeros(n + 2, whole), np.zeros(1, whole), np.zeros(n))


def chain_for(sets: ParentSets, rng: np.random.Generator, power: float = 1.0) -> Chain:
    """A chain with random numbers of its own, which still has to be given a partition to begin at."""
    n, whole = sets.n_variables, np.int64
    return Chain(
        sets=sets,
        now=_empty_partition(n),
        proposed=_empty_partition(n),
        random=random_state(rng),
        power=np.array([power]),
        level=np.zeros(n, whole),
        other_level=np.zeros(n, whole),
        graph=np.zeros(n, whole),
        parents=np.zeros(n + 1, whole),
        shares=np.zeros(n + 1),
        after=np.zeros(n + 2),
        within=np.zeros(n + 2),
        alone=np.zeros(n + 2),
        before=np.zeros(n + 2),
        own=np.zeros(n + 2),
        places=np.zeros(2 * n + 3),
        strangers=np.zeros(n + 2, whole),
    )
