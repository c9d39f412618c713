"""How many edges lie above each threshold."""

import math

import numpy as np
import plotly.graph_objects as go

from bnengine._core.arrays import FloatArray
from pages._shared.figures.palette import framed, ink


def above_threshold_figure(
    confidences: FloatArray,
    threshold: float,
    color: str,
    dark: bool,
    expected_false: tuple[FloatArray, FloatArray] | None = None,
) -> go.Figure:
    """The number of edges of at least each strength, on a log scale, with the threshold as a line.

    ``expected_false``: thresholds and the number of false edges expected above them, drawn dotted.
    """
    ranked = np.sort(confidences[confidences > 0])
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([[0.0], ranked, [1.0]]),
        y=np.concatenate([[ranked.size], np.arange(ranked.size, 0, -1), [int((ranked >= 1).sum())]]),
        mode="lines",
        line={"shape": "vh", "color": color, "width": 2},
        fill="tozeroy",
        hovertemplate="strength: %{x:.2f} or more<br>edges: %{y}<extra></extra>",
    )
    if expected_false is not None:
        figure.add_scatter(
            x=expected_false[0],
            y=expected_false[1],
            mode="lines",
            line={"color": ink(dark), "width": 1.5, "dash": "dot"},
            hovertemplate="strength: %{x:.2f} or more<br>expected of independent variables: %{y:.2f}<extra></extra>",
        )
    figure.add_vline(x=threshold, line={"color": ink(dark), "width": 1.5})
    framed(figure, dark, 120)
    figure.update_xaxes(range=[0, 1], title_text="Strength", showgrid=False, title_standoff=2)
    most = math.log10(max(ranked.size, 10))
    ticks = [10**k for k in range(int(most) + 1)]
    figure.update_yaxes(title_text="Edges", type="log", range=[-0.15, most + 0.1], tickvals=ticks, ticktext=ticks)
    return figure
