"""One connected graph arranged by Graphviz."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.extras import need

Edge = tuple[int, int]

GRAPHVIZ = threading.Lock()  # the library has global state: one thread at a time
_POINTS_PER_INCH = 72.0


class Drawn(NamedTuple):
    """Centres (V, 2), the edges' Bézier control points, and the size; y downward, the upper left corner at (0, 0)."""

    centres: FloatArray
    routes: dict[Edge, FloatArray]
    width: float
    height: float


def draw(
    widths: Sequence[float],
    height: float,
    edges: Sequence[Edge],
    gap: float,
    between: float,
    sideways: bool = False,
) -> Drawn:
    """Arrange boxes of equal height in layers.

    Parameters
    ----------
    widths : sequence of float
        Of the V boxes, in points.
    height : float
    edges : sequence of (int, int)
        (parent, child).
    gap : float
        Least distance of neighbours in a layer.
    between : float
        Least distance of layers; half as much again if they are side by side.
    sideways : bool
        Whether edges lead from left to right rather than downward.
    """
    need("pygraphviz", "app")
    import pygraphviz

    if sideways:
        gap, between = 0.6 * gap, 1.5 * between
    graph = pygraphviz.AGraph(
        directed=True,
        rankdir="LR" if sideways else "TB",
        nodesep=_inches(gap),
        ranksep=_inches(between),
        ratio="compress",  # pull the layers together, as far as the boxes allow
        size="20,2" if sideways else "2,20",
    )
    graph.node_attr.update(shape="box", fixedsize="true", height=_inches(height), label="")
    graph.edge_attr.update(arrowhead="none")
    for v, width in enumerate(widths):
        graph.add_node(v, width=_inches(width))
    for parent, child in edges:
        graph.add_edge(parent, child)
    with GRAPHVIZ:
        graph.layout(prog="dot")
    centres = np.array([_pair(graph.get_node(v).attr["pos"]) for v in range(len(widths))]).reshape(-1, 2)
    routes = {edge: _route(graph.get_edge(*edge)) for edge in edges}
    return _framed(centres, routes, np.column_stack([widths, np.full(len(widths), height)]))


def _framed(centres: FloatArray, routes: dict[Edge, FloatArray], sizes: FloatArray) -> Drawn:
    """The drawing with y downward, moved to the origin."""
    every = [centres - sizes / 2, centres + sizes / 2, *routes.values()]
    low, high = np.min([p.min(axis=0) for p in every], axis=0), np.max([p.max(axis=0) for p in every], axis=0)
    corner, turned = np.array([low[0], high[1]]), np.array([1.0, -1.0])
    moved = {edge: (route - corner) * turned for edge, route in routes.items()}
    return Drawn((centres - corner) * turned, moved, float(high[0] - low[0]), float(high[1] - low[1]))


def _inches(points: float) -> str:
    return f"{points / _POINTS_PER_INCH:.4f}"


def _pair(text: str) -> list[float]:
    return [float(c) for c in text.split(",")]


def _route(edge: Any) -> FloatArray:
    """The control points in Graphviz's ``pos``, in which a long line is broken by a backslash."""
    return np.array([_pair(word) for word in edge.attr["pos"].replace("\\\n", "").split()])
