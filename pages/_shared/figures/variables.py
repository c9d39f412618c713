"""A column before and after discretization, or its states."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine.data.cuts import cut_at
from bnengine.typing import FloatArray

from .network import plain
from .palette import framed, ink

_MOST_BARS = 60
_GAP = 0.15  # between bars, as a share of their width


def cut_figure(column: pd.Series, points: Sequence[float], dark: bool) -> go.Figure:
    """Draw the values with the cut points, which pass between the bars; below, the number of rows in each state."""
    values, name = column.dropna().astype(float).to_numpy(), str(column.name)
    counts = cut_at(column.to_frame(name), {name: points})[name].value_counts(sort=False)
    figure = make_subplots(
        2, 1, vertical_spacing=0.32, subplot_titles=("Before: values and cut points", "After: rows per state")
    )
    framed(figure, dark, 340)
    starts, ends, heights = value_bars(values, points)
    figure.add_bar(
        x=(starts + ends) / 2,
        y=heights,
        width=(1 - _GAP) * (ends - starts),
        marker={"color": ink(dark)},
        opacity=0.4,
        hovertemplate="about %{x:,.4~g}<br>rows: %{y:,.3~g}<extra></extra>",
        row=1,
        col=1,
    )
    one_each = bool(values.size) and (starts % 1 == 0.5).all() and (ends - starts == 1).all()
    for point in points:  # a cut point that is itself a whole number belongs to the state below it: after its bar
        figure.add_vline(
            x=point + 0.5 * (one_each and point % 1 == 0),
            line={"color": ink(dark), "width": 1.5, "dash": "dash"},
            row=1,
            col=1,
        )
    states = [plain(str(state)) for state in counts.index]
    figure.add_bar(x=states, y=counts.to_numpy(), marker={"color": ink(dark)}, opacity=0.7, row=2, col=1)
    figure.update_xaxes(showgrid=False)
    figure.update_xaxes(title_text=plain(name), row=1, col=1)
    figure.update_xaxes(type="category", row=2, col=1)
    figure.update_yaxes(title_text="Rows", row=1, col=1)
    figure.update_yaxes(title_text="Rows", row=2, col=1)
    figure.update_layout(margin_t=28, bargap=0.2)
    return figure


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
    framed(figure, dark, 200)
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(title_text="Rows")
    return figure.update_layout(bargap=0.2)
