"""Posteriors by Markov chains over orderings, against the sum over all orderings and against themselves."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnengine as bn
from tests.strategies import make_data


@pytest.fixture(scope="module")
def asia():
    return bn.load_network("asia").sample(300, rng=1)


@pytest.fixture(scope="module")
def six():
    return make_data([2, 3, 2, 2, 2, 3], 80, seed=4)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("score", [bn.BDeu(1), bn.BIC()], ids=lambda score: score.name)
def test_asia_against_the_exact_posterior(asia, score, uniform):
    """The largest of 56 differences; errors near 0.004 each, so a false alarm has probability below 1e-4."""
    exact = bn.edge_posterior(asia, score, uniform_parent_sizes=uniform)
    sampled = bn.sample_posterior(asia, score, uniform_parent_sizes=uniform)
    assert abs(sampled.probability - exact.probability).max() < 0.02
    assert sampled.weight == exact.weight
    assert sampled.score == exact.score
    assert sampled.warning is None


CONSTRAINTS = [
    bn.Constraints(required=[("v3", "v1")], forbidden=[("v0", "v2"), ("v4", "v5")]),
    bn.Constraints(tiers=[["v5"], ["v0", "v1"]], max_parents=2),
]
PRIORS = [None, bn.posterior.SoftTiers([["v2"], ["v0", "v3"]], 1.0), bn.posterior.SoftTiers([["v2"], ["v0"]], math.inf)]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("constraints", CONSTRAINTS)
def test_constraints_and_priors_against_the_exact_posterior(six, constraints, prior):
    """As above: errors near 0.004."""
    exact = bn.edge_posterior(six, bn.BDeu(2), 3, constraints, order_prior=prior)
    sampled = bn.sample_posterior(six, bn.BDeu(2), 3, constraints, order_prior=prior, n_steps=100_000)
    assert abs(sampled.probability - exact.probability).max() < 0.025
    assert (sampled.probability[exact.probability == 0] == 0).all()
    assert (sampled.probability[exact.probability == 1] == 1).all()


def test_result_depends_neither_on_workers_nor_on_column_order(six):
    data = bn.load_network("alarm").sample(200, rng=2)
    turned = data.select([data.names[v] for v in np.random.default_rng(1).permutation(37)])
    place = [turned.names.index(name) for name in data.names]
    plain = bn.sample_posterior(data, n_steps=10_000, n_chains=3)
    other = bn.sample_posterior(turned, n_steps=10_000, n_chains=3, executor=ThreadPoolExecutor(1))
    assert (plain.probability == other.probability[np.ix_(place, place)]).all()
    assert (plain.error == other.error[np.ix_(place, place)]).all()
    assert (plain.graphs() == other.graphs()[:, place][:, :, place]).all()
    assert (plain.map_graph == other.map_graph[np.ix_(place, place)]).all()
    assert plain.n_evaluations == other.n_evaluations


def test_stopping_gives_a_smaller_result(asia):
    seen = []

    def progress(done, total):
        seen.append((done, total))
        return False

    sampled = bn.sample_posterior(asia, n_steps=10**12, progress=progress)
    assert sampled.status == "stopped"
    assert sampled.n_graphs >= 4
    assert ((sampled.probability >= 0) & (sampled.probability <= 1)).all()
    assert seen[0][0] == 0


def test_chains_can_be_pickled(six):
    from bnengine.posterior.chain import plan_for
    from bnengine.posterior.order_chain import OrderChain
    from bnengine.posterior.order_prior import UNIFORM
    from bnengine.posterior.parent_set_tables import parent_set_tables
    from bnengine.scores.local_score import LocalScores

    space = bn.Constraints().resolve(six.names, 3)
    tables = parent_set_tables(lambda: LocalScores(six, bn.BIC()), space, [range(6)] * 6)
    chain = OrderChain(tables, UNIFORM, six.names, range(6), np.random.default_rng(1), np.zeros(1, dtype=np.uint8))
    copied = pickle.loads(pickle.dumps(chain))
    plan = plan_for(6, 5_000, 2)
    for _ in range(2):
        assert (chain.advance(plan).mean == copied.advance(plan).mean).all()
