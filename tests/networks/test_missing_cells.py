"""Missing cells drawn given the seen ones, and rows drawn again, against the joint distribution."""

import gc
import itertools
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import bnengine as bn
from bnengine.data.checked_frame import MISSING
from bnengine.data.interventions import Experiments
from bnengine.networks.inference import posterior_network, sample_again, under_experiment
from tests.naive import joint_of
from tests.networks.test_inference import networks
from tests.strategies import make_data, own_rows, with_experiments, with_holes, with_variables_in

#: Each comparison of frequencies is made with a fixed seed; another one would fail wrongly with this probability.
FALSE_ALARM = 1e-6


def completed(network, codes, missing, seed, was_set=()):
    """Rows of the network's variables, some of them set by an experiment, with their missing cells drawn."""
    experiments = Experiments((was_set,), np.zeros(len(codes), dtype=int)) if was_set else None
    data = bn.Dataset(network.names, network.states, np.where(missing, MISSING, codes), experiments)
    return bn.prediction.draw_missing(network, data, seed).codes


def drawn(network, row, absent, n, seed, was_set=()):
    """Complete n copies of one row."""
    return completed(network, np.tile(row, (n, 1)), np.isin(np.arange(len(row)), list(absent)), seed, was_set)


def check_frequencies(codes, expected):
    """Chi-square of the rows against {row: expected count}; rare rows are pooled until 5 are expected."""
    found = dict.fromkeys(expected, 0)
    for row in map(tuple, codes.tolist()):
        assert expected.get(row, 0) > 0, f"{row} is impossible"
        found[row] += 1
    pooled, pool = [], [0.0, 0.0]
    for row in sorted(expected, key=expected.__getitem__):
        pool = [pool[0] + expected[row], pool[1] + found[row]]
        if pool[0] >= 5:
            pooled.append(pool)
            pool = [0.0, 0.0]
    if pool[0] and pooled:
        pooled[-1] = [pooled[-1][0] + pool[0], pooled[-1][1] + pool[1]]
    distance = sum((n - mean) ** 2 / mean for mean, n in pooled)
    if len(pooled) > 1:
        assert distance < chi2.isf(FALSE_ALARM, len(pooled) - 1)


@pytest.mark.slow
@settings(max_examples=100)
@given(networks(), st.data())
def test_frequencies_against_all_completions(network, data):
    absent = sorted(data.draw(st.sets(st.integers(0, 4), min_size=1)))
    row = [data.draw(st.integers(0, len(states) - 1)) for states in network.states]
    seen = [v for v in range(5) if v not in absent]
    chances = {full: p for full, p in joint_of(network).items() if p > 0 and all(full[v] == row[v] for v in seen)}
    total, n = sum(chances.values()), 2000
    if total == 0:
        return
    made = drawn(network, row, absent, n, 1)
    check_frequencies(made, {full: n * p / total for full, p in chances.items()})


def test_holes_anywhere_in_many_rows_against_all_completions():
    """Rows with patterns of their own: the pairs of row pattern and completion, ASIA, 20,000 rows."""
    network, n = bn.load_network("asia"), 20_000
    full = network.sample(n, rng=1).codes
    missing = np.random.default_rng(2).random(full.shape) < 0.3
    made = completed(network, full, missing, 3)
    assert (made == full)[~missing].all()
    # holes that depend on nothing, filled from the true network: the rows are again a sample from it
    check_frequencies(made, {row: n * p for row, p in joint_of(network).items() if p > 0})


def test_marginals_in_a_large_network_against_exact_inference():
    network, n = bn.load_network("alarm"), 4000
    row = network.sample(1, rng=4).codes[0]
    absent = np.random.default_rng(5).permutation(37)[:20].tolist()
    evidence = {network.names[v]: network.states[v][row[v]] for v in range(37) if v not in absent}
    exact, made = bn.prediction.posteriors(network, evidence), drawn(network, row, absent, n, 6)
    for v in absent:
        expected = {(k,): n * p for k, p in enumerate(exact.probabilities[v]) if p > 0}
        check_frequencies(made[:, [v]], expected)


def test_what_an_experiment_set_tells_nothing_of_its_parents():
    network, n = bn.load_network("asia"), 4000
    smoke = network.names.index("smoke")
    made = drawn(network, [0] * 8, [smoke], n, 1, ("lung",))
    truncated = joint_of(under_experiment(network, {"lung": np.array([0.5, 0.5])}))
    chances = {full: p for full, p in truncated.items() if full[:smoke] + full[smoke + 1 :] == (0,) * 7}
    check_frequencies(made, {full: n * p / sum(chances.values()) for full, p in chances.items()})


@pytest.mark.slow
def test_rows_too_entangled_for_elimination_are_swept():
    """Eighteen missing coins, each pair with a seen child: one table over all would have 2^18 cells."""
    coins, n, rng = 18, 2000, np.random.default_rng(1)
    pairs = list(itertools.combinations(range(coins), 2))
    names = [f"coin{v:02}" for v in range(coins)] + [f"pair{a:02}{b:02}" for a, b in pairs]
    tables = [rng.dirichlet([9, 9], 1) for _ in range(coins)] + [rng.dirichlet([20, 20], 4) for _ in pairs]
    parents = tuple([()] * coins + pairs)
    network = bn.BayesianNetwork(tuple(names), (("no", "yes"),) * len(names), parents, tuple(tables))
    row = [0] * coins + rng.integers(0, 2, len(pairs)).tolist()
    made = drawn(network, row, range(coins), n, 2)
    states = (np.arange(2**coins)[:, None] >> np.arange(coins)) & 1
    chances = np.prod([tables[v][0, states[:, v]] for v in range(coins)], axis=0)
    for at, (a, b) in enumerate(pairs):
        chances *= tables[coins + at][2 * states[:, a] + states[:, b], row[coins + at]]
    exact = chances @ states / chances.sum()
    found = made[:, :coins].mean(axis=0)
    distance = ((found - exact) ** 2 / (exact * (1 - exact) / n)).max()  # sweeps that mix: independent rows
    assert distance < chi2.isf(FALSE_ALARM / coins, 1)


def test_the_draw_does_not_depend_on_the_order_of_the_columns():
    network = bn.load_network("child")
    codes = network.sample(300, rng=1).codes
    missing = np.random.default_rng(2).random(codes.shape) < 0.4
    made = completed(network, codes, missing, 3)
    order = np.random.default_rng(4).permutation(20).tolist()
    turned = with_variables_in(network, order)
    again = completed(turned, codes[:, order], missing[:, order], 3)
    assert (again == made[:, order]).all()


def test_an_impossible_row_is_named():
    states = (("no", "yes"),) * 3
    tables = (np.array([[0.5, 0.5]]), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    network = bn.BayesianNetwork(("a", "b", "c"), states, ((), (0,), (1,)), tables)
    codes = np.array([[0, 0, 0], [0, 0, 1]], dtype=np.uint16)
    missing = np.array([[False, True, False]] * 2)
    with pytest.raises(bn.prediction.EvidenceError, match="row 2: its seen cells cannot occur together"):
        completed(network, codes, missing, 1)


def test_draw_missing_fills_a_data_set_in_its_own_order_of_columns_and_states():
    network, n = bn.load_network("asia"), 4000
    full = network.sample(n, rng=1).to_frame().astype(object)
    full.loc[:, "either"] = None
    turned = full[full.columns[::-1]]
    data = bn.Dataset.from_frame(turned.drop(columns="either"), missing="keep")
    states = (*data.states[:3], ("yes", "no"), *data.states[3:])
    names = (*data.names[:3], "either", *data.names[3:])
    codes = np.insert(data.codes, 3, 65_535, axis=1)
    data = bn.Dataset(names, states, codes)
    made = bn.prediction.draw_missing(network, data, rng=2)
    assert (made.names, made.states, made.missing) == (data.names, data.states, None)
    frame = made.to_frame()
    either = (frame["tub"] == "yes") | (frame["lung"] == "yes")  # its table is a logical or
    assert (frame["either"] == np.where(either, "yes", "no")).all()
    assert (frame.drop(columns="either").astype(str) == turned.drop(columns="either").astype(str)).all(axis=None)


def test_draw_missing_keeps_the_experiments_and_draws_under_them():
    """A missing parent of what was set has its own distribution; where nothing was set, its child tells of it."""
    states = (("no", "yes"),) * 2
    tables = (np.array([[0.5, 0.5]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    network = bn.BayesianNetwork(("a", "b"), states, ((), (0,)), tables)
    codes = np.tile(np.array([[65_535, 1]], dtype=np.uint16), (2000, 1))
    of_row = np.repeat([0, 1], 1000)
    data = bn.Dataset(("a", "b"), states, codes, Experiments(((), ("b",)), of_row))
    made = bn.prediction.draw_missing(network, data, rng=1)
    assert made.targets == data.targets
    assert (made.experiments.of_row == of_row).all()
    assert (made.codes[:1000, 0] == 1).all()
    set_rows = int(made.codes[1000:, 0].sum())  # Binomial(1000, 1/2)
    assert abs(set_rows - 500) < 5 * np.sqrt(250)  # wrongly with probability 6e-7


def test_who_keeps_complete_families_has_their_probabilities():
    data = bn.Dataset.from_frame(with_holes(make_data([2, 3], 60, 1), 1, 0.3).to_frame(), missing="complete_families")
    edges = [data.names]
    assert bn.prediction.fit_drawn(data, edges, 1.0) == bn.fit(data, edges, 1.0)
    drawn = data.with_missing("keep")
    assert bn.prediction.fit_drawn(drawn, edges, 1.0) != bn.fit(drawn, edges, 1.0)


def test_draw_missing_names_what_does_not_fit():
    network = bn.load_network("cancer")
    data = network.sample(5, rng=1)
    assert bn.prediction.draw_missing(network, data) is data
    hollow = bn.Dataset(data.names[:4], data.states[:4], np.full((5, 4), 65_535))
    with pytest.raises(ValueError, match="the data have no variable 'Dyspnoea'"):
        bn.prediction.draw_missing(network, hollow)
    with pytest.raises(ValueError, match="the network has no variable"):
        bn.prediction.draw_missing(bn.load_network("asia"), hollow)


#: Each test that draws does so from a fixed seed; with another it would fail wrongly with this probability.
EDGES = [("v0", "v1"), ("v1", "v2"), ("v0", "v2")]


@pytest.fixture(scope="module")
def data():
    return with_experiments(make_data([2, 3, 2], 4000, 2), 3, n_experiments=3)


def test_as_many_rows_of_each_experiment_in_the_datas_order_of_states(data):
    network = bn.fit(data, EDGES)
    drawn = sample_again(network, data, np.random.default_rng(1))
    assert (drawn.names, drawn.states, drawn.targets) == (data.names, data.states, data.targets)
    assert (drawn.rows_of_experiments == data.rows_of_experiments).all()
    observed = sample_again(network, data.observed, np.random.default_rng(1))
    assert observed.experiments is None
    assert observed.n_rows == data.observed.n_rows


def test_joint_frequencies_in_each_experiment_against_the_truncated_product(data):
    """Pearl (2009), Eq. 3.10, by hand for the third experiment; chi-square of 40 tables."""
    network = bn.fit(data, EDGES)
    number, targets = next((k, one) for k, one in enumerate(data.targets) if one)
    rng, counts = np.random.default_rng(5), np.zeros((2, 3, 2))
    for _ in range(40):
        drawn = sample_again(network, data, rng)
        rows = drawn.codes[drawn.experiments.of_row == number]
        np.add.at(counts, tuple(rows.T), 1)
    given = data.codes[data.experiments.of_row == number]
    share = [np.bincount(given[:, v], minlength=r) / len(given) for v, r in enumerate((2, 3, 2))]
    expected = np.zeros_like(counts)
    for a, b, c in np.ndindex(*counts.shape):
        of_a = share[0][a] if "v0" in targets else network.tables[0][0, a]
        of_b = share[1][b] if "v1" in targets else network.tables[1][a, b]
        of_c = share[2][c] if "v2" in targets else network.tables[2][a * 3 + b, c]
        expected[a, b, c] = of_a * of_b * of_c * counts.sum()
    possible = expected > 0
    assert not counts[~possible].any()
    distance = ((counts - expected)[possible] ** 2 / expected[possible]).sum()
    assert distance < chi2.isf(FALSE_ALARM, int(possible.sum()) - 1)


def test_probabilities_drawn_from_the_posterior_of_the_rows_that_count(data):
    """Their mean over 400 draws is that of the Dirichlet posterior, within six of its standard errors."""
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[0, [1, 2]] = adjacency[1, 2] = True
    rng = np.random.default_rng(3)
    drawn = [posterior_network(data, adjacency, rng).tables for _ in range(400)]
    for v in range(3):
        tables = np.array([one[v] for one in drawn])
        mean = bn.fit(own_rows(data, v), EDGES, 1.0).tables[v]
        assert (abs(tables.mean(axis=0) - mean) <= 6 * tables.std(axis=0) / 20 + 1e-12).all()


def test_the_tables_of_a_network_are_freed_with_it():
    """Those of each replicate may take 30 MB: they must not wait for the collector of cycles."""
    data, rng = bn.load_network("asia").sample(40, rng=1), np.random.default_rng(2)
    network = posterior_network(data, np.zeros((8, 8), dtype=bool), rng)
    sample_again(network, data, rng)
    tables = weakref.ref(network.tables[0])
    gc.disable()
    try:
        del network
        assert tables() is None
    finally:
        gc.enable()
