"""Iterated local search against the exact search, and its rows of gains against scores asked for one by one."""

from dataclasses import replace

import numpy as np
import pytest

import bnengine as bn
from bnengine._jit.compiled import compiled
from bnengine._jit.records import handle_of
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.graphs.dag import cpdag
from bnengine.scores.local_score import LocalScores
from bnengine.search import _gain_rows, iterated_local_search
from bnengine.search._gain_rows import adjacency_of_sets, begin_with, copy_parents, row_graph, row_graph_for
from bnengine.search.iterated_local_search import _turn_covered
from bnengine.search.learning import search_for_replicates, search_from_graph
from tests import naive
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


def test_more_than_64_variables_end_where_no_edge_gains_or_closes_a_cycle(monkeypatch):
    """Sets of variables take two words, in rows of gains as in those of descendants; several searches are merged."""
    data = make_data([2, 3] * 35, 150, seed=3, dependence=0.8)
    constraints = bn.Constraints(required=[("v1", "v0")], forbidden=[("v68", "v69"), ("v2", "v3")])
    found = bn.learn(data, bn.BDeu(2), replace(SEARCH, patience=20), constraints=constraints)
    assert naive.is_legal(found.adjacency, constraints.resolve(data.names))
    assert found.score == pytest.approx(bn.score(data, found.edges, bn.BDeu(2)), abs=1e-6)
    assert len(found.edges) > 60
    assert bn.teaching.single_changes(data, found.edges, bn.BDeu(2), constraints=constraints)[0].gain <= 1e-6
    assert (np.diff(found.trace) > 0).all()
    monkeypatch.setattr(iterated_local_search, "_n_runs", lambda n: 1)
    one = bn.learn(data, bn.BDeu(2), replace(SEARCH, patience=20), constraints=constraints)
    assert found.score > one.score
    assert found.trace[: len(one.trace)].tolist() == one.trace.tolist()


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


def test_the_trace_keeps_its_length(monkeypatch):
    monkeypatch.setattr(iterated_local_search, "_MOST_IMPROVEMENTS", 2)
    data = bn.load_network("insurance").sample(300, rng=1)
    found = bn.learn(data, bn.BIC(), bn.IteratedLocalSearch(20), rng=2)
    assert len(found.trace) == 2
    assert found.trace[-1] == pytest.approx(found.score)


@pytest.mark.parametrize("constraints", [bn.Constraints(), bn.Constraints(tiers=[["smoke"], ["tub"]], max_parents=2)])
def test_few_variables_are_proved_against_exact(constraints):
    data = bn.load_network("asia").sample(300, rng=1)
    found, best = (bn.learn(data, bn.BDeu(1), search, constraints=constraints) for search in (None, bn.Exact()))
    assert (found.status, found.bound, found.score) == ("optimal", best.score, best.score)
    assert (found.search, best.search) == (bn.Exact().name, bn.Exact().name)
    for other in (SEARCH, search_for_replicates(bn.IteratedLocalSearch(), data.names)):
        searched = bn.learn(data, bn.BDeu(1), other, constraints=constraints)
        assert (searched.status, searched.search) == ("converged", other.name)


def test_what_is_proved_is_little_work():
    names = bn.load_network("hailfinder").names
    data = bn.load_network("hailfinder").sample(1000, rng=1)
    for n_variables, n_rows, status in ((13, 200, "optimal"), (14, 200, "converged"), (13, 1000, "converged")):
        table = data.select(names[:n_variables]).take(range(n_rows))
        assert bn.learn(table).status == status, (n_variables, n_rows)


def test_a_replicate_is_searched_from_the_datas_graph_too_with_half_the_patience_against_copied_rows():
    data = bn.load_network("insurance").sample(300, rng=1)
    alone = bn.resample(data, bn.BIC(), bn.IteratedLocalSearch(30), bn.Bootstrap(3), rng=5).adjacencies
    graph = bn.learn(data, bn.BIC(), bn.IteratedLocalSearch(30), rng=5).adjacency
    space, copied = bn.Constraints().resolve(data.names), []
    search = search_from_graph(data, bn.BIC(), bn.IteratedLocalSearch(30), space, graph)
    for generator in replicate_generators(5, 3):
        rows = naive.rows_in_order(data).take(generator.integers(0, data.n_rows, data.n_rows))
        copied.append(bn.learn(rows, bn.BIC(), search, rng=generator).adjacency)
    assert (alone == copied).all()
    small = space._replace(max_parents=1)
    assert search_from_graph(data, bn.BIC(), bn.IteratedLocalSearch(), small, graph).start is None


def test_a_replicate_of_many_variables_reaches_the_score_of_a_patient_search_from_the_datas_graph():
    """From the data's graph alone, with a twelfth of the patience; a climb ends far below."""
    data = bn.load_network("win95pts").sample(300, rng=1)
    search, space = bn.IteratedLocalSearch(), bn.Constraints().resolve(data.names)
    used = search_from_graph(data, bn.BIC(), search, space, bn.learn(data, bn.BIC(), search).adjacency)
    assert used.search.patience == search.patience // 12
    rows = data.take(np.random.default_rng(3).integers(0, data.n_rows, data.n_rows))
    score = bn.learn(rows, bn.BIC(), used, rng=1).score
    patient = bn.learn(rows, bn.BIC(), search, rng=1).score
    climbed = bn.learn(rows, bn.BIC(), bn.HillClimbing(), rng=1).score
    assert patient - score < 0.3 * (patient - climbed)


@pytest.mark.slow
def test_a_start_at_the_datas_graph_keeps_a_replicate_from_ending_far_below():
    """Without it half of the patience ends 25 nats below and more."""
    data = bn.load_network("alarm").sample(1000, rng=1)
    search, space = bn.IteratedLocalSearch(), bn.Constraints().resolve(data.names)
    used = search_from_graph(data, bn.BIC(), search, space, bn.learn(data, bn.BIC(), search).adjacency)
    below = []
    for generator in replicate_generators(3, 8):
        rows = naive.rows_in_order(data).take(generator.integers(0, data.n_rows, data.n_rows))
        longest = max(bn.learn(rows, bn.BIC(), replace(search, patience=300), rng=seed).score for seed in range(2))
        below.append(longest - bn.learn(rows, bn.BIC(), used, rng=generator).score)
    assert np.mean(below) < 3.0
    assert max(below) < 15.0


@compiled
def _turned(graph_handle):
    graph = row_graph(graph_handle)
    begin_with(graph, graph.start)
    _turn_covered(graph)
    copy_parents(graph, graph.best)


@pytest.mark.slow
def test_a_start_is_any_graph_of_the_class_equally_often_against_theory():
    """A chain of four has four graphs in its class, one for each root; a collider has one."""
    data = make_data([2] * 7, 60, seed=3)
    space = bn.Constraints().resolve(data.names)
    start = np.zeros((7, 7), dtype=np.bool_)
    start[[0, 1, 2, 4, 5], [1, 2, 3, 6, 6]] = True
    roots = []
    for seed in range(400):
        graph = row_graph_for(space, np.random.default_rng(seed), 1, starts=[start])
        _turned(handle_of(graph))
        turned = adjacency_of_sets(graph.best)
        assert (cpdag(turned) == cpdag(start)).all()
        roots.append(int(np.flatnonzero(~turned[:, :4].any(axis=0))[0]))
    assert np.bincount(roots, minlength=4) == pytest.approx(100, abs=35)


def test_a_dense_graph_of_many_variables_is_found_by_falling_prices_that_are_gone_afterwards():
    """The scores charge nothing afterwards, also where the search was stopped; then the climb is what there is."""
    data, score, search = bn.load_network("win95pts").sample(300, rng=1), bn.BDeu(1), bn.IteratedLocalSearch(20)
    found = bn.learn(data, score, search, rng=3)
    assert found.score == pytest.approx(bn.score(data, found.edges, score), abs=1e-6)
    assert bn.teaching.single_changes(data, found.edges, score)[0].gain <= 1e-6
    stop = np.zeros(1, dtype=np.uint8)
    scores, space = LocalScores(data, score, stop), bn.Constraints().resolve(data.names)
    before, rng = scores(3, [1, 2]), np.random.default_rng(3)
    graph = row_graph_for(space, rng, 100)
    climbed = search._searched(graph, scores, may_be_dense=False)
    stop[0] = 1
    stopped = search._found_by_falling_prices(climbed, graph, scores, rng)
    assert (stopped.score, stopped.status) == (climbed.score, "stopped")
    assert scores(3, [1, 2]) == before
    assert found.score > climbed.score
