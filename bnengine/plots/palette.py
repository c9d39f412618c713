"""One palette (Okabe & Ito: safe for colour-blind readers), and the frame and axes that all pictures share.

The colours are those of reports as well, which are written without plotly where it is not installed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from bnengine.bootstrap.resampling_methods import COLORS, FAINT, INK, RESAMPLING_METHODS
from bnengine.experiment.paper import MARGIN, TICKS

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Colours of methods that stand for something else as well.
NAIVE, JACKKNIFE, DELETE_D = (COLORS[key] for key in ("bootstrap", "jackknife_delete_1", "jackknife_delete_d"))
#: By the method's key, where the light theme's colour would be too dark.
ON_DARK = {key: entry.on_dark for key, entry in RESAMPLING_METHODS.items() if entry.on_dark}
SIZE = "#E69F00"
MISFIT = "#8A97A6"
FRESH = "#E69F00"  # rows that were not learned from
CLEAR = "rgba(0,0,0,0)"
#: The vertical axis of pictures with a line for each name, the first on top.
FROM_TOP = {"autorange": "reversed", "showgrid": False}

Look = dict[str, Any]


def ink(dark: bool) -> str:
    """Return the colour of the given data, of text and of axes."""
    return "#E8ECF0" if dark else INK


def faint(dark: bool) -> str:
    """Return the colour of borders and of what is less important."""
    return "#4A5461" if dark else FAINT


def grid(dark: bool) -> str:
    """Return the colour of grid lines, which stay behind everything else."""
    return "#2B323B" if dark else "#DDE2E7"


def paper(dark: bool) -> str:
    """Return the colour of the page behind the picture."""
    return "#12161B" if dark else "#FFFFFF"


def method_color(key: str, dark: bool) -> str:
    """Return the colour of a resampling method, or of the data for ``"data"``."""
    colors = COLORS | ON_DARK if dark else COLORS
    return colors.get(key, ink(dark))


def series(dark: bool) -> list[str]:
    """Return colours of curves that do not represent a resampling method; no bootstrap's is among them."""
    others = (
        method_color(key, dark)
        for key in ("jackknife_delete_1", "jackknife_delete_d", "bootstrap_matched", "predictive")
    )
    return [ink(dark), SIZE, *others, MISFIT]


def framed(
    figure: go.Figure, dark: bool, height: int, x_axis: Look | None = None, y_axis: Look | None = None, **layout: Any
) -> go.Figure:
    """Return the figure with the shared fonts, margins, colours and axes, and with what is given for this one."""
    axis = {"automargin": True, "gridcolor": grid(dark), "gridwidth": 0.5, "zeroline": False, "title": {"standoff": 6}}
    shared = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": "Source Sans, Source Sans Pro, sans-serif", "size": 13, "color": ink(dark)},
        "showlegend": False,
        "hoverlabel": {"bgcolor": paper(dark), "font": {"color": ink(dark)}, "bordercolor": faint(dark)},
        "dragmode": False,
        "modebar": {"bgcolor": CLEAR, "color": faint(dark), "activecolor": ink(dark)},
    }
    return laid_out(figure, _merged(shared, layout), _merged(axis, x_axis or {}), _merged(axis, y_axis or {}))


def enlarged(figure: go.Figure, size: float) -> go.Figure:
    """Return the figure for a projector, as high as its place: texts of this size in pixels, the rest in proportion."""
    factor = size / figure.layout.font.size
    made = type(figure)(_scaled(figure.to_plotly_json(), factor))
    axis = {"title": {"standoff": 6 * factor}, "linewidth": factor}
    return laid_out(made, {"height": None}, axis, axis)


def _scaled(part: Any, factor: float) -> Any:
    """Return a part of a figure with its fonts, lines and marks enlarged."""
    if isinstance(part, list | tuple):
        return [_scaled(one, factor) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: _scaled(value, factor) for key, value in part.items()}
    for key, name in _SIZES:
        look = made.get(key)
        if isinstance(look, dict) and isinstance(look.get(name), int | float):
            made[key] = {**look, name: look[name] * factor}
    return made


_SIZES = (*((key, "size") for key in ("font", "tickfont", "textfont", "marker")), ("line", "width"))


def laid_out(figure: go.Figure, layout: Look, x_axis: Look, y_axis: Look) -> go.Figure:
    """Return the figure with these settings of its layout and of all its x and y axes.

    Each is set as a whole: plotly's own ``update_layout`` looks up every path, which takes several times as long.
    """
    axes = {"xaxis": x_axis, "yaxis": y_axis}
    present = sorted({*axes, *(key for key in figure.layout if key.startswith(tuple(axes)))})
    for name, new in [*layout.items(), *((key, axes[key[:5]]) for key in present)]:
        figure.layout[name] = _merged(figure.layout[name].to_plotly_json(), new) if _nested(new) else new
    return figure


def _merged(given: Look, changes: Look) -> Look:
    """Return a nested mapping with changes at any depth."""
    both = {key: _merged(given[key], new) for key, new in changes.items() if _nested(given.get(key)) and _nested(new)}
    return {**given, **changes, **both}


def _nested(value: object) -> bool:
    return isinstance(value, dict)


def corrected_color(dark: bool) -> str:
    """Return the colour of what is bias-corrected."""
    return method_color("bootstrap_corrected", dark)


def aside(dark: bool) -> str:
    """Return the colour of the edges that only a graph has which no resampling method learned."""
    return "#A4AEB9" if dark else "#75808C"


def legend_on_top(figure: go.Figure) -> go.Figure:
    """Return the figure with its legend in a line above the picture."""
    legend = {"orientation": "h", "x": 0, "y": 1.0, "xanchor": "left", "yanchor": "bottom", "bgcolor": CLEAR}
    return laid_out(figure, {"showlegend": True, "legend": legend, "margin": {"t": 34}}, {}, {})


# What pictures with two axes share: the frame, titled axes, histograms, reference lines, the unit square.

_SHORT = 8  # steps: plotly would put ticks on halves


def with_axes(
    figure: go.Figure,
    dark: bool,
    height: int,
    x: str,
    y: str = "",
    legend: bool = True,
    x_axis: Look | None = None,
    y_axis: Look | None = None,
    **layout: Any,
) -> go.Figure:
    """Return the figure in the shared frame, with titled axes and horizontal grid lines."""
    across, up = ({"title": {"text": text, "standoff": 7}} for text in (x, y))
    across = _merged({**across, "showgrid": False}, x_axis or {})
    framed(figure, dark, height, across, _merged(up, y_axis or {}), **layout)
    return legend_on_top(figure) if legend else figure


# Traces: what is drawn, and what appears under the pointer.


def pointed_at(hover: str) -> Look:
    """Return how a trace answers when it is pointed at, by a plotly template; not at all where that is empty."""
    return {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}


def add_line(
    figure: go.Figure,
    x: Any,
    y: Any,
    color: str,
    hover: str = "",
    name: str | None = None,
    width: float = 2,
    dash: str | None = None,
    **options: Any,
) -> None:
    """Add a line."""
    line = {"color": color, "width": width, "dash": dash}
    figure.add_scatter(x=x, y=y, name=name, line=line, **{"mode": "lines", **pointed_at(hover), **options})


def add_marks(
    figure: go.Figure, x: Any, y: Any, marker: Look, hover: str = "", name: str | None = None, **options: Any
) -> None:
    """Add marks of this look."""
    figure.add_scatter(x=x, y=y, name=name, marker=marker, **{"mode": "markers", **pointed_at(hover), **options})


def add_bars(
    figure: go.Figure, x: Any, y: Any, marker: Look, hover: str, name: str | None = None, **options: Any
) -> None:
    """Add bars of this look."""
    figure.add_bar(x=x, y=y, name=name, marker=marker, **pointed_at(hover), **options)


def errors(array: pd.Series[float], color: str, thickness: float, width: float) -> Look:
    """Return error bars; missing errors count as 0."""
    return {"type": "data", "array": array.fillna(0.0), "color": color, "thickness": thickness, "width": width}


def to_ends(values: Iterable[float], low: Iterable[float], high: Iterable[float]) -> Look:
    """Return error bars from the values to the ends of their intervals."""
    down, up = zip(*((value - a, b - value) for value, a, b in zip(values, low, high, strict=True)), strict=True)
    return {"type": "data", "symmetric": False, "array": list(up), "arrayminus": list(down)}


def above(text: list[str], font: Look) -> Look:
    """Return scatter options that put labels above the marks."""
    return {"mode": "markers+text", "text": text, "textposition": "top center", "textfont": font}


def unfaded(opacity: float) -> Look:
    """Return scatter options that turn off the look of a selected mark."""
    return {chosen: {"marker": {"opacity": opacity}} for chosen in ("selected", "unselected")}


def integer_tick(span: float) -> int | None:
    """Return the distance of the ticks of an axis that counts.

    None, so that plotly chooses it, where the axis is long.
    """
    return 1 if span <= _SHORT else None


def add_reference(
    figure: go.Figure, x: float, dark: bool, width: float = 1.2, dash: str = "dot", **options: Any
) -> None:
    """Add a vertical line to compare with."""
    figure.add_vline(x=x, line={"color": ink(dark), "width": width, "dash": dash}, **options)


def diagonal(figure: go.Figure, dark: bool, most: float = 1.0, **place: Any) -> go.Figure:
    """Add the dotted line on which both axes have the same value."""
    add_line(figure, [0, most], [0, most], ink(dark), width=1, dash="dot", **place)
    return figure


def unit_square(figure: go.Figure, dark: bool, x_title: str, y_title: str, height: int = 340) -> go.Figure:
    """Frame a figure whose axes both run from 0 to 1, at the same scale."""
    axis: Look = {"range": [-MARGIN, 1 + MARGIN], "tickvals": TICKS, "constrain": "domain"}
    axis |= {"showline": True, "mirror": True, "linecolor": faint(dark)}
    across, up = {**axis, "title": {"text": x_title}}, {**axis, "title": {"text": y_title}, "scaleanchor": "x"}
    return framed(figure, dark, height, across, up, hovermode="closest")
