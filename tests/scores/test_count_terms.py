"""The multinomial regret against its definition, its recurrence and its asymptotic form."""

import itertools
import math

import pytest

from bnengine.scores._count_terms import (
    LARGEST_EXACT,
    asymptotic_log_regret,
    log_regret,
    log_regret_of_two,
    log_regrets,
)
from tests import naive


def regret_by_enumeration(n, states):
    """The largest likelihood a multinomial gives each table of n rows, summed over all states ** n tables."""
    return math.fsum(
        math.prod((rows.count(state) / n) ** rows.count(state) for state in set(rows))
        for rows in itertools.product(range(states), repeat=n)
    )


def exact_by_recurrence(n, largest):
    """{states: ln C(n, states)} up to ``largest``, beyond where the engine is exact."""
    exact = {1: 0.0, 2: math.log(naive.regret(n, 2))}
    for k in range(3, largest + 1):
        exact[k] = exact[k - 1] + math.log1p(n / (k - 2) * math.exp(exact[k - 2] - exact[k - 1]))
    return exact


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_regret_against_enumeration_of_all_tables(n, states):
    assert log_regret(n, float(states)) == pytest.approx(math.log(regret_by_enumeration(n, states)), abs=1e-12)


@pytest.mark.parametrize("states", [1, 2, 3, 17, LARGEST_EXACT, LARGEST_EXACT + 1, 10**6])
def test_one_row_has_the_regret_of_its_states_against_theory(states):
    """Each of the K tables of one row has likelihood 1."""
    assert log_regret(1, float(states)) == pytest.approx(math.log(states), abs=1e-6)


def test_no_rows_and_single_states_have_no_regret_against_theory():
    assert log_regret(0, 5.0) == log_regret_of_two(0) == log_regret(0, 10.0**6) == 0.0
    assert log_regret(17, 1.0) == 0.0
    assert (log_regrets(0) == 0).all()


@pytest.mark.parametrize("n", [1, 2, 31, 500, 20_000])
def test_table_of_regrets_is_the_regrets_invariant(n):
    table = log_regrets(n)
    assert len(table) == LARGEST_EXACT + 1
    for k in [1, 2, 3, 4, 10, 100, 1001, LARGEST_EXACT]:
        assert table[k] == pytest.approx(log_regret(n, float(k)), abs=1e-9, rel=1e-12)
    assert (table[2:] > table[1:-1]).all()


@pytest.mark.parametrize("n", [1, 10, 100, 1000])
def test_asymptotic_form_closes_in_on_the_exact_one_against_recurrence(n):
    """The error at least halves with each doubling of K: it is a fraction of 1 / K."""
    exact = exact_by_recurrence(n, 16 * LARGEST_EXACT)
    places = [LARGEST_EXACT << doublings for doublings in range(5)]
    errors = [abs(asymptotic_log_regret(n, float(k)) - exact[k]) for k in places]
    assert errors[0] < 1e-4
    assert all(after < 0.55 * before for before, after in itertools.pairwise(errors))
    for k in (LARGEST_EXACT + 1, 2 * LARGEST_EXACT):
        assert log_regret(n, float(k)) == pytest.approx(exact[k], abs=1e-4)
