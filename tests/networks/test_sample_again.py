"""Rows drawn under experiments: as many of each, what was set without its parents, everything else as it is."""

import numpy as np
import pytest
from scipy.stats import chi2

import bnengine as bn
from bnengine.networks.inference import PosteriorDrawing, sample_again
from tests.strategies import make_data, own_rows, with_experiments

#: Each test that draws does so from a fixed seed; with another it would fail wrongly with this probability.
FALSE_ALARM = 1e-6
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
    drawing, rng, drawn = PosteriorDrawing(data, 1.0), np.random.default_rng(3), []
    for _ in range(400):
        families, probabilities = drawing.tables(adjacency, rng)
        drawn.append(drawing.network(families, probabilities).tables)
    for v in range(3):
        tables = np.array([one[v] for one in drawn])
        mean = bn.fit(own_rows(data, v), EDGES, 1.0).tables[v]
        assert (abs(tables.mean(axis=0) - mean) <= 6 * tables.std(axis=0) / 20 + 1e-12).all()
