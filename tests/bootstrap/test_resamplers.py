"""Resamples as row weights."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core.random_generators import share_error
from bnengine.bootstrap.resamplers import replicates
from bnengine.scores.local_score import LocalScores
from tests.naive import all_resamples
from tests.strategies import datasets, make_data

METHODS = [bn.Bootstrap(7), bn.Jackknife(), bn.DeleteD(n=7), bn.DeleteD(2, n=7)]


def left_out(data, method):
    """Rows that a replicate of the method lacks."""
    return (
        {bn.Bootstrap: 0, bn.Jackknife: 1}.get(type(method))
        if not isinstance(method, bn.DeleteD)
        else method.rows_left_out(data)
    )


@pytest.mark.slow
@given(datasets(max_rows=60).filter(lambda data: data.n_rows > 2), st.sampled_from(METHODS))
def test_weights_sum_to_the_rows_kept_invariant(data, method):
    made = list(replicates(data, method, rng=1))
    assert len(made) == method.n_replicates(data)
    for replicate in made:
        assert replicate.weights.shape == data.multiplicities.shape
        assert replicate.weights.min() >= 0
        assert replicate.weights.sum() == data.n_rows - left_out(data, method)
        if not isinstance(method, bn.Bootstrap):
            assert (replicate.weights <= data.multiplicities).all()


@given(datasets(max_rows=40, max_variables=2, max_arity=3).filter(lambda data: data.n_rows > 1))
def test_jackknife_of_distinct_rows_against_leaving_out_each_row(data):
    """The replicates of the distinct rows, repeated by multiplicity, are the plain jackknife of N replicates."""
    plain = []
    for row in range(data.n_rows):
        weights = data.multiplicities.copy()
        weights[data.distinct_row_of[row]] -= 1
        plain.append(tuple(weights.tolist()))
    ours = []
    for replicate in replicates(data, bn.Jackknife()):
        ours += [tuple(replicate.weights.tolist())] * replicate.multiplicity
    assert sorted(ours) == sorted(plain)


def test_jackknife_ensemble_against_n_learnings():
    data = make_data([2, 2, 3], 30, seed=6)
    rows = [[r for r in range(30) if r != row] for row in range(30)]
    graphs = [bn.learn(data.take(kept), search=bn.HillClimbing(), ties="columns").adjacency for kept in rows]
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Jackknife(), ties="columns")
    assert ensemble.confidence == pytest.approx(np.mean(graphs, axis=0), abs=1e-12)
    edges = np.array([graph.sum() for graph in graphs])
    assert ensemble.mean_edges == pytest.approx(edges.mean(), abs=1e-12)
    assert ensemble.sd_edges == pytest.approx(edges.std(ddof=1), abs=1e-12)


def test_fewer_graphs_than_rows_are_learned_by_the_jackknife_of_a_long_table():
    data = make_data([2, 2, 3], 5000, seed=6)
    made = list(replicates(data, bn.Jackknife()))
    assert 200 <= len(made) <= 200 + data.multiplicities.size
    assert sum(replicate.multiplicity for replicate in made) == 5000
    assert max(replicate.multiplicity for replicate in made) <= 5000 / 200


def test_the_jackknife_does_not_depend_on_the_order_of_rows_or_columns(asia):
    """Nothing but ties is drawn, and their draws belong to the rows' contents, not to their places."""
    rng = np.random.default_rng(3)
    given = bn.resample(asia, bn.BDeu(10), bn.HillClimbing(), bn.Jackknife(), rng=5)
    shuffled = bn.Dataset.from_frame(asia.to_frame().sample(frac=1, random_state=1).iloc[:, rng.permutation(8)])
    again = bn.resample(shuffled, bn.BDeu(10), bn.HillClimbing(), bn.Jackknife(), rng=5)
    places = [shuffled.names.index(name) for name in asia.names]
    assert (again.confidence[np.ix_(places, places)] == given.confidence).all()


@pytest.mark.slow
def test_the_stated_error_of_the_jackknife_against_its_sd_over_seeds():
    """Asia, 5,000 rows, 47 distinct ones: over 24 seeds the sd of an edge that ties reverse is the stated error.

    The sd of 24 values has a relative standard error of 0.147; false-alarm rate 6e-5 at 4 of them; the seeds are fixed.
    """
    data = bn.load_network("asia").sample(5000, rng=1)
    found = [bn.resample(data, bn.BDeu(10), bn.HillClimbing(), bn.Jackknife(), rng=seed) for seed in range(24)]
    confidence = np.array([ensemble.confidence for ensemble in found])
    edge = data.index("smoke"), data.index("bronc")
    assert 0.2 < confidence[:, *edge].mean() < 0.8  # only a tie decides its direction
    stated = np.mean([share_error(e.confidence, e.effective_replicates)[edge] for e in found])
    assert abs(confidence[:, *edge].std(ddof=1) / stated - 1) < 4 * 0.147


def test_bootstrap_against_all_resamples():
    """Mean score and mean number of distinct rows over 4,000 replicates against those over all 5**5 samples.

    False-alarm rate 6e-5 for each of the two, at 4 standard errors; the seed is fixed.
    """
    data = bn.Dataset(("x", "y"), (("0", "1"), ("0", "1", "2")), [[0, 0], [0, 1], [1, 2], [1, 1], [0, 2]])
    scores = LocalScores(data, bn.LogLikelihood())

    def statistics(weights):
        scores.reweigh(weights.astype(np.int32))
        return scores(1, [0]), np.count_nonzero(weights)

    exact = np.array([statistics(np.bincount(rows, minlength=5)) for rows in all_resamples(5)]).mean(axis=0)
    assert exact[1] == pytest.approx(5 * (1 - (4 / 5) ** 5), abs=1e-9)
    drawn = np.array([statistics(r.weights) for r in replicates(data, bn.Bootstrap(4000), rng=2)])
    error = drawn.std(axis=0, ddof=1) / math.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - exact) < 4 * error).all()


def test_delete_d_draws_each_subset_equally_often_against_theory():
    """Chi-squared over the 10 pairs of 5 rows that may be left out, 2,000 draws; false-alarm rate 1e-4 (9 degrees)."""
    data = bn.Dataset(("x",), (tuple("abcde"),), [[k] for k in range(5)])
    pairs = list(itertools.combinations(range(5), 2))
    drawn = [tuple(np.flatnonzero(r.weights == 0)) for r in replicates(data, bn.DeleteD(2, n=2000), rng=3)]
    counts = np.array([drawn.count(pair) for pair in pairs])
    assert counts.sum() == 2000
    assert ((counts - 200) ** 2 / 200).sum() < 33.7


@pytest.mark.parametrize(
    ("few", "many"), [(bn.Bootstrap(3), bn.Bootstrap(9)), (bn.DeleteD(5, n=3), bn.DeleteD(5, n=9))]
)
def test_a_replicate_is_the_same_however_many_there_are_invariant(asia, few, many):
    for one, other in zip(replicates(asia, few, rng=5), replicates(asia, many, rng=5), strict=False):
        assert (one.weights == other.weights).all()
    first, second = itertools.islice(replicates(asia, many, rng=5), 2)
    assert (first.weights != second.weights).any()


def test_delete_d_leaves_out_a_tenth_and_gives_advice():
    large, small = make_data([2], 1000, 1), make_data([2], 7, 1)
    assert bn.DeleteD().rows_left_out(large) == 100
    assert bn.DeleteD().rows_left_out(small) == 1
    assert bn.DeleteD(100).advice(large) is None
    assert bn.DeleteD(500).advice(large) is None
    for d in (3, 31, 501):
        assert f"d = {d} lies outside" in bn.DeleteD(d).advice(large)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: bn.Bootstrap(0), r"n must be a whole number from 1 .*; got 0"),
        (lambda: bn.DeleteD(0), r"d must be a whole number from 1 .*; got 0"),
        (lambda: bn.DeleteD(n=0), r"n must be a whole number from 1 .*; got 0"),
        (lambda: replicates(make_data([2], 1, 1), bn.Jackknife()), "needs at least two rows"),
        (
            lambda: replicates(make_data([2], 5, 1), bn.DeleteD(5)),
            "d must be smaller than the number of rows, 5; got 5",
        ),
    ],
)
def test_errors_name_the_argument(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.fixture(scope="module")
def long():
    """200,000 rows, few of them distinct."""
    return bn.load_network("cancer").sample(200_000, rng=1)


@pytest.mark.parametrize("size", [None, 100_000])
def test_long_tables_with_few_distinct_rows_are_drawn_as_counts_of_the_same_distribution(long, size):
    n, n_rows = 400, size or long.n_rows
    drawn = np.array([each.weights for each in replicates(long, bn.Bootstrap(n, size), rng=2)])
    assert (drawn.sum(axis=1) == n_rows).all()
    share = long.multiplicities / long.n_rows
    variance = n_rows * share * (1 - share)
    # means are nearly normal: of fewer than 40 distinct rows one lies beyond 5 sd by chance in 1 of 40,000 runs
    assert (abs(drawn.mean(axis=0) - n_rows * share) < 5 * np.sqrt(variance / n)).all()
    frequent = n_rows * share > 100  # where (n - 1) s² / σ² is nearly chi-squared: sd of the ratio is sqrt(2 / n)
    assert (abs(drawn.var(axis=0, ddof=1) / variance - 1)[frequent] < 5 * math.sqrt(2 / n)).all()


def test_counts_do_not_depend_on_the_order_of_the_columns(long):
    turned = long.select(long.names[::-1])
    for one, other in zip(replicates(long, bn.Bootstrap(3), 5), replicates(turned, bn.Bootstrap(3), 5), strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)


@pytest.mark.parametrize(("n_rows", "size"), [(99_999, None), (200_000, 99_999), (1_000, None)])
def test_other_tables_are_drawn_row_by_row_as_ever(long, n_rows, size):
    data = long.take(np.arange(n_rows))
    made = next(replicates(data, bn.Bootstrap(1, size), 7)).weights
    rows = np.random.default_rng(7).spawn(1)[0].integers(0, n_rows, size or n_rows)
    np.testing.assert_array_equal(made, np.bincount(data.distinct_row_of[rows], minlength=len(made)))
    many = bn.Dataset(("a",), (tuple(map(str, range(2_000))),), np.arange(120_000)[:, None] % 2_000)
    rows = np.random.default_rng(7).spawn(1)[0].integers(0, 120_000, 120_000)
    expected = np.bincount(many.distinct_row_of[rows], minlength=2_000)
    np.testing.assert_array_equal(next(replicates(many, bn.Bootstrap(1), 7)).weights, expected)
