"""The multiscale bootstrap of one edge: its probabilities at several scales on one line, and what is read off it."""

import numpy as np
import plotly.graph_objects as go
from scipy.special import ndtri

from bnengine.teaching.multiscale import MultiscaleBootstrap
from pages._shared.figures.axes import with_axes
from pages._shared.figures.palette import NAIVE, corrected_color, faint, ink
from pages._shared.format import short

#: Where the three probabilities are read, as a variance of the resamples relative to that of N rows.
READ = (1.0, 0.0, -1.0)
NAMES = ("naive bootstrap", "corrected once", "approximately unbiased")


def multiscale_figure(made: MultiscaleBootstrap, i: int, j: int, dark: bool) -> go.Figure:
    """The line v + c σ² through the scales' probabilities, as normal quantiles, with its values at σ² = 1, 0 and -1."""
    v, c = float(made.distance[i, j]), float(made.curvature[i, j])
    variance = 1 / made.scales
    shares, n = made.by_scale[:, i, j], made.replicates
    inside = (shares > 0) & (shares < 1)
    z = -ndtri(shares[inside])
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    errors = np.sqrt(shares[inside] * (1 - shares[inside]) / n[inside]) / density  # delta method
    root = np.sqrt(made.scales[inside])
    figure = go.Figure()
    ends = np.array([-1.15, float(variance.max()) + 0.1])
    figure.add_scatter(
        x=ends,
        y=v + c * ends,
        mode="lines",
        line={"color": ink(dark), "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=variance[inside],
        y=z / root,
        mode="markers",
        name="resamples of 0.5 N to 1.5 N rows",
        error_y={"array": errors / root, "color": faint(dark), "thickness": 1.5, "width": 0},
        marker={"size": 8, "color": faint(dark), "line": {"width": 1, "color": ink(dark)}},
        text=[
            f"{short(float(r))} N rows: {short(float(p))}"
            for r, p in zip(made.scales[inside], shares[inside], strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )
    for place, name, color, probability in zip(
        READ, NAMES, (NAIVE, corrected_color(dark), ink(dark)), made.probabilities[:, i, j], strict=True
    ):
        figure.add_scatter(
            x=[place],
            y=[v + c * place],
            mode="markers+text",
            name=name,
            text=[short(float(probability))],
            textposition="top center",
            textfont={"color": color, "size": 15},
            marker={"size": 15, "color": color, "symbol": "diamond"},
            hovertemplate=f"<b>{name}</b>: {short(float(probability))}<extra></extra>",
        )
    with_axes(figure, dark, 360, "variance of the resamples, σ² = N / rows", "z of the share / √(rows / N)")
    figure.update_xaxes(tickvals=[-1, 0, 0.5, 1, 1.5, 2], range=[-1.25, float(variance.max()) + 0.15])
    return figure
