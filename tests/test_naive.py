"""The oracles themselves, against numbers anyone can look up or work out by hand."""

import itertools
import math

import pytest

import bnengine as bn
from tests import naive


@pytest.mark.parametrize(("n", "number"), [(1, 1), (2, 3), (3, 25), (4, 543)])
def test_number_of_dags_against_robinson(n, number):
    assert len(naive.all_dags(n)) == number


def test_number_of_labelled_trees_against_cayley():
    trees = {frozenset(frozenset(edge) for edge in tree) for tree in naive.labelled_trees(5)}
    assert len(trees) == 5**3
    assert all(len(tree) == 4 for tree in trees)


def test_regret_against_its_definition_by_hand():
    # two rows, two states: tables (2, 0), (0, 2) have likelihood 1, the two orders of (1, 1) have 1/4 each
    assert naive.regret(2, 2) == pytest.approx(2.5, abs=1e-12)
    assert naive.regret(1, 7) == pytest.approx(7, abs=1e-12)
    # three rows, three states: 3 of likelihood 1, 18 orders of 2 + 1 with 4/27, 6 orders of 1 + 1 + 1 with 1/27
    assert naive.regret(3, 3) == pytest.approx(3 + 18 * 4 / 27 + 6 / 27, abs=1e-12)


def test_marginal_likelihood_is_a_distribution_over_tables_against_theory():
    """Predictive probabilities of the sequences of three rows of two states sum to 1."""
    total = 0.0
    for rows in itertools.product(range(2), repeat=3):
        data = bn.Dataset(("x",), (("a", "b"),), [[code] for code in rows])
        total += math.exp(naive.bdeu(data, 0, [], 1.7))
    assert total == pytest.approx(1, abs=1e-12)
