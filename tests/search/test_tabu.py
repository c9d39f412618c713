"""Tabu search: sound, repeatable, never below hill climbing, and never back to a recent graph."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive
from tests.strategies import make_data


def tabu_by_the_book(local, space, margin, tenure, patience):
    """The best legal change that leads to none of the last ``tenure`` graphs; the graphs passed through.

    A change that only an addition's charge shows to lose is not considered (as in the engine): the caller hands in
    scores without a charge, so that there is none.
    """
    n = len(space.allowed)

    def total(graph):
        return sum(local(v, naive.parents_in(graph, v)) for v in range(n))

    path, best, since = [space.required.copy()], total(space.required), 0
    while since < patience:
        recent = {graph.tobytes() for graph in path[-tenure:]}
        chosen, highest = None, -np.inf
        for _, _, graph in naive.neighbours(path[-1], space):
            score = total(graph)
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
    totals = [sum(local(v, naive.parents_in(graph, v)) for v in range(4)) for graph in path]
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
