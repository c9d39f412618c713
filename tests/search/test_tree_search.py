"""The lecture's tree of networks: complete without pruning, sound with it; and how many graphs there are."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive, naive_orders
from tests.strategies import make_data

EVERYTHING = bn.TreeSearch(only_improving=False, beam=None, max_networks=10**6)


def visited_by(search, data, score, constraints=None):
    space = (constraints or bn.Constraints()).resolve(data.names, search.max_parents)
    return search.visit(LocalScores(data, score), space)[0]


@pytest.mark.parametrize(("n", "dags"), [(1, 1), (2, 3), (3, 25), (4, 543)])
def test_without_pruning_every_network_is_visited_once_against_enumeration(n, dags):
    data = make_data([2, 3, 2, 2][:n], 60, seed=2)
    visited = visited_by(EVERYTHING, data, bn.BIC())
    expected = {naive_orders.matrix_of(row).tobytes() for row in naive_orders.dag_masks(n)}
    assert len(visited) == len(expected) == dags == bn.teaching.n_dags(n)
    assert {graph.tobytes() for graph, _ in visited} == expected
    found = bn.learn(data, bn.BIC(), replace(EVERYTHING, max_networks=dags))  # a limit that is just enough is not met
    assert found.score == pytest.approx(bn.learn(data, bn.BIC(), bn.Exact()).score, abs=1e-7)
    assert (found.status, len(found.trace)) == ("converged", dags)


@pytest.mark.parametrize("seed", range(4))
def test_without_pruning_every_legal_network_that_can_be_built_up_is_visited_against_enumeration(seed):
    """Constraints close under leaving out edges that are not required, so every legal network can be built up."""
    data = make_data([2, 3, 2, 2], 60, seed=2)
    constraints = naive_orders.random_constraints(np.random.default_rng(seed), data.names)
    space = constraints.resolve(data.names)
    legal = naive_orders.legal_masks(4, space)
    visited = visited_by(EVERYTHING, data, bn.BIC(), constraints)
    assert {graph.tobytes() for graph, _ in visited} == {naive_orders.matrix_of(row).tobytes() for row in legal}


def test_improving_branches_only_against_enumeration():
    """Each visited network but the first has some edge without which it is lower and was visited, too."""
    data = make_data([2, 3, 2, 2], 100, seed=5)
    visited = visited_by(bn.TreeSearch(beam=None), data, bn.BDeu(3))
    scores = {graph.tobytes(): score for graph, score in visited}
    for graph, score in visited[1:]:
        parents = []
        for i, j in np.argwhere(graph):
            fewer = graph.copy()
            fewer[i, j] = False
            parents.append(scores.get(fewer.tobytes(), np.inf))
        assert min(parents) < score
    table = naive_orders.engine_table(bn.BDeu(3), data)
    reached, waiting = set(), [np.zeros((4, 4), dtype=bool)]  # everything an uphill path of additions leads to
    while waiting:
        graph = waiting.pop()
        if graph.tobytes() in reached:
            continue
        reached.add(graph.tobytes())
        for i, j in np.argwhere(~graph & ~graph.T & ~np.eye(4, dtype=bool)):
            more = graph.copy()
            more[i, j] = True
            before, after = (sum(1 << p for p in naive.parents_in(g, j)) for g in (graph, more))
            if not naive.has_cycle(more.tolist()) and table[j, after] > table[j, before] + 1e-7:
                waiting.append(more)
    assert set(scores) == reached


def test_beam_of_one_is_the_climb_that_only_adds_against_the_book():
    for data, score, _ in naive_orders.small_cases()[:20]:
        local, graph = LocalScores(data, score), np.zeros((6, 6), dtype=bool)
        path = [sum(local(v) for v in range(6))]
        while True:
            best, chosen = path[-1] + 1e-9 * data.n_rows, None
            for i, j in itertools.permutations(range(6), 2):
                more = graph.copy()
                more[i, j] = True
                if graph[i, j] or graph[j, i] or naive.has_cycle(more.tolist()):
                    continue
                new = path[-1] + local(j, naive.parents_in(more, j)) - local(j, naive.parents_in(graph, j))
                if new > best + (1e-9 * data.n_rows if chosen is not None else 0):
                    best, chosen = new, more
            if chosen is None:
                break
            graph = chosen
            path.append(best)
        visited = visited_by(bn.TreeSearch(beam=1), data, score)
        assert [s for _, s in visited] == pytest.approx(path, abs=1e-7)


def test_only_the_most_dependent_pairs_are_joined_against_the_book():
    data = make_data([2, 3, 2, 2], 200, seed=5)
    gains = {
        (i, j): bn.local_score(data, data.names[j], [data.names[i]], bn.LogLikelihood())
        - bn.local_score(data, data.names[j], [], bn.LogLikelihood())
        for i, j in itertools.combinations(range(4), 2)
    }
    strongest = sorted(gains, key=gains.get)[-2:]
    search = bn.TreeSearch(only_improving=False, dependent_share=1 / 3, beam=None)
    joined = np.any([graph | graph.T for graph, _ in visited_by(search, data, bn.LogLikelihood())], axis=0)
    assert {(int(i), int(j)) for i, j in np.argwhere(np.triu(joined))} == set(strongest)


# How many graphs there are


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_number_of_trees_against_enumeration(n):
    """Sets of n - 1 pairs that connect all variables."""
    trees = 0
    for pairs in itertools.combinations(itertools.combinations(range(n), 2), n - 1):
        joined = {0}
        for _ in range(n):
            joined |= {v for pair in pairs if joined & set(pair) for v in pair}
        trees += len(joined) == n
    assert bn.teaching.n_trees(n) == trees
    assert bn.teaching.n_trees(1) == 1


def test_a_tree_beyond_memory_is_refused_before_it_starts():
    data = bn.load_network("alarm").sample(50, rng=1)
    with pytest.raises(ValueError, match=r"26,640,000 branches of 37 variables .* set a beam, or fewer max_networks"):
        bn.learn(data, bn.BIC(), bn.TreeSearch(only_improving=False, beam=None))
