"""Dirichlet and multinomial: chain rule, gamma formula, integral, and the network scores are one number."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta

import bnengine as bn

PRIORS = st.lists(st.floats(0.05, 20), min_size=2, max_size=5)


@st.composite
def tosses(draw):
    prior = draw(PRIORS)
    return draw(st.lists(st.integers(0, len(prior) - 1), max_size=60)), prior


@given(tosses(), st.randoms(use_true_random=False))
def test_chain_rule_against_gamma_formula_in_any_order(drawn, random):
    sequence, prior = drawn
    found = bn.teaching.dirichlet_evidence(sequence, prior)
    assert np.log(found.factors).sum() == pytest.approx(found.log_evidence, abs=1e-9)
    shuffled = list(sequence)
    random.shuffle(shuffled)
    factors = bn.teaching.dirichlet_evidence(shuffled, prior).factors
    assert np.log(factors).sum() == pytest.approx(found.log_evidence, abs=1e-9)
    assert found.log_evidence <= found.log_maximum + 1e-12
    assert found.predictive.sum() == pytest.approx(1)


@pytest.mark.parametrize(("heads", "tails", "a", "b"), [(3, 2, 1, 1), (7, 0, 0.5, 0.5), (4, 11, 3, 2.5)])
def test_gamma_formula_against_the_integral(heads, tails, a, b):
    integral, _ = quad(lambda p: p**heads * (1 - p) ** tails * beta.pdf(p, a, b), 0, 1)
    found = bn.teaching.dirichlet_evidence([0] * heads + [1] * tails, [a, b])
    assert found.log_evidence == pytest.approx(math.log(integral), abs=1e-6)


@pytest.mark.parametrize("ess", [0.3, 1.0, 10.0])
def test_against_the_network_scores_of_one_variable(ess, mixed):
    for v, name in enumerate(mixed.names):
        r = len(mixed.states[v])
        sequence = mixed.codes[:, v].tolist()
        with_ess = bn.teaching.dirichlet_evidence(sequence, [ess / r] * r)
        assert with_ess.log_evidence == pytest.approx(bn.local_score(mixed, name, [], bn.BDeu(ess)), abs=1e-8)
        assert bn.teaching.dirichlet_evidence(sequence, [1] * r).log_evidence == pytest.approx(
            bn.local_score(mixed, name, [], bn.K2Score()), abs=1e-8
        )
        assert with_ess.bic == pytest.approx(bn.local_score(mixed, name, [], bn.BIC()), abs=1e-8)


@pytest.mark.slow
@given(PRIORS)
def test_densities_integrate_to_one_and_have_the_dirichlets_mean(prior):
    alpha = np.array(prior) + 1  # bounded densities, so that a grid will do
    grid = np.linspace(0, 1, 20_001)
    densities = bn.teaching.dirichlet_density(alpha, grid)
    assert densities.shape == (len(alpha), grid.size)
    assert np.trapezoid(densities, grid, axis=1) == pytest.approx(1, abs=2e-3)
    assert np.trapezoid(densities * grid, grid, axis=1) == pytest.approx(alpha / alpha.sum(), abs=2e-3)


# The price of a parameter's digits: the loss by its definition, and where the sum is least


def test_the_loss_against_encoding_the_rows():
    """Bits of the rows with the rounded probability less those with their own, for every count, added up plainly."""
    n_rows = 12
    table = bn.teaching.parameter_precision(n_rows).set_index("values")
    for values, line in table.iterrows():
        middles = [(k + 0.5) / values for k in range(values)]
        losses = []
        for n in range(n_rows + 1):
            share = n / n_rows
            q = middles[min(int(share * values), values - 1)]
            assert abs(q - share) <= 0.5 / values + 1e-12
            own = sum(x * math.log2(x / n_rows) for x in (n, n_rows - n) if x)
            losses.append(own - n * math.log2(q) - (n_rows - n) * math.log2(1 - q))
        assert line["loss_bits"] == pytest.approx(np.mean(losses), abs=1e-12)
        assert line["cost_bits"] == pytest.approx(math.log2(values))
        assert line["total_bits"] == pytest.approx(line["cost_bits"] + line["loss_bits"])


@pytest.mark.parametrize("n_rows", [100, 1000, 10_000, 100_000])
def test_the_sum_is_least_near_half_log_n(n_rows):
    """To within a third of a bit and a little; and ½ log2 N itself costs hardly more than the least."""
    table = bn.teaching.parameter_precision(n_rows)
    best = table.loc[table["total_bits"].idxmin()]
    half = 0.5 * math.log2(n_rows)
    assert abs(best["cost_bits"] - half) < 0.35
    assert np.interp(half, table["cost_bits"], table["total_bits"]) < best["total_bits"] + 0.1
