"""Exact search against the enumeration of every graph."""

import itertools
import math

import numpy as np
import pytest

import bnengine as bn
from tests import naive, naive_orders
from tests.strategies import make_data


def prior_over(data):
    made = naive_orders.random_network(np.random.default_rng(8), data.arities.tolist())
    return bn.BayesianNetwork(data.names, data.states, made.parents, made.tables, "made up")


def every_score(data):
    """Each table score, with structure priors and corrections; likelihood alone has no charge to prune by."""
    plain = [
        bn.LogLikelihood(),
        bn.AIC(),
        bn.BIC(),
        bn.FNML(),
        bn.QNML(),
        bn.K2Score(),
        bn.BDeu(0.1),
        bn.BDeu(1),
        bn.BDeu(30),
        bn.BDs(1),
        bn.BDs(30),
        bn.BDe(prior_over(data), 5),
    ]
    wrapped = [
        bn.WithPrior(bn.LogLikelihood(), edge_penalty=2.0),
        bn.WithPrior(bn.BDeu(30), edge_penalty=0.7, fair=True),
        bn.WithPrior(bn.QNML(), fair=True),
        bn.WithPrior(bn.BDe(prior_over(data), 5), edge_penalty=0.3),
        bn.LeadingCorrection(bn.BDeu(10)),
        bn.LeadingCorrection(bn.FNML(), 1.1),
        bn.LeadingCorrection(bn.WithPrior(bn.K2Score(), fair=True)),
        bn.WithPrior(bn.LeadingCorrection(bn.QNML(), 0.2), edge_penalty=0.1),
    ]
    return plain + wrapped


N_SCORES = 20


@pytest.fixture(scope="module", params=[(25, 1), (90, 2), (400, 3)], ids=lambda made: f"{made[0]} rows")
def four(request):
    return make_data([2, 3, 4, 2], request.param[0], seed=request.param[1], unseen=0.3)


@pytest.mark.parametrize("number", range(N_SCORES))
def test_best_of_all_543_graphs_against_enumeration(four, number):
    score = every_score(four)[number]
    masks = naive_orders.dag_masks(4)
    assert len(masks) == 543
    totals = naive_orders.totals(masks, naive_orders.family_table(score, four))
    found = bn.learn(four, score, bn.Exact())
    assert found.status == "optimal"
    assert found.score == pytest.approx(totals.max(), abs=1e-7)
    assert bn.score(four, found.edges, score) == pytest.approx(totals.max(), abs=1e-7)


@pytest.mark.parametrize("score", [bn.BIC(), bn.BDeu(12)], ids=lambda score: score.name)
def test_best_of_all_29281_graphs_against_enumeration(score):
    data = make_data([3, 2, 2, 4, 2], 400, seed=6, unseen=0.2)
    masks = naive_orders.dag_masks(5)
    assert len(masks) == 29_281
    totals = naive_orders.totals(masks, naive_orders.family_table(score, data))
    found = bn.learn(data, score, bn.Exact())
    assert found.score == pytest.approx(totals.max(), abs=1e-7)
    assert naive_orders.matrix_of(masks[totals.argmax()]).sum() == len(found.edges) > 2
    assert bn.score(data, found.edges, score) == pytest.approx(found.score, abs=1e-7)


@pytest.mark.parametrize("seed", range(30))
def test_constraints_against_enumeration(four, seed):
    """Required, forbidden, tiers and a limit, drawn at random."""
    rng = np.random.default_rng(seed)
    constraints = naive_orders.random_constraints(rng, four.names)
    space = constraints.resolve(four.names)
    score = [bn.BIC(), bn.BDeu(20), bn.QNML(), bn.BDs(5), bn.LogLikelihood()][seed % 5]
    masks = naive_orders.dag_masks(4)
    masks = masks[naive_orders.legal(masks, space)]
    best = naive_orders.totals(masks, naive_orders.engine_table(score, four)).max()
    found = bn.learn(four, score, bn.Exact(), constraints)
    assert naive.is_legal(found.adjacency, space)
    assert found.score == pytest.approx(best, abs=1e-7)
    assert bn.score(four, found.edges, score) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_own_limit_on_parents_against_enumeration(four, limit):
    masks = naive_orders.dag_masks(4)
    masks = masks[(np.bitwise_count(masks) <= limit).all(axis=1)]
    best = naive_orders.totals(masks, naive_orders.engine_table(bn.BDeu(60), four)).max()
    found = bn.learn(four, bn.BDeu(60), bn.Exact(max_parents=limit))
    assert found.score == pytest.approx(best, abs=1e-7)
    assert found.adjacency.sum(axis=0).max() <= limit


def test_an_edge_required_against_the_data_against_enumeration():
    """All required edges are in the graph though each of them costs."""
    data = make_data([2, 2, 2, 2], 60, seed=3, dependence=0.0)
    required = [("v3", "v0"), ("v2", "v0"), ("v0", "v1")]
    found = bn.learn(data, bn.BIC(), bn.Exact(), bn.Constraints(required))
    assert set(found.edges) >= set(required)
    assert found.score < bn.learn(data, bn.BIC(), bn.Exact()).score


def test_trace_is_the_best_score_of_growing_sets_invariant(four):
    """The last entry is the graph's score; each entry is the best over the first variables of the found ordering."""
    found = bn.learn(four, bn.BDeu(2), bn.Exact())
    assert len(found.trace) == 4
    assert found.trace[-1] == found.score
    assert (np.diff(found.trace) < 0).all()  # a further variable costs its own local score


def test_one_variable_against_theory():
    data = bn.Dataset(("x",), (("a", "b"),), [[0], [0], [1]])
    found = bn.learn(data, bn.BIC(), bn.Exact())
    assert (found.edges, found.status) == ([], "optimal")
    assert found.score == pytest.approx(2 * math.log(2 / 3) + math.log(1 / 3) - math.log(3) / 2, abs=1e-12)


def test_two_variables_against_theory():
    """Ties go one way, always the same: equivalent graphs score alike, and rounding must not choose."""
    data = make_data([2, 2], 80, seed=2, dependence=0.8)
    assert len(bn.learn(data, bn.BIC(), bn.Exact()).edges) == 1
    assert {tuple(bn.learn(data, bn.BIC(), bn.Exact()).edges) for _ in range(3)} == {
        tuple(bn.learn(data, bn.BIC(), bn.Exact()).edges)
    }


def test_a_variable_of_one_state_is_left_alone_against_enumeration():
    data = make_data([2, 3, 2], 60, seed=2, dependence=0.9)
    codes = np.insert(data.codes, 1, 0, axis=1)
    names, states = ("v0", "one", "v1", "v2"), (data.states[0], ("only",), *data.states[1:])
    found = bn.learn(bn.Dataset(names, states, codes), bn.BIC(), bn.Exact())
    assert found.score == pytest.approx(bn.learn(data, bn.BIC(), bn.Exact()).score, abs=1e-9)
    assert not found.adjacency[1].any()
    assert not found.adjacency[:, 1].any()


def test_refusal_names_the_formula_and_the_remedy():
    wide = bn.Dataset(tuple(f"v{v}" for v in range(31)), (("0", "1"),) * 31, np.zeros((2, 31), dtype=int))
    with pytest.raises(
        ValueError, match=r"31 variables needs 12 · V · 2\^\(V−1\) \+ 9 · 2\^V bytes = .* GB, more than the 8\.0 GB"
    ):
        bn.learn(wide, bn.BIC(), bn.Exact())
    with pytest.raises(ValueError, match="choose fewer variables, or hill climbing, tabu or annealing"):
        bn.learn(wide.select(wide.names[:12]), bn.BIC(), bn.Exact(max_memory=bn.Exact.memory(12) - 1))
    assert bn.learn(wide.select(wide.names[:9]), bn.BIC(), bn.Exact(max_memory=bn.Exact.memory(9))).status == "optimal"


def test_memory_against_the_tables_that_are_made():
    """A score and a set of 4 bytes for each variable and set of others; a score and a sink for each set."""
    for n in (1, 2, 5, 20):
        others = n * 2 ** (n - 1)
        assert bn.Exact.memory(n) == others * (8 + 4) + 2**n * (8 + 1)


def test_number_of_families_against_enumeration():
    for n, limit in itertools.product(range(1, 7), [0, 1, 2, None]):
        largest = n - 1 if limit is None else limit
        sets = [s for size in range(n) for s in itertools.combinations(range(n - 1), size) if size <= largest]
        assert bn.Exact(max_parents=limit).n_families(n) == n * len(sets)


@pytest.mark.parametrize("score", [bn.BIC(), bn.BDeu(1), bn.LogLikelihood()], ids=lambda score: score.name)
def test_seventeen_variables_in_seconds(score):
    """500 rows, up to four parents; the unpruned likelihood counts every family. Measured: a tenth of a second."""
    data = bn.load_network("alarm").sample(500, rng=3)
    data = data.select(data.names[:17])
    found = bn.learn(data, score, bn.Exact(max_parents=4))
    assert found.n_evaluations <= bn.Exact(max_parents=4).n_families(17)
    for other in (bn.HillClimbing(max_parents=4), bn.Tabu(max_parents=4), bn.HillClimbing(20, max_parents=4)):
        assert found.score >= bn.learn(data, score, other).score - 1e-6
    assert bn.score(data, found.edges, score) == pytest.approx(found.score, abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_pruning_loses_nothing_against_enumeration_of_orderings(seed):
    """Six variables with many states and few rows, where the bounds prune most: the best over all 720 orderings."""
    rng = np.random.default_rng(seed)
    network = naive_orders.random_network(rng, rng.integers(2, 6, 6).tolist())
    data = network.sample(int(rng.integers(10, 150)), rng=rng)
    score = [bn.BDeu(1), bn.BDs(10), bn.K2Score(), bn.BIC(), bn.QNML(), bn.WithPrior(bn.BDeu(4), 0.5, fair=True)][
        seed % 6
    ]
    table = naive_orders.engine_table(score, data)
    within = table.copy()  # best parent set within each set
    for bit in range(6):
        for mask in range(64):
            if mask >> bit & 1:
                within[:, mask] = np.maximum(within[:, mask], within[:, mask ^ (1 << bit)])
    best = max(
        sum(within[v, sum(1 << u for u in ordering[:place])] for place, v in enumerate(ordering))
        for ordering in itertools.permutations(range(6))
    )
    assert bn.learn(data, score, bn.Exact()).score == pytest.approx(best, abs=1e-7)
