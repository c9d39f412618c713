"""Drawings of graphs: nothing overlaps, edges meet their boxes, and no accident decides where a node is."""

import itertools

import networkx as nx
import numpy as np
import pytest
from PIL import ImageFont

import bnengine as bn
from bnengine._core.labels import FONT_SIZE, label_width, short_label
from bnengine.graphs.layout import NODE_HEIGHT, lay_out, route_of, with_head

NEAR = 1.5  # pixels: less than the width of a thick edge
WIDTHS = (360, 1300)
NETWORKS = ("asia", "alarm", "hepar2", "win95pts", "andes")


def graph_of(network):
    net = bn.load_network(network)
    place = {name: v for v, name in enumerate(net.names)}
    return net.names, [(place[parent], place[child]) for parent, child in net.edges]


def boxes_of(layout):
    """(x0, y0, x1, y1) of each node."""
    half = np.column_stack([layout.widths, np.full(len(layout.widths), NODE_HEIGHT)]) / 2
    return np.hstack([layout.centres - half, layout.centres + half])


def off_border(point, box):
    """How far a point is from the border of a box."""
    x, y = point
    x0, y0, x1, y1 = box
    beside = np.hypot(max(x0 - x, 0, x - x1), max(y0 - y, 0, y - y1))
    inside = min(x - x0, x1 - x, y - y0, y1 - y)
    return beside if beside > 0 else max(inside, 0.0)


def meets_its_boxes(layout, edge, near=NEAR):
    """Whether the edge begins on the border of its parent's box and ends on that of its child's."""
    boxes, route = boxes_of(layout), route_of(layout, edge)
    return all(off_border(route[place], boxes[end]) < near for end, place in zip(edge, (0, -1), strict=True))


@pytest.fixture(scope="module", params=itertools.product(NETWORKS, WIDTHS), ids=lambda one: f"{one[0]}-{one[1]}")
def drawn(request):
    network, width = request.param
    names, edges = graph_of(network)
    return names, edges, lay_out(names, edges, width)


def test_without_layers_no_direction_decides_and_no_box_overlaps():
    names, edges = graph_of("alarm")
    one = lay_out(names, edges, layered=False)
    other = lay_out(names, [edge[::-1] if k % 3 else edge for k, edge in enumerate(edges)], layered=False)
    np.testing.assert_array_equal(one.centres, other.centres)
    test_no_two_boxes_overlap((names, edges, one))
    down = np.mean([one.centres[j, 1] > one.centres[i, 1] for i, j in edges])
    assert 0.2 < down < 0.8
    assert all(meets_its_boxes(one, edge) for edge in edges)


@pytest.mark.slow
def test_no_two_boxes_overlap(drawn):
    boxes = boxes_of(drawn[2])
    for v, (x0, y0, x1, y1) in enumerate(boxes):
        others = np.delete(boxes, v, axis=0)
        assert not ((others[:, 0] < x1) & (others[:, 2] > x0) & (others[:, 1] < y1) & (others[:, 3] > y0)).any()


def test_edges_lead_from_the_parents_border_to_the_childs(drawn):
    _, edges, layout = drawn
    assert set(layout.routes) == set(edges)
    assert all(meets_its_boxes(layout, edge) for edge in edges)


def test_edges_of_a_component_lead_downward_or_all_rightward(drawn):
    _, edges, layout = drawn
    for members in nx.weakly_connected_components(nx.DiGraph(edges)):
        own = [(i, j) for i, j in edges if i in members]
        steps = np.array([layout.centres[j] - layout.centres[i] for i, j in own])
        assert (steps[:, 1] > 0).all() or (steps[:, 0] > 0).all()


@pytest.mark.parametrize(("network", "layered"), [("alarm", True), ("alarm", False), ("hepar2", True)])
def test_positions_do_not_depend_on_the_order_of_columns_and_edges(network, layered):
    names, edges = graph_of(network)
    order = np.random.default_rng(3).permutation(len(names))
    place = np.argsort(order)
    moved = [(int(place[i]), int(place[j])) for i, j in edges[::-1]]
    one = lay_out(names, edges, layered=layered)
    other = lay_out([names[v] for v in order], moved, layered=layered)
    np.testing.assert_array_equal(one.centres[order], other.centres)
    np.testing.assert_array_equal(route_of(one, edges[0]), route_of(other, moved[-1]))


@pytest.mark.parametrize(
    "name", ["WWWWWWWW", "mmmmmmmmmm", "systolic_blood_pressure", "LVEDVOLUME", "iiiii", "变量", "x"]
)
def test_boxes_hold_their_labels(name):
    """In DejaVu Sans, which is wider than the fonts that the pages and Graphviz use, at nine tenths of their size."""
    try:
        font = ImageFont.truetype("DejaVuSans.ttf", int(0.9 * FONT_SIZE * 10))
    except OSError:
        pytest.skip("DejaVu Sans is not installed")
    assert font.getlength(short_label(name)) / 10 < label_width(name)


def test_components_and_nodes_without_edges_are_packed():
    names = [f"variable {k:02}" for k in range(60)]
    edges = [(3 * k, 3 * k + 1) for k in range(10)]
    wide, narrow = lay_out(names, edges, 1300), lay_out(names, edges, 360)
    assert wide.width <= 1300
    assert wide.height <= 520
    assert narrow.width <= 360


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_graph_without_edges(n):
    layout = lay_out([f"v{i}" for i in range(n)], [])
    assert layout.centres.shape == (n, 2)
    assert layout.width > 0
    assert layout.height > 0


def test_both_directions_and_cycles_are_drawn():
    layout = lay_out(["a", "b", "c"], [(0, 1), (1, 0), (1, 2), (2, 0)])
    assert len(layout.routes) == 4
    assert all(meets_its_boxes(layout, edge) for edge in layout.routes)


def test_edges_outside_the_layout_meet_their_boxes_too():
    names, edges = graph_of("alarm")
    layout = lay_out(names, edges[::2])
    assert all(meets_its_boxes(layout, one, 2 * NEAR) for edge in edges[1::2] for one in (edge, edge[::-1]))


def test_arrowheads_end_at_the_tip_and_have_their_length(drawn):
    for route in drawn[2].routes.values():
        line, head = with_head(route, 8.0, 6.0)
        np.testing.assert_array_equal(head[0], route[-1])
        np.testing.assert_allclose(head[1:].mean(axis=0), line[-1])
        assert len(line) % 3 == 1
        np.testing.assert_array_equal(line[0], route[0])
        assert np.hypot(*(line[-1] - head[0])) == pytest.approx(8.0, abs=3.0)
        assert np.hypot(*(head[1] - head[2])) == pytest.approx(6.0)


def test_high_components_stand_side_by_side_even_if_that_is_somewhat_too_wide():
    names = [f"p6304004{k:02}" for k in range(60)]
    stars = [(0, 1), (1, 2), *((2, k) for k in range(3, 43)), *((43, k) for k in range(44, 60))]
    layout = lay_out(names, stars, 620)
    assert layout.width > 620
    assert layout.height < 42 * 1.5 * NODE_HEIGHT  # of the larger star alone
