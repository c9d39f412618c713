"""A graph as a picture to print: SVG, PDF or PNG, with the positions of ``layout``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bnengine._core.arrays import FloatArray
from bnengine._core.extras import need
from bnengine.graphs.dot_layout import GRAPHVIZ, Edge
from bnengine.graphs.labels import FONT_SIZE, label_width, readable, short_label
from bnengine.graphs.layout import NODE_HEIGHT, lay_out
from bnengine.graphs.routes import route_of, with_head

PICTURES = ("svg", "pdf", "png")
_DOTS_PER_INCH = 144  # of a PNG: sharp on paper and on fine screens
_POINTS_PER_INCH = 72.0
_HEAD = 7.0, 5.5  # points


def printed(names: Sequence[str], strengths: Mapping[Edge, float | None], kind: str) -> bytes:
    """Draw a graph in ink on white, in the proportions of a landscape page.

    Parameters
    ----------
    names : sequence of str
        Of the V nodes.
    strengths : mapping from (parent, child) to float or None
        Between 0 and 1: stronger edges are thicker and darker; None draws an edge in full.
    kind : {"svg", "pdf", "png"}
    """
    need("pygraphviz", "app")
    import pygraphviz

    layout = lay_out(names, strengths)
    graph = pygraphviz.AGraph(directed=True, strict=True, margin="0.1", bgcolor="white", outputorder="edgesfirst")
    if kind == "png":
        graph.graph_attr["dpi"] = str(_DOTS_PER_INCH)
    graph.node_attr.update(
        shape="box", style="rounded,filled", fillcolor="white", color="#1B1F24", fontcolor="#1B1F24", penwidth="0.8",
        fontname="Helvetica,Arial,sans-serif", fontsize=str(FONT_SIZE), fixedsize="true",
        height=_inches(NODE_HEIGHT),
    )  # fmt: skip
    for v, name in enumerate(names):
        x, y = layout.centres[v]
        graph.add_node(v, label=_label(name), width=_inches(label_width(name)), pos=f"{x:.2f},{-y:.2f}")
    for edge, strength in strengths.items():
        share = 1.0 if strength is None else strength
        line, head = with_head(route_of(layout, edge), *_HEAD)
        graph.add_edge(
            *edge,
            pos=f"e,{_point(head[0])} {' '.join(map(_point, line))}",
            penwidth=f"{0.7 + 1.1 * share:.2f}",
            color=f"#1B1F24{round(255 * (0.35 + 0.65 * share)):02X}",
            arrowsize="0.6",
        )
    with GRAPHVIZ:
        made: bytes = graph.draw(format=kind, prog="nop2")  # keeps positions and curves
    return made


def _label(name: str) -> str:
    """A label that Graphviz shows as it is: it would read escapes, entities and markup."""
    shown = readable(short_label(name)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("\\", "\\\\") or " "


def _point(point: FloatArray) -> str:
    return f"{point[0]:.2f},{-point[1]:.2f}"


def _inches(points: float) -> str:
    return f"{points / _POINTS_PER_INCH:.4f}"
