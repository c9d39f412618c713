"""Resamples of any number of rows, and weights of somebody's own making."""

from dataclasses import dataclass

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resamplers import Replicate, replicates
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import SCORES
from tests.strategies import make_data, make_score

TABLES = {
    "few distinct rows": make_data([2, 3, 2, 4], 150, seed=1, unseen=0.4),
    "many distinct rows": make_data([2, 3, 5, 9, 4, 2], 150, seed=2, dependence=0.1),
    "one word of rows": make_data([2, 2, 3], 40, seed=3),
}
FAMILIES = [(0, []), (1, [0]), (2, [0, 1]), (0, [1, 2])]


def drawn(data, n_rows, seed):
    """Row numbers of a resample, and its weights."""
    rows = np.random.default_rng(seed).integers(0, data.n_rows, n_rows)
    return rows, np.bincount(data.distinct_row_of[rows], minlength=data.multiplicities.size)


def agree(scores, copied, n_variables):
    everyone = np.ones(n_variables, dtype=np.bool_)
    for child, parents in FAMILIES:
        assert scores(child, parents) == pytest.approx(copied(child, parents), abs=1e-9)
        wanted = everyone.copy()
        wanted[[child, *parents]] = False
        one_more = scores.with_one_more(child, parents, wanted)
        assert one_more == pytest.approx(copied.with_one_more(child, parents, wanted), abs=1e-9)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", sorted(SCORES))
def test_resamples_of_any_size_against_copied_rows(kind, table):
    """Sizes go up and down: buffers made for one must serve the next."""
    data = TABLES[table]
    score = make_score(kind, data)
    scores = LocalScores(data, score)
    n = data.n_rows
    for seed, size in enumerate([n, n // 2, 2 * n, 10 * n, 1, n, 60 * n, 3 * n]):
        rows, weights = drawn(data, size, seed)
        scores.reweigh(weights)
        agree(scores, LocalScores(data.take(rows), score), data.n_variables)


def test_resamples_beyond_what_is_tabulated_against_copied_rows():
    data = TABLES["few distinct rows"]
    scores = LocalScores(data, bn.BDeu(2))
    rows, weights = drawn(data, 40_000, 1)
    scores.reweigh(weights)
    agree(scores, LocalScores(data.take(rows), bn.BDeu(2)), data.n_variables)


@dataclass(frozen=True)
class Repeats:
    """The data ``times`` times over: a resampler of one's own."""

    times: int
    name = "repeats"

    def n_replicates(self, data):
        return 2

    def check(self, data):
        pass

    def replicate(self, data, number, rng):
        return Replicate(data.multiplicities * self.times, 1)


@pytest.mark.parametrize("kind", sorted(SCORES))
@pytest.mark.parametrize("times", [2, 10])
def test_a_resampler_of_ones_own_may_draw_more_rows_against_copied_rows(kind, times):
    data = TABLES["many distinct rows"]
    score = make_score(kind, data)
    ensemble = bn.resample(data, score, bn.HillClimbing(max_parents=2), Repeats(times), ties="columns")
    rows = data.take(np.tile(np.arange(data.n_rows), times))
    copied = bn.learn(rows, score, bn.HillClimbing(max_parents=2), ties="columns")
    assert (ensemble.confidence == copied.adjacency).all()


@pytest.mark.parametrize("size", [1, 75, 150, 300, 1500])
@pytest.mark.parametrize("kind", ["bic", "bdeu", "fnml", "qnml", "k2", "bds"])
def test_bootstrap_of_another_size_against_copied_rows(kind, size):
    data = TABLES["few distinct rows"]
    score, search, resampler = make_score(kind, data), bn.HillClimbing(), bn.Bootstrap(4, size=size)
    ensemble = bn.resample(data, score, search, resampler, rng=3, ties="columns")
    graphs = []
    for replicate in replicates(data, resampler, rng=3):
        assert replicate.weights.sum() == size
        of_distinct = np.array([np.flatnonzero(data.distinct_row_of == d)[0] for d in range(len(replicate.weights))])
        graphs.append(
            bn.learn(data.take(np.repeat(of_distinct, replicate.weights)), score, search, ties="columns").adjacency
        )
    assert ensemble.confidence == pytest.approx(np.mean(graphs, axis=0), abs=1e-12)


def test_bootstrap_says_its_size():
    assert bn.Bootstrap(5).name == "bootstrap"
    assert bn.Bootstrap(5, size=1000).name == "bootstrap, 1,000 rows"


def test_bootstrap_of_the_datas_size_is_the_bootstrap_invariant():
    data = TABLES["one word of rows"]
    for one, other in zip(
        replicates(data, bn.Bootstrap(3), rng=1), replicates(data, bn.Bootstrap(3, size=40), rng=1), strict=True
    ):
        assert (one.weights == other.weights).all()


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 400, 4000])
def test_leading_bias_is_half_a_nat_a_parameter_whatever_the_size_against_theory(size):
    """An edge between variables that are independent in the data gains 1/2 on average, as 2 gain is chi-squared(1).

    20,000 resamples; its sd is sqrt(1/2), so the mean's standard error 0.005. False-alarm rate 6e-5 each at 4 of them;
    the next order, 1 / size, is allowed for; the seed is fixed.
    """
    codes = [[a, b] for a in (0, 1) for b in (0, 1) for _ in range(100)]
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, codes)
    scores, gains = LocalScores(data, bn.LogLikelihood()), []
    for replicate in replicates(data, bn.Bootstrap(20_000, size=size), rng=4):
        scores.reweigh(replicate.weights)
        gains.append(scores(1, [0]) - scores(1, []))
    assert np.mean(gains) == pytest.approx(0.5, abs=4 * np.sqrt(0.5 / 20_000) + 1 / size)


@pytest.mark.parametrize("size", [100, 400, 1600])
def test_bias_of_a_resample_against_fresh_tables_of_its_size_is_in_proportion_to_it(size):
    """An edge between independent variables gains 1/2 in a fresh table, and m / (2 N) more in m resampled of 400.

    20,000 tables with a resample each. False-alarm rate 6e-5 each at 4 standard errors, and 3 % for the next order;
    the seed is fixed.
    """
    rng, n = np.random.default_rng(7), 20_000
    given = rng.multinomial(400, [0.25] * 4, n)
    resampled = _gains(rng.multinomial(size, given / 400))
    fresh = _gains(rng.multinomial(size, [0.25] * 4, n))
    error = np.sqrt((resampled.var() + fresh.var()) / n)
    expected = size / (2 * 400)
    assert resampled.mean() - fresh.mean() == pytest.approx(expected, abs=4 * error + 0.03 * expected)


def _gains(tables):
    """Log-likelihood that the edge between two binary variables gains in each table of four counts."""

    def sums(counts):
        return np.where(counts > 0, counts * np.log(np.maximum(counts, 1)), 0.0).sum(axis=1)

    a, b = tables.reshape(-1, 2, 2).sum(axis=2), tables.reshape(-1, 2, 2).sum(axis=1)
    return sums(tables) - sums(a) - sums(b) + sums(tables.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("correction", ["exact", "matched"])
def test_corrections_that_need_as_many_rows_are_refused(asia, correction):
    with pytest.raises(ValueError, match=f"correction='{correction}' .* with size=50"):
        bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(2, size=50), correction)
    assert bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(2, size=50), "leading").n_graphs == 2


def test_the_exact_correction_is_refused_where_weights_have_another_sum(asia):
    scores = LocalScores(asia, bn.teaching.ExactCorrection(bn.BIC()))
    before = scores(1, [0])
    with pytest.raises(ValueError, match="as many rows as the data, 200; this one has 400: take the leading"):
        scores.reweigh(asia.multiplicities * 2)
    assert scores(1, [0]) == before


# What is refused


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1, 1], r"one entry for each of the 4 distinct rows .*; got shape \(2,\)"),
        ([[1, 1, 1, 1]], r"got shape \(1, 4\)"),
        ([1.0, 1.0, 1.0, 1.0], "weights must be whole numbers.*; got an array of float64"),
        ([True, True, False, True], "weights must be whole numbers.*; got an array of bool"),
        ([1, -1, 2, 1], "weights must be 0 or more; got -1 for distinct row 1"),
        ([0, 0, 0, 0], "weights must add up to 1 to 2,147,483,647 rows; got 0"),
        ([2**31 - 1, 1, 0, 0], "weights must add up to 1 to 2,147,483,647 rows; got 2,147,483,648"),
        (np.array([2**62, 2**62, 2**62, 2**62]), "weights must add up to"),
    ],
)
def test_weights_that_no_resample_has_are_refused_and_change_nothing(weights, says):
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]])
    scores = LocalScores(data, bn.BIC())
    before = scores(1, [0])
    with pytest.raises(ValueError, match=says):
        scores.reweigh(weights)
    assert scores(1, [0]) == before


class Hostile(Repeats):
    """A resampler that hands over whatever it was given."""

    def replicate(self, data, number, rng):
        return self.times


@pytest.mark.parametrize(
    ("replicate", "says"),
    [
        (Replicate(np.array([1]), 1), "weights must have one entry for each"),
        (Replicate(TABLES["one word of rows"].multiplicities, 0), "multiplicity must be a whole number of 1 or more"),
        (Replicate(np.array([1]), 1, make_data([2, 2], 9, seed=1)), "must have the variables and states of the given"),
        (Replicate(np.array([1]), 1, make_data([2, 2, 4], 9, seed=1)), "must have the variables and states of the"),
    ],
)
def test_replicates_that_no_search_may_see_are_refused(replicate, says):
    with pytest.raises(ValueError, match=says):
        bn.resample(TABLES["one word of rows"], bn.BIC(), bn.HillClimbing(), Hostile(replicate))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: bn.Bootstrap(size=0), r"size must be a whole number .*; got 0"),
        (lambda: bn.Bootstrap(2.5), r"n must be a whole number .*; got 2\.5"),
        (lambda: bn.Bootstrap(True), r"n must be a whole number .*; got True"),
        (lambda: bn.Bootstrap(2, size="9"), r"size must be a whole number .*; got '9'"),
    ],
)
def test_errors_name_the_argument(make, says):
    with pytest.raises(ValueError, match=says):
        make()
