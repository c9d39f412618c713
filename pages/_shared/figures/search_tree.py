"""The visited part of the tree of networks: the empty network on top, one more edge at each level."""

import numpy as np
import plotly.graph_objects as go

from bnengine.teaching import SearchWalk
from pages._shared.figures.network import plain
from pages._shared.figures.palette import SIZE, faint, framed, ink
from pages._shared.format import short

_MOST_NUMBERED = 40


def places(walk: SearchWalk) -> tuple[np.ndarray, np.ndarray]:
    """Return where each network is drawn: leaves in the order of the visits, the others above their branches."""
    x = np.zeros(walk.n_visited)
    branches: list[list[int]] = [[] for _ in range(walk.n_visited)]
    for position in range(1, walk.n_visited):
        branches[int(walk.came_from[position])].append(position)
    n_leaves = 0
    for position in range(walk.n_visited):
        if not branches[position]:
            x[position] = n_leaves
            n_leaves += 1
    for position in range(walk.n_visited - 1, -1, -1):  # branches are visited after their origin
        if branches[position]:
            x[position] = (x[branches[position][0]] + x[branches[position][-1]]) / 2
    return x, -walk.depths.astype(float)


def tree_figure(walk: SearchWalk, dark: bool, height: int = 340) -> go.Figure:
    """Draw one circle per visited network, darker if its description is shorter; the path to the best one is thick."""
    x, y = places(walk)
    figure = go.Figure()
    on_path = _path(walk)
    for chosen, color, width in ((False, faint(dark), 1.0), (True, SIZE, 3.0)):
        lines = [k for k in range(1, walk.n_visited) if (k in on_path) == chosen]
        figure.add_scatter(
            x=[c for k in lines for c in (x[int(walk.came_from[k])], x[k], None)],
            y=[c for k in lines for c in (y[int(walk.came_from[k])], y[k], None)],
            mode="lines",
            line={"color": color, "width": width},
            hoverinfo="skip",
        )
    few = walk.n_visited <= _MOST_NUMBERED
    bits = walk.mdl_bits
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers+text" if few else "markers",
        text=[str(k + 1) for k in range(walk.n_visited)] if few else None,
        textfont={"size": 11, "color": "#1B1F24"},
        marker={
            "size": [24 if few else 13 if k == walk.best else 7 for k in range(walk.n_visited)],
            "color": bits,
            "opacity": 1.0,
            "colorscale": [[0.0, "#9AA3AD"], [1.0, "#F2F4F6"]],
            "line": {
                "width": [2.5 if k == walk.best else 0.8 for k in range(walk.n_visited)],
                "color": [SIZE if k == walk.best else ink(dark) for k in range(walk.n_visited)],
            },
            "colorbar": {"title": {"text": "bits"}, "thickness": 10, "len": 0.8, "outlinewidth": 0},
            "showscale": bool(np.ptp(bits) > 0),
        },
        hovertext=[_description(walk, k) for k in range(walk.n_visited)],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    framed(figure, dark, height)
    deepest = int(walk.depths.max())
    figure.update_xaxes(visible=False, range=[x.min() - 0.8, x.max() + 0.8])
    figure.update_yaxes(
        title={"text": "edges", "standoff": 4},
        tickvals=[-depth for depth in range(deepest + 1)],
        ticktext=[str(depth) for depth in range(deepest + 1)],
        range=[-deepest - 0.5, 0.5],
        showgrid=False,
        zeroline=False,
    )
    figure.update_layout(hovermode="closest")
    return figure


def _path(walk: SearchWalk) -> set[int]:
    """Return the best network and those on the path to it."""
    position, path = walk.best, set()
    while position >= 0:
        path.add(position)
        position = int(walk.came_from[position])
    return path


def _description(walk: SearchWalk, position: int) -> str:
    edges = "<br>".join(f"{plain(i)} → {plain(j)}" for i, j in walk.edges(position)) or "no edges"
    best = " (the best)" if position == walk.best else ""
    return f"<b>visit {position + 1}{best}</b><br>{short(float(walk.mdl_bits[position]), 4)} bits<br>{edges}"
