"""The network on a page: which part is shown, what a click on an edge offers, what can be taken along."""

import dataclasses
import io
import json

import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.edge_facts import forbidding, with_replacement
from pages.shared.keys import Key

pytestmark = pytest.mark.slow

ASIA = bn.Experiment(bn.Recipe("sample", "asia_1000"), ties="columns")


def drawn(visitor):
    """What the view on the page is given."""
    (network,) = visitor.networks
    return network


def names_in(visitor):
    return [node["name"] for node in drawn(visitor)["nodes"]]


def edges_in(visitor):
    names = names_in(visitor)
    return {tuple(names[v] for v in edge["ends"]) for edge in drawn(visitor)["edges"]}


def choose(visitor, key, value):
    """As a click in the view does."""
    visitor.at.session_state[key] = value
    return visitor.run()


def about(visitor):
    """Open the drawer of the chosen edge."""
    visitor.at.button(key=Key.ABOUT_EDGE).click()
    return visitor.run()


@pytest.fixture
def learned(arrive):
    return arrive(run=ASIA.to_link()).go("learn")


@pytest.fixture(scope="module")
def graph():
    return ASIA.learn(ASIA.data.prepare(ASIA.data.load()))


def test_the_view_has_the_graph_and_its_legend(learned, graph):
    assert edges_in(learned) == set(graph.edges)
    assert set(names_in(learned)) == set(graph.names)
    spec = drawn(learned)
    assert spec["clickable"]
    assert spec["alt"].endswith(f"{len(graph.edges)} edges")
    assert len(spec["legend"]) == 2


def test_an_edge_that_was_clicked_can_be_forbidden_and_allowed_again(learned, graph):
    edge = graph.edges[0]
    choose(learned, "chosen_edge", edge)
    names = names_in(learned)
    assert tuple(names[v] for v in drawn(learned)["chosen"]) == edge
    about(learned).at.button(key=Key.FORBID).click().run()
    learned.settle()
    assert learned.experiment.constraints == bn.Constraints(forbidden=[edge])
    assert edge not in edges_in(learned)
    assert learned.shows(f"{len(edges_in(learned))} edges")
    about(learned).at.button(key=Key.FREE).click().run()
    learned.settle()
    assert learned.experiment.constraints == bn.Constraints()
    assert edge in edges_in(learned)


def test_the_drawer_tells_what_the_engine_tells(learned, graph):
    edge = graph.edges[0]
    choose(learned, "chosen_edge", edge)
    told = bn.explain_edge(learned.experiment.load(), *edge, learned.experiment.full_score, graph=graph)
    about(learned)
    for topic in ("direction", "score", "counts"):
        assert learned.note(f"edge {topic}") == told.sentences[topic]
    cells = next(frame.value for frame in learned.at.dataframe if f"{told.child} = yes" in frame.value)
    shown = [[int(cell.split(" ")[0]) for cell in line] for line in cells.iloc[:, 1:].to_numpy()]
    assert shown == told.observed.tolist()
    assert not learned.has(Key.chart("edge answers"))  # nothing is known yet of how far it can be trusted
    learned.settle()
    experiment = learned.experiment
    without = dataclasses.replace(experiment, constraints=forbidding(experiment.constraints, *edge))
    replaced = with_replacement(told, graph, without.learn(learned.experiment.load()))
    assert learned.note("edge without") == replaced.sentences["without"]
    choose(learned, "chosen_edge", ("asia", "smoke"))  # which are not joined
    about(learned)
    assert not learned.has(Key.note("edge without"))


def test_a_variable_that_was_clicked_has_its_probabilities_with_their_counts(learned, graph):
    data = ASIA.data.prepare(ASIA.data.load())
    child = next(child for _, child in graph.edges)
    parents = [p for p, c in graph.edges if c == child]
    choose(learned, "chosen_node", child)
    assert drawn(learned)["chosen"] == names_in(learned).index(child)
    table = next(frame.value for frame in learned.at.main.dataframe if "rows" in frame.value)
    assert table["rows"].sum() == data.n_rows
    counts = data.to_frame().groupby([*parents, child], observed=True).size()
    for row in table.to_dict("records"):
        for state in data.states[data.index(child)]:
            n = counts.get((*(row[parent] for parent in parents), state), 0)
            assert row[f"P = {state}"] == pytest.approx(n / row["rows"])


def test_many_variables_start_around_one_of_them(arrive):
    experiment = bn.Experiment(bn.Recipe("network", "hepar2", n_rows=300, seed=1), bn.BIC(), ties="columns")
    visitor = arrive(run=experiment.to_link()).go("learn")
    box = next(box for box in visitor.at.selectbox if box.key.startswith(Key.AROUND))
    few = names_in(visitor)
    centre = few[drawn(visitor)["centre"]]
    assert box.value == centre
    assert centre in few
    assert len(few) < 40
    box.set_value(box.options[0]).run()
    assert len(names_in(visitor)) == 70
    assert drawn(visitor)["centre"] is None
    choose(visitor, "chosen_node", "age")
    visitor.at.button(key=Key.of(Key.ONLY, "learned_network")).click().run()
    assert "age" in names_in(visitor)
    assert len(names_in(visitor)) < 70


def test_files_hold_the_graph_its_confidences_and_its_settings(graph):
    from pages.shared.downloads import graph_file, network_file

    data, about = ASIA.data.prepare(ASIA.data.load()), {"experiment": ASIA.to_dict()}
    share = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(5)).confidence
    made = json.loads(graph_file(data.names, graph.edges, share, None, about, "json"))
    assert bn.Experiment.from_dict(made["graph"]["experiment"]) == ASIA
    table = pd.read_csv(io.BytesIO(graph_file(data.names, graph.edges, share, None, {}, "csv")))
    assert [tuple(pair) for pair in table[["from", "to"]].to_numpy()] == sorted(
        graph.edges, key=lambda edge: [data.index(name) for name in edge]
    )
    assert table["strength"].tolist() == [
        share[data.index(p), data.index(c)] for p, c in zip(table["from"], table["to"], strict=True)
    ]
    network = bn.read_network(io.BytesIO(network_file(data, graph.edges, "xdsl")), "xdsl")
    assert set(network.edges) == set(graph.edges)
