"""Curves over one number: densities, scores by number of rows, edges by equivalent sample size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from pages._shared.figures.axes import with_axes
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, ink


@dataclass(frozen=True)
class Curve:
    """One curve; ``hover`` is a plotly template over ``%{x}``, ``%{y}`` and ``%{error_y.array}``."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    color: str
    dash: str = "solid"
    mode: str = "lines+markers"
    hover: str = "%{x:,}: %{y:.4g}"
    errors: Sequence[float] | None = None
    size: int = 5
    in_legend: bool = True
    width: float = 2


@dataclass(frozen=True)
class Mark:
    """A dashed vertical line with a label to its right, or to its ``left``."""

    x: float
    text: str
    left: bool = False


def curves_figure(
    curves: Sequence[Curve],
    dark: bool,
    x_title: str,
    y_title: str,
    *,
    height: int = 320,
    log_x: bool = False,
    y_range: tuple[float, float] | None = None,
    marks: Sequence[Mark] = (),
    level: float | None = None,
    ticks: Sequence[float] | None = None,
) -> go.Figure:
    """Return the curves with a legend above them; ``level`` is a horizontal line to compare with."""
    figure = go.Figure()
    for curve in curves:
        name = plain(curve.name)
        figure.add_scatter(
            x=list(curve.x),
            y=list(curve.y),
            name=name,
            mode=curve.mode,
            line={"color": curve.color, "width": curve.width, "dash": curve.dash},
            marker={"size": curve.size, "color": curve.color},
            error_y=None
            if curve.errors is None
            else {"type": "data", "array": list(curve.errors), "color": curve.color, "thickness": 1.2, "width": 3},
            showlegend=curve.in_legend,
            hovertemplate=f"<b>{name}</b><br>{curve.hover}<extra></extra>",
        )
    with_axes(figure, dark, height, x_title, y_title, legend=sum(curve.in_legend for curve in curves) > 1)
    if level is not None:
        figure.add_hline(y=level, line={"color": ink(dark), "width": 1, "dash": "dot"})
    for mark in marks:
        _add_mark(figure, mark, log_x, dark)
    figure.update_xaxes(type="log" if log_x else "linear", showline=True, linecolor=faint(dark))
    if ticks:
        figure.update_xaxes(tickvals=list(ticks), ticktext=[f"{tick:,g}" for tick in ticks])
    figure.update_yaxes(range=y_range)
    figure.update_layout(hovermode="closest")
    return figure


def _add_mark(figure: go.Figure, mark: Mark, log_x: bool, dark: bool) -> None:
    figure.add_vline(x=mark.x, line={"color": ink(dark), "width": 1, "dash": "dash"})
    figure.add_annotation(
        x=math.log10(mark.x) if log_x else mark.x,  # plotly's annotations, unlike its lines, want the exponent
        y=1,
        yref="y domain",
        text=plain(mark.text),
        font={"size": 12, "color": ink(dark)},
        showarrow=False,
        xanchor="right" if mark.left else "left",
        yanchor="top",
        xshift=-3 if mark.left else 3,
    )
