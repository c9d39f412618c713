"""Every search inside every resampling method."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.scores.scores import corrected
from bnengine.search import SEARCHES
from bnengine.search.learning import search_from_graph
from tests import naive
from tests.strategies import make_data

FORBIDDEN = ("v0", "v1")
RESAMPLERS = [bn.Bootstrap(12), bn.Jackknife(), bn.DeleteD(4, 12)]
EVERY = sorted(SEARCHES)


def search_of(kind):
    """The search with its defaults, except for an annealing schedule that suits four variables."""
    if kind == "annealing":
        return bn.SimulatedAnnealing(20.0, 60, 30, 0.85, 40)
    return SEARCHES[kind]()


@pytest.fixture(scope="module")
def data():
    """Thirty-four rows, some of them equal, so that jackknife replicates have multiplicities above 1."""
    made = make_data([2, 3, 2, 2], 34, seed=7, dependence=0.7)
    assert 5 < made.multiplicities.size < 34
    return made


def each(resampler, correction):
    """A case: the corrected bootstrap and the plain jackknives in CI, the other pairs before a release."""
    usual = isinstance(resampler, bn.Bootstrap) == (correction == "leading")
    marks = pytest.mark.slow if usual else pytest.mark.thorough
    return pytest.param(resampler, correction, marks=marks, id=f"{resampler.name}-{correction}")


@pytest.mark.parametrize(("resampler", "correction"), [each(r, c) for r in RESAMPLERS for c in ("none", "leading")])
@pytest.mark.parametrize("kind", EVERY)
def test_every_search_keeps_the_constraints_in_every_replicate_invariant(data, kind, resampler, correction):
    search = search_of(kind)
    constraints = bn.Constraints(required=[("v0", "v3")], forbidden=[FORBIDDEN], max_parents=2)
    ensemble = bn.resample(data, bn.BDeu(4), search, resampler, correction, constraints, rng=3)
    space = constraints.resolve(data.names, search.max_parents)
    assert all(naive.is_legal(graph, space) for graph in ensemble.adjacencies)
    assert ensemble.confidence[0, 1] == 0
    assert ensemble.confidence[0, 3] == 1
    assert ensemble.n_graphs == resampler.n_replicates(data)
    assert ensemble.multiplicities.sum() == (34 if isinstance(resampler, bn.Jackknife) else 12)
    assert ensemble.status == "converged"
    assert ensemble.search == search.name
    assert not ensemble.reference.adjacency[0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["none", "leading"])
@pytest.mark.parametrize("kind", EVERY)
def test_every_search_against_learning_from_copied_rows(data, kind, correction):
    """Row weights and shared buffers against a new table for each replicate.

    The copied rows stand in another order, so that sums are rounded otherwise: nothing may hang on that.
    """
    search, score = search_of(kind), bn.WithPrior(bn.BDs(4), 0.2, uniform_parent_sizes=True)
    ensemble = bn.resample(data, score, search, bn.Bootstrap(10), correction, rng=5)
    space = bn.Constraints().resolve(data.names, search.max_parents)
    used = search_from_graph(data, score, search, space, ensemble.reference.adjacency)
    for graph, generator in zip(ensemble.adjacencies, replicate_generators(5, 10), strict=True):
        copied = data.take(generator.integers(0, data.n_rows, data.n_rows))
        alone = bn.learn(copied, corrected(score, correction), used, rng=generator)
        assert (graph == alone.adjacency).all()


@pytest.mark.slow
@pytest.mark.parametrize("resampler", RESAMPLERS, ids=lambda resampler: resampler.name)
@pytest.mark.parametrize("kind", EVERY)
def test_one_and_two_workers_give_the_same_graphs_invariant(data, kind, resampler):
    """Including annealing: each replicate has its own generator."""
    made = []
    for workers in (1, 2):
        with ThreadPoolExecutor(workers) as executor:
            made.append(bn.resample(data, bn.BDeu(2), search_of(kind), resampler, rng=9, executor=executor))
    made.append(bn.resample(data, bn.BDeu(2), search_of(kind), resampler, rng=9))
    for other in made[1:]:
        assert (made[0].packed_graphs == other.packed_graphs).all()
        assert (made[0].multiplicities == other.multiplicities).all()


def edges_of(data, graph):
    return [(data.names[i], data.names[j]) for i, j in np.argwhere(graph)]
