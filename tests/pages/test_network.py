"""The Network page: every view, the drawer and every exported file show the engine's numbers."""

import dataclasses
import io
import json
import threading
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

import bnengine as bn
from bnengine.answers.edge_answers import relation_table
from bnengine.answers.reliability import ends_sentence
from bnengine.answers.verdict import REAL
from bnengine.answers.views import learned_view, threshold_view, verdict_view
from bnengine.bootstrap.ensemble import l1_threshold
from bnengine.bootstrap.permutation_threshold import NoiseCheck
from bnengine.bootstrap.resampling_methods import LABELS, NAIVE
from bnengine.experiment.learning import real_posterior
from bnengine.plots.network_drawing import MOST_DRAWN, EdgeStyle
from bnengine.plots.verdict_drawing import HUBS
from bnengine.posterior.edge_posterior import real_refused
from bnengine.report.html_report import html_report
from bnengine.report.paper_kit import paper_kit
from bnengine.report.report_sentences import verdict_in_words
from bnengine.scores.edge_effect import EdgeEffect
from pages.network import export, threshold
from pages.network.run import Run
from pages.network.trust import certificate_sentence
from pages.network.views import REAL_HELP, remarks, strength
from pages.shared import experiments, in_use, state
from pages.shared.experiments import STUDY
from pages.shared.format import counted, expected_count, listed, percent, plus_minus, probability, short
from pages.shared.keys import Key
from pages.shared.widgets.edge_list import MOST_LISTED, Line, group_of
from tests.experiment.test_saved import members
from tests.pages.conftest import FEW
from tests.pages.reading import shows, unescaped
from tests.patience import HANG


def engine(visitor):
    """What the engine alone finds with the page's settings and data."""
    experiment, data = visitor.experiment, visitor.data
    study, posterior = experiment.run(data), real_posterior(experiment, data)
    found = bn.verdict(study, method=visitor.method, posterior=posterior, constraints=experiment.constraints, data=data)
    return Run(study, experiment, data, posterior, found)


def named(line):
    return f"{line.parent} {'→' if line.direction == 'settled' else '–'} {line.child}"


def check_view(visitor, view):
    """Picture and list have the view's edges, with its arrows, and both numbers; the verdict's others are faint."""
    table, listed, found = view.table(), visitor.edges_listed, view.found
    (network,) = visitor.networks
    names = [node["name"] for node in network["nodes"]]
    drawn = {tuple(names[v] for v in edge["ends"]): edge["arrow"] for edge in network["edges"]}
    absent = found.rows(view.not_here)
    shown = {(line.parent, line.child): line.direction == "settled" for line in table.itertuples()}
    assert {edge: drawn[edge] for edge in shown} == shown
    assert {frozenset(edge) for edge in drawn} - {frozenset(edge) for edge in shown} == {
        frozenset(pair) for pair in zip(absent["parent"], absent["child"], strict=True)
    }
    for line in table.itertuples():
        told = listed[named(line)]
        real = [probability(line.real)] if found.has_posterior else []
        assert told["numbers"] == [percent(line.found_again), *real, strength(found.effect(line.parent, line.child))]
        assert told["text"].startswith(found.sentence(line.parent, line.child))
        assert told["group"].lower().startswith(line.verdict)
    assert len(listed) == len(table) + len(absent)


def check_network(visitor):
    """All views of the page are those of the experiment run by the engine alone."""
    run = engine(visitor)
    assert visitor.shows(verdict_in_words(run.found, "**{}**".format))
    check_view(visitor.view("verdict"), verdict_view(run.found))
    check_view(visitor.view("learned"), learned_view(run.found, run.graph))
    assert shows(visitor.note("view"), len(run.graph.edges))
    visitor.view("threshold").slide(Key.SHARE_KEPT, 0.25)
    view = threshold_view(run.found, 0.25)
    check_view(visitor, view)
    assert shows(visitor.note("view"), int(view.shown.sum()))
    false, error = view.expected_false(run.real)
    if view.shown.any():
        assert expected_count(false, error) in visitor.note("view")
    visitor.view("naive")
    own = run.study.mean_edges("data")
    assert shows(visitor.note("numbers"), own if "data" in run.study.ensembles else round(own))
    confidence = {key: run.study.confidence(key, run.experiment.kind) for key in ("bootstrap", "bootstrap_corrected")}
    drawn = set(map(tuple, verdict_view(run.found).table()[["parent", "child"]].to_numpy()))
    for line in visitor.edges_listed.values():
        assert run.experiment.kind != "adjacency" or tuple(line["ends"][::-1]) not in drawn  # one pair, one name
        i, j = map(run.data.index, line["ends"])
        assert line["numbers"] == [percent(float(one[i, j])) for one in confidence.values()]
    return run


def written(visitor, column):
    """The table with this column as it is written, not as it is sorted."""
    (shown,) = [one.proto for one in visitor.at.dataframe if column in one.value]
    return convert_arrow_bytes_to_pandas_df(shown.arrow_data.styler.display_values)


@pytest.fixture
def few(visitor):
    """A visitor who asks for few resamples of a small table."""
    return visitor.on("asia_1000").go("network")


@pytest.mark.slow
def test_other_settings_lead_to_their_own_views(few):
    few.choose(Key.AVERAGED, "bootstrap")
    assert engine(few).found.answers.method == "bootstrap"
    few.view("naive").slide(Key.STRENGTH, 0.25)
    few.write(Key.FORBIDDEN, "bronc -> smoke").view("verdict")
    assert few.experiment.strength == 0.25
    assert few.experiment.constraints.forbidden == (("bronc", "smoke"),)
    assert "smoke → bronc" in few.edges_listed  # the other direction is not left
    check_network(few)


# Files: what is exported has the numbers of the screen.


@pytest.mark.slow
@pytest.mark.parametrize("name", ["verdict", "learned", "threshold", "naive"])
def test_files_hold_the_view_on_the_screen(few, name):
    few.view(name)
    run = engine(few)
    at = 0.3
    if name == "threshold":
        few.slide(Key.SHARE_KEPT, at)
    views = {"learned": learned_view(run.found, run.graph), "threshold": threshold_view(run.found, at)}
    view = views.get(name, verdict_view(run.found))
    listed = few.edges_listed
    edges = export.edges_of(run, dataclasses.replace(view, name=name))
    if name == "naive":
        pd.testing.assert_frame_equal(edges, run.study.edge_table(run.experiment.kind))
        return
    assert {named(line) for line in edges.itertuples()} <= set(listed)
    for line in edges.itertuples():
        assert listed[named(line)]["numbers"][:2] == [percent(line.found_again), probability(line.real)]
    links = json.loads(export.graph_file(run, view, "json"))["edges"]
    known = pd.DataFrame(links).rename(columns={"source": "parent", "target": "child"})
    both, table = ["parent", "child"], view.table()[list(known)]
    written, shown = (one.sort_values(both, ignore_index=True) for one in (known, table))
    pd.testing.assert_frame_equal(written, shown, check_dtype=False)
    assert {"verdict", "found_again", "real", "direction", "effect"} <= {*known}
    kit = members(paper_kit(run.experiment, run.data, run.study, run.real, view))
    read = pd.read_csv(io.BytesIO(kit["edges.csv"]))
    pd.testing.assert_frame_equal(read, edges, check_dtype=False)
    assert kit["network.svg"].startswith(b"<?xml")
    report = html_report(run.experiment, run.data, run.study, run.real, view)
    for line in edges.itertuples():
        assert f"{named(line)}</td>" in report
        assert f">{percent(line.found_again)}<" in report
    assert verdict_in_words(run.found) in report
    assert kit["report.html"].decode() == report


# The drawer.


@pytest.mark.slow
def test_the_drawer_tells_what_the_engine_tells_and_forbids(few):
    run = engine(few)
    edge = run.graph.edges[0]
    few.click(*edge).settle()
    limits = {"constraints": run.experiment.constraints, "method": run.method}
    told = bn.answers.explain_edge(run.data, *edge, run.experiment.full_score, run.study, run.real, **limits)
    for topic in ("answer", "direction", "score", "counts"):
        assert few.note(f"edge {topic}") == told.sentences[topic]
    cells = few.frame(told.parent, "yes")
    assert cells.columns.tolist() == [told.parent, "no", "yes"]  # in increasing order, whatever the network's is
    for line in cells.itertuples(index=False):
        places = [told.states[1].index(name) for name in cells.columns[1:]]
        counts = told.observed[told.states[0].index(line[0])][places]
        assert [int(cell.split(" ")[0]) for cell in line[1:]] == counts.tolist()
    few.at.button(key=Key.FORBID).click().run()
    few.settle()
    assert few.experiment.constraints == bn.Constraints(forbidden=[edge])
    few.click(*edge).at.button(key=Key.FREE).click().run()
    assert few.settle().experiment.constraints == bn.Constraints()


def test_who_closes_the_drawer_has_the_whole_page_drawn():
    """A page that was on its way then has opened the drawer again, which a part of the page would leave open."""

    def page():
        import streamlit as st

        from pages.shared import state
        from pages.shared.run import run_state

        run_state.remember_drawn()
        state.choose(("a", "b"))
        st.text(run_state.is_outdated())
        state.close_edge()
        st.text(run_state.is_outdated())

    assert [text.value for text in AppTest.from_function(page).run().text] == ["False", "True"]


def test_the_drawer_stays_open_when_the_last_method_is_known(few):
    """The choice of a method is drawn then for the first time: its first value is no change of the settings."""
    edge = few.graph.edges[0]
    few.open("data").at.session_state[Key.AVERAGED] = None
    few.click(*edge).open("network")
    assert few.has(Key.AVERAGED)
    assert few.at.session_state[Key.OPEN_EDGE] == edge
    assert few.note("edge answer")


@pytest.mark.slow
def test_a_variable_that_was_clicked_has_its_probabilities_with_their_counts(few):
    data, rows = few.data, verdict_view(engine(few).found).rows()
    settled = rows["direction"] == "settled"
    child = rows["child"][settled].iloc[0] if settled.any() else rows["child"].iloc[0]
    parents = rows["parent"][settled & (rows["child"] == child)].tolist()  # in the picture, not in the learned graph
    few.click(child)
    said = " ".join(one.value for one in few.at.markdown)
    assert not parents or f"Parents: {listed(parents)}." in said
    near = rows[(rows["parent"] == child) | (rows["child"] == child)]
    assert ("Direction open: " in said) == (near["direction"] == "open").any()
    (network,) = few.networks
    assert network["nodes"][network["chosen"]]["name"] == child
    table = few.frame("rows")
    assert table["rows"].sum() == data.n_rows
    counts = data.to_frame().groupby([*parents, child], observed=True).size()
    for row in table.to_dict("records"):
        for one in data.states[data.index(child)]:
            n = counts.get((*(row[parent] for parent in parents), one), 0)
            assert row[f"P = {one}"] == pytest.approx(n / row["rows"])


@pytest.mark.slow
def test_of_more_variables_than_are_drawn_at_once_the_page_shows_hubs_or_what_is_searched_for(arrive):
    experiment = bn.Experiment(bn.Recipe("network", "win95pts", n_rows=500, seed=1), n=2, ties="columns")
    visitor = arrive(run=experiment.to_link()).open("network")
    while not visitor.networks:
        visitor.run()  # not waiting for what is found out about its edges

    def drawn(choice):
        box = visitor.at.selectbox(key=Key.of(Key.AROUND, "network", repr(visitor.recipe)))
        assert choice in (box.value, "Problem1")
        box.set_value(choice).run()
        (network,) = visitor.networks
        nodes = {node["name"] for node in network["nodes"]}
        assert shows(visitor.note("verdict"), f"{len(nodes)} of 76 variables", f"{len(network['edges'])} of")
        return nodes

    assert 1 < len(drawn(HUBS)) <= MOST_DRAWN
    assert "Problem1" in drawn("Problem1")


def test_of_very_many_edges_the_first_are_listed_and_the_list_says_so():
    asked = []

    def line(edge):
        asked.append(edge.parent)
        return Line((edge.parent, edge.child), edge.parent, (), "")

    edges = pd.DataFrame({"parent": [f"v{k}" for k in range(10_000)], "child": "w"})
    group = group_of("Doubtful", "Why.", EdgeStyle("#000000", 1.0, ""), edges, line)
    assert asked == [one.name for one in group.lines] == list(edges["parent"][:MOST_LISTED])
    assert group.title == "Doubtful (10,000)"
    assert group.about.startswith(f"Why. The first {MOST_LISTED} are listed")
    assert group_of("Doubtful", "Why.", EdgeStyle("#000000", 1.0, ""), edges.head(3), line).about == "Why."


@pytest.mark.slow
def test_other_preparations_are_looked_up_once_and_not_for_each_edge(few, monkeypatch):
    asked, known = [], experiments.preparations_known
    monkeypatch.setattr(experiments, "preparations_known", lambda *of: asked.append(of) or known(*of))
    assert len(few.run().edges_listed) > len(asked) > 0


@pytest.mark.slow
def test_of_too_many_variables_the_page_says_that_real_is_not_worked_out_and_why(few, monkeypatch):
    assert not real_refused(few.data)
    many = bn.Dataset.from_frame(pd.DataFrame({f"v{k}": ["a", "b"] for k in range(26)}))
    required = bn.Constraints(required=[(f"v{k}", "v0") for k in range(1, 24)])
    assert "more than 20 required parents" in real_refused(many, 25, required)
    said = real_refused(bn.Dataset.from_frame(pd.DataFrame({f"v{k}": ["a", "b"] for k in range(2_000)})))
    assert shows(said, "2,000 variables", "2.0 GB")
    monkeypatch.setattr(experiments, "no_real", lambda *_: said)
    few.simulate("asia", 60, 3).few(8).go("network")
    assert few.note("no real") == unescaped(said)
    assert few.shows("more than half of fresh tables")
    assert few.edges_listed
    assert not few.at.error
    assert experiments.stored_posterior(few.experiment, few.data) is None


def test_the_verdict_is_made_once_for_what_it_is_about(few):
    held = few.at.session_state["verdict"][1]
    assert few.view("learned").run().at.session_state["verdict"][1] is held
    other = next(key for key in few.experiment.methods_run if key not in ("data", few.method))
    few.view("verdict").choose(Key.AVERAGED, other)
    assert few.at.session_state["verdict"][1].answers.method == other == few.method


def test_a_posterior_stopped_at_once_says_nothing_of_any_edge(compiled):
    """Its chains stand where they began: of 500 variables it called nearly all edges doubtful."""
    data = bn.load_network("child").sample(200, rng=1)
    effort = bn.posterior.Effort(n_bags=2)
    assert experiments.says_little(bn.edge_posterior(data, effort=effort, progress=lambda done, total: False))
    assert not experiments.says_little(bn.edge_posterior(data, effort=effort, n_steps=20_000))


@pytest.mark.slow
def test_the_verdict_waits_for_a_posterior_that_says_something(few, monkeypatch):
    stopped = bn.edge_posterior(few.data, method="order", progress=lambda done, total: False)
    monkeypatch.setattr(experiments, "stored_posterior", lambda *_: stopped)
    few.run()
    assert few.shows("more than half of fresh tables", "so far")
    assert few.warns("before it was known")
    assert not few.shows("found again and real")


def test_a_list_that_is_drawn_again_opens_no_drawer(monkeypatch):
    """While a constraint's graph is learned there is no list; that it then has a choice is no click."""
    held = {"list": SimpleNamespace(picked=["b", "a"])}
    monkeypatch.setattr(state.st, "session_state", held)
    state.choose(("a", "b"))
    state.close_edge()
    state.choose_in_network("list")
    assert held[Key.OPEN_EDGE] is None
    held["list"].picked = ["a", "c"]
    state.choose_in_network("list")
    assert held[Key.OPEN_EDGE] == ("a", "c")
    held["list"].picked = None
    state.choose_in_network("list")
    assert state.chosen_edge() is None


# Numbers as they come.


@pytest.mark.parametrize(
    ("status", "said"), [("converged", ", a first look after 20 of 200 replicates."), ("stopped", " after 20 of 200 ")]
)
def test_the_first_replicates_of_many_are_called_a_first_look(status, said):
    part = SimpleNamespace(n_graphs=20, n_planned=200, status=status)
    found, study = SimpleNamespace(preparation_sentence=""), SimpleNamespace(ensembles={NAIVE: part})
    run = SimpleNamespace(method=NAIVE, found=found, study=study)
    assert f"Found again by: naive bootstrap{said}" in " ".join(remarks(run, None, None))


@pytest.mark.slow
def test_the_learned_graph_is_shown_before_anything_is_known_of_its_edges(visitor, monkeypatch):
    run, go = bn.Experiment.run, threading.Event()

    def later(self, *args, **options):
        assert go.wait(HANG)
        return run(self, *args, **options)

    monkeypatch.setattr(bn.Experiment, "run", later)
    visitor.on("asia_1000").open("network")
    while not visitor.networks:
        visitor.run()
    graph = visitor.experiment.learn(visitor.data)
    assert visitor.has(Key.stop(STUDY))
    assert visitor.shows(counted(len(graph.edges), "edge"))
    (network,) = visitor.networks
    assert len(network["edges"]) == len(graph.edges)
    assert not visitor.edges_listed
    go.set()
    assert visitor.settle().edges_listed


# The threshold's rules.


def slider(visitor):
    return next(s for s in visitor.at.slider if s.key == visitor.key(Key.SHARE_KEPT))


@pytest.mark.slow
def test_a_threshold_is_one_figure_everywhere(few, monkeypatch):
    monkeypatch.setattr(threshold, "by_rule", lambda *_: 0.185)  # it was 0.18, 0.185 and 19%
    few.view("threshold")
    assert (slider(few).value, "suggested: 19%" in slider(few).label) == (0.19, True)
    assert "in 19% or more" in few.note("view")


@pytest.mark.slow
def test_threshold_rules_suggest_what_the_engine_says(few):
    study, method = engine(few.view("threshold")).study, few.method
    assert slider(few).value == pytest.approx(study.strength_threshold(method, "adjacency"), abs=0.006)
    few.choose("rule", "l1")
    assert slider(few).value == pytest.approx(l1_threshold(study.strength(method, "adjacency")), abs=0.006)
    few.choose("rule", "permutation").button("Learn from shuffled data").settle()
    experiment = dataclasses.replace(few.experiment, kind="adjacency")
    found = experiment.permutation_threshold(few.data, method, study.ensembles[method])
    assert slider(few).value == pytest.approx(min(found.threshold, 1.0), abs=0.006)


def test_the_view_is_in_the_address_and_in_the_link(arrive):
    few = bn.Experiment(bn.Recipe("network", "cancer", n_rows=300, seed=3), n=20)
    visitor = arrive(run=few.to_link(), view="learned").go("network")
    assert visitor.at.segmented_control(key=Key.VIEW).value == "learned"
    visitor.view("threshold")
    assert visitor.at.query_params["view"] == "threshold"
    visitor.at.segmented_control(key=Key.TAKE).set_value("session").run()
    assert any("view=threshold" in code.value for code in visitor.at.code)
    visitor.turn(Key.TAKE, "methods")
    (methods,) = (code.value for code in visitor.at.code if "The graph maximizes BIC" in code.value)
    assert "300 rows, 5 discrete variables" in methods
    assert "Schwarz, Gideon (1978)." in methods


def test_short_names_are_offered_where_names_are_cut_and_stand_in_the_picture(visitor):
    answers = bn.load_network("cancer").sample(300, rng=1).to_frame()
    answers.columns = [f"Q{k}. I agree with statement {name}" for k, name in enumerate(answers, start=1)]
    visitor.few().upload("survey.csv", answers.to_csv(index=False)).go("network")
    visitor.at.toggle(key=Key.SHORT_NAMES).set_value(True).run()
    (network,) = visitor.settle().networks
    assert [node["label"] for node in network["nodes"]] == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    assert network["nodes"][0]["name"] == answers.columns[0]


def test_a_threshold_that_was_chosen_stays_and_goes_along(arrive, monkeypatch):
    """A link with 0.7 opened at 0.5, and a new suggestion took back what the visitor had chosen."""
    small = bn.Experiment(bn.Recipe("network", "cancer", n_rows=300, seed=3), n=20)
    visitor = arrive(run=dataclasses.replace(small, threshold=0.7).to_link(), view="threshold").go("network")
    assert slider(visitor).value == 0.7
    assert "in 70% or more" in visitor.note("view")
    assert not visitor.warns("settings you opened")
    visitor.slide(Key.SHARE_KEPT, 0.25)
    held = visitor.at.query_params["run"]
    assert bn.Experiment.from_link(held if isinstance(held, str) else held[0]).threshold == 0.25
    assert visitor.experiment.threshold == 0.25
    monkeypatch.setattr(threshold, "by_rule", lambda *_: 0.4)
    visitor.run()
    assert (slider(visitor).value, "suggested: 40%" in slider(visitor).label) == (0.25, True)
    visitor.slide(Key.SHARE_KEPT, 0.4)  # the suggestion is followed again
    assert visitor.experiment.threshold is None
    monkeypatch.setattr(threshold, "by_rule", lambda *_: 0.6)
    assert slider(visitor.run()).value == 0.6
    visitor.slide(Key.SHARE_KEPT, 0.1).choose("rule", "l1")
    assert (slider(visitor).value, visitor.experiment.threshold) == (0.6, None)


@pytest.mark.slow
def test_what_was_chosen_for_one_table_is_named_and_does_not_wander_to_the_next(few):
    few.view("naive").slide(Key.STRENGTH, 0.8).view("threshold").slide(Key.SHARE_KEPT, 0.9).view("naive")
    line = next(text.value for text in few.at.caption if "replicates" in text.value and "seed" in text.value)
    assert "correction of 0.8 nats per parameter" in line
    assert "the corrected bootstrap of 0.8 nats per parameter" in few.note("numbers")
    few.sample("titanic").go("network")
    assert (few.experiment.strength, few.experiment.threshold) == (0.5, None)
    assert few.at.segmented_control(key=few.key(Key.VIEW)).value == "verdict"
    assert not any("nats per parameter" in text.value for text in few.at.caption)


# Can I trust it?


@pytest.mark.slow
def test_the_known_network_is_laid_over_list_and_picture(visitor, monkeypatch):
    visitor.on("asia", 2000, 1).go("network")
    visitor.at.toggle(key=Key.TRUTH_OVER).set_value(True).run()
    edges = bn.load_network("asia").edges
    truth, found = {frozenset(edge) for edge in edges}, engine(visitor).found
    for line in found.table().itertuples():
        joined = "✓" if (line.parent, line.child) in edges or line.direction != "settled" else "⇄"
        assert visitor.edges_listed[named(line)]["mark"] == (joined if {line.parent, line.child} in truth else "✗")
    (network,) = visitor.networks
    names = [node["name"] for node in network["nodes"]]
    assert truth <= {frozenset(names[v] for v in edge["ends"]) for edge in network["edges"]}  # also what was missed
    n_found = sum({line.parent, line.child} in truth for line in found.table().itertuples())
    assert shows(visitor.note("verdict"), f"{n_found} of {len(truth)}")
    assert REAL in found.kinds
    turned = [(line.child, line.parent) for line in found.table().itertuples()]
    monkeypatch.setattr(in_use, "reference", lambda names: in_use.Reference("turned", turned))
    assert "settled" in found.table()["direction"].tolist()
    visitor.run()
    for line in found.table().itertuples():  # a settled arrow is right only in its direction
        told, settled = visitor.edges_listed[named(line)], line.direction == "settled"
        assert told["mark"] == ("⇄" if settled else "✓")
        assert ("reversed" in told["text"].lower()) == settled
    (network,) = visitor.networks
    for edge in network["edges"]:
        assert any("reversed" in words for words in edge["text"]) == edge["arrow"]


@pytest.mark.slow
def test_rows_needed_and_questions_beyond_one_edge(few):
    run = engine(few)
    few.unfold("trust").button("Find out").settle()
    arguments = run.experiment.arguments
    found = bn.rows_needed(run.data, arguments.pop("score"), arguments.pop("search"), posterior=run.real, **arguments)
    found = found.through(run.study.ensembles["predictive"]).of(run.found.edges)
    listed = set(map(frozenset, few.frame("fewest")[["parent", "child"]].to_numpy().tolist()))
    assert set(map(frozenset, run.found.edges)) <= listed
    assert few.note("rows needed") == found.sentence
    low, high = f"≤ {found.sizes[0]:,}", f"> {found.sizes[-1]:,}"
    needed = [low if n <= found.sizes[0] else high if np.isnan(n) else f"{n:,.0f}" for n in found.table()["rows"]]
    assert few.frame("fewest")["rows"].tolist() == found.table()["rows"].fillna(np.inf).tolist()  # to sort by
    assert written(few, "fewest")["rows"].tolist() == needed
    assert written(few, "fewest")["found_again"].tolist() == [percent(one) for one in found.table()["found_again"]]
    assert {low, high} & set(needed)
    again = run.study.ensembles["predictive"].adjacency_confidence
    place = {name: v for v, name in enumerate(run.data.names)}
    for line in few.frame("fewest").to_dict("records"):  # one number for one question, as in the list of edges
        assert line["found_again"] == again[place[line["parent"]], place[line["child"]]]
    few.part("trust", Key.TRUST, "relations").at.segmented_control(key=Key.RELATION).set_value("blanket").run()
    few.choose(Key.RELATION_OF, "smoke").choose(Key.RELATION_TO, "bronc")
    expected = relation_table(run.study, run.method, run.real, "blanket", "smoke")
    assert few.frame("variable", "real")["real"].tolist() == expected["real"].tolist()
    assert written(few, "real")["real"].tolist() == [probability(one) for one in expected["real"]]
    assert written(few, "real")["found_again"].tolist() == [percent(one) for one in expected["found_again"]]
    line = expected.set_index("variable").loc["bronc"]
    assert probability(line["real"], (line["real_low"], line["real_high"])) in few.note("relation")


# How the methods compare, how it was found.


@pytest.mark.slow
def test_every_method_s_numbers_are_the_engine_s(few):
    few.unfold("methods").at.multiselect(key=Key.METHODS).set_value(["jackknife_delete_d", "bootstrap_matched"]).run()
    study = few.settle().experiment.run()
    shown = few.frame("method", "replicates").set_index("method")
    for key, line in zip(study.keys, study.table1().itertuples(), strict=True):
        assert shown.loc[LABELS[key], "edges"] == plus_minus(line.mean, line.sd)
    assert shown.loc[LABELS["bootstrap_matched"], "strength"] == short(study.ensembles["bootstrap_matched"].strength)
    assert few.at.get("plotly_chart")  # the numbers of edges below the table
    for name, n_pictures in (("overstated", 1), ("spurious", 2)):
        few.part("methods", Key.METHODS_VIEW, name)
        assert len(few.at.get("plotly_chart")) == n_pictures


@pytest.mark.slow
def test_how_it_was_found(visitor):
    visitor.on("cancer", 300, 2).go("network").unfold("found by")
    data, graph = visitor.data, visitor.graph
    lengths = visitor.frame("graph", "bits").set_index("graph")
    assert lengths.loc["Best-scoring graph", "bits"] == pytest.approx(bn.mdl(data, graph.edges).mdl)
    assert lengths.loc["No edges", "bits"] == pytest.approx(bn.mdl(data, []).mdl)
    assert lengths.loc["Known network, CANCER", "edges"] == len(bn.load_network("cancer").edges)
    visitor.part("found by", Key.FOUND_BY, "searches").button("Compare").settle()
    table = visitor.frame("below_best")
    assert table["score"].max() == pytest.approx(bn.learn(data, search=bn.Exact(max_parents=4)).score)
    np.testing.assert_allclose(table["below_best"], table["score"].max() - table["score"], atol=1e-9)


@pytest.mark.slow
def test_what_is_proved_of_the_best_graph(few):
    assert "Yes" in few.part("trust", Key.TRUST, "proof").note("certificate")
    graph = SimpleNamespace(score=-100.0)
    better = "no network with at most 3 parents of a variable"
    for status, gap, score, said in (
        ("optimal", 0.0, -100.0, f"**Proved:** {better} scores higher (9 s)."),
        ("stopped", 2.5, -100.0, f"only that {better} can score more than **2.5 nats** higher."),
        ("stopped", 2.5, -98.0, "That one is 2 nats above this graph."),
    ):
        made = SimpleNamespace(status=status, gap=gap, graph=SimpleNamespace(score=score), max_parents=3)
        assert said in certificate_sentence(made, 9.0, graph)


def test_strengths_have_the_same_decimals():
    trends = [EdgeEffect("a", "b", "trend", value, (value - 0.1, value + 0.1), 1, 100) for value in (0.8, 0.79, -0.3)]
    assert [strength(one) for one in trends] == ["τ +0.80", "τ +0.79", "τ −0.30"]


def test_how_sure_real_is_at_its_ends_is_said_beside_it():
    assert ends_sentence() in REAL_HELP


def test_edges_of_a_table_that_shows_as_many_in_copies_lose_their_name(visitor, monkeypatch):
    """The check comes last; then sentence, list, picture and file say so, and why."""
    check = NoiseCheck(*np.array([[9, 9], [0, 0], [0, 0]]), (), 2201, 2, "converged")
    monkeypatch.setattr(bn.Experiment, "noise_check", lambda *_, **__: check)
    visitor.on("titanic").go("network")
    assert visitor.shows("have both numbers above one half")
    warning = "With its columns shuffled, this table still shows 9 such edges"
    assert any(warning in one.value for one in visitor.at.warning)
    assert any(one["group"].startswith("Both numbers above one half") for one in visitor.edges_listed.values())


def test_the_finding_is_provisional_until_copies_are_checked(visitor, monkeypatch):
    """Then a line where the progress was tells what the check was, and the picture stays where it is."""
    goes_on, check = threading.Event(), NoiseCheck(*np.zeros((3, 2), dtype=int), (), 2201, 2, "converged")

    def checked(*_, progress, **__):
        while not goes_on.wait(0.05):
            progress(1, 4)
        return check

    monkeypatch.setattr(bn.Experiment, "noise_check", checked)
    visitor.on("titanic").open("network")
    end = time.monotonic() + HANG
    while not any("“real” is provisional" in one.proto.text for one in visitor.at.get("progress")):
        assert time.monotonic() < end
        visitor.run()
    assert "found again and real" in visitor.finding
    assert visitor.finding.endswith("so far.")
    goes_on.set()
    visitor.settle()
    assert "so far" not in visitor.finding
    assert visitor.note("noise").endswith(" copies of 2,201 rows: no edge of any copy is found again and real.")


def test_cuts_are_learned_in_every_replicate_where_that_is_chosen(arrive):
    """The settings line says so, a link keeps it, and what is found again is that of replicates cut anew."""
    key, words = Key.setting("recut"), "cuts learned in every replicate"
    columns = tuple(bn.load_sample("regulon_raw").columns[:5])
    recipe = bn.Recipe("sample", "regulon_raw", columns=columns, discretization="quantile")
    visitor = arrive(run=bn.Experiment(recipe, n=FEW).to_link()).open("network").settle()
    assert not any(words in line.value for line in visitor.at.caption)
    visitor.at.checkbox(key=key).check().run()
    visitor.settle()
    assert visitor.experiment.recut
    assert any(words in line.value for line in visitor.at.caption)
    assert visitor.method == "bootstrap_corrected"
    run = engine(visitor)
    assert run.study.ensembles["bootstrap"].resampler == "bootstrap, cut anew"
    check_view(visitor, verdict_view(run.found))
    other = arrive(run=visitor.experiment.to_link()).open("network")
    assert other.experiment == visitor.experiment
    other.sample("titanic").go("network")
    assert key not in [box.key for box in other.at.checkbox]
    assert not other.experiment.recut


@pytest.mark.slow
def test_figure_1_stays_while_the_replicates_are_learned_with_another_strength(few, monkeypatch):
    few.view("naive")
    before, goes_on, run = few.note("numbers"), threading.Event(), bn.Experiment.run

    def held(self, *args, **options):
        goes_on.wait(HANG)
        return run(self, *args, **options)

    monkeypatch.setattr(bn.Experiment, "run", held)
    few.at.slider(key=Key.STRENGTH).set_value(1.5)
    few.run()
    assert few.note("numbers").startswith("The replicates are being learned again")
    assert few.note("numbers").endswith(before)
    assert len(few.at.get("plotly_chart")) == 3
    goes_on.set()
    few.settle()
    assert "learned again" not in few.note("numbers")
    assert "1.5 nats per parameter" in few.note("numbers")
