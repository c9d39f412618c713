"""K2 against the plain algorithm, and what the method promises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from bnengine.search._neighbourhood import tolerance
from tests import naive
from tests.strategies import datasets, make_data, make_score


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


@pytest.mark.parametrize("score", [bn.K2Score(), bn.BIC(), bn.BDeu(1)])
def test_scores_of_the_plain_algorithm_from_the_definitions_against_naive(score):
    data = make_data([2, 3, 2, 2], 80, seed=9)
    remember = {}

    def local(child, parents):
        key = (child, tuple(parents))
        if key not in remember:
            remember[key] = naive.local_score(score, data, child, parents)
        return remember[key]

    graph = bn.learn(data, score, bn.K2())
    assert (graph.adjacency == naive.k2(local, [0, 1, 2, 3], 3, 1e-6)).all()
    assert graph.adjacency.any()


def test_the_trace_climbs_from_no_edges_to_the_score(asia):
    graph = bn.learn(asia, bn.BIC(), bn.K2())
    assert graph.trace[0] == pytest.approx(bn.score(asia, [], bn.BIC()), abs=1e-9)
    assert (graph.trace[1:] - graph.trace[:-1] >= -1e-9).all()
    assert graph.trace[-1] == pytest.approx(graph.score, abs=1e-9)
    assert len(graph.trace) == 1 + asia.n_variables


def test_the_true_ordering_finds_alarm_better_than_its_reverse_against_theory():
    """5,000 rows: nearly all edges in the true order; reversed, the families fill up with parents."""
    network = bn.load_network("alarm")
    data = network.sample(5000, rng=1)
    forward = bn.learn(data, bn.BIC(), bn.K2(network.ordering))
    backward = bn.learn(data, bn.BIC(), bn.K2(network.ordering[::-1]))
    assert len(set(forward.edges) & set(network.edges)) >= 40
    assert len(set(forward.edges) - set(network.edges)) <= 3
    assert len(backward.edges) > len(forward.edges) + 10
    assert forward.score > backward.score


@pytest.mark.parametrize(
    ("ordering", "says"),
    [
        (["v0", "v1"], "ordering must name each of the 3 variables once; it lacks v2"),
        (["v0", "v1", "v2", "v9"], "ordering must name each of the 3 variables once; it has v9"),
        (["v0", "v1", "v2", "v2"], "ordering must name each of the 3 variables once; it repeats a name"),
    ],
)
def test_errors_name_the_ordering(ordering, says):
    with pytest.raises(ValueError, match=says):
        bn.learn(make_data([2, 2, 2], 10, 1), bn.BIC(), bn.K2(ordering))


def test_a_required_edge_against_the_ordering_is_refused():
    constraints = bn.Constraints(required=[("v2", "v0")])
    with pytest.raises(ValueError, match="edge v2 → v0 is required but v0 stands before v2 in the ordering"):
        bn.learn(make_data([2, 2, 2], 10, 1), bn.BIC(), bn.K2(), constraints)
