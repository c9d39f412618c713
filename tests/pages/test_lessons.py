"""The lessons: every section draws on its table and on the visitor's, and shows the engine's own numbers."""

import math
import threading
import time

import pandas as pd
import pytest

import bnengine as bn
from bnengine.teaching import series
from pages.bias_lab import entropy, fit
from pages.shared import settings
from pages.shared.format import short
from pages.shared.keys import Key
from tests.pages.reading import shows
from tests.patience import HANG

pytestmark = pytest.mark.slow

LESSONS = {
    "mdl": (
        Key.MDL_SECTION,
        ("Worked example", "Cost of a parameter", "Search by hand", "Replicated data", "Search space"),
    ),
    "bayesian": (Key.BAYES_SECTION, ("Coin tosses", "BDeu and BIC", "Prior strength", "Equivalence", "Local optima")),
    "bias_lab": (
        Key.LAB_SECTION,
        ("Entropy", "Spurious dependence", "Any statistic", "Corrected entropy", "Sparse tables", "Jackknife"),
    ),
}
SAMPLE = settings.PAGES[Key.LAB_SAMPLE]


def turn_to(visitor, section):
    """Open the lesson that has a section, at that section."""
    page, key = next((page, key) for page, (key, sections) in LESSONS.items() if section in sections)
    visitor.at.session_state[key] = section
    return visitor.go(page)


def pick(visitor, key, value):
    """Set a slider over options."""
    visitor.at.select_slider(key=key).set_value(value).run()
    return visitor.settle()


def switch(visitor, key, value):
    visitor.at.segmented_control(key=key).set_value(value).run()
    return visitor.settle()


def formulas(visitor):
    """All formulas, as running text and as blocks."""
    return " ".join(text.value for text in (*visitor.at.markdown, *visitor.at.latex) if "\\" in text.value)


def data_of(name):
    return bn.Dataset.from_frame(bn.load_sample(name))


def frame_with(visitor, column):
    return next(frame.value for frame in visitor.at.main.dataframe if column in frame.value)


@pytest.mark.parametrize(
    ("page", "mine"), [("mdl", ""), ("bayesian", ""), ("bias_lab", ""), ("mdl", "lecture_4"), ("bayesian", "lecture_4")]
)
def test_every_section_on_its_own_table_and_on_the_visitor_s(visitor, page, mine):
    if mine:
        visitor.on(mine).own()
    for section in LESSONS[page][1]:
        turn_to(visitor, section)
        assert visitor.finding or (mine and visitor.messages), section
        assert formulas(visitor) or section in ("Search space", "Local optima") or visitor.messages, section
        assert mine or not visitor.messages, section
        assert not visitor.at.error, section
        assert not visitor.at.warning, section


def test_a_lesson_stays_as_it_is_until_the_visitor_turns_it(visitor):
    turn_to(visitor.on("titanic"), "Prior strength")
    assert visitor.shows("ASIA")
    (switch,) = [toggle for toggle in visitor.at.toggle if toggle.key == Key.USE_OWN]
    assert "Titanic" in switch.label
    switch.set_value(True).run()
    assert visitor.settle().shows("Titanic")
    assert visitor.open("mdl").open("bayesian").settle().shows("Titanic")  # it holds for every lesson
    visitor.upload("mine.csv", "only\na\na\n")  # which cannot be learned from
    assert turn_to(visitor.own(False), "Prior strength").shows("ASIA")


# MDL


def test_the_worked_example_shows_the_notes_numbers(visitor):
    assert turn_to(visitor, "Worked example").shows(9)
    assert r"0.25\cdot 0.25\cdot 0.5\cdot 0.5 = 0.0156" in formulas(visitor)
    assert r"3 + 6 = \mathbf{9}" in formulas(visitor)
    assert "= 0.00659" in formulas(visitor)
    switch(visitor, Key.WORKED_ROWS, 8)
    assert visitor.shows("15.75", "18.64")
    assert r"3\cdot\tfrac{\log_2 8}{2} - \log_2 L = 4.5 + 11.25 = \mathbf{15.75}" in formulas(visitor)


def test_climbing_by_hand_ends_where_hill_climbing_ends(visitor):
    turn_to(visitor, "Search by hand")
    data = data_of("asia_1000")
    steps = 0
    while not next(b for b in visitor.at.button if b.label == "Apply the best change").disabled:
        visitor.button("Apply the best change")
        steps += 1
        assert steps < 20
    own = frame_with(visitor, "above_best_bits").set_index("network").loc["your own"]
    assert own["mdl_bits"] == pytest.approx(bn.mdl(data, bn.learn(data, ties="columns").edges).mdl)
    assert "greedy search stops here" in visitor.finding
    visitor.button("Undo")
    assert "greedy search stops here" not in visitor.finding
    assert visitor.open("network").open("mdl").shows(steps - 1)  # the network stays


def test_edges_are_added_reversed_deleted_and_cycles_refused_by_name(visitor):
    turn_to(visitor.on("titanic").own(), "Search by hand")
    data = data_of("titanic")
    a, b, c = data.names[:3]

    def apply(button, parent, child):
        for label, name in (("From", parent), ("To", child)):
            next(box for box in visitor.at.selectbox if box.label == label).set_value(name)
        visitor.run().button(button)
        return frame_with(visitor, "above_best_bits").set_index("network").loc["your own", "mdl_bits"]

    assert apply("Add", a, b) == pytest.approx(bn.mdl(data, [(a, b)]).mdl)
    assert apply("Reverse", a, b) == pytest.approx(bn.mdl(data, [(b, a)]).mdl)
    apply("Add", a, c)
    apply("Add", c, b)
    assert visitor.warns(f"{c} → {b} → {a} → {c}")
    assert apply("Delete", b, a) == pytest.approx(bn.mdl(data, [(a, c)]).mdl)
    assert visitor.messages == []
    changes, expected = frame_with(visitor, "change"), bn.teaching.single_changes(data, [(a, c)])
    assert changes["change"].tolist() == [f"{x.kind} {x.parent} → {x.child}" for x in expected]
    assert changes["mdl_bits"].tolist() == [x.bits for x in expected]


def test_the_price_of_a_parameter(visitor):
    pick(turn_to(visitor, "Cost of a parameter"), Key.PRECISION_ROWS, 300)
    table = bn.teaching.parameter_precision(300)
    best = table.loc[table["total_bits"].idxmin()]
    assert visitor.shows(int(best["values"]), float(best["cost_bits"]), 0.5 * math.log2(300))


def test_the_tree_has_as_many_networks_as_the_rules_let_a_search_visit(visitor):
    turn_to(visitor, "Search space")
    assert [metric.value for metric in visitor.at.metric] == ["268,435,456", "783,702,329,343", "262,144"]
    data = data_of("asia_1000")
    part = data.select(bn.teaching.most_dependent(data, 4))
    assert visitor.shows(bn.teaching.walk_tree(part, bn.TreeSearch(beam=2)).n_visited)
    for toggle in visitor.at.toggle:
        toggle.set_value(toggle.key == Key.WALK_PAIRS)
    assert visitor.run().shows(bn.teaching.walk_tree(part, bn.TreeSearch(False, 0.5, None)).n_visited)


# Bayesian score


def toss(visitor, sequence):
    next(box for box in visitor.at.text_input if box.key.startswith(Key.SEQUENCE)).set_value(sequence).run()
    return visitor.settle()


def test_tosses(visitor):
    toss(turn_to(visitor, "Coin tosses"), "hht")
    assert short(bn.teaching.dirichlet_evidence([0, 0, 1], [1, 1]).evidence) == "0.0833"
    assert visitor.shows("0.0833", "0.6")
    assert r"\frac{1+0}{2+0}\cdot \frac{1+1}{2+1}\cdot \frac{1+0}{2+2}" in formulas(visitor)
    assert r"\frac{\Gamma(2)}{\Gamma(2+3)}" in formulas(visitor)
    assert toss(visitor, "HHX$").messages
    assert toss(visitor, "").shows(0.5)


def test_growth_is_the_engines(visitor):
    turn_to(visitor, "BDeu and BIC")
    network = bn.load_network("survey")
    sizes = (30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
    table = bn.teaching.score_growth(network, bn.teaching.graphs_around(network), sizes, 1.0, 10, 0)
    assert visitor.shows(bn.teaching.rows_until_first_wins(table))
    assert shows(visitor.choose(Key.GROWTH_NETWORK, "asia").note("zeros"), 4)


def test_prior_strength_is_the_engines_and_is_stopped_and_done_again(visitor, monkeypatch):
    """Learning waits, with large equivalent sample sizes, until it is stopped or may go on."""
    go, learn = threading.Event(), bn.learn

    def slow(data, score, *arguments, stop, **more):
        while score.ess > 1 and not go.is_set() and not stop[0]:
            time.sleep(0.01)
        return learn(data, score, *arguments, stop=stop, **more)

    def until(label):
        end = time.monotonic() + HANG
        while not any(button.label.startswith(label) for button in visitor.at.button):
            assert time.monotonic() < end
            visitor.run()

    monkeypatch.setattr(series, "learn", slow)
    visitor.at.session_state[Key.BAYES_SECTION] = "Prior strength"
    visitor.open("bayesian")
    until("Stop and keep")
    visitor.button("Stop and keep")
    until("Run it again")
    assert "Stopped early" in visitor.messages[0]
    go.set()
    visitor.button("Run it again").settle()
    assert not visitor.messages
    table = bn.teaching.graphs_by_ess(data_of("asia_1000")).table
    assert visitor.shows(int(table["edges"].iloc[0]), int(table["edges"].iloc[-1]))
    pick(visitor, Key.SHOWN_ESS, 100.0)
    assert shows(visitor.note("prior weight"), 100, int(table["edges"].iloc[-1]))


def test_equivalence_is_the_engines(visitor):
    turn_to(visitor.on("titanic").own(), "Equivalence")
    data = data_of("titanic")

    def chosen(*names):
        next(box for box in visitor.at.multiselect if box.key.startswith("equivalent")).set_value(list(names)).run()
        return visitor.settle()

    shown = frame_with(visitor, "equivalence_class")
    assert shown.equals(bn.teaching.equivalence_table(data, bn.teaching.most_dependent(data, 3)))
    shown = frame_with(chosen("Survived", "Sex", "Class"), "equivalence_class")
    assert shown["graph"].tolist()[-1] == "Survived → Sex ← Class"
    assert chosen("Survived", "Sex").warns("Choose three variables")


def test_where_greedy_search_is_stuck(visitor):
    turn_to(visitor, "Local optima")
    found = bn.teaching.compare_with_greedy(bn.teaching.parity_sample(500, 0.1, rng=0))
    assert found.stuck
    assert visitor.shows(found.behind["hill climbing"])
    visitor.choose(Key.STUCK_SOURCE, "asia").choose(Key.STUCK_ROWS, 200)
    assert "**not stuck**" in visitor.finding


# Bias lab


def test_entropy(visitor):
    turn_to(visitor, "Entropy").slide(Key.LAB_STATES, 12).slide(Key.LAB_SKEW, 1.5)
    pick(visitor, Key.LAB_ROWS, 20).type(Key.LAB_SAMPLE, 3)
    table = bn.teaching.entropy_bias_by_size(
        bn.teaching.skewed_distribution(12, 1.5), [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000], rng=3
    )
    line = table[table["n_rows"] == 20].iloc[0]
    for number in (-line["exact"], line["plugin"], -line["leading"]):
        assert short(number) in visitor.finding
    seen = sum(count > 0 for count in line["counts"])
    for states in (12, seen):
        assert rf"\frac{{{states}-1}}{{2\cdot 20}}" in formulas(visitor)
    switch(visitor, Key.LAB_SCALE, entropy.SCALED)
    assert len(visitor.at.get("plotly_chart")) == 2


def test_information_of_two_variables(visitor):
    switch(turn_to(visitor, "Any statistic"), Key.LAB_STATISTIC, "Mutual information")
    visitor.choose(Key.LAB_FIRST, "HR").choose(Key.LAB_SECOND, "CO")
    table = bn.teaching.contingency_table(data_of("alarm_300"), "HR", "CO")
    made = bn.teaching.bootstrap_information(table, 1000, rng=0)
    for value in (made.value, made.mean, made.corrected):
        assert short(value) in visitor.finding
    assert r"\frac{2\cdot 2}{2\cdot 300}" in formulas(visitor)


def test_the_correction_against_the_truth(visitor):
    pick(turn_to(visitor, "Corrected entropy"), Key.LAB_ROWS, 10)
    made = bn.teaching.repeated_entropy(bn.teaching.skewed_distribution(8, 0.5), 10, 400, rng=SAMPLE)
    pd.testing.assert_frame_equal(visitor.at.main.dataframe[0].value, made.table())
    for bias in made.exact_bias[:3]:
        assert short(bias) in visitor.finding


def test_jensens_sign_is_said(visitor):
    switch(turn_to(visitor, "Any statistic"), Key.LAB_STATISTIC, "Jensen's inequality")
    pick(visitor, Key.LAB_DRAWS, 5).slide(Key.LAB_SHARE, 0.4)
    for function, word in (("p²", "above"), ("p", "exactly"), ("√p", "below")):
        assert word in visitor.choose(Key.LAB_FUNCTION, function).finding


def test_spurious_dependence(visitor):
    turn_to(visitor, "Spurious dependence").choose(Key.LAB_ARITIES, (4, 4))
    pick(visitor, Key.LAB_PAIR_ROWS, 500)
    for mean in bn.teaching.spurious_dependence((4, 4), 500, rng=SAMPLE).table()["mean_g_squared"]:
        assert short(mean) in visitor.finding
    assert "= 9" in formulas(visitor)
    assert "= 18" in formulas(visitor)


def test_sparse_tables(visitor):
    pick(turn_to(visitor, "Sparse tables").choose(Key.LAB_TRUTH, "asia"), Key.LAB_SPARSE_ROWS, 100)
    asia = bn.load_network("asia")
    families = bn.teaching.bias_by_family(asia.sample(5000, SAMPLE).take(range(100)), asia.edges)
    assert visitor.shows(families["leading"].sum(), families["exact"].sum(), int(families["empty_cells"].sum()), 36)
    (table,) = [frame.value for frame in visitor.at.main.dataframe]
    pd.testing.assert_frame_equal(table, families)


@pytest.mark.parametrize("statistic", [fit.EDGES, pytest.param(fit.ENTROPY, marks=pytest.mark.thorough)])
def test_jackknife(visitor, statistic):
    turn_to(visitor, "Jackknife").choose(Key.LAB_VARYING, statistic).choose(Key.LAB_TRUTH, "cancer")
    pick(visitor, Key.LAB_ERROR_ROWS, 100)
    made = bn.teaching.resampling_errors(bn.load_network("cancer"), 100, fit.STATISTICS[statistic], 200, rng=SAMPLE)
    lines = made.table().set_index("method")
    assert visitor.shows(lines["sd"]["new samples"], lines["standard_error"]["jackknife, delete 1"], 99)
    pd.testing.assert_frame_equal(visitor.at.main.dataframe[0].value, made.table())
    assert visitor.note("meaning")
