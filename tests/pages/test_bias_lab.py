"""The Bias lab, driven without a browser: every section shows the engine's own numbers."""

import pandas as pd
import pytest
import streamlit as st

import bnengine as bn
from pages.bias_lab import entropy, fit
from pages.shared import settings
from pages.shared.format import short
from pages.shared.keys import Key

pytestmark = pytest.mark.slow

FIRST = settings.PAGES[Key.LAB_SAMPLE]
SECTIONS = ("Entropy", "Spurious dependence", "Any statistic", "Corrected entropy", "Sparse tables", "Jackknife")
#: What each section asks the engine for.
ASKED = ["entropy_bias_by_size", "repeated_entropy", "variance_bias", "spurious_dependence", "bias_by_rows"]
ASKED += ["resampling_errors"]


@pytest.fixture
def lab(visitor):
    """A visitor who has opened the Bias lab."""
    return visitor.go("bias_lab")


def section(lab, name):
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
    made = bn.teaching.repeated_entropy(bn.teaching.skewed_distribution(8, 0.5), 10, 400, rng=FIRST)
    (table,) = [frame.value for frame in lab.at.main.dataframe]
    pd.testing.assert_frame_equal(table, made.table())
    for bias in made.exact_bias[:3]:
        assert short(bias) in lab.finding


def test_information_of_two_variables(lab):
    section(lab, "Any statistic")
    switch(lab, Key.LAB_STATISTIC, "Mutual information")
    data = bn.Dataset.from_frame(bn.load_sample("alarm_300"))
    lab.choose(Key.LAB_FIRST, "HR").choose(Key.LAB_SECOND, "CO")
    made = bn.teaching.bootstrap_information(bn.teaching.contingency_table(data, "HR", "CO"), 1000, rng=0)
    for value in (made.value, made.mean, made.corrected):
        assert short(value) in lab.finding
    assert r"\frac{2\cdot 2}{2\cdot 300}" in formulas(lab)


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
