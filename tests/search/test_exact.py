"""Exact search against the enumeration of every graph."""

import itertools
import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.search import _order_graph, exact
from bnengine.search._parent_sets import ParentSets, candidate_parent_sets, pieces, within_piece
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
        bn.WithPrior(bn.BDeu(30), edge_penalty=0.7, uniform_parent_sizes=True),
        bn.WithPrior(bn.QNML(), uniform_parent_sizes=True),
        bn.WithPrior(bn.BDe(prior_over(data), 5), edge_penalty=0.3),
        bn.teaching.LeadingCorrection(bn.BDeu(10)),
        bn.teaching.LeadingCorrection(bn.FNML(), 1.1),
        bn.teaching.LeadingCorrection(bn.WithPrior(bn.K2Score(), uniform_parent_sizes=True)),
        bn.WithPrior(bn.teaching.LeadingCorrection(bn.QNML(), 0.2), edge_penalty=0.1),
    ]
    return plain + wrapped


N_SCORES = 20


@pytest.fixture(scope="module", params=[(25, 1), (90, 2), (400, 3)], ids=lambda made: f"{made[0]} rows")
def four(request):
    return make_data([2, 3, 4, 2], request.param[0], seed=request.param[1], unseen=0.3)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize("seed", range(10))
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
    says = r"12 of the variables can be each other's ancestors: .* choose fewer variables, or hill climbing"
    with pytest.raises(ValueError, match=says):
        bn.learn(data, bn.BDeu(60), bn.Exact(max_parents=2, max_memory=30_000))


GO_ON = np.zeros(1, dtype=np.uint8)


def candidates_of(data, score, max_parents=3):
    space = bn.Constraints().resolve(data.names, max_parents)
    return candidate_parent_sets(LocalScores(data, score), space, 2**30)[0]


def total_of(candidates, ordering):
    """The score of an ordering, each variable with its best set among those before it."""
    return sum(candidates[v].best_score(sum(1 << u for u in ordering[:i])) for i, v in enumerate(ordering))


@pytest.mark.parametrize("group", [2, 4, 20])
@pytest.mark.parametrize("seed", range(4))
def test_branch_and_bound_against_all_sets(monkeypatch, seed, group):
    """Also where the first pass drops all but a few sets, and where bounds come from several groups."""
    rng = np.random.default_rng(seed)
    data = naive_orders.random_network(rng, rng.integers(2, 4, 9).tolist()).sample(int(rng.integers(30, 300)), rng=rng)
    candidates = candidates_of(data, [bn.BIC(), bn.BDeu(1), bn.BDeu(40), bn.LogLikelihood()][seed % 4])
    monkeypatch.setattr(_order_graph, "_LARGEST_GROUP", group)
    monkeypatch.setattr(_order_graph, "_FIRST_WIDTH", 2)
    ordering = _order_graph.best_ordering_by_bounds(candidates, 1e-9, 2**30)
    best = _order_graph.best_ordering_of_all(candidates, 1e-9, GO_ON)
    assert sorted(ordering) == sorted(best) == list(range(9))
    assert total_of(candidates, ordering) == pytest.approx(total_of(candidates, best), abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_candidate_parent_sets_against_enumeration(seed):
    """Best first; the best set within any set of others is in the list, and no set of it has a better subset."""
    data = make_data([2, 3, 2, 4, 2], 50, seed=seed)
    score = [bn.BIC(), bn.BDeu(9), bn.AIC(), bn.QNML()][seed]
    table = naive_orders.engine_table(score, data)
    for child, sets in enumerate(candidates_of(data, score, 4)):
        assert (np.diff(sets.scores) <= 1e-7).all()
        for available in range(32):
            within = [s for s in range(32) if s & ~available == 0 and not s >> child & 1]
            assert sets.best_score(available) == pytest.approx(table[child, within].max(), abs=1e-7)
        for i, mask in enumerate(sets.masks.tolist()):
            below = [s for s in range(32) if s & ~mask == 0 and s != mask]
            assert not below or sets.scores[i] > table[child, below].max()


def test_pieces_are_ordered_by_ancestry_against_theory():
    """0 and 2 may be each other's parents, 3 only a child of theirs, and 1 stands alone."""
    lists = [[0b0100, 0], [0], [0b0001, 0], [0b0101, 0]]
    candidates = [ParentSets(np.array(masks), -np.arange(len(masks), dtype=float)) for masks in lists]
    assert pieces(candidates) == [[1], [0, 2], [3]]
    inner = within_piece(candidates[3], [3])
    assert (inner.masks.tolist(), inner.scores.tolist()) == ([0], [0.0])  # what stands before is always at hand
    assert within_piece(candidates[2], [0, 2]).masks.tolist() == [1, 0]


@pytest.mark.parametrize("small", [0, 20])
def test_pieces_bounds_and_constraints_together_against_enumeration(monkeypatch, four, small):
    """The ways to an ordering agree under constraints: ``small`` 0 sends all through the bounds."""
    monkeypatch.setattr(exact, "_SMALL", small)
    for seed in range(12):
        constraints = naive_orders.random_constraints(np.random.default_rng([seed, 7]), four.names)
        space = constraints.resolve(four.names)
        masks = naive_orders.dag_masks(4)
        masks = masks[naive_orders.legal(masks, space)]
        best = naive_orders.totals(masks, naive_orders.engine_table(bn.BDeu(20), four)).max()
        found = bn.learn(four, bn.BDeu(20), bn.Exact(), constraints)
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


@pytest.mark.parametrize("seed", range(12))
def test_pruning_loses_nothing_against_enumeration_of_orderings(seed):
    """Six variables with many states and few rows, where the bounds prune most: the best over all 720 orderings."""
    rng = np.random.default_rng(seed)
    network = naive_orders.random_network(rng, rng.integers(2, 6, 6).tolist())
    data = network.sample(int(rng.integers(10, 150)), rng=rng)
    score = [
        bn.BDeu(1),
        bn.BDs(10),
        bn.K2Score(),
        bn.BIC(),
        bn.QNML(),
        bn.WithPrior(bn.BDeu(4), 0.5, uniform_parent_sizes=True),
    ][seed % 6]
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


# How much work it takes to find the best graph exactly


@pytest.mark.parametrize(("n", "most"), [(1, 3), (4, 2), (7, 3), (9, 0)])
def test_steps_against_counting(n, most):
    trees, ordered, everything = bn.teaching.exact_problems(n, most)
    assert trees.steps == len(list(itertools.combinations(range(n), 2)))
    sets = [s for place in range(n) for k in range(most + 1) for s in itertools.combinations(range(place), k)]
    assert ordered.steps == len(sets) == bn.FixedOrdering(max_parents=most).n_families(n)
    assert everything.steps == n * sum(1 for k in range(n) for _ in itertools.combinations(range(n - 1), k))
    assert everything.steps == bn.Exact().n_families(n)
    assert [problem.polynomial for problem in (trees, ordered, everything)] == [True, True, False]


def test_what_is_called_polynomial_grows_as_it_says():
    """Doubling n multiplies the steps by 2 to the power of the exponent, or by far more."""
    small, large = bn.teaching.exact_problems(400), bn.teaching.exact_problems(800)
    for one, other, exponent in zip(small[:2], large[:2], (2, 4), strict=True):
        assert math.log2(other.steps / one.steps) == pytest.approx(exponent, abs=0.02)
    assert (small[0].growth, small[1].growth) == ("n²", "n⁴")
    assert large[2].steps // small[2].steps == 2**401
