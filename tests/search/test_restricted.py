"""The best graph of a restricted kind against enumeration: trees and branchings, and those that fit an ordering."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from bnengine.search.edge_changes import tolerance
from tests import naive, naive_orders
from tests.strategies import datasets, make_data, make_score

EQUIVALENT = [bn.LogLikelihood(), bn.BIC(), bn.AIC(), bn.BDeu(1)]


def pair_gains(score, data):
    """What an edge between two variables adds; either direction, for score-equivalent scores."""
    scores = LocalScores(data, score)
    return {
        (i, j): scores(j, [i]) - scores(j) for i in range(data.n_variables) for j in range(data.n_variables) if i != j
    }


@pytest.mark.parametrize("score", EQUIVALENT, ids=lambda score: score.name)
@pytest.mark.parametrize("seed", range(4))
def test_best_tree_against_all_125(score, seed):
    data = make_data([2, 3, 2, 4, 2], 60 + 40 * seed, seed)
    gains = pair_gains(score, data)
    empty = bn.score(data, [], score)
    best = max(sum(max(gains[edge], 0) for edge in tree) for tree in naive.labelled_trees(5))
    graph = bn.learn(data, score, bn.ChowLiu())
    assert graph.score == pytest.approx(empty + best, abs=1e-7)
    assert graph.adjacency.sum(axis=0).max() <= 1


@pytest.mark.slow
@settings(max_examples=60)
@given(datasets(min_variables=2, max_variables=4, max_rows=80), st.sampled_from(sorted(SCORES)), st.data())
def test_best_branching_against_all_parent_maps(data, kind, draws):
    """Any score, any constraints: the best of all graphs with at most one parent each."""
    n, score = data.n_variables, make_score(kind, data)
    pairs = [(data.names[i], data.names[j]) for i in range(n) for j in range(n) if i != j]
    forbidden = draws.draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True))
    required = draws.draw(st.lists(st.sampled_from(pairs), max_size=1))
    constraints = bn.Constraints(required=[edge for edge in required if edge not in forbidden], forbidden=forbidden)
    space = constraints.resolve(data.names, 1)
    local = LocalScores(data, score)
    legal = [graph for graph in naive.parent_maps(n) if naive.is_legal(graph, space)]
    best = max(naive.total(local, graph) for graph in legal)
    found = bn.learn(data, score, bn.ChowLiu(), constraints=constraints)
    assert naive.is_legal(found.adjacency, space)
    assert found.score == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("root", ["v0", "v2", "v4"])
def test_the_root_turns_the_tree_but_not_its_score_invariant(root):
    data = make_data([2, 2, 3, 2, 2], 300, seed=4, dependence=0.8)
    rooted, plain = (bn.learn(data, bn.BIC(), bn.ChowLiu(root=r), ties="columns") for r in (root, None))
    assert rooted.adjacency.sum() == 4
    assert not rooted.adjacency[:, data.index(root)].any()
    assert ((rooted.adjacency | rooted.adjacency.T) == (plain.adjacency | plain.adjacency.T)).all()
    assert rooted.score == pytest.approx(plain.score, abs=1e-8)
    assert not plain.adjacency[:, 0].any()


TRIED_SCORES = [bn.BIC(), bn.BDeu(10), bn.QNML(), bn.FNML(), bn.BDs(2), bn.K2Score(), bn.LogLikelihood()]


@pytest.mark.parametrize("max_parents", [0, 1, 2, 4])
@pytest.mark.parametrize("score", TRIED_SCORES, ids=lambda score: score.name)
def test_best_parent_sets_against_enumeration(score, max_parents):
    data = make_data([2, 3, 2, 4, 2], 80, seed=12, unseen=0.3)
    ordering = [3, 0, 4, 2, 1]
    search = bn.FixedOrdering([data.names[v] for v in ordering], max_parents)
    found = bn.learn(data, score, search)
    masks = naive_orders.legal_masks(5, bn.Constraints(max_parents=max_parents).resolve(data.names))
    forward = masks[naive_orders.fits(masks, ordering)]
    best = naive_orders.totals(forward, naive_orders.family_table(score, data)).max()
    assert found.score == pytest.approx(best, abs=1e-8)
    assert bn.score(data, found.edges, score) == pytest.approx(found.score, abs=1e-8)
    position = {data.names[v]: place for place, v in enumerate(ordering)}
    assert all(position[parent] < position[child] for parent, child in found.edges)


@pytest.mark.parametrize("seed", range(7))
def test_constraints_against_enumeration(seed):
    rng = np.random.default_rng(seed)
    data = make_data([2, 3, 3, 2], 70, seed=seed)
    constraints = naive_orders.random_constraints(rng, data.names)
    space = constraints.resolve(data.names)
    masks = naive_orders.legal_masks(4, space)
    table = naive_orders.engine_table(TRIED_SCORES[seed % 7], data)
    for ordering in itertools.permutations(range(4)):
        search = bn.FixedOrdering([data.names[v] for v in ordering], None)
        forward = masks[naive_orders.fits(masks, ordering)]
        if not len(forward):
            with pytest.raises(ValueError, match="in the ordering"):
                bn.learn(data, TRIED_SCORES[seed % 7], search, constraints=constraints)
            continue
        found = bn.learn(data, TRIED_SCORES[seed % 7], search, constraints=constraints)
        assert naive.is_legal(found.adjacency, space)
        assert found.score == pytest.approx(naive_orders.totals(forward, table).max(), abs=1e-7)


def test_never_below_k2_and_above_it_where_parents_gain_only_together_invariant():
    """Exclusive or: neither parent alone gains, so greedy addition stops where the enumeration does not."""
    above = 0
    for number, (data, score, best) in enumerate(naive_orders.small_cases()):
        ordering = [data.names[v] for v in np.random.default_rng(number).permutation(6)]
        fixed = bn.learn(data, score, bn.FixedOrdering(ordering, 3)).score
        greedy = bn.learn(data, score, bn.K2(ordering, 3)).score
        assert greedy - 1e-7 <= fixed <= best + 1e-7
        above += fixed > greedy + 1e-6
    assert above > 0
    rows = [[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 10
    data = bn.Dataset(("a", "b", "x"), (("0", "1"),) * 3, rows)
    assert bn.learn(data, bn.BIC(), bn.K2()).edges == []
    assert bn.learn(data, bn.BIC(), bn.FixedOrdering()).edges == [("a", "x"), ("b", "x")]


@pytest.fixture(scope="module")
def wide():
    return bn.Dataset(tuple(f"v{v}" for v in range(60)), (("0", "1"),) * 60, np.zeros((2, 60), dtype=int))


def test_refused_when_too_large(wide):
    with pytest.raises(
        ValueError, match=r"60 variables with up to 6 parents have .* families to try, more than 100,000,000: lower"
    ):
        bn.learn(wide, bn.BIC(), bn.FixedOrdering(max_parents=6))


def test_a_limit_among_the_constraints_makes_it_small_enough(wide):
    """What is counted are the families that would be tried."""
    found = bn.learn(wide, bn.BIC(), bn.FixedOrdering(max_parents=None), constraints=bn.Constraints(max_parents=2))
    assert found.edges == []


@pytest.mark.parametrize("kind", [bn.K2, bn.FixedOrdering])
def test_required_edge_against_the_ordering_is_refused(kind):
    data = make_data([2, 2, 2], 20, seed=1)
    constraints = bn.Constraints([("v2", "v0")])
    with pytest.raises(ValueError, match="edge v2 → v0 is required but v0 stands before v2 in the ordering"):
        bn.learn(data, bn.BIC(), kind(), constraints=constraints)
    assert ("v2", "v0") in bn.learn(data, bn.BIC(), kind(["v2", "v1", "v0"]), constraints=constraints).edges


@pytest.mark.parametrize(
    ("ordering", "says"),
    [(["v0", "v1"], "lacks v2"), (["v0", "v1", "v2", "z"], "has z"), (["v0", "v1", "v2", "v2"], "repeats a name")],
)
@pytest.mark.parametrize("kind", [bn.K2, bn.FixedOrdering])
def test_orderings_that_do_not_name_each_variable_once_are_refused(kind, ordering, says):
    data = make_data([2, 2, 2], 20, seed=1)
    with pytest.raises(ValueError, match=f"ordering must name each of the 3 variables once; it {says}"):
        bn.learn(data, bn.BIC(), kind(ordering))


# K2 against the plain algorithm, and what the method promises


@settings(max_examples=60)
@given(datasets(min_variables=2, max_variables=5, max_rows=100), st.sampled_from(sorted(SCORES)), st.data())
def test_graph_against_naive(data, kind, draws):
    ordering = draws.draw(st.permutations(range(data.n_variables)))
    limit = draws.draw(st.sampled_from([None, 0, 1, 2]))
    score = make_score(kind, data)
    graph = bn.learn(data, score, bn.K2([data.names[v] for v in ordering], limit), ties="columns")
    local = LocalScores(data, score)
    most = data.n_variables if limit is None else limit
    expected = naive.k2(local, list(ordering), most, tolerance(data.n_rows))
    assert (graph.adjacency == expected).all()
