"""Bars: description lengths, size stacked on misfit, and scores below the best."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.axes import with_axes
from pages._shared.figures.network import plain
from pages._shared.figures.palette import MISFIT, SIZE, grid, ink, series
from pages._shared.format import short


def length_figure(table: pd.DataFrame, dark: bool, height: int | None = None) -> go.Figure:
    """Draw one bar per network, in the table's order from the top: its misfit, and its size stacked on it.

    The table is that of ``bn.teaching.description_lengths``.
    """
    names = [plain(name) for name in table["network"]]
    figure = go.Figure()
    for key, title, color in (
        ("misfit_bits", "misfit: −log₂ likelihood", MISFIT),
        ("size_bits", "size: |B| log₂N / 2", SIZE),
    ):
        figure.add_bar(
            y=names,
            x=table[key],
            name=title,
            orientation="h",
            marker={"color": color, "line": {"width": 0}},
            text=[short(value, 4) if value > 0.12 * table["mdl_bits"].max() else "" for value in table[key]],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            textfont={"color": "#1B1F24", "size": 13},
            hovertemplate=f"<b>%{{y}}</b><br>{title}<br>%{{x:,.4~g}} bits<extra></extra>",
        )
    for name, total, above in zip(names, table["mdl_bits"], table["above_best_bits"], strict=True):
        extra = "" if above < 1e-9 else f"  +{short(above)}"
        figure.add_annotation(
            x=total,
            y=name,
            text=f"<b>{short(total, 4)}</b>{extra}",
            showarrow=False,
            xanchor="left",
            xshift=6,
            font={"color": ink(dark), "size": 13},
        )
    with_axes(figure, dark, height or 84 + 36 * len(names), "description length, bits")
    room = 1.45 if (table["above_best_bits"] > 1e-9).any() else 1.2  # for the totals next to the bars
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark), range=[0, room * table["mdl_bits"].max()])
    figure.update_yaxes(autorange="reversed", ticksuffix="  ", showgrid=False)
    return figure.update_layout(barmode="stack", bargap=0.3, legend_traceorder="normal")


def behind_figure(table: pd.DataFrame, scores: list[str], dark: bool) -> go.Figure:
    """Draw how far each graph's score lies below the best graph's: one group per graph, one bar per score."""
    graphs = [plain(graph).replace(" →", "<br>→").replace(" ←", "<br>←") for graph in table["graph"]]
    figure = go.Figure()
    for score, color in zip(scores, series(dark), strict=False):
        figure.add_bar(
            x=graphs,
            y=table[f"{score} behind"],
            name=plain(score),
            marker={"color": color, "line": {"width": 0}},
            text=[short(round(value, 9)) for value in table[f"{score} behind"]],
            textposition="outside",
            hovertemplate=f"<b>%{{x}}</b><br>{plain(score)}: %{{y:.4~g}} nats below the best<extra></extra>",
        )
    with_axes(figure, dark, 320, "", "below the best, nats")
    figure.update_xaxes(tickangle=0, tickfont={"size": 10})
    top = float(table[[f"{score} behind" for score in scores]].to_numpy().max())
    figure.update_yaxes(range=[0, 1.15 * top if top > 0 else 1])
    return figure.update_layout(bargap=0.25)
