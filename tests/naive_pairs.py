"""Oracles for pairs of a graph and an ordering: probabilities of random sorts, weights of families, edges."""

import itertools

import numpy as np

from bnengine.posterior._ordering_sums import sum_over_subsets
from bnengine.posterior.parent_set_tables import _empty_tables


def sort_probability(masks, ordering):
    """Probability that placing one of the variables whose parents are placed, time and again, gives the ordering."""
    placed, probability, left = 0, 1.0, list(ordering)
    for v in ordering:
        ready = [u for u in left if int(masks[u]) & ~placed == 0]
        if v not in ready:
            return 0.0
        probability /= len(ready)
        placed |= 1 << v
        left.remove(v)
    return probability


def pairs_of(masks):
    """Every (graph's row, ordering) that fit each other, with the probability of the ordering given the graph."""
    n = masks.shape[1]
    found = [
        (g, ordering, sort_probability(graph, ordering))
        for g, graph in enumerate(masks)
        for ordering in itertools.permutations(range(n))
    ]
    return [pair for pair in found if pair[2] > 0]


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
