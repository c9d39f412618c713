"""Where the missing cells of a table are: the share of each variable, and which are missing together."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine.scores.missingness import Missingness

from ..format import percent
from .network import plain
from .palette import framed, grid, ink

MOST_VARIABLES, MOST_PATTERNS = 30, 8
_LINE, _REST = 24, 84  # pixels: a variable, and what stands around them
_NAME = 16  # letters of a variable's name


def missing_figure(found: Missingness, dark: bool) -> go.Figure:
    """Draw a bar for each variable with missing cells, and beside it the most frequent patterns, one a column.

    The variables with most missing cells are on top.
    """
    holed = [v for v in np.argsort(-found.missing, kind="stable").tolist() if found.missing[v]][:MOST_VARIABLES]
    labels = [
        plain(name if len(name) <= _NAME else f"{name[: _NAME - 1]}…") for name in map(found.names.__getitem__, holed)
    ]
    figure = make_subplots(1, 2, shared_yaxes=True, horizontal_spacing=0.04, column_widths=[0.45, 0.55])
    framed(figure, dark, _LINE * len(holed) + _REST)
    places, widest = list(range(len(holed))), float(found.shares.max()) or 1.0
    figure.add_bar(
        x=found.shares[holed],
        y=places,
        orientation="h",
        marker={"color": ink(dark)},
        opacity=0.7,
        text=[percent(share) for share in found.shares[holed]],
        textposition="outside",
        cliponaxis=False,
        customdata=[[plain(found.names[v]), f"{int(found.missing[v]):,}"] for v in holed],
        hovertemplate="%{customdata[0]}: %{customdata[1]} cells, %{x:.1%}<extra></extra>",
        row=1,
        col=1,
    )
    patterns, rows = found.patterns[:MOST_PATTERNS], found.pattern_rows[:MOST_PATTERNS].tolist()
    absent = patterns[:, holed].T.astype(int)
    told = [[f"{n:,} rows" for n in rows] for _ in holed]
    figure.add_heatmap(
        z=absent,
        x=list(range(len(patterns))),
        y=places,
        zmin=0,
        zmax=1,
        colorscale=[[0, grid(dark)], [1, ink(dark)]],
        opacity=0.8,
        showscale=False,
        xgap=3,
        ygap=3,
        customdata=told,
        hovertemplate="%{customdata}<extra></extra>",
        row=1,
        col=2,
    )
    figure.update_xaxes(title_text="Share missing", tickformat=".0%", range=[0, 1.3 * widest], nticks=3, row=1, col=1)
    figure.update_xaxes(
        title_text="Rows",
        tickvals=list(range(len(patterns))),
        ticktext=[f"{n:,}" for n in rows],
        showgrid=False,
        row=1,
        col=2,
    )
    figure.update_yaxes(range=[len(holed) - 0.5, -0.5], showgrid=False)
    figure.update_yaxes(tickvals=places, ticktext=labels, row=1, col=1)
    figure.update_yaxes(ticks="", row=1, col=2)
    return figure.update_layout(bargap=0.25, hovermode="closest")
