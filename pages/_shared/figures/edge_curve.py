"""How well a network predicts, against its number of edges."""

import numpy as np
import plotly.graph_objects as go

from bnengine.prediction import EdgeCurve
from pages._shared.figures.axes import with_axes
from pages._shared.figures.network import plain
from pages._shared.figures.palette import FRESH, faint, ink


def edge_curve_figure(curve: EdgeCurve, measure: str, title: str, stop: int | None, step: int, dark: bool) -> go.Figure:
    """Draw the measure on test rows ± standard error; mark where it is good enough, and the number of edges shown."""
    means, errors = curve.means[measure], np.nan_to_num(curve.errors[measure])
    edges = np.arange(len(means))
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([edges, edges[::-1]]),
        y=np.concatenate([means - errors, (means + errors)[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=faint(dark),
        opacity=0.45,
        line={"width": 0},
        hoverinfo="skip",
    )
    added = ["no edges", *(f"{plain(parent)} → {plain(child)}" for parent, child in curve.plan.edges)]
    figure.add_scatter(
        x=edges,
        y=means,
        mode="lines+markers" if len(means) < 60 else "lines",
        line={"color": ink(dark), "width": 2},
        marker={"size": 5},
        customdata=np.column_stack([np.array(added, dtype=object), errors]),
        hovertemplate="edges: %{x}<br>%{y:.4f} ± %{customdata[1]:.4f}<br>last edge: %{customdata[0]}<extra></extra>",
    )
    if stop is not None:
        figure.add_vline(x=stop, line={"color": ink(dark), "width": 1.5, "dash": "dash"})
        figure.add_annotation(
            x=stop,
            y=1.0,
            yref="paper",
            text=f"good enough: {stop}",
            showarrow=False,
            xanchor="left" if stop < 0.6 * len(means) else "right",
            yanchor="bottom",
            font={"color": ink(dark)},
        )
    figure.add_scatter(
        x=[step],
        y=[means[step]],
        mode="markers",
        marker={"size": 12, "color": FRESH, "line": {"color": ink(dark), "width": 1.2}},
        hoverinfo="skip",
    )
    with_axes(figure, dark, 360, "edges added", plain(title), legend=False)
    return figure.update_layout(margin={"t": 26})
