"""Resamples as row weights."""

import dataclasses
import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core.random_generators import share_error
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.graphs.dag import dag_of
from bnengine.networks.inference import posterior_network
from bnengine.scores.local_score import LocalScores
from tests.naive import all_resamples
from tests.strategies import datasets, make_data, replicates

METHODS = [bn.Bootstrap(7), bn.Jackknife(), bn.DeleteD(n=7), bn.DeleteD(2, n=7)]


@pytest.mark.slow
@given(datasets(max_rows=60).filter(lambda data: data.n_rows > 2), st.sampled_from(METHODS))
def test_weights_sum_to_the_rows_kept_invariant(data, method):
    made = list(replicates(data, method, rng=1))
    left_out = method.rows_left_out(data) if isinstance(method, bn.DeleteD) else isinstance(method, bn.Jackknife)
    assert len(made) == method.n_replicates(data)
    for replicate in made:
        assert replicate.weights.shape == data.multiplicities.shape
        assert replicate.weights.min() >= 0
        assert replicate.weights.sum() == data.n_rows - left_out
        if not isinstance(method, bn.Bootstrap):
            assert (replicate.weights <= data.multiplicities).all()


@given(datasets(max_rows=40, max_variables=2, max_arity=3).filter(lambda data: data.n_rows > 1))
def test_jackknife_of_distinct_rows_against_leaving_out_each_row(data):
    """The replicates of the distinct rows, repeated by multiplicity, are the plain jackknife of N replicates."""
    plain = []
    for row in range(data.n_rows):
        weights = data.multiplicities.copy()
        weights[data.distinct_row_of[row]] -= 1
        plain.append(tuple(weights.tolist()))
    ours = []
    for replicate in replicates(data, bn.Jackknife()):
        ours += [tuple(replicate.weights.tolist())] * replicate.multiplicity
    assert sorted(ours) == sorted(plain)


def test_jackknife_ensemble_against_n_learnings():
    data = make_data([2, 2, 3], 30, seed=6)
    rows = [[r for r in range(30) if r != row] for row in range(30)]
    graphs = [bn.learn(data.take(kept), search=bn.HillClimbing(), ties="columns").adjacency for kept in rows]
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Jackknife(), ties="columns")
    assert ensemble.confidence == pytest.approx(np.mean(graphs, axis=0), abs=1e-12)
    edges = np.array([graph.sum() for graph in graphs])
    assert ensemble.mean_edges == pytest.approx(edges.mean(), abs=1e-12)
    assert ensemble.sd_edges == pytest.approx(edges.std(ddof=1), abs=1e-12)


def test_the_jackknife_does_not_depend_on_the_order_of_rows_or_columns(asia):
    """Nothing but ties is drawn, and their draws belong to the rows' contents, not to their places."""
    rng = np.random.default_rng(3)
    given = bn.resample(asia, bn.BDeu(10), bn.HillClimbing(), bn.Jackknife(), rng=5)
    shuffled = bn.Dataset.from_frame(asia.to_frame().sample(frac=1, random_state=1).iloc[:, rng.permutation(8)])
    again = bn.resample(shuffled, bn.BDeu(10), bn.HillClimbing(), bn.Jackknife(), rng=5)
    places = [shuffled.names.index(name) for name in asia.names]
    assert (again.confidence[np.ix_(places, places)] == given.confidence).all()


@pytest.mark.slow
def test_the_stated_error_of_the_jackknife_against_its_sd_over_seeds():
    """Asia, 5,000 rows, 47 distinct ones: over 24 seeds the sd of an edge that ties reverse is the stated error.

    The sd of 24 values has a relative standard error of 0.147; false-alarm rate 6e-5 at 4 of them; the seeds are fixed.
    """
    data = bn.load_network("asia").sample(5000, rng=1)
    found = [bn.resample(data, bn.BDeu(10), bn.HillClimbing(), bn.Jackknife(), rng=seed) for seed in range(24)]
    confidence = np.array([ensemble.confidence for ensemble in found])
    edge = data.index("smoke"), data.index("bronc")
    assert 0.2 < confidence[:, *edge].mean() < 0.8  # only a tie decides its direction
    stated = np.mean([share_error(e.confidence, e.effective_replicates)[edge] for e in found])
    assert abs(confidence[:, *edge].std(ddof=1) / stated - 1) < 4 * 0.147


def test_bootstrap_against_all_resamples():
    """Mean score and mean number of distinct rows over 4,000 replicates against those over all 5**5 samples.

    False-alarm rate 6e-5 for each of the two, at 4 standard errors; the seed is fixed.
    """
    data = bn.Dataset(("x", "y"), (("0", "1"), ("0", "1", "2")), [[0, 0], [0, 1], [1, 2], [1, 1], [0, 2]])
    scores = LocalScores(data, bn.LogLikelihood())

    def statistics(weights):
        scores.reweigh(weights.astype(np.int32))
        return scores(1, [0]), np.count_nonzero(weights)

    exact = np.array([statistics(np.bincount(rows, minlength=5)) for rows in all_resamples(5)]).mean(axis=0)
    assert exact[1] == pytest.approx(5 * (1 - (4 / 5) ** 5), abs=1e-9)
    drawn = np.array([statistics(r.weights) for r in replicates(data, bn.Bootstrap(4000), rng=2)])
    error = drawn.std(axis=0, ddof=1) / math.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - exact) < 4 * error).all()


def test_delete_d_draws_each_subset_equally_often_against_theory():
    """Chi-squared over the 10 pairs of 5 rows that may be left out, 2,000 draws; false-alarm rate 1e-4 (9 degrees)."""
    data = bn.Dataset(("x",), (tuple("abcde"),), [[k] for k in range(5)])
    pairs = list(itertools.combinations(range(5), 2))
    drawn = [tuple(np.flatnonzero(r.weights == 0)) for r in replicates(data, bn.DeleteD(2, n=2000), rng=3)]
    counts = np.array([drawn.count(pair) for pair in pairs])
    assert counts.sum() == 2000
    assert ((counts - 200) ** 2 / 200).sum() < 33.7


def test_delete_d_leaves_out_a_tenth_and_gives_advice():
    large, small = make_data([2], 1000, 1), make_data([2], 7, 1)
    assert bn.DeleteD().rows_left_out(large) == 100
    assert bn.DeleteD().rows_left_out(small) == 1
    assert bn.DeleteD(100).advice(large) is None
    assert bn.DeleteD(500).advice(large) is None
    for d in (3, 31, 501):
        assert f"d = {d} lies outside" in bn.DeleteD(d).advice(large)


@pytest.fixture(scope="module")
def long():
    """200,000 rows, few of them distinct."""
    return bn.load_network("cancer").sample(200_000, rng=1)


@pytest.mark.parametrize("size", [None, 100_000])
def test_long_tables_with_few_distinct_rows_are_drawn_as_counts_of_the_same_distribution(long, size):
    n, n_rows = 400, size or long.n_rows
    drawn = np.array([each.weights for each in replicates(long, bn.Bootstrap(n, size), rng=2)])
    assert (drawn.sum(axis=1) == n_rows).all()
    share = long.multiplicities / long.n_rows
    variance = n_rows * share * (1 - share)
    # means are nearly normal: of fewer than 40 distinct rows one lies beyond 5 sd by chance in 1 of 40,000 runs
    assert (abs(drawn.mean(axis=0) - n_rows * share) < 5 * np.sqrt(variance / n)).all()
    frequent = n_rows * share > 100  # where (n - 1) s² / σ² is nearly chi-squared: sd of the ratio is sqrt(2 / n)
    assert (abs(drawn.var(axis=0, ddof=1) / variance - 1)[frequent] < 5 * math.sqrt(2 / n)).all()


# The parametric bootstrap, and repeated searches on the given data


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
    assert (one.adjacencies == other.adjacencies).all()
    assert one.resampler == "parametric bootstrap"


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
    n, freedom = 600, fitted.n_parameters
    method = bn.ParametricBootstrap(n, fitted) if parametric else bn.Bootstrap(n)
    gains = np.empty(n)
    for k, replicate in enumerate(replicates(data, method, rng=8)):
        rows = replicate.data
        if rows is None:
            assert data.multiplicities.size < data.n_rows  # weights are of distinct rows
            first = np.array([np.flatnonzero(data.distinct_row_of == d)[0] for d in range(len(replicate.weights))])
            rows = data.take(np.repeat(first, replicate.weights))
        own = bn.score(rows, edges, bn.LogLikelihood())
        gains[k] = own - bn.prediction.log_probabilities(fitted, rows).sum()
    assert gains.min() >= -1e-9
    error = math.sqrt(freedom / 2 / n)
    assert abs(gains.mean() - freedom / 2) < 4 * error + 0.02 * freedom / 2


def test_a_network_that_does_not_fit_is_refused_with_the_reason():
    data = make_data([2, 2], 30, seed=1)
    with pytest.raises(ValueError, match="the network has no variable 'v0'; it has Pollution"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.ParametricBootstrap(3, bn.load_network("cancer")))
    other = bn.fit(bn.Dataset(("v0", "v1"), (("a", "b"), ("0", "1")), [[0, 0], [1, 1]]), [])
    with pytest.raises(ValueError, match=r"'v0' has the states .* in the data but a, b in the network"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.ParametricBootstrap(3, other))


def test_the_same_data_gives_a_random_search_s_local_optima():
    """Each graph is the one that the search finds with the generator of that replicate; they differ."""
    data = make_data([3] * 7, 60, seed=9)
    search = bn.SimulatedAnnealing(20.0, 30, 15, 0.8, 10, start="empty")
    ensemble = bn.resample(data, bn.BDeu(9), search, bn.teaching.RepeatedSearch(12), rng=5, ties="columns")
    scores = LocalScores(data, bn.BDeu(9))
    space = bn.Constraints().resolve(data.names, search.max_parents)
    for graph, generator in zip(ensemble.adjacencies, replicate_generators(5, 12), strict=True):
        assert (graph == search.find(data.names, scores, space, generator).adjacency).all()
    assert ensemble.sd_edges > 0


@pytest.mark.parametrize("score", [bn.BIC(), bn.QNML(), bn.BDe("asia"), bn.teaching.LeadingCorrection(bn.BDeu(1))])
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


# The posterior-predictive bootstrap, and networks drawn from their posterior


CHAIN = [("v0", "v1"), ("v1", "v2"), ("v0", "v2")]


def test_drawn_probabilities_have_the_mean_and_variance_of_the_dirichlet():
    """Each cell's mean and mean square over 2,000 draws; false-alarm rate 6e-5 for each of 2 x 32 at 4 standard errors.

    With half a row of prior in all, some configurations have shapes of 1/24 and are near 0 or 1 in every draw.
    """
    data, ess, n = make_data([2, 3, 4], 40, seed=5), 0.5, 2000
    mean = bn.fit(data, CHAIN, ess).tables
    counts = [t * 0 for t in mean]
    for v, parents in enumerate([(), (0,), (0, 1)]):
        for row in data.codes.astype(int):
            j = 0
            for p in parents:
                j = j * int(data.arities[p]) + row[p]
            counts[v][j, row[v]] += 1
    graph = dag_of(data.names, CHAIN)
    draws = [posterior_network(data, graph, rng, ess).tables for rng in np.random.default_rng(2).spawn(n)]
    for v in range(3):
        values = np.array([tables[v] for tables in draws])
        alpha = counts[v] + ess / counts[v].size
        total = alpha.sum(axis=1, keepdims=True)
        assert np.allclose(mean[v], alpha / total)
        assert np.allclose(values.sum(axis=2), 1)
        square = alpha * (alpha + 1) / (total * (total + 1))
        for power, expected in ((1, mean[v]), (2, square)):
            error = (values**power).std(axis=0) / np.sqrt(n)
            assert (np.abs((values**power).mean(axis=0) - expected) < 4 * error + 1e-12).all()


def test_tiny_prior_counts_give_distributions():
    """Gamma variables of shape 1e-5 would all be 0 in double precision."""
    data = make_data([3, 3], 2, seed=1)
    graph = dag_of(data.names, [("v0", "v1")])
    for table in posterior_network(data, graph, np.random.default_rng(3), 1e-4).tables:
        assert np.isfinite(table).all()
        assert np.allclose(table.sum(axis=1), 1)


def test_each_replicate_is_the_parametric_bootstrap_of_a_network_drawn_for_it():
    """The graphs in turn; once the probabilities are drawn, the same generator gives the same rows."""
    data = make_data([2, 3, 2, 2], 50, seed=4)
    graphs = bn.resample(data, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(3), rng=3).adjacencies
    method = bn.PredictiveBootstrap(7, graphs)
    for b, (replicate, parent) in enumerate(zip(replicates(data, method, 5), replicate_generators(5, 7), strict=True)):
        (generator,) = parent.spawn(1)
        network = posterior_network(data, graphs[b % 3], generator)
        assert (network.adjacency == graphs[b % 3]).all()
        expected = bn.ParametricBootstrap(1, network).replicate(data, 0, generator).data
        assert (replicate.data.codes == expected.codes).all()
        assert (replicate.weights == expected.multiplicities).all()


def test_without_graphs_those_of_the_corrected_bootstrap_are_drawn_from():
    """Whether learned for it, given, or found in a study."""
    data, settings = make_data([2, 3, 2, 2], 90, seed=2), (bn.BDeu(1), bn.HillClimbing())
    leading = bn.resample(data, *settings, bn.Bootstrap(12), "leading", rng=6)
    alone = bn.resample(data, *settings, bn.PredictiveBootstrap(12), rng=6)
    given = bn.resample(data, *settings, bn.PredictiveBootstrap(12, leading), rng=6)
    compared = bn.study(data, *settings, bn.resampling_methods(12, keys=("predictive", "bootstrap_corrected")), rng=6)
    assert (alone.adjacencies == given.adjacencies).all()
    assert (alone.adjacencies == compared.ensembles["predictive"].adjacencies).all()
    assert list(compared.ensembles) == ["bootstrap_corrected", "predictive"]
    fewer = bn.resample(data, *settings, bn.PredictiveBootstrap(5), rng=6)
    assert (fewer.adjacencies == alone.adjacencies[:5]).all()
    assert alone.mean_edges > 0


def test_results_depend_neither_on_workers_nor_on_the_order_of_columns_invariant():
    data, settings = bn.load_network("asia").sample(120, rng=2), (bn.BIC(), bn.HillClimbing())
    one = bn.resample(data, *settings, bn.PredictiveBootstrap(20), rng=3)
    turned = data.select(data.names[::-1])
    with ThreadPoolExecutor(3) as executor:
        other = bn.resample(turned, *settings, bn.PredictiveBootstrap(20), rng=3, executor=executor)
    assert (one.confidence == other.confidence[::-1, ::-1]).all()
    graphs = bn.resample(data, *settings, bn.Bootstrap(20), rng=8)
    one = bn.resample(data, *settings, bn.PredictiveBootstrap(20, graphs), rng=3)
    other = bn.resample(turned, *settings, bn.PredictiveBootstrap(20, graphs), rng=3)
    assert (one.confidence == other.confidence[::-1, ::-1]).all()


def test_a_run_can_be_stopped_while_it_learns_the_graphs_and_after(asked_after_each):
    data = bn.load_network("asia").sample(200, rng=2)
    reported = []
    for limit in (3, 40):

        def progress(done, total, limit=limit):
            reported.append((done, total))
            return done < limit

        found = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.PredictiveBootstrap(30), rng=1, progress=progress)
        assert found.status == "stopped"
        assert (found.n_graphs > 0, found.n_planned) == (limit > 30, 30)
        assert found.confidence.shape == (8, 8)
    assert {total for _, total in reported} == {60}


def test_graphs_that_do_not_fit_are_refused_with_the_reason():
    data = make_data([2, 2, 2], 30, seed=1)
    cycle = np.array([[[0, 1, 0], [0, 0, 1], [1, 0, 0]]])
    with pytest.raises(ValueError, match="graph 0 has a directed cycle"):
        bn.PredictiveBootstrap(5, cycle)
    with pytest.raises(ValueError, match=r"shape \(m, V, V\), .* got an array of shape \(3, 3\)"):
        bn.PredictiveBootstrap(5, cycle[0])
    settings = (data, bn.BIC(), bn.HillClimbing())
    with pytest.raises(ValueError, match=r"graphs must have shape \(m, 3, 3\) for these data"):
        bn.resample(*settings, bn.PredictiveBootstrap(5, np.zeros((2, 4, 4), dtype=bool)))
    other = bn.resample(make_data([2, 2], 9, seed=1), bn.BIC(), bn.HillClimbing(), bn.Bootstrap(2))
    with pytest.raises(ValueError, match="'v2' is in one of them only"):
        bn.resample(*settings, bn.PredictiveBootstrap(5, other))


def test_tables_that_are_too_large_are_refused_before_they_are_made():
    data = make_data([2] * 26, 30, seed=1)
    full = np.triu(np.ones((1, 26, 26), dtype=bool), 1)
    with pytest.raises(bn.DataError, match="'v25' has 25 parents: set max_parents"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.PredictiveBootstrap(1, full))
