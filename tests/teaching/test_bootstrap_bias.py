"""The bias of any statistic, the variance's exactly, and Jensen's inequality."""

import math

import numpy as np
import pytest

import bnengine as bn
from tests import naive


def all_means(rows, statistic):
    return np.mean([statistic(rows[list(drawn)]) for drawn in naive.all_resamples(len(rows))])


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
    assert abs(fast.on_resamples.mean() - exact) < 5 * fast.standard_error


def test_information_of_independent_variables_is_biased_by_the_leading_order_against_theory():
    """The mean over resamples less the data's: (r - 1)(c - 1)/2N, exactly but for the next order."""
    table = np.full((3, 4), 200)  # independent to the last row, so that only resampling makes dependence
    made = bn.teaching.bootstrap_information(table, 4000, rng=6)
    leading = bn.teaching.leading_information_bias(3, 4, 2400)
    assert leading == 6 / 4800
    assert made.bias == pytest.approx(leading, rel=0.02)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: bn.teaching.bootstrap_information([[1.9, 1.1], [1.1, 1.9]]), "whole numbers of rows.* got 1.9"),
        (lambda: bn.teaching.bootstrap_information([[1, 2], [3, math.nan]]), "table must be a table of counts"),
    ],
)
def test_bad_input_is_named(call, text):
    with pytest.raises(ValueError, match=text):
        call()
