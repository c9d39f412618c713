"""Hill climbing, tabu search and best-first search against the plain algorithms, step by step."""

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
    graph = bn.learn(data, score, bn.HillClimbing(), constraints=constraints, ties="columns")
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
    graph = bn.learn(data, bn.AIC(), bn.HillClimbing(max_iterations=150), constraints=constraints)
    assert len(graph.edges) > 100
    assert naive.is_legal(graph.adjacency, constraints.resolve(data.names))
    assert graph.score == pytest.approx(bn.score(data, graph.edges, bn.AIC()), abs=1e-7)


def tabu_by_the_book(local, space, margin, tenure, patience):
    """The best legal change that leads to none of the last ``tenure`` graphs; the graphs passed through.

    A change that only an addition's charge shows to lose is not considered (as in the engine): the caller hands in
    scores without a charge, so that there is none.
    """
    path, best, since = [space.required.copy()], naive.total(local, space.required), 0
    while since < patience:
        recent = {graph.tobytes() for graph in path[-tenure:]}
        chosen, highest = None, -np.inf
        for _, _, graph in naive.neighbours(path[-1], space):
            score = naive.total(local, graph)
            if score > highest + margin and graph.tobytes() not in recent:
                chosen, highest = graph, score
        if chosen is None:
            break
        path.append(chosen)
        since += 1
        if highest > best + margin:
            best, since = highest, 0
    return path, best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("tenure", "patience"), [(1, 5), (4, 12), (100, 20)])
def test_every_step_against_the_book(tenure, patience, seed):
    """BDeu is not charged, so every legal change is considered."""
    data = make_data([2, 3, 2, 2], 60, seed=seed, dependence=0.7)
    local, space = LocalScores(data, bn.BDeu(6)), bn.Constraints().resolve(data.names)
    path, best = tabu_by_the_book(local, space, 1e-9 * data.n_rows, tenure, patience)
    found = bn.learn(data, bn.BDeu(6), bn.Tabu(tenure, patience), ties="columns")
    totals = [naive.total(local, graph) for graph in path]
    assert found.trace == pytest.approx(totals, abs=1e-7)
    assert found.score == pytest.approx(best, abs=1e-7)


def test_all_graphs_of_two_variables_are_passed_through_against_enumeration():
    """Three graphs, none of them forgotten: the search ends for want of a move."""
    data = make_data([2, 3], 50, seed=2)
    found = bn.learn(data, bn.BDeu(3), bn.Tabu())
    everything = {round(bn.score(data, edges, bn.BDeu(3)), 6) for edges in ([], [("v0", "v1")], [("v1", "v0")])}
    assert {round(score, 6) for score in found.trace} == everything
    assert (len(found.trace), found.status) == (3, "converged")


def test_restarts_leave_the_optimum_that_tabu_ends_in():
    data = bn.load_network("alarm").sample(5000, rng=1)
    plain = bn.learn(data, bn.BIC(), bn.Tabu(), ties="columns")
    again = [bn.learn(data, bn.BIC(), bn.Tabu(restarts=20), rng=seed, ties="columns") for seed in range(3)]
    assert min(graph.score for graph in again) >= plain.score - 1e-6
    assert max(graph.score for graph in again) > plain.score + 20
    for graph in again:
        assert graph.score == pytest.approx(bn.score(data, graph.edges, bn.BIC()), abs=1e-6)
        assert graph.score == pytest.approx(graph.trace.max(), abs=1e-6)
        assert graph.trace[: len(plain.trace)] == pytest.approx(plain.trace, abs=1e-9)
        assert graph.status == "converged"


@pytest.mark.parametrize(("n", "dags"), [(2, 3), (3, 25), (4, 543)])
def test_with_room_and_patience_every_graph_is_expanded_once_against_enumeration(n, dags):
    """BDeu is not charged, so no addition is left out."""
    data = make_data([2, 3, 2, 2][:n], 70, seed=3)
    found = bn.learn(data, bn.BDeu(5), bn.BestFirst(frontier=5000, patience=5000))
    assert (len(found.trace), found.status) == (dags, "converged")
    totals = naive_orders.totals(naive_orders.dag_masks(n), naive_orders.engine_table(bn.BDeu(5), data))
    assert np.sort(found.trace) == pytest.approx(np.sort(totals), abs=1e-7)
    assert found.score == pytest.approx(totals.max(), abs=1e-7)
    assert found.diagnostics["frontier"][-1] == 0


def best_first_by_the_book(local, space, margin, patience):
    """A frontier without a limit; of graphs within ``margin`` the first one met is expanded."""
    start = space.required.copy()
    frontier, met, expanded = [(naive.total(local, start), 0, start)], {start.tobytes()}, []
    best, since = -np.inf, 0
    while frontier and since < patience:
        highest = max(score for score, _, _ in frontier)
        score, number, graph = min((item for item in frontier if item[0] >= highest - margin), key=lambda item: item[1])
        frontier = [item for item in frontier if item[1] != number]
        expanded.append(score)
        since += 1
        if score > best + margin:
            best, since = score, 0
        for _, _, other in naive.neighbours(graph, space):
            if other.tobytes() not in met:
                met.add(other.tobytes())
                frontier.append((naive.total(local, other), len(met), other))
    return expanded


@pytest.mark.parametrize("seed", range(4))
def test_every_expansion_against_the_book(seed):
    data = make_data([2, 3, 2, 2], 60, seed=seed, dependence=0.7)
    local, space = LocalScores(data, bn.K2Score()), bn.Constraints().resolve(data.names)
    expanded = best_first_by_the_book(local, space, 1e-9 * data.n_rows, 15)
    found = bn.learn(data, bn.K2Score(), bn.BestFirst(frontier=1000, patience=15), ties="columns")
    assert found.trace == pytest.approx(expanded, abs=1e-7)
