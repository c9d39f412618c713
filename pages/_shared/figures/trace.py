"""The score after each step of a search."""

import plotly.graph_objects as go

from bnengine import LearnedGraph
from pages._shared.figures.palette import CORRECTED, CORRECTED_ON_DARK, faint, framed


def trace_figure(graph: LearnedGraph, dark: bool) -> go.Figure:
    """Score in nats against the number of the step."""
    figure = go.Figure(
        go.Scatter(
            y=graph.trace,
            mode="lines+markers",
            marker={"size": 4},
            line={"color": CORRECTED_ON_DARK if dark else CORRECTED, "width": 1.5},
            hovertemplate="step %{x}: %{y:,.1f} nats<extra></extra>",
        )
    )
    framed(figure, dark, 300)
    figure.update_xaxes(title={"text": "step", "standoff": 4}, showgrid=False, zeroline=False)
    figure.update_yaxes(title={"text": "score, nats", "standoff": 4}, gridcolor=faint(dark), zeroline=False)
    return figure
