"""Where spurious edges point: their share by the number of other parents, and mean numbers of parents."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, framed, ink, method_color


def spurious_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Spurious edges of a graph, on average, by the number of other parents of the child; one line a method."""
    figure = go.Figure()
    for key, lines in table.groupby("method", sort=False):
        figure.add_scatter(
            x=lines["other_parents"],
            y=lines["spurious"],
            mode="lines+markers",
            line={"color": method_color(str(key), dark), "width": 1.5},
            marker={"size": 8},
            customdata=lines[["edges", "share"]],
            hovertemplate=f"<b>{TITLES[str(key)]}</b><br>%{{x}} other parents: %{{y:.2f}} spurious of "
            "%{customdata[0]:.2f} edges (%{customdata[1]:.0%})<extra></extra>",
        )
    framed(figure, dark, 330)
    figure.update_xaxes(title="other parents of the child", dtick=1, showgrid=False, zeroline=False)
    figure.update_yaxes(title="spurious edges a graph", gridcolor=faint(dark), gridwidth=0.5, rangemode="tozero")
    return figure


def in_degree_figure(table: pd.DataFrame, keys: list[str], dark: bool) -> go.Figure:
    """Mean number of parents of each variable by a method, against that in the given data's graph."""
    most = float(table[["data", *keys]].to_numpy().max(initial=1.0)) + 0.3
    figure = go.Figure()
    figure.add_scatter(
        x=[0, most], y=[0, most], mode="lines", hoverinfo="skip", line={"color": ink(dark), "width": 1, "dash": "dot"}
    )
    for place, key in enumerate(keys):
        figure.add_scatter(
            x=table["data"] + 0.06 * (place - (len(keys) - 1) / 2),
            y=table[key],
            mode="markers",
            marker={"size": 8, "color": method_color(key, dark), "opacity": 0.75},
            text=[plain(name) for name in table["variable"]],
            customdata=table["data"],
            hovertemplate=f"<b>%{{text}}</b><br>{TITLES[key]} %{{y:.2f}} parents<br>"
            "given data %{customdata:.3g}<extra></extra>",
        )
    framed(figure, dark, 330)
    figure.update_xaxes(title="parents in the given data's graph", gridcolor=faint(dark), gridwidth=0.5, zeroline=False)
    figure.update_yaxes(title="mean parents", gridcolor=faint(dark), gridwidth=0.5, rangemode="tozero")
    figure.update_layout(hovermode="closest")
    return figure
