"""Figures of confidence: by one method against another's or the posterior; overstated and spurious edges."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine._core.display import short
from bnengine._core.labels import short_labels
from bnengine.answers.edge_answers import EdgeAnswers
from bnengine.bootstrap.resampling_methods import CORRECTED, JOINS, LABELS, NAIVE, TITLES
from bnengine.bootstrap.study import Study
from bnengine.experiment.paper import MARGIN, Panel
from bnengine.plots import palette as paint
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import Look

Pair = tuple[str, str]


def figure1_figure(
    panel: Panel, dark: bool, chosen: Pair | None = None, kind: str = "directed", known: Collection[Pair] | None = None
) -> go.Figure:
    """Draw one panel of Figure 1: the confidence of each edge by one method against another's.

    Edges that a known network does not have, in either direction, are crosses. A click on a mark gives ``customdata``
    (parent's name, child's name).
    """
    figure, ends = paint.diagonal(go.Figure(), dark), [-MARGIN, 1 + MARGIN]
    upright, level = ([panel.right] * 2, ends), (ends, [panel.high] * 2)
    for key, line in ((panel.across, upright), (panel.up, level)):
        paint.add_line(figure, *line, paint.method_color(key, dark), width=1, dash="dash")
    titles = TITLES[panel.across], TITLES[panel.up]
    picked = [pair == chosen for pair in panel.edges]
    has = [known is None or pair in known or pair[::-1] in known for pair in panel.edges]
    own = paint.method_color(panel.up if known is None else CORRECTED, dark)
    look = {
        "size": [12 if one else 7 for one in picked],
        "symbol": ["circle" if one else "x-thin" for one in has],
        "color": own,
        "line": {
            "width": [2 if one else 0.5 if true else 1.6 for one, true in zip(picked, has, strict=True)],
            "color": [paint.ink(dark) if true else paint.method_color(NAIVE, dark) for true in has],
        },
    }
    text = [
        f"<b>{plain(parent)} {JOINS[kind]} {plain(child)}</b><br>{titles[0]} {short(a)}<br>{titles[1]} {short(b)}"
        for (parent, child), a, b in zip(panel.edges, panel.x, panel.y, strict=True)
    ]
    _add_pairs(figure, panel.x + panel.shift, panel.y, look, 0.6, panel.edges, text)
    return paint.unit_square(figure, dark, *panel.labels, 272)


def _add_pairs(
    figure: go.Figure, x: Any, y: Any, look: Look, opacity: float, pairs: Sequence[Pair], text: list[str], **more: Any
) -> None:
    """Add one mark for each pair, which carries the names of its ends."""
    marks = {"text": text, "customdata": [list(pair) for pair in pairs], **paint.unfaded(opacity), **more}
    paint.add_marks(figure, x, y, {**look, "opacity": opacity}, "%{text}", **marks)


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

    Vertical bars: intervals of 95 %.
    """
    table, figure = answers.table(_LEAST), go.Figure()
    for x, y in (([_HALF, _HALF], [0, 1]), ([0, 1], [_HALF, _HALF])):
        paint.add_line(figure, x, y, paint.faint(dark), width=1.5)
    _add_answers(figure, table, answers, dark)
    across, up = (
        {"range": ends, "title": {"text": text}, "tickvals": [0, 0.25, 0.5, 0.75, 1], "showgrid": False}
        for ends, text in (
            ([-0.04, 1.04], f"Found again (π): {TITLES[answers.method]}"),
            ([-_MARGIN, 1 + _MARGIN], "Real"),
        )
    )
    paint.framed(figure, dark, 400, across, up, hovermode="closest")
    _name_quadrants(figure, dark)
    return figure


def _add_answers(figure: go.Figure, table: pd.DataFrame, answers: EdgeAnswers, dark: bool) -> None:
    pairs = list(zip(table["parent"], table["child"], strict=True))
    title = TITLES[answers.method]
    look = {
        "size": 8,
        "symbol": np.where(table["in_data_graph"], "circle", "circle-open").tolist(),
        "color": paint.ink(dark),
        "line": {"width": 1.2, "color": paint.ink(dark)},
    }
    text = [
        f"<b>{plain(parent)} – {plain(child)}</b><br>found again {short(again)} ({title})<br>"
        f"real {short(real)} (posterior)"
        for (parent, child), again, real in zip(pairs, table["found_again"], table["real"], strict=True)
    ]
    bars = paint.to_ends(*(table[name] for name in ("real", "real_low", "real_high")))
    bars |= {"color": paint.method_color("posterior", dark), "thickness": 1, "width": 0}
    _add_pairs(figure, table["found_again"], table["real"], look, 0.65, pairs, text, error_y=bars)


def _name_quadrants(figure: go.Figure, dark: bool) -> None:
    for (again, real), text in _CORNERS.items():
        x, side = (1.03, "right") if again else (-0.03, "left")
        y, end = (1 + _MARGIN, "top") if real else (-_MARGIN, "bottom")
        place, font = {"x": x, "y": y, "xanchor": side, "yanchor": end}, {"size": 12, "color": paint.ink(dark)}
        figure.add_annotation(**place, text=text, align=side, showarrow=False, font=font, opacity=0.75)


# How much each edge is overstated by one method compared with another.

#: Edges that are drawn: the most overstated ones.
FIRST = 15
SURE = 2.0  # standard errors
_LONGEST = 18  # characters of a name


def clearly(table: pd.DataFrame) -> "pd.Series[Any]":
    """Return 1 where the first method of ``Study.overstated`` is more confident by more than chance, -1 where less."""
    return np.sign(table["difference"]) * (table["difference"].abs() > SURE * table["standard_error"])


def overstated_figure(table: pd.DataFrame, naive: str, corrected: str, kind: str, dark: bool) -> go.Figure:
    """Draw one dumbbell per edge, from one method's confidence to the other's; the most overstated at the top.

    ``table`` is that of ``Study.overstated``. Bars are two standard errors of the difference around the corrected
    method's mark: where they do not reach the other mark, the difference is more than chance.
    """
    shown = table.head(FIRST).iloc[::-1]
    pairs = list(zip(shown["parent"], shown["child"], strict=True))
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    labels, ticks = (
        [f"{plain(short[p])} {JOINS[kind]} {plain(short[c])}" for p, c in pairs]
        for short in (dict(zip(names, names, strict=True)), short_labels(names, _LONGEST))
    )
    rows, ends = list(range(len(shown))), (shown[f"confidence_{naive}"], shown[f"confidence_{corrected}"])
    figure = go.Figure()
    for row, low, high in zip(rows, *ends, strict=True):
        line = {"color": paint.faint(dark), "width": 3}
        figure.add_shape(type="line", x0=float(low), x1=float(high), y0=row, y1=row, line=line, layer="below")
    own = ["in" if own else "not in" for own in shown["in_data_graph"]]
    bars = {"array": SURE * shown["standard_error"], "color": paint.faint(dark), "thickness": 1, "width": 3}
    for key, values in zip((naive, corrected), ends, strict=True):
        hover = f"<b>%{{text}}</b><br>{TITLES[key]} %{{x:.2f}}, %{{customdata}} the graph learned from the data"
        look, labelled = {"size": 9, "color": paint.method_color(key, dark)}, {"text": labels, "customdata": own}
        paint.add_marks(
            figure, values, rows, look, hover, TITLES[key], error_x=bars if key == corrected else None, **labelled
        )
    up = {"tickvals": rows, "ticktext": ticks, "showgrid": False, "tickfont": {"size": 11}, "range": [-0.8, len(rows)]}
    across = {"title": {"text": "Confidence"}, "range": [-0.03, 1.03]}
    return paint.legend_on_top(paint.framed(figure, dark, 110 + 20 * len(shown), across, up))


# Where spurious edges point: their share by the number of other parents, and mean numbers of parents.


def spurious_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the share of spurious edges by the child's other parents, one line per method; marks grow with edges.

    Points that represent fewer than one edge in a hundred graphs are left out.
    """
    figure = go.Figure()
    shown = table[table["edges"] >= 0.01]
    for key, lines in shown.groupby("method", sort=False):
        hover = (
            f"<b>{LABELS[str(key)]}</b><br>other parents: %{{x}}; %{{y:.1%}} spurious, "
            "%{customdata[0]:.2f} of %{customdata[1]:.2f} edges per graph"
        )
        sizes = 5 + 16 * (lines["edges"] / shown["edges"].max()) ** 0.5
        looks: Look = {"mode": "lines+markers", "marker": {"size": sizes}}
        values, color = (lines["other_parents"], lines["share"]), paint.method_color(str(key), dark)
        known = lines[["spurious", "edges"]]
        paint.add_line(figure, *values, color, hover, LABELS[str(key)], 1.5, customdata=known, **looks)
    reach = [-0.5, float(shown["other_parents"].max()) + 0.5] if len(shown) else None
    across = {"title": {"text": "Number of other parents of the child"}, "dtick": 1, "showgrid": False, "range": reach}
    up = {"title": {"text": "Share of spurious edges"}, "range": [-0.03, 1.03], "tickformat": ".0%"}
    return paint.legend_on_top(paint.framed(figure, dark, 360, across, up))


def in_degree_figure(study: Study, keys: Sequence[str], dark: bool) -> go.Figure:
    """Draw the mean number of parents of each variable in a method's graphs against that in the data's graph."""
    names, given = [plain(name) for name in study.reference.names], study.reference.adjacency.sum(axis=0)
    figure = paint.diagonal(go.Figure(), dark, float(given.max(initial=1)) + 0.5, showlegend=False)
    for place, key in enumerate(keys):
        hover = f"<b>%{{text}}</b><br>{LABELS[key]}, parents: %{{y:.2f}}<br>given data: %{{customdata}}"
        look = {"size": 8, "color": paint.method_color(key, dark), "opacity": 0.75}
        across = given + 0.06 * (place - (len(keys) - 1) / 2)
        parents = study.confidence(key).sum(axis=0)
        paint.add_marks(figure, across, parents, look, hover, LABELS[key], text=names, customdata=given)
    across = {"title": {"text": "Parents in the graph of the data"}, "dtick": 1, "showgrid": False}
    up = {"title": {"text": "Parents, mean over replicates"}, "rangemode": "tozero"}
    return paint.legend_on_top(paint.framed(figure, dark, 360, across, up, hovermode="closest"))
