"""Estimates from repeated samples around the truth."""

import plotly.graph_objects as go

from bnengine.teaching import EntropyEstimates
from pages._shared.figures.axes import add_reference, with_axes
from pages._shared.figures.palette import NAIVE, corrected_color, grid, ink


def estimates_figure(estimates: EntropyEstimates, dark: bool) -> go.Figure:
    """Draw one violin per estimator, first on top: estimate minus truth over the samples, a bar at the exact mean."""
    figure = go.Figure()
    errors = estimates.estimates - estimates.truth
    for name, values, bias in zip(estimates.names, errors, estimates.exact_bias, strict=True):
        color = {"bootstrap": NAIVE, "plug-in": ink(dark)}.get(name, corrected_color(dark))
        figure.add_violin(
            x=values,
            y=[name] * len(values),
            orientation="h",
            line={"color": color, "width": 1},
            fillcolor=color,
            opacity=0.45,
            points=False,
            spanmode="hard",
            width=0.85,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[bias],
            y=[name],
            mode="markers",
            marker={"symbol": "line-ns", "size": 34, "line": {"width": 3.5, "color": color}},
            hovertemplate=f"{name}<br>bias %{{x:.4f}} nats (exact)<extra></extra>",
        )
    with_axes(figure, dark, 90 + 52 * len(estimates.names), "estimate − true entropy, nats", legend=False)
    add_reference(figure, 0, dark)
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark))
    return figure.update_yaxes(autorange="reversed", showgrid=False)
