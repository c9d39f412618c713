"""Estimates from repeated samples around the truth."""

import plotly.graph_objects as go

from bnengine.teaching import EntropyEstimates
from pages._shared.figures.palette import NAIVE, corrected_color, faint, framed, ink


def estimates_figure(estimates: EntropyEstimates, dark: bool) -> go.Figure:
    """One violin an estimator, first on top: estimate less truth over the samples; a bar at its exact mean."""
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
    framed(figure, dark, 90 + 52 * len(estimates.names))
    figure.add_vline(x=0, line={"color": ink(dark), "width": 1.2, "dash": "dot"})
    figure.update_yaxes(autorange="reversed", showgrid=False)
    figure.update_xaxes(
        title={"text": "estimate − true entropy, nats", "standoff": 4}, gridcolor=faint(dark), zeroline=False
    )
    return figure
