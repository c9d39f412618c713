"""The corrected likelihood and DIC against all resamples, against theory and against Monte Carlo."""

import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive
from tests.strategies import make_data

PLAIN, CORRECTED, DIC = bn.LogLikelihood(), bn.CorrectedLikelihood(), bn.DIC()
TINY = [([2], [[0], [0], [1], [0]]), ([2, 3], [[0, 0], [1, 2], [0, 1], [1, 2], [1, 0], [0, 0]])]


def dataset(arities, rows):
    states = tuple(tuple(f"s{k}" for k in range(r)) for r in arities)
    return bn.Dataset(tuple(f"v{v}" for v in range(len(arities))), states, np.array(rows))


@pytest.mark.parametrize(("arities", "rows"), TINY)
def test_both_criteria_are_what_all_resamples_make_of_the_likelihood(arities, rows):
    """Every one of the n**n equally likely bootstrap samples is fitted: no expectation, no formula."""
    data = dataset(arities, rows)
    for edges in ([], [("v0", "v1")])[: len(arities)]:
        fit = bn.score(data, edges, PLAIN)
        mean = naive.average_over_resamples(len(rows), lambda drawn, e=edges: bn.score(data.take(drawn), e, PLAIN))
        assert mean > fit + 0.3
        assert bn.score(data, edges, CORRECTED) == pytest.approx(2 * fit - mean, abs=1e-9)
        assert bn.score(data, edges, DIC) == pytest.approx(fit - 2 * (mean - fit), abs=1e-9)


def test_with_many_rows_half_a_nat_and_a_nat_a_parameter_are_charged_against_theory():
    """The next order is the sum over configurations of (sum_k 1 / p_k - 1) / (12 n_j), below 2 % with 2,000 rows."""
    rng = np.random.default_rng(3)
    data = dataset([3, 2, 3], np.stack([rng.integers(0, r, 2000) for r in (3, 2, 3)], axis=1))
    edges = [("v0", "v1"), ("v0", "v2"), ("v1", "v2")]
    fit, parameters = bn.score(data, edges, PLAIN), bn.n_parameters(data, edges)
    assert fit - bn.score(data, edges, CORRECTED) == pytest.approx(parameters / 2, rel=0.02)
    assert bn.score(data, edges, DIC) == pytest.approx(bn.score(data, edges, bn.AIC()), abs=0.02 * parameters)


def test_a_spurious_edge_gains_nothing_on_average_and_a_nat_is_lost_under_dic_against_theory():
    """Independent 3 × 3 variables: the edge's fit is chi-squared with 4 degrees of freedom, halved: 2 nats on average.

    The corrected likelihood charges 2, DIC 4. Means over 2,000 samples of 400 rows; false-alarm rate 6e-5 each at 4
    standard errors (sd of the halved chi-squared: sqrt 2), and 0.05 nats for the next order; the seed is fixed.
    """
    rng = np.random.default_rng(8)
    gains = {CORRECTED: [], DIC: []}
    for _ in range(2000):
        data = dataset([3, 3], rng.integers(0, 3, (400, 2)))
        for score, seen in gains.items():
            local = LocalScores(data, score)
            seen.append(local(1, [0]) - local(1))
    for score, expected in ((CORRECTED, 0.0), (DIC, -2.0)):
        assert abs(np.mean(gains[score]) - expected) < 4 * math.sqrt(2 / 2000) + 0.05


def test_a_state_that_no_row_shows_costs_nothing():
    seen = make_data([3, 2], 60, seed=1)
    more = bn.Dataset(seen.names, ((*seen.states[0], "never"), seen.states[1]), seen.codes)
    edges = [("v0", "v1")]
    for score in (CORRECTED, DIC):
        assert bn.score(more, edges, score) == pytest.approx(bn.score(seen, edges, score), abs=1e-9)
    assert bn.score(more, edges, bn.AIC()) < bn.score(seen, edges, bn.AIC()) - 1


@pytest.mark.parametrize("score", [CORRECTED, DIC], ids=lambda score: score.name)
def test_a_jackknife_replicate_is_charged_for_its_own_rows(score, asia):
    """The expectations are over resamples of N - 1 rows there, and over N again afterwards."""
    scores = LocalScores(asia, score)
    families = [(v, [p for p in (0, 1) if p != v]) for v in range(4)]
    given = [scores(*family) for family in families]
    fewer = asia.multiplicities.astype(np.int32)
    fewer[0] -= 1
    scores.reweigh(fewer)
    rows = np.repeat(np.arange(fewer.size), fewer)
    copied = bn.Dataset(asia.names, asia.states, asia.distinct_codes.T[rows])
    for family in families:
        assert scores(*family) == pytest.approx(naive.local_score(score, copied, *family), abs=1e-9)
    scores.reweigh(asia.multiplicities.astype(np.int32))
    assert [scores(*family) for family in families] == given


@pytest.mark.parametrize("correction", ["none", "leading", "exact"])
def test_every_correction_of_them_is_defined(asia, correction):
    made = bn.resample(asia, CORRECTED, bn.K2(), bn.Bootstrap(3), correction=correction)
    assert made.n_graphs == 3


def test_the_milder_the_charge_the_more_edges(asia):
    edges = [len(bn.learn(asia, score).edges) for score in (bn.BIC(), DIC, CORRECTED, PLAIN)]
    assert edges == sorted(edges)
    assert edges[0] < edges[2] < edges[3]
