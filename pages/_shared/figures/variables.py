"""A column before and after it is cut into states."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine.data.cuts import cut_at
from pages._shared.figures.network import plain
from pages._shared.figures.palette import CORRECTED, framed, ink


def cut_figure(column: pd.Series, points: Sequence[float], dark: bool) -> go.Figure:  # type: ignore[type-arg]
    """Above the measured values with the cuts between the levels, below how many rows each level gets."""
    values = column.dropna().astype(float).to_numpy()
    name = str(column.name)
    counts = cut_at(column.to_frame(name), {name: points})[name].value_counts(sort=False)
    figure = make_subplots(
        2, 1, vertical_spacing=0.32, subplot_titles=("before: the values and the cuts", "after: rows a state")
    )
    shown = values[values <= np.quantile(values, 0.99)] if len(values) else values
    figure.add_histogram(x=shown, nbinsx=60, marker={"color": CORRECTED}, opacity=0.55, row=1, col=1)
    for point in points:
        figure.add_vline(x=point, line={"color": ink(dark), "width": 1.5, "dash": "dash"}, row=1, col=1)
    figure.add_bar(
        x=[str(state) for state in counts.index],
        y=counts.to_numpy(),
        marker={"color": CORRECTED},
        opacity=0.85,
        row=2,
        col=1,
    )
    framed(figure, dark, 340)
    figure.update_xaxes(title={"text": plain(str(column.name)), "standoff": 4}, row=1, col=1)
    figure.update_yaxes(title={"text": "rows", "standoff": 4}, row=1, col=1)
    figure.update_layout(margin={"t": 28, "l": 8, "r": 8, "b": 8})
    return figure


def states_figure(counts: pd.Series, dark: bool) -> go.Figure:  # type: ignore[type-arg]
    """How many rows show each state."""
    figure = go.Figure(
        go.Bar(x=[plain(str(s)) for s in counts.index], y=counts.to_numpy(), marker={"color": CORRECTED}, opacity=0.85)
    )
    framed(figure, dark, 200)
    figure.update_xaxes(type="category")
    figure.update_yaxes(title={"text": "rows", "standoff": 4})
    return figure
