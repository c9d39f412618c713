"""Figures of confidence: by one method against another's or the posterior; evidence, thresholds, both answers."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine._core.display import short, short_label
from bnengine.answers.edge_answers import EdgeAnswers
from bnengine.bootstrap.resampling_methods import JOINS, TITLES
from bnengine.experiment.paper import MARGIN, Panel
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import (
    NAIVE,
    Look,
    add_bars,
    add_histogram,
    add_line,
    add_marks,
    add_reference,
    as_text,
    diagonal,
    faint,
    framed,
    ink,
    method_color,
    posterior_color,
    unfaded,
    unit_square,
    with_axes,
)
from bnengine.teaching import SpuriousDependence

Pair = tuple[str, str]


def figure1_figure(panel: Panel, dark: bool, chosen: Pair | None = None, kind: str = "directed") -> go.Figure:
    """Draw one panel of Figure 1: the confidence of each edge by one method against another's.

    A click on a mark gives ``customdata`` (parent's name, child's name).
    """
    figure, ends = diagonal(go.Figure(), dark), [-MARGIN, 1 + MARGIN]
    upright, level = ([panel.right] * 2, ends), (ends, [panel.high] * 2)
    for key, line in ((panel.across, upright), (panel.up, level)):
        add_line(figure, *line, method_color(key, dark), width=1, dash="dash")
    titles = TITLES[panel.across], TITLES[panel.up]
    picked = [pair == chosen for pair in panel.edges]
    look = {
        "size": [12 if one else 7 for one in picked],
        "symbol": "circle",
        "color": method_color(panel.up, dark),
        "line": {"width": [2 if one else 0.5 for one in picked], "color": ink(dark)},
    }
    text = [
        f"<b>{plain(parent)} {JOINS[kind]} {plain(child)}</b><br>{titles[0]} {short(a)}<br>{titles[1]} {short(b)}"
        for (parent, child), a, b in zip(panel.edges, panel.x, panel.y, strict=True)
    ]
    _add_pairs(figure, panel.x + panel.shift, panel.y, look, 0.6, panel.edges, text)
    return unit_square(figure, dark, *panel.labels, 272)


def _add_pairs(
    figure: go.Figure, x: Any, y: Any, look: Look, opacity: float, pairs: Sequence[Pair], text: list[str], **more: Any
) -> None:
    """Add one mark for each pair, which carries the names of its ends."""
    marks = {"text": text, "customdata": [list(pair) for pair in pairs], **unfaded(opacity), **more}
    add_marks(figure, x, y, {**look, "opacity": opacity}, "%{text}", **marks)


# The distributions of several variables before and after evidence, two bars per variable.

_LIGHT = ((58, 90, 120), (222, 229, 236))  # from the first state's shade to the last's
_DARK = ((122, 160, 196), (52, 62, 74))
_LETTERS = 40  # that fit into a whole bar on a narrow screen


def posteriors_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the table of ``bn.prediction.what_if``: a stacked bar per variable, states from left to right.

    The thin bar below each is the distribution before the evidence. Each segment carries its variable and state.
    """
    names = table["variable"].drop_duplicates().tolist()
    bars = [bar for place, name in enumerate(names) for bar in _bars(table[table["variable"] == name], place, dark)]
    x, base, y, width, color, text, text_color, hover, states = (list(column) for column in zip(*bars, strict=True))
    written: Look = {"text": text, "textposition": "inside", "insidetextanchor": "middle", "constraintext": "none"}
    written |= {"textfont": {"color": text_color, "size": 11}, "hovertext": hover, "customdata": states}
    places, look = Look(base=base, width=width, orientation="h"), {"color": color, "line": {"width": 0}}
    figure = go.Figure()
    add_bars(figure, x, y, look, "%{hovertext}", **places, **written, **unfaded(1))
    labels = {"tickvals": list(range(len(names))), "ticktext": [plain(short_label(name)) for name in names]}
    looks = {"showgrid": False, "zeroline": False, "tickfont": {"color": ink(dark), "size": 12}}
    up, margin = {**labels, **looks, "range": [len(names) - 0.4, -0.5]}, {"t": 2, "b": 2}
    across = {"visible": False, "range": [0, 1]}
    return framed(figure, dark, 20 + 29 * len(names), across, up, barmode="overlay", margin=margin)


def _bars(lines: pd.DataFrame, place: int, dark: bool) -> Iterator[tuple[object, ...]]:
    """Yield the segments of a variable's two bars.

    Length, start, place, width, color, text, its color, hover text, the variable with its state.
    """
    for column, offset, width in (("after", 0.0, 0.56), ("before", 0.38, 0.14)):
        start = 0.0
        for number, line in enumerate(lines.itertuples()):
            share, state = float(getattr(line, column)), str(line.state)
            color, light = _shade(number, len(lines), dark)
            label = f"{short_label(state)} {short(share)}"
            text = plain(label) if column == "after" and len(label) <= share * _LETTERS else ""
            name = f"<b>{plain(str(line.variable))}</b> = {plain(state)}"
            hover = f"{name}<br>before {short(line.before)}, after {short(line.after)}"
            ink_on = "#1B1F24" if light else "#FFFFFF"
            yield share, start, place + offset, width, color, text, ink_on, hover, (str(line.variable), state)
            start += share


def _shade(number: int, n: int, dark: bool) -> tuple[str, bool]:
    """Return the color of a state, and whether it is light."""
    first, last = _DARK if dark else _LIGHT
    share = number / max(n - 1, 1)
    mixed = [round(a + (b - a) * share) for a, b in zip(first, last, strict=True)]
    return f"rgb({mixed[0]},{mixed[1]},{mixed[2]})", sum(mixed) > 3 * 128


# Dependence where there is none.


def g_squared_figure(result: SpuriousDependence, dark: bool) -> go.Figure:
    """Draw histograms of G² in data sets and in replicates, with the theoretical densities."""
    densities = result.densities()
    top = float(densities["g_squared"].max())
    figure = go.Figure()
    for name, values, color in (("data sets", result.in_data, ink(dark)), ("replicates", result.in_resamples, NAIVE)):
        bins = {"start": 0, "end": top, "size": top / 60}
        shown = f"{name}, mean {short(values.mean())}"
        hover = f"{name}: G² %{{x}}"
        add_histogram(figure, values, shown, color, hover, xbins=bins, histnorm="probability density")
    for name, column, color in (("χ²", "data", ink(dark)), ("2 χ²", "resample", NAIVE)):
        hover = f"{name} density at %{{x:.3g}}: %{{y:.3g}}"
        add_line(figure, densities["g_squared"], densities[column], color, hover, f"{name}, df = {result.freedom}")
    # with few degrees of freedom the densities are infinite, or steep, at 0
    few = result.freedom < 3
    up = {"range": [0, float(np.quantile(densities["data"], 0.97)) * 1.6]} if few else {}
    with_axes(figure, dark, 340, "G² = 2 N I", "density", x_axis={"range": [0, top]}, y_axis=up)
    add_reference(figure, result.critical_value, dark)
    place = {"x": result.critical_value, "y": 1, "yref": "paper", "xanchor": "left", "xshift": 4}
    return figure.add_annotation(**place, text="5% level", showarrow=False)


# One mark per edge: how often it would be found again, against the probability that it is real.

_LEAST = 0.02  # edges with both answers below are not drawn
_CORNERS = {
    (True, True): "found again<br>and real",
    (True, False): "found again,<br>probably not real",
    (False, True): "probably real,<br>rarely found again",
    (False, False): "neither",
}
_MARGIN = 0.14  # above and below the marks, for the names of the quadrants
_HALF = 0.5


def two_answers_figure(answers: EdgeAnswers, dark: bool) -> go.Figure:
    """Draw *found again* across, *real* upwards; filled marks are edges of the graph learned from the data.

    Vertical bars: Monte Carlo standard errors.
    """
    table, figure = answers.table(_LEAST), go.Figure()
    for x, y in (([_HALF, _HALF], [0, 1]), ([0, 1], [_HALF, _HALF])):
        add_line(figure, x, y, faint(dark), width=1.5)
    _add_answers(figure, table, answers, dark)
    again, real = (as_text(color, dark) for color in (method_color(answers.method, dark), posterior_color(dark)))
    title = f"Found again (π): {TITLES[answers.method]}"
    across, up = (
        {"range": ends, "title": {"text": text, "font": {"color": color}}, "tickfont": {"color": color}}
        | {"tickvals": [0, 0.25, 0.5, 0.75, 1], "showgrid": False}
        for ends, text, color in (
            ([-0.04, 1.04], title, again),
            ([-_MARGIN, 1 + _MARGIN], "Real: posterior probability", real),
        )
    )
    framed(figure, dark, 400, across, up, hovermode="closest")
    _name_quadrants(figure, dark)
    return figure


def _add_answers(figure: go.Figure, table: pd.DataFrame, answers: EdgeAnswers, dark: bool) -> None:
    pairs = list(zip(table["parent"], table["child"], strict=True))
    join, title = JOINS[answers.kind], TITLES[answers.method]
    look = {
        "size": 8,
        "symbol": np.where(table["in_data_graph"], "circle", "circle-open").tolist(),
        "color": ink(dark),
        "line": {"width": 1.2, "color": ink(dark)},
    }
    text = [
        f"<b>{plain(parent)} {join} {plain(child)}</b><br>found again {short(again)} ({title})<br>"
        f"real {short(real)} (posterior)"
        for (parent, child), again, real in zip(pairs, table["found_again"], table["real"], strict=True)
    ]
    bars = {"array": table["real_error"], "color": posterior_color(dark), "thickness": 1, "width": 0}
    _add_pairs(figure, table["found_again"], table["real"], look, 0.65, pairs, text, error_y=bars)


def _name_quadrants(figure: go.Figure, dark: bool) -> None:
    for (again, real), text in _CORNERS.items():
        x, side = (1.03, "right") if again else (-0.03, "left")
        y, end = (1 + _MARGIN, "top") if real else (-_MARGIN, "bottom")
        place, font = {"x": x, "y": y, "xanchor": side, "yanchor": end}, {"size": 12, "color": ink(dark)}
        figure.add_annotation(**place, text=text, align=side, showarrow=False, font=font, opacity=0.75)
