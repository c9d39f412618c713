"""Iterated local search against the exact search, and its rows of gains against scores asked for one by one."""

from dataclasses import replace

import numpy as np
import pytest

import bnengine as bn
from bnengine._jit.compiled import compiled
from bnengine._jit.records import handle_of
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.graphs.dag import markov_equivalent
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import score_context
from bnengine.search import _gain_rows, iterated_local_search
from bnengine.search._gain_rows import (
    adjacency_of_sets,
    become,
    copy_parents,
    flip,
    initialize_rows,
    know_descendants,
    look_up,
    row_graph,
    row_graph_for,
)
from bnengine.search.iterated_local_search import _turn_covered
from bnengine.search.learning import search_for_replicates, search_from_graph
from tests.strategies import make_data

#: Itself, also where the exact search would be quick.
SEARCH = bn.IteratedLocalSearch(prove=False)


@pytest.mark.slow
def test_the_optimum_of_every_random_table_against_exact():
    """All of 1,000 were solved when this was written; here 40, always the same."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        arities = rng.integers(2, 5, rng.integers(4, 7)).tolist()
        data = make_data(arities, int(rng.integers(15, 300)), seed=seed, unseen=0.2)
        score = (bn.BIC(), bn.BDeu(8), bn.QNML(), bn.FNML(), bn.BDs(3))[seed % 5]
        best = bn.learn(data, score, bn.Exact()).score
        assert bn.learn(data, score, SEARCH, rng=seed).score == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("score", [bn.BIC(), bn.BDeu(1)], ids=lambda score: score.name)
@pytest.mark.parametrize("name", ["asia", "sachs"])
def test_the_optimum_of_known_networks_against_exact(name, score):
    for n_rows in (200, 1000):
        data = bn.load_network(name).sample(n_rows, rng=n_rows)
        best = bn.learn(data, score, bn.Exact(max_parents=4)).score
        found = bn.learn(data, score, replace(SEARCH, max_parents=4), rng=3)
        assert found.score == pytest.approx(best, abs=1e-6)


def test_two_parents_that_gain_only_together_are_found_against_theory():
    """The child is the exclusive or of two fair coins: alone, each says nothing about it."""
    rng = np.random.default_rng(1)
    coins = rng.integers(0, 2, (400, 5))
    codes = np.column_stack([coins, coins[:, 1] ^ coins[:, 3]]).astype(np.uint16)
    data = bn.Dataset(tuple("abcdef"), (("0", "1"),) * 6, codes)
    found = bn.learn(data, bn.BIC(), SEARCH)
    children = {child for _, child in found.edges}
    assert len(found.edges) == 2
    assert len(children) == 1  # any of the three is the exclusive or of the others
    assert children | {parent for parent, _ in found.edges} == {"b", "d", "f"}


def test_a_full_table_of_rows_changes_nothing(monkeypatch):
    """Rows are made anew with the same numbers, so the search goes the same way."""
    data = bn.load_network("asia").sample(300, rng=1)
    search = replace(SEARCH, patience=20)
    roomy = bn.learn(data, bn.BDeu(1), search, rng=4)
    monkeypatch.setattr(_gain_rows, "_MOST_ROWS", 1)  # and never fewer than four for each variable
    tight = bn.learn(data, bn.BDeu(1), search, rng=4)
    assert tight.trace.tolist() == roomy.trace.tolist()
    assert (tight.adjacency == roomy.adjacency).all()
    assert tight.n_evaluations > roomy.n_evaluations


@compiled
def _rows_after(context_handle, graph_handle, edges):
    context, graph = score_context(context_handle), row_graph(graph_handle)
    initialize_rows(context, graph)
    for e in range(edges.shape[0]):
        flip(graph, edges[e, 0], edges[e, 1])
        look_up(context, graph, edges[e, 1])
    copy_parents(graph, graph.best)


@pytest.mark.slow
@pytest.mark.parametrize("n_variables", [6, 70])
def test_rows_hold_what_each_edge_gains_against_single_scores(n_variables):
    data = make_data([2, 3] * (n_variables // 2) + [2] * (n_variables % 2), 80, seed=3)
    scores = LocalScores(data, bn.BDeu(2))
    space = bn.Constraints(required=[("v1", "v0")], forbidden=[("v3", "v2")]).resolve(data.names)
    graph = row_graph_for(space, np.random.default_rng(0), 1)
    last = n_variables - 1
    edges = np.array([[0, 2], [1, 2], [last, 3], [1, 2], [4, 3]])  # v1 → v2 comes and goes
    _rows_after(scores.handle, handle_of(graph), edges)
    parents = {0: [1], 2: [0], 3: sorted({4, last})}
    assert adjacency_of_sets(graph.best).sum() == sum(map(len, parents.values()))
    for child in range(n_variables):
        own, row = parents.get(child, []), graph.rows[child]
        assert graph.local[row] == pytest.approx(scores(child, own))
        for v in range(n_variables):
            if v == child or (v, child) in ((1, 0), (3, 2)):
                assert graph.gains[row, v] == -np.inf
                continue
            changed = [p for p in own if p != v] if v in own else [*own, v]
            assert graph.gains[row, v] == pytest.approx(scores(child, changed) - scores(child, own), abs=1e-9)
        assert graph.most[row] == graph.gains[row].max()
        gaining = np.unpackbits(graph.gaining[row].view(np.uint8), bitorder="little")[:n_variables]
        assert (gaining == (graph.gains[row] > 1e-6)).all()


@compiled
def _descendants_after(graph_handle, edges):
    graph = row_graph(graph_handle)
    for e in range(edges.shape[0]):
        flip(graph, edges[e, 0], edges[e, 1])
    know_descendants(graph)


def _reached(adjacency):
    """Return which variable has a directed path to which, [from, to]."""
    found = adjacency.copy()
    for v in range(len(adjacency)):
        found |= found[:, v, None] & found[v]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("n_variables", [6, 70])
def test_descendants_are_brought_up_to_date_against_the_transitive_closure(n_variables):
    rng = np.random.default_rng(n_variables)
    graph = row_graph_for(bn.Constraints().resolve([f"v{v}" for v in range(n_variables)]), rng, 1)
    here = np.zeros((n_variables, n_variables), dtype=np.bool_)
    for _ in range(60):
        edges = []
        for _ in range(rng.integers(0, 6)):
            i, j = rng.permutation(n_variables)[:2]
            if here.any() and rng.uniform() < 0.4:
                present = np.argwhere(here)
                i, j = present[rng.integers(len(present))]
            if here[i, j] or not _reached(here)[j, i]:
                here[i, j] = ~here[i, j]
                edges.append((i, j))
        _descendants_after(handle_of(graph), np.array(edges, dtype=np.int64).reshape(-1, 2))
        known = np.unpackbits(graph.descendants.view(np.uint8), axis=1, bitorder="little")[:, :n_variables]
        assert (known == _reached(here)).all()


def test_the_trace_keeps_its_length(monkeypatch):
    monkeypatch.setattr(iterated_local_search, "_MOST_IMPROVEMENTS", 2)
    data = bn.load_network("insurance").sample(300, rng=1)
    found = bn.learn(data, bn.BIC(), bn.IteratedLocalSearch(20), rng=2)
    assert len(found.trace) == 2
    assert found.trace[-1] == pytest.approx(found.score)


@pytest.mark.parametrize("constraints", [bn.Constraints(), bn.Constraints(tiers=[["smoke"], ["tub"]], max_parents=2)])
def test_few_variables_are_proved_against_exact(constraints):
    data = bn.load_network("asia").sample(300, rng=1)
    found, best = (bn.learn(data, bn.BDeu(1), search, constraints) for search in (None, bn.Exact()))
    assert (found.status, found.bound, found.score) == ("optimal", best.score, best.score)
    for other in (SEARCH, search_for_replicates(bn.IteratedLocalSearch(), data.names)):
        assert bn.learn(data, bn.BDeu(1), other, constraints).status == "converged"


def test_what_is_proved_is_little_work():
    names = bn.load_network("hailfinder").names
    data = bn.load_network("hailfinder").sample(1000, rng=1)
    for n_variables, n_rows, status in ((13, 200, "optimal"), (14, 200, "converged"), (13, 1000, "converged")):
        table = data.select(names[:n_variables]).take(range(n_rows))
        assert bn.learn(table).status == status, (n_variables, n_rows)


def test_a_replicate_is_searched_from_the_datas_graph_too_with_a_third_of_the_patience_against_copied_rows():
    data = bn.load_network("insurance").sample(300, rng=1)
    alone = bn.resample(data, bn.BIC(), bn.IteratedLocalSearch(30), bn.Bootstrap(3), rng=5).adjacencies
    graph = bn.learn(data, bn.BIC(), bn.IteratedLocalSearch(30), rng=5).adjacency
    space, copied = bn.Constraints().resolve(data.names), []
    search = search_from_graph(data, bn.BIC(), bn.IteratedLocalSearch(30), space, graph)
    for generator in replicate_generators(5, 3):
        rows = data.take(generator.integers(0, data.n_rows, data.n_rows))
        copied.append(bn.learn(rows, bn.BIC(), search, rng=generator).adjacency)
    assert (alone == copied).all()
    assert (search.search.patience, search_for_replicates(bn.IteratedLocalSearch(2), data.names).patience) == (10, 1)
    assert (search.start == graph).all()
    small = space._replace(max_parents=1)
    assert search_from_graph(data, bn.BIC(), bn.IteratedLocalSearch(), small, graph).start is None


def test_a_start_at_the_datas_graph_keeps_a_replicate_from_ending_far_below():
    """Without it a third of the patience ends 25 nats below and more."""
    data = bn.load_network("alarm").sample(1000, rng=1)
    search, space = bn.IteratedLocalSearch(), bn.Constraints().resolve(data.names)
    used = search_from_graph(data, bn.BIC(), search, space, bn.learn(data, bn.BIC(), search).adjacency)
    below = []
    for generator in replicate_generators(3, 8):
        rows = data.take(generator.integers(0, data.n_rows, data.n_rows))
        longest = max(bn.learn(rows, bn.BIC(), replace(search, patience=300), rng=seed).score for seed in range(2))
        below.append(longest - bn.learn(rows, bn.BIC(), used, rng=generator).score)
    assert np.mean(below) < 3.0
    assert max(below) < 15.0


@compiled
def _turned(context_handle, graph_handle):
    context, graph = score_context(context_handle), row_graph(graph_handle)
    initialize_rows(context, graph)
    become(context, graph, graph.start)
    _turn_covered(context, graph)
    copy_parents(graph, graph.best)


def test_a_start_is_any_graph_of_the_class_equally_often_against_theory():
    """A chain of four has four graphs in its class, one for each root; a collider has one."""
    data = make_data([2] * 7, 60, seed=3)
    scores, space = LocalScores(data, bn.BIC()), bn.Constraints().resolve(data.names)
    start = np.zeros((7, 7), dtype=np.bool_)
    start[[0, 1, 2, 4, 5], [1, 2, 3, 6, 6]] = True
    roots = []
    for seed in range(400):
        graph = row_graph_for(space, np.random.default_rng(seed), 1, start=start)
        _turned(scores.handle, handle_of(graph))
        turned = adjacency_of_sets(graph.best)
        assert markov_equivalent(turned, start)
        roots.append(int(np.flatnonzero(~turned[:, :4].any(axis=0))[0]))
    assert np.bincount(roots, minlength=4) == pytest.approx(100, abs=35)
