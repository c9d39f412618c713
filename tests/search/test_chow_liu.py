"""Chow and Liu's tree against every labelled tree, and the branching against every parent map."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from tests import naive
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
    best = max(sum(local(v, naive.parents_in(graph, v)) for v in range(n)) for graph in legal)
    found = bn.learn(data, score, bn.ChowLiu(), constraints)
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


def test_an_unknown_root_is_named():
    with pytest.raises(ValueError, match="root: no variable is named 'z'"):
        bn.learn(make_data([2, 2], 10, 1), bn.BIC(), bn.ChowLiu(root="z"))
