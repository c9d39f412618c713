"""Falsification: the conditions against d-separation, the p-value under its null hypothesis."""

import math

import networkx as nx
import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.falsification import MarkovConditions, _conditions
from bnengine.graphs.dag import adjacency_of
from tests.strategies import make_data

ASIA = bn.load_network("asia")


def go_on():
    return True


def test_conditions_are_the_local_markov_condition_against_d_separation():
    """Each is a d-separation in the graph, and there are V - 1 per variable less parents and descendants."""
    graph = nx.DiGraph(ASIA.edges)
    graph.add_nodes_from(ASIA.names)
    stated = _conditions(adjacency_of(ASIA.names, ASIA.edges))
    for v, parents, others in stated:
        name, given = ASIA.names[v], {ASIA.names[p] for p in parents}
        assert given == set(graph.predecessors(name))
        rest = set(ASIA.names) - {name} - given - nx.descendants(graph, name)
        assert {ASIA.names[y] for y in others} == rest
        assert all(nx.is_d_separator(graph, {name}, {y}, given) for y in rest)


def test_counts_against_one_test_at_a_time(mixed):
    """150 rows, so that some conditions are not tested."""
    from scipy.stats import chi2

    from bnengine.scores.dependence import IndependenceTests

    edges = [("v0", "v2"), ("v1", "v2"), ("v2", "v3")]
    found = bn.falsify_graph(mixed, edges, n_permutations=1, alpha=0.2)
    tests, violated, n = IndependenceTests(mixed), {}, [0, 0]
    stated = {"v0": ([], ["v1"]), "v1": ([], ["v0"]), "v2": (["v0", "v1"], []), "v3": (["v2"], ["v0", "v1"])}
    for name, (given, others) in stated.items():
        g, freedom, rows = tests.of(name, given)
        for other in others:
            y = mixed.index(other)
            testable = freedom[y] > 0 and rows[y] >= 5 * freedom[y]
            n[int(testable)] += 1
            p = chi2.sf(g[y], freedom[y])
            if testable and p <= 0.2:
                violated[name, other] = (tuple(given), pytest.approx(p))
    assert [found.n_untested, found.n_tested] == n
    assert {(line.variable, line.other): (line.given, line.p_value) for line in found.violations} == violated
    assert found.n_violated == len(violated)
    assert len(found.table()) == len(violated)


def test_remembered_tests_change_nothing(asia):
    remembering, forgetting = (MarkovConditions(asia, 0.05) for _ in range(2))
    forgetting._room = 0
    rng, given = np.random.default_rng(0), adjacency_of(asia.names, ASIA.edges)
    for _ in range(10):
        order = rng.permutation(8)
        graph = given[np.ix_(order, order)]
        assert remembering.count(graph, go_on) == forgetting.count(graph, go_on)
        assert len(remembering.violations(graph, go_on)) == forgetting.count(graph, go_on)[1]


def test_the_true_graph_passes_and_a_wrong_one_does_not():
    data = ASIA.sample(2000, rng=1)
    found = bn.falsify_graph(data, ASIA.edges, 99)
    assert (found.p_value, found.informative, found.falsified) == (0.01, True, False)
    assert found.share_violated < 0.15 < found.shuffled_shares.mean()
    assert "better than chance" in found.sentence
    assert "Only graphs no better than shuffled ones are rejected" in found.sentence
    turned = dict(zip(ASIA.names, ASIA.names[3:] + ASIA.names[:3], strict=True))
    wrong = bn.falsify_graph(data, [(turned[a], turned[b]) for a, b in ASIA.edges], 99)
    assert wrong.falsified
    assert "not significantly better than chance" in wrong.sentence


@pytest.mark.slow
def test_the_p_value_is_valid_under_its_null_hypothesis():
    """A graph whose nodes are shuffled is one of its own shuffles, so P(p ≤ 0.2) ≤ 0.2.

    Of 60 such graphs more than 26 have p ≤ 0.2 once in 2 · 10^4 runs, were it 0.2 exactly.
    """
    data, rng, p_values = ASIA.sample(200, rng=7), np.random.default_rng(3), []
    for seed in range(60):
        names = dict(zip(ASIA.names, rng.permutation(list(ASIA.names)), strict=True))
        edges = [(names[a], names[b]) for a, b in ASIA.edges]
        p_values.append(bn.falsify_graph(data, edges, 9, rng=seed).p_value)
    assert sum(p <= 0.2 for p in p_values) <= 26
    assert 0.3 < np.mean(p_values) < 0.8


def test_a_third_of_the_shuffled_chains_are_equivalent_against_theory():
    """A chain of three is equivalent to its shuffle if the middle stays: 6 standard errors of 600, once in 10^9."""
    data = make_data([2, 2, 2], 300, seed=1)
    found = bn.falsify_graph(data, [("v0", "v1"), ("v1", "v2")], 600)
    assert abs(found.share_equivalent - 1 / 3) < 6 * math.sqrt(2 / 9 / 600)
    assert not found.informative
    assert "says nothing about the graph" in found.sentence


@pytest.mark.parametrize("complete", [False, True])
def test_empty_and_complete_graphs_cannot_be_falsified(asia, complete):
    edges = [(a, b) for i, a in enumerate(asia.names) for b in asia.names[i + 1 :]] if complete else []
    found = bn.falsify_graph(asia, edges, 10)
    assert (found.share_equivalent, found.p_value, found.informative, found.falsified) == (1, 1, False, False)
    assert (found.n_tested == 0) == complete


def test_nothing_depends_on_the_order_of_the_columns(asia):
    one = bn.falsify_graph(asia, ASIA.edges, 20, rng=4)
    other = bn.falsify_graph(asia.select(asia.names[::-1]), ASIA.edges[::-1], 20, rng=4)
    assert np.array_equal(one.shuffled_violated, other.shuffled_violated)
    assert np.array_equal(one.equivalent, other.equivalent)
    assert (one.edges, one.violations, one.p_value) == (other.edges, other.violations, other.p_value)


def test_stopping_keeps_the_shuffled_graphs_that_are_done(asia):
    whole = bn.falsify_graph(asia, ASIA.edges, 5)
    seen = []

    def tell(done, n):
        seen.append((done, n))
        return done < 3

    part = bn.falsify_graph(asia, ASIA.edges, 100_000, progress=tell)
    assert part.status == "stopped"
    assert 3 <= part.shuffled_violated.size < 100_000 == part.n_planned
    n = min(part.shuffled_violated.size, 5)
    assert np.array_equal(part.shuffled_violated[:n], whole.shuffled_violated[:n])
    assert 0 < part.p_value < 1
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    none = bn.falsify_graph(asia, ASIA.edges, 10, progress=lambda done, n: False)
    assert (none.status, none.shuffled_tested.size, none.n_tested) == ("stopped", 0, 0)
    assert math.isnan(none.p_value)
    assert not none.informative
    assert "Stopped" in none.sentence


def test_impossible_questions_are_refused(asia):
    with pytest.raises(ValueError, match="the edges form a cycle: tub → asia → tub"):
        bn.falsify_graph(asia, [("asia", "tub"), ("tub", "asia")])
    with pytest.raises(ValueError, match="no variable is named 'x'"):
        bn.falsify_graph(asia, [("asia", "x")])
    for bad in (0, 2.5, True):
        with pytest.raises(ValueError, match="n_permutations must be a whole number from 1"):
            bn.falsify_graph(asia, [], bad)
    for bad in (0, 1, math.nan):
        with pytest.raises(ValueError, match="alpha must be a number above 0 and below 1"):
            bn.falsify_graph(asia, [], alpha=bad)
    with pytest.raises(bn.DataError, match="two columns or more"):
        bn.falsify_graph(asia.select(["asia"]), [])
