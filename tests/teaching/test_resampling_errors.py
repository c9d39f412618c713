"""The bias of any statistic, and standard errors by the jackknife, against enumeration, theory and fresh samples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core.random_generators import standard_error
from bnengine.teaching.resampling_errors import BOOTSTRAP, DELETE_1, DELETE_D, FRESH
from tests import naive


def all_means(rows, statistic):
    return np.mean([statistic(rows[list(drawn)]) for drawn in naive.all_resamples(len(rows))])


@pytest.mark.parametrize("values", [[1.0, 2.0, 5.0], [0.0, 0.0, 3.0, -1.0], [2.0, 2.5, 7.0, 1.0, 1.0]])
def test_the_variance_against_all_resamples_and_theory(values):
    x = np.array(values)
    made = bn.teaching.bootstrap_variance(x, 1)
    assert made.value == pytest.approx(x.var())
    assert made.mean == pytest.approx(all_means(x, np.var)) == pytest.approx((1 - 1 / x.size) * x.var())
    assert made.corrected == pytest.approx((1 + 1 / x.size) * x.var())


def test_drawn_resamples_against_the_exact_mean():
    """False-alarm rate 6e-7 each, at 5 standard errors; the seed is fixed."""
    x = np.random.default_rng(4).standard_normal(12)
    made = bn.teaching.bootstrap_variance(x, 4000, rng=2)
    assert made.value == x.var()
    assert made.mean == pytest.approx(11 / 12 * x.var())
    assert abs(made.on_resamples.mean() - made.mean) < 5 * standard_error(made.on_resamples)
    assert made.corrected == pytest.approx(2 * made.value - made.mean)
    assert made.bias == pytest.approx(made.mean - made.value)


def information_of(rows):
    table = np.zeros((2, 3))
    np.add.at(table, (rows[:, 0], rows[:, 1]), 1)
    return bn.teaching.mutual_information(table)


def test_the_information_against_all_resamples():
    """False-alarm rate 6e-7 each, at 5 standard errors; the seeds are fixed."""
    rows = np.array([[0, 0], [0, 1], [1, 2], [1, 1], [1, 1]])
    table = np.array([[1, 1, 0], [0, 2, 1]])
    exact = all_means(rows, information_of)
    fast = bn.teaching.bootstrap_information(table, 8000, rng=1)
    assert fast.mean == pytest.approx(exact, abs=1e-12)
    assert fast.value == pytest.approx(information_of(rows))
    assert abs(fast.on_resamples.mean() - exact) < 5 * standard_error(fast.on_resamples)


def test_information_of_independent_variables_is_biased_by_the_leading_order_against_theory():
    """The mean over resamples less the data's: (r - 1)(c - 1)/2N, exactly but for the next order."""
    table = np.full((3, 4), 200)  # independent to the last row, so that only resampling makes dependence
    made = bn.teaching.bootstrap_information(table, 4000, rng=6)
    leading = bn.teaching.leading_information_bias(3, 4, 2400)
    assert leading == 6 / 4800
    assert made.bias == pytest.approx(leading, rel=0.02)


@given(st.sampled_from(list(bn.teaching.PROPORTION_FUNCTIONS)), st.integers(1, 60), st.data())
def test_the_sign_of_the_bias_is_jensens(function, n, data):
    made = bn.teaching.jensen(function, data.draw(st.integers(0, n)), n)
    sign = {"p²": 1, "eᵖ": 1, "p": 0}.get(function, -1)
    assert made.chances.sum() == pytest.approx(1)
    if sign == 0 or made.proportion in (0, 1):
        assert made.bias == pytest.approx(0, abs=1e-12)
    else:
        assert sign * made.bias > 0


X = np.array([1.0, 2.0, 4.0, 7.0, 7.0, 11.0])


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_error_of_a_mean_is_exact_for_every_d_by_enumeration(d):
    """Over all subsets of N - d rows the inflated spread of the mean is s / sqrt N, whatever d."""
    means = [np.mean(kept) for kept in itertools.combinations(X, X.size - d)]
    assert bn.teaching.jackknife_error(means, X.size, d) == pytest.approx(X.std(ddof=1) / math.sqrt(X.size))


def entropy_of_the_first(data):
    return bn.teaching.plugin_entropy(np.bincount(data.codes[:, 0]))


@pytest.fixture(scope="module")
def made():
    return bn.teaching.resampling_errors(bn.load_network("survey"), 400, entropy_of_the_first, n=400, rng=3)


def test_a_smooth_statistic_has_the_same_error_four_ways_against_theory(made):
    """Asymptotically Var H = Var(ln p(x)) / N. Monte-Carlo error of an sd from 400 values: 3.5 %; 5 of them and 5 % for
    the sample's own frequencies: false-alarm rate 6e-7 each, the seed fixed."""
    p = bn.load_network("survey").tables[0][0]
    theory = math.sqrt((p @ np.log(p) ** 2 - (p @ np.log(p)) ** 2) / 400)
    table = made.table().set_index("method")
    for method in (FRESH, BOOTSTRAP, DELETE_1, DELETE_D):
        assert table["standard_error"][method] == pytest.approx(theory, rel=0.225), method
    assert table["inflation"].to_dict() == {FRESH: 1.0, BOOTSTRAP: 1.0, DELETE_1: 399.0, DELETE_D: 9.0}


def test_a_stopped_run_has_replicates_of_every_method():
    made = bn.teaching.resampling_errors(
        bn.load_network("asia"), 50, entropy_of_the_first, n=50, progress=lambda done, planned: done < 10
    )
    assert made.status == "stopped"
    assert sorted({values.size for values in made.values.values()}) in ([2, 3], [3])
    assert np.isfinite(made.table()["standard_error"]).all()


def generations_of(rows, statistic, n):
    """T(D), and its means over all resamples, over all resamples of all resamples, …"""
    means, lines = [float(statistic(rows))], [rows]
    for _ in range(n):
        lines = [line[list(drawn)] for line in lines for drawn in naive.all_resamples(len(line))]
        means.append(float(np.mean([statistic(line) for line in lines])))
    return means


@pytest.mark.parametrize("statistic", [np.var, np.median, lambda rows: float(len(np.unique(rows)))])
def test_the_iterated_bootstrap_against_all_resamples_of_all_resamples(statistic):
    """Five standard errors: false alarm 6e-7 each."""
    x = np.array([1.0, 2.0, 5.0])
    t0, t1, t2 = generations_of(x, statistic, 2)
    table = bn.teaching.iterated_bootstrap(x, statistic, n=2000, rng=3).table().set_index("corrections")
    assert (table["value"][0], table["standard_error"][0]) == (pytest.approx(t0), pytest.approx(0))
    for order, expected in ((1, 2 * t0 - t1), (2, 3 * t0 - 3 * t1 + t2)):
        assert abs(table["value"][order] - expected) < 5 * table["standard_error"][order]


def test_the_iterated_bootstrap_of_a_dataset_stops_and_names_bad_rows(asia):
    whole = bn.teaching.iterated_bootstrap(asia, lambda data: float(data.codes.mean()), 3, 20, rng=2)
    part = bn.teaching.iterated_bootstrap(
        asia, lambda data: float(data.codes.mean()), 3, 20, rng=2, progress=lambda done, n: done < 5
    )
    assert (whole.status, part.status) == ("converged", "stopped")
    assert np.array_equal(part.on_resamples, whole.on_resamples[:5])
    for rows in (np.array(1.0), np.array([])):
        with pytest.raises(ValueError, match="rows must be a Dataset, or an array with at least one row"):
            bn.teaching.iterated_bootstrap(rows, np.var)


def test_two_parents_of_numbers_gain_half_their_coefficients_more_in_resamples():
    """Within 4 standard errors and a twentieth: false alarms of 4 shapes, t with 24 degrees of freedom, 1 in 500."""
    table = bn.teaching.gains_of_numbers(200, rng=5).set_index("shape")
    assert table["coefficients"].tolist() == [2, 2, 2, 8]
    assert (table["expected"] == table["coefficients"] / 2).all()
    assert ((table["excess"] - table["expected"]).abs() < 4 * table["error"] + table["expected"] / 20).all()
    assert (table["error"] < table["expected"] / 5).all()
