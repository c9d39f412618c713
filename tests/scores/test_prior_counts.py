"""BDe's prior counts by inference in the prior network."""

import math
import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.networks.inference import junction_tree, summed_onto
from bnengine.scores import prior_network
from bnengine.scores.local_score import LocalScores
from tests import naive, naive_orders
from tests.networks.test_inference import dense_network


@pytest.fixture(scope="module")
def alarm():
    return bn.load_network("alarm")


def total(network, ess, data, variables):
    """Sum of ln G(n + alpha) - ln G(alpha) over the joint states shown, each probability that of a piece of evidence.

    The data's states must be numbered as the network's.
    """
    tree, place = junction_tree(network), [network.names.index(data.names[v]) for v in variables]
    result = 0.0
    for states, n in Counter(map(tuple, data.codes[:, list(variables)].tolist())).items():
        log_probability = tree.beliefs(dict(zip(place, states, strict=True)))[1]
        if log_probability == -math.inf:
            return -math.inf
        alpha = ess * math.exp(log_probability)
        result += math.lgamma(n + alpha) - math.lgamma(alpha)
    return result


def by_evidence(network, ess, data, child, parents):
    of_configurations = total(network, ess, data, parents)
    return (
        -math.inf
        if of_configurations == -math.inf
        else total(network, ess, data, (*parents, child)) - (of_configurations)
    )


def random_family(rng, n, most):
    child, *parents = rng.choice(n, int(rng.integers(1, most + 2)), replace=False).tolist()
    return child, sorted(parents)


def test_alarm_under_its_own_network_against_its_family_marginals(alarm):
    """500 rows, ten imaginary rows: pyAgrum 3.3 finds the same; a sample of the prior gave -5473.40."""
    data = alarm.sample(500, rng=9)
    expected = 0.0
    tree = junction_tree(alarm)
    beliefs = tree.beliefs({})[0]
    for v in range(37):
        family = (*alarm.parents[v], v)
        holder = next(c for c, clique in enumerate(tree.cliques) if set(family) <= set(clique))
        alphas = 10 * summed_onto(beliefs[holder], tree.cliques[holder], family).reshape(alarm.tables[v].shape)
        for configuration, counts in naive.cells_of(naive.rows_of(data), v, list(alarm.parents[v])).items():
            j = 0
            for parent, state in zip(alarm.parents[v], configuration, strict=True):
                j = j * len(alarm.states[parent]) + state
            expected += math.lgamma(alphas[j].sum()) - math.lgamma(alphas[j].sum() + sum(counts.values()))
            expected += sum(math.lgamma(alphas[j, k] + n) - math.lgamma(alphas[j, k]) for k, n in counts.items())
    assert bn.score(data, alarm.edges, bn.BDe(alarm, 10)) == pytest.approx(expected, abs=1e-9)
    assert expected == pytest.approx(-5461.752914, abs=1e-6)


@pytest.mark.slow
def test_families_that_are_none_of_the_prior_network_against_inference_with_evidence(alarm):
    rng = np.random.default_rng(1)
    data = alarm.sample(60, rng=2)
    scores = LocalScores(data, bn.BDe(alarm, 10))
    for _ in range(15):
        child, parents = random_family(rng, 37, 6)
        expected = by_evidence(alarm, 10, data, child, parents)
        assert scores(child, parents) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
def test_rows_unlike_the_prior_network_against_inference_with_evidence():
    """Uniform rows show much that INSURANCE holds for impossible: exactly those families have score -infinity."""
    insurance = bn.load_network("insurance")
    rng = np.random.default_rng(3)
    arities = [len(states) for states in insurance.states]
    data = bn.Dataset(insurance.names, insurance.states, rng.integers(0, arities, (8, 27)))
    scores, impossible = LocalScores(data, bn.BDe(insurance, 10)), 0
    for _ in range(25):
        child, parents = random_family(rng, 27, 3)
        expected = by_evidence(insurance, 10, data, child, parents)
        assert scores(child, parents) == pytest.approx(expected, abs=1e-9)
        impossible += expected == -math.inf
    assert 0 < impossible < 25


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_random_networks_against_the_explicit_joint(seed, n):
    """Networks of any shape, of several parts too; some of their variables are not in the data."""
    rng = np.random.default_rng(seed)
    network = naive_orders.random_network(rng, rng.integers(2, 4, n).tolist())
    data = network.sample(25, rng=rng)
    data = data.select([network.names[v] for v in rng.permutation(n)[: max(2, n - 1)]])
    score = bn.BDe(network, float(rng.uniform(0.5, 20)))
    scores = LocalScores(data, score)
    for _ in range(5):
        child, parents = random_family(rng, data.n_variables, data.n_variables - 1)
        expected = naive.local_score(score, data, child, parents)
        assert scores(child, parents) == pytest.approx(expected, abs=1e-9)


def test_columns_presented_in_another_order_are_known_by_their_place_in_the_data_invariant(alarm):
    """What a search is handed may be the columns in any order; the memory of marginals is that of the columns."""
    data = alarm.sample(200, rng=4)
    order = np.random.default_rng(7).permutation(37)
    place = np.argsort(order)
    plain, turned = LocalScores(data, bn.BDe(alarm, 10)), LocalScores(data, bn.BDe(alarm, 10))
    families = [random_family(np.random.default_rng(k), 37, 3) for k in range(30)]
    before = [turned(child, parents) for child, parents in families]  # the memory now holds them
    turned.reweigh(data.multiplicities.astype(np.int32), order)
    for (child, parents), expected in zip(families, before, strict=True):
        assert turned(int(place[child]), sorted(place[parents].tolist())) == expected == plain(child, parents)


@pytest.mark.parametrize(("sets", "remembered", "at_once"), [(3, 1 << 10, 1024), (1 << 16, 1, 1024), (64, 300, 3)])
def test_a_memory_that_is_full_and_pieces_of_any_size_change_nothing_invariant(
    alarm, monkeypatch, sets, remembered, at_once
):
    data = alarm.sample(150, rng=8)
    plain = LocalScores(data, bn.BDe(alarm, 10))
    monkeypatch.setattr(prior_network, "_SETS", sets)
    monkeypatch.setattr(prior_network, "_REMEMBERED", remembered)
    monkeypatch.setattr(prior_network, "_MOST_AT_ONCE", at_once)
    small = LocalScores(data, bn.BDe(alarm, 10))
    rng = np.random.default_rng(9)
    families = [random_family(rng, 37, 5) for _ in range(60)]
    for child, parents in families * 2:
        assert small(child, parents) == pytest.approx(plain(child, parents), abs=1e-10)


def test_many_parents_are_bounded_by_the_rows(alarm):
    """Twenty parents have a billion configurations; only those of the 40 rows are asked for."""
    data = alarm.sample(40, rng=12)
    parents = list(range(1, 21))
    expected = by_evidence(alarm, 4, data, 0, parents)
    assert LocalScores(data, bn.BDe(alarm, 4))(0, parents) == pytest.approx(expected, abs=1e-9)


# What is refused


def test_a_network_too_dense_is_refused_before_work_starts():
    network = dense_network()
    data = bn.Dataset(network.names[:2], network.states[:2], [[0, 1]])
    with pytest.raises(ValueError, match=r"prior counts of BDe need inference .* 'dense' has, or BDeu"):
        bn.score(data, [], bn.BDe(network))


def test_a_network_whose_inference_would_take_for_ever_is_refused_before_work_starts():
    water = bn.load_network("water")
    with pytest.raises(ValueError, match=r"tables of 4,\d\d\d,\d\d\d numbers for each family; at most 1,000,000 are"):
        bn.learn(water.sample(20, rng=1), bn.BDe(water))


def test_a_prior_network_s_file_is_known_by_its_content_not_by_its_date(tmp_path):
    """Another network of the same date, as an unpacked archive or a copy may leave it, is read again."""
    data, path = bn.load_network("cancer").sample(200, rng=1), tmp_path / "prior.BIF"
    score = bn.BDe(str(path), ess=10)
    found = []
    for network in (bn.load_network("cancer"), bn.fit(data, [], ess=1.0)):
        bn.write_bif(network, path)
        os.utime(path, (1, 1))
        assert bn.score(data, [], score) == bn.score(data, [], bn.BDe(network, ess=10))
        found.append(bn.score(data, [], score))
    assert found[0] != found[1]
