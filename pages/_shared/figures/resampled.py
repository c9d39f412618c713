"""A statistic on resamples, with what it is on the data, on average, corrected and, where known, in truth."""

import numpy as np
import plotly.graph_objects as go

from pages._shared.figures.palette import JACKKNIFE, NAIVE, corrected_color, faint, framed, ink, legend_on_top
from pages._shared.format import short


def resampled_figure(
    on_resamples: np.ndarray, marks: dict[str, float], unit: str, dark: bool, whole: bool = False
) -> go.Figure:
    """A histogram of the values on resamples and a line for each mark, such as "data" or "corrected"."""
    colors = {
        "data": ink(dark),
        "mean of resamples": NAIVE,
        "corrected": corrected_color(dark),
        "corrected twice": corrected_color(dark),
        "truth": JACKKNIFE,
    }
    dashes = {"mean of resamples": "dash", "corrected twice": "dashdot", "truth": "dot"}
    figure = go.Figure()
    size = max(1, round(np.ptp(on_resamples) / 40)) if whole else None
    figure.add_histogram(
        x=on_resamples,
        nbinsx=None if whole else 50,
        xbins={"size": size, "start": float(np.min(on_resamples)) - 0.5} if whole else None,
        name="resamples",
        marker={"color": NAIVE, "line": {"width": 0}},
        opacity=0.4,
        hovertemplate="%{x}: %{y} resamples<extra></extra>",
    )
    for name, value in marks.items():
        figure.add_scatter(
            x=[value, value],
            y=[0, 1],
            yaxis="y2",
            name=f"{name} {short(value)}",
            mode="lines",
            line={"color": colors.get(name, faint(dark)), "width": 2.5, "dash": dashes.get(name, "solid")},
            hovertemplate=f"{name}: {short(value)}<extra></extra>",
        )
    framed(figure, dark, 330)
    figure.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True}, bargap=0.02)
    low, high = (pick([on_resamples.min(), on_resamples.max(), *marks.values()]) for pick in (min, max))
    pad = max(0.04 * (high - low), 1.0 if whole else 0.0) or 0.5
    figure.update_xaxes(range=[low - pad, high + pad])
    if whole and high - low < 12:
        figure.update_xaxes(dtick=1)
    figure.update_xaxes(title={"text": unit, "standoff": 4}, gridcolor=faint(dark), zeroline=False)
    figure.update_yaxes(title={"text": "resamples", "standoff": 4}, gridcolor=faint(dark), zeroline=False, side="left")
    return legend_on_top(figure)
