"""Networks as pictures: what is drawn where; small graphs, the tree of networks, styles of edges."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bnengine._core.arrays import FloatArray
from bnengine._core.display import short, short_label
from bnengine.graphs.layout import EdgeInk, Layout, lay_out, route_of, with_head
from bnengine.plots.palette import SIZE, Look, add_line, add_marks, faint, framed, ink, paper
from bnengine.teaching import SearchWalk

#: Nodes of one picture; of a larger network a part is drawn.
MOST_DRAWN = 60
_PHONE = 360  # pixels
_HEAD_LENGTH, _HEAD_WIDTH = 7.0, 5.5
_POINTS_PER_PIXEL = 0.75
_PRINTED_DASH = {"solid": "solid", "dash": "dashed", "dot": "dotted"}
Edge = tuple[int, int]


@dataclass(frozen=True)
class EdgeStyle:
    """How one edge is drawn, the text shown when it is pointed at, and the number by which it can be hidden."""

    color: str
    width: float
    hover: str
    dash: str = "solid"
    arrow: bool = True
    opacity: float = 1.0
    strength: float | None = None


def printed_edge(style: EdgeStyle) -> EdgeInk:
    """Return how an edge is printed that the page draws in this style."""
    color = f"{style.color}{round(255 * style.opacity):02X}"
    return EdgeInk(color, style.width * _POINTS_PER_PIXEL, _PRINTED_DASH[style.dash], style.arrow)


@dataclass(frozen=True)
class NetworkPicture:
    """A network with its positions.

    Attributes
    ----------
    names : tuple of str
    edges : dict from (parent, child) to EdgeStyle
    fixed : tuple of (parent, child)
        The edges that fix the positions.
    width_hint : int
        The width in pixels of the place on a large screen.
    chosen : (int, int) or int, optional
        The edge or node that stands out.
    legend : tuple of (str, EdgeStyle)
        What the styles mean.
    centre : int, optional
        The node around which the picture is, if it shows a part of a network.
    hide : str
        The label of the control that hides edges of little strength; none if empty.
    """

    names: tuple[str, ...]
    edges: dict[Edge, EdgeStyle]
    fixed: tuple[Edge, ...]
    width_hint: int
    chosen: Edge | int | None = None
    legend: tuple[tuple[str, EdgeStyle], ...] = ()
    centre: int | None = None
    hide: str = ""

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """Positions for narrow and for wide screens; the view takes the one that is easier to read."""
        narrow, wide = (lay_out(self.names, self.fixed, width) for width in (_PHONE, self.width_hint))
        same = narrow.width == wide.width and (narrow.centres == wide.centres).all()
        return (narrow,) if same else (narrow, wide)

    def spec(self) -> dict[str, Any]:
        """Return the picture as the view reads it: lists, numbers and plain texts."""
        parents: dict[int, list[str]] = {}
        for i, j in self.edges:
            parents.setdefault(j, []).append(self.names[i])
        return {
            "nodes": [
                {"name": name, "label": short_label(name), "text": [name, _parents_of(parents.get(v, []))]}
                for v, name in enumerate(self.names)
            ],
            "edges": [
                {"ends": [i, j], "text": lines_of(style.hover), **_drawn(style)} for (i, j), style in self.edges.items()
            ],
            "layouts": [self._arranged(layout) for layout in self.layouts],
            "legend": [{"text": text, **_drawn(style)} for text, style in self.legend],
            "chosen": self.chosen,
            "centre": self.centre,
            "hide": self.hide,
        }

    def _arranged(self, layout: Layout) -> dict[str, Any]:
        curves = [_curve(route_of(layout, edge), style) for edge, style in self.edges.items()]
        boxes = np.column_stack([layout.centres, layout.widths]).tolist()
        return {
            "size": [round(layout.width, 1), round(layout.height, 1)],
            "boxes": [[round(x, 1), round(y, 1), w] for x, y, w in boxes],
            "paths": [path for path, _ in curves],
            "heads": [head for _, head in curves],
        }


def network_figure(
    names: Sequence[str],
    edges: Mapping[Edge, EdgeStyle],
    dark: bool,
    *,
    arrange: Sequence[Edge] | None = None,
    chosen: Edge | int | None = None,
    width_hint: int = 1300,
    legend: Sequence[tuple[str, EdgeStyle]] = (),
    hide: str = "",
) -> NetworkPicture:
    """Arrange a network.

    Parameters
    ----------
    names : sequence of str
    edges : mapping from (parent, child) to EdgeStyle
    dark : bool
        Whether the colours are meant for the dark theme.
    arrange : sequence of (parent, child), optional
        The edges that fix the positions, so that nodes stay in place as edges change; those drawn by default.
    chosen : (int, int) or int, optional
        The edge or node that stands out.
    width_hint : int
        The width in pixels of the place on a large screen.
    legend : sequence of (str, EdgeStyle)
        What the styles mean.
    hide : str
        The label of a control that hides the edges below a strength.
    """
    fixed = tuple(edges if arrange is None else arrange)
    return NetworkPicture(tuple(names), dict(edges), fixed, width_hint, chosen, tuple(legend), hide=hide)


def around(picture: NetworkPicture, node: int, arrange: Sequence[Edge] | None = None) -> NetworkPicture:
    """Return only a node with its Markov blanket, arranged anew; of a large one the nearest ``MOST_DRAWN`` variables.

    ``arrange`` lists the edges that decide on the blanket and the positions, by default those drawn.
    """
    edges = list(picture.edges if arrange is None else arrange)
    near = [node, *(v for edge in edges if node in edge for v in edge)]
    members = list(dict.fromkeys([*near, *blanket(edges, node)]))[:MOST_DRAWN]
    part = part_of(picture, members, arrange)
    return replace(part, centre=sorted(members).index(node))


def part_of(picture: NetworkPicture, members: Sequence[int], arrange: Sequence[Edge] | None = None) -> NetworkPicture:
    """Return only these nodes and the edges among them, arranged anew."""
    members = sorted(members)
    place = {v: k for k, v in enumerate(members)}

    def among(pairs: Any) -> list[Edge]:
        return [(i, j) for i, j in pairs if i in place and j in place]

    edges = {(place[i], place[j]): picture.edges[i, j] for i, j in among(picture.edges)}
    fixed = [(place[i], place[j]) for i, j in among(picture.edges if arrange is None else arrange)]
    names = [picture.names[v] for v in members]
    chosen = picture.chosen
    if isinstance(chosen, int):
        moved: Edge | int | None = place.get(chosen)
    else:
        moved = (place[chosen[0]], place[chosen[1]]) if chosen is not None and among([chosen]) else None
    return network_figure(names, edges, False, arrange=fixed, chosen=moved, legend=picture.legend, hide=picture.hide)


def first_ends(edges: Iterable[Edge]) -> list[int]:
    """Return the ends of the first edges, as many as are drawn at once."""
    return list(dict.fromkeys(v for edge in edges for v in edge))[:MOST_DRAWN]


def hubs(edges: Sequence[Edge]) -> list[int]:
    """Return the nodes with the most edges, each followed by its neighbours, as many as are drawn at once."""
    degrees = Counter(v for edge in edges for v in edge)
    busiest = sorted(degrees, key=lambda v: (-degrees[v], v))
    return first_ends((v, other) for v in busiest for edge in edges if v in edge for other in edge)


def blanket(edges: Sequence[Edge], node: int) -> list[int]:
    """Return a node with its Markov blanket (parents, children and their other parents), in column order."""
    children = {j for i, j in edges if i == node}
    return sorted({node} | children | {i for i, j in edges if j == node or j in children})


def lines_of(hover: str) -> list[str]:
    """Return the lines of a text with simple markup, as plain text."""
    return [html.unescape(re.sub("</?b>", "", line)) for line in hover.split("<br>") if line]


def plain(text: str) -> str:
    """Escape a text so that plotly shows it literally, not as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _parents_of(names: Sequence[str]) -> str:
    return f"parents: {', '.join(names)}" if names else "no parents"


def _drawn(style: EdgeStyle) -> dict[str, Any]:
    shown = {"color": style.color, "width": round(style.width, 2), "dash": style.dash, "opacity": style.opacity}
    return {**shown, "arrow": style.arrow, "strength": style.strength}


def _curve(route: FloatArray, style: EdgeStyle) -> tuple[str, str]:
    """Return a curve and its arrowhead as paths of SVG."""
    if not style.arrow:
        return _path(route), ""
    grow = 1.0 + 0.14 * style.width
    line, head = with_head(route, _HEAD_LENGTH * grow, _HEAD_WIDTH * grow)
    return _path(line), "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in head) + "Z"


def _path(points: FloatArray) -> str:
    words = [f"{x:.1f},{y:.1f}" for x, y in points]
    return f"M{words[0]}C{' '.join(words[1:])}"


# Graphs of two or three variables, one beside the other, as a lecture draws them.

_LONGEST = 10  # characters of a name
_HEIGHT = 70  # pixels of a graph with its title


def small_graphs_figure(
    names: Sequence[str], graphs: Mapping[str, Sequence[tuple[str, str]]], dark: bool, in_a_row: int = 2
) -> go.Figure:
    """Draw each graph below its title: the variables in a line, in the order given, and arrows between neighbours."""
    figure, color = go.Figure(), ink(dark)
    n_rows = -(-len(graphs) // in_a_row)
    text, arrow = {"showarrow": False, "font": {"color": color}}, {"showarrow": True, "arrowcolor": color, "text": ""}
    arrow |= {"xref": "x", "yref": "y", "axref": "x", "ayref": "y", "arrowhead": 2, "arrowwidth": 1.6}
    box = {"bgcolor": paper(dark), "bordercolor": color, "borderpad": 5}
    for number, (title, edges) in enumerate(graphs.items()):
        left, height = number % in_a_row * (len(names) + 0.4), n_rows - 1 - number // in_a_row
        place = {name: left + position for position, name in enumerate(names)}
        figure.add_annotation(x=left - 0.35, y=height + 0.42, text=plain(title), xanchor="left", **text)
        for parent, child in edges:
            ends = {"x": place[child], "y": height, "ax": place[parent], "ay": height}
            figure.add_annotation(**ends, standoff=_half(child), startstandoff=_half(parent), **arrow)
        for name, x in place.items():
            figure.add_annotation(x=x, y=height, text=plain(short_label(name, _LONGEST)), **box, **text)
    width = min(in_a_row, len(graphs)) * (len(names) + 0.4)
    across, up = ({"visible": False, "range": ends} for ends in ([-0.5, width - 0.8], [-0.4, n_rows - 0.3]))
    return framed(figure, dark, 20 + _HEIGHT * n_rows, across, up)


def _half(name: str) -> int:
    """Return half the width of a name's box, in pixels, with a gap."""
    return 11 + 4 * len(short_label(name, _LONGEST))


# The visited part of the tree of networks: the empty network on top, one more edge at each level.

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


# How edges are drawn by their confidence, and by which of two graphs has them.


def confidence_width(share: float) -> float:
    """Return the width of an edge with this confidence, in pixels."""
    return 0.7 + 2.3 * share


def confidence_opacity(share: float) -> float:
    """Return the opacity of an edge with this confidence: weak edges stay visible."""
    return 0.4 + 0.6 * share


def compared(
    one: Iterable[Edge],
    other: Iterable[Edge],
    titles: tuple[str, str],
    colors: tuple[str, str],
    dark: bool,
    dash: str = "solid",
) -> tuple[dict[Edge, EdgeStyle], list[tuple[str, EdgeStyle]]]:
    """Draw two graphs in one picture.

    Parameters
    ----------
    one, other : iterable of (parent, child)
    titles : (str, str)
        Of the graphs, as words of a sentence.
    colors : (str, str)
        Of the edges that only the one graph has, or only the other; those of both are in ink, dashed and in the
        direction of the one where the other has them the other way round.
    dark : bool
    dash : str
        Of the edges that only the other graph has: "dot" where the one is the graph learned from the data.

    Returns
    -------
    dict from (parent, child) to EdgeStyle
    list of (str, EdgeStyle)
        The legend, with numbers of edges.
    """
    first, second = set(one), set(other)
    turned = {(i, j) for i, j in first - second if (j, i) in second}
    groups = [
        (first & second, "in both", ink(dark), "solid"),
        (turned, "in both, reversed", ink(dark), "dash"),
        (first - second - turned, f"only {titles[0]}", colors[0], "solid"),
        (second - first - {(j, i) for i, j in turned}, f"only {titles[1]}", colors[1], dash),
    ]
    groups = [group for group in groups if group[0] or "reversed" not in group[1]]
    styles = {edge: EdgeStyle(color, 1.8, text, line) for edges, text, color, line in groups for edge in edges}
    legend = [(f"{len(edges)} {text}", EdgeStyle(color, 1.8, "", line)) for edges, text, color, line in groups]
    return dict(sorted(styles.items())), legend
