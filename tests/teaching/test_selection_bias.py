"""A fixed graph's corrected score is unbiased, a chosen graph's is not: by enumeration and on ASIA."""

import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive
from tests.strategies import make_data


def test_correction_and_choice_by_enumeration_of_all_resamples():
    """Over all 5**5 resamples: each of the three graphs keeps its score exactly, the best of them gains."""
    data = bn.Dataset(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]]))
    scores, given = LocalScores(data, bn.teaching.ExactCorrection(bn.BIC())), LocalScores(data, bn.BIC())
    graphs = [(0, []), (1, [])], [(0, []), (1, [0])]
    on_data = [sum(given(*family) for family in graph) for graph in graphs]
    fixed, best = [], []
    for drawn in naive.all_resamples(5):
        weights = np.bincount(data.distinct_row_of[list(drawn)], minlength=data.multiplicities.size)
        scores.reweigh(weights.astype(np.int32))
        fixed.append([sum(scores(*family) for family in graph) for graph in graphs])
        best.append(max(fixed[-1]))
    assert np.mean(fixed, axis=0) == pytest.approx(on_data, abs=1e-9)
    assert np.mean(best) > max(on_data) + 0.1


@pytest.fixture(scope="module")
def data():
    return bn.load_network("asia").sample(300, rng=4)


@pytest.fixture(scope="module")
def made(data):
    return bn.teaching.selection_bias(data, bn.BIC(), bn.Exact(max_parents=3), n=300, rng=1)


def test_the_own_graph_is_unbiased_and_the_chosen_one_is_not(made):
    """False-alarm rate 6e-5 at 4 standard errors; the seed is fixed. With an exact search the rest is certain."""
    table = made.table()
    assert abs(table["mean"][0]) < 4 * table["standard_error"][0]
    assert (made.chosen >= made.own - 1e-6).all()
    assert (made.chosen_on_data <= 1e-6).all()
    assert made.bias == pytest.approx(table["mean"][1] - table["mean"][2])
    assert made.bias > 4 * (made.chosen - made.chosen_on_data).std() / math.sqrt(300)


def test_scores_are_those_of_the_graphs(data):
    """Each number by the public doors, from the ensemble of the same resamples."""
    made = bn.teaching.selection_bias(data, bn.BIC(), bn.K2(data.names), n=5, rng=7)
    own = bn.learn(data, bn.BIC(), bn.K2(data.names))
    assert made.own_edges == len(own.edges)
    assert made.on_data == pytest.approx(bn.score(data, own.edges, bn.BIC()))
    _, resample_rng = np.random.default_rng(7).spawn(2)
    for k, generator in enumerate(resample_rng.spawn(5)):
        resample = data.take(generator.integers(0, data.n_rows, data.n_rows))
        expected = bn.corrected_score(data, resample, own.edges, bn.BIC(), "exact") - made.on_data
        assert made.own[k] == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["none", "leading"])
def test_other_corrections_shift_fixed_graphs_too(data, made, correction):
    other = bn.teaching.selection_bias(data, bn.BIC(), bn.Exact(max_parents=3), n=300, correction=correction, rng=1)
    shift = other.own - made.own  # the same resamples and graph: the same shift each time
    assert np.ptp(shift) < 1e-8
    assert (shift[0] > 1) == (correction == "none")


def test_a_correction_that_does_not_exist_is_refused(data):
    with pytest.raises(ValueError, match="the exact correction does not exist for BDs"):
        bn.teaching.selection_bias(data, bn.BDs(1), bn.K2(), n=2)


def test_constraints_hold_and_a_run_can_be_stopped():
    data = make_data([2, 2, 2], 60, seed=3)
    empty = bn.Constraints(forbidden=[(a, b) for a in data.names for b in data.names if a != b])
    made = bn.teaching.selection_bias(
        data, bn.BIC(), bn.HillClimbing(), n=9, constraints=empty, progress=lambda done, n: done < 4
    )
    assert (made.status, made.edges.tolist(), made.n_planned) == ("stopped", [0] * 4, 9)
    assert made.chosen.tolist() == pytest.approx(made.own.tolist())
