"""The picture on the Home page: naive against corrected confidence of each edge, from shipped numbers."""

from typing import Any

import plotly.graph_objects as go

from pages._shared.figures.axes import diagonal
from pages._shared.figures.network import plain
from pages._shared.figures.palette import corrected_color, faint, framed, grid, ink, naive_text
from pages._shared.format import short


def home_figure(numbers: dict[str, Any], dark: bool) -> go.Figure:
    """One mark per edge: its naive confidence across, its corrected confidence up; below the diagonal, overstated."""
    pairs = [f"<b>{plain(a)} → {plain(b)}</b>" for a, b, _, _ in numbers["edges"]]
    naive, corrected = ([edge[place] for edge in numbers["edges"]] for place in (2, 3))
    figure = diagonal(go.Figure(), dark)
    figure.add_scatter(
        x=naive,
        y=corrected,
        mode="markers",
        marker={"size": 7, "color": ink(dark), "opacity": 0.55},
        text=[
            f"{pair}<br>naive {short(x)}<br>corrected {short(y)}"
            for pair, x, y in zip(pairs, naive, corrected, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )
    framed(figure, dark, 300)
    border = {"showline": True, "mirror": True, "linecolor": faint(dark), "range": [-0.04, 1.04]}
    figure.update_xaxes(**border, title={"text": "Naive confidence", "font": {"color": naive_text(dark)}})
    figure.update_yaxes(
        **border,
        title={"text": "Corrected confidence", "font": {"color": corrected_color(dark)}},
        gridcolor=grid(dark),
    )
    figure.add_annotation(x=0.04, y=0.98, text="both agree on the diagonal", showarrow=False, xanchor="left")
    figure.add_annotation(
        x=0.98, y=0.08, text="overstated by<br>the naive bootstrap", showarrow=False, xanchor="right", align="right"
    )
    return figure
