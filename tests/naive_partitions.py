"""Oracles for ordered partitions: that of a graph, all of them, and the weight of each by adding up its graphs."""

import itertools
from functools import cache

import numpy as np

from bnengine.posterior._ordering_sums import sum_over_subsets
from bnengine.posterior.parent_set_tables import _empty_tables
from tests import naive_orders


def partition_of(masks):
    """A graph's partition, from parent masks: the part of each variable is the longest path that ends in it."""
    part, n = {}, len(masks)

    def longest(v):
        if v not in part:
            part[v] = max((longest(p) + 1 for p in naive_orders.members(int(masks[v]))), default=0)
        return part[v]

    return tuple(longest(v) for v in range(n))


@cache
def partitions(n):
    """Every ordered partition as the part of each variable: all surjections on the first numbers."""
    return [p for p in itertools.product(range(n), repeat=n) if set(p) == set(range(max(p) + 1))]


def number_of_graphs(part):
    """How many graphs belong to a partition: any earlier parents, with one at least from the part just before."""
    count = 1
    for p in part:
        if p > 0:
            before, earlier = part.count(p - 1), sum(q < p - 1 for q in part)
            count *= (2**before - 1) * 2**earlier
    return count


def log_weights(masks, totals):
    """{partition: log of the sum of exp(total) over its graphs}."""
    weights = {}
    for graph, total in zip(masks, totals, strict=True):
        part = partition_of(graph)
        weights[part] = np.logaddexp(weights.get(part, -np.inf), total)
    return weights


def edge_probabilities(masks, totals):
    """Probability of each edge [parent, child] when graphs are weighted by exp(total)."""
    n = masks.shape[1]
    weight = np.exp(totals - totals.max())
    shares = [[weight[masks[:, j] >> i & 1 == 1].sum() for j in range(n)] for i in range(n)]
    return np.array(shares) / weight.sum()


def random_families(n, seed, spread=2.0):
    """``table[v, mask]``: a random log weight for each family, -inf where v is its own parent."""
    rng = np.random.default_rng(seed)
    table = rng.normal(0.0, spread, (n, 1 << n))
    for v in range(n):
        table[v, [mask for mask in range(1 << n) if mask >> v & 1]] = -np.inf
    return table


def parents_of(tables, child, mask):
    """The columns that a mask over a child's candidates stands for."""
    return [int(v) for c, v in enumerate(tables.candidates_of(child)) if mask >> c & 1]


def tables_of(families):
    """The engine's tables with these weights, all other variables being candidates."""
    n = len(families)
    tables = _empty_tables([[p for p in range(n) if p != v] for v in range(n)], n - 1)
    for v in range(n):
        masks, weights = tables.masks[: tables.n_sets[v]], tables.weights_of(v)
        weights[:] = [families[v, sum(1 << p for p in parents_of(tables, v, int(mask)))] for mask in masks]
        sum_over_subsets(masks, weights, tables.sums_of(v))
    return tables
