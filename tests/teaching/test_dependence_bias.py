"""Where the bias comes from: a resample's maximised likelihood exceeds the data's."""

import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.resamplers import replicates
from bnengine.scores.local_score import LocalScores
from tests import naive

TINY = [
    ([2, 2], [[0, 0], [0, 1], [1, 1], [1, 1]]),
    ([2, 2], [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]]),
    ([3, 2], [[0, 0], [1, 1], [2, 0], [0, 1], [1, 0]]),
    ([2, 3, 2], [[0, 0, 1], [1, 2, 0], [0, 1, 0], [1, 2, 1], [0, 0, 0]]),
]


def dataset(arities, rows):
    states = tuple(tuple(map(str, range(arity))) for arity in arities)
    return bn.Dataset(tuple(f"v{v}" for v in range(len(arities))), states, rows)


def weights_of(data, drawn):
    return np.bincount(data.distinct_row_of[list(drawn)], minlength=data.multiplicities.size).astype(np.int32)


@pytest.mark.parametrize(("arities", "rows"), TINY)
def test_resamples_fit_better_than_the_data_against_jensen(arities, rows):
    """Over all n**n resamples, no chance involved: the maximised log-likelihood is convex in the counts."""
    data = dataset(arities, rows)
    child, parents = len(arities) - 1, list(range(len(arities) - 1))
    scores = LocalScores(data, bn.LogLikelihood())
    for family in (parents, []):
        on_resamples = []
        for drawn in naive.all_resamples(len(rows)):
            scores.reweigh(weights_of(data, drawn))
            on_resamples.append(scores(child, family))
        assert np.mean(on_resamples) > naive.loglik(data, child, family) + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("r", "q"), [(2, 2), (3, 2)])
def test_leading_order_of_the_bias_against_theory(r, q):
    """The bias of the maximised log-likelihood under the bootstrap is (r - 1) q / 2 nats, Eq. 7's charge.

    Wilks: what a resample's own maximum gains over the data's parameters is half a chi-squared of (r - 1) q degrees,
    and on average over resamples the data's parameters reach the data's own likelihood. Subtracting the latter on each
    resample leaves a standard error of sqrt(f / 2 / R), f = (r - 1) q. False-alarm rate 6e-5 each, at 4 standard errors
    and 1 % for the next order, which is below r q / N here; the seed is fixed.
    """
    n_rows, n = 2000, 4000
    rng = np.random.default_rng(8)
    cells = rng.dirichlet(np.full(r * q, 20.0))
    rows = np.array(list(np.ndindex(q, r)))[rng.choice(r * q, n_rows, p=cells)]
    data = dataset([q, r], rows) if q > 1 else dataset([r], rows[:, 1:])
    parents = [0] if q > 1 else []
    child = data.n_variables - 1
    counts = np.zeros((q, r))
    np.add.at(counts, (rows[:, 0], rows[:, 1]), 1)
    assert counts.min() > 30  # well populated
    log_probabilities = np.log(counts / counts.sum(axis=1, keepdims=True))
    first = data.distinct_codes.T
    of_distinct = log_probabilities[first[:, 0] if q > 1 else 0, first[:, -1]]
    scores = LocalScores(data, bn.LogLikelihood())
    gains = np.empty(n)
    for k, replicate in enumerate(replicates(data, bn.Bootstrap(n), rng=9)):
        scores.reweigh(replicate.weights)
        gains[k] = scores(child, parents) - replicate.weights @ of_distinct
    freedom = (r - 1) * q
    error = gains.std(ddof=1) / math.sqrt(n)
    assert error == pytest.approx(math.sqrt(freedom / 2 / n), rel=0.15)
    assert abs(gains.mean() - freedom / 2) < 4 * error + 0.01 * freedom / 2


@pytest.mark.slow
@pytest.mark.parametrize("arities", [[3, 3]])
def test_the_correction_takes_the_bias_away_against_theory(arities):
    """Independent variables: on resamples an edge looks better than in the data, by what the correction charges.

    The mean gain of the edge on 2,000 resamples, less that in the data, against |θ| / 2 of the edge, before and after
    the correction. False-alarm rate 6e-5 each, at 4 standard errors; the seed is fixed.
    """
    rng = np.random.default_rng(5)
    data = dataset(arities, rng.integers(0, arities, (1000, 2)))
    extra = (arities[1] - 1) * (arities[0] - 1)
    for score, bias in [(bn.BIC(), extra / 2), (bn.teaching.LeadingCorrection(bn.BIC()), 0.0)]:
        scores = LocalScores(data, score)
        gains = []
        for replicate in replicates(data, bn.Bootstrap(2000), rng=6):
            scores.reweigh(replicate.weights)
            gains.append(scores(1, [0]) - scores(1))
        in_data = bn.teaching.edge_gains(data, [("v0", "v1")], bn.BIC())["v0", "v1"]
        error = np.std(gains, ddof=1) / math.sqrt(len(gains))
        assert abs(np.mean(gains) - in_data - bias) < 4 * error + 0.02 * extra
