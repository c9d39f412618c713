"""Exact search against the enumeration of every graph."""

import itertools

import numpy as np
import pytest

import bnengine as bn
from bnengine.search import exact
from tests import naive, naive_orders
from tests.strategies import make_data


@pytest.fixture(scope="module", params=[(25, 1), (90, 2), (400, 3)], ids=lambda made: f"{made[0]} rows")
def four(request):
    return make_data([2, 3, 4, 2], request.param[0], seed=request.param[1], unseen=0.3)


@pytest.mark.parametrize(
    "score",
    [
        bn.WithPrior(bn.LogLikelihood(), edge_penalty=2.0),
        bn.WithPrior(bn.BDe("asia", 5), edge_penalty=0.3, uniform_parent_sizes=True),
        bn.teaching.LeadingCorrection(bn.WithPrior(bn.K2Score(), uniform_parent_sizes=True)),
        bn.WithPrior(bn.teaching.LeadingCorrection(bn.QNML(), 0.2), edge_penalty=0.1),
    ],
    ids=lambda score: score.name,
)
def test_best_of_all_543_graphs_against_enumeration(score):
    """With structure priors and corrections; ``test_contract`` has each score by itself."""
    four = bn.load_network("asia").sample(60, rng=2).select(["smoke", "lung", "bronc", "dysp"])
    totals = naive_orders.totals(naive_orders.dag_masks(4), naive_orders.family_table(score, four))
    found = bn.learn(four, score, bn.Exact())
    assert (found.status, found.score) == ("optimal", pytest.approx(totals.max(), abs=1e-7))


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_own_limit_on_parents_against_enumeration(four, limit):
    masks = naive_orders.legal_masks(4, bn.Constraints().resolve(four.names, limit))
    best = naive_orders.totals(masks, naive_orders.engine_table(bn.BDeu(60), four)).max()
    found = bn.learn(four, bn.BDeu(60), bn.Exact(max_parents=limit))
    assert found.score == pytest.approx(best, abs=1e-7)
    assert found.adjacency.sum(axis=0).max() <= limit


def test_refusal_says_what_is_lacking_and_the_remedy():
    wide = bn.Dataset(tuple(f"v{v}" for v in range(64)), (("0", "1"),) * 64, np.zeros((2, 64), dtype=int))
    with pytest.raises(ValueError, match="up to 63 variables, and these are 64: choose fewer"):
        bn.learn(wide, bn.BIC(), bn.Exact())
    assert bn.learn(wide.select(wide.names[:63]), bn.BIC(), bn.Exact()).edges == []


def test_parent_sets_that_do_not_fit_are_refused_before_they_are_counted():
    """Nothing prunes the likelihood: a variable has 2^11 parent sets, and 48 bytes are reckoned for each."""
    data = make_data([2] * 12, 300, seed=5)
    with pytest.raises(
        ValueError, match=r"has to hold .* parent sets, 0\.0 GB, more than the 0\.0 GB allowed: lower max"
    ):
        bn.learn(data, bn.LogLikelihood(), bn.Exact(max_memory=48 * 2**11))
    assert bn.learn(data, bn.LogLikelihood(), bn.Exact(max_memory=2**22)).status == "optimal"


def test_an_ordering_that_does_not_fit_is_refused(monkeypatch):
    data = make_data([2] * 12, 100, seed=5)
    monkeypatch.setattr(exact, "_SMALL", 3)
    says = r"12 of the variables can be each other's ancestors: the linear program .* lower max_parents, choose fewer"
    with pytest.raises(ValueError, match=says):
        bn.learn(data, bn.BDeu(60), bn.Exact(max_parents=2, max_memory=30_000))


@pytest.mark.parametrize("seed", range(8))
def test_the_linear_program_against_all_sets(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    data = naive_orders.random_network(rng, rng.integers(2, 4, 9).tolist()).sample(int(rng.integers(30, 300)), rng=rng)
    score = [bn.BIC(), bn.BDeu(1), bn.BDeu(40), bn.LogLikelihood()][seed % 4]
    best = bn.learn(data, score, bn.Exact(3)).score
    monkeypatch.setattr(exact, "_SMALL", 0)
    found = bn.learn(data, score, bn.Exact(3))
    assert (found.status, found.score) == ("optimal", pytest.approx(best, abs=1e-6))
    assert bn.score(data, found.edges, score) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("small", [0, 20])
def test_pieces_bounds_and_constraints_together_against_enumeration(monkeypatch, four, small):
    """The ways to an ordering agree under constraints: ``small`` 0 sends all through the linear program."""
    monkeypatch.setattr(exact, "_SMALL", small)
    for seed in range(12):
        constraints = naive_orders.random_constraints(np.random.default_rng([seed, 7]), four.names)
        space = constraints.resolve(four.names)
        masks = naive_orders.legal_masks(4, space)
        best = naive_orders.totals(masks, naive_orders.engine_table(bn.BDeu(20), four)).max()
        found = bn.learn(four, bn.BDeu(20), bn.Exact(), constraints=constraints)
        assert naive.is_legal(found.adjacency, space)
        assert found.score == pytest.approx(best, abs=1e-7)


@pytest.mark.slow
def test_alarm_with_three_parents_against_other_searches():
    """All 37 variables: no other search comes above, and the limit that the optimum is under is kept."""
    data = bn.load_network("alarm").sample(200, rng=1)
    found = bn.learn(data, bn.BIC(), bn.Exact(max_parents=3))
    assert found.status == "optimal"
    assert found.adjacency.sum(axis=0).max() <= 3
    assert bn.score(data, found.edges, bn.BIC()) == pytest.approx(found.score, abs=1e-6)
    for other in (bn.HillClimbing(max_parents=3), bn.Tabu(max_parents=3), bn.SimulatedAnnealing(max_parents=3)):
        assert found.score >= bn.learn(data, bn.BIC(), other, rng=1).score - 1e-6


# How much work it takes to find the best graph exactly


@pytest.mark.parametrize(("n", "most"), [(1, 3), (4, 2), (7, 3), (9, 0)])
def test_numbers_of_families_against_counting(n, most):
    sets = [s for place in range(n) for k in range(most + 1) for s in itertools.combinations(range(place), k)]
    assert bn.FixedOrdering(max_parents=most).n_families(n) == len(sets)
    assert bn.Exact().n_families(n) == n * sum(1 for k in range(n) for _ in itertools.combinations(range(n - 1), k))
