"""What pictures with two axes share: the frame, titled axes, histograms, reference lines, the unit square."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages._shared.figures.palette import faint, framed, ink, laid_out, legend_on_top

_SHORT = 8  # steps: plotly would put ticks on halves


def with_axes(figure: go.Figure, dark: bool, height: int, x: str, y: str = "", legend: bool = True) -> go.Figure:
    """Return the figure in the shared frame, with titled axes and horizontal grid lines."""
    framed(figure, dark, height)
    titles = [{"title": {"text": text, "standoff": 7}} for text in (x, y)]
    laid_out(figure, {}, {**titles[0], "showgrid": False}, titles[1])
    return legend_on_top(figure) if legend else figure


def add_histogram(figure: go.Figure, values: np.ndarray, name: str, color: str, hover: str, **options: Any) -> None:
    """Add a translucent histogram; histograms of one figure overlap."""
    figure.add_histogram(
        x=values,
        name=name,
        marker={"color": color, "line": {"width": 0}},
        opacity=0.45,
        hovertemplate=f"{hover}<extra></extra>",
        **options,
    )
    figure.update_layout(barmode="overlay", bargap=0.02)


def whole(span: float) -> int | None:
    """Distance of the ticks of an axis that counts; None, so that plotly chooses it, where the axis is long."""
    return 1 if span <= _SHORT else None


def add_reference(figure: go.Figure, x: float, dark: bool) -> None:
    """Add a dotted vertical line to compare with."""
    figure.add_vline(x=x, line={"color": ink(dark), "width": 1.2, "dash": "dot"})


def diagonal(figure: go.Figure, dark: bool, most: float = 1.0) -> go.Figure:
    """Add the dotted line on which both axes have the same value."""
    line = {"color": ink(dark), "width": 1, "dash": "dot"}
    return figure.add_scatter(x=[0, most], y=[0, most], mode="lines", hoverinfo="skip", line=line)


def unit_square(figure: go.Figure, dark: bool, x_title: str, y_title: str, height: int = 340) -> go.Figure:
    """Frame a figure whose axes both run from 0 to 1, at the same scale."""
    framed(figure, dark, height)
    axis = {"range": [-0.06, 1.06], "tickvals": [0, 0.25, 0.5, 0.75, 1], "constrain": "domain"}
    border = {"showline": True, "mirror": True, "linecolor": faint(dark)}
    figure.update_xaxes(**axis, **border, title_text=x_title)
    figure.update_yaxes(**axis, **border, title_text=y_title, scaleanchor="x")
    figure.update_layout(hovermode="closest")
    return figure
