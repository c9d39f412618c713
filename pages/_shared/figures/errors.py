"""Standard deviations of replicates, and the standard errors that they imply."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.axes import add_reference, with_axes
from pages._shared.figures.palette import DELETE_D, JACKKNIFE, NAIVE, grid, ink
from pages._shared.format import short


def errors_figure(table: pd.DataFrame, unit: str, dark: bool) -> go.Figure:
    """Draw one line per method: the SD of its replicates, open, and the standard error, filled.

    The table is that of ``bn.teaching.ResamplingErrors``; the reference line is at its first method, new samples.
    """
    colors = [ink(dark), NAIVE, JACKKNIFE, DELETE_D]
    methods, errors = table["method"].tolist(), table["standard_error"].tolist()
    figure = go.Figure()
    for method, sd, error, color in zip(methods, table["sd"], errors, colors, strict=True):
        figure.add_scatter(
            x=[sd, error],
            y=[method, method],
            mode="lines",
            line={"color": color, "width": 2, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
    for name, column, symbol in (
        ("SD of replicates", "sd", "circle-open"),
        ("standard error", "standard_error", "circle"),
    ):
        shown = [column == "standard_error" or sd != error for sd, error in zip(table["sd"], errors, strict=True)]
        figure.add_scatter(
            x=table[column],
            y=methods,
            mode="markers+text",
            name=name,
            text=[short(value) if show else "" for value, show in zip(table[column], shown, strict=True)],
            textposition="top center",
            textfont={"size": 12},
            marker={"symbol": symbol, "size": 11, "color": colors, "line": {"width": 2}},
            hovertemplate=f"%{{y}}<br>{name} %{{x:.4g}} {unit}<extra></extra>",
            cliponaxis=False,
        )
    with_axes(figure, dark, 330, f"± {unit}")
    add_reference(figure, float(errors[0]), dark)
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark), rangemode="tozero")
    return figure.update_yaxes(categoryorder="array", categoryarray=methods[::-1], showgrid=False)
