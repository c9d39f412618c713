"""Dependence where there is none, and ties in data without ties."""

import numpy as np
import plotly.graph_objects as go

from bnengine.teaching import SpuriousDependence, Ties
from pages._shared.figures.axes import add_histogram, add_reference, with_axes
from pages._shared.figures.palette import NAIVE, ink
from pages._shared.format import short


def g_squared_figure(result: SpuriousDependence, dark: bool) -> go.Figure:
    """Draw histograms of G² in data sets and in replicates, with the theoretical densities."""
    densities = result.densities()
    top = float(densities["g_squared"].max())
    figure = go.Figure()
    for name, values, color in (("data sets", result.in_data, ink(dark)), ("replicates", result.in_resamples, NAIVE)):
        bins = {"start": 0, "end": top, "size": top / 60}
        shown = f"{name}, mean {short(values.mean())}"
        hover = f"{name}: G² %{{x}}"
        add_histogram(figure, values, shown, color, hover, xbins=bins, histnorm="probability density")
    for name, column, color in (("χ²", "data", ink(dark)), ("2 χ²", "resample", NAIVE)):
        figure.add_scatter(
            x=densities["g_squared"],
            y=densities[column],
            name=f"{name}, df = {result.freedom}",
            mode="lines",
            line={"color": color, "width": 2},
            hovertemplate=f"{name} density at %{{x:.3g}}: %{{y:.3g}}<extra></extra>",
        )
    with_axes(figure, dark, 340, "G² = 2 N I", "density")
    add_reference(figure, result.critical_value, dark)
    figure.add_annotation(
        x=result.critical_value, y=1, yref="paper", text="5% level", showarrow=False, xanchor="left", xshift=4
    )
    if result.freedom < 3:  # the densities are infinite, or steep, at 0
        figure.update_yaxes(range=[0, float(np.quantile(densities["data"], 0.97)) * 1.6])
    return figure.update_xaxes(range=[0, top])


def ties_figure(result: Ties, dark: bool) -> go.Figure:
    """Draw how often each measured value occurs in one replicate; crosses mark those that are missing."""
    values, times = result.values, result.times
    kept = times > 0
    figure = go.Figure()
    figure.add_bar(
        x=values[kept],
        y=times[kept],
        width=float(np.ptp(values)) / max(len(values), 1) / 4 if len(values) > 1 else 0.1,
        marker={"color": NAIVE},
        name="times in the replicate",
        hovertemplate="value: %{x:.3f}<br>times drawn: %{y}<extra></extra>",
    )
    figure.add_scatter(
        x=values[~kept],
        y=np.zeros(int((~kept).sum())),
        mode="markers",
        marker={"symbol": "x", "size": 6, "color": ink(dark)},
        name="missing",
        hovertemplate="value %{x:.3f}: not in the replicate<extra></extra>",
    )
    return with_axes(figure, dark, 330, "measured value", "times").update_yaxes(dtick=1)


def distinct_figure(result: Ties, dark: bool) -> go.Figure:
    """Draw how many distinct values the replicates have."""
    numbers, replicates = np.unique(result.distinct, return_counts=True)
    figure = go.Figure()
    figure.add_bar(
        x=numbers,
        y=replicates,
        name="replicates",
        marker={"color": NAIVE},
        opacity=0.5,
        hovertemplate="distinct values: %{x}<br>replicates: %{y}<extra></extra>",
    )
    figure.add_scatter(
        x=[result.limit, result.limit],
        y=[0, replicates.max()],
        mode="lines",
        name="N (1 − 1/e)",
        line={"color": ink(dark), "width": 2, "dash": "dash"},
        hovertemplate=f"N (1 − 1/e) = {short(result.limit)}<extra></extra>",
    )
    return with_axes(figure, dark, 330, "distinct values in a replicate", "replicates")
