"""The effect of the order in which ties are broken, against learning with each order separately."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.tie_effect import tie_effect
from bnengine.graphs.cpdag import markov_equivalent
from tests.strategies import make_data


def test_tie_effect_against_learning_with_each_order():
    data = bn.load_network("asia").sample(500, rng=1)
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.RepeatedSearch(15), rng=4)
    graphs = list(ensemble.adjacencies)
    different = [g for i, g in enumerate(graphs) if not any((g == before).all() for before in graphs[:i])]
    classes = [g for i, g in enumerate(different) if not any(markov_equivalent(g, before) for before in different[:i])]
    joined = np.array([graph | graph.T for graph in graphs])
    effect = tie_effect(data, bn.BIC(), bn.HillClimbing(), n=15, rng=4)
    assert (effect.n_orders, effect.n_graphs, effect.n_classes) == (15, len(different), len(classes))
    sometimes = np.argwhere(np.triu(joined.any(axis=0) & ~joined.all(axis=0))).tolist()
    assert sorted(effect.unsettled) == sorted(tuple(sorted((data.names[i], data.names[j]))) for i, j in sometimes)
    assert len(different) > 1  # otherwise the test is vacuous


def test_the_two_directions_of_one_edge_are_one_class():
    codes = make_data([2], 60, seed=1).codes[:, [0, 0]]
    effect = tie_effect(bn.Dataset(("b", "a"), (("0", "1"),) * 2, codes), bn.BIC(), bn.HillClimbing(), n=30)
    assert (effect.n_graphs, effect.n_classes, effect.unsettled) == (
        2,
        1,
        (),
    )  # both directions drawn the same 30 times: probability 2^-29


@pytest.mark.parametrize("search", [bn.Exact(max_parents=2), bn.K2(["a", "b", "c"])])
def test_a_unique_optimum_is_the_same_in_any_order(search):
    """Three variables of 3, 2 and 2 states, K2's ordering given: the order of the columns makes no difference."""
    data = make_data([3, 2, 2], 200, seed=5)
    data = bn.Dataset(("a", "b", "c"), data.states, data.codes)
    effect = tie_effect(data, bn.BIC(), search, n=10)
    assert effect.n_classes == 1
    assert effect.unsettled == ()
