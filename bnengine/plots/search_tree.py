"""The visited part of the tree of networks: the empty network on top, one more edge at each level."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from bnengine._core.display import short
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import SIZE, Look, add_line, add_marks, faint, framed, ink
from bnengine.teaching import SearchWalk

_MOST_NUMBERED = 40


def tree_figure(walk: SearchWalk, dark: bool, height: int = 340) -> go.Figure:
    """Draw one circle per visited network, darker if its description is shorter; the path to the best one is thick."""
    x, y = places(walk)
    figure, visits, on_path = go.Figure(), range(walk.n_visited), _tree_path(walk)
    for chosen, color, width in ((False, faint(dark), 1.0), (True, SIZE, 3.0)):
        lines = [k for k in visits[1:] if (k in on_path) == chosen]
        across, up = ([c for k in lines for c in (axis[int(walk.came_from[k])], axis[k], None)] for axis in (x, y))
        add_line(figure, across, up, color, width=width)
    few, bits = walk.n_visited <= _MOST_NUMBERED, walk.mdl_bits
    outline = {
        "width": [2.5 if k == walk.best else 0.8 for k in visits],
        "color": [SIZE if k == walk.best else ink(dark) for k in visits],
    }
    look = {
        "size": [24 if few else 13 if k == walk.best else 7 for k in visits],
        "color": bits,
        "opacity": 1.0,
        "colorscale": [[0.0, "#9AA3AD"], [1.0, "#F2F4F6"]],
        "line": outline,
        "colorbar": {"title": {"text": "bits"}, "thickness": 10, "len": 0.8, "outlinewidth": 0},
        "showscale": bool(np.ptp(bits) > 0),
    }
    text: Look = {"text": [str(k + 1) for k in visits], "mode": "markers+text"} if few else {}
    described: Look = {
        "hovertext": [_description(walk, k) for k in visits],
        "textfont": {"size": 11, "color": "#1B1F24"},
    }
    add_marks(figure, x, y, look, "%{hovertext}", **described, **text)
    depths = list(range(int(walk.depths.max()) + 1))
    levels: Look = {"tickvals": [-depth for depth in depths], "ticktext": [str(depth) for depth in depths]}
    levels |= {"title": {"text": "edges", "standoff": 4}, "range": [-depths[-1] - 0.5, 0.5]}
    levels |= {"showgrid": False, "zeroline": False}
    ends = {"visible": False, "range": [x.min() - 0.8, x.max() + 0.8]}
    return framed(figure, dark, height, ends, levels, hovermode="closest")


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


def _tree_path(walk: SearchWalk) -> set[int]:
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
