"""Training and held-out fit as edges are added; ess against edges; equivalent graphs; traps of greedy search."""

import numpy as np
import pytest

import bnengine as bn
from bnengine.graphs.dag import adjacency_of, cpdag


def test_edges_by_ess_against_learning_with_each(asia):
    table = bn.teaching.graphs_by_ess(asia, [0.1, 1, 100]).table
    for _, line in table.iterrows():
        graph = bn.learn(asia, bn.BDeu(line["ess"]))
        assert (line["edges"], line["log_evidence"]) == (len(graph.edges), graph.score)
    assert table["possible"].tolist() == [28] * 3
    everything = bn.teaching.graphs_by_ess(asia).table
    assert everything["ess"].tolist() == list(bn.teaching.ESS_GRID)
    assert (bn.teaching.ESS_GRID[0], bn.teaching.ESS_GRID[-1]) == (0.1, 100)
    assert everything["edges"].iloc[-1] > 2 * everything["edges"].iloc[0]


def test_a_stopped_series_keeps_the_graphs_that_are_done(asia):
    told = []

    def tell(done, total):
        told.append((done, total))
        return done < 3

    found = bn.teaching.graphs_by_ess(asia, [1.0] * 400, progress=tell)
    assert found.status == "stopped"
    assert 3 <= len(found.table) < 400
    assert set(found.table["edges"]) == {len(found.graphs[1.0].edges)}
    assert told[-1][1] == 400
    assert len(bn.teaching.graphs_by_ess(asia, []).table) == 0


def test_a_v_structure_scores_otherwise_and_k2_even_tells_equivalent_graphs_apart():
    data = bn.load_network("cancer").sample(2000, rng=1)
    table = bn.teaching.equivalence_table(data, ["Pollution", "Cancer", "Smoker"])
    assert abs(table["BDeu(1)"][3] - table["BDeu(1)"][0]) > 1
    assert np.ptp(table["K2"][:3]) > 0.1
    assert np.ptp(table[["BIC", "BDeu(1)"]][:3], axis=0).max() < 1e-5
    assert table["equivalence_class"].tolist() == [1, 1, 1, 2]
    classes = {cpdag(adjacency_of(("X", "Z", "Y"), e)).tobytes() for e in graphs_of_three()}
    assert len(classes) == 2
    with pytest.raises(ValueError, match="three different variables"):
        bn.teaching.equivalence_table(data, ["Cancer", "Cancer"])


def graphs_of_three():
    return [[("X", "Z"), ("Z", "Y")], [("Z", "X"), ("Y", "Z")], [("Z", "X"), ("Z", "Y")], [("X", "Z"), ("Y", "Z")]]


# Training and test log-likelihood against Akaike's theory
