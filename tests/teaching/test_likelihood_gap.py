"""Training and test log-likelihood against Akaike's theory."""

import math

import numpy as np
import pytest

import bnengine as bn


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


def test_fresh_rows_are_never_fitted_better_than_by_the_truth_against_gibbs():
    samples = bn.teaching.likelihood_gap(bn.load_network("cancer"), [10, 100], n_repeats=20, n_resamples=3).samples
    assert (samples["test"] < 0).all()
    assert (samples["bootstrap_training"] >= 0).all()
    assert samples.groupby("n_rows").size().tolist() == [20, 20]


def test_the_bootstraps_estimate_against_resamples_drawn_here():
    """The mean over resamples of a resample's own fit less the data's there: false-alarm rate 6e-7, 5 s.e."""
    truth = bn.load_network("cancer")
    made = bn.teaching.likelihood_gap(truth, [200], n_repeats=2, n_resamples=2000, ess=1.0, rng=6)
    data = truth.sample(200, np.random.default_rng(6).spawn(2)[0])
    own, gaps = bn.fit(data, truth.edges, ess=1.0), []
    rng = np.random.default_rng(1)
    for _ in range(400):
        again = data.take(rng.integers(0, 200, 200))
        refitted = bn.fit(again, truth.edges, ess=1.0)
        up = fitted_logs(refitted, again) - fitted_logs(own, again)
        down = fitted_logs(refitted, data) - fitted_logs(own, data)
        gaps.append(up.mean() - down.mean())
    line = made.samples.iloc[0]
    error = np.std(gaps, ddof=1) / math.sqrt(400)
    assert abs(line["bootstrap_training"] - line["bootstrap_test"] - np.mean(gaps)) < 5 * error * math.sqrt(1.2)


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
