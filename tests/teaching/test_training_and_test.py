"""Training and test error against refitted networks, new rows, all resamples and Akaike's theory."""

import math

import numpy as np
import pytest

import bnengine as bn
from tests import naive
from tests.strategies import make_data


def dataset(arities, rows):
    states = tuple(tuple(f"s{k}" for k in range(r)) for r in arities)
    return bn.Dataset(tuple(f"v{v}" for v in range(len(arities))), states, np.array(rows))


def log_likelihood(network, data):
    return float(bn.prediction.log_probabilities(network, data).sum())


def gain(data, drawn, edges):
    """What a network fitted to a resample gains on its own rows over those of the data, nats (Eq. 11)."""
    resample = data.take(drawn)
    refitted = bn.fit(resample, edges, ess=1.0)
    return log_likelihood(refitted, resample) - log_likelihood(refitted, data)


@pytest.mark.parametrize("edges", [[], [("v0", "v1")]])
def test_dic_subtracts_the_optimism_of_all_resamples(edges):
    """Each of the 5 ** 5 equally likely resamples is fitted: no formula."""
    data = dataset([2, 3], [[0, 0], [1, 2], [0, 1], [1, 2], [1, 0]])
    optimism = naive.average_over_resamples(5, lambda drawn: gain(data, drawn, edges))
    expected = log_likelihood(bn.fit(data, edges, ess=1.0), data) - optimism
    assert bn.teaching.dic(data, edges) == pytest.approx(expected, abs=1e-9)


def test_dic_is_equal_for_equivalent_graphs_and_tends_to_aic():
    data = make_data([2, 3, 2], 1000, seed=1, dependence=0.2)
    chain, fork = [("v0", "v1"), ("v1", "v2")], [("v1", "v0"), ("v1", "v2")]
    assert bn.teaching.dic(data, chain) == pytest.approx(bn.teaching.dic(data, fork), abs=1e-8)
    many = data.take(np.tile(np.arange(1000), 1000))
    assert bn.teaching.dic(many, chain) == pytest.approx(bn.score(many, chain, bn.AIC()), abs=0.01)


def test_one_data_set_against_refitting_and_new_rows():
    """The exact test error within 5 standard errors of 100,000 new rows (false alarm 6e-7); the rest exactly."""
    truth = bn.load_network("survey")
    line = bn.teaching.likelihood_gap(truth, [60], 2, rng=3).samples.iloc[0]
    data = truth.sample(60, np.random.default_rng(3).spawn(2)[0])
    true, network = log_likelihood(truth, data), bn.fit(data, truth.edges, ess=1.0)
    assert line["training"] == pytest.approx((true - log_likelihood(network, data)) / 60)
    assert line["corrected"] == pytest.approx((true - bn.teaching.dic(data, truth.edges)) / 60)
    assert line["aic"] == pytest.approx(line["training"] + 21 / 60)
    left_out = 0.0
    for row in range(60):
        others = np.delete(np.arange(60), row)
        left_out += log_likelihood(bn.fit(data.take(others), truth.edges, ess=1.0), data.take([row]))
    assert line["leave_one_out"] == pytest.approx((true - left_out) / 60)
    fresh = truth.sample(100_000, rng=9)
    worse = bn.prediction.log_probabilities(truth, fresh) - bn.prediction.log_probabilities(network, fresh)
    assert abs(line["test"] - worse.mean()) < 5 * worse.std() / math.sqrt(100_000)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "varying"), [("survey", 21), ("asia", 14)])
def test_half_of_the_parameters_on_each_side_against_theory(name, varying):
    """ASIA's "either" is a function of its parents, whose 4 parameters cannot vary.

    Five standard errors (false alarm 6e-7 each), and a tenth for the next order and the prior.
    """
    made = bn.teaching.likelihood_gap(bn.load_network(name), [2000], 60, rng=4)
    assert made.n_varying == varying
    line = made.table().iloc[0]
    assert line["half"] == varying / 2 / 2000
    for column, sides in (("training", -1), ("test", 1), ("optimism", -2), ("estimated_optimism", -2)):
        expected = sides * line["half"]
        assert abs(line[column] - expected) < 5 * line[f"{column}_se"] + 0.1 * abs(expected), column
    if name == "survey":  # without impossible cells all three estimate the same
        for column in ("corrected", "aic", "leave_one_out"):
            assert abs(line[column] - line["half"]) < 5 * line[f"{column}_se"] + 0.1 * line["half"], column


def test_stopping_keeps_what_is_done_and_bad_sizes_are_named():
    cancer = bn.load_network("cancer")
    made = bn.teaching.likelihood_gap(cancer, [10, 20], 5, progress=lambda done, total: done < 7)
    assert (len(made.samples), made.status) == (7, "stopped")
    assert made.table()["n_rows"].tolist() == [10, 20]
    for sizes in ([], [0]):
        with pytest.raises(ValueError, match="sizes"):
            bn.teaching.likelihood_gap(cancer, sizes)
