"""Oracles over all graphs, all orderings and all members of a class.

A graph is a row of parent masks: bit p of ``masks[g, v]`` says that p is a parent of v.
"""

import itertools
import math
from functools import cache

import numpy as np

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive

# Graphs as masks


@cache
def dag_masks(n):
    """Every DAG on n variables, shape (graphs, n): all combinations of parent sets that can be peeled away."""
    own = 1 << np.arange(n)
    masks = np.array(list(itertools.product(*([m for m in range(1 << n) if not m >> v & 1] for v in range(n)))))
    left = np.full(len(masks), (1 << n) - 1)
    for _ in range(n):
        for v in range(n):  # a variable without parents among those left goes
            goes = (masks[:, v] & left) == 0
            left[goes] &= ~own[v]
    masks = masks[left == 0]
    masks.setflags(write=False)
    return masks


def members(mask):
    return [v for v in range(mask.bit_length()) if mask >> v & 1]


def matrix_of(masks):
    """The boolean matrix [parent, child] of one row of masks."""
    n = len(masks)
    return np.array([[bool(masks[j] >> i & 1) for j in range(n)] for i in range(n)])


def family_table(score, data, local=naive.local_score):
    """``table[v, mask]``: the local score of v with those parents, by definition; -inf where v is its own parent."""
    n = data.n_variables
    table = np.full((n, 1 << n), -np.inf)
    for v in range(n):
        for mask in range(1 << n):
            if not mask >> v & 1:
                table[v, mask] = local(score, data, v, members(mask))
    return table


def engine_table(score, data):
    """The same from the engine, for tests of searches rather than of scores."""
    scores = LocalScores(data, score)
    return family_table(score, data, lambda _score, _data, child, parents: scores(child, parents))


def totals(masks, table):
    """The score of each graph."""
    return sum(table[v, masks[:, v]] for v in range(masks.shape[1]))


def legal_masks(n, space):
    """Every DAG on n variables that meets the constraints."""
    masks = dag_masks(n)
    good = np.ones(len(masks), dtype=bool)
    for v in range(n):
        allowed = sum(1 << p for p in range(n) if space.allowed[p, v])
        required = sum(1 << p for p in range(n) if space.required[p, v])
        good &= (masks[:, v] & ~allowed) == 0
        good &= (required & ~masks[:, v]) == 0
        good &= np.bitwise_count(masks[:, v]) <= space.max_parents
    return masks[good]


def fits(masks, ordering):
    """Which graphs have every edge forward in the ordering."""
    good, before = np.ones(len(masks), dtype=bool), 0
    for v in ordering:
        good &= (masks[:, v] & ~before) == 0
        before |= 1 << v
    return good


def edge_posterior(masks, scores):
    """Probability of each edge and log evidence: a sum over every ordering and every graph that fits it."""
    n = masks.shape[1]
    highest = scores.max()
    weight = np.zeros(len(masks))
    for ordering in itertools.permutations(range(n)):
        weight += np.where(fits(masks, ordering), np.exp(scores - highest), 0.0)
    probability = np.zeros((n, n))
    for i, j in itertools.permutations(range(n), 2):
        probability[i, j] = weight[(masks[:, j] >> i & 1) == 1].sum() / weight.sum()
    return probability, math.log(weight.sum()) + highest


# Data and constraints to search with


def random_network(rng, arities, edge_share=0.4, strength=1.0):
    """A network with random edges forward in a random ordering and Dirichlet(strength) tables."""
    n = len(arities)
    position = rng.permutation(n)
    parents = tuple(
        tuple(p for p in range(n) if position[p] < position[v] and rng.random() < edge_share) for v in range(n)
    )
    tables = tuple(
        rng.dirichlet([strength] * arities[v], size=math.prod(arities[p] for p in parents[v])) for v in range(n)
    )
    names = tuple(f"v{v}" for v in range(n))
    states = tuple(tuple(f"s{k}" for k in range(arity)) for arity in arities)
    return bn.BayesianNetwork(names, states, parents, tables, "random")


def random_constraints(rng, names):
    """Required, forbidden, tiers and a limit that do not contradict each other."""
    n = len(names)
    order = rng.permutation(n)
    required = [(names[order[0]], names[order[n - 1]])] if rng.random() < 0.7 else []
    tiers = [[names[v] for v in order[:2]], [names[v] for v in order[-2:]]] if rng.random() < 0.5 else []
    pairs = list(itertools.permutations(names, 2))
    forbidden = [pair for pair in pairs if rng.random() < 0.25 and pair not in required]
    return bn.Constraints(required, forbidden, int(rng.integers(1, n)), tiers)


@cache
def small_cases(n=60, n_variables=6):
    """(data, score, the best score of all) for random networks of two and three states and 50 to 400 rows."""
    cases = []
    for number in range(n):
        rng = np.random.default_rng([number, n_variables])
        network = random_network(rng, rng.integers(2, 4, n_variables).tolist())
        data = network.sample(int(rng.integers(50, 400)), rng=rng)
        score = bn.BIC() if number % 2 else bn.BDeu(5)
        cases.append((data, score, bn.learn(data, score, bn.Exact()).score))
    return cases


def share_that_reaches_the_best(search):
    """Of the small cases; and the largest excess over the best score of all, which must be rounding."""
    found = [(bn.learn(data, score, search, rng=1).score, best) for data, score, best in small_cases()]
    reached = [score >= best - 1e-6 for score, best in found]
    return sum(reached) / len(reached), max(score - best for score, best in found)
