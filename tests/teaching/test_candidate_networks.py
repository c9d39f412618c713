"""Candidate networks, copies of the data, equivalent graphs, series by ess, and the numbers that the lecture prints."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnengine as bn
from bnengine.graphs.dag import adjacency_of, cpdag
from bnengine.scores.local_score import LocalScores
from tests.strategies import dags, datasets, make_data, named


def test_candidates_are_what_each_search_finds_and_none_beats_exact():
    network = bn.load_network("asia")
    data = network.sample(400, rng=5)
    found = bn.teaching.candidate_networks(data, network)
    assert found["hill climbing"] == bn.learn(data, search=bn.HillClimbing()).edges
    assert found["Chow–Liu tree"] == bn.learn(data, search=bn.ChowLiu()).edges
    assert found["K2, column order"] == bn.learn(data, search=bn.K2()).edges
    assert found["true network"] == network.edges
    assert found["empty"] == []
    table = bn.teaching.description_lengths(data, found)
    best = table.set_index("network")["above_best_bits"]
    assert best["exact"] == pytest.approx(0, abs=1e-9)
    for name, edges in found.items():
        line = table.set_index("network").loc[name]
        assert line["mdl_bits"] == pytest.approx(bn.mdl(data, edges).mdl)
        assert line["mdl_bits"] == pytest.approx(-bn.score(data, edges, bn.BIC()) / math.log(2))
        assert line["edges"] == len(edges)


@pytest.mark.slow
@settings(max_examples=30)
@given(datasets(min_variables=3, max_variables=3, max_rows=30), dags(3), st.integers(1, 9))
def test_copies_against_copying(data, dag, times):
    networks = {"empty": [], "drawn": named(data, dag)}
    found = bn.teaching.compare_copies(data, networks, most=9)
    more = bn.teaching.replicate_rows(data, times)
    assert more.n_rows == times * data.n_rows
    assert found.table()["copies"].tolist() == list(range(1, 10))
    for name, edges in networks.items():
        column = found.table()[name][times - 1]
        length, line = bn.mdl(more, edges), found.at(times).set_index("network").loc[name]
        assert column == line["mdl_bits"] == pytest.approx(length.mdl, abs=1e-7)
        assert line["size_bits"] == pytest.approx(length.size_bits)
        assert line["misfit_bits"] == pytest.approx(-length.log2_likelihood, abs=1e-7)
        fitted, copied = bn.fit(data, edges), bn.fit(more, edges)
        for one, other in zip(fitted.tables, copied.tables, strict=True):
            assert np.allclose(one, other, atol=1e-12)  # distribution and parameters stay


@pytest.mark.slow
@given(datasets(min_variables=3, max_variables=3, max_rows=40), dags(3), dags(3))
def test_preference_changes_exactly_where_it_says(data, one, other):
    found = bn.teaching.compare_copies(data, {"one": named(data, one), "other": named(data, other)}, most=300)
    assert found.preferred[0][0] == 1
    starts = dict(found.preferred)
    preferred = ""
    for k in range(1, 301):
        preferred = starts.get(k, preferred)
        bits = dict(zip(found.networks, found.mdl_bits[:, k - 1], strict=True))
        assert bits[preferred] <= min(bits.values()) + 1e-8 * data.n_rows * k


def test_the_most_dependent_variables_hang_together():
    data = bn.Dataset.from_frame(bn.load_sample("alarm_1000"))
    information = bn.teaching.mutual_informations(data)
    pair = bn.teaching.most_dependent(data, 2)
    assert information[data.index(pair[0]), data.index(pair[1])] == information.max()
    for n in (3, 4, 6):
        chosen = bn.teaching.most_dependent(data, n)
        assert len(chosen) == n
        assert set(bn.teaching.most_dependent(data, n - 1)) < set(chosen)
        assert chosen == sorted(chosen, key=data.index)
    small = data.select(data.names[:2])
    assert bn.teaching.most_dependent(small, 4) == list(small.names)
    with pytest.raises(ValueError, match="n_variables must be a whole number from 1"):
        bn.teaching.most_dependent(data, 0)


# The walked tree: every network was entered from one visited before it with an edge less


SEARCHES = [
    bn.TreeSearch(),
    bn.TreeSearch(only_improving=False, beam=None),
    bn.TreeSearch(only_improving=True, dependent_share=0.5, beam=None),
    bn.TreeSearch(only_improving=False, beam=1),
]


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_each_network_is_its_predecessor_with_one_edge_more(search):
    data = make_data([2, 3, 2], 90, seed=4)
    walk = bn.teaching.walk_tree(data, search)
    visited = search.visit(LocalScores(data, bn.BIC()), bn.Constraints().resolve(data.names))[0]
    assert [graph.tobytes() for graph in walk.graphs] == [graph.tobytes() for graph, _ in visited]
    assert (walk.came_from[0], walk.depths[0]) == (-1, 0)
    for k in range(1, walk.n_visited):
        before = int(walk.came_from[k])
        assert 0 <= before < k
        assert len(set(walk.edges(k)) - set(walk.edges(before))) == 1
        assert walk.depths[k] == len(walk.edges(k)) == walk.depths[before] + 1
    for k in range(walk.n_visited):
        assert walk.scores[k] == pytest.approx(bn.score(data, walk.edges(k), bn.BIC()), abs=1e-8)
        assert walk.mdl_bits[k] == pytest.approx(bn.mdl(data, walk.edges(k)).mdl, abs=1e-8)
    if search.only_improving:
        assert (walk.scores[1:] > walk.scores[walk.came_from[1:]]).all()
    assert walk.scores[walk.best] == walk.scores.max()


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
    graphs = bn.teaching.small_graphs(["X", "Z", "Y"]).values()
    assert len({cpdag(adjacency_of(("X", "Z", "Y"), edges)).tobytes() for edges in graphs}) == 2
    with pytest.raises(ValueError, match="three different variables"):
        bn.teaching.equivalence_table(data, ["Cancer", "Cancer"])


CONNECTED, INDEPENDENT = [("X", "Y")], []


def test_the_bundled_rows_are_the_notes_rows():
    four = [("x1", "y1"), ("x2", "y1"), ("x2", "y2"), ("x2", "y2")]
    more = [("x2", "y2"), ("x1", "y1"), ("x1", "y1"), ("x2", "y2")]
    assert [tuple(row) for row in bn.load_sample("lecture_4").to_numpy()] == four
    assert [tuple(row) for row in bn.load_sample("lecture_8").to_numpy()] == four + more


@pytest.mark.parametrize(
    ("n_rows", "edges", "likelihood", "log2", "parameters", "size", "mdl"),
    [
        (4, CONNECTED, "0.0156", "-6.00", 3, 3.0, None),
        (4, INDEPENDENT, "0.0066", "-7.24", 2, 2.0, None),
        (8, CONNECTED, None, "-11.25", 3, 4.5, "15.75"),
        (8, INDEPENDENT, None, "-15.6", 2, 3.0, "18.6"),
    ],
)
def test_numbers_as_printed(n_rows, edges, likelihood, log2, parameters, size, mdl):
    data = bn.Dataset.from_frame(bn.load_sample(f"lecture_{n_rows}"))
    logs = bn.prediction.log_probabilities(bn.fit(data, edges), data)
    length = bn.mdl(data, edges)

    def printed(value, like):
        """Rounded, or cut off: the notes cut -7.2451 to -7.24."""
        digits = 10.0 ** len(like.partition(".")[2])
        return float(like) in (round(value * digits) / digits, math.trunc(value * digits) / digits)

    if likelihood is not None:
        assert printed(math.exp(logs.sum()), likelihood)
    assert printed(length.log2_likelihood, log2)
    assert length.parameters == parameters
    assert length.size_bits == pytest.approx(size, abs=1e-12)
    if mdl is not None:
        assert printed(length.mdl, mdl)
    assert length.mdl == pytest.approx(size - logs.sum() / math.log(2), abs=1e-12)
