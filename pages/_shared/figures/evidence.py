"""The shipped benchmark: how much better or worse each method is than the corrected bootstrap."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.palette import (
    JACKKNIFE,
    NAIVE,
    PARAMETRIC,
    corrected_color,
    faint,
    framed,
    ink,
    posterior_color,
)
from pages._shared.format import plus_minus

_LONGEST = 30


def evidence_figure(table: pd.DataFrame, unit: str, dark: bool) -> go.Figure:
    """One mark per method with its standard error over networks; left of the line is better than the corrected."""
    shown = table.iloc[::-1]
    figure = go.Figure()
    figure.add_vline(x=0, line={"color": corrected_color(dark), "width": 1.5, "dash": "dash"})
    figure.add_scatter(
        x=shown["difference"],
        y=[_wrapped(title) for title in shown["method"]],
        mode="markers",
        error_x={"array": shown["error"].fillna(0.0), "color": faint(dark), "thickness": 2, "width": 4},
        marker={"size": 10, "color": [_color(key, dark) for key in shown["key"]]},
        text=[plus_minus(d, e, 2) for d, e in zip(shown["difference"], shown["error"], strict=True)],
        hovertemplate="<b>%{y}</b><br>%{text}<extra></extra>",
    )
    framed(figure, dark, 80 + 33 * len(table))
    figure.update_xaxes(title_text=unit)
    figure.update_yaxes(showgrid=False, tickfont={"size": 12})
    return figure


def _wrapped(title: str) -> str:
    """A long title on two lines."""
    if len(title) <= _LONGEST:
        return title
    words, first = title.split(), ""
    while words and len(first) + len(words[0]) < len(title) / 2 + 4:
        first = f"{first} {words.pop(0)}".strip()
    return f"{first}<br>{' '.join(words)}"


def _color(key: str, dark: bool) -> str:
    named = {"naive": NAIVE, "leading": corrected_color(dark), "parametric": PARAMETRIC, "delete_d": JACKKNIFE}
    if key.startswith(("post", "bag", "order", "partition")):
        return posterior_color(dark)
    return named.get(key, ink(dark))
