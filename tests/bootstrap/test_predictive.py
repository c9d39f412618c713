"""The posterior-predictive bootstrap, and networks drawn from their posterior."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resamplers import replicate_generators, replicates
from bnengine.networks.posterior_draw import PosteriorDrawing, draw_network
from tests.strategies import make_data

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
    draws = [draw_network(data, CHAIN, ess, rng).tables for rng in np.random.default_rng(2).spawn(n)]
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
    for table in draw_network(data, [("v0", "v1")], 1e-4, rng=3).tables:
        assert np.isfinite(table).all()
        assert np.allclose(table.sum(axis=1), 1)


def dags(data, n, seed=3):
    return bn.resample(data, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(n), rng=seed).adjacencies


def test_each_replicate_is_the_parametric_bootstrap_of_a_network_drawn_for_it():
    """The graphs in turn; once the probabilities are drawn, the same generator gives the same rows."""
    data = make_data([2, 3, 2, 2], 50, seed=4)
    graphs = dags(data, 3)
    method = bn.PredictiveBootstrap(7, graphs, ess=2.0)
    for b, (replicate, parent) in enumerate(zip(replicates(data, method, 5), replicate_generators(5, 7), strict=True)):
        (generator,) = parent.spawn(1)
        drawing = PosteriorDrawing(data, 2.0)
        network = drawing.network(*drawing.tables(graphs[b % 3], generator))
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
    compared = bn.study(data, *settings, bn.methods(12, keys=("predictive", "boot_bc")), rng=6)
    assert (alone.packed_graphs == given.packed_graphs).all()
    assert (alone.packed_graphs == compared.ensembles["predictive"].packed_graphs).all()
    assert list(compared.ensembles) == ["boot_bc", "predictive"]
    fewer = bn.resample(data, *settings, bn.PredictiveBootstrap(5), rng=6)
    assert (fewer.packed_graphs == alone.packed_graphs[:5]).all()
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


def test_a_run_can_be_stopped_while_it_learns_the_graphs_and_after():
    data = bn.load_network("asia").sample(200, rng=2)
    reported = []
    for limit in (3, 60):

        def progress(done, total, limit=limit):
            reported.append((done, total))
            return done < limit

        found = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.PredictiveBootstrap(2000), rng=1, progress=progress)
        assert found.status == "stopped"
        assert found.n_graphs < 2000 == found.n_planned
        assert found.confidence.shape == (8, 8)
    assert {total for _, total in reported} == {4000}


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
    with pytest.raises(ValueError, match="correction='exact' is valid only for"):
        bn.resample(*settings, bn.PredictiveBootstrap(5), "exact")
    with pytest.raises(ValueError, match="ess must be a number above 0"):
        bn.PredictiveBootstrap(5, ess=0)


def test_tables_that_are_too_large_are_refused_before_they_are_made():
    data = make_data([2] * 26, 30, seed=1)
    full = np.triu(np.ones((1, 26, 26), dtype=bool), 1)
    with pytest.raises(bn.DataError, match="'v25' has 25 parents: set max_parents"):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.PredictiveBootstrap(1, full))
