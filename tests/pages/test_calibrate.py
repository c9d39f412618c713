"""Calibrate: what the page shows is what the engine computes, for any network and on any data."""

import contextlib
import io

import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TITLES
from pages.shared.keys import Key

pytestmark = pytest.mark.slow

FEW_TABLES, FEW_FRESH, FEW = 2, 50, 20


@pytest.fixture
def calibrate(visitor):
    """A visitor on the page, asking for little work on a small network."""
    visitor.on("asia_1000").open("calibrate")
    visitor.at.segmented_control(key=Key.CALIBRATE_SECTION).set_value("own").run()
    visitor.at.number_input(key=Key.TABLES).set_value(FEW_TABLES)
    visitor.at.number_input(key=Key.FRESH).set_value(FEW_FRESH)
    visitor.at.number_input(key=Key.CALIBRATION_N).set_value(FEW)
    visitor.at.number_input(key=Key.TABLE_ROWS).set_value(100)
    return visitor.run().settle()


def pressed(visitor):
    return visitor.button("Calibrate").settle()


def expected(network, keys, kind="directed"):
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
        kind=kind,
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
    assert calibrate.shows("ASIA", 100, "BIC")


def test_the_network_fitted_to_the_person_s_data_says_that_it_is_circular(calibrate):
    calibrate.at.multiselect(key=Key.CALIBRATED).set_value(["bootstrap", "bootstrap_corrected"]).run()
    calibrate.choose(Key.TRUTH, "fitted")
    pressed(calibrate)
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    network = bn.fit(data, bn.learn(data, bn.BIC(), bn.IteratedLocalSearch()).edges)
    assert_shows(calibrate, expected(network, ("bootstrap", "bootstrap_corrected")))
    assert calibrate.note("caution")


def test_an_uploaded_network_and_one_that_is_none(calibrate):
    calibrate.at.multiselect(key=Key.CALIBRATED).set_value(["bootstrap"]).run()
    calibrate.choose(Key.TRUTH, "file")
    buffer = io.BytesIO()
    bn.write_bif(bn.load_network("cancer"), buffer)
    calibrate.at.file_uploader(key="calibrate_bif").set_value(("my.bif", b"network {", "text/plain")).run()
    assert calibrate.at.error
    calibrate.at.file_uploader(key="calibrate_bif").set_value(("my.bif", buffer.getvalue(), "text/plain")).run()
    assert not calibrate.at.error
    pressed(calibrate)
    assert_shows(calibrate, expected(bn.load_network("cancer"), ("bootstrap",)))


def test_a_search_with_an_ordering_is_given_the_network_s_own(calibrate):
    """K2's ordering is of the session's data; the network of another domain has other variables."""
    calibrate.at.multiselect(key=Key.CALIBRATED).set_value(["bootstrap"]).run()
    calibrate.choose(Key.SEARCH, "k2").choose(Key.TRUTH, "cancer")
    pressed(calibrate)
    network = bn.load_network("cancer")
    found = bn.calibrate(
        network,
        100,
        bn.BIC(),
        bn.K2(tuple(network.ordering)),
        bn.resampling_methods(FEW, keys=("bootstrap",)),
        FEW_TABLES,
        FEW_FRESH,
    )
    assert_shows(calibrate, found)


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
            assert TITLES[leaders[0]] in calibrate.finding
    calibrate.type(Key.TABLES, 1)
    pressed(calibrate)
    assert "nan" not in calibrate.finding.lower()
    assert not any(title in calibrate.finding for title in TITLES.values())
