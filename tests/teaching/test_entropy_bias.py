"""The entropy's bias under the bootstrap: binomial sums and the second-order formula."""

import itertools
import math
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bnengine as bn
from bnengine.teaching.entropy_bias import entropy_terms
from tests import naive
from tests.patience import takes_at_most
from tests.strategies import make_data

COUNTS = st.lists(st.integers(0, 30), min_size=1, max_size=8).filter(any)


def entropy_of(rows):
    """Straight from the definition."""
    n = len(rows)
    return -math.fsum(c / n * math.log(c / n) for c in Counter(rows).values())


def rows_with(counts):
    return [state for state, count in enumerate(counts) for _ in range(count)]


@given(COUNTS)
def test_plugin_entropy_against_the_definition(counts):
    assert bn.teaching.plugin_entropy(counts) == pytest.approx(entropy_of(rows_with(counts)), abs=1e-12)
    assert 0 <= bn.teaching.plugin_entropy(counts) <= math.log(len(counts)) + 1e-12


@pytest.mark.parametrize("counts", [(2, 2), (3, 1, 1), (1, 1, 1, 1, 1), (5, 0), (4, 2)])
def test_the_exact_mean_against_all_resamples(counts):
    """All n**n of them, no chance involved."""
    rows = rows_with(counts)
    on_all = [entropy_of([rows[i] for i in drawn]) for drawn in naive.all_resamples(len(rows))]
    assert bn.teaching.expected_entropy(counts, len(rows)) == pytest.approx(np.mean(on_all), abs=1e-12)


def test_monte_carlo_against_the_exact_mean():
    """False-alarm rate 6e-7 each, at 5 standard errors; the seed is fixed."""
    for counts in ([40, 30, 20, 10], [1, 1, 1, 1, 6], [200, 3]):
        bias = bn.teaching.entropy_bias(counts, 4000, rng=3)
        assert abs(bias.monte_carlo - bias.exact) < 5 * bias.monte_carlo_error
        assert bias.monte_carlo_error < 0.1 * abs(bias.exact) + 0.01


def test_one_sample_grows():
    table = bn.teaching.entropy_bias_by_size(bn.teaching.skewed_distribution(6, 1.0), [5, 50, 500], 100, rng=7)
    counts = np.array(table["counts"].tolist())
    assert counts.sum(axis=1).tolist() == table["n_rows"].tolist() == [5, 50, 500]
    assert (np.diff(counts, axis=0) >= 0).all()
    assert table["exact"].tolist() == [bn.teaching.entropy_bias(line).exact for line in counts]


def mean_over_resamples(counts, statistic):
    """Over all resamples of counted rows, each with its multinomial probability."""
    n, total = sum(counts), 0.0
    for drawn in itertools.product(range(n + 1), repeat=len(counts)):
        if sum(drawn) == n and not any(k and not c for k, c in zip(drawn, counts, strict=True)):
            total += stats.multinomial.pmf(drawn, n, np.array(counts) / n) * statistic(drawn)
    return total


def test_the_exact_bias_of_every_estimator_against_all_samples():
    """Every sample of 5 rows with its multinomial probability, the estimates from the definitions."""
    p, n = np.array([0.5, 0.3, 0.2]), 5
    made = bn.teaching.repeated_entropy(p, n, 10)
    means = dict.fromkeys(made.names, 0.0)
    for counts in itertools.product(range(n + 1), repeat=3):
        if sum(counts) != n:
            continue
        ways = math.factorial(n) / math.prod(map(math.factorial, counts))
        chance = ways * float(np.prod(p ** np.array(counts)))
        resampled, plain = bn.teaching.expected_entropy(counts, n), entropy_of(rows_with(counts))
        again = mean_over_resamples(counts, lambda drawn: bn.teaching.expected_entropy(drawn, n))
        twice = 3 * plain - 3 * resampled + again
        for name, estimate in zip(made.names, (resampled, plain, 2 * plain - resampled, twice), strict=True):
            means[name] += chance * estimate
    truth = bn.teaching.plugin_entropy(p)
    assert made.truth == truth
    assert made.exact_bias == pytest.approx([mean - truth for mean in means.values()], abs=1e-12)


def test_the_correction_lowers_the_order_of_the_bias_against_theory():
    """Doubling N divides the plug-in bias by 2, the corrected ones by 8 and 16, where all states have many rows.

    The leading term is the same for every distribution, so the correction leaves no term of order 1/N, nor of 1/N²:
    what it leaves is the bias of the term of order 1/N².
    """
    p = np.full(3, 1 / 3)
    biases = np.array([bn.teaching.repeated_entropy(p, n, 2).exact_bias for n in (400, 800)])
    assert np.abs(biases[0] / biases[1])[1:] == pytest.approx([2, 8, 16], rel=0.06)
    assert biases[0][0] / biases[0][1] == pytest.approx(2, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_rows", "n_states"),
    [
        *((n_rows, n_states) for n_rows in (1, 30, 400) for n_states in (1, 2, 30)),
        *(pytest.param(20_000, n_states, marks=pytest.mark.thorough) for n_states in (1, 2, 30, 300)),
    ],
)
@pytest.mark.parametrize("skew", [0.0, 1.0, 4.0])
def test_the_sums_near_the_mean_are_the_full_sums(n_rows, n_states, skew):
    p = bn.teaching.skewed_distribution(n_states, skew)
    counts = np.arange(n_rows + 1)
    full = math.fsum(float(stats.binom.pmf(counts, n_rows, x) @ entropy_terms(n_rows)) for x in p)
    assert bn.teaching.expected_entropy(p, n_rows) == pytest.approx(full, abs=1e-12)


@pytest.mark.slow
def test_many_rows_take_little_time_and_memory():
    assert takes_at_most(15, lambda: bn.teaching.expected_entropy(np.arange(1, 200), 200_000))
    assert takes_at_most(15, lambda: bn.teaching.expected_entropy([0.2, 0.3, 0.5], 10**9))
    tracemalloc.start()
    try:
        bn.teaching.expected_entropy(np.arange(1, 200), 200_000)
        most = bn.teaching.expected_entropy([0.2, 0.3, 0.5], 10**9)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6  # bytes; all counts at once took 1.8 GB
    assert most == pytest.approx(bn.teaching.plugin_entropy([0.2, 0.3, 0.5]), abs=1e-7)


# What resampling adds to counts and families, against all resamples; and where half of |theta| errs


def x_log_x(n):
    return n * math.log(n) if n else 0.0


def test_the_bias_of_each_count_by_enumeration_of_all_resamples():
    table = bn.teaching.bias_by_count(5)
    assert table["n"].tolist() == list(range(6))
    for n, bias in zip(table["n"], table["bias"], strict=True):
        drawn = [sum(row < n for row in rows) for rows in naive.all_resamples(5)]
        assert bias == pytest.approx(np.mean([x_log_x(k) for k in drawn]) - x_log_x(n), abs=1e-9)


@pytest.mark.slow
def test_a_familys_bias_by_enumeration_of_all_resamples():
    data = bn.Dataset(("a", "b"), (("0", "1", "2"), ("0", "1")), np.array([[0, 0], [1, 1], [0, 1], [1, 1], [0, 0]]))
    edges = [("a", "b")]
    table, plain = bn.teaching.bias_by_family(data, edges).set_index("variable"), bn.LogLikelihood()
    for child, parents in (("a", []), ("b", ["a"])):
        fit = naive.average_over_resamples(
            5, lambda rows, c=child, p=parents: bn.local_score(data.take(rows), c, p, plain)
        )
        added = fit - bn.local_score(data, child, parents, bn.LogLikelihood())
        assert table["exact"][child] == pytest.approx(added, abs=1e-9)
    assert table["leading"].tolist() == [1.0, 1.5]
    assert table["cells"].tolist() == [3, 6]
    assert table["empty_cells"].tolist() == [1, 3]  # a = 2 is never seen, nor a = 1 with b = 0
    assert table["observed"].tolist() == [0.5, 0.5]


def test_the_formula_overshoots_where_cells_are_empty_and_holds_where_they_are_not():
    asia = bn.load_network("asia")
    table = bn.teaching.bias_by_rows(asia, [50, 200, 20_000], rng=0)
    assert table["leading"].tolist() == [9.0] * 3
    assert (table["exact"] < 7.2).all()  # some of asia's cells are impossible, and empty for ever
    assert (abs(table["exact"] - table["observed"]) < 0.5).all()
    full = make_data([2, 3, 2], 5000, seed=1, dependence=0.2)
    families = bn.teaching.bias_by_family(full, [("v0", "v1"), ("v1", "v2")])
    assert families["empty_cells"].sum() == 0
    assert families["exact"].to_numpy() == pytest.approx(families["leading"].to_numpy(), rel=0.01)
