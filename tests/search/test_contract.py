"""What every search must keep, with every score: each entry of the registries, on small data."""

import itertools

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from tests import naive
from tests.strategies import make_data, make_score

#: Searches whose trace need not end at the result: they go on from it, or come back to it.
WANDERING = ("tabu", "best_first")
CASES = list(itertools.product(sorted(SEARCHES), sorted(SCORES)))


def make_search(name, names):
    """A search of that name for those variables; most need no settings."""
    settings = {"max_parents": 2} if name == "fixed_ordering" else {}
    return SEARCHES[name](**settings)


@pytest.fixture(scope="module")
def data():
    return make_data([2, 3, 2, 3], 100, seed=12, unseen=0.3)


@pytest.fixture(scope="module")
def best(data):
    """The best score of all 543 DAGs, from the definitions."""
    dags = naive.all_dags(4)
    return {kind: naive.best_of(make_score(kind, data), data, dags) for kind in SCORES}


@pytest.mark.parametrize(("search", "score"), CASES)
def test_result_against_the_contract(search, score, data, best):
    kind, made = make_score(score, data), make_search(search, data.names)
    before = data.codes.copy()
    graph = bn.learn(data, kind, made, rng=3)
    assert (data.codes == before).all()
    assert made == make_search(search, data.names)
    assert naive.is_legal(graph.adjacency, bn.Constraints().resolve(data.names, made.max_parents))
    assert graph.score == pytest.approx(bn.score(data, graph.edges, kind), abs=1e-9)
    assert graph.score <= best[score] + 1e-9
    assert graph.n_evaluations > 0
    assert graph.status in ("converged", "optimal", "max_iterations")
    if search in WANDERING:
        assert graph.score == pytest.approx(graph.trace.max(), abs=1e-7)
    else:
        assert graph.trace[-1] == pytest.approx(graph.score, abs=1e-9)
    for name, values in graph.diagnostics.items():
        assert values.shape == graph.trace.shape, name
    assert graph.seed == 3
    if graph.status == "optimal":
        assert graph.score == pytest.approx(best[score], abs=1e-9)


@pytest.mark.parametrize(("search", "score"), CASES)
def test_result_repeats_invariant(search, score, data):
    kind = make_score(score, data)
    one, same = (bn.learn(data, kind, make_search(search, data.names), rng=3) for _ in range(2))
    assert (one.adjacency == same.adjacency).all()
    assert one.trace.tolist() == same.trace.tolist()
    assert (one.score, one.n_evaluations, one.status) == (same.score, same.n_evaluations, same.status)


CONSTRAINTS = {
    "required": bn.Constraints(required=[("v0", "v3"), ("v1", "v2")]),
    "forbidden": bn.Constraints(forbidden=[("v0", "v1"), ("v1", "v0"), ("v2", "v3")]),
    "max_parents": bn.Constraints(max_parents=1),
    "no_parents": bn.Constraints(max_parents=0),
    "tiers": bn.Constraints(tiers=[["v0", "v1"], ["v3"]]),
    "all": bn.Constraints([("v0", "v3")], [("v1", "v2"), ("v2", "v1")], 2, [["v1"], ["v3"]]),
}


@pytest.mark.parametrize("constraints", CONSTRAINTS)
@pytest.mark.parametrize(("search", "score"), CASES)
def test_constraints_are_kept(search, score, constraints, data):
    kind, made = make_score(score, data), make_search(search, data.names)
    space = CONSTRAINTS[constraints].resolve(data.names, made.max_parents)
    graph = bn.learn(data, kind, made, CONSTRAINTS[constraints], rng=3)
    assert naive.is_legal(graph.adjacency, space)
    assert graph.score == pytest.approx(bn.score(data, graph.edges, kind), abs=1e-9)
    if graph.status == "optimal":
        legal = [dag for dag in naive.all_dags(4) if naive.is_legal(dag, space)]
        assert graph.score == pytest.approx(naive.best_of(kind, data, legal), abs=1e-9)


@pytest.mark.parametrize("search", sorted(SEARCHES))
def test_a_corrected_score_is_a_score_like_any_other(search, data):
    kind = bn.teaching.LeadingCorrection(bn.WithPrior(bn.BDeu(2), edge_penalty=0.4, uniform_parent_sizes=True), 0.3)
    graph = bn.learn(data, kind, make_search(search, data.names), rng=3)
    assert graph.score == pytest.approx(naive.graph_score(kind, data, graph.adjacency), abs=1e-9)
    assert graph.score <= naive.best_of(kind, data, naive.all_dags(4)) + 1e-9


@pytest.mark.parametrize("search", sorted(SEARCHES))
@pytest.mark.parametrize("arities", [[3], [2, 2], [1, 2, 1]], ids=str)
def test_few_variables_and_constant_ones(search, arities):
    data = make_data(arities, 30, seed=1)
    graph = bn.learn(data, bn.BIC(), make_search(search, data.names))
    assert graph.score == pytest.approx(bn.score(data, graph.edges, bn.BIC()), abs=1e-9)
    if len(arities) == 1 or 1 in arities:
        assert graph.edges == []


@pytest.mark.parametrize("search", sorted(SEARCHES))
@pytest.mark.parametrize("score", sorted(SCORES))
def test_one_row_gives_some_legal_graph(search, score):
    data = make_data([2, 3, 2], 1, seed=1)
    graph = bn.learn(data, make_score(score, data), make_search(search, data.names))
    assert not naive.has_cycle(graph.adjacency.tolist())
    assert graph.score == pytest.approx(bn.score(data, graph.edges, make_score(score, data)), abs=1e-9)


@pytest.mark.parametrize("search", sorted(SEARCHES))
def test_the_edges_of_a_deterministic_chain_are_found_against_theory(search):
    """v0 → v1 → v2 as copies with a few slips: any search with any sense joins both pairs, in some direction."""
    data = make_data([2, 2, 2], 400, seed=2, dependence=0.95)
    graph = bn.learn(data, bn.BIC(), make_search(search, data.names), rng=1)
    near = graph.adjacency | graph.adjacency.T
    assert near.tolist() == [[False, True, False], [True, False, True], [False, True, False]]


@pytest.mark.parametrize(
    ("constraints", "says"),
    [
        (bn.Constraints(required=[("v0", "v9")]), "no variable is named 'v9'; the variables are v0, v1"),
        (bn.Constraints(forbidden=[("v9", "v0")]), "no variable is named 'v9'"),
        (bn.Constraints(required=[("v0", "v1")], forbidden=[("v0", "v1")]), "v0 → v1 is required but also forbidden"),
        (
            bn.Constraints(required=[("v3", "v0")], tiers=[["v0"], ["v3"]]),
            "v3 → v0 is required but .* against the tiers",
        ),
        (
            bn.Constraints(required=[("v0", "v1"), ("v1", "v2"), ("v2", "v0")]),
            "required edges form a cycle: v. → v. → v. → v",
        ),
        (
            bn.Constraints(required=[("v0", "v2"), ("v1", "v2")], max_parents=1),
            "'v2' has 2 required parents but at most 1",
        ),
        (bn.Constraints(tiers=[["v0"], ["v9"]]), "tier 2: no variable is named 'v9'"),
        (bn.Constraints(tiers=[["v0"], ["v0"]]), "'v0' is in tier 1 and in tier 2"),
    ],
)
def test_contradictions_are_named(constraints, says, data):
    with pytest.raises(ValueError, match=says):
        bn.learn(data, constraints=constraints)


def test_results_are_read_only(data):
    graph = bn.learn(data)
    for array in (graph.adjacency, graph.trace):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert graph.edges == [(data.names[i], data.names[j]) for i, j in np.argwhere(graph.adjacency)]
