"""A function of a proportion, and what averaging over resamples does to it."""

import numpy as np
import plotly.graph_objects as go

from bnengine.teaching import Jensen
from pages._shared.figures.network import plain
from pages._shared.figures.palette import NAIVE, faint, framed, ink, legend_on_top
from pages._shared.format import short


def jensen_figure(result: Jensen, dark: bool) -> go.Figure:
    """The curve, the chances of each proportion below it, the data's point and the mean over resamples."""
    name = plain(result.function)
    figure = go.Figure()
    shown = result.chances > 0.002 * result.chances.max()
    figure.add_bar(
        x=result.proportions[shown],
        y=result.chances[shown],
        yaxis="y2",
        name="chance in a resample",
        marker={"color": NAIVE},
        opacity=0.3,
        width=0.8 / result.n_rows,
        hovertemplate="p = %{x:.3f}: chance %{y:.3g}<extra></extra>",
    )
    grid, curve = result.curve()
    figure.add_scatter(
        x=grid,
        y=curve,
        name=name,
        mode="lines",
        line={"color": ink(dark), "width": 2},
        hovertemplate=f"p = %{{x:.3f}}: {name} = %{{y:.4g}}<extra></extra>",
    )
    for title, y, color, symbol in (
        ("on the data", result.value, ink(dark), "circle"),
        ("mean over resamples", result.mean, NAIVE, "diamond"),
    ):
        figure.add_scatter(
            x=[result.proportion],
            y=[y],
            name=f"{title} {short(y)}",
            mode="markers",
            marker={"color": color, "size": 12, "symbol": symbol},
            hovertemplate=f"{title}: {short(y)}<extra></extra>",
        )
    framed(figure, dark, 330)
    half = 0.6 / result.n_rows
    near = result.proportions[shown]
    figure.update_xaxes(range=[near.min() - half, near.max() + half])
    seen = result.values[shown]
    pad = 0.12 * float(np.ptp(seen)) or 0.1
    figure.update_yaxes(range=[float(seen.min()) - pad, float(seen.max()) + pad])
    top = float(np.max(result.chances)) * 3.2
    figure.update_layout(yaxis2={"overlaying": "y", "range": [0, top], "visible": False, "fixedrange": True})
    figure.update_xaxes(title={"text": "proportion p", "standoff": 4}, gridcolor=faint(dark), zeroline=False)
    figure.update_yaxes(title={"text": name, "standoff": 4}, gridcolor=faint(dark), zeroline=False)
    return legend_on_top(figure)
