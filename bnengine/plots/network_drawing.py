"""Networks as pictures: what is drawn where; small graphs, the tree of networks, styles of edges."""

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.labels import short_label
from bnengine.graphs.layout import NODE_HEIGHT, Layout, lay_out, route_of, with_head
from bnengine.graphs.pictures import EdgeInk
from bnengine.plots.redraws import Redraws

#: Where the scripts and the style sheet are by which a browser draws a network, on the pages and in the report.
VIEW_FILES = Path(__file__).with_name("network_view")
#: Nodes of one picture; of a larger network a part is drawn.
MOST_DRAWN = 60
_PHONE = 360  # pixels
_WITH_BARS = (104.0, 42.0)  # pixels: a node's box with a bar below its label
_HEAD_LENGTH, _HEAD_WIDTH = 7.0, 5.5
_POINTS_PER_PIXEL = 0.75
_PRINTED_DASH = {"solid": "solid", "dash": "dashed", "dot": "dotted"}
Edge = tuple[int, int]


@cache
def browser_text(kind: str, folder: Path = VIEW_FILES) -> str:
    """Return the scripts (``js``) or style sheets (``css``) of a folder, after those that all pictures share."""
    files = [Path(__file__).with_name(f"elements.{kind}"), *sorted(folder.glob(f"*.{kind}"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@dataclass(frozen=True)
class EdgeStyle:
    """How one edge is drawn, and the text shown when it is pointed at."""

    color: str
    width: float
    hover: str
    dash: str = "solid"
    arrow: bool = True
    opacity: float = 1.0


def printed_edge(style: EdgeStyle) -> EdgeInk:
    """Return how an edge is printed that the page draws in this style."""
    color = f"{style.color}{round(255 * style.opacity):02X}"
    return EdgeInk(color, style.width * _POINTS_PER_PIXEL, _PRINTED_DASH[style.dash], style.arrow)


@dataclass(frozen=True)
class Share:
    """A part of a node's bar: a state, its probability, its colour, lines about it, and whether it was observed."""

    state: str
    share: float
    color: str
    text: list[str]
    observed: bool = False


@dataclass(frozen=True)
class NetworkPicture:
    """A network with its positions.

    Attributes
    ----------
    names : sequence of str
    edges : dict from (parent, child) to EdgeStyle
    arrange : sequence of (parent, child), optional
        The edges that fix the positions, so that nodes stay in place as edges change; those drawn by default.
    chosen : (int, int) or int, optional
        The edge or node that stands out.
    width_hint : int
        The width in pixels of the place on a large screen.
    legend : sequence of (str, EdgeStyle)
        What the styles mean.
    centre : int, optional
        The node around which the picture is, if it shows a part of a network.
    short : mapping from str to str
        What stands in a node's box in place of its name.
    bars : mapping from str to sequence of Share, optional
        Below each name, how probable each state is.
    redraws : Redraws, optional
        Replicates that can be laid over the picture, one after the other.
    layered : bool
        Whether edges lead downward or rightward; else the picture has no up and down.
    """

    names: Sequence[str]
    edges: dict[Edge, EdgeStyle]
    _: KW_ONLY
    arrange: Sequence[Edge] | None = None
    chosen: Edge | int | None = None
    width_hint: int = 1300
    legend: Sequence[tuple[str, EdgeStyle]] = ()
    centre: int | None = None
    short: Mapping[str, str] = field(default_factory=dict)
    bars: Mapping[str, Sequence[Share]] = field(default_factory=dict)
    redraws: Redraws | None = None
    layered: bool = True

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """Positions for narrow and for wide screens; the view takes the one that is easier to read."""
        box = _WITH_BARS if self.bars else (0.0, NODE_HEIGHT)
        narrow, wide = (
            lay_out(self.labels, self.arranging, width, box=box, layered=self.layered)
            for width in (_PHONE, self.width_hint)
        )
        same = narrow.width == wide.width and (narrow.centres == wide.centres).all()
        return (narrow,) if same else (narrow, wide)

    @property
    def arranging(self) -> Sequence[Edge]:
        """The edges that fix the positions, and of a part decide which nodes it has."""
        return list(self.edges) if self.arrange is None else self.arrange

    @property
    def labels(self) -> list[str]:
        """What stands in the nodes' boxes, before it is shortened to fit."""
        return [self.short.get(name, name) for name in self.names]

    def spec(self) -> dict[str, Any]:
        """Return the picture as the view reads it: lists, numbers and plain texts."""
        parents: dict[int, list[str]] = {}
        for i, j in self.edges:
            parents.setdefault(j, []).append(self.names[i])
        return {
            "nodes": [
                {
                    "name": name,
                    "label": short_label(self.labels[v]),
                    **self._bar_of(name),
                    "text": [name, _parents_of(parents.get(v, []))],
                }
                for v, name in enumerate(self.names)
            ],
            "edges": [
                {"ends": [i, j], "text": lines_of(style.hover), **_drawn(style)} for (i, j), style in self.edges.items()
            ],
            "layouts": [self._arranged(layout) for layout in self.layouts],
            "legend": [{"text": text, **_drawn(style)} for text, style in self.legend],
            "chosen": self.chosen,
            "centre": self.centre,
            "redraws": None if self.redraws is None else self.redraws.spec(self.names),
        }

    def _bar_of(self, name: str) -> dict[str, Any]:
        """Return a node's bar as the view reads it, if it has one; the share of an observed state is 1."""
        bar = self.bars.get(name)
        return (
            {} if bar is None else {"bar": [asdict(one) for one in bar], "observed": any(one.observed for one in bar)}
        )

    def _arranged(self, layout: Layout) -> dict[str, Any]:
        curves = [_curve(route_of(layout, edge), style) for edge, style in self.edges.items()]
        boxes = np.column_stack([layout.centres, layout.widths]).tolist()
        return {
            "size": [round(layout.width, 1), round(layout.height, 1)],
            "box": layout.box,
            "boxes": [[round(x, 1), round(y, 1), w] for x, y, w in boxes],
            "paths": [path for path, _ in curves],
            "heads": [head for _, head in curves],
        }


def around(picture: NetworkPicture, node: int) -> NetworkPicture:
    """Return only a node with its Markov blanket, arranged anew; of a large one the nearest ``MOST_DRAWN`` nodes."""
    edges = picture.arranging
    near = [node, *(v for edge in edges if node in edge for v in edge)]
    members = list(dict.fromkeys([*near, *blanket(edges, node)]))[:MOST_DRAWN]
    return replace(part_of(picture, members), centre=sorted(members).index(node))


def part_of(picture: NetworkPicture, members: Sequence[int]) -> NetworkPicture:
    """Return only these nodes and the edges among them, arranged anew."""
    members = sorted(members)
    place = {v: k for k, v in enumerate(members)}

    def among(pairs: Any) -> list[Edge]:
        return [(i, j) for i, j in pairs if i in place and j in place]

    edges = {(place[i], place[j]): picture.edges[i, j] for i, j in among(picture.edges)}
    fixed = [(place[i], place[j]) for i, j in among(picture.arranging)]
    names = tuple(picture.names[v] for v in members)
    chosen = picture.chosen
    if isinstance(chosen, int):
        moved: Edge | int | None = place.get(chosen)
    else:
        moved = (place[chosen[0]], place[chosen[1]]) if chosen is not None and among([chosen]) else None
    return replace(picture, names=names, edges=edges, arrange=fixed, chosen=moved)


def arrows(
    names: Sequence[str], edges: Iterable[tuple[str, str]], color: str, width: float, opacity: float = 1.0
) -> dict[Edge, EdgeStyle]:
    """Return the styles of edges between named variables that all look alike."""
    place = {name: v for v, name in enumerate(names)}
    style = partial(EdgeStyle, color, width, opacity=opacity)
    return {(place[i], place[j]): style(f"<b>{plain(i)} → {plain(j)}</b>") for i, j in edges}


def first_ends(edges: Iterable[Sequence[int]]) -> list[int]:
    """Return the ends of the first edges, as many as are drawn at once."""
    return list(dict.fromkeys(v for edge in edges for v in edge))[:MOST_DRAWN]


def hubs(edges: Iterable[Sequence[int]]) -> list[int]:
    """Return the nodes with the most edges, each followed by its neighbours, as many as are drawn at once."""
    joined: defaultdict[int, list[int]] = defaultdict(list)
    for edge in edges:
        for v in edge:
            joined[v] += edge
    busiest = sorted(joined, key=lambda v: (-len(joined[v]), v))
    return first_ends((v, other) for v in busiest for other in joined[v])


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
    return {**shown, "arrow": style.arrow}


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
