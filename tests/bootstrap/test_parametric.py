"""The parametric bootstrap, and repeated searches on the given data."""

import dataclasses
import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resamplers import replicate_generators, replicates
from bnengine.scores.local_score import LocalScores
from tests.strategies import make_data


def test_replicates_are_the_network_s_samples_invariant():
    network = bn.load_network("asia")
    data = network.sample(80, rng=3)
    method = bn.ParametricBootstrap(5, network)
    for replicate, generator in zip(replicates(data, method, rng=4), replicate_generators(4, 5), strict=True):
        assert (replicate.data.codes == network.by_name.sample(80, generator).select(network.names).codes).all()
        assert replicate.weights.sum() == 80
        assert replicate.multiplicity == 1


def test_graphs_against_learning_from_each_sample():
    """Also if the data list variables and states in another order than the network."""
    network = bn.load_network("cancer")
    drawn = network.sample(150, rng=1)
    frame = drawn.to_frame()[list(reversed(drawn.names))]
    frame = frame.apply(lambda column: column.cat.reorder_categories(list(reversed(column.cat.categories))))
    data = bn.Dataset.from_frame(frame)
    assert data.names != drawn.names
    assert data.states[0] != drawn.states[-1]
    ensemble = bn.resample(data, bn.BDeu(3), bn.HillClimbing(), bn.ParametricBootstrap(6, network), rng=5)
    for graph, generator in zip(ensemble.adjacencies, replicate_generators(5, 6), strict=True):
        rows = bn.Dataset.from_frame(
            network.by_name.sample(150, generator)
            .to_frame()[list(data.names)]
            .apply(lambda column: column.cat.reorder_categories(list(data.states[data.names.index(column.name)])))
        )
        assert (graph == bn.learn(rows, bn.BDeu(3), bn.HillClimbing(), rng=generator).adjacency).all()


def test_without_a_network_the_graph_learned_from_the_data_is_fitted():
    data = make_data([2, 3, 2], 120, seed=2)
    own = bn.learn(data, bn.AIC(), bn.HillClimbing(), rng=3)
    method = bn.ParametricBootstrap(8)
    fitted = dataclasses.replace(method, network=bn.fit(data, own.edges))
    one, other = (bn.resample(data, bn.AIC(), bn.HillClimbing(), m, rng=3) for m in (method, fitted))
    assert (one.packed_graphs == other.packed_graphs).all()
    assert one.resampler == "parametric bootstrap"


@pytest.mark.parametrize("correction", ["none", "leading", "matched"])
def test_results_do_not_depend_on_workers_invariant(correction):
    from concurrent.futures import ThreadPoolExecutor

    data = make_data([2, 3, 2, 2], 90, seed=2)
    method = bn.ParametricBootstrap(9)
    alone = bn.resample(data, bn.BDeu(2), bn.HillClimbing(), method, correction, rng=3)
    with ThreadPoolExecutor(3) as executor:
        shared = bn.resample(data, bn.BDeu(2), bn.HillClimbing(), method, correction, rng=3, executor=executor)
    assert (alone.packed_graphs == shared.packed_graphs).all()
    assert alone.strength == shared.strength


@pytest.mark.slow
@pytest.mark.parametrize("parametric", [False, True])
def test_both_bootstraps_fit_their_resamples_better_than_the_data_against_theory(parametric):
    """By |theta| / 2 nats: for the likelihood of a graph it does not matter which bootstrap draws the resamples.

    Each resample's maximum less what the fitted network gives that resample is half a chi-squared of |theta| degrees
    (Wilks), with standard error sqrt(|theta| / 2 / R). False-alarm rate 6e-5 each, at 4 standard errors and 2 % for the
    next order; all cells are populated and the seed is fixed.
    """
    network = bn.load_network("cancer")
    names, edges = network.names, network.edges
    rng = np.random.default_rng(2)
    tables = tuple(rng.dirichlet(np.full(table.shape[1], 30.0), table.shape[0]) for table in network.tables)
    data = bn.BayesianNetwork(names, network.states, network.parents, tables).sample(3000, rng=6)
    fitted = bn.fit(data, edges)
    n, freedom = 1500, fitted.n_parameters
    method = bn.ParametricBootstrap(n, fitted) if parametric else bn.Bootstrap(n)
    gains = np.empty(n)
    for k, replicate in enumerate(replicates(data, method, rng=8)):
        rows = replicate.data
        if rows is None:
            rows = data.take(np.repeat(np.arange(len(replicate.weights)), replicate.weights))
            assert data.multiplicities.size < data.n_rows  # weights are of distinct rows
            first = np.array([np.flatnonzero(data.distinct_row_of == d)[0] for d in range(len(replicate.weights))])
            rows = data.take(np.repeat(first, replicate.weights))
        own = bn.score(rows, edges, bn.LogLikelihood())
        gains[k] = own - log_probability(fitted, rows)
    assert gains.min() >= -1e-9
    error = math.sqrt(freedom / 2 / n)
    assert abs(gains.mean() - freedom / 2) < 4 * error + 0.02 * freedom / 2


def log_probability(network, rows):
    """Log-likelihood of all rows, nats, cell by cell."""
    total = 0.0
    for v, parents in enumerate(network.parents):
        number = np.zeros(rows.n_rows, dtype=int)
        for parent in parents:
            number = number * len(network.states[parent]) + rows.codes[:, parent]
        total += float(np.log(network.tables[v][number, rows.codes[:, v]]).sum())
    return total


def test_a_network_that_does_not_fit_is_refused_with_the_reason():
    data = make_data([2, 2], 30, seed=1)
    with pytest.raises(ValueError, match="the network has no variable 'v0'; it has Pollution"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.ParametricBootstrap(3, bn.load_network("cancer")))
    other = bn.fit(bn.Dataset(("v0", "v1"), (("a", "b"), ("0", "1")), [[0, 0], [1, 1]]), [])
    with pytest.raises(ValueError, match=r"'v0' has the states .* in the data but a, b in the network"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.ParametricBootstrap(3, other))


@pytest.mark.parametrize("method", [bn.ParametricBootstrap(5), bn.Jackknife(), bn.DeleteD(n=5), bn.RepeatedSearch(5)])
def test_exact_correction_is_refused_where_it_does_not_hold(method):
    data = make_data([2, 2], 30, seed=1)
    with pytest.raises(ValueError, match="correction='exact' is valid only for"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), method, "exact")


def test_the_same_data_gives_the_same_graph_to_a_search_without_chance():
    data = make_data([2, 3, 2, 2], 90, seed=2)
    ensemble = bn.resample(data, bn.BDeu(2), bn.Tabu(), bn.RepeatedSearch(7), ties="columns")
    assert ensemble.sd_edges == 0
    assert (ensemble.confidence == ensemble.reference.adjacency).all()


def test_the_same_data_gives_a_random_search_s_local_optima():
    """Each graph is the one that the search finds with the generator of that replicate; they differ."""
    data = make_data([3] * 7, 60, seed=9)
    search = bn.SimulatedAnnealing(20.0, 30, 15, 0.8, 10, start="empty")
    ensemble = bn.resample(data, bn.BDeu(9), search, bn.RepeatedSearch(12), rng=5, ties="columns")
    scores = LocalScores(data, bn.BDeu(9))
    space = bn.Constraints().resolve(data.names, search.max_parents)
    for graph, generator in zip(ensemble.adjacencies, replicate_generators(5, 12), strict=True):
        assert (graph == search.find(data.names, scores, space, generator).adjacency).all()
    assert ensemble.sd_edges > 0


def test_like_puts_rows_into_another_s_order_and_refuses_other_states():
    frame = make_data([2, 3], 20, seed=1).to_frame()
    data = bn.Dataset.from_frame(frame)
    turned = bn.Dataset(("v1", "v0"), (data.states[1][::-1], data.states[0]), [[0, 0]])
    again = data.like(turned).to_frame()
    assert (again["v0"].astype(str) == frame["v0"].astype(str)).all()
    assert (again["v1"].astype(str) == frame["v1"].astype(str)).all()
    assert data.like(data) is data
    with pytest.raises(ValueError, match=r"'v0' has the states .* in one data set but x, y in the other"):
        data.like(bn.Dataset(("v0",), (("x", "y"),), [[0]]))


@pytest.mark.parametrize("score", [bn.BIC(), bn.QNML(), bn.BDe("asia"), bn.teaching.ExactCorrection(bn.BDeu(1))])
def test_scores_turned_to_other_rows_are_those_of_new_ones(score):
    """Whatever they were turned to before: few or many distinct rows, masks or none, any order of the columns."""
    network = bn.load_network("asia")
    one = LocalScores(network.sample(100, rng=0), score)
    for n_rows, seed in ((100, 1), (100, 2), (40, 3), (900, 4), (900, 5), (100, 6)):
        data = network.sample(n_rows, rng=seed)
        one, other = one.with_rows_of(data), LocalScores(data, score)
        order = np.random.default_rng(seed).permutation(8)
        for scores in (one, other):
            scores.reweigh(data.multiplicities.astype(np.int32), order)
        families = [(0, ()), (1, (2,)), (3, (0, 5)), (7, (1, 2, 4, 6))]
        assert [one(*family) for family in families] == [other(*family) for family in families]
