"""Curves over one number and bars: densities, scores by rows, edges by equivalent sample size, traces of searches."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.display import short
from bnengine.plots import palette as paint
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import Look
from bnengine.search import LearnedGraph

Numbers = Sequence[float] | IntArray | FloatArray


@dataclass(frozen=True)
class Curve:
    """One curve; ``hover`` is a plotly template over ``%{x}``, ``%{y}`` and ``%{error_y.array}``.

    Its bars are standard errors, or go to the ends of intervals, low and high.
    """

    name: str
    x: Numbers
    y: Numbers
    color: str
    dash: str = "solid"
    mode: str = "lines+markers"
    hover: str = "%{x:,}: %{y:.4g}"
    errors: Numbers | None = None
    ends: tuple[Numbers, Numbers] | None = None
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
        name, color = plain(curve.name), curve.color
        bars = {"type": "data", "color": color, "thickness": 1.2, "width": 3}
        looks: Look = {
            "mode": curve.mode,
            "marker": {"size": curve.size, "color": color},
            "showlegend": curve.in_legend,
        }
        if curve.ends is not None:
            looks["error_y"] = {**bars, **paint.to_ends(curve.y, *curve.ends)}
        if curve.errors is not None:
            looks["error_y"] = {**bars, "array": list(curve.errors)}
        hover = f"<b>{name}</b><br>{curve.hover}"
        paint.add_line(figure, list(curve.x), list(curve.y), color, hover, name, curve.width, curve.dash, **looks)
    across: Look = {"type": "log" if log_x else "linear", "showline": True, "linecolor": paint.faint(dark)}
    if ticks:
        across |= {"tickvals": list(ticks), "ticktext": [f"{tick:,g}" for tick in ticks]}
    legend = sum(curve.in_legend for curve in curves) > 1
    axes: Look = {"x_axis": across, "y_axis": {"range": y_range}}
    paint.with_axes(figure, dark, height, x_title, y_title, legend, **axes, hovermode="closest")
    if level is not None:
        figure.add_hline(y=level, line={"color": paint.ink(dark), "width": 1, "dash": "dot"})
    for mark in marks:
        _add_mark(figure, mark, log_x, dark)
    return figure


def _add_mark(figure: go.Figure, mark: Mark, log_x: bool, dark: bool) -> None:
    paint.add_reference(figure, mark.x, dark, 1, "dash")
    x = math.log10(mark.x) if log_x else mark.x  # plotly's annotations, unlike its lines, want the exponent
    side = {"xanchor": "right", "xshift": -3} if mark.left else {"xanchor": "left", "xshift": 3}
    font = {"size": 12, "color": paint.ink(dark)}
    place = {"x": x, "y": 1, "yref": "y domain", "yanchor": "top", **side}
    ground = paint.paper(dark)  # a curve may pass behind it
    figure.add_annotation(**place, text=plain(mark.text), font=font, showarrow=False, bgcolor=ground)


# Bars: description lengths, size stacked on misfit, and scores below the best.


def length_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw one bar per network, in the table's order from the top: its misfit, and its size stacked on it.

    The table is that of ``bn.teaching.description_lengths``.
    """
    names, longest = [plain(name) for name in table["network"]], table["mdl_bits"].max()
    figure = go.Figure()
    written = {"textposition": "inside", "insidetextanchor": "middle", "textangle": 0, "constraintext": "none"}
    written |= {"textfont": {"color": "#1B1F24", "size": 13}, "orientation": "h"}
    for key, title, color in (
        ("misfit_bits", "misfit: −log₂ likelihood", paint.MISFIT),
        ("size_bits", "size: |B| log₂N / 2", paint.SIZE),
    ):
        text = [short(value, 4) if value > 0.12 * longest else "" for value in table[key]]
        hover, look = f"<b>%{{y}}</b><br>{title}<br>%{{x:,.4~g}} bits", {"color": color, "line": {"width": 0}}
        paint.add_bars(figure, table[key], names, look, hover, title, text=text, **written)
    for name, total, above in zip(names, table["mdl_bits"], table["above_best_bits"], strict=True):
        extra = "" if above < 1e-9 else f"  +{short(above)}"
        beside = {"x": total, "y": name, "xanchor": "left", "xshift": 6, "font": {"color": paint.ink(dark), "size": 13}}
        figure.add_annotation(**beside, text=f"<b>{short(total, 4)}</b>{extra}", showarrow=False)
    room = 1.45 if (table["above_best_bits"] > 1e-9).any() else 1.2  # for the totals next to the bars
    across = {"showgrid": True, "range": [0, room * longest]}
    up, bars = {**paint.FROM_TOP, "ticksuffix": "  "}, Look(barmode="stack", bargap=0.3)
    title = "description length, bits"
    return paint.with_axes(figure, dark, 190, title, legend=False, x_axis=across, y_axis=up, **bars)


_MOST_RANKED = 10


def ranked_figure(
    table: pd.DataFrame,
    dark: bool,
    unit: str,
    kinds: dict[str, str],
    level: float | None = None,
    texts: Sequence[str] = (),
) -> go.Figure:
    """Draw one bar per line of a table, the first on top; its columns are name, value and kind, which has a colour."""
    table, figure = table.head(_MOST_RANKED), go.Figure()
    written = pd.Series([*texts][: len(table)] or [""] * len(table))
    for kind, color in kinds.items():
        here = (table["kind"] == kind).to_numpy()
        part, looks = table[here], {"orientation": "h", "textposition": "outside", "cliponaxis": False}
        names, hover = [plain(name) for name in part["name"]], f"<b>%{{y}}</b><br>%{{x:.3~g}} {unit}"
        paint.add_bars(figure, part["value"], names, {"color": color}, hover, kind, text=written[here], **looks)
    across = {"showgrid": True, "range": [0, (1.35 if texts else 1.05) * float(table["value"].max())]}
    up = {**paint.FROM_TOP, "categoryarray": [plain(name) for name in table["name"]], "ticksuffix": "  ", "dtick": 1}
    paint.with_axes(figure, dark, 340, unit, legend=len(kinds) > 1, x_axis=across, y_axis=up, bargap=0.25)
    if level is not None:
        paint.add_reference(figure, level, dark)
    return figure


def behind_figure(table: pd.DataFrame, scores: list[str], dark: bool) -> go.Figure:
    """Draw how far each graph's score lies below the best graph's: one group per graph, one bar per score."""
    graphs = [plain(graph).replace(" →", "<br>→").replace(" ←", "<br>←") for graph in table["graph"]]
    figure = go.Figure()
    for score, color in zip(scores, paint.series(dark), strict=False):
        behind, look = table[f"{score} behind"], {"color": color, "line": {"width": 0}}
        text = {"text": [short(round(value, 9)) for value in behind], "textposition": "outside"}
        hover = f"<b>%{{x}}</b><br>{plain(score)}: %{{y:.4~g}} nats below the best"
        paint.add_bars(figure, graphs, behind, look, hover, plain(score), **text)
    top = float(table[[f"{score} behind" for score in scores]].to_numpy().max())
    across, up = {"tickangle": 0, "tickfont": {"size": 10}}, {"range": [0, 1.15 * top if top > 0 else 1]}
    return paint.with_axes(figure, dark, 320, "", "below the best, nats", x_axis=across, y_axis=up, bargap=0.25)


# The score after each step of a search, and the search's own diagnostics.

UNITS = {"temperature": "Temperature, nats", "frontier": "Graphs on the frontier"}


def trace_figure(graph: LearnedGraph, dark: bool) -> go.Figure:
    """Draw the score in nats by step; below it temperature or frontier, for the searches that have one."""
    figure = make_subplots(1 + len(graph.diagnostics), 1, shared_xaxes=True, vertical_spacing=0.08)
    paint.framed(figure, dark, 300, {"showgrid": False, "dtick": paint.integer_tick(len(graph.trace) - 1)})
    curves = [("Score, nats", graph.trace, paint.ink(dark))]
    curves += [(UNITS.get(name, name), values, paint.aside(dark)) for name, values in graph.diagnostics.items()]
    for row, (title, values, color) in enumerate(curves, start=1):
        hover, place = f"step %{{x}}: %{{y:,.4g}} ({title})", Look(row=row, col=1)
        looks: Look = {"mode": "lines+markers" if len(values) < 200 else "lines", "marker": {"size": 4}}
        paint.add_line(figure, None, values, color, hover, width=1.5, **looks, **place)
        figure.update_yaxes(title_text=title, tickformat=",", **place)
    return figure.update_xaxes(title_text="Step", row=len(curves), col=1)
