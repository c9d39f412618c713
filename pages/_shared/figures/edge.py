"""One edge: every method's confidence in it, and the posterior's probability, as dots on one scale."""

import plotly.graph_objects as go

from bnengine.experiment.edge_explanation import EdgeExplanation, MethodAnswer

from ..format import probability, share
from .palette import faint, framed, grid, ink, laid_out, method_color, posterior_color

_LINE, _ROOM = 27, 46  # pixels: of a method, of the axis


def edge_figure(told: EdgeExplanation, dark: bool) -> go.Figure:
    """Draw a dot with its Monte Carlo error for each method, and one for the posterior; one half is marked."""
    lines = told.answers[::-1]
    figure = framed(go.Figure(), dark, _ROOM + _LINE * len(lines))
    figure.add_vline(x=0.5, line={"color": ink(dark), "width": 1, "dash": "dot"})
    figure.add_scatter(
        x=[one.joined for one in lines],
        y=[one.label for one in lines],
        mode="markers",
        marker={"size": 10, "color": [_color(one, dark) for one in lines], "line": {"width": 1, "color": ink(dark)}},
        error_x={
            "type": "data",
            "array": [one.error for one in lines],
            "color": ink(dark),
            "thickness": 1.2,
            "width": 3,
        },
        text=[_value(one) for one in lines],
        hovertemplate="<b>%{y}</b><br>%{text}<extra></extra>",
        cliponaxis=False,
    )
    x_axis = {"range": [-0.04, 1.06], "tickvals": [0, 0.5, 1], "tickformat": ".0%", "showgrid": False}
    y_axis = {"showgrid": True, "gridcolor": grid(dark), "automargin": True, "ticks": ""}
    return laid_out(figure, {"showlegend": False}, {**x_axis, "showline": True, "linecolor": faint(dark)}, y_axis)


def _color(one: MethodAnswer, dark: bool) -> str:
    return posterior_color(dark) if one.is_posterior else method_color(one.method, dark)


def _value(one: MethodAnswer) -> str:
    if one.is_posterior:
        return f"real with probability {probability(one.joined, one.error)}"
    return f"{share(one.joined)} of its graphs, ± {100 * one.error:.0f} points"
