"""Missing cells in every replicate: drawn, or families counted where they are seen."""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.data.checked_frame import MISSING
from bnengine.search.drawn_cells import DrawnCells, resampled
from tests.naive import joint_of
from tests.strategies import make_data, replicates, with_experiments, with_holes

WAYS = ("drawn", "complete_families")


def holed(seed, way="drawn", n_rows=120, share=0.15):
    return with_holes(make_data([2, 3, 2, 2], n_rows, seed), seed, share, way)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_confidence_does_not_depend_on_columns_or_workers(way):
    data = holed(1, way)
    found = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20))
    with ThreadPoolExecutor(3) as executor:
        again = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20), executor=executor)
    turned = bn.resample(data.select(data.names[::-1]), bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20))
    assert (again.adjacencies == found.adjacencies).all()
    assert (turned.confidence[::-1, ::-1] == found.confidence).all()
    assert sorted(turned.reference.edges) == sorted(found.reference.edges)
    task = ResampleTask(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(30))
    more = learn_ensemble(task, found.reference, known=found)
    assert (more.adjacencies == bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(30)).adjacencies).all()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("of_experiments", [False, True])
def test_every_resampling_method_honours_missing_cells(way, of_experiments):
    data = holed(2, way)
    if of_experiments:
        data = with_experiments(data, 1).with_missing(way)
    for method in bn.resampling_methods(3, keys=ALL_KEYS):
        assert bn.resample(data, bn.BIC(), bn.HillClimbing(), method.resampler, method.correction).n_graphs > 0


def test_rows_of_a_network_lack_the_cells_that_given_rows_lack():
    data, network = holed(3), bn.fit(holed(3), [("v0", "v1")])
    for of in (data, with_experiments(data, 1).with_missing("drawn")):
        predictive = bn.PredictiveBootstrap(3, graphs=np.array([network.adjacency]))
        for replicate in (*replicates(of, bn.ParametricBootstrap(3, network)), *replicates(of, predictive)):
            patterns = [sorted(map(tuple, rows.missing.tolist())) for rows in (replicate.data, of)]
            assert patterns[0] == patterns[1]
            assert replicate.data.missing_way == "drawn"


def test_a_draw_fills_missing_cells_and_leaves_the_others():
    data = holed(4)
    weights = np.random.default_rng(1).multinomial(data.n_rows, data.multiplicities / data.n_rows)
    rows = resampled(data, weights)
    order = data.distinct_rows_in_order
    assert (rows.codes == np.repeat(data.distinct_codes.T[order], weights[order], axis=0)).all()
    completed = DrawnCells(data).completed(rows, np.random.default_rng(1))
    assert completed.missing is None
    assert (completed.states, completed.n_rows) == (data.states, data.n_rows)
    assert (completed.codes[~rows.missing] == rows.codes[~rows.missing]).all()


def _completions(network, data):
    """Every completion of a table of two variables, with its probability given what is seen."""
    holes, joint = np.argwhere(data.missing), joint_of(network)
    made = []
    for states in itertools.product(*(range(len(data.states[v])) for _, v in holes)):
        codes = data.codes.copy()
        codes[tuple(holes.T)] = states
        made.append((bn.Dataset(data.names, data.states, codes), math.prod(joint[tuple(row)] for row in codes)))
    total = sum(probability for _, probability in made)
    return [(completed, probability / total) for completed, probability in made]


@pytest.mark.slow
def test_share_of_graphs_is_the_mean_over_all_completions():
    """Against every first and second draw of five cells: five standard errors, false alarms in 6e-7 of seeds."""
    codes = np.array([[0, 0]] * 5 + [[1, 1]] * 4 + [[0, 1], [1, 0]])
    codes[[0, 1, 5, 9], [0, 1, 1, 0]] = MISSING
    data = bn.Dataset(("a", "b"), (("n", "y"), ("n", "y")), codes, missing_way="drawn")

    def has_edge(table):
        return bool(bn.learn(table, bn.BIC(), bn.HillClimbing()).edges)

    first = bn.learn(data.with_missing("complete_families"), bn.BIC(), bn.HillClimbing()).edges
    expected, learned = 0.0, {}
    for one, probability in _completions(bn.fit(data, first, 1.0), data):
        under = bn.fit(one, bn.learn(one, bn.BIC(), bn.HillClimbing()).edges, 1.0)
        for other, further in _completions(under, data):
            key = other.codes.tobytes()
            if key not in learned:
                learned[key] = has_edge(other)
            expected += probability * further * learned[key]
    assert 0.05 < expected < 0.95
    n = 500
    found = (
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.teaching.RepeatedSearch(n))
        .adjacencies.any(axis=(1, 2))
        .mean()
    )
    assert abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / n)
