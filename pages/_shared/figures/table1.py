"""Table 1 as a picture: number of edges by method, ours beside the paper's."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.methods import TITLES
from pages._shared.figures.palette import faint, framed, ink, method_color, paper
from pages._shared.format import plus_minus


def edges_figure(table: pd.DataFrame, dark: bool, most: float, least: float) -> go.Figure:
    """One experiment: mean and standard deviation of the number of edges; the paper's as open marks below ours.

    ``table`` holds the lines of one experiment of ``bnengine.paper_table``; ``least`` and ``most`` bound the axis, so
    that panels can be compared.
    """
    figure = go.Figure()
    methods = list(table["method"])[::-1]
    lines = table.set_index("method").loc[methods]
    own = float(lines.loc["data", "mean"])
    figure.add_vline(x=own, line={"color": ink(dark), "width": 1, "dash": "dot"})
    for columns, shift, filled, who in (
        (("mean", "sd"), 0.14, True, "here"),
        (("paper_mean", "paper_sd"), -0.2, False, "paper"),
    ):
        values, spreads = lines[columns[0]], lines[columns[1]].fillna(0.0)
        colors = [method_color(key, dark) for key in methods]
        for place, (key, mean, sd) in enumerate(zip(methods, values, spreads, strict=True)):
            if pd.isna(mean):
                continue
            figure.add_scatter(
                x=[mean],
                y=[place + shift],
                mode="markers",
                error_x={"type": "data", "array": [sd], "color": colors[place], "thickness": 1.6, "width": 3},
                marker={
                    "size": 9,
                    "color": colors[place] if filled else paper(dark),
                    "line": {"width": 1.6, "color": colors[place]},
                },
                hovertemplate=f"<b>{TITLES[key]}, {who}</b><br>{plus_minus(mean, sd)} edges<extra></extra>",
            )
    framed(figure, dark, 60 + 40 * len(methods))
    figure.update_yaxes(
        tickvals=list(range(len(methods))), ticktext=[TITLES[key] for key in methods], showgrid=False, zeroline=False
    )
    figure.update_xaxes(title="edges", range=[least, most], gridcolor=faint(dark), gridwidth=0.5, zeroline=False)
    return figure
