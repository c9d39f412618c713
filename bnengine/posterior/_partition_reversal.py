"""Edge reversal (Grzegorczyk & Husmeier 2008) in a graph drawn from the partition.

An edge i → j of the graph is chosen and both variables lose their parents. Then i draws new ones, j among them, and
after it j, both by weight among the sets that close no cycle. The graph's partition is the proposal. Drawing the graph
by its probability given the partition, and forgetting it afterwards, leaves the distribution of partitions as it was;
where their weights are raised to a power, a Metropolis step accounts for the difference.
"""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.compiled import compiled
from bnengine.posterior._partition_graphs import draw_graph, mark_descendants, propose_partition_of_graph
from bnengine.posterior._partition_state import Chain, is_made, weigh
from bnengine.posterior._partition_tables import draw_set, log_sum_touching, log_sum_within, members_of
from bnengine.posterior._uniform import below, uniform


@compiled
def _n_members(chain: Chain, v: int) -> int:
    """The number of parents in the drawn graph."""
    return members_of(chain.sets, v, chain.graph[v], chain.parents)


@compiled
def _n_edges(chain: Chain) -> int:
    n = 0
    for v in range(chain.sets.n_variables):
        n += _n_members(chain, v)
    return n


@compiled
def _edge(chain: Chain, number: int) -> tuple[int, int]:
    """The edge of that number: parent and child."""
    for v in range(chain.sets.n_variables):
        n = _n_members(chain, v)
        if number < n:
            return chain.parents[number], v
        number -= n
    return -1, -1


@compiled
def _allow(chain: Chain, i: int, j: int) -> None:
    """Levels for the parents of each: 0 what closes no cycle, 1 the other of the two, 2 all else.

    In ``level`` for i, with j at 1; in ``other_level`` for j, with i at 1; both have no parents.
    """
    mark_descendants(chain, i, j, chain.level)
    mark_descendants(chain, j, i, chain.other_level)
    for v in range(chain.sets.n_variables):
        chain.level[v] *= 2
        chain.other_level[v] *= 2
    chain.level[j], chain.other_level[i] = 1, 1


@compiled
def _allow_both(chain: Chain) -> None:
    """In ``level``: 0 for what descends from neither, so that it closes no cycle once one is the other's parent."""
    for v in range(chain.sets.n_variables):
        chain.level[v] = max(chain.level[v], chain.other_level[v])


@compiled
def reverse_edge(chain: Chain) -> bool:
    """Draw a graph, reverse one of its edges with new parents for both ends, and go to its partition or not."""
    sets = chain.sets
    draw_graph(chain, False)
    n_edges = _n_edges(chain)
    if n_edges == 0:
        return False
    i, j = _edge(chain, below(chain.random, n_edges))
    _allow(chain, i, j)
    forth = log_sum_touching(sets, i, chain.level, 1)
    back = log_sum_touching(sets, j, chain.other_level, 1)
    if forth == -np.inf:
        return False
    new_of_i = draw_set(sets, i, chain.level, 1, True, forth, uniform(chain.random))
    _allow_both(chain)
    rest_forth = log_sum_within(sets, j, chain.level, 0)
    rest_back = log_sum_within(sets, i, chain.level, 0)
    if rest_forth == -np.inf:
        return False
    chain.graph[i] = new_of_i
    chain.graph[j] = draw_set(sets, j, chain.level, 0, False, rest_forth, uniform(chain.random))
    ratio = math.log(n_edges / _n_edges(chain)) + forth - back + rest_forth - rest_back
    propose_partition_of_graph(chain)
    gain = weigh(chain, 0, chain.proposed.n_parts[0])
    return is_made(chain, ratio, gain, chain.power[0] - 1.0)
