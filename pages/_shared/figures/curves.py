"""Curves over one number and bars: densities, scores by rows, edges by equivalent sample size, traces of searches."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine import LearnedGraph
from bnengine.search.optima import Optima
from bnengine.typing import FloatArray, IntArray

from ..format import short
from .network import plain
from .palette import MISFIT, SIZE, aside, corrected_color, faint, framed, grid, ink, integer_tick, series, with_axes

_CLEAR = "rgba(0,0,0,0)"

Numbers = Sequence[float] | IntArray | FloatArray


@dataclass(frozen=True)
class Curve:
    """One curve; ``hover`` is a plotly template over ``%{x}``, ``%{y}`` and ``%{error_y.array}``."""

    name: str
    x: Numbers
    y: Numbers
    color: str
    dash: str = "solid"
    mode: str = "lines+markers"
    hover: str = "%{x:,}: %{y:.4g}"
    errors: Numbers | None = None
    size: int = 5
    in_legend: bool = True
    width: float = 2


@dataclass(frozen=True)
class Mark:
    """A dashed vertical line with a label to its right, or to its ``left``."""

    x: float
    text: str
    left: bool = False


def curves_figure(
    curves: Sequence[Curve],
    dark: bool,
    x_title: str,
    y_title: str,
    *,
    height: int = 320,
    log_x: bool = False,
    y_range: tuple[float, float] | None = None,
    marks: Sequence[Mark] = (),
    level: float | None = None,
    ticks: Sequence[float] | None = None,
) -> go.Figure:
    """Return the curves with a legend above them; ``level`` is a horizontal line to compare with."""
    figure = go.Figure()
    for curve in curves:
        name = plain(curve.name)
        figure.add_scatter(
            x=list(curve.x),
            y=list(curve.y),
            name=name,
            mode=curve.mode,
            line={"color": curve.color, "width": curve.width, "dash": curve.dash},
            marker={"size": curve.size, "color": curve.color},
            error_y=None
            if curve.errors is None
            else {"type": "data", "array": list(curve.errors), "color": curve.color, "thickness": 1.2, "width": 3},
            showlegend=curve.in_legend,
            hovertemplate=f"<b>{name}</b><br>{curve.hover}<extra></extra>",
        )
    with_axes(figure, dark, height, x_title, y_title, legend=sum(curve.in_legend for curve in curves) > 1)
    if level is not None:
        figure.add_hline(y=level, line={"color": ink(dark), "width": 1, "dash": "dot"})
    for mark in marks:
        _add_mark(figure, mark, log_x, dark)
    figure.update_xaxes(type="log" if log_x else "linear", showline=True, linecolor=faint(dark))
    if ticks:
        figure.update_xaxes(tickvals=list(ticks), ticktext=[f"{tick:,g}" for tick in ticks])
    figure.update_yaxes(range=y_range)
    figure.update_layout(hovermode="closest")
    return figure


def _add_mark(figure: go.Figure, mark: Mark, log_x: bool, dark: bool) -> None:
    figure.add_vline(x=mark.x, line={"color": ink(dark), "width": 1, "dash": "dash"})
    figure.add_annotation(
        x=math.log10(mark.x) if log_x else mark.x,  # plotly's annotations, unlike its lines, want the exponent
        y=1,
        yref="y domain",
        text=plain(mark.text),
        font={"size": 12, "color": ink(dark)},
        showarrow=False,
        xanchor="right" if mark.left else "left",
        yanchor="top",
        xshift=-3 if mark.left else 3,
    )


# Bars: description lengths, size stacked on misfit, and scores below the best.


def length_figure(table: pd.DataFrame, dark: bool, height: int | None = None) -> go.Figure:
    """Draw one bar per network, in the table's order from the top: its misfit, and its size stacked on it.

    The table is that of ``bn.teaching.description_lengths``.
    """
    names = [plain(name) for name in table["network"]]
    figure = go.Figure()
    for key, title, color in (
        ("misfit_bits", "misfit: −log₂ likelihood", MISFIT),
        ("size_bits", "size: |B| log₂N / 2", SIZE),
    ):
        figure.add_bar(
            y=names,
            x=table[key],
            name=title,
            orientation="h",
            marker={"color": color, "line": {"width": 0}},
            text=[short(value, 4) if value > 0.12 * table["mdl_bits"].max() else "" for value in table[key]],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            textfont={"color": "#1B1F24", "size": 13},
            hovertemplate=f"<b>%{{y}}</b><br>{title}<br>%{{x:,.4~g}} bits<extra></extra>",
        )
    for name, total, above in zip(names, table["mdl_bits"], table["above_best_bits"], strict=True):
        extra = "" if above < 1e-9 else f"  +{short(above)}"
        figure.add_annotation(
            x=total,
            y=name,
            text=f"<b>{short(total, 4)}</b>{extra}",
            showarrow=False,
            xanchor="left",
            xshift=6,
            font={"color": ink(dark), "size": 13},
        )
    with_axes(figure, dark, height or 84 + 36 * len(names), "description length, bits")
    room = 1.45 if (table["above_best_bits"] > 1e-9).any() else 1.2  # for the totals next to the bars
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark), range=[0, room * table["mdl_bits"].max()])
    figure.update_yaxes(autorange="reversed", ticksuffix="  ", showgrid=False)
    return figure.update_layout(barmode="stack", bargap=0.3, legend_traceorder="normal")


def behind_figure(table: pd.DataFrame, scores: list[str], dark: bool) -> go.Figure:
    """Draw how far each graph's score lies below the best graph's: one group per graph, one bar per score."""
    graphs = [plain(graph).replace(" →", "<br>→").replace(" ←", "<br>←") for graph in table["graph"]]
    figure = go.Figure()
    for score, color in zip(scores, series(dark), strict=False):
        figure.add_bar(
            x=graphs,
            y=table[f"{score} behind"],
            name=plain(score),
            marker={"color": color, "line": {"width": 0}},
            text=[short(round(value, 9)) for value in table[f"{score} behind"]],
            textposition="outside",
            hovertemplate=f"<b>%{{x}}</b><br>{plain(score)}: %{{y:.4~g}} nats below the best<extra></extra>",
        )
    with_axes(figure, dark, 320, "", "below the best, nats")
    figure.update_xaxes(tickangle=0, tickfont={"size": 10})
    top = float(table[[f"{score} behind" for score in scores]].to_numpy().max())
    figure.update_yaxes(range=[0, 1.15 * top if top > 0 else 1])
    return figure.update_layout(bargap=0.25)


# The score after each step of a search, and the search's own diagnostics.

UNITS = {"temperature": "Temperature, nats", "frontier": "Graphs on the frontier"}


def trace_figure(graph: LearnedGraph, dark: bool) -> go.Figure:
    """Draw the score in nats by step; below it temperature or frontier, for the searches that have one."""
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
    figure.update_xaxes(showgrid=False, dtick=integer_tick(len(graph.trace) - 1))
    figure.update_xaxes(title_text="Step", row=len(curves), col=1)
    return figure


def optima_figure(optima: Optima, given: float, dark: bool) -> go.Figure:
    """Draw optima by how far they are below the best; filled where a search ended, the larger the more of them.

    ``given`` is how far the learned graph is below it.
    """
    figure, ended = go.Figure(), optima.n_ended
    framed(figure, dark, 112)
    figure.add_vline(x=given, line={"color": ink(dark), "width": 1.2, "dash": "dot"})
    figure.add_scatter(
        x=optima.below_best,
        y=[0.0] * len(ended),
        mode="markers",
        marker={
            "size": [9 + 15 * math.sqrt(n / max(optima.n_starts, 1)) for n in ended.tolist()],
            "color": [corrected_color(dark) if n else _CLEAR for n in ended.tolist()],
            "line": {"color": corrected_color(dark), "width": 1.2},
            "opacity": 0.85,
        },
        customdata=ended,
        hovertemplate="%{x:.3g} nats below the best<br>searches that ended here: %{customdata}<extra></extra>",
        cliponaxis=False,
    )
    most = max(float(optima.below_best.max()), given, 0.1)
    figure.update_xaxes(
        title={"text": "Nats below the best", "standoff": 10},
        range=[-0.06 * most, 1.06 * most],
        showline=True,
        linecolor=faint(dark),
    )
    figure.update_yaxes(visible=False, range=[-1, 1])
    return figure
