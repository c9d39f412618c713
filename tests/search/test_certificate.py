"""The certificate against the exact search, and its bound against enumeration wherever it is stopped."""

import itertools

import numpy as np
import pytest
import scipy.optimize

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.search._parent_sets import ParentSets, candidate_parent_sets
from bnengine.search.exact import ClusterRelaxation, Proof
from tests import naive_orders
from tests.strategies import make_data


def best_of(data, score, constraints, limit):
    return bn.learn(data, score, bn.Exact(limit), constraints=constraints).score


@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_is_proved_and_a_worse_graph_replaced_against_exact(seed):
    rng = np.random.default_rng(seed)
    data = make_data(rng.integers(2, 4, 6).tolist(), int(rng.integers(40, 300)), seed=seed)
    score = (bn.BIC(), bn.BDeu(1), bn.K2Score(), bn.QNML())[seed % 4]
    constraints = naive_orders.random_constraints(rng, data.names) if seed % 2 else bn.Constraints()
    limit = constraints.resolve(data.names, 2).max_parents
    best = best_of(data, score, constraints, limit)
    for search in (bn.IteratedLocalSearch(max_parents=limit), bn.ChowLiu()):
        try:
            found = bn.learn(data, score, search, constraints=constraints)
        except ValueError:  # constraints that no tree keeps
            continue
        made = bn.answers.certify(data, score, found, constraints=constraints, max_parents=limit)
        assert made.status == made.graph.status == "optimal"
        assert made.bound == pytest.approx(best, abs=1e-6)
        assert made.graph.score == pytest.approx(max(best, found.score), abs=1e-6)
        assert bn.score(data, made.graph.edges, score) == pytest.approx(made.graph.score, abs=1e-6)
        assert made.gap < 1e-6


def test_stopped_after_any_number_of_steps_the_bound_holds_against_exact():
    data = bn.load_network("insurance").sample(100, rng=5).select(bn.load_network("insurance").names[:14])
    score, bounds = bn.BDeu(1), []
    best = best_of(data, score, None, 3)
    space = bn.Constraints().resolve(data.names, 3)
    candidates, _ = candidate_parent_sets(LocalScores(data, score), space, 2**30)
    for floor in (best - 30, best):
        proof, steps = Proof(candidates, floor, 1e-7), itertools.count()
        bounds.append(proof.bound)
        while not proof.run(lambda steps=steps: next(steps) % 2 == 1):  # one step at a time
            assert proof.bound >= best - 1e-6
            assert proof.bound <= bounds[-1] + 1e-9
            bounds.append(proof.bound)
        assert proof.bound == pytest.approx(best, abs=1e-6)
        assert proof.floor == pytest.approx(best, abs=1e-6)
        assert (proof.chosen is not None) == (floor < best)
    assert len(set(bounds)) > 4


def test_a_program_that_is_not_solved_closes_nothing(monkeypatch):
    data, score = make_data([2, 3, 2, 2], 60, seed=1), bn.BDeu(2)
    calls, solve = itertools.count(), scipy.optimize.linprog
    best = best_of(data, score, None, 3)
    candidates, _ = candidate_parent_sets(LocalScores(data, score), bn.Constraints().resolve(data.names, 3), 2**30)
    failed = scipy.optimize.OptimizeResult(status=4, x=None)  # "numerical difficulties", with and without presolve
    monkeypatch.setattr(
        "scipy.optimize.linprog", lambda *given, **named: solve(*given, **named) if next(calls) % 4 > 1 else failed
    )
    proof = Proof(candidates, best - 30, 1e-7)
    assert proof.run(lambda: False)
    assert proof.bound == pytest.approx(best, abs=1e-6)
    assert next(calls) > 2


def test_prices_of_any_kind_give_a_bound_against_enumeration():
    data = make_data([2, 3, 2, 2], 60, seed=1)
    candidates, _ = candidate_parent_sets(LocalScores(data, bn.BDeu(2)), bn.Constraints().resolve(data.names, 3), 2**30)
    best, rng = best_of(data, bn.BDeu(2), None, 3), np.random.default_rng(3)
    program = ClusterRelaxation(candidates)
    for cluster, level in ((0b11, 1), (0b101, 1), (0b1110, 1), (0b1110, 2), (0b1111, 2), (0b1111, 3)):
        program.add_cluster(cluster, level)
    for scale in (0.0, 0.1, 1.0, 10.0):
        bound, _ = program.bound(program.start(), rng.exponential(scale, 6) if scale else np.zeros(6))
        assert bound >= best - 1e-9


@pytest.mark.parametrize(
    ("masks", "share", "cluster", "level"),
    [
        ((0b110, 0b101, 0b011), 0.5, 0b111, 2),  # each has both others or none: the pairs are served, the three are not
        ((0b010, 0b100, 0b001), 0.9, 0b111, 1),  # a cycle
    ],
)
def test_weights_that_no_acyclic_graphs_mix_to_are_cut_off(masks, share, cluster, level):
    candidates = [ParentSets(np.array([mask, 0]), np.array([1.0, 0.0])) for mask in masks]
    program = ClusterRelaxation(candidates)
    assert program.tighten(program.start(), np.array([share, 1.0 - share] * 3))
    assert (cluster, level) in zip(program.clusters.tolist(), program.levels.tolist(), strict=True)


def test_stopped_at_once_nothing_is_claimed():
    data = bn.load_network("alarm").sample(500, rng=1)
    found = bn.learn(data, bn.BIC())
    made = bn.answers.certify(data, bn.BIC(), found, progress=lambda done, total: False)
    assert made.status == "stopped"
    assert made.gap > 0
    assert made.graph.score >= found.score


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"graph": "other"}, "graph has other variables than data"),
        ({"max_parents": -1}, "max_parents must be 0 or more; got -1"),
        ({"data": "wide"}, "a proof is for up to 63 variables, and these are 70"),
    ],
)
def test_bad_input_is_named(change, says):
    data, wide = bn.load_network("cancer").sample(50, rng=1), make_data([2] * 70, 5, seed=1)
    arguments = {"data": data, "score": bn.BIC(), "graph": bn.learn(data, bn.BIC())}
    if "data" in change:
        arguments |= {"data": wide, "graph": bn.learn(wide, bn.BIC())}
    elif "graph" in change:
        arguments["graph"] = bn.learn(bn.load_network("asia").sample(50, rng=1), bn.BIC())
    with pytest.raises(ValueError, match=says):
        bn.answers.certify(**{**arguments, **{name: value for name, value in change.items() if name == "max_parents"}})
