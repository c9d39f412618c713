"""The score after each step of a search, and what else the search knows of its steps."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine import LearnedGraph
from pages._shared.figures.palette import CORRECTED, CORRECTED_ON_DARK, NAIVE, faint, framed

UNITS = {"temperature": "temperature, nats", "frontier": "graphs on the frontier"}


def trace_figure(graph: LearnedGraph, dark: bool) -> go.Figure:
    """Score in nats against the number of the step; below it temperature or frontier, if there is one."""
    figure = make_subplots(1 + len(graph.diagnostics), 1, shared_xaxes=True, vertical_spacing=0.08)
    curves = [("score, nats", graph.trace, CORRECTED_ON_DARK if dark else CORRECTED)]
    curves += [(UNITS.get(name, name), values, NAIVE) for name, values in graph.diagnostics.items()]
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
        figure.update_yaxes(title={"text": title, "standoff": 4}, row=row, col=1)
    framed(figure, dark, 300)
    figure.update_xaxes(showgrid=False, zeroline=False)
    figure.update_xaxes(title={"text": "step", "standoff": 4}, row=len(curves), col=1)
    figure.update_yaxes(gridcolor=faint(dark), zeroline=False)
    return figure
