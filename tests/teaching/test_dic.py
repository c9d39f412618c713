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


def test_a_million_rows_are_soon_judged():
    """Against AIC, which DIC tends to; a count's sum goes only as far as its terms matter."""
    data = make_data([2, 3, 2], 1000, seed=1, dependence=0.2).take(np.tile(np.arange(1000), 1000))
    edges = [("v0", "v1"), ("v1", "v2")]
    assert bn.teaching.dic(data, edges) == pytest.approx(bn.score(data, edges, bn.AIC()), abs=0.01)
