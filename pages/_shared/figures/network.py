"""A network drawn in layers: boxes, routed edges, arrowheads that meet their curves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from pages._shared.figures.layout import FONT_SIZE, NODE_HEIGHT, Layout, Points, lay_out, short_label
from pages._shared.figures.palette import faint, framed, ink, paper

_HEAD_LENGTH = 6.5
_HEAD_WIDTH = 5.0
Edge = tuple[int, int]
_HOVER_MARKS = 7  # invisible marks along an edge that react to the pointer


@dataclass(frozen=True)
class EdgeStyle:
    """How one edge is drawn, and the text shown when it is pointed at."""

    color: str
    width: float
    hover: str
    dash: str = "solid"
    arrow: bool = True


def network_figure(
    names: Sequence[str],
    edges: Mapping[Edge, EdgeStyle],
    dark: bool,
    *,
    arrange: Sequence[Edge] | None = None,
    chosen: Edge | None = None,
    width_hint: int = 900,
) -> go.Figure:
    """Draw the edges; ``arrange`` lists the edges that fix the positions, so that nodes stay in place as edges change.

    A click on an edge gives ``customdata`` (parent's name, child's name).
    """
    fixed = list(arrange) if arrange is not None else list(edges)
    layout = lay_out(names, sorted(set(fixed) | set(edges)) if arrange is None else sorted(fixed))
    figure = go.Figure()
    routes = {edge: layout.routes[edge] if edge in layout.routes else _straight(layout, *edge) for edge in edges}
    for edge, style in edges.items():
        _add_edge(figure, routes[edge], style, bold=edge == chosen)
    _add_hover_marks(figure, names, routes, edges)
    scale = min(width_hint / max(layout.width, 1.0), 1.7)
    _add_nodes(figure, names, layout, edges, dark, scale)
    height = int(np.clip(layout.height * scale + 30, 160, 900))
    framed(figure, dark, height)
    figure.update_xaxes(visible=False, range=[-6, layout.width + 6], constrain="domain")
    figure.update_yaxes(visible=False, range=[-6, layout.height + 6], scaleanchor="x", constrain="domain")
    figure.update_layout(hovermode="closest", dragmode="pan", margin={"l": 0, "r": 0, "t": 0, "b": 0})
    return figure


def _add_edge(figure: go.Figure, route: Points, style: EdgeStyle, bold: bool) -> None:
    width = style.width + (1.5 if bold else 0.0)
    figure.add_scatter(
        x=route[:, 0],
        y=route[:, 1],
        mode="lines",
        line={"color": style.color, "width": width, "dash": style.dash},
        hoverinfo="skip",
    )
    if not style.arrow:
        return
    tip = route[-1]
    direction = tip - route[-2]
    length = float(np.hypot(*direction)) or 1.0
    along = direction / length
    across = np.array([-along[1], along[0]])
    grow = 1.0 + 0.12 * width
    back = tip - along * _HEAD_LENGTH * grow
    wing = across * _HEAD_WIDTH * grow / 2
    head = np.array([tip, back + wing, back - wing, tip])
    figure.add_scatter(
        x=head[:, 0],
        y=head[:, 1],
        mode="lines",
        fill="toself",
        fillcolor=style.color,
        line={"color": style.color, "width": 0.5},
        hoverinfo="skip",
    )


def _add_hover_marks(
    figure: go.Figure, names: Sequence[str], routes: Mapping[Edge, Points], edges: Mapping[Edge, EdgeStyle]
) -> None:
    x, y, text, data = [], [], [], []
    for (parent, child), style in edges.items():
        route = routes[parent, child]
        at = np.linspace(0, len(route) - 1, _HOVER_MARKS + 2)[1:-1]
        x += np.interp(at, np.arange(len(route)), route[:, 0]).tolist()
        y += np.interp(at, np.arange(len(route)), route[:, 1]).tolist()
        text += [style.hover] * _HOVER_MARKS
        data += [[names[parent], names[child]]] * _HOVER_MARKS
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"size": 13, "opacity": 0.0},
        customdata=data,
        text=text,
        hovertemplate="%{text}<extra></extra>",
        selected={"marker": {"opacity": 0.0}},
        unselected={"marker": {"opacity": 0.0}},
    )


def _add_nodes(
    figure: go.Figure,
    names: Sequence[str],
    layout: Layout,
    edges: Mapping[Edge, EdgeStyle],
    dark: bool,
    scale: float,
) -> None:
    joined = {v for edge in edges for v in edge}
    for v, (x, y) in enumerate(layout.centres):
        half = layout.widths[v] / 2
        figure.add_shape(
            type="rect",
            x0=x - half,
            x1=x + half,
            y0=y - NODE_HEIGHT / 2,
            y1=y + NODE_HEIGHT / 2,
            line={"color": ink(dark) if v in joined else faint(dark), "width": 1},
            fillcolor=paper(dark),
            layer="between",
        )
    parents = {v: [names[i] for i, j in edges if j == v] for v in range(len(names))}
    figure.add_scatter(
        x=layout.centres[:, 0],
        y=layout.centres[:, 1],
        mode="text",
        text=[plain(short_label(name)) for name in names],
        textfont={"size": float(np.clip(FONT_SIZE * scale, 5.0, 13.0)), "color": ink(dark)},
        hovertext=[
            f"<b>{plain(name)}</b><br>" + (f"parents: {plain(', '.join(parents[v]))}" if parents[v] else "no parents")
            for v, name in enumerate(names)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        selected={"textfont": {"color": ink(dark)}},
        unselected={"textfont": {"color": ink(dark)}},
    )


def _straight(layout: Layout, parent: int, child: int) -> Points:
    """A slightly bent line between two boxes, for an edge outside the arrangement."""
    start, end = layout.centres[parent], layout.centres[child]
    step = end - start
    bend = np.array([-step[1], step[0]]) * 0.08
    t = np.linspace(0, 1, 160)[:, None]
    curve = start + step * t + bend * (4 * t * (1 - t))
    outside = (np.abs(curve[:, 0] - end[0]) > layout.widths[child] / 2) | (
        np.abs(curve[:, 1] - end[1]) > NODE_HEIGHT / 2
    )
    last = int(np.flatnonzero(outside)[-1]) if outside.any() else len(curve) - 2
    return curve[_first_outside(curve, start, layout.widths[parent]) : last + 2]


def _first_outside(curve: Points, centre: Points, width: float) -> int:
    """The index at which a curve leaves the box around its start."""
    inside = (np.abs(curve[:, 0] - centre[0]) < width / 2) & (np.abs(curve[:, 1] - centre[1]) < NODE_HEIGHT / 2)
    return max(int(np.argmin(inside)) - 1, 0)


def plain(text: str) -> str:
    """Text that plotly shows literally, not as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
