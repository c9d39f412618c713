"""Table 1 as a picture: number of edges by method, ours next to the paper's."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.methods import LABELS
from pages._shared.figures.palette import framed, ink, method_color, paper
from pages._shared.format import plus_minus

#: Whose values they are, their columns, their place on the method's row.
_SOURCES = (("here", "mean", "sd", 0.14), ("paper", "paper_mean", "paper_sd", -0.2))


def edges_figure(table: pd.DataFrame, dark: bool, most: float, least: float) -> go.Figure:
    """One experiment: mean and standard deviation of the number of edges; open marks are the paper's.

    ``table`` holds the lines of one experiment of ``paper.paper_table``; ``least`` and ``most`` bound the axis, so
    that panels can be compared.
    """
    figure = go.Figure()
    lines = table.set_index("method").iloc[::-1]
    given = float(lines.loc["data", "mean"])
    figure.add_vline(x=given, line={"color": ink(dark), "width": 1, "dash": "dot"})
    for who, mean_column, sd_column, shift in _SOURCES:
        for place, (key, mean, sd) in enumerate(lines[[mean_column, sd_column]].itertuples()):
            if pd.isna(mean):
                continue
            color, spread = method_color(key, dark), 0.0 if pd.isna(sd) else sd
            figure.add_scatter(
                x=[mean],
                y=[place + shift],
                mode="markers",
                error_x={"type": "data", "array": [spread], "color": color, "thickness": 1.6, "width": 3},
                marker={
                    "size": 9,
                    "color": color if who == "here" else paper(dark),
                    "line": {"width": 1.6, "color": color},
                },
                hovertemplate=f"<b>{LABELS[key]}, {who}</b><br>edges: {plus_minus(mean, spread)}<extra></extra>",
            )
    framed(figure, dark, 60 + 40 * len(lines))
    labels = [LABELS[key] for key in lines.index]
    figure.update_yaxes(tickvals=list(range(len(lines))), ticktext=labels, showgrid=False)
    figure.update_xaxes(title_text="Number of edges", range=[least, most])
    return figure
