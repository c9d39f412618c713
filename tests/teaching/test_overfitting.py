"""Training and held-out fit as edges are added; ess against edges; equivalent graphs; traps of greedy search."""

import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.graphs.dag import adjacency_of, cpdag
from bnengine.networks.network import family_predictions


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


def test_a_configuration_without_training_rows_makes_no_row_impossible():
    """Parents (0, 1) are never seen together: maximum likelihood knows nothing there, and says uniform, as ``fit``."""
    names, states = ("a", "b", "c"), (("0", "1"),) * 3
    train = bn.Dataset(names, states, np.array([[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 0, 0]]))
    test = bn.Dataset(names, states, np.array([[0, 1, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1], [1, 1, 0]]))
    logs, impossible = family_predictions(train, test, 2, [0, 1], 1.0)
    assert impossible.tolist() == [False, False, False, True, True]
    sharp, smooth = (bn.fit(train, [("a", "c"), ("b", "c")], ess).tables[2] for ess in (None, 1.0))
    cells = test.codes[:, 0] * 2 + test.codes[:, 1], test.codes[:, 2]
    assert (impossible == (sharp[cells] == 0)).all()
    assert logs == pytest.approx(np.log(smooth[cells]), abs=1e-15)


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


# Training and test log-likelihood against Akaike's theory


def fitted_logs(network, data):
    """Log-probability of each row, from the tables."""
    total = np.zeros(data.n_rows)
    for v, parents in enumerate(network.parents):
        number = np.zeros(data.n_rows, dtype=int)
        for p in parents:
            number = number * len(network.states[p]) + data.codes[:, p]
        total += np.log(network.tables[v][number, data.codes[:, v]])
    return total


def test_one_data_set_against_fit_and_fresh_rows():
    """Training exactly; the exact test value within 5 standard errors of 200,000 fresh rows (false alarm 6e-7)."""
    truth = bn.load_network("survey")
    made = bn.teaching.likelihood_gap(truth, [300], n_repeats=2, n_resamples=1, ess=2.0, rng=3)
    first = np.random.default_rng(3).spawn(2)[0]
    data = truth.sample(300, first)
    network = bn.fit(data, truth.edges, ess=2.0)
    line = made.samples.iloc[0]
    assert line["training"] == pytest.approx((fitted_logs(network, data) - fitted_logs(truth, data)).mean())
    fresh = truth.sample(200_000, rng=9)
    difference = fitted_logs(network, fresh) - fitted_logs(truth, fresh)
    assert abs(line["test"] - difference.mean()) < 5 * difference.std() / math.sqrt(200_000)


@pytest.mark.parametrize("name", ["survey", "asia"])
def test_half_of_the_parameters_on_each_side_against_theory(name):
    """Akaike: ±|theta|/2N; asia's "either" is a function of its parents, whose 4 parameters cannot vary.

    False-alarm rate 6e-7 each, at 5 standard errors; 5 % are left for the next order and for the prior.
    """
    truth = bn.load_network(name)
    made = bn.teaching.likelihood_gap(truth, [5000], n_repeats=200, n_resamples=5, ess=0.5, rng=4)
    assert made.n_parameters == truth.n_parameters == {"survey": 21, "asia": 18}[name]
    assert made.n_varying == {"survey": 21, "asia": 14}[name]
    line = made.table().iloc[0]
    half = made.n_varying / 2 / 5000
    assert line["varying_half"] == half
    for column, expected in (
        ("training", half),
        ("test", -half),
        ("gap", 2 * half),
        ("bootstrap_training", half),
        ("bootstrap_test", -half),
        ("bootstrap_gap", 2 * half),
    ):
        assert abs(line[column] - expected) < 5 * line[f"{column}_error"] + 0.05 * abs(expected), column
    assert line["parameters_over_rows"] == truth.n_parameters / 5000
    assert line["half"] == line["parameters_over_rows"] / 2
    assert line["gap_in_parameters"] == pytest.approx(line["gap"] * 5000)


def test_stopping_keeps_what_is_done():
    made = bn.teaching.likelihood_gap(bn.load_network("cancer"), [10, 20], 5, 1, progress=lambda done, total: done < 7)
    assert (len(made.samples), made.status) == (7, "stopped")
    assert made.table()["n_rows"].tolist() == [10, 20]


@pytest.mark.parametrize(
    "settings", [{"sizes": []}, {"sizes": [0]}, {"n_repeats": 1}, {"n_resamples": 0}, {"ess": 0.0}, {"ess": math.nan}]
)
def test_bad_input_is_named(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        bn.teaching.likelihood_gap(bn.load_network("cancer"), **({"sizes": [10]} | settings))


def test_the_errors_are_those_of_means_of_independent_data_sets():
    made = bn.teaching.likelihood_gap(bn.load_network("cancer"), [20, 50], n_repeats=6, n_resamples=2, rng=2)
    table = made.table().set_index("n_rows")
    for size, rows in made.samples.groupby("n_rows"):
        gap, bootstrap_gap = rows["training"] - rows["test"], rows["bootstrap_training"] - rows["bootstrap_test"]
        columns = {name: rows[name] for name in ("training", "test", "bootstrap_training", "bootstrap_test")}
        for name, values in (columns | {"gap": gap, "bootstrap_gap": bootstrap_gap}).items():
            error = math.sqrt(sum((values - values.mean()) ** 2) / (6 - 1) / 6)
            assert table.loc[size, name] == pytest.approx(values.mean())
            assert table.loc[size, f"{name}_error"] == pytest.approx(error), name
        assert table.loc[size, "gap_in_parameters_error"] == pytest.approx(table.loc[size, "gap_error"] * size)
