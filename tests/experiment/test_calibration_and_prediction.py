"""Calibrate and Predict: the experiment's settings, the command line and the generated Python do the same."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.experiment.evaluations import (
    averaged_networks,
    on_network,
    python_averaged,
    python_calibration,
    run_calibration,
    run_prediction,
    true_network,
)
from bnengine.experiment.experiment import CalibrationSettings, PredictionSettings
from tests.commands import ran, table

BASE = bn.Experiment(
    bn.Recipe("sample", "asia_1000"),
    bn.BDeu(2.0),
    bn.K2(),
    seed=3,
    calibration=CalibrationSettings(None, 80, ("bootstrap", "bootstrap_corrected", "bootstrap_matched"), 2, 20, 20),
    prediction=PredictionSettings("lung", "folds", 4, 0.3, 2.0),
)


@pytest.mark.slow
def test_a_calibration_by_command_and_script(capsys, tmp_path):
    data = BASE.load()
    network = true_network(BASE, data)
    found = run_calibration(BASE, network, data.n_rows)
    assert network.edges == bn.load_network("asia").edges
    names = {}
    exec(python_calibration(BASE, network, data.n_rows), names)
    pd.testing.assert_frame_equal(names["found"].table(), found.table())
    out = ran(capsys, tmp_path, BASE, "calibrate")
    np.testing.assert_array_equal(table(out).iloc[:, 1:].to_numpy(), found.table().iloc[:, 1:].to_numpy())
    ran(capsys, tmp_path, BASE, "calibrate", "--out", tmp_path / "c.json")
    written = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert [line["method"] for line in written["methods"]] == found.table()["method"].tolist()


def test_a_test_of_predictions_by_command(capsys, tmp_path):
    found = run_prediction(BASE, BASE.load()).table()
    assert table(ran(capsys, tmp_path, BASE, "predict"))["mean"].tolist() == found["mean"].tolist()


def test_measurements_are_cut_for_predictions_and_for_the_truth_of_a_calibration():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"dose": rng.normal(size=60), "ward": rng.choice([*"ab"], 60)})
    kept = bn.Experiment(bn.prepare(frame).recipe, prediction=PredictionSettings("ward"))
    data = kept.data.prepare(frame)
    network = true_network(kept, data)
    assert network.states == data.cut().states
    assert "bn.fit(data.cut(), graph.edges)" in python_calibration(kept, network, 60)
    states = bn.Experiment(bn.prepare(frame[["ward"]].assign(sex=frame["ward"])).recipe)
    assert "bn.fit(data, graph.edges)" in python_calibration(states, network, 60)
    assert set(run_prediction(kept, data).table()["learner"]) >= {"learned", "base rate"}


def test_a_truth_in_a_file_is_the_caller_s():
    experiment = bn.Experiment(calibration=CalibrationSettings("file"))
    with pytest.raises(ValueError, match=r"calibration\.truth"):
        true_network(experiment, BASE.load())


def test_settings_that_name_variables_are_fitted_to_the_network():
    constraints = bn.Constraints(forbidden=[("nowhere", "else")])
    experiment = bn.Experiment(search=bn.K2(("a", "b")), constraints=constraints)
    shown = on_network(experiment, bn.load_network("asia"))
    assert shown.search.ordering == tuple(bn.load_network("asia").ordering)
    assert shown.constraints == bn.Constraints()


def test_averaged_networks_are_compared_where_they_are_chosen():
    by_all = dataclasses.replace(BASE, prediction=dataclasses.replace(BASE.prediction, network="averaged"))
    table = run_prediction(by_all, BASE.load()).table()
    assert "averaged" in set(table["learner"])
    assert "averaged" not in set(run_prediction(BASE, BASE.load()).table()["learner"])
    log_loss = table[table["measure"] == "log_loss"].set_index("learner")["mean"]
    assert log_loss["averaged"] < log_loss["base rate"]


def test_the_script_of_averaged_predictions_repeats_them():
    """It handed on the limit on parents and the constraints by position, which the posterior takes by keyword only."""
    data = bn.load_network("cancer").sample(100, rng=1)
    constraints = bn.Constraints(forbidden=[("Smoker", "Xray")])
    experiment = bn.Experiment(bn.Recipe("network", "cancer", n_rows=100), constraints=constraints, seed=3)
    names = {"bn": bn}
    exec(python_averaged(experiment, data), names)
    made, mixture = names["averaged"](data), averaged_networks(experiment, data)
    assert made.weights.tolist() == mixture.weights.tolist()
    assert [one.edges for one in made.networks] == [one.edges for one in mixture.networks]


def test_averaging_that_is_stopped_leaves_networks_to_predict_by():
    by_all = dataclasses.replace(BASE, data=bn.Recipe("network", "hailfinder", n_rows=60, seed=1))
    data = by_all.load()
    mixture = averaged_networks(by_all, data, lambda done, total: False)
    assert mixture.weights.sum() == pytest.approx(1)
    assert mixture.names == data.names
