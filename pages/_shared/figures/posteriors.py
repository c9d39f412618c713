"""The distributions of several variables before and after evidence, two bars per variable."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.layout import short_label
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
    x, base, y, width, color, text, hover, ink_of = [], [], [], [], [], [], [], []
    for place, name in enumerate(names):
        lines = table[table["variable"] == name]
        for column, offset, thick in (("after", 0.0, 0.56), ("before", 0.38, 0.14)):
            start = 0.0
            for number, line in enumerate(lines.itertuples()):
                share = float(getattr(line, column))
                shade, light = _shade(number, len(lines), dark)
                x.append(share)
                base.append(start)
                y.append(place + offset)
                width.append(thick)
                color.append(shade)
                label = f"{short_label(str(line.state))} {short(share)}"
                fits = column == "after" and len(label) <= share * _LETTERS
                text.append(plain(label) if fits else "")
                ink_of.append("#1B1F24" if light else "#FFFFFF")
                hover.append(
                    f"<b>{plain(name)}</b> = {plain(str(line.state))}<br>before {short(line.before)}, "
                    f"after {short(line.after)}"
                )
                start += share
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
        textfont={"color": ink_of, "size": 11},
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


def _shade(number: int, n: int, dark: bool) -> tuple[str, bool]:
    """Return the color of a state, and whether it is light."""
    first, last = _DARK if dark else _LIGHT
    share = number / max(n - 1, 1)
    mixed = [round(a + (b - a) * share) for a, b in zip(first, last, strict=True)]
    return f"rgb({mixed[0]},{mixed[1]},{mixed[2]})", sum(mixed) > 3 * 128
