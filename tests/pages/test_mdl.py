"""The MDL page: each section shows the engine's numbers, on the first visit and on other data; nothing fails."""

import math
import re

import pytest

import bnengine as bn
from pages.shared.keys import Key

SECTIONS = (
    "Worked example",
    "Search by hand",
    "Replicated data",
    "Cost of a parameter",
    "Search space",
)


def turn_to(visitor, section):
    visitor.at.segmented_control(key=Key.MDL_SECTION).set_value(section).run()
    return visitor.settle()


def formulas(visitor):
    return [text.value for text in visitor.at.markdown if text.value.startswith(r"$\displaystyle")]


def data_of(name):
    return bn.Dataset.from_frame(bn.load_sample(name))


def frame_with(visitor, column):
    return next(frame.value for frame in visitor.at.main.dataframe if column in frame.value)


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["alarm_300", "titanic", "lecture_4"])
def test_every_section_on_every_kind_of_data(visitor, sample):
    visitor.on(sample).own().open("mdl")
    for section in SECTIONS:
        turn_to(visitor, section)
        assert visitor.finding, section
        assert formulas(visitor) or section == "Search space"
        assert not visitor.at.error, section
        assert not visitor.at.warning, section


@pytest.mark.slow
def test_the_worked_example_shows_the_notes_numbers(visitor):
    visitor.open("mdl")
    assert visitor.shows(9)
    (four,) = [text for text in formulas(visitor) if text.startswith(r"$\displaystyle \text{connected")]
    assert r"0.25\cdot 0.25\cdot 0.5\cdot 0.5 = 0.0156" in four
    assert r"3 + 6 = \mathbf{9}" in four
    (four,) = [text for text in formulas(visitor) if text.startswith(r"$\displaystyle \text{independent")]
    assert "= 0.00659" in four
    visitor.at.segmented_control(key=Key.WORKED_ROWS).set_value(8).run()
    assert visitor.shows("15.75", "18.64")
    shown = frame_with(visitor, "mdl_bits").set_index("network")
    assert shown["parameters"].to_dict() == {"connected": 3, "independent": 2}
    assert shown["size_bits"].round(9).to_dict() == {"connected": 4.5, "independent": 3}
    assert shown["log2_likelihood"].round(2).to_dict() == {"connected": -11.25, "independent": -15.64}


@pytest.mark.slow
def test_climbing_by_hand_ends_where_hill_climbing_ends(visitor):
    turn_to(visitor.open("mdl"), "Search by hand")
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
    visitor.open("network").open("mdl")  # the network stays
    assert visitor.shows(steps - 1)


@pytest.mark.slow
def test_edges_are_added_reversed_deleted_and_cycles_refused_by_name(visitor):
    turn_to(visitor.on("titanic").own().open("mdl"), "Search by hand")
    data = data_of("titanic")
    a, b, c = data.names[:3]

    def pick(parent, child):
        next(box for box in visitor.at.selectbox if box.label == "From").set_value(parent).run()
        next(box for box in visitor.at.selectbox if box.label == "To").set_value(child).run()

    def own_bits():
        return frame_with(visitor, "above_best_bits").set_index("network").loc["your own", "mdl_bits"]

    pick(a, b)
    visitor.button("Add")
    assert own_bits() == pytest.approx(bn.mdl(data, [(a, b)]).mdl)
    visitor.button("Reverse")
    assert own_bits() == pytest.approx(bn.mdl(data, [(b, a)]).mdl)
    pick(a, c)
    visitor.button("Add")
    pick(c, b)
    visitor.button("Add")
    (warning,) = visitor.messages
    assert f"{c} → {b} → {a} → {c}" in warning
    pick(b, a)
    visitor.button("Delete")
    assert visitor.messages == []
    assert own_bits() == pytest.approx(bn.mdl(data, [(a, c)]).mdl)
    changes = frame_with(visitor, "change")
    expected = bn.teaching.single_changes(data, [(a, c)])
    assert changes["change"].tolist() == [f"{x.kind} {x.parent} → {x.child}" for x in expected]
    assert changes["mdl_bits"].tolist() == [x.bits for x in expected]


@pytest.mark.slow
def test_the_price_of_a_parameter(visitor):
    turn_to(visitor.open("mdl"), "Cost of a parameter")
    visitor.at.select_slider(key=Key.PRECISION_ROWS).set_value(300).run()
    visitor._check()
    table = bn.teaching.parameter_precision(300)
    best = table.loc[table["total_bits"].idxmin()]
    assert visitor.shows(int(best["values"]), float(best["cost_bits"]), 0.5 * math.log2(300))
    shown = frame_with(visitor, "half_log2").set_index("rows")
    for n_rows in (10, 10_000):
        table = bn.teaching.parameter_precision(n_rows)
        best = table.loc[table["total_bits"].idxmin()]
        assert shown["total_bits"][n_rows] == best["total_bits"]
        assert shown["half_log2"][n_rows] == 0.5 * math.log2(n_rows)


@pytest.mark.slow
def test_search_space(visitor):
    turn_to(visitor.open("mdl"), "Search space")
    metrics = {metric.label: metric.value for metric in visitor.at.metric}
    assert metrics == {
        "Undirected graphs": "268,435,456",
        "Directed acyclic graphs": "783,702,329,343",
        "Trees": "262,144",
    }
    visitor.at.number_input(key="space_n").set_value(30).run()
    assert re.match(r"\d\.\d\d × 10", visitor.at.metric[1].value)
    data = data_of("asia_1000")
    part = data.select(bn.teaching.most_dependent(data, 4))
    assert visitor.shows(bn.teaching.walk_tree(part, bn.TreeSearch(beam=2)).n_visited)
    for toggle in visitor.at.toggle:
        toggle.set_value(toggle.key == "walk_pairs").run()
        visitor._check()
    expected = bn.teaching.walk_tree(part, bn.TreeSearch(False, 0.5, None))
    assert visitor.shows(expected.n_visited)
    visitor.at.toggle(key="walk_pairs").set_value(False).run()
    assert visitor.shows(543)
    visitor.at.number_input(key="space_n").set_value(3).run()  # one control: the tree has no more variables than n
    three = data.select(bn.teaching.most_dependent(data, 3))
    assert visitor.shows(bn.teaching.walk_tree(three, bn.TreeSearch(False, 1.0, None)).n_visited)
