"""Where spurious edges point: their share by the number of other parents, and mean numbers of parents."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.axes import diagonal
from pages._shared.figures.methods import LABELS
from pages._shared.figures.network import plain
from pages._shared.figures.palette import framed, legend_on_top, method_color


def spurious_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Share of spurious edges by the number of other parents of the child, one line per method; marks grow with edges.

    Points that represent fewer than one edge in a hundred graphs are left out.
    """
    figure = go.Figure()
    shown = table[table["edges"] >= 0.01]
    for key, lines in shown.groupby("method", sort=False):
        figure.add_scatter(
            x=lines["other_parents"],
            y=lines["share"],
            name=LABELS[str(key)],
            mode="lines+markers",
            line={"color": method_color(str(key), dark), "width": 1.5},
            marker={"size": 5 + 16 * (lines["edges"] / shown["edges"].max()) ** 0.5},
            customdata=lines[["spurious", "edges"]],
            hovertemplate=f"<b>{LABELS[str(key)]}</b><br>other parents: %{{x}}; %{{y:.0%}} spurious, "
            "%{customdata[0]:.2f} of %{customdata[1]:.2f} edges per graph<extra></extra>",
        )
    legend_on_top(framed(figure, dark, 360))
    figure.update_xaxes(title_text="Number of other parents of the child", dtick=1, showgrid=False)
    figure.update_xaxes(range=[-0.5, float(shown["other_parents"].max()) + 0.5] if len(shown) else None)
    figure.update_yaxes(title_text="Share of spurious edges", range=[-0.03, 1.03], tickformat=".0%")
    return figure


def in_degree_figure(table: pd.DataFrame, keys: list[str], dark: bool) -> go.Figure:
    """Mean number of parents of each variable by a method, against that in the given data's graph."""
    figure = diagonal(go.Figure(), dark, float(table[["data", *keys]].to_numpy().max(initial=1.0)) + 0.3)
    for place, key in enumerate(keys):
        figure.add_scatter(
            x=table["data"] + 0.06 * (place - (len(keys) - 1) / 2),
            y=table[key],
            mode="markers",
            marker={"size": 8, "color": method_color(key, dark), "opacity": 0.75},
            text=[plain(name) for name in table["variable"]],
            customdata=table["data"],
            hovertemplate=f"<b>%{{text}}</b><br>{LABELS[key]}, parents: %{{y:.2f}}<br>"
            "Given data: %{customdata:.3g}<extra></extra>",
        )
    framed(figure, dark, 360)
    figure.update_xaxes(title_text="Parents, given data")
    figure.update_yaxes(title_text="Parents, mean over replicates", rangemode="tozero")
    figure.update_layout(hovermode="closest")
    return figure
