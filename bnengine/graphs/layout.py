"""Positions of a graph's nodes and routes of its edges for a given width, by Graphviz's layered layout ``dot``.

The drawing depends on the names and the edges, never on the order in which they are given. Connected components are
arranged one by one, from top to bottom or from left to right, whichever fits better, and packed into rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine.graphs.dot_layout import Drawn, Edge, draw
from bnengine.graphs.labels import label_width

NODE_HEIGHT = 22.0
_GAP = 12.0  # pixels between neighbours in a layer
_BETWEEN = (24.0, 15.0)  # pixels between layers: at leisure, and where height is short
_APART = 26.0  # pixels between components


@dataclass(frozen=True, eq=False)
class Layout:
    """A drawing in pixels, y downward.

    Attributes
    ----------
    centres : ndarray, shape (V, 2)
    widths : ndarray, shape (V,)
        Of the nodes' boxes; all are ``NODE_HEIGHT`` high.
    routes : dict from (parent, child) to ndarray, shape (3 k + 1, 2)
        Control points of k cubic Bézier curves from the border of the parent's box to that of the child's.
    width, height : float
    """

    centres: FloatArray
    widths: FloatArray
    routes: dict[Edge, FloatArray]
    width: float
    height: float


def lay_out(names: Sequence[str], edges: Iterable[Edge], width: float = 1200.0, height: float = 520.0) -> Layout:
    """Arrange a directed graph for a picture of about this size; cached.

    Parameters
    ----------
    names : sequence of str
        Of the V nodes.
    edges : iterable of (int, int)
        (parent, child). Where they have cycles, some edges lead upward.
    width, height : float
        Of the picture in pixels. A drawing that does not fit is larger, rather in height than in width.

    Returns
    -------
    Layout

    Examples
    --------
    >>> layout = lay_out(["rain", "sprinkler", "wet"], [(0, 2), (1, 2)])
    >>> bool(layout.centres[0, 1] < layout.centres[2, 1])
    True
    """
    order = sorted(range(len(names)), key=lambda v: names[v])
    place = {v: k for k, v in enumerate(order)}
    ordered = tuple(sorted({(place[i], place[j]) for i, j in edges}))
    found = _lay_out(tuple(names[v] for v in order), ordered, width, height)
    back = [place[v] for v in range(len(names))]
    routes = {(order[i], order[j]): route for (i, j), route in found.routes.items()}
    return Layout(found.centres[back], found.widths[back], routes, found.width, found.height)


@lru_cache(maxsize=256)
def _lay_out(names: tuple[str, ...], edges: tuple[Edge, ...], width: float, height: float) -> Layout:
    widths = np.array([label_width(name) for name in names])
    centres = np.zeros((len(names), 2))
    routes: dict[Edge, FloatArray] = {}
    parts = _components(len(names), edges)
    drawn = [(members, _component(members, widths, edges, width, height)) for members in parts if len(members) > 1]
    alone = [members[0] for members in parts if len(members) == 1]
    row = max([width, *(picture.width for _, picture in drawn)])
    corners, full = _rows([(picture.width, picture.height) for _, picture in drawn], row, _APART)
    for (members, picture), corner in zip(drawn, corners, strict=True):
        centres[members] = picture.centres + corner
        routes |= {(members[i], members[j]): route + corner for (i, j), route in picture.routes.items()}
    corners, size = _without_edges(widths[alone].tolist(), full, width, height)
    for v, corner in zip(alone, corners, strict=True):
        centres[v] = corner + np.array([widths[v], NODE_HEIGHT]) / 2
    return Layout(centres, widths, routes, max(size[0], 1.0), max(size[1], 1.0))


def _without_edges(
    widths: Sequence[float], size: tuple[float, float], width: float, height: float
) -> tuple[list[FloatArray], tuple[float, float]]:
    """Corners of the nodes without edges, in rows below a drawing of this size or beside it, and the size of all."""
    if not widths:
        return [], size
    boxes, widest = [(w, NODE_HEIGHT) for w in widths], max(widths)
    if not size[0]:
        return _rows(boxes, max(width, widest), _GAP)
    under, low = _rows(boxes, max(size[0], width / 2, widest), _GAP)
    below = max(size[0], low[0]), size[1] + _APART + low[1]
    columns = min(math.ceil(len(boxes) * (NODE_HEIGHT + _GAP) / size[1]), len(boxes))
    right, high = _rows(boxes, columns * (widest + _GAP), _GAP)
    beside = size[0] + _APART + high[0], max(size[1], high[1])
    if _fit(*below, width, height) >= _fit(*beside, width, height):
        return [corner + np.array([0.0, size[1] + _APART]) for corner in under], below
    return [corner + np.array([size[0] + _APART, 0.0]) for corner in right], beside


def _component(members: list[int], widths: FloatArray, edges: Sequence[Edge], width: float, height: float) -> Drawn:
    """The most readable of several drawings of one component."""
    place = {v: k for k, v in enumerate(members)}
    own = tuple((place[i], place[j]) for i, j in edges if i in place)
    sizes = tuple(widths[members].tolist())
    tried: list[Drawn] = []
    ways = (True, False) if width > 2 * height else (False, True)  # a wide picture is rather filled than high
    for between in _BETWEEN:
        for sideways in ways:
            tried.append(_drawn(sizes, own, between, sideways))
            if _fit(tried[-1].width, tried[-1].height, width, height) == 1.0:
                return tried[-1]
    return max(tried, key=lambda drawn: _fit(drawn.width, drawn.height, width, height))  # the first of equals


@lru_cache(maxsize=256)
def _drawn(widths: tuple[float, ...], edges: tuple[Edge, ...], between: float, sideways: bool) -> Drawn:
    """A drawing, which is the same for pictures of every size: only the choice among drawings is not."""
    return draw(widths, NODE_HEIGHT, edges, _GAP, between, sideways)


def _fit(width: float, height: float, most_width: float, most_height: float) -> float:
    """How well a drawing fits a picture, at most 1; height is easier to have than width."""
    return float(min(1.0, most_width / width) * min(1.0, most_height / height) ** 0.5)


def _components(n: int, edges: Sequence[Edge]) -> list[list[int]]:
    """The connected components, the largest first, then by their first node."""
    joined: list[set[int]] = [{v} for v in range(n)]
    for i, j in edges:
        if joined[i] is not joined[j]:
            joined[i] |= joined[j]
            for v in sorted(joined[j]):
                joined[v] = joined[i]
    return sorted(
        (sorted(members) for v, members in enumerate(joined) if v == min(members)), key=lambda m: (-len(m), m)
    )


def _rows(
    sizes: Sequence[tuple[float, float]], width: float, gap: float
) -> tuple[list[FloatArray], tuple[float, float]]:
    """Upper left corners of boxes in rows of at most this width, and the width and height of all rows."""
    corners: list[FloatArray] = []
    x, y, deepest, right = 0.0, 0.0, 0.0, 0.0
    for w, h in sizes:
        if x > 0 and x + w > width:
            x, y, deepest = 0.0, y + deepest + gap, 0.0
        corners.append(np.array([x, y]))
        right, deepest = max(right, x + w), max(deepest, h)
        x += w + gap
    return corners, (right, y + deepest)
