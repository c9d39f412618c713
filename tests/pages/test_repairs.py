"""Repairs on the Data page: proposed on arrival, made at once, taken back, and kept in links and sessions."""

import dataclasses
import io

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.reading import read_named
from bnengine.data.repairs import by_kind
from bnengine.experiment import recipe
from pages.shared.keys import Key
from tests import exports
from tests.pages.reading import shows
from tests.pages.test_treatment import cut_box

pytestmark = pytest.mark.slow

EXPORT = exports.hospital(21)
FRAME = read_named(io.BytesIO(EXPORT.content), EXPORT.name)


def boxes(visitor):
    """The boxes of single columns, and those of kinds of repairs."""
    found = [box for box in visitor.at.checkbox if str(box.key).startswith(f"{Key.REPAIR} ")]
    of_kinds = [box for box in found if str(box.key).startswith(f"{Key.REPAIR} kind ")]
    return [box for box in found if box not in of_kinds], of_kinds


def test_sure_repairs_are_made_and_said_and_each_kind_can_be_taken_back(visitor):
    visitor.upload(EXPORT.name, EXPORT.content)
    proposed = bn.proposals(FRAME)
    assert "is ready" in visitor.finding
    assert visitor.recipe == dataclasses.replace(visitor.recipe, **made_of(one for one in proposed if one.is_sure))
    columns, kinds = boxes(visitor)
    assert [box.value for box in columns] == [one.is_sure for one in proposed]
    assert [box.value for box in kinds] == [group[0].is_sure for group in by_kind(proposed)]
    before = visitor.recipe
    (missing,) = [box for box in kinds if box.value and " missing" in box.label]
    missing.uncheck().run()
    visitor.settle()
    assert {step[0] for step in before.repairs} - {step[0] for step in visitor.recipe.repairs} == {"missing"}
    visitor.at.button(Key.UNDO).click().run()
    assert visitor.settle().recipe == before
    (of_one,) = [box for box in boxes(visitor)[0] if box.label.startswith("'Schmerz'") or "'Schmerz'" in box.label][:1]
    of_one.uncheck().run()
    assert len(visitor.settle().recipe.repairs) == len(before.repairs) - 1
    assert any("made)" in box.label for box in boxes(visitor)[1])


def made_of(repairs):
    repairs = list(repairs)
    return {
        "repairs": tuple(one.step for one in repairs if one.kind != "leave_out"),
        "leave_out": tuple(one.column for one in repairs if one.kind == "leave_out"),
    }


def test_the_table_as_it_was_read_is_repaired_once_however_often_the_page_is_drawn(visitor, monkeypatch):
    """Repairs of a large table take seconds."""
    visitor.upload(EXPORT.name, EXPORT.content)
    given, repair = [], recipe.repaired
    monkeypatch.setattr(recipe, "repaired", lambda frame, steps: given.append(frame) or repair(frame, steps))
    visitor.run()
    assert [frame for frame in given if frame["Schmerz"].equals(FRAME["Schmerz"])] == []


def test_what_is_kept_of_a_date_is_chosen(visitor):
    visitor.upload(EXPORT.name, EXPORT.content)
    box = next(box for box in visitor.at.selectbox if box.label == "Keep of Aufnahme")
    box.set_value(("dmy", "month")).run()
    visitor.settle()
    assert ("date", "Aufnahme", "dmy", "month") in visitor.recipe.repairs
    assert "Aufnahme (month)" in visitor.data.names


def test_repairs_come_with_a_link(visitor):
    recipe = visitor.upload(EXPORT.name, EXPORT.content).recipe
    assert visitor.open("network").experiment.data == recipe
    assert bn.Experiment.from_link(visitor.experiment.to_link()).data == recipe
    assert {frozenset(edge) for edge in visitor.experiment.learn(recipe.prepare(FRAME)).edges} >= EXPORT.truth


def test_a_page_learns_from_the_rows_that_a_script_learns_from(visitor):
    """Repairs were made twice on pages: of 100 rows 50 were left, and 90 in a script."""
    frame = pd.DataFrame({"w": ["99 kg"] * 40 + ["99"] * 10 + ["70 kg"] * 50, "x": [*"abc", "d"] * 25})
    visitor.upload("weights.csv", frame.to_csv(index=False))
    steps = (("missing", "w", "99"), ("number", "w", "point"))
    visitor.at.session_state["recipe"] = dataclasses.replace(visitor.recipe, repairs=steps, missing="drop_rows")
    visitor.at.run()
    assert visitor.data.n_rows == visitor.recipe.prepare(frame).n_rows == 90


def test_settings_of_a_demonstration_are_put_aside_for_ones_own_data(visitor):
    visitor.at.button(key=Key.PAPER).click().run()
    chosen = visitor.experiment
    assert (chosen.score, type(chosen.search)) == (bn.BDeu(1.0), bn.K2)
    visitor.upload(EXPORT.name, EXPORT.content)  # with measurements
    assert (visitor.experiment.score, visitor.experiment.search) == (bn.GaussianBIC(), bn.Experiment().search)
    visitor.choose(Key.SCORE, "aic")
    visitor.upload("other.csv", "a;b\n" + "x;1\ny;2\n" * 20)  # one's own settings stay for one's own data
    assert visitor.experiment.score == bn.AIC()


@pytest.mark.parametrize("page", ["data", "network"])
def test_states_are_joined_where_there_are_many_for_few_rows(visitor, page):
    pain = np.random.default_rng(3).integers(0, 11, (250, 2))
    pain[:, 1] = np.clip(7 - pain[:, 0] + pain[:, 1] % 7, 0, 10)
    visitor.upload("diary.csv", pd.DataFrame(pain, columns=["pain", "sleep"]).to_csv(index=False))
    visitor.go(page)
    assert any("2 variables have 11 states" in text.value for text in visitor.at.markdown)
    visitor.at.button(key=Key.JOIN_STATES).click().run()
    assert visitor.recipe.joined == ["pain", "sleep"]
    assert not visitor.settle().has(Key.JOIN_STATES)
    if page == "network":
        assert visitor.shows("1 edge")
        assert "pain now has " in visitor.note("joined").replace("*", "")
        visitor.at.button(key=Key.SEPARATE).click().run()
        assert visitor.recipe.joined == []


def test_joined_states_are_seen_and_taken_back_after_a_reload(visitor, arrive):
    """Of saved settings, only the other repairs were listed, and nothing led back to the states of the file."""
    rng = np.random.default_rng(4)
    answers = rng.choice(["strongly disagree", "disagree", "neutral", "agree", "strongly agree"], (237, 2))
    frame = pd.DataFrame(answers, columns=["useful", "clear"]).assign(
        topic=rng.choice([f"topic {k}" for k in range(15)], 237), hours=rng.choice([1, 2, 3, 5, 8, 12], 237)
    )
    visitor.upload("survey.csv", frame.to_csv(index=False))
    before = visitor.recipe
    visitor.at.button(key=Key.JOIN_STATES).click().run()
    joined = visitor.settle().experiment
    again = arrive(**{Key.ADDRESS: joined.to_link()})
    again.upload("survey.csv", frame.to_csv(index=False))
    assert again.experiment == joined
    columns, (every,) = boxes(again)
    assert (every.label, every.value, len(columns)) == ("States were joined in 4 columns.", True, 4)
    assert columns[0].label.endswith(f"**{'; '.join(again.data.states[0])}**")
    lines = again.frame("before", "states")
    assert lines[["before", "states"]].to_numpy().tolist() == [[5, 3], [5, 3], [15, 4], [6, 3]]
    assert lines["cut"].tolist()[-1] == "Equal frequency"
    assert any(one.proto.popover.label == "Numbers: not discretized, but for 1" for one in again.at.get("popover"))
    columns[0].uncheck().run()
    assert again.settle().recipe.joined == ["clear", "topic", "hours"]
    boxes(again)[1][0].uncheck().run()
    assert again.settle().recipe == before
    assert again.has(Key.JOIN_STATES)


def test_an_edge_that_cutting_may_have_made_is_marked(visitor):
    export = exports.churn(35)
    table = read_named(io.BytesIO(export.content), export.name)[["plan", "session_minutes", "usage_gb"]]
    visitor.few().upload("customers.csv", table.to_csv(index=False))
    cut_box(visitor).set_value("quantile").run()
    visitor.go("network").run().settle()
    listed = visitor.edges_listed.values()
    marked = [set(line["ends"]) for line in listed if "Cutting may have made this edge" in line["text"]]
    assert marked == [{"plan", "usage_gb"}]
    assert shows(visitor.note("verdict"), "plan – usage_gb")
    assert [line["numbers"][1][-1] == "*" for line in listed] == [set(line["ends"]) in marked for line in listed]
