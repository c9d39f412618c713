"""The iterated bootstrap against all resamples of all resamples, and against the exact forms."""

import math

import numpy as np
import pytest

import bnengine as bn
from tests import naive


def generations_of(rows, statistic, n):
    """T(D) and the mean over all resamples, over all resamples of all resamples, …"""
    means, lines = [float(statistic(rows))], [rows]
    for _ in range(n):
        lines = [line[list(drawn)] for line in lines for drawn in naive.all_resamples(len(line))]
        means.append(float(np.mean([statistic(line) for line in lines])))
    return means


@pytest.mark.slow
@pytest.mark.parametrize("rows", [[1.0, 2.0, 5.0], [0.0, 4.0, 4.0]])
def test_any_statistic_against_all_resamples_of_all_resamples(rows):
    """False-alarm rate 6e-7 each, at 5 standard errors; the seed is fixed."""
    x = np.array(rows)
    for statistic in (np.var, np.median, lambda r: float(len(np.unique(r)))):
        t0, t1, t2 = generations_of(x, statistic, 2)
        made = bn.teaching.iterated_bootstrap(x, statistic, 2, 4000, rng=3)
        assert made.corrected(0) == made.value == pytest.approx(t0)
        assert made.standard_error(0) == 0
        for order, expected in ((1, 2 * t0 - t1), (2, 3 * t0 - 3 * t1 + t2)):
            assert abs(made.corrected(order) - expected) < 5 * made.standard_error(order)


def test_the_exact_variance_against_all_generations():
    x = np.array([1.0, 2.0, 4.0])
    t0, t1, t2 = generations_of(x, np.var, 2)
    assert bn.teaching.corrected_variance(x, 0) == pytest.approx(t0)
    assert (
        bn.teaching.corrected_variance(x, 1)
        == pytest.approx(2 * t0 - t1)
        == pytest.approx(bn.teaching.variance_bias(x).corrected)
    )
    assert bn.teaching.corrected_variance(x, 2) == pytest.approx(3 * t0 - 3 * t1 + t2)
    assert bn.teaching.corrected_variance(x, 10) == pytest.approx(x.var(ddof=1), rel=1e-4)


def test_the_exact_information_against_all_generations():
    rows = np.array([[0, 0], [0, 1], [1, 1]])

    def information(drawn):
        table = np.zeros((2, 2))
        np.add.at(table, (drawn[:, 0], drawn[:, 1]), 1)
        return bn.teaching.mutual_information(table)

    t0, t1, t2 = generations_of(rows, information, 2)
    table = [[1, 1], [0, 1]]
    assert bn.teaching.corrected_information(table, 0) == pytest.approx(t0)
    assert bn.teaching.corrected_information(table, 1) == pytest.approx(2 * t0 - t1)
    assert bn.teaching.corrected_information(table, 1) == pytest.approx(
        bn.teaching.bootstrap_information(table, 1).corrected
    )
    assert bn.teaching.corrected_information(table, 2) == pytest.approx(3 * t0 - 3 * t1 + t2)


def test_a_statistic_of_a_dataset(asia):
    made = bn.teaching.iterated_bootstrap(asia, lambda data: float(data.states == asia.states) * data.n_rows, 2, 5)
    assert made.means.tolist() == [asia.n_rows] * 3


def test_table_and_stopping():
    x = np.random.default_rng(0).standard_normal(20)
    whole = bn.teaching.iterated_bootstrap(x, np.var, 3, 50, rng=2)
    table = whole.table()
    assert table["estimate"].tolist() == ["plug-in", "corrected", "corrected twice", "corrected 3 times"]
    assert table["value"].tolist() == [whole.corrected(k) for k in range(4)]
    heard = []

    def tell(done, total):
        heard.append((done, total))
        return done < 10

    part = bn.teaching.iterated_bootstrap(x, np.var, 3, 50, rng=2, progress=tell)
    assert (part.status, whole.status, part.n_planned) == ("stopped", "converged", 50)
    assert np.array_equal(part.on_resamples, whole.on_resamples[:10])
    assert heard == [(k, 50) for k in range(11)]
    none = bn.teaching.iterated_bootstrap(x, np.var, 2, 50, rng=2, progress=lambda done, total: False)
    assert none.value == x.var()
    assert math.isnan(none.corrected(1))
    with pytest.raises(ValueError, match="read-only"):
        whole.on_resamples[0, 0] = 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: bn.teaching.iterated_bootstrap(np.array([1.0]), np.var, n=0), "n must be a whole number from 1"),
        (
            lambda: bn.teaching.iterated_bootstrap(np.array([1.0]), np.var, 0),
            "generations must be a whole number from 1",
        ),
        (
            lambda: bn.teaching.iterated_bootstrap(np.array([1.0]), np.var, 11),
            "generations must be a whole .* from 1 to 10",
        ),
        (lambda: bn.teaching.iterated_bootstrap(np.array(1.0), np.var), "rows must be a Dataset"),
        (lambda: bn.teaching.iterated_bootstrap(np.array([]), np.var), "n_rows must be 1 or more"),
        (lambda: bn.teaching.iterated_bootstrap(np.array([1.0, 2.0]), lambda rows: math.nan), "finite number"),
        (
            lambda: bn.teaching.iterated_bootstrap(np.array([1.0, 2.0]), np.var, n=2).corrected(3),
            r"order must be from 0 .*, 2; got",
        ),
        (lambda: bn.teaching.corrected_variance([1.0, 2.0], 11), "order"),
        (lambda: bn.teaching.corrected_variance([1.0], 1), "at least two"),
        (lambda: bn.teaching.corrected_information([1, 2], 1), "table must have one line per state"),
        (lambda: bn.teaching.corrected_information([[1, 2], [0.5, 1]], 1), "whole numbers"),
    ],
)
def test_bad_input_is_named(call, text):
    with pytest.raises(ValueError, match=text):
        call()
