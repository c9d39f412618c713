"""How graphs chosen on replicates score compared with the learned graph."""

import numpy as np
import plotly.graph_objects as go

from bnengine.teaching import SelectionBias
from pages._shared.figures.axes import add_histogram, add_reference, with_axes
from pages._shared.figures.palette import NAIVE, grid, ink
from pages._shared.format import short


def selection_figure(made: SelectionBias, dark: bool) -> go.Figure:
    """Draw two histograms: the chosen graph's score minus the learned one's, on the replicate and on the data."""
    low, high = float(made.chosen_on_data.min()), float(made.gains.max())
    size = max((high - low) / 60, 1e-9)
    bins = {"start": np.floor(low / size) * size, "end": high + size, "size": size}
    figure = go.Figure()
    for name, values, color in (
        ("on the replicate, where they were chosen", made.gains, NAIVE),
        ("on the data", made.chosen_on_data, ink(dark)),
    ):
        shown = f"{name}, mean {short(values.mean())}"
        add_histogram(figure, values, shown, color, "nats: %{x}<br>replicates: %{y}", xbins=bins)
    with_axes(figure, dark, 330, "chosen graph − learned graph, nats", "replicates")
    add_reference(figure, 0, dark)
    return figure.update_xaxes(showgrid=True, gridcolor=grid(dark))
