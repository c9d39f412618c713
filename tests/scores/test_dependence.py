"""Conditional independence against SciPy."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import bnengine as bn
from bnengine.scores.dependence import conditional_g_squared
from tests.strategies import make_data


def by_configuration(data, x, y, given):
    """G² and degrees of freedom, summed over the tables without their empty rows and columns."""
    g, freedom = 0.0, 0
    for state in itertools.product(*(range(int(data.arities[z])) for z in given)):
        rows = data.codes[(data.codes[:, list(given)] == state).all(axis=1)]
        table = np.zeros((int(data.arities[x]), int(data.arities[y])))
        np.add.at(table, (rows[:, x], rows[:, y]), 1)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if min(table.shape) > 1:
            found = chi2_contingency(table, correction=False, lambda_="log-likelihood")
            g, freedom = g + found.statistic, freedom + found.dof
    return g, freedom


@pytest.mark.parametrize("given", [(), (2,), (3, 1), (0, 2, 4)])
@pytest.mark.parametrize(("n_rows", "seed"), [(400, 1), (30, 2)])
def test_all_pairs_against_scipy(given, n_rows, seed):
    """Dense and sparse tables, unseen states, repeated rows."""
    data = make_data([3, 2, 4, 2, 3, 5], n_rows, seed, unseen=0.5)
    names = data.names
    for x, y in itertools.permutations(set(range(6)) - set(given), 2):
        g, freedom = conditional_g_squared(data, names[x], names[y], [names[z] for z in given])
        expected = by_configuration(data, x, y, given)
        assert g == pytest.approx(expected[0], abs=1e-9)
        assert freedom == expected[1]


def test_many_conditions_do_not_overflow():
    """Forty columns of ten states have more configurations than an integer counts; every row is alone in its own."""
    rng = np.random.default_rng(0)
    names = tuple(f"v{k}" for k in range(42))
    data = bn.Dataset(names, (tuple("0123456789"),) * 42, rng.integers(0, 10, (50, 42)))
    assert conditional_g_squared(data, "v0", "v1", names[2:]) == (0, 0)


def test_statistics_are_chi_square_of_independent_variables():
    """Mean of 300 statistics on 4 degrees of freedom, given a third variable: beyond 6 standard errors once in 10^9."""
    rng, values = np.random.default_rng(5), []
    for _ in range(300):
        codes = np.column_stack([rng.integers(0, r, 400) for r in (3, 2, 2)])
        data = bn.Dataset(("x", "y", "z"), (tuple("012"), tuple("01"), tuple("01")), codes)
        g, freedom = conditional_g_squared(data, "x", "y", ["z"])
        assert freedom == 4
        values.append(g)
    assert abs(np.mean(values) - 4) < 6 * np.sqrt(8 / 300) + 0.1  # 0.1 for the next order in 1 / N
