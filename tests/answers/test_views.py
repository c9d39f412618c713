"""A view's edges, as a file of a network holds them."""

import pytest

import bnengine as bn
from bnengine.answers.views import learned_view, threshold_view, verdict_view
from bnengine.graphs.dag import adjacency_of, is_dag


@pytest.mark.parametrize("threshold", [None, 0.5, 0.02])
def test_the_edges_of_a_view_join_its_pairs_without_a_cycle(threshold):
    data = bn.load_network("asia").sample(300, rng=1)
    methods = bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected"))
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), methods, rng=0)
    found = bn.verdict(study, data=data)
    view = verdict_view(found) if threshold is None else threshold_view(found, threshold)
    table = view.table()
    assert {frozenset(edge) for edge in view.edges} == {
        frozenset(pair) for pair in zip(table["parent"], table["child"], strict=True)
    }
    assert is_dag(adjacency_of(data.names, view.edges))
    assert set(learned_view(found, study.reference).edges) == set(study.reference.edges)
