"""Optima found from many starts, against all local optima by enumeration."""

import itertools

import numpy as np
import pytest

import bnengine as bn
from bnengine.graphs.dag import cpdag
from bnengine.search.iterated_local_search import IteratedLocalSearch
from tests import naive
from tests.strategies import make_data

QUICK = IteratedLocalSearch(patience=20)


def all_local_optima(data, score, space):
    """The equivalence classes of all legal graphs that no single-edge change raises, and the score of each."""
    n, scores, optima = data.n_variables, {}, {}
    families = []
    for v in range(n):
        others = np.flatnonzero(space.allowed[:, v]).tolist()
        families.append([p for k in range(space.max_parents + 1) for p in itertools.combinations(others, k)])
    local = {(v, p): naive.local_score(score, data, v, p) for v in range(n) for p in families[v]}
    for chosen in itertools.product(*families):
        graph = np.zeros((n, n), dtype=bool)
        for v, parents in enumerate(chosen):
            graph[list(parents), v] = True
        if naive.is_legal(graph, space):
            scores[graph.tobytes()] = sum(local[v, p] for v, p in enumerate(chosen))
    for key, points in scores.items():
        graph = np.frombuffer(key, dtype=bool).reshape(n, n)
        if all(scores.get(other.tobytes(), -np.inf) <= points + 1e-6 for other in one_pair_changed(graph)):
            of_class = cpdag(graph).tobytes()
            optima[of_class] = max(points, optima.get(of_class, -np.inf))
    return optima


def one_pair_changed(graph):
    """Every graph in which one pair of variables is joined otherwise, cyclic ones among them."""
    for i, j in itertools.combinations(range(len(graph)), 2):
        for joined in ((False, False), (True, False), (False, True)):
            if joined != (graph[i, j], graph[j, i]):
                other = graph.copy()
                other[i, j], other[j, i] = joined
                yield other


CASES = [
    ([2, 3, 2, 2], 60, bn.BIC(), bn.Constraints()),
    ([3, 2, 2, 3], 200, bn.BDeu(2), bn.Constraints()),
    ([2, 2, 2, 2], 40, bn.AIC(), bn.Constraints(required=[("v0", "v1")], forbidden=[("v2", "v3")])),
    ([2, 2, 3, 2], 30, bn.K2Score(), bn.Constraints(max_parents=1)),
    ([2, 2, 2, 2, 2], 80, bn.AIC(), bn.Constraints(max_parents=2, tiers=[["v0"], ["v1", "v2", "v3", "v4"]])),
    ([2, 3, 2, 2, 2], 300, bn.BDeu(10), bn.Constraints(max_parents=2, tiers=[["v1", "v2", "v3", "v4"], ["v0"]])),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", range(len(CASES)))
def test_optima_against_enumeration(case):
    arities, n_rows, score, constraints = CASES[case]
    several = 0
    for seed in range(3):
        data = make_data(arities, n_rows, seed=10 * case + seed)
        expected = all_local_optima(data, score, constraints.resolve(data.names, None))
        found = bn.find_optima(data, score, QUICK, constraints, n=10, rng=seed)
        met = {cpdag(graph).tobytes(): points for graph, points in zip(found.graphs, found.scores, strict=True)}
        assert len(met) == len(found.graphs)
        assert set(met) <= set(expected)
        for of_class, points in met.items():
            assert points <= expected[of_class] + 1e-6
        assert found.scores[0] == pytest.approx(max(expected.values()), abs=1e-6)
        assert (np.diff(found.scores) <= 1e-6).all()
        assert found.n_ended.sum() == found.n_starts == found.n_planned == 10
        best = sorted(expected.values(), reverse=True)[:2]  # not promised, but so on these tables
        assert found.scores[:2] == pytest.approx(best, abs=1e-6)
        several += len(expected) > 1
    assert several > 0  # otherwise there is nothing to tell apart


def test_differences_are_those_between_two_cpdags():
    data = bn.load_network("asia").sample(500, rng=1)
    found = bn.find_optima(data)
    for place in range(3):
        best, other = cpdag(found.graphs[0]), cpdag(found.graphs[place])
        for graph, side in ((best, "in_best"), (other, "in_other")):
            changed = best.copy()
            for difference in found.differences(place):
                i, j = data.index(difference.first), data.index(difference.second)
                mark = getattr(difference, side)
                changed[i, j], changed[j, i] = mark in ("→", "–"), mark in ("←", "–")
            assert (changed == graph).all()
        assert len(found.differences(place)) == bn.shd(best, other) == found.table()["class_distance"][place]
    with pytest.raises(ValueError, match="place must be from 0 to"):
        found.differences(len(found.graphs))


def test_two_copies_of_a_variable_are_optima_of_one_score_against_theory():
    """c follows a, and b is a copy of a: whichever of them is c's neighbour, the score is the same."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 200)
    c = np.where(rng.random(200) < 0.8, a, 1 - a)
    data = bn.Dataset(tuple("abc"), (("0", "1"),) * 3, np.column_stack([a, a, c]).astype(np.uint16))
    found = bn.find_optima(data, search=QUICK, n=30)
    assert found.below_best[:2].tolist() == pytest.approx([0, 0], abs=1e-9)
    assert found.n_ended[:2].sum() == 30
    assert found.n_ended[:2].min() > 0  # each search chooses by a coin: missed by one in 2^29 seeds
    assert {(d.first, d.second, d.in_best, d.in_other) for d in found.differences()} in (
        {("a", "c", "–", ""), ("b", "c", "", "–")},
        {("a", "c", "", "–"), ("b", "c", "–", "")},
    )


def test_the_same_in_any_order_of_the_columns_and_with_any_number_of_workers(monkeypatch):
    data = bn.load_network("insurance").sample(100, rng=1).select(bn.load_network("insurance").names[:12])
    found = bn.find_optima(data, bn.BDeu(1), QUICK, n=6, rng=5)
    monkeypatch.setattr("bnengine._core.parallel.processors", lambda: 1)
    turned = data.select(data.names[::-1])
    other = bn.find_optima(turned, bn.BDeu(1), QUICK, n=6, rng=5)
    assert other.scores.tolist() == found.scores.tolist()
    assert other.n_ended.tolist() == found.n_ended.tolist()
    assert (other.graphs[:, ::-1, ::-1] == found.graphs).all()


def test_a_graph_is_found_among_the_optima():
    data = bn.load_network("asia").sample(500, rng=1)
    found = bn.find_optima(data, n=3)
    assert found.place_of(bn.learn(data, search=IteratedLocalSearch())) == 0
    assert found.place_of(bn.learn(data, search=bn.ChowLiu())) is None


def test_stopped_what_was_done_is_kept():
    data = bn.load_network("alarm").sample(500, rng=1)
    told = []
    found = bn.find_optima(data, n=200, progress=lambda done, total: told.append((done, total)) or done < 2)
    assert found.status == "stopped"
    assert 2 <= found.n_starts < found.n_planned == 200
    assert told[-1][1] == 200
    none = bn.find_optima(data, n=200, progress=lambda done, total: False)
    assert none.n_starts <= 200
    assert none.place_of(bn.learn(data)) is None or none.n_starts


def test_one_variable_has_one_optimum():
    found = bn.find_optima(make_data([3], 20, seed=1), n=2)
    assert (found.n_ended.tolist(), found.differences(0), found.below_best.tolist()) == ([2], [], [0.0])
