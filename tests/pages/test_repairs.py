"""Repairs on the Data page: proposed on arrival, made with a click, taken back, and kept in links and sessions."""

import io

import pytest

import bnengine as bn
from pages._shared.session import Key
from tests import exports

EXPORT = exports.hospital("de", 21)
FRAME = bn.read_table(io.BytesIO(EXPORT.content), name=EXPORT.name)


def boxes(visitor):
    return [box for box in visitor.at.checkbox if str(box.key).startswith(f"{Key.REPAIR} ")]


def test_repairs_are_proposed_accepted_and_undone(visitor):
    visitor.upload(EXPORT.name, EXPORT.content)
    proposed = bn.proposals(FRAME)
    useless = {one.column for one in proposed if one.kind == "leave_out"}
    assert f"usable, {len(proposed) - len(useless)} proposed repairs open" in visitor.finding
    assert len(boxes(visitor)) == len(proposed)
    assert [box.value for box in boxes(visitor)] == [one.kind == "leave_out" for one in proposed]
    before = visitor.recipe
    visitor.at.button("accept_all").click().run()
    visitor.settle()
    assert not visitor.at.exception
    assert "is ready" in visitor.finding
    assert set(visitor.recipe.repairs) == {one.step for one in proposed if one.kind != "leave_out"}
    assert visitor.recipe.discretization == "quantile"
    data = visitor.at.session_state["dataset"][1]
    made = bn.prepare(FRAME)
    assert data.names == tuple(made.columns)
    visitor.at.button("undo_repair").click().run()
    assert visitor.settle().recipe == before


def test_one_repair_is_made_and_taken_back(visitor):
    visitor.upload(EXPORT.name, EXPORT.content)
    before = visitor.recipe
    step = next(one.step for one in bn.proposals(FRAME) if one.kind == "spellings" and one.column == "Raucher")
    boxes(visitor)[[one.step for one in bn.proposals(FRAME)].index(step)].check().run()
    assert visitor.settle().recipe.repairs == (step,)
    boxes(visitor)[[one.step for one in bn.proposals(FRAME)].index(step)].uncheck().run()
    assert visitor.settle().recipe == before


def test_what_is_kept_of_a_date_is_chosen(visitor):
    visitor.upload(EXPORT.name, EXPORT.content)
    visitor.at.button("accept_all").click().run()
    visitor.settle()
    box = next(box for box in visitor.at.selectbox if box.label == "Keep of Aufnahme")
    box.set_value(("dmy", "month")).run()
    visitor.settle()
    assert ("date", "Aufnahme", "dmy", "month") in visitor.recipe.repairs
    assert "Aufnahme (month)" in visitor.at.session_state["dataset"][1].names


@pytest.mark.parametrize("page", ["learn", "data"])
def test_repairs_come_with_a_link(visitor, page):
    visitor.upload(EXPORT.name, EXPORT.content)
    visitor.at.button("accept_all").click().run()
    recipe = visitor.settle().recipe
    assert visitor.go(page).experiment.data == recipe
    assert bn.Experiment.from_link(visitor.experiment.to_link()).data == recipe
    assert {frozenset(edge) for edge in visitor.experiment.learn(recipe.prepare(FRAME)).edges} >= EXPORT.truth
