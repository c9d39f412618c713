"""A distribution with a sample from it, and the bias of the entropy against the number of rows."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.palette import NAIVE, faint, framed, ink, legend_on_top


def distribution_figure(probabilities: np.ndarray, counts: tuple[int, ...], dark: bool) -> go.Figure:
    """The probability of each state as a line over bars of its share in the sample."""
    states = np.arange(1, len(probabilities) + 1)
    shares = np.array(counts) / sum(counts)
    figure = go.Figure()
    figure.add_bar(
        x=states,
        y=shares,
        name="sample",
        marker={"color": faint(dark)},
        customdata=counts,
        hovertemplate="state %{x}: %{customdata} rows, %{y:.3f}<extra></extra>",
    )
    figure.add_scatter(
        x=states,
        y=probabilities,
        name="truth",
        mode="markers",
        marker={"symbol": "line-ew", "size": 12, "line": {"width": 2.5, "color": ink(dark)}},
        hovertemplate="state %{x}: probability %{y:.3f}<extra></extra>",
    )
    framed(figure, dark, 320)
    figure.update_xaxes(title={"text": "state", "standoff": 4}, showgrid=False, dtick=max(1, len(states) // 8))
    figure.update_yaxes(title={"text": "probability", "standoff": 4}, gridcolor=faint(dark), rangemode="tozero")
    return legend_on_top(figure)


def bias_by_size_figure(table: pd.DataFrame, n_rows: int, scaled: bool, dark: bool) -> go.Figure:
    """The bootstrap's bias of the entropy, four ways, against N; ``scaled`` multiplies it by N."""
    n = table["n_rows"]
    factor = n if scaled else 1
    unit = "bias × N" if scaled else "bias, nats"
    figure = go.Figure()
    curves = [
        ("−(|X| − 1) / 2N", "leading", ink(dark), "dash"),
        ("−(observed − 1) / 2N", "observed", ink(dark), "dot"),
        ("exact", "exact", NAIVE, "solid"),
    ]
    for title, column, color, dash in curves:
        figure.add_scatter(
            x=n,
            y=table[column] * factor,
            name=title,
            mode="lines",
            line={"color": color, "dash": dash, "width": 2},
            hovertemplate=f"N = %{{x:,}}<br>{title}: %{{y:.3g}}<extra></extra>",
        )
    figure.add_scatter(
        x=n,
        y=table["monte_carlo"] * factor,
        error_y={"array": table["monte_carlo_error"] * factor, "color": NAIVE, "thickness": 1.2, "width": 3},
        name="Monte Carlo ± s.e.",
        mode="markers",
        marker={"color": NAIVE, "size": 7, "symbol": "circle-open", "line": {"width": 1.5}},
        hovertemplate="N = %{x:,}<br>Monte Carlo: %{y:.3g} ± %{error_y.array:.2g}<extra></extra>",
    )
    framed(figure, dark, 320)
    figure.add_vline(x=n_rows, line={"color": faint(dark), "width": 1.5})
    figure.update_xaxes(
        type="log", title={"text": "rows N", "standoff": 4}, tickvals=n.tolist()[:: max(1, len(n) // 7)], showgrid=False
    )
    figure.update_yaxes(title={"text": unit, "standoff": 4}, gridcolor=faint(dark), zerolinecolor=ink(dark))
    return legend_on_top(figure)
