"""Curves over one number: densities, scores by rows, edges by equivalent sample size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, framed, ink


@dataclass(frozen=True)
class Curve:
    """One curve, its colour, and what it says when asked; ``{x}`` and ``{y}`` are plotly's."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    color: str
    dash: str = "solid"
    mode: str = "lines+markers"
    hover: str = "%{x:,}: %{y:.4g}"
    errors: Sequence[float] | None = None
    fill: bool = False
    shape: str = "linear"


@dataclass(frozen=True)
class Mark:
    """A vertical line at a place, with a word on it."""

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
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    marks: Sequence[Mark] = (),
    level: float | None = None,
    title: str = "",
    ticks: Sequence[float] | None = None,
) -> go.Figure:
    """The curves with a legend above them; ``level`` is a horizontal line to compare with."""
    figure = go.Figure()
    for curve in curves:
        figure.add_scatter(
            x=list(curve.x),
            y=list(curve.y),
            name=plain(curve.name),
            mode=curve.mode,
            line={"color": curve.color, "width": 2, "dash": curve.dash, "shape": curve.shape},
            marker={"size": 5, "color": curve.color},
            error_y=None
            if curve.errors is None
            else {"type": "data", "array": list(curve.errors), "thickness": 1.2, "width": 3},
            fill="tozeroy" if curve.fill else None,
            hovertemplate=f"<b>{plain(curve.name)}</b><br>{curve.hover}<extra></extra>",
        )
    if level is not None:
        figure.add_hline(y=level, line={"color": ink(dark), "width": 1, "dash": "dot"})
    framed(figure, dark, height)
    for mark in marks:
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
    figure.update_xaxes(
        title={"text": x_title, "standoff": 6},
        type="log" if log_x else "linear",
        range=x_range,
        tickvals=list(ticks) if ticks else None,
        ticktext=[f"{tick:,g}" for tick in ticks] if ticks else None,
        showgrid=False,
        zeroline=False,
        showline=True,
        linecolor=faint(dark),
    )
    figure.update_yaxes(
        title={"text": y_title, "standoff": 6}, range=y_range, gridcolor=faint(dark), gridwidth=0.5, zeroline=False
    )
    top = 30 if len(curves) > 1 or title else 8
    figure.update_layout(
        showlegend=len(curves) > 1,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 12},
            "itemwidth": 30,
        },
        margin={"l": 8, "r": 8, "t": top, "b": 8},
        hovermode="closest",
    )
    return figure
