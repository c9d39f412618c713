"""What pictures with two axes share: the frame, the axes' titles, histograms and reference lines."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from pages._shared.figures.palette import faint, framed, ink, legend_on_top


def with_axes(figure: go.Figure, dark: bool, height: int, x: str, y: str = "", legend: bool = True) -> go.Figure:
    """Return the figure in the shared frame, with titled axes and horizontal grid lines."""
    framed(figure, dark, height)
    figure.update_xaxes(title={"text": x, "standoff": 7}, showgrid=False, zeroline=False)
    figure.update_yaxes(title={"text": y, "standoff": 7}, gridcolor=faint(dark), zeroline=False)
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


def add_reference(figure: go.Figure, x: float, dark: bool) -> None:
    """Add a dotted vertical line to compare with."""
    figure.add_vline(x=x, line={"color": ink(dark), "width": 1.2, "dash": "dot"})
