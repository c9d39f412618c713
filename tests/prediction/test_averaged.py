"""Predictions averaged over networks, against the enumeration of all graphs on three and four variables."""

import itertools

import numpy as np
import pytest

import bnengine as bn
from tests import naive_orders as orders

ESS = 1.5


def table(n, n_rows, seed):
    rng = np.random.default_rng(seed)
    return orders.random_network(rng, [2, 3, 2, 2][:n], 0.6).sample(n_rows, rng=rng)


def evidence_by_graph(data, masks):
    """The marginal likelihood of each graph, from the definition of BDeu."""
    return np.exp(orders.totals(masks, orders.family_table(bn.BDeu(ESS), data)))


def mixture_over_all(data, masks, prior):
    """The engine's mixture of all graphs, each with its posterior probability."""
    weights = prior * evidence_by_graph(data, masks)
    edges = [[(data.names[i], data.names[j]) for i, j in np.argwhere(orders.matrix_of(one))] for one in masks]
    networks = tuple(bn.fit(data, one, ESS) for one in edges)
    return bn.prediction.NetworkMixture(networks, weights / weights.sum())


@pytest.mark.parametrize("n", [3, 4])
def test_a_row_is_as_probable_as_it_makes_the_data_with_it(n):
    """P(x | D) = P(D, x) / P(D), both summed over all graphs: no posterior, no tables, no mean."""
    data, masks = table(n, 12, seed=n), orders.dag_masks(n)
    prior = np.ones(len(masks))
    mixture = mixture_over_all(data, masks, prior)
    without = (prior * evidence_by_graph(data, masks)).sum()
    for row in list(itertools.product(*map(range, data.arities)))[:: 3 if n == 4 else 1]:
        one, with_it = (bn.Dataset(data.names, data.states, np.vstack([*before, row])) for before in ([], [data.codes]))
        expected = (prior * evidence_by_graph(with_it, masks)).sum() / without
        assert np.exp(mixture.log_probabilities(one)) == pytest.approx([expected], rel=1e-9)


def test_predictions_and_evidence_are_quotients_of_the_rows_probabilities():
    data, masks = table(3, 15, seed=5), orders.dag_masks(3)
    mixture = mixture_over_all(data, masks, np.ones(len(masks)))
    rows = np.array(list(itertools.product(*map(range, data.arities))))
    joint = np.exp(mixture.log_probabilities(bn.Dataset(data.names, data.states, rows))).reshape(data.arities)
    assert joint.sum() == pytest.approx(1.0)
    made = bn.prediction.predict(mixture, bn.Dataset(data.names, data.states, rows), data.names[1])
    expected = joint / joint.sum(axis=1, keepdims=True)
    assert made == pytest.approx(np.array([expected[a, :, c] for a, _, c in rows]))
    given = {data.names[0]: data.states[0][1]}
    found = mixture.posteriors(given)
    assert found.evidence_probability == pytest.approx(joint[1].sum())
    assert found[data.names[2]] == pytest.approx(joint[1].sum(axis=0) / joint[1].sum())
    changed = bn.prediction.changes(mixture.posteriors(), found).set_index(["variable", "state"])
    assert changed.loc[(data.names[2], data.states[2][0]), "before"] == pytest.approx(joint.sum(axis=(0, 1))[0])


@pytest.mark.parametrize("n", [3, 4])
def test_graphs_drawn_from_the_posterior_against_enumeration(n):
    """The posterior's prior gives a graph one share for each ordering that fits it. Five standard errors of a mean of
    draws: 24 rows, false-alarm rate 2e-5."""
    data, masks = table(n, 30, seed=10 + n), orders.dag_masks(n)
    prior = sum(orders.fits(masks, one).astype(float) for one in itertools.permutations(range(n)))
    every = bn.Dataset(data.names, data.states, np.array(list(itertools.product(*map(range, data.arities)))))
    expected = np.exp(mixture_over_all(data, masks, prior).log_probabilities(every))
    found = bn.edge_posterior(data, bn.BDeu(ESS), max_parents=None, uniform_parent_sizes=False, rng=1)
    drawn = bn.prediction.averaged(data, found.graphs(), ESS, n_networks=1_000)
    each = np.exp([bn.prediction.log_probabilities(network, every) for network in drawn.networks])
    spread = np.sqrt(drawn.weights @ (each - drawn.weights @ each) ** 2)
    assert np.exp(drawn.log_probabilities(every)) == pytest.approx(drawn.weights @ each)
    assert (np.abs(drawn.weights @ each - expected) < 5 * spread / np.sqrt(found.n_graphs) + 1e-12).all()


def test_equal_graphs_are_fitted_once_and_one_graph_predicts_as_its_network():
    data = table(4, 40, seed=2)
    edges = [(data.names[0], data.names[1]), (data.names[1], data.names[3])]
    graph = bn.fit(data, edges).adjacency
    mixture = bn.prediction.averaged(data, np.array([graph] * 3), 1.0)
    network = bn.fit(data, edges, 1.0)
    assert (len(mixture.networks), mixture.weights.tolist()) == (1, [1.0])
    made, plain = (bn.prediction.predict(one, data, data.names[1]) for one in (mixture, network))
    assert made == pytest.approx(plain)
    few = bn.prediction.averaged(data, np.array([graph, graph & False] * 30), n_networks=2)
    assert few.weights.tolist() == [0.5, 0.5]
    assert len(bn.prediction.averaged(data, np.array([graph, graph & False, graph.T]), n_networks=2).networks) == 2
    with pytest.raises(ValueError, match=r"graphs must have shape \(m, 4, 4\) with m of 1 or more; got \(0, 4, 4\)"):
        bn.prediction.averaged(data, np.zeros((0, 4, 4), dtype=bool))


def test_evidence_that_a_network_rules_out_leaves_the_others():
    """Maximum likelihood gives zeros: such a network has no say where it gives the evidence no probability."""
    cells = np.array([[0, 0], [1, 1]] * 5)
    data = bn.Dataset(("a", "b"), (("n", "y"), ("n", "y")), cells)
    sure, free = bn.fit(data, [("a", "b")]), bn.fit(data, [])
    mixture = bn.prediction.NetworkMixture((sure, free), np.array([0.5, 0.5]))
    assert mixture.posteriors({"a": "n", "b": "y"}).evidence_probability == pytest.approx(0.125)
    alone = bn.prediction.NetworkMixture((sure,), np.ones(1))
    with pytest.raises(bn.prediction.EvidenceError):
        alone.posteriors({"a": "n", "b": "y"})


def test_a_learner_that_takes_long_is_asked_to_end_within_a_split():
    data, asked = table(4, 40, seed=2), []

    def slow(rows, progress=None):
        while progress(5, 9) is not False:  # its own steps; what is told is the splits done
            pass
        return bn.prediction.averaged(rows, np.zeros((1, 4, 4), dtype=bool))

    def heard(done, total):
        asked.append((done, total))
        return len(asked) < 4

    learners = {"slow": slow, "base rate": bn.prediction.base_rate}
    splits = bn.prediction.k_folds(data.n_rows, 3)
    made = bn.prediction.compare_predictions(data, data.names[0], learners, splits, progress=heard)
    assert made.status == "stopped"
    assert asked == [(0, 3)] * 4 + [(1, 3)]
    one, other = (made.predictions[name].probabilities for name in learners)
    assert one == pytest.approx(other)
