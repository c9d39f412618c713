"""Evidence: the paper's Table 1 beside ours, the shipped benchmark, and calibration on a network of one's choice."""

import pandas as pd
import pytest

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.experiment.paper import PUBLISHED
from bnengine.plots.methods import evidence_figure
from pages.evidence import paper as second
from pages.evidence.methods import about, in_numbers, worst_regret
from pages.evidence.paper import on_spreads
from pages.shared import benchmark_results, results
from pages.shared.format import plus_minus
from pages.shared.keys import Key
from tests.pages.reading import shows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def unknown():
    """The first experiment was not run by anybody before this module, and nobody after it finds what it gave."""
    results.FOR_ALL.clear()
    yield
    results.FOR_ALL.clear()


@pytest.fixture
def few(unknown, monkeypatch):
    """The first experiment with few resamples."""
    whole = bn.paper.alarm_experiments
    monkeypatch.setattr(bn.paper, "alarm_experiments", lambda: whole(10, 0))


def paper(visitor):
    """Turn to the second part of the page."""
    visitor.at.session_state[Key.EVIDENCE] = "paper"
    return visitor.open("evidence")


def means(texts):
    return [float(text.split(" ± ")[0]) for text in texts]


def test_the_paper_s_experiment_runs_at_once_with_its_values_beside(visitor, few):
    paper(visitor).settle()
    table = next(one.value.T for one in visitor.at.dataframe if "Given data" in one.value and len(one.value) == 8)
    studies = bn.paper.run_experiments(bn.paper.alarm_experiments())
    for title, study in studies.items():
        short = title.removeprefix("ALARM, ")
        assert means(table[short]) == pytest.approx(study.table1()["mean"].tolist(), abs=0.051)
        assert means(table[f"paper, {short}"]) == [mean for mean, _ in PUBLISHED[title].values()]


def test_why_ours_differ_is_said_by_fresh_samples(visitor, few):
    """The page's numbers are the engine's, and what lies outside them is called unexplained."""
    paper(visitor).settle().unfold("why")
    fresh = bn.paper.fresh_samples(bn.paper.alarm_experiments())
    text = visitor.note("why ours differ")
    outside = [line for line in fresh.itertuples() if not line.least <= line.paper <= line.most]
    assert 41 in [line.paper for line in outside]  # BIC, 300 rows
    assert shows(text, len(outside), 4)
    for line in outside:
        assert shows(text, line.paper, f"{line.least} to {line.most}", line.mean)
    shown = visitor.frame("least to most")
    assert shown["least to most"].tolist() == [f"{line.least} to {line.most}" for line in fresh.itertuples()]


def test_the_papers_experiment_is_run_once_for_all_visitors(arrive, few, monkeypatch):
    one = paper(arrive()).settle()
    monkeypatch.setattr(bn.paper, "run_experiments", None)
    other = paper(arrive())
    assert other.finding == one.finding


FEW_TABLES, FEW_FRESH, FEW = 2, 50, 20


@pytest.fixture
def calibrate(visitor):
    """A visitor on the page, asking for little work on a small network."""
    visitor.on("asia_1000").go("evidence").unfold("own network")
    visitor.at.number_input(key=Key.setting("n_tables", "calibration")).set_value(FEW_TABLES)
    visitor.at.number_input(key=Key.setting("n_fresh", "calibration")).set_value(FEW_FRESH)
    visitor.at.number_input(key=Key.setting("n", "calibration")).set_value(FEW)
    visitor.at.number_input(key=Key.setting("n_rows", "calibration")).set_value(100)
    return visitor.run().settle()


def pressed(visitor):
    return visitor.button("Calibrate").settle()


def expected(network, keys):
    resampling = bn.resampling_methods(FEW, keys=[key for key in keys if key != "posterior"])
    further = [bn.settings.OtherAnswer("posterior", bn.edge_posterior)] if "posterior" in keys else []
    methods, tables = [*resampling, *further], bn.settings.Tables(FEW_TABLES, FEW_FRESH)
    return bn.calibrate(network, 100, bn.BIC(), bn.IteratedLocalSearch(), methods, tables, kind=bn.Experiment().kind)


def assert_shows(visitor, found):
    shown = visitor.frame("Brier score")
    for name, column in (("Σ|p − π|", "total_absolute_error"), ("edges", "edges")):
        assert means(shown[name]) == pytest.approx(found.table()[column].tolist(), abs=0.051)


def test_the_known_network_of_the_sample_is_offered_and_its_numbers_are_the_engine_s(calibrate):
    assert calibrate.at.selectbox(key=Key.TRUTH).value == "asia"
    pressed(calibrate)
    keys = (
        *("bootstrap_corrected", "bootstrap_matched", "bootstrap", "parametric", "jackknife_delete_d"),
        *("predictive", "posterior"),
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


def test_no_winner_is_named_within_two_standard_errors(calibrate):
    """One table has no standard error."""
    calibrate.at.multiselect(key=Key.CALIBRATED).set_value(["bootstrap", "posterior"]).run()
    calibrate.type(Key.setting("n_tables", "calibration"), 1)
    pressed(calibrate)
    assert "nan" not in calibrate.note("calibrated").lower()
    assert not any(title in calibrate.note("calibrated") for title in TITLES.values())


# the shipped evidence


def test_the_evidence_is_read_from_the_results(visitor):
    found = benchmark_results.shipped("evidence")
    first = next(iter(found["parts"]))
    visitor.go("evidence")
    assert "**nearer the truth** than the naive bootstrap" in visitor.finding
    for question, key in (("found again", "predictive"), ("real", "real")):  # as that sentence says
        assert worst_regret(found, question, key) < worst_regret(found, question, "naive")
    assert f"{in_numbers(found)}\n\n{benchmark_results.on_real_cells()}" in [text.value for text in visitor.at.markdown]
    visitor.unfold("evidence")
    frames = [frame for frame in visitor.at.main.dataframe if "worst" in frame.value]
    for frame, question, ours in zip(frames, benchmark_results.QUESTIONS, ("predictive", "real"), strict=True):
        assert frame.proto.HasField("placeholder")  # a method that was applied to one table has no error: blank
        assert not frame.proto.placeholder
        marks = evidence_figure(frame.value, "nats", dark=False, ours=ours).data[0]
        assert marks.y[list(marks.marker.symbol).index("diamond")].startswith("<b>")
        assert list(marks.marker.symbol).count("diamond") == 1
        pd.testing.assert_frame_equal(frame.value, benchmark_results.lines(found, first, question))


@pytest.mark.parametrize("part", ["chosen by", "held out"])
@pytest.mark.parametrize("question", ["found again", "real"])
def test_the_best_method_is_that_of_the_table_above(part, question):
    found = benchmark_results.shipped("evidence")
    table = benchmark_results.lines(found, part, question)
    whole = table[table["settings"] == table["settings"].max()]
    best = whole.loc[whole["worst"].idxmin(), "method"]
    assert f"{best} for *{question}*" in about(found, part)


def test_the_second_experiment_runs_by_a_click_and_shows_figure_1(visitor, few, monkeypatch):
    """The published values stand there before; then numbers of edges and the three panels are the engine's."""
    monkeypatch.setattr(
        second, "_RECIPE", bn.Recipe("network", "cancer", n_rows=200)
    )  # smaller than the table that is shown
    paper(visitor).settle()
    published = PUBLISHED["pheromone, N = 320, BDeu"]
    assert any(plus_minus(*published["bootstrap"]) in f.value.to_string() for f in visitor.at.main.dataframe)
    for score, ess in (("bic", None), ("bdeu", 25.0)):
        visitor.choose(Key.SECOND_RUNS, 40).choose(Key.SECOND_SCORE, score)
        assert any("on this computer" in line.value for line in visitor.at.caption)
        visitor.button("Run the second experiment").settle()
        study = bn.paper.annealing_experiment(second._RECIPE, 40, ess).run()
        shown = next(f.value for f in visitor.at.main.dataframe if "invented genes" in f.value.index)
        for key, title in (("data", "Given data"), ("bootstrap", "Naive bootstrap")):
            assert shown.loc["invented genes", title] == plus_minus(
                study.mean_edges(key), study.ensembles[key].sd_edges
            )
        assert ("paper: pheromone" in shown.index) == (score == "bdeu")
        assert len(visitor.at.get("plotly_chart")) == 4 + 3


def test_the_sentence_on_spreads_counts_what_was_measured():
    both = {"published": 4.0, "most": 2.5, "tables": 7}
    lines = [
        both | {"experiment": f"ALARM, {score}", "least": low, "candidates": {"a": 1, "b": 5.0 - low}}
        for score, low in (("BIC", 1.0), ("BDeu", 2.2))
    ]
    text = on_spreads({"replicates": 9, "lines": lines})
    counts = ("with 9 replicates each", "7 fresh tables", "0.625 times the paper's", "in 0 of the 2 cells")
    for words in (*counts, "more than 1 of", "1 of the 2 numbers, 1 of the 1 under BIC"):
        assert words in text, text
    assert len(benchmark_results.shipped("measured")["spreads"]["lines"]) == 8
