"""Layout of a graph by Graphviz: positions of nodes, and routes of edges with their arrowheads.

The drawing depends on the names and the edges, never on the order in which they are given. Connected components are
arranged one by one and packed into rows, nodes without edges below them: in layers (``dot``), from top to bottom or
from left to right, whichever fits better; or by distances alone (``neato``), where directions are open and layers
would suggest causes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.environment import need
from bnengine._core.labels import label_width

Edge = tuple[int, int]

GRAPHVIZ = threading.Lock()  # the library has global state: one thread at a time
_POINTS_PER_INCH = 72.0
NODE_HEIGHT = 22.0
_GAP = 12.0  # pixels between neighbours in a layer
_BETWEEN = (24.0, 15.0)  # pixels between layers: at leisure, and where height is short
_APART = 26.0  # pixels between components
_MOST_BY_DISTANCE = 100  # nodes of one component; more are in layers all the same: routes around boxes take seconds
_STRETCHED = (1.0, 0.6), (0.8, 0.4), (0.5, 0.6)  # without layers: by how much across and down, before boxes move apart
_ROWS = (1.0, 1.3, 1.7)  # times the width: a high drawing is smaller in the end than one that is somewhat too wide


@dataclass(frozen=True, eq=False)
class Layout:
    """A drawing in pixels, y downward.

    Attributes
    ----------
    centres : ndarray, shape (V, 2)
    widths : ndarray, shape (V,)
        Of the nodes' boxes.
    routes : dict from (parent, child) to ndarray, shape (3 k + 1, 2)
        Control points of k cubic Bézier curves from the border of the parent's box to that of the child's.
    box : float
        Height of the nodes' boxes.
    """

    centres: FloatArray
    widths: FloatArray
    routes: dict[Edge, FloatArray]
    width: float
    height: float
    box: float = NODE_HEIGHT


def lay_out(
    names: Sequence[str],
    edges: Iterable[Edge],
    width: float = 1200.0,
    height: float = 520.0,
    box: tuple[float, float] = (0.0, NODE_HEIGHT),
    layered: bool = True,
) -> Layout:
    """Arrange a directed graph for a picture of about this size, in pixels; cached.

    ``box`` is the least width of a node's box and its height. A graph that is not ``layered`` has no up and down:
    neighbours are near each other (stress majorization, Gansner, Koren & North 2005), whatever the directions.

    Components of more than 100 nodes are in layers all the same.

    A drawing that does not fit is larger, rather in height than in width. Where the edges, (parent, child) by the
    numbers of the names, have cycles, some lead upward.

    Examples
    --------
    >>> layout = lay_out(["rain", "sprinkler", "wet"], [(0, 2), (1, 2)])
    >>> bool(layout.centres[0, 1] < layout.centres[2, 1])
    True
    """
    order = sorted(range(len(names)), key=lambda v: names[v])
    place = {v: k for k, v in enumerate(order)}
    pairs = {(place[i], place[j]) for i, j in edges}
    ordered = tuple(sorted(pairs if layered else {(min(pair), max(pair)) for pair in pairs}))
    found = _lay_out(tuple(names[v] for v in order), ordered, width, height, box, layered)
    back = [place[v] for v in range(len(names))]
    routes = {(order[i], order[j]): route for (i, j), route in found.routes.items()}
    return replace(found, centres=found.centres[back], widths=found.widths[back], routes=routes)


@lru_cache(maxsize=256)
def _lay_out(
    names: tuple[str, ...],
    edges: tuple[Edge, ...],
    width: float,
    height: float,
    box: tuple[float, float],
    layered: bool,
) -> Layout:
    import networkx

    widths, high_box = np.array([max(label_width(name), box[0]) for name in names]), box[1]
    centres = np.zeros((len(names), 2))
    routes: dict[Edge, FloatArray] = {}
    graph = networkx.Graph(edges)
    graph.add_nodes_from(range(len(names)))
    parts = sorted(map(sorted, networkx.connected_components(graph)), key=lambda members: (-len(members), members))
    several = [members for members in parts if len(members) > 1]
    drawn = [(members, _component(members, widths, edges, width, height, high_box, layered)) for members in several]
    alone = [members[0] for members in parts if len(members) == 1]
    row, sizes = max([width, *widths, *(one.width for _, one in drawn)]), [(one.width, one.height) for _, one in drawn]
    packings = [_rows(sizes, part * row, _APART) for part in _ROWS]
    corners, (right, bottom) = max(packings, key=lambda one: _fit(one[1][0], one[1][1], width, height))
    for (members, picture), corner in zip(drawn, corners, strict=True):
        centres[members] = picture.centres + corner
        routes |= {(members[i], members[j]): route + corner for (i, j), route in picture.routes.items()}
    below = bottom + _APART if drawn and alone else bottom  # nodes without edges
    corners, (farthest, high) = _rows([(widths[v], high_box) for v in alone], row, _GAP)
    for v, corner in zip(alone, corners, strict=True):
        centres[v] = corner + np.array([widths[v] / 2, below + high_box / 2])
    return Layout(centres, widths, routes, max(right, farthest, 1.0), max(below + high, 1.0), high_box)


def _component(
    members: list[int],
    widths: FloatArray,
    edges: Sequence[Edge],
    width: float,
    height: float,
    box: float,
    layered: bool,
) -> Layout:
    """Return the most readable of several drawings of one component."""
    place = {v: k for k, v in enumerate(members)}
    own = tuple((place[i], place[j]) for i, j in edges if i in place)
    sizes = tuple(widths[members].tolist())
    if not layered and len(members) <= _MOST_BY_DISTANCE:
        straight = [(_by_distance(sizes, own, stretch, box, False), stretch) for stretch in _STRETCHED]
        _, best = max(straight, key=lambda one: _fit(one[0].width, one[0].height, width, height))
        return _by_distance(sizes, own, best, box, True)
    tried: list[Layout] = []
    ways = (True, False) if width > 2 * height else (False, True)  # a wide picture is rather filled than high
    for between in _BETWEEN:
        for sideways in ways:
            tried.append(_drawn(sizes, own, between, sideways, box))
            if _fit(tried[-1].width, tried[-1].height, width, height) == 1.0:
                return tried[-1]
    return max(tried, key=lambda drawn: _fit(drawn.width, drawn.height, width, height))  # the first of equals


@lru_cache(maxsize=256)  # the same for pictures of every size: only the choice among drawings is not
def _drawn(widths: tuple[float, ...], edges: tuple[Edge, ...], between: float, sideways: bool, box: float) -> Layout:
    """Arrange boxes in layers, downward or ``sideways``, where layers are half as much again ``between`` each other."""
    gap, between = (0.6 * _GAP, 1.5 * between) if sideways else (_GAP, between)
    looks = {
        "rankdir": "LR" if sideways else "TB",
        "nodesep": inches(gap),
        "ranksep": inches(between),
        "ratio": "compress",  # pull the layers together, as far as the boxes allow
        "size": "20,2" if sideways else "2,20",
    }
    return _layout(_graph(looks, widths, edges, box), "dot", widths, edges, box)


@lru_cache(maxsize=256)
def _by_distance(
    widths: tuple[float, ...], edges: tuple[Edge, ...], stretch: tuple[float, float], box: float, routed: bool
) -> Layout:
    """Arrange boxes so that their distances follow the lengths of the paths between them; none overlap.

    The longest way through the drawing leads across, or down where it is stretched more in that direction.
    """
    along = _main_axes(widths, edges, box)[:, :: 1 if stretch[0] >= stretch[1] else -1] * stretch
    looks = {"overlap": "vpsc", "splines": "true" if routed else "line", "sep": "+9", "esep": "+4"}
    graph = _graph(looks, widths, edges, box)
    for v, (x, y) in enumerate(along):
        graph.get_node(v).attr["pos"] = f"{x:.3f},{y:.3f}"
    return _layout(graph, "nop", widths, edges, box)


@lru_cache(maxsize=256)
def _main_axes(widths: tuple[float, ...], edges: tuple[Edge, ...], box: float) -> FloatArray:
    """Place boxes by stress majorization, the longest way along the first axis; shape (V, 2)."""
    graph = _graph({"mode": "major", "start": "1", "overlap": "true", "splines": "false"}, widths, edges, box)
    with GRAPHVIZ:
        graph.layout(prog="neato")
    centres = np.array([_pair(graph.get_node(v).attr["pos"]) for v in range(len(widths))])
    centres -= centres.mean(axis=0)
    axes = np.linalg.svd(centres, full_matrices=False)[2]
    placed: FloatArray = centres @ (axes * np.where(axes[:, :1] < 0, -1.0, 1.0)).T
    return placed


def _graph(looks: Mapping[str, str], widths: Sequence[float], edges: Sequence[Edge], box: float) -> Any:
    """Return boxes and edges as Graphviz takes them."""
    graph = canvas(**looks)
    graph.node_attr.update(shape="box", fixedsize="true", height=inches(box), label="")
    graph.edge_attr.update(arrowhead="none")
    for v, width in enumerate(widths):
        graph.add_node(v, width=inches(width))
    for parent, child in edges:
        graph.add_edge(parent, child)
    return graph


def canvas(**looks: str) -> Any:
    """Return a graph of Graphviz's without nodes."""
    need("pygraphviz", "app")
    import pygraphviz

    return pygraphviz.AGraph(directed=True, **looks)


def _layout(graph: Any, program: str, widths: Sequence[float], edges: Sequence[Edge], box: float) -> Layout:
    """Let a program of Graphviz place the boxes and route the edges."""
    with GRAPHVIZ:
        graph.layout(prog=program)
    centres = np.array([_pair(graph.get_node(v).attr["pos"]) for v in range(len(widths))]).reshape(-1, 2)
    routes = {edge: _route(graph.get_edge(*edge)) for edge in edges}
    half = np.column_stack([widths, np.full(len(widths), box)]) / 2
    every = np.concatenate([centres - half, centres + half, *routes.values()])
    (left, low), (right, high) = every.min(axis=0), every.max(axis=0)
    corner, turned = np.array([left, high]), np.array([1.0, -1.0])  # y downward, from the upper left corner
    moved = {edge: (route - corner) * turned for edge, route in routes.items()}
    return Layout((centres - corner) * turned, np.array(widths), moved, float(right - left), float(high - low), box)


def inches(points: float) -> str:
    """Return a length as Graphviz takes it."""
    return f"{points / _POINTS_PER_INCH:.4f}"


def _pair(text: str) -> list[float]:
    return [float(c) for c in text.split(",")]


def _route(edge: Any) -> FloatArray:
    """Return the control points in Graphviz's ``pos``, in which a long line is broken by a backslash."""
    return np.array([_pair(word) for word in edge.attr["pos"].replace("\\\n", "").split()])


def _fit(width: float, height: float, most_width: float, most_height: float) -> float:
    """Return how well a drawing fits a picture, at most 1; height is easier to have than width."""
    return float(min(1.0, most_width / max(width, 1.0)) * min(1.0, most_height / max(height, 1.0)) ** 0.5)


def _rows(
    sizes: Sequence[tuple[float, float]], width: float, gap: float
) -> tuple[list[FloatArray], tuple[float, float]]:
    """Place boxes in rows of at most this width; return their upper left corners and the size of all rows."""
    corners: list[FloatArray] = []
    x, y, deepest, right = 0.0, 0.0, 0.0, 0.0
    for w, h in sizes:
        if x > 0 and x + w > width:
            x, y, deepest = 0.0, y + deepest + gap, 0.0
        corners.append(np.array([x, y]))
        right, deepest = max(right, x + w), max(deepest, h)
        x += w + gap
    return corners, (right, y + deepest)


# Edges of a drawing as curves: found in a layout, reversed, or led around it; and the arrowheads at their ends.

_BEND = 0.12  # of the length, sideways
_STEPS = 1024


def route_of(layout: Layout, edge: Edge) -> FloatArray:
    """Return the control points of an edge's cubic Bézier curves, from its parent's box to its child's.

    An edge that the layout has in the other direction takes that route; one that it does not have, a bent line.
    """
    parent, child = edge
    if edge in layout.routes:
        return layout.routes[edge]
    if (child, parent) in layout.routes:
        return layout.routes[child, parent][::-1]
    return _bent(layout, parent, child)


def _bent(layout: Layout, parent: int, child: int) -> FloatArray:
    middle = layout.centres[[parent, child]]
    aside = (middle[1] - middle[0])[::-1] * np.array([-1.0, 1.0]) * _BEND
    ends = [_border(layout, v, other + aside) for v, other in zip((parent, child), middle[::-1], strict=True)]
    thirds = [ends[0] * (1 - t) + ends[1] * t + aside for t in (1 / 3, 2 / 3)]
    return np.array([ends[0], *thirds, ends[1]])


def _border(layout: Layout, v: int, toward: FloatArray) -> FloatArray:
    """Return where the way from the middle of a box to a point outside leaves it."""
    way = toward - layout.centres[v]
    half = np.array([layout.widths[v], layout.box]) / 2
    point: FloatArray = layout.centres[v] + way * min(1.0, float((half / np.maximum(np.abs(way), 1e-9)).min()))
    return point


def with_head(route: FloatArray, length: float, width: float) -> tuple[FloatArray, FloatArray]:
    """Shorten a route, shape (3 k + 1, 2), to where an arrowhead of this length and width begins.

    Returns the curve up to the arrowhead's base, shape (3 m + 1, 2), and the arrowhead, shape (3, 2): its tip, where
    the route ends, and the corners of its base.
    """
    tip = route[-1]
    kept = route
    while len(kept) > 4 and float(np.hypot(*(kept[-4] - tip))) < length:
        kept = kept[:-3]
    t = np.linspace(0.0, 1.0, _STEPS + 1)
    far = np.hypot(*(_along(kept[-4:], t) - tip).T) >= length
    end = float(t[np.flatnonzero(far)[-1]]) if far.any() else 0.5
    shortened = np.concatenate([kept[:-4], _beginning(kept[-4:], end)])
    base = shortened[-1]
    back = base - tip
    across = np.array([-back[1], back[0]]) / max(float(np.hypot(*back)), 1e-9) * width / 2
    return shortened, np.array([tip, base + across, base - across])


def _along(curve: FloatArray, t: FloatArray) -> FloatArray:
    """Return points of one cubic Bézier curve."""
    t = t[:, None]
    a, b, c, d = curve
    points: FloatArray = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return points


def _beginning(curve: FloatArray, end: float) -> FloatArray:
    """Return one cubic Bézier curve up to a parameter (de Casteljau)."""
    rows, kept = curve, [curve[0]]
    for _ in range(3):
        rows = rows[:-1] + (rows[1:] - rows[:-1]) * end
        kept.append(rows[0])
    return np.array(kept)
