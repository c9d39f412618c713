"""Mutual information, spurious dependence against the chi-square, and ties."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from tests import naive
from tests.strategies import datasets


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


def test_contingency_table_against_loops(mixed):
    table = bn.teaching.contingency_table(mixed, "v1", "v2")
    expected = np.zeros((3, 4), dtype=int)
    for row in naive.rows_of(mixed):
        expected[row[1], row[2]] += 1
    assert (table == expected).all()


def test_g_squared_against_scipy():
    for table in ([[10, 20], [30, 5]], [[3, 4, 5], [9, 1, 2]]):
        theirs = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        assert bn.teaching.g_squared(table) == pytest.approx(theirs)


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
    in_data, in_resamples = made.found_dependent()
    assert abs(in_data - 0.05) < 5 * math.sqrt(0.05 * 0.95 / 4000) + 0.005
    expected = float(scaled.sf(made.critical_value))
    assert abs(in_resamples - expected) < 5 * math.sqrt(expected / 4000) + 0.01


def test_the_densities_are_densities():
    densities = bn.teaching.spurious_dependence((3, 4), 500, 2000, rng=1).densities(400)
    step = densities["g_squared"].diff().iloc[-1]
    assert densities["data"].sum() * step == pytest.approx(1, abs=0.01)
    assert densities["resample"].sum() * step == pytest.approx(0.995, abs=0.02)


def test_the_number_of_different_values_against_all_resamples():
    exact = np.mean([len(set(drawn)) for drawn in naive.all_resamples(5)])
    assert bn.teaching.ties_in_resamples(5, 10).expected == pytest.approx(exact)


def test_the_number_of_different_values_against_its_limit():
    """False-alarm rate 6e-7, at 5 standard errors; the seed is fixed."""
    made = bn.teaching.ties_in_resamples(200, 2000, rng=8)
    error = made.distinct.std(ddof=1) / math.sqrt(2000)
    assert abs(made.distinct.mean() - made.expected) < 5 * error
    assert made.expected == pytest.approx(made.limit, rel=0.005)
    assert made.limit == pytest.approx(200 * 0.6321, abs=0.01)
    assert made.times.sum() == 200
    assert (made.times > 0).sum() == made.distinct[0]
    assert len(set(made.values.tolist())) == 200


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: bn.teaching.mutual_information([1, 2]), "table"),
        (lambda: bn.teaching.mutual_information([[0, 0]]), "not all 0"),
        (lambda: bn.teaching.spurious_dependence((1, 2)), "n_states"),
        (lambda: bn.teaching.spurious_dependence(n_rows=0), "n_rows"),
        (lambda: bn.teaching.spurious_dependence(n_samples=1), "n_samples"),
        (lambda: bn.teaching.ties_in_resamples(0), "n_rows"),
        (lambda: bn.teaching.ties_in_resamples(5, 0), "n_resamples"),
    ],
)
def test_bad_input_is_named(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize(("n_rows", "n_resamples"), [(1, 3), (50, 1000), (300, 2000), (300_000, 3)])
def test_resamples_counted_in_pieces_against_sets(n_rows, n_resamples):
    made = bn.teaching.ties_in_resamples(n_rows, n_resamples, rng=3)
    rng = np.random.default_rng(3)
    assert (made.values == np.sort(rng.standard_normal(n_rows))).all()
    drawn = rng.integers(0, n_rows, (n_resamples, n_rows))
    assert made.distinct.tolist() == [len(set(rows)) for rows in drawn.tolist()]
    assert (made.times == np.bincount(drawn[0], minlength=n_rows)).all()


def test_ties_of_many_resamples_take_little_memory():
    tracemalloc.start()
    try:
        bn.teaching.ties_in_resamples(10_000, 2000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40e6  # bytes; all at once 160 MB and more


@pytest.mark.parametrize("n_states", [(2, 2), (3, 4)])
def test_the_densities_against_the_chi_squares_formula(n_states):
    """Of X: g^(k/2 - 1) e^(-g/2) / (2^(k/2) Gamma(k/2)); of 2 X: half of that at g/2."""
    made = bn.teaching.spurious_dependence(n_states, 500, 500, rng=1)
    densities, k = made.densities(50), made.freedom

    def chi_square(g):
        return g ** (k / 2 - 1) * np.exp(-g / 2) / (2 ** (k / 2) * math.gamma(k / 2))

    g = densities["g_squared"].to_numpy()
    assert densities["data"].to_numpy() == pytest.approx(chi_square(g))
    assert densities["resample"].to_numpy() == pytest.approx(chi_square(g / 2) / 2)
