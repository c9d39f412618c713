"""Replicates that are drawn one after the other: their rows and their graphs are those that the study counts."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.plots.redraws import MOST_ROWS, redraws

METHODS = bn.resampling_methods(6, keys=["bootstrap", "bootstrap_corrected"])


def study_of(data, rng=3):
    return bn.study(data, bn.BIC(), bn.HillClimbing(), METHODS, rng=rng)


def test_the_rows_are_those_that_each_replicate_learned_from():
    data = bn.load_network("asia").sample(MOST_ROWS + 50, rng=2)
    times = redraws(study_of(data), data, dark=False).rows
    assert times.shape == (6, MOST_ROWS)
    whole = data.take(range(MOST_ROWS))
    assert whole.n_rows == MOST_ROWS
    for number, generator in enumerate(replicate_generators(3, 6)):
        weights = bn.Bootstrap(6).replicate(data, number, generator).weights
        shown = np.bincount(data.distinct_row_of[:MOST_ROWS], times[number], weights.size)
        alone = data.multiplicities == np.bincount(data.distinct_row_of[:MOST_ROWS], minlength=weights.size)
        assert np.array_equal(shown[alone], weights[alone]), "distinct rows all of which are shown"
        assert (shown <= weights).all()


def test_the_view_gets_every_graph_and_the_known_network():
    network = bn.load_network("asia")
    data = network.sample(200, rng=1)
    study = study_of(data)
    spec = redraws(study, data, dark=True, known=("ASIA", network.edges)).spec(data.names)
    names = {frozenset(data.names[v] for v in pair): k for k, pair in enumerate(spec["pairs"])}
    assert {k for pair, k in names.items() if pair in set(map(frozenset, network.edges))} == set(spec["true"])
    for method in spec["methods"]:
        for shown, adjacency in zip(method["graphs"], study.ensembles[method["key"]].adjacencies, strict=True):
            expected = {names[frozenset(data.names[v] for v in ends)] for ends in np.argwhere(adjacency).tolist()}
            assert int(shown[::-1], 16) == sum(1 << k for k in expected)
            assert len(expected) == adjacency.sum()


@pytest.mark.parametrize("shown", [["asia", "tub"], []])
def test_pairs_outside_a_part_of_the_network_are_counted_but_have_no_place(shown):
    data = bn.load_network("asia").sample(200, rng=1)
    spec = redraws(study_of(data), data, dark=False).spec(shown)
    assert all(min(pair) == -1 or max(pair) < len(shown) for pair in spec["pairs"])
    assert len(spec["learned"]) == len(study_of(data).reference.edges)


def test_without_a_seed_the_rows_are_not_drawn_again_and_without_both_methods_nothing_is_shown():
    data = bn.load_network("cancer").sample(50, rng=1)
    only = bn.study(data, bn.BIC(), bn.HillClimbing(), METHODS[:1], rng=1)
    assert redraws(only, data, dark=False) is None
    repeated = study_of(data, rng=np.random.default_rng(1))
    assert redraws(repeated, data, dark=False).rows.shape[0] == 6


@pytest.mark.parametrize("about", [{"sampling_weights": "w"}, {"weights": "w"}, {"clusters": "w"}, {"blocks": 4}])
def test_rows_with_weights_counts_or_units_are_drawn_again_as_often_as_their_replicate_has_them(about):
    rows = bn.load_network("asia").sample(40, rng=5).to_frame()
    data = bn.Dataset.from_frame(rows.assign(w=[1, 2, 3, 3] * 10) if "blocks" not in about else rows, **about)
    times = redraws(study_of(data), data, dark=False).rows
    assert times.shape == (6, data.n_rows)
    whole = np.bincount(data.distinct_row_of)
    for number, generator in enumerate(replicate_generators(3, 6)):
        weights = bn.Bootstrap(6).replicate(data, number, generator).weights
        shown = np.bincount(data.distinct_row_of, times[number])
        assert np.array_equal(shown * data.multiplicities, weights * whole)
