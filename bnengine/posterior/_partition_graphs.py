"""Graphs of a partition: drawn from it, the partition of a graph, and the probabilities of edges summed over all.

Every graph belongs to one partition: its variables without parents, those whose parents are among these, and so on.
"""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.compiled import Pointer, compiled
from bnengine._core.records import Handle
from bnengine.posterior._partition_state import Chain, chain_from, take, weigh
from bnengine.posterior._partition_tables import (
    draw_set,
    is_touching,
    levels_of,
    log_sum_within,
    members_of,
)
from bnengine.posterior._uniform import uniform

#: What of a variable's parent sets a sum of probabilities may leave out.
_ROUNDING = 1e-12


@compiled
def draw_graph(chain: Chain, heaviest: bool) -> float:
    """Draw each variable's parent set, given the partition, by its weight, or take the heaviest; returns their weight.

    A log weight: the sum of the local scores with structure prior, nats.
    """
    now, total = chain.now, 0.0
    for v in range(chain.sets.n_variables):
        r = now.part[v] - 1
        share = 0.0 if heaviest else uniform(chain.random)
        chain.graph[v] = draw_set(chain.sets, v, now.part, r, r >= 0, now.weights[v], share)
        total += chain.sets.weights[chain.graph[v]]
    return total


@compiled
def mark_descendants(chain: Chain, ancestor: int, orphan: int, marks: Pointer) -> None:
    """Mark a variable and its descendants in the drawn graph with 1, others with 0; neither of the two has parents.

    The present partition orders the drawn graph: parents come before their children.
    """
    for k in range(chain.sets.n_variables):
        v = chain.now.order[k]
        marks[v] = v == ancestor
        if v != ancestor and v != orphan:
            for p in range(members_of(chain.sets, v, chain.graph[v], chain.parents)):
                if marks[chain.parents[p]]:
                    marks[v] = 1
                    break


@compiled
def propose_partition_of_graph(chain: Chain) -> None:
    """Propose the partition of the drawn graph: a variable's part is the length of the longest path to it."""
    new, n_parts, settled = chain.proposed, 1, False
    for v in range(chain.sets.n_variables):
        new.part[v] = 0
    while not settled:  # as often as the graph's longest path against the present order
        settled = True
        for k in range(chain.sets.n_variables):
            v = chain.now.order[k]
            longest = 0
            for p in range(members_of(chain.sets, v, chain.graph[v], chain.parents)):
                longest = max(longest, new.part[chain.parents[p]] + 1)
            if longest != new.part[v]:
                new.part[v] = longest
                settled = False
            n_parts = max(n_parts, longest + 1)
    new.n_parts[0] = n_parts


@compiled
def add_edge_probabilities(chain: Chain, mean: Pointer, square: Pointer) -> None:
    """Add each edge's probability given the partition to ``mean``, (V, V) [parent, child], its square to ``square``.

    The shares of a variable's parent sets add up to 1; those that contain j have the probability of j → variable.
    """
    sets, now = chain.sets, chain.now
    for v in range(sets.n_variables):
        r, first = now.part[v] - 1, sets.first_candidate[v]
        if r < 0:
            continue
        n_candidates = sets.first_candidate[v + 1] - first
        for c in range(n_candidates):
            chain.shares[c] = 0.0
        below, at = levels_of(sets, v, now.part, r)
        left, f = 1.0, sets.first_set[v]
        while left > _ROUNDING and f < sets.first_set[v + 1]:
            if is_touching(sets.masks[f], below, at):
                share = math.exp(sets.weights[f] - now.weights[v])
                left -= share
                for c in range(n_candidates):
                    if (sets.masks[f] >> c) & 1:
                        chain.shares[c] += share
            f += 1
        for c in range(n_candidates):
            place = sets.candidates[first + c] * sets.n_variables + v
            mean[place] += chain.shares[c]
            square[place] += chain.shares[c] ** 2


@compiled
def start_from_ordering(chain_handle: Handle) -> bool:
    """Begin at the partition of a graph drawn given an ordering, each variable's place in which is in ``now.part``.

    Returns whether every variable has a parent set of some weight among those before it.
    """
    chain = chain_from(chain_handle)
    sets, now = chain.sets, chain.now
    for v in range(sets.n_variables):
        now.order[now.part[v]] = v
        r = now.part[v] - 1
        log_sum = log_sum_within(sets, v, now.part, r)
        if log_sum == -np.inf:
            return False
        chain.graph[v] = draw_set(sets, v, now.part, r, False, log_sum, uniform(chain.random))
        now.weights[v] = 0.0
    propose_partition_of_graph(chain)
    weigh(chain, 0, chain.proposed.n_parts[0])
    take(chain)
    return True
