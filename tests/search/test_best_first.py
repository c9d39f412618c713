"""Best-first search: sound, repeatable, never below hill climbing, complete on small spaces."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive, naive_orders
from tests.search import greedy
from tests.strategies import make_data


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_legal_graph_of_its_own_score_and_not_above_the_best_invariant(seed):
    greedy.result_is_sound(bn.BestFirst(), seed)
    greedy.result_is_sound(bn.BestFirst(frontier=4, patience=6, max_parents=2), seed)


def test_never_below_hill_climbing_invariant():
    assert greedy.never_below_hill_climbing(bn.BestFirst()) >= 10


@pytest.mark.parametrize(("frontier", "patience"), [(1, 1), (3, 2), (10, 1)])
def test_never_below_hill_climbing_even_with_a_small_frontier_invariant(frontier, patience):
    greedy.never_below_hill_climbing(bn.BestFirst(frontier, patience))


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
    n = len(space.allowed)

    def total(graph):
        return sum(local(v, naive.parents_in(graph, v)) for v in range(n))

    start = space.required.copy()
    frontier, met, expanded, best, since = [(total(start), 0, start)], {start.tobytes()}, [], -np.inf, 0
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
                frontier.append((total(other), len(met), other))
    return expanded


@pytest.mark.parametrize("seed", range(8))
def test_every_expansion_against_the_book(seed):
    data = make_data([2, 3, 2, 2], 60, seed=seed, dependence=0.7)
    local, space = LocalScores(data, bn.K2Score()), bn.Constraints().resolve(data.names)
    expanded = best_first_by_the_book(local, space, 1e-9 * data.n_rows, 15)
    found = bn.learn(data, bn.K2Score(), bn.BestFirst(frontier=1000, patience=15), ties="columns")
    assert found.trace == pytest.approx(expanded, abs=1e-7)


def test_repeatable_whatever_the_seed_invariant(asia):
    one, other = (bn.learn(asia, bn.BDeu(4), bn.BestFirst(), rng=seed, ties="columns") for seed in (1, 2))
    assert one.edges == other.edges
    assert (one.trace == other.trace).all()


def test_best_graph_expanded_is_the_result_and_patience_ends_the_search_invariant(asia):
    found = bn.learn(asia, bn.BIC(), bn.BestFirst(patience=25))
    assert found.score == pytest.approx(found.trace.max(), abs=1e-9)
    assert found.status == "converged"
    first_best = int((found.trace > found.score - 1e-7).argmax())
    assert len(found.trace) - 1 - first_best == 25
    assert (found.diagnostics["frontier"] <= 200).all()


def test_limit_of_expansions_is_said(asia):
    found = bn.learn(asia, bn.BIC(), bn.BestFirst(max_iterations=2))
    assert (found.status, len(found.trace)) == ("max_iterations", 2)


def test_a_single_variable_has_the_empty_graph():
    data = bn.Dataset(("x",), (("a", "b"),), [[0], [1], [1]])
    found = bn.learn(data, bn.BIC(), bn.BestFirst())
    assert (found.edges, found.status) == ([], "converged")


@pytest.mark.parametrize("field", ["frontier", "patience", "max_iterations"])
def test_settings_out_of_range_are_refused(field):
    with pytest.raises(ValueError, match=f"{field} must be a whole number from 1 to .*; got 0"):
        bn.BestFirst(**{field: 0})
