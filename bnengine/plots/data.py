"""The data as pictures: a column before and after discretization, its states, and where cells are missing."""

import html
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine._core.arrays import FloatArray
from bnengine._core.display import percent
from bnengine._core.labels import short_label
from bnengine.data.checked_frame import state_label
from bnengine.data.columns import measured_columns, numbers_of, numeric_columns
from bnengine.discretization.cut_points import cut_at
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import Look, add_bars, add_reference, framed, grid, ink, pointed_at
from bnengine.scores.missingness import Missingness

_MOST_BARS = 60
_GAP = 0.15  # between bars, as a share of their width


def cut_figure(column: pd.Series, points: Sequence[float], dark: bool) -> go.Figure:
    """Draw the values with the cut points, which pass between the bars; below, the number of rows in each state."""
    values, name = column.dropna().astype(float).to_numpy(), str(column.name)
    counts = cut_at(column.to_frame(name), {name: points})[name].value_counts(sort=False)
    titles = ("Before: values and cut points", "After: rows per state")
    figure = make_subplots(2, 1, vertical_spacing=0.32, subplot_titles=titles)
    framed(figure, dark, 340, {"showgrid": False}, {"title": {"text": "Rows"}}, margin={"t": 28}, bargap=0.2)
    starts, ends, heights = value_bars(values, points)
    middles, widths, hover = (starts + ends) / 2, (1 - _GAP) * (ends - starts), "about %{x:,.4~g}<br>rows: %{y:,.3~g}"
    above, below = Look(row=1, col=1), Look(row=2, col=1)
    add_bars(figure, middles, heights, {"color": ink(dark)}, hover, width=widths, opacity=0.4, **above)
    one_each = bool(values.size) and (starts % 1 == 0.5).all() and (ends - starts == 1).all()
    for point in points:  # a cut point that is itself a whole number belongs to the state below it: after its bar
        add_reference(figure, point + 0.5 * (one_each and point % 1 == 0), dark, 1.5, "dash", **above)
    states = [plain(str(state)) for state in counts.index]
    figure.add_bar(x=states, y=counts.to_numpy(), marker={"color": ink(dark)}, opacity=0.7, **below)
    figure.update_xaxes(title_text=plain(name), **above)
    return figure.update_xaxes(type="category", **below)


def number_figure(column: pd.Series, dark: bool) -> go.Figure:
    """Draw how often the values of a column that is kept as numbers occur."""
    starts, ends, heights = value_bars(column.dropna().astype(float).to_numpy(), ())
    figure = framed(go.Figure(), dark, 200, {"showgrid": False}, {"title": {"text": "Rows"}}, bargap=0.2)
    hover, widths = "about %{x:,.4~g}<br>rows: %{y:,.3~g}", (1 - _GAP) * (ends - starts)
    add_bars(figure, (starts + ends) / 2, heights, {"color": ink(dark)}, hover, width=widths, opacity=0.7)
    return figure.update_xaxes(title_text=plain(str(column.name)))


#: Columns and rows of the table of first rows, its bars, their height in pixels, and letters of a cell.
MOST_COLUMNS, _FIRST, _STRIP, _HIGH, _LETTERS = 16, 5, 12, 28, 18


def first_rows(frame: pd.DataFrame, about: Mapping[str, str], dark: bool) -> str:
    """Draw the first rows as an HTML table, above each column bars of its values and what becomes of it."""
    names = list(map(str, frame.columns))[:MOST_COLUMNS]
    head = [[_cell(value) for value in frame[name].iloc[:_FIRST]] for name in names]
    lines = [
        "".join(f"<th style='text-align: left'>{_short(name)}</th>" for name in names),
        "".join(f"<td>{_strip(frame[name], dark)}</td>" for name in names),
        "".join(f"<td style='opacity: 0.7; font-size: 0.85em'>{_short(about.get(name, ''))}</td>" for name in names),
        *("".join(f"<td>{cell}</td>" for cell in row) for row in zip(*head, strict=True)),
    ]
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    style = "border-collapse: separate; border-spacing: 14px 2px; margin-left: -14px; white-space: nowrap"
    return f"<div style='overflow-x: auto' tabindex='0'><table style='{style}; font-size: 0.85rem'>{rows}</table></div>"


def _cell(value: Any) -> str:
    return "<span style='opacity: 0.5'>missing</span>" if pd.isna(value) else _short(state_label(value))


def _short(text: str) -> str:
    return html.escape(short_label(text, _LETTERS))


def _strip(column: pd.Series, dark: bool) -> str:
    """Return bars of how often values occur: numbers that are many in ranges of equal width, or single values."""
    if measured_columns(column.to_frame()):
        values = numbers_of(column)
        values = values[np.isfinite(values)]
        low, high = np.quantile(values, [0.01, 0.99])
        counts, kind = np.histogram(values.clip(low, high), _STRIP)[0], "Histogram"
    else:
        rows = column.value_counts()
        rows = rows.sort_index() if numeric_columns(column.to_frame()) or rows.index.dtype == "category" else rows
        counts, kind = rows.to_numpy()[:_STRIP], "Rows by value"
    heights = [round(_HIGH * float(n) / max(counts.max(), 1), 1) for n in counts] if len(counts) else []
    look = f"display: inline-block; width: 5px; margin-right: 1px; background: {ink(dark)}; opacity: 0.6"
    bars = "".join(f"<span style='{look}; height: {height}px'></span>" for height in heights)
    label = html.escape(f"{kind} of {column.name}", quote=True)
    return f'<div role="img" aria-label="{label}" style="height: {_HIGH + 2}px; line-height: {_HIGH}px">{bars}</div>'


def value_bars(values: FloatArray, points: Sequence[float]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return starts, ends and heights of bars that show how often values occur; no cut point lies inside a bar.

    Whole numbers that are few have a bar each. Otherwise each interval between cut points is divided evenly, and a
    bar's height is the number of rows that a bar of the usual width would have, so that areas compare. The largest
    hundredth of the values is not drawn.
    """
    if not values.size:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    distinct, times = np.unique(values, return_counts=True)
    if distinct[-1] - distinct[0] < _MOST_BARS and (distinct % 1 == 0).all():
        return distinct - 0.5, distinct + 0.5, times.astype(float)
    low, high = float(distinct[0]), float(np.quantile(values, 0.99))
    usual = (high - low) / _MOST_BARS or 1.0
    ends = [low, *(point for point in points if low < point < high), max(high, low + usual)]
    pieces = [
        np.linspace(start, end, max(round((end - start) / usual), 1) + 1)[1:] for start, end in itertools.pairwise(ends)
    ]
    edges = np.concatenate([[low], *pieces])
    # a value on an edge belongs below it, as at a cut point
    counts = np.diff(np.searchsorted(np.sort(values), edges, side="right"), prepend=0)[1:].astype(float)
    counts[0] += float((values == low).sum())
    widths = np.diff(edges)
    return edges[:-1], edges[1:], counts * usual / widths


def states_figure(counts: pd.Series, dark: bool) -> go.Figure:
    """Draw the number of rows in each state."""
    states = [plain(str(state)) for state in counts.index]
    figure = go.Figure(go.Bar(x=states, y=counts.to_numpy(), marker={"color": ink(dark)}, opacity=0.7))
    across = {"type": "category", "showgrid": False}
    return framed(figure, dark, 200, across, {"title": {"text": "Rows"}}, bargap=0.2)


# Where the missing cells of a table are: the share of each variable, and which are missing together.

MOST_VARIABLES, MOST_PATTERNS = 30, 8
_LINE, _REST = 24, 84  # pixels: a variable, and what stands around them
_NAME = 16  # letters of a variable's name


def missing_figure(found: Missingness, dark: bool) -> go.Figure:
    """Draw a bar for each variable with missing cells, and beside it the most frequent patterns, one a column.

    The variables with most missing cells are on top.
    """
    holed = [v for v in np.argsort(-found.missing, kind="stable").tolist() if found.missing[v]][:MOST_VARIABLES]
    labels = [plain(short_label(found.names[v], _NAME)) for v in holed]
    figure = make_subplots(1, 2, shared_yaxes=True, horizontal_spacing=0.04, column_widths=[0.45, 0.55])
    up = {"range": [len(holed) - 0.5, -0.5], "showgrid": False}
    framed(figure, dark, _LINE * len(holed) + _REST, None, up, bargap=0.25, hovermode="closest")
    places, widest = list(range(len(holed))), float(found.shares.max()) or 1.0
    shares, left = found.shares[holed], Look(row=1, col=1)
    known = [[plain(found.names[v]), f"{int(found.missing[v]):,}"] for v in holed]
    looks: Look = {"orientation": "h", "opacity": 0.7, "cliponaxis": False, "textposition": "outside"}
    written: Look = {"text": [percent(share) for share in shares], "customdata": known}
    hover = "%{customdata[0]}: %{customdata[1]} cells, %{x:.1%}"
    add_bars(figure, shares, places, {"color": ink(dark)}, hover, **looks, **written, **left)
    patterns, rows = found.patterns[:MOST_PATTERNS], found.pattern_rows[:MOST_PATTERNS].tolist()
    columns, colors = list(range(len(patterns))), [[0, grid(dark)], [1, ink(dark)]]
    absent, n_rows = patterns[:, holed].T.astype(int), [[f"{n:,} rows" for n in rows] for _ in holed]
    looks = {"zmin": 0, "zmax": 1, "colorscale": colors, "opacity": 0.8, "showscale": False, "xgap": 3, "ygap": 3}
    looks |= {"customdata": n_rows, **pointed_at("%{customdata}")}
    figure.add_heatmap(z=absent, x=columns, y=places, row=1, col=2, **looks)
    figure.update_xaxes(title_text="Share missing", tickformat=".0%", range=[0, 1.3 * widest], nticks=3, **left)
    counts = [f"{n:,}" for n in rows]
    figure.update_xaxes(title_text="Rows", tickvals=columns, ticktext=counts, showgrid=False, row=1, col=2)
    figure.update_yaxes(tickvals=places, ticktext=labels, **left)
    return figure.update_yaxes(ticks="", row=1, col=2)
