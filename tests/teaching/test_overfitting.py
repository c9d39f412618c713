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
    with pytest.raises(ValueError, match="two or three different variables"):
        bn.teaching.equivalence_table(data, ["Cancer", "Cancer"])


def graphs_of_three():
    return [[("X", "Z"), ("Z", "Y")], [("Z", "X"), ("Y", "Z")], [("Z", "X"), ("Z", "Y")], [("X", "Z"), ("Y", "Z")]]


@pytest.mark.parametrize("seed", range(2))
def test_parity_traps_greedy_search_and_lets_the_others_out(seed):
    data = bn.teaching.parity_sample(500, 0.1, rng=seed)
    found = bn.teaching.compare_with_greedy(data)
    greedy, tabu, restarts = found.graphs.values()
    assert found.stuck
    assert greedy.edges == []
    assert tabu.adjacency.sum(axis=0).max() == 2  # any of the three may be called the parity of the other two
    assert tabu.score == pytest.approx(restarts.score) == pytest.approx(bn.learn(data, search=bn.Exact()).score)
    assert list(found.behind.values())[1:] == pytest.approx([0, 0], abs=1e-6)
    assert next(iter(found.behind.values())) == pytest.approx(tabu.score - greedy.score)
    assert all(change.gain <= 1e-6 for change in bn.teaching.single_changes(data, []))


def test_without_noise_the_parity_is_the_parity():
    codes = bn.teaching.parity_sample(200, 0.0, n_causes=3, rng=1).codes
    assert (codes[:, :3].sum(axis=1) % 2 == codes[:, 3]).all()
    with pytest.raises(ValueError, match=r"noise must be a number from 0 to 0\.5"):
        bn.teaching.parity_sample(10, 0.7)


def test_a_trap_that_is_found_is_one_and_the_seeds_before_are_none():
    network = bn.load_network("asia")
    seed = bn.teaching.find_trap(network, 200)
    assert seed is not None
    for s in range(seed + 1):
        found = bn.teaching.compare_with_greedy(network.sample(200, s))
        greedy, *others = (graph.score for graph in found.graphs.values())
        assert (min(others) >= greedy + 0.1) == (s == seed)
    assert found.stuck
    assert bn.teaching.find_trap(bn.load_network("cancer"), 500, tries=1) is None


def test_the_level_neighbours_are_those_that_neither_gain_nor_lose():
    """Greedy search stops where nothing gains, so that all its neighbours lose or are level; here some of each."""
    data = bn.load_network("cancer").sample(1000, rng=1)
    found = bn.teaching.compare_with_greedy(data)
    edges = next(iter(found.graphs.values())).edges
    before = bn.score(data, edges, bn.BIC())
    after = [
        bn.score(data, bn.teaching.change_edge(data.names, edges, c.kind, c.parent, c.child), bn.BIC())
        for c in bn.teaching.single_changes(data, edges)
    ]
    assert found.neighbours == len(after)
    assert found.level == sum(abs(value - before) <= 1e-6 for value in after)  # equivalent graphs: an edge turned round
    assert 0 < found.level < found.neighbours


def test_a_trap_needs_rivals(asia):
    with pytest.raises(ValueError, match="at least one other; got 1"):
        bn.teaching.find_trap(bn.load_network("cancer"), 100, searches=(bn.HillClimbing(),))
    with pytest.raises(ValueError, match="searches must hold at least one"):
        bn.teaching.compare_with_greedy(asia, searches=())
