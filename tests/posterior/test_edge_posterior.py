"""Exact edge posteriors against the sum over every ordering and every graph consistent with it."""

import itertools

import numpy as np
import pytest

import bnengine as bn
from bnengine.posterior.exact import memory_needed
from bnengine.posterior.result import score_weight
from bnengine.scores.scores import SCORES
from tests import naive_orders
from tests.strategies import make_data

FORBIDDEN, REQUIRED = ("v0", "v2"), ("v3", "v1")
CONSTRAINTS = {
    "none": bn.Constraints(),
    "forbidden": bn.Constraints(forbidden=[FORBIDDEN]),
    "required": bn.Constraints(required=[REQUIRED]),
    "both": bn.Constraints([REQUIRED], [FORBIDDEN]),
    "tiers": bn.Constraints(tiers=[["v0", "v1"], ["v2"], ["v3"]]),
}


def enumerated(data, score, max_parents, constraints, uniform):
    """Probabilities by adding up orderings and graphs, families scored by definition."""
    space = constraints.resolve(data.names, max_parents)
    masks = naive_orders.legal_masks(data.n_variables, space)
    table = naive_orders.family_table(bn.WithPrior(score, uniform_parent_sizes=uniform), data)
    return naive_orders.edge_posterior(masks, naive_orders.totals(masks, table))[0]


@pytest.fixture(scope="module")
def four():
    return make_data([2, 3, 2, 2], 40, seed=9, unseen=0.3)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("max_parents", [1, 2, 3])
@pytest.mark.parametrize("kind", sorted(CONSTRAINTS))
def test_four_variables_against_enumeration(four, kind, max_parents, uniform):
    constraints = CONSTRAINTS[kind]
    probability = enumerated(four, bn.BDeu(2), max_parents, constraints, uniform)
    posterior = bn.edge_posterior(
        four, bn.BDeu(2), max_parents=max_parents, constraints=constraints, uniform_parent_sizes=uniform
    )
    assert posterior.probability == pytest.approx(probability, abs=1e-10)
    assert 0.01 < probability.max() < 1 + 1e-12


@pytest.mark.parametrize(
    "score",
    [
        *(bn.K2Score(), bn.BDs(3), bn.QNML(), bn.FNML(), bn.BIC(), bn.WithPrior(bn.BDeu(4), edge_penalty=0.6)),
        bn.BDe(naive_orders.random_network(np.random.default_rng(3), [2, 3, 2, 2]), 6),
    ],
    ids=lambda score: score.name,
)
def test_any_score_weighs_families_against_enumeration(four, score):
    probability = enumerated(four, score, 3, bn.Constraints(), True)
    posterior = bn.edge_posterior(four, score, max_parents=3)
    assert posterior.probability == pytest.approx(probability, abs=1e-10)


@pytest.mark.parametrize("kind", sorted(CONSTRAINTS))
@pytest.mark.parametrize("group", [("v0", "v1"), ("v1", "v3", "v0")])
def test_at_least_one_edge_of_several_against_enumeration(four, kind, group):
    constraints = CONSTRAINTS[kind]
    posterior = bn.edge_posterior(four, bn.BDeu(2), max_parents=2, constraints=constraints)
    masks = naive_orders.legal_masks(4, constraints.resolve(four.names, 2))
    table = naive_orders.family_table(bn.WithPrior(bn.BDeu(2), uniform_parent_sizes=True), four)
    members = [four.index(name) for name in group]
    joined = (masks[:, 2] & sum(1 << v for v in members) > 0) | (masks[:, members] >> 2 & 1 > 0).any(axis=1)
    every, without = (
        naive_orders.edge_posterior(one, naive_orders.totals(one, table))[1] for one in (masks, masks[~joined])
    )
    found = posterior.any_of("v2", group)
    assert found.probability == pytest.approx(1 - np.exp(without - every), abs=1e-10)
    assert found.error == 0
    alone = posterior.any_of("v2", group[:1])
    assert alone.probability == posterior.pair_probability[2, members[0]]


def test_at_least_one_edge_of_several_from_graphs_drawn(four):
    """Within the bounds that the probabilities of the pairs set, and near the exact number: 5 errors, 6e-7."""
    exact = bn.edge_posterior(four, bn.BDeu(2))
    drawn = bn.edge_posterior(four, bn.BDeu(2), n_steps=20_000)
    estimate, pairs = drawn.any_of("v2", ["v0", "v1"]), drawn.pair_probability[2, :2]
    assert pairs.max() <= estimate.probability <= min(pairs.sum(), 1)
    assert abs(estimate.probability - exact.any_of("v2", ["v0", "v1"]).probability) < 5 * estimate.error
    for wrong in ((), ("v2", "v0"), ("v0", "v0")):
        with pytest.raises(ValueError, match="group must name variables other than 'v2', each once"):
            drawn.any_of("v2", wrong)
    with pytest.raises(ValueError, match="no variable is named 'w'"):
        drawn.any_of("v2", ["w"])


def test_columns_follow_the_order_of_the_data_invariant():
    data = make_data([2, 3, 2, 2, 2], 80, seed=6)
    turned = ["v3", "v0", "v4", "v2", "v1"]
    plain, permuted = (bn.edge_posterior(d, bn.BDeu(3)) for d in (data, data.select(turned)))
    place = [data.names.index(name) for name in turned]
    assert permuted.probability == pytest.approx(plain.probability[np.ix_(place, place)], abs=1e-10)
    assert permuted.names == tuple(turned)


@pytest.mark.parametrize("options", [{"score": bn.BDeu(1)}, {"score": bn.BDeu(1), "n_steps": 20_000}, {}], ids=str)
def test_without_data_to_speak_of_only_the_prior_is_left_against_theory(options):
    """Variables of one state score 0 in any family, so with a prior uniform over parent sets these are equally likely.

    With two variables each of the two orderings has the empty graph and one edge, so an edge has probability 1 / 4; of
    *real*, in which an edge costs a third of a nat here, w / 2 (1 + w) with w = exp(-1 / 3).
    """
    one = bn.edge_posterior(bn.Dataset(("x",), (("a", "b"),), [[0], [1], [1]]), **options)
    assert one.probability.tolist() == [[0.0]]
    two = bn.edge_posterior(bn.Dataset(("x", "y"), (("a",), ("b",)), [[0, 0]]), uniform_parent_sizes=False, **options)
    rounding = 0.02 if "n_steps" in options else 1e-12
    w = 1.0 if options else np.exp(-1 / 3)
    assert two.probability == pytest.approx(w / (2 + 2 * w) * (1 - np.eye(2)), abs=rounding)


def test_many_rows_leave_little_doubt_of_the_skeleton_against_the_network():
    """20,000 rows of CANCER's two strong edges, and an evidence far below any float's logarithm."""
    network = bn.load_network("cancer")
    posterior = bn.edge_posterior(network.sample(20_000, rng=3), bn.BDeu(1))
    either = posterior.probability + posterior.probability.T
    names = list(posterior.names)
    for child in ("Xray", "Dyspnoea"):
        assert either[names.index("Cancer"), names.index(child)] > 0.99
    assert either[names.index("Pollution"), names.index("Smoker")] < 0.2


def test_records_the_settings(four):
    posterior = bn.edge_posterior(four, bn.BDeu(1))
    assert posterior.score == "BDeu(1) − parent-size prior"
    assert posterior.names == four.names
    assert not posterior.probability.flags.writeable
    assert posterior.max_parents == 3
    assert posterior.n_evaluations == 4 * 8
    assert bn.edge_posterior(four, bn.BDeu(1), max_parents=1).n_evaluations == 4 * 4


def test_refusal_names_the_formula_and_the_remedy():
    wide = bn.Dataset(tuple(f"v{v}" for v in range(32)), (("0", "1"),) * 32, np.zeros((2, 32), dtype=int))
    says = r"over 32 variables with up to 4 parents need 8 · 2\^V bytes .* GB, more than the 2\.0 GB allowed"
    with pytest.raises(ValueError, match=says):
        bn.edge_posterior(wide, bn.BDeu(1), method="exact")
    ten = wide.select(wide.names[:10])
    needed = memory_needed(10, 4)
    with pytest.raises(ValueError, match="choose fewer variables, lower max_parents, or the bootstrap"):
        bn.edge_posterior(ten, bn.BDeu(1), method="exact", effort=bn.posterior.Effort(max_memory=needed - 1))
    assert bn.edge_posterior(
        ten, bn.BDeu(1), method="exact", effort=bn.posterior.Effort(max_memory=needed)
    ).probability.shape == (10, 10)


def test_memory_counts_sets_of_variables_and_parent_sets_against_enumeration():
    """A number for each set of variables; two for each parent set by what is left among the first m others."""
    for n, limit in itertools.product((1, 2, 5, 8), (0, 1, 3, 7)):
        left = sum(s.bit_count() <= limit for m in range(n) for s in range(1 << m))
        assert memory_needed(n, limit) == 8 * 2**n + 16 * n * left
    assert memory_needed(29, 3) < 8 * 2**30 < memory_needed(31, 3)


# What the numbers are


@pytest.mark.parametrize(
    ("score", "title"),
    [
        (bn.BDeu(3), "posterior probability"),
        (bn.BDs(1), "posterior probability"),
        (bn.K2Score(), "posterior probability"),
        (bn.BDe("cancer", 2), "posterior probability"),
        (bn.WithPrior(bn.BDeu(3), 2.0, uniform_parent_sizes=True), "posterior probability"),
        (bn.BIC(), "approximate posterior probability"),
        (bn.WithPrior(bn.BIC(), 4.0), "approximate posterior probability"),
        (bn.FNML(), "normalized maximum likelihood weight"),
        (bn.QNML(), "normalized maximum likelihood weight"),
        (bn.AIC(), "normalized weight"),
        (bn.LogLikelihood(), "normalized weight"),
        (bn.teaching.LeadingCorrection(bn.BDeu(3)), "normalized weight"),
        (bn.teaching.LeadingCorrection(bn.BIC()), "normalized weight"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_only_a_marginal_likelihood_gives_a_posterior(score, title):
    data = bn.load_network("cancer").sample(60, rng=1)
    assert bn.edge_posterior(data, score, max_parents=1).weight == title


def test_every_score_has_a_title():
    for kind in SCORES.values():
        made = kind("asia") if kind is bn.BDe else kind()
        assert score_weight(made, 500).endswith(("probability", "weight"))


def test_a_prior_over_parent_set_sizes_enters_once_against_enumeration(four):
    """For a score that already includes the prior, as an experiment's does."""
    once = bn.edge_posterior(four, bn.BDeu(2), uniform_parent_sizes=True)
    brought = bn.edge_posterior(four, bn.WithPrior(bn.BDeu(2), uniform_parent_sizes=True), uniform_parent_sizes=True)
    assert brought.probability.tolist() == once.probability.tolist()
    assert brought.score == once.score == "BDeu(2) − parent-size prior"
    penalized = enumerated(four, bn.WithPrior(bn.BIC(), 4.0), 3, bn.Constraints(), False)
    posterior = bn.edge_posterior(four, bn.WithPrior(bn.BIC(), 4.0), max_parents=3, uniform_parent_sizes=False)
    assert posterior.probability == pytest.approx(penalized, abs=1e-10)
