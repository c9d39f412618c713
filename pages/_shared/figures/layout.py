"""Positions of a graph's nodes and routes of its edges, by Graphviz's layered layout ``dot``."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

_GRAPHVIZ = threading.Lock()  # the library has global state: one thread at a time
_POINTS_PER_INCH = 72.0
_SAMPLES_PER_CURVE = 12
NODE_HEIGHT = 19.0
FONT_SIZE = 9.5  # points: at a scale of one, a label fills its box


@dataclass(frozen=True)
class Layout:
    """A drawing in points, y upward.

    Attributes
    ----------
    centres : ndarray, shape (V, 2)
    widths : ndarray, shape (V,)
    routes : dict from (parent, child) to ndarray of shape (P, 2)
        A curve from the parent's box to where the arrowhead begins, and last the arrowhead's tip at the child's box.
    width, height : float
    """

    centres: Points
    widths: Points
    routes: dict[tuple[int, int], Points]
    width: float
    height: float


def lay_out(names: Sequence[str], edges: Sequence[tuple[int, int]]) -> Layout:
    """The layered drawing of a directed graph; cached; the same for the same input."""
    return _lay_out(tuple(names), tuple(edges))


@lru_cache(maxsize=128)
def _lay_out(names: tuple[str, ...], edges: tuple[tuple[int, int], ...]) -> Layout:
    import pygraphviz

    graph = pygraphviz.AGraph(directed=True, nodesep="0.14", ranksep="0.36", outputorder="edgesfirst")
    graph.node_attr.update(shape="box", fixedsize="true", height=f"{NODE_HEIGHT / _POINTS_PER_INCH:.4f}", label="")
    graph.edge_attr.update(arrowsize="0.55")
    for v, name in enumerate(names):
        graph.add_node(v, width=f"{label_width(name) / _POINTS_PER_INCH:.4f}")
    for parent, child in edges:
        graph.add_edge(parent, child)
    with _GRAPHVIZ:
        graph.layout(prog="dot")
    centres = np.array([[float(c) for c in graph.get_node(v).attr["pos"].split(",")] for v in range(len(names))])
    routes = {edge: _route(graph.get_edge(*edge).attr["pos"]) for edge in edges}
    _, _, width, height = (float(c) for c in graph.graph_attr["bb"].split(","))
    return Layout(centres.reshape(-1, 2), np.array([label_width(name) for name in names]), routes, width, height)


def short_label(name: str) -> str:
    """A name shortened to fit its box; both ends are kept, since names often differ only at the end."""
    return name if len(name) <= 22 else f"{name[:13]}…{name[-7:]}"


def label_width(name: str) -> float:
    """Width in points of the box around a name."""
    return 11.0 + 6.3 * max(len(short_label(name)), 2)


def _route(position: str) -> Points:
    """The sampled Bézier curve of an edge and the tip of its arrowhead, from Graphviz's ``pos``."""
    tip, controls = None, []
    for word in position.replace("\\\n", "").split():
        if word.startswith("e,"):
            tip = [float(c) for c in word[2:].split(",")]
        elif not word.startswith("s,"):
            controls.append([float(c) for c in word.split(",")])
    points = np.array(controls)
    t = np.linspace(0.0, 1.0, _SAMPLES_PER_CURVE + 1)[1:, None]
    pieces = [points[:1]]
    for i in range(0, len(points) - 1, 3):
        a, b, c, d = points[i : i + 4]
        pieces.append((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d)
    pieces.append(np.array([tip if tip is not None else controls[-1]]))
    return np.concatenate(pieces)
