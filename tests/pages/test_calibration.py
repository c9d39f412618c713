"""Evidence on a network of one's choice: what the page shows is what the engine computes, on any data."""

import contextlib
import io
import json

import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TITLES
from pages.evidence.methods import headline, in_numbers
from pages.shared import benchmark_results
from pages.shared.keys import Key
from tests.pages.reading import shows

pytestmark = pytest.mark.slow

FEW_TABLES, FEW_FRESH, FEW = 2, 50, 20


@pytest.fixture
def calibrate(visitor):
    """A visitor on the page, asking for little work on a small network."""
    visitor.on("asia_1000").go("evidence").unfold("own network")
    visitor.at.number_input(key=Key.TABLES).set_value(FEW_TABLES)
    visitor.at.number_input(key=Key.FRESH).set_value(FEW_FRESH)
    visitor.at.number_input(key=Key.CALIBRATION_N).set_value(FEW)
    visitor.at.number_input(key=Key.TABLE_ROWS).set_value(100)
    return visitor.run().settle()


def pressed(visitor):
    return visitor.button("Calibrate").settle()


def expected(network, keys):
    resampling = bn.resampling_methods(FEW, keys=[key for key in keys if key != "posterior"])
    further = [bn.settings.OtherAnswer("posterior", bn.edge_posterior)] if "posterior" in keys else []
    return bn.calibrate(
        network,
        100,
        bn.BIC(),
        bn.IteratedLocalSearch(),
        [*resampling, *further],
        bn.settings.Tables(FEW_TABLES, FEW_FRESH),
        kind=bn.Experiment().kind,
    )


def shown(visitor):
    (table,) = [frame.value for frame in visitor.at.main.dataframe if "Brier score" in frame.value]
    return table


def assert_shows(visitor, found):
    lines = found.table()
    assert [float(text.split(" ± ")[0]) for text in shown(visitor)["Σ|p − π|"]] == pytest.approx(
        lines["total_absolute_error"].tolist(), abs=0.051
    )
    assert [float(text.split(" ± ")[0]) for text in shown(visitor)["edges"]] == pytest.approx(
        lines["edges"].tolist(), abs=0.051
    )


def test_the_known_network_of_the_sample_is_offered_and_its_numbers_are_the_engine_s(calibrate):
    assert calibrate.at.selectbox(key=Key.TRUTH).value == "asia"
    pressed(calibrate)
    keys = (
        "bootstrap_corrected",
        "bootstrap_matched",
        "bootstrap",
        "parametric",
        "jackknife_delete_d",
        "predictive",
        "posterior",
    )
    found = expected(bn.load_network("asia"), keys)
    assert list(found.confidence) == ["data", *keys]
    assert_shows(calibrate, found)
    assert shows(calibrate.note("calibrated"), "ASIA", 100, "BIC")


def test_the_network_fitted_to_the_person_s_data_says_that_it_is_circular(calibrate):
    calibrate.at.multiselect(key=Key.CALIBRATED).set_value(["bootstrap", "bootstrap_corrected"]).run()
    calibrate.choose(Key.TRUTH, "fitted")
    pressed(calibrate)
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    network = bn.fit(data, bn.learn(data, bn.BIC(), bn.IteratedLocalSearch()).edges)
    assert_shows(calibrate, expected(network, ("bootstrap", "bootstrap_corrected")))
    assert calibrate.note("caution")


def test_the_python_lines_give_the_same_numbers(calibrate):
    calibrate.at.multiselect(key=Key.CALIBRATED).set_value(["bootstrap", "posterior"]).run()
    for truth in ("asia", "fitted"):
        calibrate.choose(Key.TRUTH, truth)
        pressed(calibrate)
        (code,) = [block.value for block in calibrate.at.code if "bn.calibrate" in block.value]
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, "script", "exec"), names)
        assert_shows(calibrate, names["found"])


def test_no_winner_is_named_within_two_standard_errors(calibrate):
    """Of methods with the same confidences none is ahead; one table has no standard error."""
    calibrate.at.multiselect(key=Key.CALIBRATED).set_value(["bootstrap", "posterior"]).run()
    pressed(calibrate)
    found = expected(bn.load_network("asia"), ("bootstrap", "posterior"))
    for measure in ("total_absolute_error", "brier"):
        leaders = found.leaders(measure)
        table = found.table().set_index("method")[measure]
        assert leaders[0] == table.idxmin()
        for key in set(found.confidence) - set(leaders):
            lead, error = found.lead(leaders[0], key, measure)
            assert lead > 2 * error
        if len(leaders) == 1:
            assert TITLES[leaders[0]] in calibrate.note("calibrated")
    calibrate.type(Key.TABLES, 1)
    pressed(calibrate)
    assert "nan" not in calibrate.note("calibrated").lower()
    assert not any(title in calibrate.note("calibrated") for title in TITLES.values())


# the shipped evidence


@pytest.fixture
def shipped(monkeypatch, tmp_path):
    """A small file of results, as the benchmark writes it."""
    stats = {"settings": 4, "regret": 0.1, "worst": 0.2, "won": 3, "lost": 1}
    better, worse = (
        {"difference": -0.25, "error": 0.1} | stats,
        {"difference": 0.5, "error": 0.2} | stats | {"worst": 0.9},
    )
    question = {
        "measure": "pi_error", "unit": "edges per true edge", "default": "leading", "runner_up": "naive",
        "share": 0.99, "settings": 4, 
        "by_measure": {"pi_error": {"naive": worse, "leading": better, "predictive": better, "real": better}},
        "by_rows_per_parameter": [{"naive": better}, {"naive": worse}],
    }  # fmt: skip
    unclear = question | {"default": "post_fnml", "share": 0.6, "unit": "nats per true edge"}
    part = {"networks": ["asia", "alarm"], "rows": [100], "scores": ["BIC"], "tables": [2, 4]}
    titles = {"naive": "naive bootstrap", "leading": "corrected bootstrap", "post_fnml": "posterior, fNML"}
    titles |= {"predictive": "predictive bootstrap", "real": "corrected bagged posterior"}
    content = {
        "about": {"replicates": 200, "fresh": 500, "seed": 0, "search": "hill climbing", "bands": [[0, 1], [1, None]]},
        "methods": {key: {"title": title, "target": "both"} for key, title in titles.items()},
        "parts": {"chosen by": part | {"questions": {"found again": question, "real": unclear}}},
    }
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(content))
    monkeypatch.setattr(benchmark_results, "_FILE", file)
    benchmark_results.evidence.cache_clear()
    yield content
    benchmark_results.evidence.cache_clear()


def test_the_evidence_is_read_from_the_results(shipped, visitor):
    visitor.go("evidence")
    assert visitor.finding == f"## {headline(shipped)}"
    assert "stay **nearer the truth** than the naive bootstrap" in headline(shipped)
    assert "in its worst setting its error is **0.2** wrong edges" in in_numbers(shipped)
    assert "of the naive bootstrap is **0.9** above" in in_numbers(shipped)
    for name in ("predictive", "real"):  # no better than the naive bootstrap
        worse = json.loads(json.dumps(shipped))
        for question in worse["parts"]["chosen by"]["questions"].values():
            question["by_measure"]["pi_error"].get(name, {})["worst"] = 0.95
        assert "do not always stay" in headline(worse)
    visitor.unfold("evidence")
    shown = [frame.value for frame in visitor.at.main.dataframe if "worst" in frame.value]
    assert [frame["difference"].tolist() for frame in shown] == [[-0.25, -0.25, -0.25, 0.5]] * 2
    assert "in 60% of sets of networks" in visitor.note("evidence")


def test_the_shipped_evidence_can_be_shown():
    found = benchmark_results.evidence()
    if found is None:
        pytest.skip("no results are shipped")
    for part in found["parts"]:
        for question in benchmark_results.QUESTIONS:
            assert len(benchmark_results.lines(found, part, question))
