"""Hill climbing against the plain climb, and where it may stop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from bnengine.search.edge_changes import tolerance
from tests import naive
from tests.strategies import datasets, make_data, make_score


def constraints_for(data, draws):
    """Some constraints without contradictions, or none."""
    names = data.names
    forward = [(names[i], names[j]) for j in range(len(names)) for i in range(j)]
    edges = forward + [(child, parent) for parent, child in forward]
    required = draws.draw(st.lists(st.sampled_from(forward), max_size=2, unique=True))
    forbidden = draws.draw(st.lists(st.sampled_from(edges), max_size=3, unique=True))
    limit = draws.draw(st.sampled_from([None, 2, 3]))
    tiers = draws.draw(st.sampled_from([(), (names[:1], names[1:])]))
    return bn.Constraints(required, [edge for edge in forbidden if edge not in required], limit, tiers)


@pytest.mark.slow
@settings(max_examples=60)
@given(datasets(min_variables=2, max_variables=4, max_rows=120), st.sampled_from(sorted(SCORES)), st.data())
def test_path_against_the_plain_climb(data, kind, draws):
    score, constraints = make_score(kind, data), constraints_for(data, draws)
    space = constraints.resolve(data.names)
    path = naive.hill_climbing(LocalScores(data, score), space, tolerance(data.n_rows))
    graph = bn.learn(data, score, bn.HillClimbing(), constraints, ties="columns")
    assert (graph.adjacency == path[-1]).all()
    named = [[(data.names[i], data.names[j]) for i, j in np.argwhere(step)] for step in path]
    assert graph.trace == pytest.approx([bn.score(data, edges, score) for edges in named], abs=1e-8)


@pytest.mark.parametrize(
    ("network", "n_rows", "seed", "reference"),
    [("child", 500, 2, -6678.2), ("alarm", 500, 1, -6323.8), ("alarm", 5000, 1, -54413.8)],
)
def test_restarts_rise_as_far_as_those_of_bnlearn_against_its_scores(network, n_rows, seed, reference):
    """The median of eight seeds of R's bnlearn, ``hc(restart = 20, perturb = 5)``, on the same rows; ties as there."""
    data = bn.load_network(network).sample(n_rows, rng=seed)
    search = bn.HillClimbing(restarts=20)
    found = [bn.learn(data, bn.BIC(), search, rng=r, ties="columns").score for r in range(16)]
    assert np.median(found) >= reference - 0.05


def test_more_than_64_variables_against_legality():
    """Bit sets of paths take two words and more."""
    data = make_data([2] * 140, 60, seed=1, dependence=0.7)
    constraints = bn.Constraints(max_parents=2)
    graph = bn.learn(data, bn.AIC(), bn.HillClimbing(max_iterations=150), constraints)
    assert len(graph.edges) > 100
    assert naive.is_legal(graph.adjacency, constraints.resolve(data.names))
    assert graph.score == pytest.approx(bn.score(data, graph.edges, bn.AIC()), abs=1e-7)
