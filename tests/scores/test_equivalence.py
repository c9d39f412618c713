"""Equivalence classes against the union of their members; distances between graphs."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from tests import naive, naive_orders
from tests.strategies import dags


def classes(n):
    """[(members, union of the members)] of all DAGs on n variables; members share skeleton and v-structures."""
    made = naive.equivalence_classes([naive_orders.matrix_of(row) for row in naive_orders.dag_masks(n)])
    return [(members, np.logical_or.reduce(members)) for members in made]


@pytest.mark.parametrize(("n", "n_classes"), [(1, 1), (2, 2), (3, 11), (4, 185)])
def test_class_is_the_union_of_its_members_against_enumeration(n, n_classes):
    """Compelled if and only if all members agree on the direction; the counts are Gillispie & Perlman's (2001)."""
    everything = classes(n)
    assert len(everything) == n_classes
    assert sum(len(members) for members, _ in everything) == bn.teaching.n_dags(n)
    for members, union in everything:
        agreed = np.logical_and.reduce(members)
        for member in members:
            found = bn.cpdag(member)
            assert (found == union).all()
            assert ((found & ~found.T) == agreed).all()


# Distances


def graphs(n):
    """DAGs and their classes."""
    return st.one_of(dags(n), dags(n).map(bn.cpdag))


@given(graphs(6), graphs(6))
def test_structural_hamming_distance_against_a_loop(one, other):
    pairs = itertools.combinations(range(6), 2)
    expected = sum((one[i, j], one[j, i]) != (other[i, j], other[j, i]) for i, j in pairs)
    assert bn.shd(one, other) == expected
    assert isinstance(bn.shd(one, other), int)
