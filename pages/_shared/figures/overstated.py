"""How much each edge is overstated by one method compared with another."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.methods import JOINS
from pages._shared.figures.network import plain
from pages._shared.figures.palette import framed, ink, method_color

#: Edges shown: the most overstated ones.
MOST = 40
_LONGEST = 18  # characters of a name


def overstated_figure(table: pd.DataFrame, naive: str, kind: str, dark: bool) -> go.Figure:
    """One line per edge, the most overstated at the top; edges of the given data's graph have marks in text colour.

    ``table`` is that of ``Study.overstated``; the colour is the first method's.
    """
    shown = table.head(MOST).iloc[::-1]
    pairs = list(zip(shown["parent"], shown["child"], strict=True))
    labels, ticks = (
        [f"{plain(name(p))} {JOINS[kind]} {plain(name(c))}" for p, c in pairs] for name in (str, _cut_short)
    )
    rows, color = list(range(len(shown))), method_color(naive, dark)
    figure = go.Figure()
    for row, difference in zip(rows, shown["difference"], strict=True):
        line = {"color": color, "width": 2}
        figure.add_shape(type="line", x0=0, x1=float(difference), y0=row, y1=row, line=line, layer="below")
    figure.add_scatter(
        x=shown["difference"],
        y=rows,
        mode="markers",
        marker={"size": 9, "color": [ink(dark) if own else color for own in shown["in_data_graph"]]},
        text=labels,
        customdata=["in" if own else "not in" for own in shown["in_data_graph"]],
        hovertemplate="<b>%{text}</b><br>%{x:+.2f}, %{customdata} the graph learned from the data<extra></extra>",
    )
    framed(figure, dark, 90 + 17 * len(shown))
    figure.update_layout(margin_t=58)
    figure.update_yaxes(tickvals=rows, ticktext=ticks, showgrid=False, tickfont={"size": 11}, range=[-0.8, len(rows)])
    figure.update_xaxes(title_text="Difference in confidence", zeroline=True, zerolinecolor=ink(dark), side="top")
    return figure


def _cut_short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
