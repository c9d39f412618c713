"""Markov equivalence against the enumeration of all graphs."""

import itertools

import numpy as np
import pytest

from bnengine.graphs.dag import cpdag, markov_equivalent, v_structures
from tests import naive
from tests.growth import grows_linearly


def test_v_structures_and_equivalence_against_enumeration():
    dags_ = naive.all_dags(4)
    class_of = {m.tobytes(): k for k, group in enumerate(naive.equivalence_classes(dags_)) for m in group}
    some = dags_[::9]
    for one, other in itertools.combinations(some, 2):
        assert markov_equivalent(one, other) == (class_of[one.tobytes()] == class_of[other.tobytes()])
    collider = np.zeros((3, 3), dtype=bool)
    collider[[0, 2], 1] = True
    assert v_structures(collider) == [(0, 1, 2)]
    collider[0, 2] = True
    assert v_structures(collider) == []


def interventional_classes(n, targets):
    """DAGs with the same skeletons and v-structures, also after the edges into each experiment's variables are cut.

    Hauser & Bühlmann (2012), Theorem 10.
    """
    observational = naive.equivalence_classes(naive.all_dags(n))
    observed = {dag.tobytes(): k for k, group in enumerate(observational) for dag in group}
    classes = {}
    for dag in naive.all_dags(n):
        key = [observed[dag.tobytes()]]
        for variables in targets:
            cut = dag.copy()
            cut[:, list(variables)] = False
            key.append(observed[cut.tobytes()])
        classes.setdefault(tuple(key), []).append(dag)
    return list(classes.values())


@pytest.mark.parametrize("targets", [[[0]], [[], [1, 2]], [[0], [3]], [[0, 1], [1, 2]], [[], [0], [1], [2]]], ids=str)
def test_interventional_cpdag_is_the_union_of_its_class_against_enumeration(targets):
    for group in interventional_classes(4, [[], *targets]):
        union = np.any(group, axis=0)
        for member in group:
            assert (cpdag(member, targets) == union).all()


def test_targets_that_are_no_columns_are_refused():
    with pytest.raises(ValueError, match="targets must be column numbers 0 to 2; got 3"):
        cpdag(np.zeros((3, 3), dtype=bool), [[3]])


def test_a_cpdag_costs_as_much_as_the_graph_has_edges():
    """Meek's rules, applied to whole matrices until nothing changes, take the fourth power along a chain."""

    def work(n):
        adjacency = np.zeros((n, n), dtype=bool)
        adjacency[np.arange(n - 1), np.arange(1, n)] = True
        adjacency[0, 2], adjacency[0, 1] = True, False  # a v-structure at its head directs all of it
        return lambda: cpdag(adjacency)

    assert grows_linearly(lambda n: work(int(n**0.5 * 8)))  # in the entries of the matrix
