"""A learned graph goes from one process to another."""

import pickle

import numpy as np
import pytest

import bnengine as bn


@pytest.mark.parametrize("search", [bn.HillClimbing(), bn.SimulatedAnnealing(), bn.Exact()])
def test_a_learned_graph_can_be_pickled(search):
    found = bn.learn(bn.load_network("cancer").sample(100, rng=1), bn.BIC(), search)
    again = pickle.loads(pickle.dumps(found))
    assert (again.edges, again.score, again.status) == (found.edges, found.score, found.status)
    assert list(again.diagnostics) == list(found.diagnostics)
    np.testing.assert_array_equal(again.trace, found.trace)
