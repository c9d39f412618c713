"""Chains over graphs against the sum over all graphs, each of which counts once."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnengine as bn
from bnengine.graphs.dag import is_dag
from bnengine.teaching import all_dags, graph_posterior
from tests import naive_orders, naive_pairs
from tests.strategies import make_data

CONSTRAINTS = {
    "none": bn.Constraints(),
    "both": bn.Constraints([("v3", "v1")], [("v0", "v2"), ("v1", "v0")]),
    "tiers": bn.Constraints(tiers=[["v0", "v1"], ["v2"], ["v3"]]),
    "few parents": bn.Constraints(max_parents=1),
}


def enumerated(data, score, constraints, uniform):
    """Edge probabilities and the highest score, over every legal graph."""
    masks = naive_orders.dag_masks(data.n_variables)
    masks = masks[naive_orders.legal(masks, constraints.resolve(data.names))]
    table = naive_orders.engine_table(bn.WithPrior(score, uniform_parent_sizes=uniform), data)
    totals = naive_orders.totals(masks, table)
    return naive_pairs.edge_probabilities(masks, totals), totals.max()


def sampled(data, score, uniform=True, **options):
    options.setdefault("n_steps", 120_000)
    return bn.sample_posterior(data, score, None, method="graph", uniform_parent_sizes=uniform, **options)


def assert_near(posterior, expected):
    """Within six standard errors, each estimated from some 60 batch means: false-alarm rate 1e-7 an edge."""
    assert (abs(posterior.probability - expected) <= 6 * posterior.error + 1e-3).all()
    assert posterior.error.max() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("uniform", [True, False], ids=["fair", "flat"])
@pytest.mark.parametrize(
    ("seed", "score", "kind"),
    [
        (3, bn.BDeu(1), "none"),
        (9, bn.BIC(), "none"),
        (3, bn.FNML(), "both"),
        (4, bn.BDeu(5), "tiers"),
        (5, bn.BDeu(1), "few parents"),
    ],
    ids=str,
)
def test_four_variables_against_enumeration(seed, score, kind, uniform):
    data, constraints = make_data([2, 3, 2, 2], 40, seed=seed), CONSTRAINTS[kind]
    expected, best = enumerated(data, score, constraints, uniform)
    posterior = sampled(data, score, uniform, constraints=constraints)
    assert_near(posterior, expected)
    assert ((posterior.probability > 0) <= (expected > 0)).all()
    assert posterior.map_score == pytest.approx(best, abs=1e-9)
    assert posterior.method == "graph"
    assert posterior.status == "converged"
    assert posterior.warning is None


@pytest.mark.slow
@pytest.mark.parametrize("uniform", [True, False], ids=["fair", "flat"])
def test_five_variables_against_enumeration(uniform):
    data = make_data([2, 3, 2, 2, 3], 60, seed=4)
    expected, best = enumerated(data, bn.BDeu(2), bn.Constraints(), uniform)
    posterior = sampled(data, bn.BDeu(2), uniform, n_steps=240_000)
    assert_near(posterior, expected)
    assert posterior.map_score == pytest.approx(best, abs=1e-9)
    graphs = posterior.graphs()
    assert all(is_dag(graph) for graph in graphs[::50])
    assert graphs.mean(axis=0) == pytest.approx(expected, abs=0.15)  # 6 sd of 400 independent draws


@pytest.mark.slow
def test_flat_prior_against_the_lessons_sum_over_all_graphs():
    data = bn.load_network("cancer").sample(300, rng=2).select(["Smoker", "Cancer", "Xray", "Dyspnoea"])
    dags, posterior = all_dags(4), graph_posterior(data, 1.0)
    expected = np.zeros((4, 4))
    for i, j in itertools.permutations(range(4), 2):
        expected[i, j] = posterior[(dags[:, j] >> i & 1) == 1].sum()
    assert_near(sampled(data, bn.BDeu(1), False), expected)


def test_fewer_candidates_leave_edges_to_the_odds_against_enumeration():
    """What is outside the candidates is added by its odds, one edge a child at a time."""
    data = make_data([2, 3, 2, 2, 2], 60, seed=8, dependence=0.9)
    expected, _ = enumerated(data, bn.BIC(), bn.Constraints(), True)
    posterior = sampled(data, bn.BIC(), candidates=2)
    assert abs(posterior.probability - expected).max() < 0.06


def test_workers_do_not_matter():
    data = make_data([2, 3, 2, 2, 2], 50, seed=2)
    plain = sampled(data, bn.BDeu(1), n_steps=2_000, rng=7)
    with ThreadPoolExecutor(3) as executor:
        other = sampled(data, bn.BDeu(1), n_steps=2_000, rng=7, executor=executor)
    assert (plain.probability == other.probability).all()
    assert (plain.packed_graphs == other.packed_graphs).all()
    assert (plain.trace == other.trace).all()


def test_column_order_does_not_matter():
    data = make_data([2, 3, 2, 2, 2], 50, seed=2)
    turned = ["v3", "v0", "v4", "v2", "v1"]
    place = [data.names.index(name) for name in turned]
    plain, other = (sampled(d, bn.BDeu(1), n_steps=2_000, rng=7) for d in (data, data.select(turned)))
    assert (other.probability == plain.probability[np.ix_(place, place)]).all()
    assert (other.map_graph == plain.map_graph[np.ix_(place, place)]).all()


def test_stops_with_a_smaller_valid_result():
    data, asked = bn.load_network("child").sample(200, rng=1), []

    def progress(done, total):
        asked.append((done, total))
        return len(asked) < 5

    posterior = bn.sample_posterior(data, bn.BDeu(1), method="graph", n_steps=500_000_000, progress=progress)
    assert len(asked) == 5
    assert posterior.status == "stopped"
    assert ((posterior.probability >= 0) & (posterior.probability <= 1)).all()
    assert (posterior.probability.sum(axis=0) <= 4 + 1e-9).all()


def test_a_prior_over_orderings_is_refused():
    data = make_data([2, 2, 2], 50, seed=2)
    tiers = bn.posterior.SoftTiers([["v0"], ["v1"]], 1.0)
    with pytest.raises(ValueError, match="order_prior is a prior over orderings"):
        sampled(data, bn.BDeu(1), order_prior=tiers)


@pytest.mark.parametrize("n", [1, 2])
def test_hardly_any_variables(n):
    data = make_data([2] * n, 30, seed=1)
    expected, _ = enumerated(data, bn.BDeu(1), bn.Constraints(), True)
    assert_near(sampled(data, bn.BDeu(1), n_steps=8_000), expected)


def test_bagged_posterior_over_graphs():
    data = make_data([2, 3, 2, 2], 60, seed=3)
    bagged = bn.posterior.bagged_posterior(data, bn.BDeu(1), 4, None, method="graph", n_steps=2_000)
    assert bagged.members.shape == (4, 4, 4)
    assert bagged.method == "graph"
    assert bagged.probability == pytest.approx(bagged.members.mean(axis=0))
    assert ((bagged.probability + bagged.probability.T) <= 1 + 1e-9).all()
