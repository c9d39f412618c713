"""The walked tree: every network was entered from one visited before it with an edge less."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests.strategies import make_data

SEARCHES = [
    bn.TreeSearch(),
    bn.TreeSearch(only_improving=False, beam=None),
    bn.TreeSearch(only_improving=True, dependent_share=0.5, beam=None),
    bn.TreeSearch(only_improving=False, beam=1),
]


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("required", [(), (("v0", "v1"),)])
def test_each_network_is_its_predecessor_with_one_edge_more(search, required):
    data = make_data([2, 3, 2, 2], 90, seed=4)
    constraints = bn.Constraints(required=required)
    walk = bn.teaching.walk_tree(data, search, constraints=constraints)
    visited = search.visit(LocalScores(data, bn.BIC()), constraints.resolve(data.names))
    assert [graph.tobytes() for graph in walk.graphs] == [graph.tobytes() for graph, _ in visited]
    assert walk.came_from[0] == -1
    assert walk.added[0] is None
    assert walk.depths[0] == 0
    for k in range(1, walk.n_visited):
        before = int(walk.came_from[k])
        assert 0 <= before < k
        assert set(walk.edges(k)) - set(walk.edges(before)) == {walk.added[k]}
        assert len(walk.edges(k)) == len(walk.edges(before)) + 1
        assert walk.depths[k] == walk.depths[before] + 1
    for k in range(walk.n_visited):
        assert walk.scores[k] == pytest.approx(bn.score(data, walk.edges(k), bn.BIC()), abs=1e-8)
        assert walk.mdl_bits[k] == pytest.approx(bn.mdl(data, walk.edges(k)).mdl, abs=1e-8)
    assert walk.complete
    assert walk.scores[walk.best] == walk.scores.max()
    assert walk.table()["visit"].tolist() == list(range(1, walk.n_visited + 1))


@pytest.mark.parametrize("search", [SEARCHES[0], SEARCHES[2]], ids=str)
def test_only_improving_networks_improve_on_the_one_they_were_entered_from(search):
    walk = bn.teaching.walk_tree(make_data([2, 3, 2, 2], 90, seed=4), search)
    assert (walk.scores[1:] > walk.scores[walk.came_from[1:]]).all()


def test_a_limit_is_said():
    walk = bn.teaching.walk_tree(make_data([2, 2, 2, 2], 60, seed=1), bn.TreeSearch(False, 1.0, None, max_networks=20))
    assert (walk.n_visited, walk.complete) == (20, False)


def test_visits_by_rule():
    data = make_data([2, 3, 2, 2], 100, seed=6, dependence=0.4)
    counts = bn.teaching.visits_by_rule(data, bn.TreeSearch(True, 0.5, 2))
    assert counts["no rule"] == bn.teaching.n_dags(4)
    assert all(count <= counts["no rule"] for count in counts.values())
    assert counts["all as set"] == min(counts.values())
    assert counts["all as set"] == bn.teaching.walk_tree(data, bn.TreeSearch(True, 0.5, 2)).n_visited
    with pytest.raises(ValueError, match="up to 5 variables"):
        bn.teaching.visits_by_rule(make_data([2] * 6, 30, seed=1))


def test_results_are_read_only():
    walk = bn.teaching.walk_tree(make_data([2, 2, 2], 60, seed=1))
    with pytest.raises(ValueError, match="read-only"):
        walk.scores[0] = 0
    assert isinstance(walk.graphs[0], np.ndarray)


@pytest.mark.parametrize("fewer", [0, 1])
def test_a_tree_that_ends_at_the_limit_has_ended(fewer):
    """All 543 graphs of four variables are within a limit of 543, not of 542; ``learn`` says the same."""
    data = make_data([2, 2, 2, 2], 60, seed=1)
    search = bn.TreeSearch(False, 1.0, None, max_networks=bn.teaching.n_dags(4) - fewer)
    walk = bn.teaching.walk_tree(data, search)
    assert (walk.n_visited, walk.complete) == (search.max_networks, not fewer)
    assert walk.complete == (bn.learn(data, search=search).status == "converged")
