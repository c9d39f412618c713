"""The distributions of several variables before and after evidence, two bars per variable."""

from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go

from bnengine.graphs.labels import short_label
from pages._shared.figures.network import plain
from pages._shared.figures.palette import framed, ink
from pages._shared.format import short

_LIGHT = ((58, 90, 120), (222, 229, 236))  # from the first state's shade to the last's
_DARK = ((122, 160, 196), (52, 62, 74))
_LETTERS = 40  # that fit into a whole bar on a narrow screen


def posteriors_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the table of ``bn.prediction.what_if``: a stacked bar per variable, states from left to right.

    The thin bar below each is the distribution before the evidence.
    """
    names = table["variable"].drop_duplicates().tolist()
    bars = [bar for place, name in enumerate(names) for bar in _bars(table[table["variable"] == name], place, dark)]
    x, base, y, width, color, text, text_color, hover = (list(column) for column in zip(*bars, strict=True))
    figure = go.Figure()
    figure.add_bar(
        x=x,
        base=base,
        y=y,
        width=width,
        orientation="h",
        marker={"color": color, "line": {"width": 0}},
        text=text,
        textposition="inside",
        insidetextanchor="middle",
        textfont={"color": text_color, "size": 11},
        constraintext="none",
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
    )
    framed(figure, dark, 20 + 29 * len(names))
    figure.update_layout(barmode="overlay", margin={"t": 2, "b": 2})
    figure.update_xaxes(visible=False, range=[0, 1])
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[plain(short_label(name)) for name in names],
        range=[len(names) - 0.4, -0.5],
        showgrid=False,
        zeroline=False,
        tickfont={"color": ink(dark), "size": 12},
    )
    return figure


def _bars(lines: pd.DataFrame, place: int, dark: bool) -> Iterator[tuple[object, ...]]:
    """Yield the segments of a variable's two bars: length, start, place, width, color, text, its color, hover text."""
    for column, offset, width in (("after", 0.0, 0.56), ("before", 0.38, 0.14)):
        start = 0.0
        for number, line in enumerate(lines.itertuples()):
            share, state = float(getattr(line, column)), str(line.state)
            color, light = _shade(number, len(lines), dark)
            label = f"{short_label(state)} {short(share)}"
            text = plain(label) if column == "after" and len(label) <= share * _LETTERS else ""
            name = f"<b>{plain(str(line.variable))}</b> = {plain(state)}"
            hover = f"{name}<br>before {short(line.before)}, after {short(line.after)}"
            yield share, start, place + offset, width, color, text, "#1B1F24" if light else "#FFFFFF", hover
            start += share


def _shade(number: int, n: int, dark: bool) -> tuple[str, bool]:
    """Return the color of a state, and whether it is light."""
    first, last = _DARK if dark else _LIGHT
    share = number / max(n - 1, 1)
    mixed = [round(a + (b - a) * share) for a, b in zip(first, last, strict=True)]
    return f"rgb({mixed[0]},{mixed[1]},{mixed[2]})", sum(mixed) > 3 * 128
