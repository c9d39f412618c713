"""Probability of rows: it sums to one, agrees with the likelihood score, and with a product taken by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from tests.strategies import dags, datasets


def named(data, dag):
    return [(data.names[i], data.names[j]) for i, j in np.argwhere(dag)]


@given(datasets(min_variables=4, max_variables=4, max_rows=60), dags(4), st.sampled_from([None, 0.5, 8.0]))
def test_all_configurations_together_have_probability_one_invariant(data, dag, ess):
    network = bn.fit(data, named(data, dag), ess)
    rows = np.array(list(itertools.product(*(range(len(states)) for states in data.states))))
    everything = bn.Dataset(data.names, data.states, rows)
    assert np.exp(bn.prediction.log_probabilities(network, everything)).sum() == pytest.approx(1, abs=1e-9)


@given(datasets(min_variables=4, max_variables=4, max_rows=60), dags(4))
def test_against_the_likelihood_score(data, dag):
    edges = named(data, dag)
    logs = bn.prediction.log_probabilities(bn.fit(data, edges), data)
    assert logs.sum() == pytest.approx(bn.score(data, edges, bn.LogLikelihood()), abs=1e-8)


def test_against_a_product_by_hand():
    network = bn.load_network("asia")
    data = network.sample(50, rng=3)
    logs = bn.prediction.log_probabilities(network, data)
    for row in range(10):
        product = 1.0
        for v, parents in enumerate(network.parents):
            number = 0
            for parent in parents:
                number = number * len(network.states[parent]) + int(data.codes[row, parent])
            product *= network.tables[v][number, data.codes[row, v]]
        assert logs[row] == pytest.approx(math.log(product), abs=1e-12)


def test_impossible_rows_are_marked_and_foreign_ones_refused():
    network = bn.load_network("asia")  # "either" is a certain function of two causes
    sample = network.sample(5, rng=1)
    codes = sample.codes.copy()
    codes[:, sample.index("either")] ^= 1
    with np.errstate(all="raise", under="ignore"):  # nothing is warned of
        assert np.isneginf(
            bn.prediction.log_probabilities(network, bn.Dataset(sample.names, sample.states, codes))
        ).all()
    with pytest.raises(bn.DataError, match="network's variables and states"):
        bn.prediction.log_probabilities(network, sample.select(sample.names[::-1]))
