"""How graphs chosen on resamples score beside the data's own graph."""

import numpy as np
import plotly.graph_objects as go

from bnengine.teaching import SelectionBias
from pages._shared.figures.palette import NAIVE, faint, framed, ink, legend_on_top
from pages._shared.format import short


def selection_figure(made: SelectionBias, dark: bool) -> go.Figure:
    """Two histograms over resamples: the chosen graph less the data's own, on the resample and on the data."""
    low, high = float(made.chosen_on_data.min()), float(made.gains.max())
    size = max((high - low) / 60, 1e-9)
    figure = go.Figure()
    for name, values, color in (
        ("on the resample, where they were chosen", made.gains, NAIVE),
        ("on the data", made.chosen_on_data, ink(dark)),
    ):
        figure.add_histogram(
            x=values,
            xbins={"start": np.floor(low / size) * size, "end": high + size, "size": size},
            name=f"{name}, mean {short(values.mean())}",
            marker={"color": color, "line": {"width": 0}},
            opacity=0.5,
            hovertemplate="%{x} nats: %{y} resamples<extra></extra>",
        )
    framed(figure, dark, 330)
    figure.update_layout(barmode="overlay")
    figure.add_vline(x=0, line={"color": ink(dark), "width": 1.2, "dash": "dot"})
    figure.update_xaxes(
        title={"text": "chosen graph − data's own graph, nats", "standoff": 4}, gridcolor=faint(dark), zeroline=False
    )
    figure.update_yaxes(title={"text": "resamples", "standoff": 4}, gridcolor=faint(dark), zeroline=False)
    return legend_on_top(figure)
