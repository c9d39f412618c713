"""A graph as a picture to print: SVG, PDF or PNG, with the positions and curves of its layout."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bnengine._core.arrays import FloatArray
from bnengine._core.labels import FONT_SIZE, label_width, readable, short_label
from bnengine.graphs.layout import GRAPHVIZ, NODE_HEIGHT, Edge, Layout, canvas, inches, lay_out, route_of, with_head

PICTURES = ("svg", "pdf", "png")
_DOTS_PER_INCH = 144, 300  # of a PNG: sharp on fine screens, in print
_POINTS_PER_MM = 72 / 25.4
#: Of texts in pictures for print, points.
LEAST_FONT = 7.0
_HEAD = 7.0, 5.5  # points
_INK = "#1B1F24"
_LINE, _SAMPLE = 20.0, 30.0  # points: the height of a line of the legend, the length of its piece of line


class EdgeInk(NamedTuple):
    """How an edge is printed: colour, line width in points, Graphviz's style of line, and whether it has a head."""

    color: str
    width: float
    style: str = "solid"
    arrow: bool = True


def ink_of(strength: float | None) -> EdgeInk:
    """Print stronger edges, between 0 and 1, thicker and darker; None prints an edge in full."""
    share = 1.0 if strength is None else strength
    return EdgeInk(f"{_INK}{round(255 * (0.35 + 0.65 * share)):02X}", 0.7 + 1.1 * share)


def printed(
    names: Sequence[str],
    edges: Mapping[Edge, float | None] | Mapping[Edge, EdgeInk],
    kind: str,
    width: float | None = None,
    legend: Sequence[tuple[str, EdgeInk]] = (),
    layered: bool = True,
) -> bytes:
    """Draw a graph in ink on white, in the proportions of a landscape page, as "svg", "pdf" or "png".

    The values of ``edges``, by (parent, child), say how each is printed, or its strength (see ``ink_of``); the
    ``legend`` below the graph, what they mean. With a ``width`` the picture is for print, at most so many mm wide; a
    ValueError if labels would be smaller than 7 points at that width.
    """
    layout = lay_out(names, edges, layered=layered) if width is None else _at_width(names, edges, width, layered)
    graph = canvas(margin="0.1", bgcolor="white", outputorder="edgesfirst")
    if width is not None:
        points, high = width * _POINTS_PER_MM, max((layout.height + _LINE * len(legend)) / layout.width, 1.0)
        graph.graph_attr.update(margin="0", pad="0.02", size=f"{inches(points)},{inches(high * points)}")
    graph.node_attr.update(
        shape="box", style="rounded,filled", fillcolor="white", color=_INK, fontcolor=_INK, penwidth="0.8",
        fontname="Helvetica,Arial,sans-serif", fontsize=str(FONT_SIZE), fixedsize="true",
        height=inches(NODE_HEIGHT),
    )  # fmt: skip
    for v, name in enumerate(names):
        x, y = layout.centres[v]
        graph.add_node(v, label=_label(name), width=inches(label_width(name)), pos=f"{x:.2f},{-y:.2f}")
    for edge, found in edges.items():
        ink = found if isinstance(found, EdgeInk) else ink_of(found)
        route = route_of(layout, edge)
        line, head = with_head(route, *_HEAD) if ink.arrow else (route, route[-1:])
        pos = f"e,{_point(head[0])} {' '.join(map(_point, line))}" if ink.arrow else " ".join(map(_point, line))
        graph.add_edge(*edge, pos=pos, **_looks(ink))
    for number, (text, ink) in enumerate(legend, start=1):
        _add_line_of_legend(graph, text, ink, -(layout.height + _LINE * number))
    return _picture(graph, kind, _DOTS_PER_INCH[width is not None])


def _picture(graph: Any, kind: str, dots_per_inch: int) -> bytes:
    if kind == "png":
        graph.graph_attr["dpi"] = str(dots_per_inch)
    with GRAPHVIZ:
        made: bytes = graph.draw(format=kind, prog="nop2")  # keeps positions and curves
    return made


def _looks(ink: EdgeInk) -> dict[str, str]:
    head = {"arrowsize": "0.6"} if ink.arrow else {"dir": "none"}
    return {"penwidth": f"{ink.width:.2f}", "color": ink.color, "style": ink.style, **head}


def _add_line_of_legend(graph: Any, text: str, ink: EdgeInk, y: float) -> None:
    """Add a piece of line and what it means, at this height."""
    ends = [f"{text} {end}" for end in ("from", "to")]
    for end, x in zip(ends, (0.0, _SAMPLE), strict=True):
        graph.add_node(end, label="", shape="point", style="invis", width="0.01", height="0.01", pos=f"{x:.2f},{y:.2f}")
    graph.add_edge(*ends, pos=" ".join(f"{_SAMPLE * k / 3:.2f},{y:.2f}" for k in range(4)), **_looks(ink))
    width = label_width(text, len(text))
    middle = f"{_SAMPLE + width / 2:.2f},{y:.2f}"
    graph.add_node(text, label=_escaped(text) + r"\l", shape="plaintext", style="", width=inches(width), pos=middle)


def drawn(operations: Sequence[str], size: tuple[float, float], kind: str) -> bytes:
    """Draw lines, ellipses and texts, given in Graphviz's own words (xdot; points, y upward), on white, for print.

    ``size`` is the width and height in points, written as whole points, rounded up; ``kind`` "svg", "pdf" or "png".
    """
    graph = canvas(margin="0", pad="0", bgcolor="white", _background=" ".join(operations))
    for corner, place in enumerate(("0,0", f"{size[0]:.2f},{size[1]:.2f}")):  # what the picture reaches to
        graph.add_node(corner, pos=place, width="0", height="0", style="invis", shape="point", label="")
    return _picture(graph, kind, _DOTS_PER_INCH[1])


def _at_width(names: Sequence[str], edges: Iterable[Edge], width: float, layered: bool) -> Layout:
    """Find the layout that is least high in a picture of this width, mm, with labels that can be read."""
    edges, points = list(edges), width * _POINTS_PER_MM
    room = points * FONT_SIZE / LEAST_FONT
    sizes = [(part * room, height) for part in (1.0, 0.7) for height in (520.0, 2 * room)]
    tried = [lay_out(names, edges, *size, layered=layered) for size in sizes]
    fits = [layout for layout in tried if layout.width <= room]
    if not fits:
        needed = math.ceil(width * min(layout.width for layout in tried) / room)
        raise ValueError(
            f"in a picture {width:g} mm wide the labels of this network would be smaller than {LEAST_FONT:g} points: "
            f"it needs width={needed}, shorter names or fewer edges"
        )
    return min(fits, key=lambda layout: layout.height * min(points / layout.width, 1.0))


def _label(name: str) -> str:
    return _escaped(readable(short_label(name)))


def _escaped(text: str) -> str:
    """Escape a label so that Graphviz shows it as it is: it would read escapes, entities and markup."""
    shown = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("\\", "\\\\") or " "


def _point(point: FloatArray) -> str:
    return f"{point[0]:.2f},{-point[1]:.2f}"
