"""A fixed graph's corrected score is unbiased to leading order, a chosen graph's is not: by enumeration and on ASIA."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive
from tests.strategies import datasets


def test_correction_and_choice_by_enumeration_of_all_resamples():
    """Over all 5**5 resamples: each graph's score moves by its bias less ½ |θ|, the best one's by more."""
    data = bn.Dataset(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]]))
    scores, given = LocalScores(data, bn.teaching.LeadingCorrection(bn.BIC())), LocalScores(data, bn.BIC())
    graphs = [(0, []), (1, [])], [(0, []), (1, [0])]
    on_data = [sum(given(*family) for family in graph) for graph in graphs]
    fixed, best = [], []
    for drawn in naive.all_resamples(5):
        weights = np.bincount(data.distinct_row_of[list(drawn)], minlength=data.multiplicities.size)
        scores.reweigh(weights.astype(np.int32))
        fixed.append([sum(scores(*family) for family in graph) for graph in graphs])
        best.append(max(fixed[-1]))
    tables = [bn.teaching.bias_by_family(data, edges) for edges in ([], [("a", "b")])]
    moved = [(table["exact"] - table["leading"]).sum() for table in tables]
    expected = np.add(on_data, moved)
    assert np.mean(fixed, axis=0) == pytest.approx(expected, abs=1e-9)
    assert np.mean(best) > max(expected) + 0.1


# Mutual information, spurious dependence against the chi-square, and ties


@given(datasets(min_variables=2, max_variables=4, max_rows=60))
def test_information_against_the_log_likelihood(data):
    """N I(X; Y) is what the edge adds to the log-likelihood."""
    scores = LocalScores(data, bn.LogLikelihood())
    matrix = bn.teaching.mutual_informations(data)
    assert (matrix == matrix.T).all()
    for i in range(data.n_variables):
        assert matrix[i, i] == 0
        for j in range(i):
            gain = (scores(i, [j]) - scores(i)) / data.n_rows
            table = bn.teaching.contingency_table(data, data.names[i], data.names[j])
            assert table.sum() == data.n_rows
            assert matrix[i, j] == pytest.approx(gain, abs=1e-10)
            assert bn.teaching.mutual_information(table) == pytest.approx(gain, abs=1e-10)


@pytest.mark.parametrize("n_states", [(2, 2), (3, 4)])
def test_g_squared_of_independent_variables_against_the_chi_square(n_states):
    """Data: mean df; resamples: mean 2 df, distribution 2 chi-square, up to order 1/N.

    False-alarm rate 6e-7 a mean, at 5 standard errors and 2 % for the next order; 1e-6 a Kolmogorov-Smirnov test.
    """
    made = bn.teaching.spurious_dependence(n_states, 2000, 4000, rng=11)
    freedom = (n_states[0] - 1) * (n_states[1] - 1)
    assert made.freedom == freedom
    for values, mean in ((made.in_data, freedom), (made.in_resamples, 2 * freedom)):
        error = values.std(ddof=1) / math.sqrt(values.size)
        assert abs(values.mean() - mean) < 5 * error + 0.02 * mean
    # G² of 2 x 2 tables takes few values: the test is on the larger tables, and on a coarse grid for the small ones
    scaled = stats.chi2(freedom, scale=2.0)
    if freedom > 1:
        assert stats.kstest(made.in_data, stats.chi2(freedom).cdf).pvalue > 1e-6
        assert stats.kstest(made.in_resamples, scaled.cdf).pvalue > 1e-6
    densities = made.densities(50)
    assert densities["data"].to_numpy() == pytest.approx(stats.chi2(freedom).pdf(densities["g_squared"]))
    assert densities["resample"].to_numpy() == pytest.approx(scaled.pdf(densities["g_squared"]))
    in_data, in_resamples = made.found_dependent()
    assert abs(in_data - 0.05) < 5 * math.sqrt(0.05 * 0.95 / 4000) + 0.005
    expected = float(scaled.sf(made.critical_value))
    assert abs(in_resamples - expected) < 5 * math.sqrt(expected / 4000) + 0.01
