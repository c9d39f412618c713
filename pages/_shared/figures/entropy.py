"""A distribution with a sample from it, and the bias of the entropy against the number of rows."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.axes import with_axes
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import NAIVE, faint, ink


def distribution_figure(probabilities: np.ndarray, counts: tuple[int, ...], dark: bool) -> go.Figure:
    """Draw the probability of each state as a line over a bar, its share in the sample."""
    states = np.arange(1, len(probabilities) + 1)
    figure = go.Figure()
    figure.add_bar(
        x=states,
        y=np.array(counts) / sum(counts),
        name="sample",
        marker={"color": faint(dark)},
        customdata=counts,
        hovertemplate="state %{x}: share %{y:.3f}<br>rows: %{customdata}<extra></extra>",
    )
    figure.add_scatter(
        x=states,
        y=probabilities,
        name="truth",
        mode="markers",
        marker={"symbol": "line-ew", "size": 12, "line": {"width": 2.5, "color": ink(dark)}},
        hovertemplate="state %{x}: probability %{y:.3f}<extra></extra>",
    )
    with_axes(figure, dark, 320, "state", "probability")
    figure.update_xaxes(dtick=max(1, len(states) // 8))
    return figure.update_yaxes(rangemode="tozero")


def bias_by_size_figure(table: pd.DataFrame, n_rows: int, scaled: bool, dark: bool) -> go.Figure:
    """Draw the bootstrap bias of the entropy, four ways, against N; ``scaled`` multiplies it by N."""
    n = table["n_rows"]
    factor = n if scaled else 1
    curves = [
        Curve(name, n, table[column] * factor, color, dash, "lines", "N = %{x:,}: %{y:.3g}")
        for name, column, color, dash in (
            ("−(|X| − 1) / 2N", "leading", ink(dark), "dash"),
            ("−(observed − 1) / 2N", "observed", ink(dark), "dot"),
            ("exact", "exact", NAIVE, "solid"),
        )
    ]
    hover, errors = "N = %{x:,}: %{y:.3g} ± %{error_y.array:.2g}", table["monte_carlo_error"] * factor
    random = table["monte_carlo"] * factor
    curves.append(Curve("Monte Carlo ± SE", n, random, NAIVE, "solid", "markers", hover, errors.tolist(), size=7))
    figure = curves_figure(
        curves,
        dark,
        "number of rows",
        "bias × N, nats" if scaled else "bias, nats",
        log_x=True,
        ticks=n.tolist()[:: max(1, len(n) // 7)],
        level=0.0,
    )
    return figure.add_vline(x=n_rows, line={"color": faint(dark), "width": 1.5})
