"""Fitting and sampling."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

import bnengine as bn
from tests.naive import cells_of, parents_in, rows_of
from tests.strategies import dags, datasets, named


def rows_of_table(network, v):
    """(parent configuration, distribution) of a variable's table, first parent most significant."""
    configurations = itertools.product(*(range(len(network.states[p])) for p in network.parents[v]))
    return zip(configurations, network.tables[v], strict=True)


@given(datasets(min_variables=4, max_variables=4, max_rows=60, max_arity=4), dags(4))
def test_maximum_likelihood_against_counts(data, dag):
    network = bn.fit(data, named(data, dag))
    assert (network.adjacency == dag).all()
    for v in range(4):
        assert list(network.parents[v]) == parents_in(dag, v)
        cells = cells_of(rows_of(data), v, network.parents[v])
        for configuration, row in rows_of_table(network, v):
            counts = cells.get(configuration)
            r = len(data.states[v])
            expected = [counts[k] / counts.total() for k in range(r)] if counts else [1 / r] * r
            assert row == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@given(datasets(min_variables=3, max_variables=3, max_rows=60), dags(3), st.sampled_from([0.1, 1.0, 20.0]))
def test_dirichlet_mean_against_bdeu(data, dag, ess):
    """The mean under BDeu's prior is the ratio of two of its marginal likelihoods: that of one row more to this."""
    network = bn.fit(data, named(data, dag), ess=ess)
    for v in range(3):
        parents = [data.names[p] for p in network.parents[v]]
        base = bn.local_score(data, data.names[v], parents, bn.BDeu(ess))
        for configuration, row in itertools.islice(rows_of_table(network, v), 5):
            for state, probability in enumerate(row):
                more = np.zeros((1, 3), dtype=int)
                more[0, list(network.parents[v])] = configuration
                more[0, v] = state
                longer = bn.Dataset(data.names, data.states, np.vstack([data.codes, more]))
                ratio = np.exp(bn.local_score(longer, data.names[v], parents, bn.BDeu(ess)) - base)
                assert probability == pytest.approx(ratio, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["asia", "cancer", "survey", "insurance"])
def test_sampling_frequencies_against_the_tables(name):
    """Pearson's statistic of all well-filled rows of all tables together.

    False-alarm rate 1e-4 a network by the chi-squared limit; the seed is fixed, so that it alarms never or always.
    """
    network = bn.load_network(name)
    data = network.sample(4000, rng=11)
    assert (data.names, data.states) == (network.names, network.states)
    statistic, freedom = 0.0, 0
    for v in range(len(network.names)):
        cells = cells_of(rows_of(data), v, network.parents[v])
        for configuration, row in rows_of_table(network, v):
            counts = cells.get(configuration)
            if counts is None:
                continue
            seen = np.array([counts[k] for k in range(len(row))])
            assert not seen[row == 0].any()
            expected = seen.sum() * row
            if (expected[row > 0] >= 10).all() and (row > 0).sum() > 1:
                statistic += (((seen - expected) ** 2)[row > 0] / expected[row > 0]).sum()
                freedom += (row > 0).sum() - 1
    assert freedom >= 4
    assert statistic < chi2.ppf(1 - 1e-4, freedom)


def test_samples_repeat_and_begin_alike():
    network = bn.load_network("asia")
    assert (network.sample(50, rng=3).codes == network.sample(50, rng=3).codes).all()
    assert (network.sample(50, rng=np.random.default_rng(3)).codes == network.sample(50, rng=3).codes).all()
    assert (network.sample(50, rng=3).codes != network.sample(50, rng=4).codes).any()
    assert (network.sample(50, rng=None).codes != network.sample(50, rng=None).codes).any()  # equal with odds 1e-40


TABLE = np.array([[0.5, 0.5]])


@pytest.mark.parametrize(
    ("parents", "tables", "says"),
    [
        (((), ()), (TABLE, np.array([[0.5, 0.6]])), "table of 'b' has a row that is not a distribution"),
        (((), ()), (TABLE, np.array([[1.5, -0.5]])), "table of 'b' has a row that is not a distribution"),
        (((), (0,)), (TABLE, TABLE), r"table of 'b' has shape \(1, 2\); .*\(2, 2\)"),
        (((1,), (0,)), (np.full((2, 2), 0.5),) * 2, "edges form a cycle: "),
    ],
)
def test_bad_networks_are_refused(parents, tables, says):
    with pytest.raises(ValueError, match=says):
        bn.BayesianNetwork(("a", "b"), (("0", "1"),) * 2, parents, tables)


def test_bad_arguments_are_named(asia):
    with pytest.raises(ValueError, match=r"n_rows must be a whole number from 1 to .*; got 0"):
        bn.load_network("asia").sample(0)
    for ess in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="ess must be a number from 1e-06 to 1e"):
            bn.fit(asia, [], ess=ess)
    wide = bn.Dataset(tuple(f"v{v}" for v in range(6)), (tuple(map(str, range(40))),) * 6, np.zeros((2, 6), dtype=int))
    with pytest.raises(bn.DataError, match=r"'v5' with its 5 parents needs a table of .* give it fewer parents"):
        bn.fit(wide, [(f"v{v}", "v5") for v in range(5)])


# Probability of rows: it sums to one, agrees with the likelihood score, and with a product taken by hand


@given(datasets(min_variables=4, max_variables=4, max_rows=60), dags(4), st.sampled_from([None, 0.5, 8.0]))
def test_all_configurations_together_have_probability_one_invariant(data, dag, ess):
    network = bn.fit(data, named(data, dag), ess)
    rows = np.array(list(itertools.product(*(range(len(states)) for states in data.states))))
    everything = bn.Dataset(data.names, data.states, rows)
    assert np.exp(bn.prediction.log_probabilities(network, everything)).sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.slow
@given(datasets(min_variables=4, max_variables=4, max_rows=60), dags(4))
def test_against_the_likelihood_score(data, dag):
    edges = named(data, dag)
    logs = bn.prediction.log_probabilities(bn.fit(data, edges), data)
    assert logs.sum() == pytest.approx(bn.score(data, edges, bn.LogLikelihood()), abs=1e-8)


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
