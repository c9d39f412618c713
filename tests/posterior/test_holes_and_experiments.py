"""The posterior where cells are missing, and where experiments set variables."""

import itertools

import numpy as np
import pytest

import bnengine as bn
from bnengine.data.dataset import MISSING
from bnengine.posterior import Effort
from bnengine.posterior.result import small_sample_factor
from tests import naive, naive_orders
from tests.strategies import make_data, own_rows, with_experiments, with_holes


def holed(seed, n_rows=150, share=0.1, **how):
    return with_holes(make_data([2, 3, 2, 2], n_rows, seed), seed, share, **how)


def binary_table(seed):
    """Two binary variables with 3 to 7 cells missing, so that all completions can be summed over."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 36))
    first = rng.integers(0, 2, n)
    codes = np.stack([first, np.where(rng.random(n) < 0.5, first, rng.integers(0, 2, n))], axis=1).astype(np.uint16)
    codes[0], codes[1] = 0, 1
    rows = rng.choice(np.arange(2, n), int(rng.integers(3, 8)), replace=False)
    codes[rows, rng.integers(0, 2, len(rows))] = MISSING
    return bn.Dataset(("a", "b"), (("0", "1"),) * 2, codes).with_missing("keep")


def summed_over_completions(data, score):
    """The posterior of each edge: the mean over all completions, each weighted by its evidence."""
    where = tuple(np.argwhere(data.missing).T)
    evidence, probability = [], []
    for states in itertools.product((0, 1), repeat=len(where[0])):
        codes = data.codes.copy()
        codes[where] = states
        rows = bn.Dataset(data.names, data.states, codes)
        masks = naive_orders.dag_masks(2)
        table = naive_orders.family_table(bn.WithPrior(score, uniform_parent_sizes=True), rows)
        found = naive_orders.edge_posterior(masks, naive_orders.totals(masks, table))
        probability.append(found[0])
        evidence.append(found[1])
    return np.average(probability, axis=0, weights=np.exp(np.array(evidence) - max(evidence)))


@pytest.mark.slow
@pytest.mark.parametrize("score", [bn.FNML(), bn.BDeu(1), bn.K2Score()])
def test_the_posterior_is_that_summed_over_all_completions(score):
    for seed in range(4):
        data = binary_table(seed)
        found, exact = bn.edge_posterior(data, score, rng=seed), summed_over_completions(data, score)
        assert found.error.max() < 0.05
        assert (np.abs(found.probability - exact) <= 3 * found.error + 0.003).all()


def test_the_posterior_is_the_mean_over_chains_and_its_error_covers_their_differences():
    found = bn.edge_posterior(holed(1), bn.FNML(), effort=Effort(n_draws=6))
    chains = np.array([found.graphs()[found.groups[:, 1] == chain].mean(axis=0) for chain in range(6)])
    assert (found.method, found.status, found.n_draws % 6) == ("exact", "converged", 0)
    assert found.n_draws > 6
    assert np.abs(chains.mean(axis=0) - found.probability).max() < 0.06
    assert np.abs(chains.std(axis=0, ddof=1) / np.sqrt(6) * small_sample_factor(6) - found.error).max() < 0.06
    assert (found.error[~np.eye(4, dtype=bool)] > 0).all()


@pytest.mark.parametrize("n", [2, 5, 10])
def test_twice_the_error_of_a_few_chains_covers_as_much_as_that_of_many(n):
    values = np.random.default_rng(n).normal(size=(20_000, n))
    error = small_sample_factor(n) * values.std(axis=1, ddof=1) / np.sqrt(n)
    assert 0.037 < (np.abs(values.mean(axis=1)) > 2 * error).mean() < 0.051  # binomial error 0.0015


def test_a_single_completion_tells_nothing_of_others():
    found = bn.edge_posterior(holed(5), bn.FNML(), method="order", n_steps=2000, effort=Effort(n_draws=1))
    assert found.n_draws == 1
    assert found.error == pytest.approx(np.sqrt(found.probability * (1 - found.probability)))


def test_complete_rows_have_the_posterior_that_they_had():
    data = make_data([2, 3, 2], 80, 1)
    found = bn.edge_posterior(data, bn.FNML())
    assert found.n_draws == 0
    assert (found.probability == bn.edge_posterior(with_holes(data, 1, 0.0), bn.FNML()).probability).all()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exact", "order"])
def test_neither_order_of_columns_nor_way_changes_the_posterior(method):
    data = holed(2)
    steps = {} if method == "exact" else {"n_steps": 2000}
    found = bn.edge_posterior(data, bn.FNML(), method=method, effort=Effort(n_draws=2), **steps)
    other = data.select(data.names[::-1]).with_missing("complete_families")
    turned = bn.edge_posterior(other, bn.FNML(), method=method, effort=Effort(n_draws=2), **steps)
    assert np.abs(turned.probability[::-1, ::-1] - found.probability).max() < 1e-9


def test_few_missing_cells_move_the_posterior_little():
    complete = make_data([2, 3, 2, 2], 400, 3)
    whole = bn.edge_posterior(complete, bn.FNML()).probability
    assert np.abs(bn.edge_posterior(with_holes(complete, 3, 0.01), bn.FNML()).probability - whole).max() < 0.35
    assert (np.abs(bn.edge_posterior(holed(3, 400, 0.3), bn.FNML()).probability - whole) > 0).any()


def test_a_progress_that_says_stop_ends_with_what_there_is():
    told = []
    tell = lambda done, total: told.append((done, total)) or len(told) < 3  # noqa: E731
    found = bn.edge_posterior(holed(4), bn.FNML(), method="order", n_steps=4000, progress=tell)
    assert found.status == "stopped"
    assert found.probability.shape == (4, 4)
    assert max(done for done, total in told) <= told[0][1]


@pytest.mark.parametrize("last", [1, 40])
def test_exact_sums_are_stopped_between_completions(last):
    told = []
    found = bn.edge_posterior(
        holed(4),
        bn.FNML(),
        effort=Effort(n_draws=2),
        progress=lambda done, total: told.append((done, total)) or len(told) < last,
    )
    assert (found.status, found.method) == ("stopped", "exact")
    assert 1 <= found.n_draws < 50
    assert sorted(told) == told


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
    posterior = bn.edge_posterior(four, score, max_parents=3)
    assert posterior.probability == pytest.approx(expected, abs=1e-10)
    as_observed = bn.edge_posterior(bn.Dataset(four.names, four.states, four.codes), score, max_parents=3)
    assert np.abs(as_observed.probability - expected).max() > 0.05  # the experiments matter here


@pytest.mark.slow
def test_sampled_posteriors_against_enumeration(four):
    """Within six standard errors, each estimated from some 60 batch means: false-alarm rate 1e-7 an edge."""
    masks, totals = enumerated(four, bn.WithPrior(bn.BDeu(1), uniform_parent_sizes=True))
    expected, _ = naive_orders.edge_posterior(masks, totals)
    posterior = bn.edge_posterior(four, bn.BDeu(1), max_parents=None, method="order", n_steps=30_000)
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
