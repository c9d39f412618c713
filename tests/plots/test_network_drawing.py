"""The picture of a network: what the view in the browser is given."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers.views import verdict_view
from bnengine.graphs.dag import adjacency_of
from bnengine.plots.network_drawing import (
    MOST_DRAWN,
    EdgeStyle,
    NetworkPicture,
    around,
    blanket,
    hubs,
    lines_of,
    part_of,
    plain,
)
from bnengine.plots.verdict_drawing import learned_picture, signed_look, view_picture
from tests.graphs.test_layout import graph_of
from tests.plots.test_figures import ODD_NAMES


def styled(edges):
    return {edge: EdgeStyle("#000000", 1.0, "") for edge in edges}


def boxes(picture):
    return [layout["boxes"] for layout in picture.spec()["layouts"]]


@pytest.fixture(scope="module")
def alarm():
    return graph_of("alarm")


def test_a_picture_is_made_of_plain_data(alarm):
    names, edges = alarm
    spec = NetworkPicture(names, styled(edges), legend=[("sure", EdgeStyle("#000000", 1.0, ""))]).spec()
    assert json.loads(json.dumps(spec)) == spec
    assert [node["name"] for node in spec["nodes"]] == list(names)
    assert [tuple(edge["ends"]) for edge in spec["edges"]] == edges
    assert [entry["text"] for entry in spec["legend"]] == ["sure"]
    for layout in spec["layouts"]:
        assert len(layout["paths"]) == len(layout["heads"]) == len(edges)
        assert all(path.startswith("M") and "NaN" not in path for path in layout["paths"])
        assert all(layout["heads"])


def test_nodes_stay_when_the_threshold_moves(alarm):
    names, edges = alarm
    every = NetworkPicture(names, styled(edges), arrange=edges)
    fewer = NetworkPicture(names, styled(edges[:10]), arrange=edges)
    more = NetworkPicture(names, styled([*edges, (0, 1)]), arrange=edges)
    assert boxes(every) == boxes(fewer) == boxes(more)


def test_the_part_around_a_node_is_its_markov_blanket(alarm):
    names, edges = alarm
    node = names.index("HR")
    part = around(NetworkPicture(names, styled(edges)), node)
    net = bn.load_network("alarm")
    children = {child for parent, child in net.edges if parent == "HR"}
    expected = {"HR"} | children | {p for p, c in net.edges if c in children} | {p for p, c in net.edges if c == "HR"}
    assert set(part.names) == expected
    kept = {(part.names[i], part.names[j]) for i, j in part.edges}
    assert kept == {edge for edge in net.edges if set(edge) <= expected}
    assert blanket(edges, node) == sorted(names.index(name) for name in expected)


def test_of_many_neighbours_as_many_are_drawn_as_a_picture_holds():
    """The node itself and its own neighbours come before other parents of its children."""
    names = tuple(f"v{v}" for v in range(200))
    edges = [(v, 150) for v in range(20)] + [(150, 151)] + [(v, 151) for v in range(50, 149)]
    part = around(NetworkPicture(names, styled(edges)), 150)
    assert len(part.names) == MOST_DRAWN
    assert {"v150", "v151", *(f"v{v}" for v in range(20))} <= set(part.names)
    assert part.names[part.centre] == "v150"
    assert len(around(NetworkPicture(names, styled(edges)), 0).names) == 21


def test_hubs_come_with_their_neighbours_and_first_edges_with_their_ends():
    star = [(0, v) for v in range(1, 40)] + [(v, 90) for v in range(91, 140)] + [(200, 201)]
    assert hubs(star)[:2] == [90, 91]
    assert set(hubs(star)) >= {90, *range(91, 140)}
    assert len(hubs(star)) == MOST_DRAWN
    part = part_of(NetworkPicture(tuple(map(str, range(202))), styled(star), width_hint=620), [201, 0, 200])
    assert part.names == ("0", "200", "201")
    assert part.width_hint == 620
    assert list(part.edges) == [(1, 2)]


def test_odd_names_stay_text():
    edges = {(0, 1): EdgeStyle("#000000", 1.0, f"<b>{plain(ODD_NAMES[0])}</b><br>{plain(ODD_NAMES[1])}")}
    spec = NetworkPicture(ODD_NAMES, edges).spec()
    assert [node["label"] for node in spec["nodes"]] == list(ODD_NAMES)
    assert spec["edges"][0]["text"] == [ODD_NAMES[0], ODD_NAMES[1]]
    assert lines_of("a<br><b>b</b> &lt;i&gt;") == ["a", "b <i>"]


def test_strength_is_a_width_and_a_sign_a_colour():
    """The higher pain, the higher worry and the lower sleep; town has no order."""
    rng = np.random.default_rng(1)
    pain = rng.integers(0, 4, 800)
    worry, sleep = (np.clip(way * pain + rng.integers(0, 2, 800), -3, 4) for way in (1, -1))
    town = np.where(rng.random(800) < 0.8, np.array(["inland", "coast"])[pain // 2], "hills")
    data = bn.Dataset.from_frame(pd.DataFrame({"pain": pain, "worry": worry, "sleep": sleep, "town": town}))
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=["predictive"]))
    view = verdict_view(bn.verdict(study, data=data))
    by_verdict, signed = (view_picture(dataclasses.replace(view, signed=one), False).edges for one in (False, True))
    assert set(by_verdict) == set(signed)
    look = by_verdict[next(iter(by_verdict))]
    colour = {frozenset((data.names[i], data.names[j])): style.color for (i, j), style in signed.items()}
    assert colour[frozenset(("pain", "worry"))] == signed_look(look, 1.0, 1, False).color
    assert colour[frozenset(("pain", "sleep"))] == signed_look(look, 1.0, -1, False).color
    effects = {pair: abs(view.found.effect(data.names[pair[0]], data.names[pair[1]]).value) for pair in signed}
    widths = [signed[pair].width for pair in sorted(effects, key=effects.get)]
    assert widths == sorted(widths)
    assert [style.dash for style in by_verdict.values()] == [style.dash for style in signed.values()]


@pytest.mark.parametrize(
    ("edges", "layered"),
    [
        ([("a", "b"), ("b", "c"), ("c", "d")], False),  # a chain, which could lead either way
        ([("a", "c"), ("b", "c"), ("c", "d")], True),
        ([("a", "c"), ("b", "c"), ("d", "e"), ("e", "f")], True),  # half are compelled
        ([("a", "c"), ("b", "c"), ("d", "e"), ("e", "f"), ("f", "g")], False),
    ],
)
def test_a_graph_stands_in_layers_only_where_half_of_its_directions_are_known(edges, layered):
    names = tuple("abcdefg")
    data = bn.Dataset.from_frame(pd.DataFrame({name: ["x", "y"] for name in names}))
    graph = dataclasses.replace(bn.learn(data), adjacency=adjacency_of(names, edges))
    assert learned_picture(graph, dark=False).layered == layered
    found = bn.verdict(bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(2, keys=["bootstrap"])))
    for compelled in (0.0, 1.0):  # as answers come, directions are settled, and nodes stay where they are
        now = dataclasses.replace(found, learned=graph.adjacency, compelled=np.full((7, 7), compelled))
        assert view_picture(verdict_view(now), dark=False).layered == layered
