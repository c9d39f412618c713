"""How much each edge is over-stated by one method against another."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.confidence import JOINS
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, framed, ink, method_color

#: Edges shown: the most over-stated ones.
MOST = 40
_LONGEST = 18  # letters of a name


def overstated_figure(table: pd.DataFrame, naive: str, kind: str, dark: bool) -> go.Figure:
    """One line an edge, from the top the most over-stated; open marks are edges that the given data's graph has.

    ``table`` is that of ``Study.overstated``; the colour is the first method's.
    """
    shown = table.head(MOST).iloc[::-1]
    pairs = list(zip(shown["parent"], shown["child"], strict=True))
    labels = [f"{plain(p)} {JOINS[kind]} {plain(c)}" for p, c in pairs]
    short = [f"{plain(_short(p))} {JOINS[kind]} {plain(_short(c))}" for p, c in pairs]
    rows = list(range(len(shown)))
    color = method_color(naive, dark)
    figure = go.Figure()
    for row, difference in zip(rows, shown["difference"], strict=True):
        figure.add_shape(
            type="line", x0=0, x1=float(difference), y0=row, y1=row, line={"color": color, "width": 2}, layer="below"
        )
    figure.add_scatter(
        x=shown["difference"],
        y=rows,
        mode="markers",
        marker={
            "size": 9,
            "color": [ink(dark) if own else color for own in shown["in_data_graph"]],
            "line": {"width": 0},
        },
        text=labels,
        customdata=["in" if own else "not in" for own in shown["in_data_graph"]],
        hovertemplate="<b>%{text}</b><br>%{x:+.2f}, %{customdata} the given data's graph<extra></extra>",
    )
    framed(figure, dark, 90 + 17 * len(shown))
    figure.update_layout(margin_t=58)
    figure.update_yaxes(
        tickvals=rows, ticktext=short, showgrid=False, zeroline=False, tickfont={"size": 11}, range=[-0.8, len(rows)]
    )
    figure.update_xaxes(
        title="difference in confidence",
        gridcolor=faint(dark),
        gridwidth=0.5,
        zeroline=True,
        zerolinecolor=ink(dark),
        side="top",
    )
    return figure


def _short(name: str) -> str:
    """A name that leaves room for the picture."""
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
