"""Evidence on a network of one's choice: what the page shows is what the engine computes, on any data."""

import contextlib
import io

import pandas as pd
import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TITLES
from pages.evidence.methods import in_numbers, worst_regret
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
    further = {"posterior": bn.edge_posterior} if "posterior" in keys else None
    return bn.calibrate(
        network,
        100,
        bn.BIC(),
        bn.IteratedLocalSearch(),
        resampling,
        FEW_TABLES,
        FEW_FRESH,
        kind=bn.Experiment().kind,
        other_answers=further,
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


def test_the_evidence_is_read_from_the_results(visitor):
    found, (first, *_) = benchmark_results.evidence(), benchmark_results.evidence()["parts"]
    visitor.go("evidence")
    assert "**nearer the truth** than the naive bootstrap" in visitor.finding
    for question, key in (("found again", "predictive"), ("real", "real")):  # as that sentence says
        assert worst_regret(found, question, key) < worst_regret(found, question, "naive")
    assert in_numbers(found) in [text.value for text in visitor.at.markdown]
    visitor.unfold("evidence")
    shown = [frame.value for frame in visitor.at.main.dataframe if "worst" in frame.value]
    for frame, question in zip(shown, benchmark_results.QUESTIONS, strict=True):
        pd.testing.assert_frame_equal(frame, benchmark_results.lines(found, first, question))
