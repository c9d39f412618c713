"""How much each edge is overstated by one method compared with another."""

import pandas as pd
import plotly.graph_objects as go

from bnengine.graphs.labels import short_labels
from pages._shared.figures.methods import JOINS, TITLES
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, framed, legend_on_top, method_color

#: Edges shown at first, and on demand: the most overstated ones.
FIRST, MOST = 15, 40
SURE = 2.0  # standard errors
_LONGEST = 18  # characters of a name


def overstated_figure(
    table: pd.DataFrame, naive: str, corrected: str, kind: str, dark: bool, most: int = FIRST
) -> go.Figure:
    """One dumbbell per edge, from one method's confidence to the other's; the most overstated edge at the top.

    ``table`` is that of ``Study.overstated``. Bars are two standard errors of the difference around the corrected
    method's mark: where they do not reach the other mark, the difference is more than chance.
    """
    shown = table.head(most).iloc[::-1]
    pairs = list(zip(shown["parent"], shown["child"], strict=True))
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    labels, ticks = (
        [f"{plain(short[p])} {JOINS[kind]} {plain(short[c])}" for p, c in pairs]
        for short in (dict(zip(names, names, strict=True)), short_labels(names, _LONGEST))
    )
    rows, ends = list(range(len(shown))), (shown[f"confidence_{naive}"], shown[f"confidence_{corrected}"])
    figure = go.Figure()
    for row, low, high in zip(rows, *ends, strict=True):
        line = {"color": faint(dark), "width": 3}
        figure.add_shape(type="line", x0=float(low), x1=float(high), y0=row, y1=row, line=line, layer="below")
    own = ["in" if own else "not in" for own in shown["in_data_graph"]]
    for key, values in zip((naive, corrected), ends, strict=True):
        bars = {"array": SURE * shown["standard_error"], "color": faint(dark), "thickness": 1, "width": 3}
        figure.add_scatter(
            x=values,
            y=rows,
            mode="markers",
            name=TITLES[key],
            marker={"size": 9, "color": method_color(key, dark)},
            error_x=bars if key == corrected else None,
            text=labels,
            customdata=own,
            hovertemplate=f"<b>%{{text}}</b><br>{TITLES[key]} %{{x:.2f}}, "
            "%{customdata} the graph learned from the data<extra></extra>",
        )
    framed(figure, dark, 110 + 20 * len(shown))
    figure.update_yaxes(tickvals=rows, ticktext=ticks, showgrid=False, tickfont={"size": 11}, range=[-0.8, len(rows)])
    figure.update_xaxes(title_text="Confidence", range=[-0.03, 1.03])
    return legend_on_top(figure)
