"""A function of a proportion, and its mean over replicates."""

import numpy as np
import plotly.graph_objects as go

from bnengine.teaching import Jensen
from pages._shared.figures.axes import with_axes
from pages._shared.figures.network import plain
from pages._shared.figures.palette import NAIVE, grid, ink
from pages._shared.format import short


def jensen_figure(result: Jensen, dark: bool) -> go.Figure:
    """Draw the curve, the probability of each proportion below it, the value on the data and the mean."""
    name = plain(result.function)
    figure = go.Figure()
    shown = result.chances > 0.002 * result.chances.max()
    near, seen = result.proportions[shown], result.values[shown]
    figure.add_bar(
        x=near,
        y=result.chances[shown],
        yaxis="y2",
        name="probability in a replicate",
        marker={"color": NAIVE},
        opacity=0.3,
        width=0.8 / result.n_rows,
        hovertemplate="p = %{x:.3f}: probability %{y:.3g}<extra></extra>",
    )
    steps, curve = result.curve()
    figure.add_scatter(
        x=steps,
        y=curve,
        name=name,
        mode="lines",
        line={"color": ink(dark), "width": 2},
        hovertemplate=f"p = %{{x:.3f}}: {name} = %{{y:.4g}}<extra></extra>",
    )
    for title, y, color, symbol in (
        ("on the data", result.value, ink(dark), "circle"),
        ("mean over replicates", result.mean, NAIVE, "diamond"),
    ):
        figure.add_scatter(
            x=[result.proportion],
            y=[y],
            name=f"{title} {short(y)}",
            mode="markers",
            marker={"color": color, "size": 12, "symbol": symbol},
            hovertemplate=f"{title}: {short(y)}<extra></extra>",
        )
    with_axes(figure, dark, 330, "proportion p", name)
    half, pad = 0.6 / result.n_rows, 0.12 * float(np.ptp(seen)) or 0.1
    figure.update_xaxes(range=[near.min() - half, near.max() + half], showgrid=True, gridcolor=grid(dark))
    figure.update_yaxes(range=[float(seen.min()) - pad, float(seen.max()) + pad])
    top = float(np.max(result.chances)) * 3.2
    return figure.update_layout(yaxis2={"overlaying": "y", "range": [0, top], "visible": False, "fixedrange": True})
