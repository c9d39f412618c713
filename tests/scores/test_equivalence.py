"""Equivalence classes against the union of their members; distances between graphs."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.graphs.dag import is_dag
from tests import naive, naive_orders
from tests.strategies import dags, make_data


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


@given(dags(7), st.data())
def test_turning_a_covered_edge_stays_in_the_class_against_theory(dag, draws):
    """Chickering (1995): an edge is covered if its ends have the same other parents; turning it changes no class."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(dag)]
    covered = [(i, j) for i, j in edges if set(naive.parents_in(dag, j)) == {*naive.parents_in(dag, i), i}]
    if not covered:
        return
    i, j = draws.draw(st.sampled_from(covered))
    turned = dag.copy()
    turned[i, j], turned[j, i] = False, True
    assert is_dag(turned)
    assert (bn.cpdag(turned) == bn.cpdag(dag)).all()
    assert bn.cpdag(dag)[i, j]
    assert bn.cpdag(dag)[j, i]


# Distances


def graphs(n):
    """DAGs and their classes."""
    return st.one_of(dags(n), dags(n).map(bn.cpdag))


@given(graphs(5), graphs(5), graphs(5))
def test_structural_hamming_distance_is_a_metric_invariant(one, other, third):
    assert bn.shd(one, one) == 0
    assert (bn.shd(one, other) == 0) == (one == other).all()
    assert bn.shd(one, other) == bn.shd(other, one)
    assert bn.shd(one, third) <= bn.shd(one, other) + bn.shd(other, third)


@given(graphs(6), graphs(6))
def test_structural_hamming_distance_against_a_loop(one, other):
    pairs = itertools.combinations(range(6), 2)
    expected = sum((one[i, j], one[j, i]) != (other[i, j], other[j, i]) for i, j in pairs)
    assert bn.shd(one, other) == expected
    assert isinstance(bn.shd(one, other), int)


# Confidence in directions


@pytest.mark.parametrize("resampler", [bn.Bootstrap(60), bn.Jackknife(), bn.DeleteD(9, 40)], ids=lambda r: r.name)
def test_compelled_and_reversible_confidence_against_a_loop(resampler):
    """The class of each graph by enumeration; equal replicates of the jackknife count as often as they occur."""
    data = make_data([2, 3, 2, 2], 45, seed=3, dependence=0.5)
    ensemble = bn.resample(data, bn.BDeu(5), bn.HillClimbing(), resampler, rng=2)
    union_of = {member.tobytes(): union for members, union in classes(4) for member in members}
    compelled, reversible, total = np.zeros((4, 4)), np.zeros((4, 4)), 0
    for graph, times in zip(ensemble.adjacencies, ensemble.multiplicities.tolist(), strict=True):
        union = union_of[graph.tobytes()]
        total += times
        for i, j in itertools.permutations(range(4), 2):
            if union[i, j] and union[j, i]:
                reversible[i, j] += times
            elif union[i, j]:
                compelled[i, j] += times
    assert total == (45 if isinstance(resampler, bn.Jackknife) else resampler.n)
    assert ensemble.compelled_confidence == pytest.approx(compelled / total, abs=1e-12)
    assert compelled.max() > 0
    assert reversible.max() > 0
    together = ensemble.compelled_confidence + ensemble.compelled_confidence.T + reversible / total
    assert together == pytest.approx(ensemble.adjacency_confidence, abs=1e-12)
