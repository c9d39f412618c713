"""What the tests of the searches from graph to graph share: small random problems, and what holds for any search."""

import numpy as np
import pytest

import bnengine as bn
from tests import naive, naive_orders
from tests.strategies import make_data

ARITIES = [2, 3, 2, 4, 2]
SCORES = [
    bn.BIC(),
    bn.BDeu(8),
    bn.QNML(),
    bn.FNML(),
    bn.BDs(3),
    bn.WithPrior(bn.K2Score(), 0.5, uniform_parent_sizes=True),
]


def result_is_sound(search, seed):
    """A legal graph whose score is that of its edges and not above the best of all; with and without constraints."""
    rng = np.random.default_rng(seed)
    data = make_data(ARITIES, int(rng.integers(15, 300)), seed=seed, unseen=0.2)
    score = SCORES[seed % len(SCORES)]
    for constraints in (bn.Constraints(), naive_orders.random_constraints(rng, data.names)):
        space = constraints.resolve(data.names, search.max_parents)
        found = bn.learn(data, score, search, constraints, rng=seed)
        assert naive.is_legal(found.adjacency, space)
        assert found.score == pytest.approx(bn.score(data, found.edges, score), abs=1e-7)
        best = bn.learn(data, score, bn.Exact(search.max_parents), constraints).score
        assert found.score <= best + 1e-6
        assert np.isfinite(found.trace).all()
        assert all(len(values) == len(found.trace) for values in found.diagnostics.values())


def never_below_hill_climbing(search):
    """On every small case, and strictly above on some."""
    differences = [
        bn.learn(data, score, search).score - bn.learn(data, score, bn.HillClimbing()).score
        for data, score, _ in naive_orders.small_cases()
    ]
    assert min(differences) > -1e-6
    return sum(difference > 1e-6 for difference in differences)


def is_local_optimum(data, score, found, space):
    """No legal single-edge change gains."""
    for _, _, graph in naive.neighbours(found.adjacency, space):
        edges = [(data.names[i], data.names[j]) for i, j in np.argwhere(graph)]
        if bn.score(data, edges, score) > found.score + 1e-6:
            return False
    return True
