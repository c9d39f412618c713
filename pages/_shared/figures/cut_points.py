"""Confidence of each pair with cut points fixed and learned anew, beside its share of fresh tables."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.axes import with_axes
from pages._shared.figures.palette import NAIVE, corrected_color, grid, ink

#: Columns of the table that are drawn, with their names in the legend.
SHOWN = {"fixed": "cut points fixed, naive", "anew, corrected": "cut points anew, corrected", "pi": "fresh tables (π)"}


def cut_points_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw one line per pair of variables, those joined in most fresh tables on top.

    ``table`` is that of ``bn.teaching.CutPointConfidence``.
    """
    ordered = table.sort_values("pi", kind="stable")
    colors, symbols = (NAIVE, corrected_color(dark), ink(dark)), ("circle-open", "circle", "line-ns-open")
    figure = go.Figure()
    for (column, name), color, symbol in zip(SHOWN.items(), colors, symbols, strict=True):
        figure.add_scatter(
            x=ordered[column],
            y=ordered["pair"],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 12 if column == "pi" else 10, "color": color, "line": {"width": 2}},
            hovertemplate=f"%{{y}}<br>{name}: %{{x:.2f}}<extra></extra>",
            cliponaxis=False,
        )
    with_axes(figure, dark, 420, "share of graphs that join the pair")
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark), range=[-0.03, 1.03])
    return figure.update_yaxes(categoryorder="array", categoryarray=ordered["pair"].tolist(), showgrid=True)
