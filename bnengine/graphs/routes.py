"""Edges of a drawing as curves: found in a layout, reversed, or led around it; and the arrowheads at their ends."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine.graphs.dot_layout import Edge
from bnengine.graphs.layout import NODE_HEIGHT, Layout

_BEND = 0.12  # of the length, sideways
_STEPS = 1024


def route_of(layout: Layout, edge: Edge) -> FloatArray:
    """The control points of an edge's cubic Bézier curves, from its parent's box to its child's.

    An edge that the layout has in the other direction takes that route; one that it does not have, a bent line.
    """
    parent, child = edge
    if edge in layout.routes:
        return layout.routes[edge]
    if (child, parent) in layout.routes:
        return layout.routes[child, parent][::-1]
    return _bent(layout, parent, child)


def _bent(layout: Layout, parent: int, child: int) -> FloatArray:
    start, end = layout.centres[parent], layout.centres[child]
    step = end - start
    aside = np.array([-step[1], step[0]]) * _BEND
    curve = np.array([start, start + step / 3 + aside, start + 2 * step / 3 + aside, end])
    t = np.linspace(0.0, 1.0, _STEPS + 1)
    points = _along(curve, t)
    outside = [
        (np.abs(points - centre) > np.array([layout.widths[v], NODE_HEIGHT]) / 2).any(axis=1)
        for v, centre in ((parent, start), (child, end))
    ]
    if not (outside[0].any() and outside[1].any()):
        return curve
    first, last = t[int(np.argmax(outside[0]))], t[_STEPS - int(np.argmax(outside[1][::-1]))]
    return _piece(curve, first, last) if first < last else curve


def with_head(route: FloatArray, length: float, width: float) -> tuple[FloatArray, FloatArray]:
    """Shorten a route to where its arrowhead begins.

    Parameters
    ----------
    route : ndarray, shape (3 k + 1, 2)
    length, width : float
        Of the arrowhead.

    Returns
    -------
    ndarray, shape (3 m + 1, 2)
        The curve up to the arrowhead's base.
    ndarray, shape (3, 2)
        The arrowhead: its tip, where the route ends, and the corners of its base.
    """
    tip = route[-1]
    kept = route
    while len(kept) > 4 and float(np.hypot(*(kept[-4] - tip))) < length:
        kept = kept[:-3]
    t = np.linspace(0.0, 1.0, _STEPS + 1)
    far = np.hypot(*(_along(kept[-4:], t) - tip).T) >= length
    end = float(t[np.flatnonzero(far)[-1]]) if far.any() else 0.5
    shortened = np.concatenate([kept[:-4], _piece(kept[-4:], 0.0, end)])
    base = shortened[-1]
    back = base - tip
    across = np.array([-back[1], back[0]]) / max(float(np.hypot(*back)), 1e-9) * width / 2
    return shortened, np.array([tip, base + across, base - across])


def _along(curve: FloatArray, t: FloatArray) -> FloatArray:
    """Points of one cubic Bézier curve."""
    t = t[:, None]
    a, b, c, d = curve
    points: FloatArray = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return points


def _piece(curve: FloatArray, first: float, last: float) -> FloatArray:
    """The part of one cubic Bézier curve between two parameters (de Casteljau)."""

    def left(points: FloatArray, t: float) -> FloatArray:
        rows, kept = points, [points[0]]
        for _ in range(3):
            rows = rows[:-1] + (rows[1:] - rows[:-1]) * t
            kept.append(rows[0])
        return np.array(kept)

    until = left(curve, last)
    return left(until[::-1], 1.0 - first / last)[::-1] if last > 0 else until
