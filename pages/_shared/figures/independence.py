"""Dependence where there is none, and ties where there were none."""

import numpy as np
import plotly.graph_objects as go

from bnengine.teaching import SpuriousDependence, Ties
from pages._shared.figures.palette import NAIVE, faint, framed, ink, legend_on_top
from pages._shared.format import short


def g_squared_figure(result: SpuriousDependence, dark: bool) -> go.Figure:
    """Histograms of G² in data and in resamples, with the densities of theory."""
    densities = result.densities()
    top = float(densities["g_squared"].max())
    figure = go.Figure()
    size = top / 60
    for name, values, color in (("data", result.in_data, ink(dark)), ("bootstrap", result.in_resamples, NAIVE)):
        figure.add_histogram(
            x=values,
            xbins={"start": 0, "end": top, "size": size},
            histnorm="probability density",
            name=f"{name}, mean {short(values.mean())}",
            marker={"color": color, "line": {"width": 0}},
            opacity=0.4,
            hovertemplate=f"{name}: G² %{{x}}<extra></extra>",
        )
    for name, column, color in (("χ²", "data", ink(dark)), ("2 χ²", "resample", NAIVE)):
        figure.add_scatter(
            x=densities["g_squared"],
            y=densities[column],
            name=f"{name}, {result.freedom} degrees of freedom",
            mode="lines",
            line={"color": color, "width": 2},
            hovertemplate=f"{name} density at %{{x:.3g}}: %{{y:.3g}}<extra></extra>",
        )
    framed(figure, dark, 340)
    figure.update_layout(barmode="overlay")
    figure.add_vline(x=result.critical_value, line={"color": ink(dark), "width": 1.2, "dash": "dot"})
    figure.add_annotation(
        x=result.critical_value, y=1, yref="paper", text="5% test", showarrow=False, xanchor="left", xshift=4
    )
    limit = float(np.quantile(densities["data"], 0.97)) * 1.6 if result.freedom < 3 else None
    figure.update_yaxes(
        title={"text": "density", "standoff": 4},
        gridcolor=faint(dark),
        zeroline=False,
        range=[0, limit] if limit else None,
    )
    figure.update_xaxes(title={"text": "G² = 2 N I", "standoff": 4}, range=[0, top], showgrid=False)
    return legend_on_top(figure)


def ties_figure(result: Ties, dark: bool) -> go.Figure:
    """How often each of the measured values occurs in one resample; crosses are those that are lost."""
    values, times = result.values, result.times
    kept = times > 0
    figure = go.Figure()
    figure.add_bar(
        x=values[kept],
        y=times[kept],
        width=float(np.ptp(values)) / max(len(values), 1) / 4 if len(values) > 1 else 0.1,
        marker={"color": NAIVE},
        name="times in the resample",
        hovertemplate="value %{x:.3f}: %{y} times<extra></extra>",
    )
    figure.add_scatter(
        x=values[~kept],
        y=np.zeros(int((~kept).sum())),
        mode="markers",
        marker={"symbol": "x", "size": 6, "color": ink(dark)},
        name="lost",
        hovertemplate="value %{x:.3f}: not in the resample<extra></extra>",
    )
    framed(figure, dark, 330)
    figure.update_xaxes(title={"text": "measured value", "standoff": 4}, showgrid=False, zeroline=False)
    figure.update_yaxes(title={"text": "times", "standoff": 4}, gridcolor=faint(dark), dtick=1, zeroline=False)
    return legend_on_top(figure)


def distinct_figure(result: Ties, dark: bool) -> go.Figure:
    """How many different values the resamples have."""
    numbers, resamples = np.unique(result.distinct, return_counts=True)
    figure = go.Figure()
    figure.add_bar(
        x=numbers,
        y=resamples,
        name="resamples",
        marker={"color": NAIVE},
        opacity=0.5,
        hovertemplate="%{x} different values: %{y} resamples<extra></extra>",
    )
    figure.add_scatter(
        x=[result.limit, result.limit],
        y=[0, resamples.max()],
        mode="lines",
        name="N (1 − 1/e)",
        line={"color": ink(dark), "width": 2, "dash": "dash"},
        hovertemplate=f"N (1 − 1/e) = {short(result.limit)}<extra></extra>",
    )
    framed(figure, dark, 330)
    figure.update_xaxes(title={"text": "different values in a resample", "standoff": 4}, showgrid=False)
    figure.update_yaxes(title={"text": "resamples", "standoff": 4}, gridcolor=faint(dark), zeroline=False)
    return legend_on_top(figure)
