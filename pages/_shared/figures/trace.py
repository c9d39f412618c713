"""The score after each step of a search, and the search's own diagnostics."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine import LearnedGraph
from pages._shared.figures.axes import whole
from pages._shared.figures.palette import aside, framed, ink

UNITS = {"temperature": "Temperature, nats", "frontier": "Graphs on the frontier"}


def trace_figure(graph: LearnedGraph, dark: bool) -> go.Figure:
    """Score in nats by step; below it temperature or frontier, for the searches that have one."""
    figure = make_subplots(1 + len(graph.diagnostics), 1, shared_xaxes=True, vertical_spacing=0.08)
    framed(figure, dark, 300)
    curves = [("Score, nats", graph.trace, ink(dark))]
    curves += [(UNITS.get(name, name), values, aside(dark)) for name, values in graph.diagnostics.items()]
    for row, (title, values, color) in enumerate(curves, start=1):
        figure.add_scatter(
            y=values,
            mode="lines+markers" if len(values) < 200 else "lines",
            marker={"size": 4},
            line={"color": color, "width": 1.5},
            hovertemplate=f"step %{{x}}: %{{y:,.4g}} ({title})<extra></extra>",
            row=row,
            col=1,
        )
        figure.update_yaxes(title_text=title, tickformat=",", row=row, col=1)
    figure.update_xaxes(showgrid=False, dtick=whole(len(graph.trace) - 1))
    figure.update_xaxes(title_text="Step", row=len(curves), col=1)
    return figure
