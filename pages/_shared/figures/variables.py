"""A column before and after discretization, or its states."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine.data.cuts import cut_at
from pages._shared.figures.network import plain
from pages._shared.figures.palette import CORRECTED, framed, ink


def cut_figure(column: pd.Series, points: Sequence[float], dark: bool) -> go.Figure:  # type: ignore[type-arg]
    """Above, the values with the cut points; below, the number of rows in each state."""
    values, name = column.dropna().astype(float).to_numpy(), str(column.name)
    counts = cut_at(column.to_frame(name), {name: points})[name].value_counts(sort=False)
    figure = make_subplots(
        2, 1, vertical_spacing=0.32, subplot_titles=("Before: values and cut points", "After: rows per state")
    )
    framed(figure, dark, 340)
    shown = values[values <= np.quantile(values, 0.99)] if len(values) else values
    figure.add_histogram(x=shown, nbinsx=60, marker={"color": CORRECTED}, opacity=0.55, row=1, col=1)
    for point in points:
        figure.add_vline(x=point, line={"color": ink(dark), "width": 1.5, "dash": "dash"}, row=1, col=1)
    states = [str(state) for state in counts.index]
    figure.add_bar(x=states, y=counts.to_numpy(), marker={"color": CORRECTED}, opacity=0.85, row=2, col=1)
    figure.update_xaxes(showgrid=False)
    figure.update_xaxes(title_text=plain(name), row=1, col=1)
    figure.update_yaxes(title_text="Rows", row=1, col=1)
    figure.update_layout(margin_t=28)
    return figure


def states_figure(counts: pd.Series, dark: bool) -> go.Figure:  # type: ignore[type-arg]
    """The number of rows in each state."""
    states = [plain(str(state)) for state in counts.index]
    figure = go.Figure(go.Bar(x=states, y=counts.to_numpy(), marker={"color": CORRECTED}, opacity=0.85))
    framed(figure, dark, 200)
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(title_text="Rows")
    return figure
