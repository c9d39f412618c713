"""Recalibration on simulated worlds."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import bnengine as bn
from bnengine.bootstrap.ensemble import as_matrix, possible_edges, presence_of
from bnengine.bootstrap.simulated_worlds import features, fitted

SETTINGS = (bn.BIC(), bn.HillClimbing())
FEW = {"n_worlds": 4, "n_replicates": 12, "n_fresh": 15, "n_own": 20}


def asia(n_rows=120, seed=2):
    return bn.load_network("asia").sample(n_rows, rng=seed)


def simulated(n, seed=1):
    """Pairs whose probability is a known function of their confidences."""
    rng = np.random.default_rng(seed)
    naive = rng.integers(0, 61, n) / 60
    leading = np.minimum(naive, rng.integers(0, 61, n) / 60)
    return naive, leading, (rng.random(n) < naive).astype(float), rng


def test_isotonic_predictions_rise_with_the_logistic_ones_invariant():
    naive, leading, learned, rng = simulated(3000)
    known = features(naive, leading, learned, 60)
    target = (rng.random(3000) < naive**3).astype(float)
    predicted = {method: fitted(known, target, method)(known) for method in ("logistic", "isotonic")}
    order = np.argsort(predicted["logistic"])
    assert (np.diff(predicted["isotonic"][order]) >= -1e-12).all()
    assert predicted["isotonic"].mean() == pytest.approx(target.mean(), rel=0.01)
    assert ((predicted["isotonic"] >= 0) & (predicted["isotonic"] <= 1)).all()


def test_the_regressions_recover_a_known_calibration():
    """With 20,000 pairs of which p(naive) = naive³, predictions are within 0.06 of it for nine in ten.

    The isotonic fit knows no shape; standard errors are at most 0.02, and the seed is fixed.
    """
    naive, leading, learned, rng = simulated(20_000)
    known = features(naive, leading, learned, 60)
    target = (rng.random(20_000) < naive**3).astype(float)
    error = np.abs(fitted(known, target, "isotonic")(known) - naive**3)
    assert np.quantile(error, 0.9) < 0.06


def test_both_regressions_against_scikit_learn():
    """Fitted to 200 pairs and asked about 300, some of them beyond the places of the fit."""
    naive, leading, learned, rng = simulated(300)
    known = features(naive, leading, learned, 60)
    seen, target = known[:200], np.clip(naive**2 + rng.normal(0, 0.1, 300), 0, 1)[:200]
    logistic = LogisticRegression(C=1.0, solver="newton-cholesky", max_iter=1000, tol=1e-12)
    weights = np.concatenate([target, 1 - target])
    logistic.fit(np.vstack([seen, seen]), np.repeat([1, 0], 200), sample_weight=weights)
    assert fitted(seen, target, "logistic")(known) == pytest.approx(logistic.predict_proba(known)[:, 1], abs=1e-7)
    isotonic = IsotonicRegression(y_min=0.5 / 201, y_max=1 - 0.5 / 201, out_of_bounds="clip")
    isotonic.fit(logistic.decision_function(seen), target)
    peer = isotonic.predict(logistic.decision_function(known))
    assert fitted(seen, target, "isotonic")(known) == pytest.approx(peer, abs=1e-6)


@pytest.mark.parametrize("method", ["logistic", "isotonic"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_target_that_never_varies_is_predicted_to_half_a_pair(method, value):
    naive, leading, learned, _ = simulated(50)
    known = features(naive, leading, learned, 60)
    assert fitted(known, np.full(50, value), method)(known) == pytest.approx(abs(value - 0.5 / 51))


@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
def test_shapes_ranges_and_kinds(kind):
    found = bn.recalibrate(asia(), *SETTINGS, **FEW, kind=kind, rng=3)
    assert found.status == "converged"
    assert found.n_finished == 4
    p = 28 if kind == "adjacency" else 56
    for values in found.worlds.values():
        assert values.shape == (4, p)
    assert set(np.unique(found.worlds["truth"])) <= {0.0, 1.0}
    for matrix in (found.found_again, found.real):
        assert ((matrix >= 0) & (matrix <= 1)).all()
        assert (np.diag(matrix) == 0).all()
        assert kind != "adjacency" or (matrix == matrix.T).all()
    table = found.table()
    assert (table["real"].diff().dropna() <= 0).all()
    assert len(table) == (possible_edges(found.naive + found.leading + found.learned, kind) > 0).sum()
    with pytest.raises(ValueError, match="read-only"):
        found.real[0, 1] = 1


def test_the_worlds_graphs_are_those_of_the_corrected_bootstrap_in_turn():
    data = asia()
    leading = bn.resample(data, *SETTINGS, bn.Bootstrap(3), "leading", rng=3)
    found = bn.recalibrate(data, *SETTINGS, **FEW, graphs=leading, rng=3)
    for w in range(4):
        truth = possible_edges(presence_of(leading.adjacencies[w % 3], "directed"), "directed")
        assert (found.worlds["truth"][w] == truth).all()


def test_expected_edges_at_a_threshold_against_counting_by_hand():
    found = bn.recalibrate(asia(), *SETTINGS, **FEW, kind="adjacency", rng=3)
    for column in ("naive", "leading"):
        for threshold in (0.0, 0.3, 1.0):
            kept, wrong = [], []
            for confidence, truth in zip(found.worlds[column], found.worlds["truth"], strict=True):
                chosen = [i for i in range(28) if confidence[i] >= threshold and confidence[i] > 0]
                kept.append(len(chosen))
                wrong.append(sum(truth[i] == 0 for i in chosen))
            error = np.std(wrong, ddof=1) / 2
            assert found.expected_edges(threshold, column)[0] == pytest.approx(np.mean(kept))
            assert found.expected_false_edges(threshold, column) == pytest.approx((np.mean(wrong), error))
            assert found.expected_precision(threshold, column)[0] == pytest.approx(1 - sum(wrong) / sum(kept))
    frame = found.thresholds("real")
    assert (frame["edges"].diff().dropna() <= 0).all()
    assert frame["kept"].iloc[-1] == (possible_edges(found.real, "adjacency") >= 1).sum()


def test_a_world_s_own_recalibration_is_learned_from_the_others():
    """A world whose truth is turned upside down does not change what it is told itself."""
    found = bn.recalibrate(asia(), *SETTINGS, **FEW, rng=3)
    truth = found.worlds["truth"].copy()
    truth[1] = 1 - truth[1]
    turned = dataclasses.replace(found, worlds={**found.worlds, "truth": truth})
    kept = [each._kept(0.3, "real") for each in (found, turned)]
    assert (kept[0][1] == kept[1][1]).all()
    assert (kept[0][0] != kept[1][0]).any()


def test_results_depend_neither_on_workers_nor_on_the_order_of_columns_invariant():
    data = asia()
    one = bn.recalibrate(data, *SETTINGS, **FEW, rng=3)
    with ThreadPoolExecutor(3) as executor:
        other = bn.recalibrate(data.select(data.names[::-1]), *SETTINGS, **FEW, rng=3, executor=executor)
    for name in ("found_again", "real", "naive", "leading", "learned"):
        assert np.allclose(getattr(one, name), getattr(other, name)[::-1, ::-1], rtol=0, atol=1e-9)
    for name, values in one.worlds.items():
        for w in range(4):
            turned = as_matrix(other.worlds[name][w], 8, "directed")[::-1, ::-1]
            assert (as_matrix(values[w], 8, "directed") == turned).all()


def test_what_is_known_of_the_data_is_not_learned_again():
    data, reported = asia(), []
    own = bn.study(data, *SETTINGS, bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected")), rng=3)

    def progress(done, total):
        reported.append((done, total))

    one = bn.recalibrate(data, *SETTINGS, **FEW, rng=3)
    other = bn.recalibrate(data, *SETTINGS, **FEW, rng=3, reuse=own, progress=progress)
    assert (one.real == other.real).all()
    assert {total for _, total in reported} == {4 * (1 + 12 + 15)}
    assert reported[-1][0] == 4 * (1 + 12 + 15)
    for known in (
        {"bootstrap": own.ensembles["bootstrap_corrected"]},
        bn.study(data, bn.AIC(), SETTINGS[1], bn.resampling_methods(3, keys=("bootstrap",))),
        bn.study(asia(80), *SETTINGS, bn.resampling_methods(3, keys=("bootstrap",))),
        bn.study(data, *SETTINGS, bn.resampling_methods(3, keys=("bootstrap",), size=60)),
    ):
        with pytest.raises(ValueError, match=r"reuse\['bootstrap'\] must be an ensemble of these data"):
            bn.recalibrate(data, *SETTINGS, reuse=known)


@pytest.mark.slow
def test_a_stopped_run_keeps_the_worlds_that_were_finished():
    data = asia()
    many = {"n_worlds": 400, "n_replicates": 5, "n_fresh": 5, "n_own": 10}
    found = bn.recalibrate(data, *SETTINGS, **many, progress=lambda done, _: done < 900)
    assert found.status == "stopped"
    assert 0 < found.n_finished < 400
    assert np.isfinite(found.real).all()
    assert np.isfinite(found.expected_precision(0.5)).all()
    found = bn.recalibrate(data, *SETTINGS, **{**many, "n_own": 3000}, progress=lambda done, _: False)
    assert (found.status, found.n_finished) == ("stopped", 0)
    assert np.isnan(found.real).all()
    assert np.isnan(found.expected_precision(0.5)).all()


@pytest.mark.slow
def test_recalibrated_confidences_are_nearer_to_the_inclusion_probabilities_than_naive_ones():
    """Sum of |p - pi| on three tables of a known network: about 9 against 21 edges, each with an sd of about 1.

    The test would fail by chance where the mean advantage of three tables, 12 with a standard error below 1, were less
    than 3: false-alarm rate far below 1e-6. The seeds are fixed.
    """
    network, settings = bn.load_network("child"), (bn.BDeu(1), bn.HillClimbing())
    fresh = bn.resample(network.sample(100, rng=0), *settings, bn.ParametricBootstrap(200, network), rng=1)
    numbers = {"n_worlds": 6, "n_replicates": 30, "n_fresh": 30, "n_own": 60}
    found = [bn.recalibrate(network.sample(100, rng=seed), *settings, **numbers, rng=seed) for seed in (2, 3, 4)]
    errors = {
        name: np.mean([np.abs(getattr(one, name) - fresh.confidence).sum() for one in found])
        for name in ("naive", "found_again")
    }
    assert errors["found_again"] < errors["naive"] - 3


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"method": "loess"}, "method must be one of isotonic, logistic; got 'loess'"),
        ({"kind": "arc"}, "kind must be one of"),
        ({"n_worlds": 0}, "n_worlds must be a whole number from 1"),
        ({"n_fresh": 2.5}, "n_fresh must be a whole number from 1"),
        ({"ess": 0}, "ess must be a number from 1e-06 to 1e"),
        ({"graphs": np.zeros((1, 3, 3), dtype=bool)}, r"graphs must have shape \(m, 8, 8\)"),
        ({"n_worlds": 10**4, "n_fresh": 10**3}, "11,210,000 graphs; .* use fewer worlds"),
    ],
)
def test_arguments_are_refused_with_the_reason(given, match):
    with pytest.raises(ValueError, match=match):
        bn.recalibrate(asia(), *SETTINGS, **given)
    found = bn.recalibrate(asia(40), *SETTINGS, n_worlds=1, n_replicates=2, n_fresh=2, n_own=2)
    with pytest.raises(ValueError, match="column must be one of naive, leading"):
        found.expected_precision(0.5, "exact")
    with pytest.raises(ValueError, match="threshold must be between 0 and 1"):
        found.expected_precision(2)
