"""All graphs, their posterior, and predictions averaged over them, against enumeration by other means."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.graphs.dag import is_dag
from tests import naive_orders


def matrices(n):
    bits = np.arange(n)
    return [((row[None, :] >> bits[:, None]) & 1).astype(bool) for row in bn.teaching.all_dags(n)]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_graphs_against_another_enumeration(n):
    graphs = matrices(n)
    assert all(is_dag(graph) for graph in graphs)
    expected = {naive_orders.matrix_of(row).tobytes() for row in naive_orders.dag_masks(n)}
    assert {graph.tobytes() for graph in graphs} == expected
    assert len(graphs) == len(expected) == bn.teaching.n_dags(n)
