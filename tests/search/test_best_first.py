"""Best-first search: sound, repeatable, never below hill climbing, complete on small spaces."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive, naive_orders
from tests.strategies import make_data


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


@pytest.mark.parametrize("seed", range(4))
def test_every_expansion_against_the_book(seed):
    data = make_data([2, 3, 2, 2], 60, seed=seed, dependence=0.7)
    local, space = LocalScores(data, bn.K2Score()), bn.Constraints().resolve(data.names)
    expanded = best_first_by_the_book(local, space, 1e-9 * data.n_rows, 15)
    found = bn.learn(data, bn.K2Score(), bn.BestFirst(frontier=1000, patience=15), ties="columns")
    assert found.trace == pytest.approx(expanded, abs=1e-7)
