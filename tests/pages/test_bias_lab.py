"""The Bias lab, driven without a browser: every section shows the engine's own numbers."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest
import streamlit as st

import bnengine as bn
from pages.bias_lab import entropy, fit
from pages.shared import settings
from pages.shared.format import plus_minus, short
from pages.shared.keys import Key
from tests.pages.reading import shows

pytestmark = pytest.mark.slow

FIRST = settings.PAGES[Key.LAB_SAMPLE]
PARTS = {
    "Three basics": ("Entropy", "Spurious dependence", "Any statistic"),
    "The paper": ("Corrected entropy", "Sparse tables", "Training and test", "Jackknife", "Cut points"),
    "Further": ("Cross-validation", "Selection"),
}
PART = Key.of(Key.PART, Key.LAB_SECTION)
#: What is drawn within seconds and without a click.
SECTIONS = [name for names in PARTS.values() for name in names if name != "Cut points"]
#: What each section asks the engine for.
ASKED = ["entropy_bias_by_size", "repeated_entropy", "variance_bias", "spurious_dependence", "bias_by_rows"]
ASKED += ["selection_bias", "likelihood_gap", "criteria_path", "resampling_errors"]


@pytest.fixture
def lab(visitor):
    """A visitor who has opened the Bias lab."""
    return visitor.go("bias_lab")


def section(lab, name):
    part = next(part for part, names in PARTS.items() if name in names)
    if lab.at.segmented_control(key=PART).value != part:
        switch(lab, PART, part)
    return switch(lab, Key.LAB_SECTION, name)


def pick(lab, key, value):
    """Set a slider over options."""
    lab.at.select_slider(key=key).set_value(value).run()
    return lab.settle()


def switch(lab, key, value):
    lab.at.segmented_control(key=key).set_value(value).run()
    return lab.settle()


def formulas(lab):
    return " ".join(latex.value for latex in lab.at.latex)


def pictures(lab):
    return len(lab.at.get("plotly_chart"))


@pytest.fixture
def counted(monkeypatch):
    """How often the engine was asked for what, with the pages' caches emptied."""
    calls = {}
    st.cache_data.clear()
    for name in ASKED:
        plain = getattr(bn.teaching, name)

        def counting(*args, plain=plain, name=name, **kwargs):
            calls[name] = calls.get(name, 0) + 1
            return plain(*args, **kwargs)

        monkeypatch.setattr(bn.teaching, name, counting)
    return calls


def test_every_section_on_the_first_visit_and_nothing_worked_out_twice(lab, counted):
    for name in [*SECTIONS, *SECTIONS]:
        section(lab, name).run()
        assert lab.finding, name
        assert pictures(lab) >= 1, name
        assert lab.at.latex, name
        assert lab.at.get("download_button"), name
        assert not lab.messages, name
    assert counted == dict.fromkeys(ASKED, 1)


def test_entropy_shows_the_engines_numbers(lab):
    for key, value in ((Key.LAB_STATES, 12), (Key.LAB_SKEW, 1.5)):
        lab.slide(key, value)
    pick(lab, Key.LAB_ROWS, 20)
    lab.type(Key.LAB_SAMPLE, 3)
    table = bn.teaching.entropy_bias_by_size(
        bn.teaching.skewed_distribution(12, 1.5), [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000], rng=3
    )
    line = table[table["n_rows"] == 20].iloc[0]
    for number in (-line["exact"], line["plugin"], -line["leading"]):
        assert short(number) in lab.finding
    assert r"\frac{12-1}{2\cdot 20}" in formulas(lab)
    seen = sum(count > 0 for count in line["counts"])
    assert rf"\frac{{{seen}-1}}{{2\cdot 20}}" in formulas(lab)
    switch(lab, Key.LAB_SCALE, entropy.SCALED)
    assert pictures(lab) == 2


def test_the_correction_against_the_truth(lab):
    section(lab, "Corrected entropy")
    pick(lab, Key.LAB_ROWS, 10)
    lab.slide(Key.LAB_ORDER, 4)
    made = bn.teaching.repeated_entropy(bn.teaching.skewed_distribution(8, 0.5), 10, 400, (1, 2, 3, 4), rng=FIRST)
    (table,) = [frame.value for frame in lab.at.main.dataframe]
    pd.testing.assert_frame_equal(table, made.table())
    for bias in made.exact_bias[:3]:
        assert short(bias) in lab.finding


def test_entropy_and_information_of_own_variables(lab):
    lab.on("titanic").own().go("bias_lab")
    section(lab, "Any statistic")
    switch(lab, Key.LAB_STATISTIC, "Entropy")
    data = lab.at.session_state["dataset"][1][0]
    assert lab.shows("Class")  # the variable with the most states
    lab.choose(Key.LAB_FIRST, "Sex")
    counts = np.bincount(data.codes[:, data.index("Sex")])
    bias = bn.teaching.entropy_bias(counts, 2)
    assert short(bias.plugin) in lab.finding
    assert short(bias.corrected) in lab.finding
    switch(lab, Key.LAB_STATISTIC, "Mutual information")
    lab.choose(Key.LAB_SECOND, "Survived")
    made = bn.teaching.bootstrap_information(bn.teaching.contingency_table(data, "Sex", "Survived"), 1000, rng=0)
    for value in (made.value, made.mean, made.corrected):
        assert short(value) in lab.finding
    assert r"\frac{1\cdot 1}{2\cdot 2201}" in formulas(lab)


def again(lab):
    text = lab.note("twice")
    return text


def test_statistics_corrected_twice_are_the_engine_s(lab):
    section(lab, "Any statistic")
    pick(lab, Key.LAB_MEASURED, 5)
    values = np.random.default_rng(FIRST).standard_normal(5)
    assert shows(again(lab), bn.teaching.corrected_variance(values, 2))
    assert short(bn.teaching.corrected_variance(values, 2)) in formulas(lab)
    lab.on("asia_1000").own().go("bias_lab")
    section(lab, "Any statistic")
    data = lab.at.session_state["dataset"][1][0]
    switch(lab, Key.LAB_STATISTIC, "Entropy")
    lab.choose(Key.LAB_FIRST, "tub")
    counts = np.bincount(data.codes[:, data.index("tub")])
    assert shows(again(lab), bn.teaching.corrected_entropy(counts, 2))
    switch(lab, Key.LAB_STATISTIC, "Mutual information")
    lab.choose(Key.LAB_SECOND, "either")
    table = bn.teaching.contingency_table(data, "tub", "either")
    assert shows(again(lab), bn.teaching.corrected_information(table, 2))


def test_the_number_of_edges_corrected_twice_comes_on_demand(lab):
    lab.on("asia_1000").own().go("bias_lab")
    section(lab, "Any statistic")
    switch(lab, Key.LAB_STATISTIC, "Number of edges")
    lab.button("Bootstrap the bootstrap").settle()
    experiment, data = lab.experiment, lab.at.session_state["dataset"][1][0]
    chains = bn.teaching.iterated_bootstrap(
        data, lambda rows: len(experiment.learn(rows).edges), 2, 20, rng=experiment.seed
    )
    assert shows(again(lab), plus_minus(chains.corrected(2), chains.standard_error(2)))


def test_jensens_sign_is_said(lab):
    section(lab, "Any statistic")
    switch(lab, Key.LAB_STATISTIC, "Jensen's inequality")
    pick(lab, Key.LAB_DRAWS, 5)
    lab.slide(Key.LAB_SHARE, 0.4)
    for function in bn.teaching.PROPORTION_FUNCTIONS:
        lab.choose(Key.LAB_FUNCTION, function)
        made = bn.teaching.jensen(function, 2, 5)
        word = {"p²": "above", "eᵖ": "above", "p": "exactly"}.get(function, "below")
        assert word in lab.finding
        assert short(made.bias).replace("\N{MINUS SIGN}", "-") in formulas(lab) or function == "p"


def test_spurious_dependence(lab):
    section(lab, "Spurious dependence")
    lab.choose(Key.LAB_ARITIES, (4, 4))
    pick(lab, Key.LAB_PAIR_ROWS, 500)
    table = bn.teaching.spurious_dependence((4, 4), 500, rng=FIRST).table()
    for mean in table["mean_g_squared"]:
        assert short(mean) in lab.finding
    assert "= 9" in formulas(lab)
    assert "= 18" in formulas(lab)
    switch(lab, Key.LAB_SPURIOUS, entropy.TIES)
    pick(lab, Key.LAB_TIED_ROWS, 100)
    made = bn.teaching.ties_in_resamples(100, rng=FIRST)
    assert short(made.distinct.mean()) in lab.finding
    assert short(made.limit) in lab.finding
    assert pictures(lab) == 2


@pytest.mark.parametrize("name", [pytest.param("cancer", marks=pytest.mark.thorough), fit.OWN])
def test_training_and_test(lab, name):
    lab.on("asia_1000").own().go("bias_lab")
    section(lab, "Training and test")
    lab.choose(Key.LAB_TRUTH, name)
    lab.type(Key.LAB_ESS, 0.5)
    if name == fit.OWN:
        data = lab.at.session_state["dataset"][1][0]
        truth = bn.fit(data, lab.experiment.learn(data).edges, ess=1.0)
    else:
        truth = bn.load_network(name)
    table = bn.teaching.likelihood_gap(truth, [50, 100, 200, 500, 1000, 2000, 5000], 100, 10, 0.5, rng=0).table()
    last = table.iloc[-1]
    assert lab.shows(truth.n_parameters)
    for value in (last["training"] * 5000, -last["test"] * 5000):
        assert short(value) in lab.finding


def test_sparse_tables(lab):
    section(lab, "Sparse tables")
    lab.choose(Key.LAB_TRUTH, "asia")
    pick(lab, Key.LAB_SPARSE_ROWS, 100)
    asia = bn.load_network("asia")
    families = bn.teaching.bias_by_family(asia.sample(5000, FIRST).take(range(100)), asia.edges)
    for value in (families["leading"].sum(), families["exact"].sum()):
        assert lab.shows(value)
    assert lab.shows(int(families["empty_cells"].sum()), 36)
    assert pictures(lab) == 2
    (table,) = [frame.value for frame in lab.at.main.dataframe]
    pd.testing.assert_frame_equal(table, families)


@pytest.mark.parametrize("correction", ["leading", "none"])
def test_selection(lab, correction):
    lab.on("asia_1000").own().go("bias_lab")
    section(lab, "Selection")
    switch(lab, Key.LAB_CORRECTION, correction)
    data = lab.at.session_state["dataset"][1][0]
    made = bn.teaching.selection_bias(data, bn.BIC(), lab.experiment.search, 20, correction)
    for value in (made.gains.mean(), -made.chosen_on_data.mean()):
        assert lab.shows(value)
    assert lab.shows(made.own.mean())
    pd.testing.assert_frame_equal(lab.at.main.dataframe[0].value, made.table())


@pytest.mark.parametrize("max_parents", [1, 5])
def test_cross_validation(lab, max_parents):
    lab.on("sachs_discrete").own().go("bias_lab")
    section(lab, "Cross-validation")
    lab.type(Key.LAB_PATH_PARENTS, max_parents)
    lab.type(Key.LAB_ESS, 4.0)
    path = bn.teaching.criteria_path(lab.at.session_state["dataset"][1][0], 4.0, max_parents)
    bic, aic, left_out = (path.best(name) for name in ("bic", "aic", "leave_one_out"))
    already = "already " if max_parents == 5 else ""  # a forest is full before any criterion turns
    assert (bic < min(aic, left_out)) == bool(already)
    assert lab.shows(aic, left_out, bic)
    (table,) = [frame.value for frame in lab.at.main.dataframe]
    assert table["edges"].tolist() == [path.best(name) for name in ("bic", "aic", "leave_one_out", "dic")]
    assert pictures(lab) == 2


@pytest.mark.parametrize("statistic", [fit.EDGES, pytest.param(fit.ENTROPY, marks=pytest.mark.thorough)])
def test_jackknife(lab, statistic):
    section(lab, "Jackknife")
    lab.choose(Key.LAB_VARYING, statistic)
    lab.choose(Key.LAB_TRUTH, "cancer")
    pick(lab, Key.LAB_ERROR_ROWS, 100)
    made = bn.teaching.resampling_errors(bn.load_network("cancer"), 100, fit.STATISTICS[statistic], 200, rng=FIRST)
    lines = made.table().set_index("method")
    assert lab.shows(lines["sd"]["new samples"], lines["standard_error"]["jackknife, delete 1"], 99)
    pd.testing.assert_frame_equal(lab.at.main.dataframe[0].value, made.table())
    assert lab.note("meaning")


def shown_code(lab):
    """The lines on the page, run; what they leave behind."""
    (code,) = [code for code in lab.at.code if code.language == "python"]  # the others are links
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code.value, names)  # as a person would paste them
    return names


def test_the_lines_shown_repeat_the_numbers(lab):
    lab.on("asia_1000").own().go("bias_lab")
    section(lab, "Entropy")
    line = shown_code(lab)["table"].set_index("n_rows").loc[50]
    assert short(-line["exact"]) in lab.finding
    section(lab, "Corrected entropy")
    pd.testing.assert_frame_equal(shown_code(lab)["table"], lab.at.main.dataframe[0].value)
    section(lab, "Any statistic")
    for name in ("Variance", "Entropy", "Mutual information", "Number of edges"):
        switch(lab, Key.LAB_STATISTIC, name)
        made = shown_code(lab)["made"]
        for value in (made.value, made.corrected):
            assert short(value).removesuffix(".00") in lab.finding, name
    switch(lab, Key.LAB_STATISTIC, "Jensen's inequality")
    assert short(shown_code(lab)["made"].bias) in lab.finding
    section(lab, "Spurious dependence")
    assert short(shown_code(lab)["table"]["mean_g_squared"][1]) in lab.finding
    switch(lab, Key.LAB_SPURIOUS, entropy.TIES)
    assert short(shown_code(lab)["ties"].distinct.mean()) in lab.finding
    section(lab, "Training and test")
    for name in ("cancer", fit.OWN):
        lab.choose(Key.LAB_TRUTH, name)
        last = shown_code(lab)["table"].iloc[-1]
        assert short(last["training"] * 5000) in lab.finding
    section(lab, "Sparse tables")
    assert short(shown_code(lab)["families"]["exact"].sum()) in lab.finding
    section(lab, "Selection")
    assert short(shown_code(lab)["made"].gains.mean()) in lab.finding
    section(lab, "Cross-validation")
    assert lab.shows(shown_code(lab)["path"].best("aic"))
    section(lab, "Jackknife")
    lab.choose(Key.LAB_TRUTH, "cancer")
    for statistic in (fit.EDGES, fit.ENTROPY):
        lab.choose(Key.LAB_VARYING, statistic)
        lines = shown_code(lab)["made"].table().set_index("method")
        assert short(lines["standard_error"]["bootstrap"]) in lab.finding


def test_cut_points_are_learned_anew_after_a_click(lab, monkeypatch):
    plain = bn.teaching.cut_point_confidence
    monkeypatch.setattr(bn.teaching, "cut_point_confidence", lambda *_, **more: plain(60, 2, 3, **more))
    section(lab, "Cut points")
    assert pictures(lab) == 0
    assert "**fixed**" in lab.finding
    lab.button("Learn cut points in every replicate").settle()
    made = plain(60, 2, 3, rng=0)
    (table,) = [frame.value for frame in lab.at.main.dataframe]
    pd.testing.assert_frame_equal(table, made.table())
    assert f"**{short(made.ensembles['anew, corrected'].mean_edges)}**" in lab.finding
    assert pictures(lab) == 1
    assert not lab.messages
