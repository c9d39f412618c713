"""The multiscale bootstrap against the normal model, where it is exact or nearly, and against plain bootstraps."""

import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_ndtr
from scipy.stats import ncx2, norm

import bnengine as bn
from bnengine.scores.local_score import LocalScores
from bnengine.teaching.multiscale import SCALES, FixedRegion, fit_multiscale
from tests.strategies import make_data

R = np.array(SCALES)
MANY = np.full(len(R), 1e6)


def test_half_space_against_the_normal_model():
    """Y is normal with unit variance and Y* | Y with variance 1 / r: P(Y* < 0) = Φ(-y √r), with no curvature."""
    distances = np.array([-1.5, -0.2, 0.0, 0.7, 2.5])
    fit = fit_multiscale(R, MANY[:, None] * norm.cdf(-np.outer(np.sqrt(R), distances)), MANY)
    np.testing.assert_allclose(fit.distance, distances, atol=1e-6)
    np.testing.assert_allclose(fit.curvature, 0, atol=1e-6)
    np.testing.assert_allclose(fit.probabilities, np.repeat(norm.cdf(-distances)[:, None], 3, axis=1), atol=1e-6)
    assert (fit.goodness > 0.999).all()


@pytest.mark.parametrize("inside", [True, False])
def test_sphere_against_the_normal_model(inside):
    """Four dimensions, a sphere of radius a, y at distance d from its surface.

    r |Y*|² is noncentral chi-square, and so is |Y|² under a mean on the surface: its tail is the exact p-value. The
    approximately unbiased one is nearer to it than the naive probability by an order of magnitude, and the probability
    corrected once lies between.
    """
    a = 6.0
    radii = a + np.array([0.5, 1.0, 1.5, 2.0]) * (1 if inside else -1)
    found = np.array([ncx2.cdf(R * a**2, 4, R * radius**2) for radius in radii]).T
    exact = ncx2.sf(radii**2, 4, a**2)
    if not inside:  # the region is the outside
        found, exact = 1 - found, 1 - exact
    fit = fit_multiscale(R, MANY[:, None] * found, MANY)
    naive, once, unbiased = np.abs(fit.probabilities - exact[:, None]).T
    np.testing.assert_allclose(fit.probabilities[:, 0], found[5], atol=2e-4)
    assert (unbiased < 0.1 * naive).all()
    assert (unbiased < once).all()
    assert (once < naive).all()
    assert ((fit.curvature > 0) == inside).all()  # a convex region is found too rarely


def test_the_fit_has_the_largest_likelihood_against_a_general_optimizer():
    rng = np.random.default_rng(2)
    times = rng.integers(20, 300, len(R)).astype(float)
    hits = rng.binomial(times.astype(int)[:, None], rng.uniform(0.01, 0.99, (1, 12)), (len(R), 12)).astype(float)
    fit = fit_multiscale(R, hits, times)
    assert fit.fitted.sum() >= 8
    for edge in np.flatnonzero(fit.fitted):

        def loss(vc, edge=edge):
            z = vc[0] * np.sqrt(R) + vc[1] / np.sqrt(R)
            return -(hits[:, edge] * log_ndtr(-z) + (times - hits[:, edge]) * log_ndtr(z)).sum()

        here = loss([fit.distance[edge], fit.curvature[edge]])
        best = minimize(loss, [0.1, 0.1], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
        assert here <= best.fun + 1e-7


def test_standard_errors_and_goodness_against_simulation():
    """400 draws: a relative error of an estimated sd is 1 / √800, 6 of them 0.21; about once in 10^9."""
    z = 0.4 * np.sqrt(R) + 0.3 / np.sqrt(R)
    hits = np.random.default_rng(1).binomial(500, norm.cdf(-z)[:, None], (len(R), 400))
    fit = fit_multiscale(R, hits, np.full(len(R), 500))
    spread, claimed = fit.probabilities.std(axis=0, ddof=1), fit.probability_errors.mean(axis=0)
    np.testing.assert_allclose(claimed, spread, rtol=0.22)
    assert abs(fit.deviance.mean() - (len(R) - 2)) < 6 * np.sqrt(2 * (len(R) - 2) / 400)


def test_few_unsaturated_scales_are_not_fitted():
    hits = np.zeros((len(R), 3))
    hits[:3, 0], hits[:4, 1], hits[:, 2] = 2, 2, 50
    assert fit_multiscale(R, hits, np.full(len(R), 50)).fitted.tolist() == [False, True, False]


@pytest.mark.parametrize("score", [bn.BIC(), bn.AIC(), bn.LogLikelihood(), bn.WithPrior(bn.BIC(), edge_penalty=3.0)])
def test_the_region_is_kept_against_doubled_counts(score):
    """Half of the rows with doubled counts are as many as the data, and score twice as much."""
    data = make_data([2, 3, 2, 4], 120, seed=3)
    weights = np.random.default_rng(0).multinomial(60, np.full(data.multiplicities.size, 1 / data.multiplicities.size))
    half, whole = LocalScores(data, FixedRegion(score, 120, 60)), LocalScores(data, score)
    half.reweigh(weights.astype(np.int32))
    whole.reweigh(2 * weights.astype(np.int32))
    for child, parents in [(0, []), (1, [0]), (3, [0, 2]), (2, [0, 1, 3])]:
        assert 2 * half(child, parents) == pytest.approx(whole(child, parents), abs=1e-9)
    assert pickle.loads(pickle.dumps(FixedRegion(score, 120, 60))).n_drawn == 60


@pytest.mark.parametrize(
    "score",
    [
        bn.BDeu(1), bn.BDs(1), bn.K2Score(), bn.FNML(), bn.QNML(), bn.teaching.DIC(),
        bn.BDe("asia"), bn.teaching.ExactCorrection(bn.BIC()), bn.WithPrior(bn.BIC(), uniform_parent_sizes=True),
    ],
)  # fmt: skip
def test_scores_without_a_region_to_keep_are_refused(asia, score):
    with pytest.raises(ValueError, match="keeps its region when the rows vary in number"):
        bn.teaching.multiscale_bootstrap(asia, score, bn.HillClimbing(), 5)


SETTINGS = (bn.BIC(), bn.HillClimbing())


@pytest.fixture(scope="module")
def made(asia):
    return bn.teaching.multiscale_bootstrap(asia, *SETTINGS, 60, rng=3)


def test_at_scale_1_it_is_the_plain_bootstrap_and_falls_back_on_the_leading_one(asia, made):
    plain = bn.resample(asia, *SETTINGS, bn.Bootstrap(60), rng=3)
    leading = bn.resample(asia, *SETTINGS, bn.Bootstrap(60), "leading", rng=3)
    at_one = made.scales.tolist().index(1.0)
    assert np.array_equal(made.by_scale[at_one], plain.confidence)
    bare = ~made.fitted
    assert bare.any() and made.fitted.any()  # noqa: PT018
    assert np.array_equal(made.naive[bare], plain.confidence[bare])
    for read in (made.corrected_once, made.approximately_unbiased):
        assert np.array_equal(read[bare], leading.confidence[bare])
    assert np.isnan(made.goodness[bare]).all()
    assert (made.probabilities >= 0).all()
    assert (made.probabilities <= 1).all()
    p = leading.confidence[bare]
    np.testing.assert_allclose(made.errors[2][bare], np.sqrt(p * (1 - p) / 60))
    assert (made.status, made.seed, made.replicates.tolist()) == ("converged", 3, [60] * 11)


def test_each_scale_has_its_number_of_rows(asia, made):
    assert made.scales.tolist() == [round(r * 200) / 200 for r in SCALES]
    generator = np.random.default_rng(3)
    generator.spawn(60)
    half = bn.resample(
        asia, FixedRegion(bn.BIC(), 200, 100), bn.HillClimbing(), bn.Bootstrap(60, size=100), rng=generator
    )
    assert np.array_equal(half.confidence, made.by_scale[0])


def test_the_fitted_line_passes_near_the_naive_probability(made):
    """Of 60 resamples at eleven scales: differences above six binomial errors are out of the question."""
    plain = made.by_scale[made.scales.tolist().index(1.0)]
    error = np.sqrt(np.maximum(plain * (1 - plain), 1 / 60) / 60)
    assert (np.abs(made.naive - plain) < 6 * error).all()


@pytest.mark.slow
def test_nothing_depends_on_workers_or_columns(asia):
    alone = bn.teaching.multiscale_bootstrap(asia, *SETTINGS, 12, (0.5, 0.8, 1, 1.5), kind="adjacency")
    with ProcessPoolExecutor(2) as executor:
        shared = bn.teaching.multiscale_bootstrap(
            asia, *SETTINGS, 12, (1.5, 0.8, 1, 0.5), executor=executor, kind="adjacency"
        )
    assert np.array_equal(shared.by_scale, alone.by_scale)
    assert np.array_equal(shared.probabilities, alone.probabilities)
    turned = bn.teaching.multiscale_bootstrap(
        asia.select(asia.names[::-1]), *SETTINGS, 12, (0.5, 0.8, 1, 1.5), kind="adjacency"
    )
    assert np.array_equal(turned.by_scale[:, ::-1, ::-1], alone.by_scale)
    np.testing.assert_allclose(turned.probabilities[:, ::-1, ::-1], alone.probabilities, atol=1e-12)
    assert len(alone.table()) == int((np.triu(alone.by_scale.sum(axis=0) + alone.corrected_once) > 0).sum())


@pytest.mark.slow
def test_stopping_keeps_the_replicates_that_are_done(asia):
    at_once = bn.teaching.multiscale_bootstrap(asia, *SETTINGS, 3_000, progress=lambda done, n: False)
    assert at_once.status == "stopped"
    assert not at_once.fitted.any()
    assert np.isnan(at_once.corrected_once).all()
    seen = []

    def tell(done, n):
        seen.append((done, n))
        return done < 330

    later = bn.teaching.multiscale_bootstrap(asia, *SETTINGS, 60, progress=tell)
    assert later.status == "stopped"
    assert 3 <= len(later.scales) <= 11
    assert later.replicates.max() == 60
    assert np.isfinite(later.probabilities).all()
    assert {n for _, n in seen} == {60 * 12}


def test_impossible_scales_are_refused(asia):
    for bad, says in (
        ((0.5, 0.8, 1.2, 1.5), "scales must have 1 among them"),
        ((1, 0.5, 0.8), "at least 4 different numbers of rows; with 200 rows these give 100, 160, 200"),
        ((1, 0.5, 0.8, 0.0), r"each item of scales must be a number from 0.05 to 20; got 0.0"),
        ((1, 0.5, 0.8, "2"), "each item of scales must be a number from 0.05 to 20; got '2'"),
    ):
        with pytest.raises(ValueError, match=says):
            bn.teaching.multiscale_bootstrap(asia, *SETTINGS, 5, bad)
