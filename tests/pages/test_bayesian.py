"""The page on the Bayesian score: each section shows the engine's numbers; every control is moved once."""

import threading
import time

import pytest

import bnengine as bn
from bnengine.teaching import replicated_data
from pages.shared.format import short
from pages.shared.keys import Key
from tests.pages.reading import shows
from tests.patience import HANG

SECTIONS = (
    "Coin tosses",
    "BDeu and BIC",
    "Prior strength",
    "Equivalence",
    "Local optima",
)


def turn_to(visitor, section):
    visitor.at.segmented_control(key=Key.BAYES_SECTION).set_value(section).run()
    return visitor.settle()


def data_of(name):
    return bn.Dataset.from_frame(bn.load_sample(name))


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["alarm_300", "titanic", "lecture_4"])
def test_every_section_on_every_kind_of_data(visitor, sample):
    visitor.on(sample).own().open("bayesian")
    for section in SECTIONS:
        turn_to(visitor, section)
        assert visitor.finding or visitor.messages, section
        assert not visitor.at.error, section
        assert not visitor.at.warning, section


@pytest.mark.slow
def test_tosses(visitor):
    visitor.open("bayesian")
    box = next(box for box in visitor.at.text_input if box.key.startswith(Key.SEQUENCE))
    box.set_value("hht").run()
    found = bn.teaching.dirichlet_evidence([0, 0, 1], [1, 1])
    assert short(found.evidence) == "0.0833"
    assert visitor.shows("0.0833", "0.6")
    formulas = [text.value for text in visitor.at.markdown if r"\Gamma" in text.value or r"\prod_t" in text.value]
    assert r"\frac{1+0}{2+0}\cdot \frac{1+1}{2+1}\cdot \frac{1+0}{2+2}" in formulas[0]
    assert r"\frac{\Gamma(2)}{\Gamma(2+3)}" in formulas[1]
    assert all("= 0.0833" in formula for formula in formulas)
    box = next(box for box in visitor.at.text_input if box.key.startswith(Key.SEQUENCE))
    box.set_value("HHX$").run()
    visitor._check()
    assert visitor.messages
    box = next(box for box in visitor.at.text_input if box.key.startswith(Key.SEQUENCE))
    box.set_value("").run()
    visitor._check()
    assert visitor.shows(0.5)


@pytest.mark.slow
def test_growth_is_the_engines(visitor):
    turn_to(visitor.open("bayesian"), "BDeu and BIC")
    network = bn.load_network("survey")
    sizes = (30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
    table = bn.teaching.score_growth(network, bn.teaching.graphs_around(network), sizes, 1.0, 10, 0)
    assert visitor.shows(bn.teaching.rows_until_first_wins(table))
    visitor.at.selectbox(key="growth_network").set_value("asia").run()
    assert shows(visitor.note("zeros"), 4)


@pytest.mark.slow
def test_prior_weight_is_the_engines(visitor):
    turn_to(visitor.open("bayesian"), "Prior strength")
    table = bn.teaching.graphs_by_ess(data_of("asia_1000")).table
    assert visitor.shows(int(table["edges"].iloc[0]), int(table["edges"].iloc[-1]))
    visitor.at.select_slider(key=Key.SHOWN_ESS).set_value(100.0).run()
    visitor._check()
    assert shows(visitor.note("prior weight"), 100, int(table["edges"].iloc[-1]))


def until(visitor, label):
    """Draw until the page has a button whose label begins so."""
    end = time.monotonic() + HANG
    while not any(button.label.startswith(label) for button in visitor.at.button):
        assert time.monotonic() < end
        visitor.run()


def slow_learn(go):
    """Learning, which with large equivalent sample sizes waits until it is stopped or may go on."""

    def slow(data, score, *arguments, stop, **more):
        while score.ess > 1 and not go.is_set() and not stop[0]:
            time.sleep(0.01)
        return bn.learn(data, score, *arguments, stop=stop, **more)

    return replicated_data, "learn", slow


@pytest.mark.slow
def test_long_work_is_stopped_and_done_again(visitor, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(*slow_learn(go))
    visitor.open("bayesian")
    visitor.at.segmented_control(key=Key.BAYES_SECTION).set_value("Prior strength").run()
    until(visitor, "Stop and keep")
    visitor.button("Stop and keep")
    until(visitor, "Run it again")
    assert "Stopped early" in visitor.messages[0]
    go.set()
    visitor.button("Run it again").settle()
    assert not visitor.messages
    assert visitor.finding


@pytest.mark.slow
def test_equivalence_is_the_engines(visitor):
    visitor.on("titanic").own()
    turn_to(visitor.open("bayesian"), "Equivalence")
    data = data_of("titanic")
    shown = next(frame.value for frame in visitor.at.main.dataframe if "equivalence_class" in frame.value)
    assert shown.equals(bn.teaching.equivalence_table(data, bn.teaching.most_dependent(data, 3)))
    picker = next(box for box in visitor.at.multiselect if box.key.startswith("equivalent"))
    picker.set_value(["Survived", "Sex"]).run()
    visitor._check()
    shown = next(frame.value for frame in visitor.at.main.dataframe if "equivalence_class" in frame.value)
    assert shown["graph"].tolist() == ["Survived → Sex", "Survived ← Sex"]
    picker = next(box for box in visitor.at.multiselect if box.key.startswith("equivalent"))
    picker.set_value(["Survived"]).run()
    visitor._check()
    assert visitor.warns(2)


@pytest.mark.slow
def test_stuck_and_escaped(visitor):
    turn_to(visitor.open("bayesian"), "Local optima")
    found = bn.teaching.compare_with_greedy(bn.teaching.parity_sample(500, 0.1, rng=0))
    assert found.stuck
    assert visitor.shows(found.behind["hill climbing"])
    visitor.at.selectbox(key="stuck_source").set_value("asia").run()
    visitor.at.selectbox(key=Key.STUCK_ROWS).set_value(200).run()
    visitor.button("Find a trap")
    seed = visitor.at.number_input(key=Key.ROWS_SEED).value
    assert seed == bn.teaching.find_trap(bn.load_network("asia"), 200, first=1, tries=200)
    assert "Greedy search stops at" in visitor.finding
    visitor.at.number_input(key=Key.ROWS_SEED).set_value(seed - 1).run()
    visitor._check()
    assert "**not stuck**" in visitor.finding
