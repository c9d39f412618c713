"""A plotly figure as a picture for print, by Graphviz: its width in millimetres, its texts at least 7 points high.

Only what pictures of two numerical axes have is drawn: lines, marks with error bars, annotations, axes. Matplotlib
would need a second description of each figure and one more dependency; kaleido, which prints plotly's, needs a browser.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bnengine.graphs.pictures import drawn
from bnengine.plots.palette import faint, grid, ink

POINTS_PER_MM = 72 / 25.4
FONT = 7.5  # points
_ROUNDED = 1.5  # points; Graphviz rounds sizes up to whole ones
_PER_PIXEL = 0.6  # points; of marks and lines
_NARROWEST = 130.0  # points; of a panel beside another
_LEFT, _RIGHT, _ABOVE, _BELOW, _GAP = 24.0, 7.0, 15.0, 12.0, 10.0  # points around the axes; between panels
_LINE = 1.25 * FONT
_LETTER = 0.56 * FONT  # the mean width of a letter
_MOST_IN_ONE_PLACE = 5  # equal marks, one upon the other; more would look the same, and make a file large
_DASHES = {"dash": "dashed", "dot": "dotted"}
Box = tuple[float, float, float, float]  # left, bottom, width, height


def published(panels: Sequence[go.Figure], width: float, kind: str) -> bytes:
    """Draw figures side by side, or below each other where they would be too narrow.

    Parameters
    ----------
    panels : sequence of Figure
        Each with one pair of axes whose ranges are set.
    width : float
        Of the whole picture, mm.
    kind : {"svg", "pdf", "png"}
    """
    full = width * POINTS_PER_MM - _ROUNDED
    columns = max(min(len(panels), int(full // (_NARROWEST + _GAP))), 1)
    rows = [panels[first : first + columns] for first in range(0, len(panels), columns)]
    each = (full - (columns - 1) * _GAP) / columns
    heights = [max(_height(panel, each) for panel in row) for row in rows]
    top = sum(heights) + (len(rows) - 1) * _GAP
    operations: list[str] = []
    for row, height in zip(rows, heights, strict=True):
        for place, panel in enumerate(row):
            operations += _panel(panel, (place * (each + _GAP), top - height, each, height))
        top -= height + _GAP
    return drawn(operations, (full, sum(heights) + (len(rows) - 1) * _GAP), kind)


def _height(panel: go.Figure, width: float) -> float:
    inside = width - _LEFT - _RIGHT
    return inside + _ABOVE + _BELOW + _LINE * len(_title(panel.layout.xaxis, inside))


def _title(axis: Any, width: float) -> list[str]:
    """Break an axis's title into lines."""
    return textwrap.wrap(axis.title.text or "", max(int(width / _LETTER), 8))


def _panel(figure: go.Figure, box: Box) -> list[str]:
    layout, title = figure.layout, _title(figure.layout.xaxis, box[2] - _LEFT - _RIGHT)
    bottom = box[1] + _BELOW + _LINE * len(title)
    inner = (box[0] + _LEFT, bottom, box[2] - _LEFT - _RIGHT, box[1] + box[3] - _ABOVE - bottom)
    across, up = (_scale(axis.range, *inner[k::2]) for k, axis in ((0, layout.xaxis), (1, layout.yaxis)))
    made = _axes(layout, inner, across, up, title)
    for trace in figure.data:
        made += (_marks if "markers" in trace.mode else _curve)(trace, across, up)
    for note in layout.annotations:
        made += _note(note, across(note.x), up(note.y))
    return made


def _scale(limits: Sequence[float], start: float, length: float) -> Any:
    low, high = limits
    return lambda value: start + (float(value) - low) / (high - low) * length


def _axes(layout: Any, box: Box, across: Any, up: Any, title: list[str]) -> list[str]:
    left, bottom, width, height = box
    made = []
    for axis, place in ((layout.xaxis, across), (layout.yaxis, up)):
        for tick in axis.tickvals:
            at, text = place(tick), f"{tick:g}"
            ends = [(at, bottom), (at, bottom + height)] if axis is layout.xaxis else [(left, at), (left + width, at)]
            if axis.showgrid is not False:
                made += _line(ends, grid(False), 0.4)
            if axis is layout.xaxis:
                made += _text(text, at, bottom - _LINE, "middle")
            else:
                made += _text(text, left - 3, at - 0.35 * FONT, "right")
    frame = [(left, bottom), (left + width, bottom), (left + width, bottom + height), (left, bottom + height)]
    made += _line([*frame, frame[0]], faint(False), 0.6)
    for number, line in enumerate(title, start=1):
        at = bottom - _LINE * (number + 1)
        made += _text(line, left + width / 2, at, "middle")
    words = f"↑ {layout.yaxis.title.text}"  # Graphviz turns no text
    return made + _text(words, left - _LEFT + 2, bottom + height + 5, "left")


def _curve(trace: Any, across: Any, up: Any) -> list[str]:
    points = [(across(x), up(y)) for x, y in zip(trace.x, trace.y, strict=True)]
    return _line(
        points, trace.line.color, (trace.line.width or 1.0) * _PER_PIXEL, _DASHES.get(trace.line.dash, "solid")
    )


def _marks(trace: Any, across: Any, up: Any) -> list[str]:
    n, marker, made = len(trace.x), trace.marker, []
    sizes, symbols = _each(marker.size, n), _each(marker.symbol or "circle", n)
    colors, widths, edges = _each(marker.color, n), _each(marker.line.width, n), _each(marker.line.color, n)
    errors = [0.0] * n if trace.error_y.array is None else trace.error_y.array
    times = Counter[str]()
    for k, (x, y) in enumerate(zip(trace.x, trace.y, strict=True)):
        center, radius = (across(x), up(y)), float(sizes[k]) * _PER_PIXEL / 2
        if errors[k] > 0:
            bar = [(center[0], up(y - errors[k])), (center[0], up(y + errors[k]))]
            made += _line(bar, trace.error_y.color, (trace.error_y.thickness or 1.0) * _PER_PIXEL)
        hollow = str(symbols[k]).endswith("open")
        fill = "#FFFFFF00" if hollow else _mixed(colors[k], marker.opacity)
        outline = colors[k] if hollow else edges[k]
        mark = f"C {len(fill)} -{fill} E {center[0]:.2f} {center[1]:.2f} {radius:.2f} {radius:.2f}"
        times[mark] += 1
        if times[mark] <= _MOST_IN_ONE_PLACE:
            made += [*_pen(outline, max(float(widths[k] or 0), 0.5) * _PER_PIXEL, "solid"), mark]
    return made


def _note(note: Any, x: float, y: float) -> list[str]:
    lines = re.split("<br>", note.text)
    if note.yanchor == "top":
        y -= FONT
    else:
        y += _LINE * (len(lines) - 1) + 2
    return [
        operation for number, line in enumerate(lines) for operation in _text(line, x, y - number * _LINE, note.xanchor)
    ]


def _each(value: Any, n: int) -> Sequence[Any]:
    return list(value) if isinstance(value, tuple | list | np.ndarray) else [value] * n


def _mixed(color: str, opacity: float | None) -> str:
    return f"{color}{round(255 * (1.0 if opacity is None else opacity)):02X}"


def _pen(color: str, width: float, style: str) -> list[str]:
    words = f"setlinewidth({width:.2f})"
    return [f"c {len(color)} -{color} S {len(style)} -{style} S {len(words)} -{words}"]


def _line(points: Iterable[tuple[float, float]], color: str, width: float, style: str = "solid") -> list[str]:
    placed = [f"{x:.2f} {y:.2f}" for x, y in points]
    return [*_pen(color, width, style), f"L {len(placed)} {' '.join(placed)}"]


def _text(words: str, x: float, y: float, anchor: str) -> list[str]:
    color, side = ink(False), {"left": -1, "middle": 0, "center": 0, "right": 1}[anchor]
    raw = len(words.encode())
    font = "Helvetica,Arial,sans-serif"
    return [f"c {len(color)} -{color} F {FONT} {len(font)} -{font} T {x:.2f} {y:.2f} {side} 0 {raw} -{words}"]
