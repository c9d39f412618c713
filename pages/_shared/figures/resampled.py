"""A statistic on replicates, with its value on the data, mean, corrected value and, if known, true value."""

import numpy as np
import plotly.graph_objects as go

from pages._shared.figures.axes import add_histogram, with_axes
from pages._shared.figures.palette import JACKKNIFE, NAIVE, corrected_color, faint, grid, ink
from pages._shared.format import short


def resampled_figure(
    on_resamples: np.ndarray, marks: dict[str, float], unit: str, dark: bool, whole: bool = False
) -> go.Figure:
    """Draw a histogram of the values on replicates and a line for each mark, such as "data" or "corrected"."""
    corrected = corrected_color(dark)
    looks = {
        "data": (ink(dark), "solid"),
        "mean of replicates": (NAIVE, "dash"),
        "corrected": (corrected, "solid"),
        "corrected twice": (corrected, "dashdot"),
        "truth": (JACKKNIFE, "dot"),
    }
    figure = go.Figure()
    bins: dict[str, object] = {"nbinsx": 50}
    if whole:
        size = max(1, round(np.ptp(on_resamples) / 40))
        bins = {"xbins": {"size": size, "start": float(np.min(on_resamples)) - 0.5}}
    add_histogram(figure, on_resamples, "replicates", NAIVE, f"{unit}: %{{x}}<br>replicates: %{{y}}", **bins)
    for name, value in marks.items():
        color, dash = looks.get(name, (faint(dark), "solid"))
        figure.add_scatter(
            x=[value, value],
            y=[0, 1],
            yaxis="y2",
            name=f"{name} {short(value)}",
            mode="lines",
            line={"color": color, "width": 2.5, "dash": dash},
            hovertemplate=f"{name}: {short(value)}<extra></extra>",
        )
    with_axes(figure, dark, 330, unit, "replicates")
    low, high = (pick([on_resamples.min(), on_resamples.max(), *marks.values()]) for pick in (min, max))
    pad = max(0.04 * (high - low), 1.0 if whole else 0.0) or 0.5
    figure.update_xaxes(range=[low - pad, high + pad], showgrid=True, gridcolor=grid(dark))
    if whole and high - low < 12:
        figure.update_xaxes(dtick=1)
    figure.update_yaxes(side="left")
    return figure.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True})
