"""DIC against all resamples, against theory, against Monte Carlo and against the true gap to new rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from tests import naive
from tests.strategies import datasets, make_data

TINY = [([2], [[0], [0], [1], [0]]), ([2, 3], [[0, 0], [1, 2], [0, 1], [1, 2], [1, 0], [0, 0]])]


def dataset(arities, rows):
    states = tuple(tuple(f"s{k}" for k in range(r)) for r in arities)
    return bn.Dataset(tuple(f"v{v}" for v in range(len(arities))), states, np.array(rows))


def fit_of(network, data):
    return float(bn.prediction.log_probabilities(network, data).sum())


def gain(data, drawn, edges):
    """What a network fitted to a resample gains on the resample's rows over those of the data, nats (Eq. 11)."""
    again = data.take(drawn)
    refitted = bn.fit(again, edges, ess=1.0)
    return fit_of(refitted, again) - fit_of(refitted, data)


@pytest.mark.parametrize(("arities", "rows"), TINY)
def test_dic_is_the_fit_less_both_halves_of_the_optimism_against_all_resamples(arities, rows):
    """Every one of the n**n equally likely bootstrap samples is fitted: no expectation, no formula."""
    data = dataset(arities, rows)
    for edges in ([], [("v0", "v1")])[: len(arities)]:
        optimism = naive.average_over_resamples(len(rows), lambda drawn, e=edges: gain(data, drawn, e))
        assert optimism > 0.5
        assert bn.teaching.dic(data, edges) == pytest.approx(
            fit_of(bn.fit(data, edges, 1.0), data) - optimism, abs=1e-9
        )


@given(datasets(min_variables=1, max_variables=4, max_rows=60), st.data())
def test_dic_against_its_definition(data, draws):
    """Each expectation as a sum over all counts."""
    order = draws.draw(st.permutations(range(data.n_variables)))
    parents = {v: order[:k] for k, v in enumerate(order)}
    edges = [(data.names[u], data.names[v]) for v in order for u in parents[v]]
    expected = sum(naive.dic(data, v, parents[v]) for v in order)
    assert bn.teaching.dic(data, edges) == pytest.approx(expected, abs=1e-8)
    again = [(data.names[u], data.names[v]) for k, v in enumerate(sorted(order)) for u in sorted(order)[:k]]
    assert bn.teaching.dic(data, again) == pytest.approx(expected, abs=1e-8)  # complete graphs are equivalent


@pytest.mark.slow
def test_dic_in_a_sparse_table_against_resamples_drawn():
    """ALARM's graph, 300 rows, 200 resamples: within 4 standard errors, false-alarm rate 6e-5; the seed is fixed."""
    network = bn.load_network("alarm")
    data, rng = network.sample(300, rng=5), np.random.default_rng(6)
    gains = [gain(data, rng.integers(0, 300, 300), network.edges) for _ in range(200)]
    optimism = fit_of(bn.fit(data, network.edges, 1.0), data) - bn.teaching.dic(data, network.edges)
    assert abs(np.mean(gains) - optimism) < 4 * np.std(gains, ddof=1) / math.sqrt(200)


def test_with_many_rows_a_nat_per_parameter_is_subtracted_against_theory():
    """The next order is near the sum over configurations of (sum_k 1 / p_k - 1) / n_j, below 2 % with 2,000 rows."""
    rng = np.random.default_rng(3)
    data = dataset([3, 2, 3], np.stack([rng.integers(0, r, 2000) for r in (3, 2, 3)], axis=1))
    edges = [("v0", "v1"), ("v0", "v2"), ("v1", "v2")]
    parameters = bn.n_parameters(data, edges)
    assert bn.teaching.dic(data, edges) == pytest.approx(bn.score(data, edges, bn.AIC()), abs=0.02 * parameters)


@pytest.mark.slow
def test_a_spurious_edge_loses_its_parameters_twice_on_average_against_theory():
    """Independent 3 × 3 variables: the edge's fit is chi-squared with 4 degrees of freedom, halved: 2 nats on average.

    DIC subtracts 4. Mean over 400 samples of 400 rows; false-alarm rate 6e-5 at 4 standard errors (sd of the halved
    chi-squared: sqrt 2), and 0.1 nats for the next order; the seed is fixed.
    """
    rng = np.random.default_rng(8)
    gains = []
    for _ in range(400):
        data = dataset([3, 3], rng.integers(0, 3, (400, 2)))
        gains.append(bn.teaching.dic(data, [("v0", "v1")]) - bn.teaching.dic(data, []))
    assert abs(np.mean(gains) + 2.0) < 4 * math.sqrt(2 / 400) + 0.1


def test_the_optimism_is_nearer_the_true_gap_than_half_of_it_and_than_every_parameter():
    """Sparse tables: of the mean gap to new rows of the network's own graph, 286 nats on ALARM with 300 rows, one half
    of the optimism is far short and |theta| = 509 far beyond. Ten samples; the sd of a sample's gap is 34, so that 4
    standard errors are 43 nats; false-alarm rate 6e-5, the seed is fixed."""
    network = bn.load_network("alarm")
    gap = bn.teaching.likelihood_gap(network, [300], n_repeats=10, n_resamples=1).table()["gap_in_parameters"][0]
    found = []
    for seed in range(5):
        data = network.sample(300, rng=seed)
        found.append(fit_of(bn.fit(data, network.edges, 1.0), data) - bn.teaching.dic(data, network.edges))
    assert 0.6 * gap < np.mean(found) + 43 < 509
    assert abs(np.mean(found) - gap) < abs(bn.n_parameters(data, network.edges) - gap)
    assert abs(np.mean(found) - gap) < abs(np.mean(found) / 2 - gap)


def test_a_million_rows_are_soon_judged():
    """Against AIC, which DIC tends to; a count's sum goes only as far as its terms matter."""
    data = make_data([2, 3, 2], 1000, seed=1, dependence=0.2).take(np.tile(np.arange(1000), 1000))
    edges = [("v0", "v1"), ("v1", "v2")]
    assert bn.teaching.dic(data, edges) == pytest.approx(bn.score(data, edges, bn.AIC()), abs=0.01)
