"""What resampling adds to counts and families, against all resamples; and where half of |theta| errs."""

import math

import numpy as np
import pytest

import bnengine as bn
from tests import naive
from tests.strategies import make_data


def x_log_x(n):
    return n * math.log(n) if n else 0.0


def test_the_bias_of_each_count_by_enumeration_of_all_resamples():
    table = bn.teaching.bias_by_count(5)
    assert table["n"].tolist() == list(range(6))
    for n, bias in zip(table["n"], table["bias"], strict=True):
        drawn = [sum(row < n for row in rows) for rows in naive.all_resamples(5)]
        assert bias == pytest.approx(np.mean([x_log_x(k) for k in drawn]) - x_log_x(n), abs=1e-9)


def test_a_count_of_many_rows_adds_half_a_nat_and_none_adds_none_against_theory():
    """(1 - n/N) / 2 to leading order; a single row, Poisson(1) in the limit, 0.5734 (the sum of k ln k / (e k!))."""
    table = bn.teaching.bias_by_count(100_000, 2000)["bias"]
    assert table[0] == 0
    assert table[1] == pytest.approx(sum(x_log_x(k) / math.factorial(k) for k in range(30)) / math.e, rel=1e-4)
    assert table[2000] == pytest.approx((1 - 0.02) / 2, rel=1e-3)
    assert bn.teaching.bias_by_count(7)["bias"].iloc[-1] == 0  # all rows: in every resample, too


@pytest.mark.slow
def test_a_familys_bias_by_enumeration_of_all_resamples():
    data = bn.Dataset(("a", "b"), (("0", "1", "2"), ("0", "1")), np.array([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]]))
    edges = [("a", "b")]
    table, plain = bn.teaching.bias_by_family(data, edges).set_index("variable"), bn.LogLikelihood()
    for child, parents in (("a", []), ("b", ["a"])):
        fit = naive.average_over_resamples(
            5, lambda rows, c=child, p=parents: bn.local_score(data.take(rows), c, p, plain)
        )
        added = fit - bn.local_score(data, child, parents, bn.LogLikelihood())
        assert table["exact"][child] == pytest.approx(added, abs=1e-9)
    assert table["leading"].tolist() == [1.0, 1.5]
    assert table["cells"].tolist() == [3, 6]
    assert table["empty_cells"].tolist() == [1, 3]  # a = 2 is never seen, nor a = 1 with b = 0
    assert table["observed"].tolist() == [0.5, 0.5]


def test_the_formula_overshoots_where_cells_are_empty_and_holds_where_they_are_not():
    asia = bn.load_network("asia")
    table = bn.teaching.bias_by_rows(asia, [50, 200, 20_000], rng=0)
    assert table["leading"].tolist() == [9.0] * 3
    assert (table["exact"] < 7.2).all()  # some of asia's cells are impossible, and empty for ever
    assert (abs(table["exact"] - table["observed"]) < 0.5).all()
    full = make_data([2, 3, 2], 5000, seed=1, dependence=0.2)
    families = bn.teaching.bias_by_family(full, [("v0", "v1"), ("v1", "v2")])
    assert families["empty_cells"].sum() == 0
    assert families["exact"].to_numpy() == pytest.approx(families["leading"].to_numpy(), rel=0.01)


def test_sums_by_rows_are_those_of_the_growing_sample():
    network = bn.load_network("survey")
    table = bn.teaching.bias_by_rows(network, [30, 100], rng=5)
    rows = network.sample(100, 5)
    for line, n in zip(table.itertuples(), (30, 100), strict=True):
        expected = bn.teaching.bias_by_family(rows.take(range(n)), network.edges)
        assert (line.n_rows, line.parameters) == (n, bn.n_parameters(rows, network.edges))
        assert line.exact == pytest.approx(expected["exact"].sum())
        assert line.empty_cells == expected["empty_cells"].sum()


def test_numbers_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match=r"n_rows must be a whole number from 1 to .*; got 0"):
        bn.teaching.bias_by_count(0)
    with pytest.raises(ValueError, match=r"sizes must hold at least one number of rows, each 1 or more; got \[\]"):
        bn.teaching.bias_by_rows(bn.load_network("asia"), [])
