"""Posteriors and searches on rows from experiments, against the enumeration of all graphs over four variables."""

import numpy as np
import pytest

import bnengine as bn
from tests import naive, naive_orders
from tests.strategies import make_data, own_rows, with_experiments


@pytest.fixture(scope="module")
def four():
    return with_experiments(make_data([2, 3, 2, 2], 60, seed=9), seed=5, n_experiments=4)


def enumerated(data, score):
    """The graphs as masks and their scores: each family by definition, on the rows that count for it."""
    masks = naive_orders.dag_masks(data.n_variables)
    table = naive_orders.family_table(
        score, data, lambda score, data, v, of: naive.local_score(score, own_rows(data, v), v, of)
    )
    return masks, naive_orders.totals(masks, table)


@pytest.mark.parametrize("score", [bn.BDeu(2), bn.BIC(), bn.FNML()], ids=lambda score: score.name)
def test_exact_posterior_against_enumeration(four, score):
    masks, totals = enumerated(four, bn.WithPrior(score, uniform_parent_sizes=True))
    expected, _ = naive_orders.edge_posterior(masks, totals)
    posterior = bn.edge_posterior(four, score, 3)
    assert posterior.probability == pytest.approx(expected, abs=1e-10)
    as_observed = bn.edge_posterior(bn.Dataset(four.names, four.states, four.codes), score, 3)
    assert np.abs(as_observed.probability - expected).max() > 0.05  # the experiments matter here


@pytest.mark.slow
def test_sampled_posteriors_against_enumeration(four):
    """Within six standard errors, each estimated from some 60 batch means: false-alarm rate 1e-7 an edge."""
    masks, totals = enumerated(four, bn.WithPrior(bn.BDeu(1), uniform_parent_sizes=True))
    expected, _ = naive_orders.edge_posterior(masks, totals)
    posterior = bn.edge_posterior(four, bn.BDeu(1), None, method="order", n_steps=30_000)
    assert (abs(posterior.probability - expected) <= 6 * posterior.error + 1e-3).all()
    assert posterior.error.max() < 0.03


@pytest.mark.parametrize(
    "search", [bn.Exact(), bn.IteratedLocalSearch(), bn.HillClimbing(), bn.ChowLiu()], ids=lambda search: search.name
)
def test_searches_maximize_the_score_of_the_rows_that_count(four, search):
    masks, totals = enumerated(four, bn.BIC())
    found = bn.learn(four, bn.BIC(), search)
    place = next(k for k, graph in enumerate(masks) if (naive_orders.matrix_of(graph) == found.adjacency).all())
    assert found.score == pytest.approx(totals[place], abs=1e-9)
    assert found.score == pytest.approx(bn.score(four, found.edges, bn.BIC()), abs=1e-9)
    if isinstance(search, bn.Exact):
        assert found.score == pytest.approx(totals.max(), abs=1e-9)
        assert bn.answers.certify(four, bn.BIC(), found).graph.bound == pytest.approx(totals.max(), abs=1e-9)
