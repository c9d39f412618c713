"""The jackknife's inflation against enumeration and theory, and standard errors against fresh samples."""

import itertools
import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.teaching.resampling_errors import (
    BOOTSTRAP,
    DELETE_1,
    DELETE_D,
    FRESH,
    inflation,
)

X = np.array([1.0, 2.0, 4.0, 7.0, 7.0, 11.0])


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_error_of_a_mean_is_exact_for_every_d_by_enumeration(d):
    """Over all subsets of N - d rows the inflated spread of the mean is s / sqrt N, whatever d."""
    means = [np.mean(kept) for kept in itertools.combinations(X, X.size - d)]
    assert bn.teaching.jackknife_error(means, X.size, d) == pytest.approx(X.std(ddof=1) / math.sqrt(X.size))


def test_equal_replicates_may_be_given_once():
    without_each = (X.sum() - X) / (X.size - 1)
    values, times = np.unique(without_each, return_counts=True)
    assert values.size < X.size
    expected = bn.teaching.jackknife_error(without_each, X.size)
    assert bn.teaching.jackknife_error(values, X.size, multiplicities=times) == pytest.approx(expected)


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


def test_numbers_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="d must be from 1 to one less than the number of rows, 6; got 6"):
        inflation(6, 6)
    with pytest.raises(ValueError, match="finite numbers"):
        bn.teaching.jackknife_error([1.0, math.nan], 5)
    with pytest.raises(ValueError, match="multiplicities must be positive, one for each value"):
        bn.teaching.jackknife_error([1.0, 2.0], 5, multiplicities=[1])
    with pytest.raises(ValueError, match="n must be a whole number from 2"):
        bn.teaching.resampling_errors(bn.load_network("asia"), 50, entropy_of_the_first, n=1)
