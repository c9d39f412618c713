"""Spreads of replicates, and the standard errors that they stand for."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.palette import DELETE_D, JACKKNIFE, NAIVE, faint, framed, ink, legend_on_top
from pages._shared.format import short


def errors_figure(table: pd.DataFrame, unit: str, dark: bool) -> go.Figure:
    """One line a method: the sd of its replicates, open, and the standard error, filled; a line at the truth.

    The table is that of ``bnengine.ResamplingErrors``, whose first method are fresh samples.
    """
    colors = [ink(dark), NAIVE, JACKKNIFE, DELETE_D]
    methods, truth = table["method"].tolist(), float(table["standard_error"].iloc[0])
    figure = go.Figure()
    for method, sd, error, color in zip(methods, table["sd"], table["standard_error"], colors, strict=True):
        if sd != error:
            figure.add_scatter(
                x=[sd, error],
                y=[method, method],
                mode="lines",
                line={"color": color, "width": 2, "dash": "dot"},
                hoverinfo="skip",
                showlegend=False,
            )
    for name, column, mark in (
        ("sd of replicates", "sd", "circle-open"),
        ("standard error", "standard_error", "circle"),
    ):
        figure.add_scatter(
            x=table[column],
            y=methods,
            mode="markers+text",
            name=name,
            text=[
                f"{short(value)}" if column == "standard_error" or value != other else ""
                for value, other in zip(table[column], table["standard_error"], strict=True)
            ],
            textposition="top center",
            textfont={"size": 12},
            marker={"symbol": mark, "size": 11, "color": colors, "line": {"width": 2}},
            hovertemplate=f"%{{y}}<br>{name} %{{x:.4g}} {unit}<extra></extra>",
            cliponaxis=False,
        )
    framed(figure, dark, 330)
    figure.add_vline(x=truth, line={"color": ink(dark), "width": 1.2, "dash": "dot"})
    figure.update_xaxes(
        title={"text": f"± {unit}", "standoff": 4}, gridcolor=faint(dark), zeroline=False, rangemode="tozero"
    )
    figure.update_yaxes(categoryorder="array", categoryarray=methods[::-1], showgrid=False)
    return legend_on_top(figure)
