"""Parts that several pictures share: the diagonal, and axes from 0 to 1."""

import plotly.graph_objects as go

from pages._shared.figures.palette import faint, framed, ink


def diagonal(figure: go.Figure, dark: bool, most: float = 1.0) -> go.Figure:
    """Add the dotted line on which both axes have the same value."""
    line = {"color": ink(dark), "width": 1, "dash": "dot"}
    return figure.add_scatter(x=[0, most], y=[0, most], mode="lines", hoverinfo="skip", line=line)


def unit_square(figure: go.Figure, dark: bool, x_title: str, y_title: str, height: int = 340) -> go.Figure:
    """Frame a figure whose axes both run from 0 to 1, at the same scale."""
    framed(figure, dark, height)
    axis = {"range": [-0.06, 1.06], "tickvals": [0, 0.25, 0.5, 0.75, 1], "constrain": "domain"}
    border = {"showline": True, "mirror": True, "linecolor": faint(dark)}
    figure.update_xaxes(**axis, **border, title_text=x_title)
    figure.update_yaxes(**axis, **border, title_text=y_title, scaleanchor="x")
    figure.update_layout(hovermode="closest")
    return figure
