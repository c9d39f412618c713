"""Repairs on the Data page: proposed on arrival, made with a click, taken back, and kept in links and sessions."""

import io

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from pages.shared.keys import Key
from tests import exports
from tests.pages.reading import shows

pytestmark = pytest.mark.slow

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
    data = visitor.at.session_state["dataset"][1][0]
    made = bn.prepare(FRAME)
    assert data.names == tuple(made.columns)
    visitor.at.button("undo_repair").click().run()
    assert visitor.settle().recipe == before


def test_what_is_kept_of_a_date_is_chosen(visitor):
    visitor.upload(EXPORT.name, EXPORT.content)
    visitor.at.button("accept_all").click().run()
    visitor.settle()
    box = next(box for box in visitor.at.selectbox if box.label == "Keep of Aufnahme")
    box.set_value(("dmy", "month")).run()
    visitor.settle()
    assert ("date", "Aufnahme", "dmy", "month") in visitor.recipe.repairs
    assert "Aufnahme (month)" in visitor.at.session_state["dataset"][1][0].names


@pytest.mark.parametrize("page", ["learn", "data"])
def test_repairs_come_with_a_link(visitor, page):
    visitor.upload(EXPORT.name, EXPORT.content)
    visitor.at.button("accept_all").click().run()
    recipe = visitor.settle().recipe
    assert visitor.go(page).experiment.data == recipe
    assert bn.Experiment.from_link(visitor.experiment.to_link()).data == recipe
    assert {frozenset(edge) for edge in visitor.experiment.learn(recipe.prepare(FRAME)).edges} >= EXPORT.truth


def test_settings_of_a_demonstration_are_put_aside_for_ones_own_data(visitor):
    visitor.at.button(key=Key.PAPER).click().run()
    chosen = visitor.experiment
    assert (chosen.score, type(chosen.search)) == (bn.BDeu(1.0), bn.K2)
    default = bn.Experiment()
    visitor.upload(EXPORT.name, EXPORT.content)
    assert (visitor.experiment.score, visitor.experiment.search) == (default.score, default.search)
    said = visitor.note("reset settings")
    assert chosen.score.name in said
    assert "ALARM" in said
    visitor.at.button(key=Key.KEEP).click().run()
    assert visitor.experiment.score == chosen.score
    assert type(visitor.experiment.search) is bn.K2
    assert not visitor.has(Key.KEEP)
    visitor.upload("other.csv", "a;b\n" + "x;1\ny;2\n" * 20)  # one's own settings stay for one's own data
    assert visitor.experiment.score == chosen.score


def test_learn_leads_to_open_repairs_and_joins_states(visitor):
    visitor.upload(EXPORT.name, EXPORT.content)
    visitor.go("learn")
    assert any("proposed repairs of this table are still open" in text.value for text in visitor.at.markdown)
    pain = np.random.default_rng(3).integers(0, 11, (250, 2))
    pain[:, 1] = np.clip(7 - pain[:, 0] + pain[:, 1] % 7, 0, 10)
    visitor.upload("diary.csv", pd.DataFrame(pain, columns=["pain", "sleep"]).to_csv(index=False))
    visitor.go("learn")
    assert "finds **no edge**" in visitor.finding
    assert any("2 variables without an edge have 11" in text.value for text in visitor.at.markdown)
    visitor.at.button(key=Key.of(Key.REPAIR, "join")).click().run()
    assert visitor.settle().shows("1 edge")
    assert {tuple(one) for one in visitor.recipe.per_column} == {("pain", "quantile"), ("sleep", "quantile")}


def test_an_edge_by_binning_alone_is_marked(visitor):
    export = exports.churn(35)
    table = bn.read_table(io.BytesIO(export.content), name=export.name)[["plan", "session_minutes", "usage_gb"]]
    visitor.few().upload("customers.csv", table.to_csv(index=False))
    visitor.at.button("accept_all").click().run()
    visitor.settle().go("learn").run()
    (warning,) = visitor.at.warning
    assert shows(warning.value, "plan – usage_gb")
    (network,) = visitor.networks
    names = [node["name"] for node in network["nodes"]]
    dashed = [{names[v] for v in edge["ends"]} for edge in network["edges"] if edge["dash"] == "dash"]
    assert dashed == [{"plan", "usage_gb"}]
    (edges,) = [frame.value for frame in visitor.at.main.dataframe if "gain_nats" in frame.value]
    doubted = edges[edges["finer_bins"].str.startswith("gone")]
    assert [set(pair) for pair in doubted[["parent", "child"]].to_numpy()] == [{"plan", "usage_gb"}]
    visitor.go("confidence").settle()
    assert any(shows(warning.value, "plan – usage_gb") for warning in visitor.at.warning)
    listed = visitor.edges_listed.values()
    assert [set(line["ends"]) for line in listed if "by binning alone" in line["text"]] == [{"plan", "usage_gb"}]
