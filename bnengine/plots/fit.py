"""Figures of fit: standard errors, overstated edges, scales, predictions."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine._core.display import plus_minus, short, short_labels
from bnengine.bootstrap.resampling_methods import JOINS, TITLES
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import (
    DELETE_D,
    FRESH,
    FROM_TOP,
    JACKKNIFE,
    NAIVE,
    Look,
    above,
    add_line,
    add_marks,
    add_reference,
    faint,
    framed,
    ink,
    legend_on_top,
    method_color,
    with_axes,
)
from bnengine.prediction import EdgeCurve


def errors_figure(table: pd.DataFrame, unit: str, dark: bool) -> go.Figure:
    """Draw one line per method: the SD of its replicates, open, and the standard error, filled.

    The table is that of ``bn.teaching.ResamplingErrors``; the reference line is at its first method, new samples.
    """
    colors = [ink(dark), NAIVE, JACKKNIFE, DELETE_D]
    methods, errors = table["method"].tolist(), table["standard_error"].tolist()
    figure = go.Figure()
    for method, sd, error, color in zip(methods, table["sd"], errors, colors, strict=True):
        add_line(figure, [sd, error], [method, method], color, dash="dot", showlegend=False)
    for name, column, symbol in (
        ("SD of replicates", "sd", "circle-open"),
        ("standard error", "standard_error", "circle"),
    ):
        shown = [column == "standard_error" or sd != error for sd, error in zip(table["sd"], errors, strict=True)]
        text = [short(value) if show else "" for value, show in zip(table[column], shown, strict=True)]
        look = {"symbol": symbol, "size": 11, "color": colors, "line": {"width": 2}}
        hover = f"%{{y}}<br>{name} %{{x:.4g}} {unit}"
        add_marks(figure, table[column], methods, look, hover, name, **above(text, {"size": 12}), cliponaxis=False)
    up = {"categoryorder": "array", "categoryarray": methods[::-1], "showgrid": False}
    with_axes(figure, dark, 330, f"± {unit}", x_axis={"showgrid": True, "rangemode": "tozero"}, y_axis=up)
    add_reference(figure, float(errors[0]), dark)
    return figure


# How much each edge is overstated by one method compared with another.

#: Edges shown at first, and on demand: the most overstated ones.
FIRST, MOST = 15, 40
SURE = 2.0  # standard errors
_LONGEST = 18  # characters of a name


def overstated_figure(
    table: pd.DataFrame, naive: str, corrected: str, kind: str, dark: bool, most: int = FIRST
) -> go.Figure:
    """Draw one dumbbell per edge, from one method's confidence to the other's; the most overstated at the top.

    ``table`` is that of ``Study.overstated``. Bars are two standard errors of the difference around the corrected
    method's mark: where they do not reach the other mark, the difference is more than chance.
    """
    shown = table.head(most).iloc[::-1]
    pairs = list(zip(shown["parent"], shown["child"], strict=True))
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    labels, ticks = (
        [f"{plain(short[p])} {JOINS[kind]} {plain(short[c])}" for p, c in pairs]
        for short in (dict(zip(names, names, strict=True)), short_labels(names, _LONGEST))
    )
    rows, ends = list(range(len(shown))), (shown[f"confidence_{naive}"], shown[f"confidence_{corrected}"])
    figure = go.Figure()
    for row, low, high in zip(rows, *ends, strict=True):
        line = {"color": faint(dark), "width": 3}
        figure.add_shape(type="line", x0=float(low), x1=float(high), y0=row, y1=row, line=line, layer="below")
    own = ["in" if own else "not in" for own in shown["in_data_graph"]]
    bars = {"array": SURE * shown["standard_error"], "color": faint(dark), "thickness": 1, "width": 3}
    for key, values in zip((naive, corrected), ends, strict=True):
        hover = f"<b>%{{text}}</b><br>{TITLES[key]} %{{x:.2f}}, %{{customdata}} the graph learned from the data"
        look, labelled = {"size": 9, "color": method_color(key, dark)}, {"text": labels, "customdata": own}
        add_marks(
            figure, values, rows, look, hover, TITLES[key], error_x=bars if key == corrected else None, **labelled
        )
    up = {"tickvals": rows, "ticktext": ticks, "showgrid": False, "tickfont": {"size": 11}, "range": [-0.8, len(rows)]}
    across = {"title": {"text": "Confidence"}, "range": [-0.03, 1.03]}
    return legend_on_top(framed(figure, dark, 110 + 20 * len(shown), across, up))


# How well each network predicts, by one measure.


def accuracy_figure(table: pd.DataFrame, measure: str, title: str, more_is_better: bool, dark: bool) -> go.Figure:
    """Draw one line per network: its mean and standard error; the best is filled."""
    lines = table[table["measure"] == measure]
    means, spread = lines["mean"], lines["standard_error"]
    best = means.max() if more_is_better else means.min()
    figure, color = go.Figure(), [ink(dark) if mean == best else faint(dark) for mean in means]
    bars = {"array": spread.fillna(0.0), "color": ink(dark), "thickness": 1.4, "width": 4}
    look = {"size": 9, "color": color, "line": {"color": ink(dark), "width": 1.2}}
    written = above([short(mean) for mean in means], {"size": 11})
    ranges = [plus_minus(*values) for values in zip(means, spread, strict=True)]
    names, hover = [plain(name) for name in lines["learner"]], "%{y}<br>" + plain(title) + " %{customdata}"
    add_marks(figure, means, names, look, hover, error_x=bars, customdata=ranges, cliponaxis=False, **written)
    better = f"<b>{plain(title)}</b><br>{'higher' if more_is_better else 'lower'} is better"
    axes: Look = {"legend": False, "x_axis": {"showgrid": True, "nticks": 5}, "y_axis": FROM_TOP}
    return with_axes(figure, dark, 90 + 30 * len(lines), better, margin={"t": 14, "b": 4}, **axes)


# How well a network predicts, against its number of edges.


def edge_curve_figure(curve: EdgeCurve, measure: str, title: str, stop: int | None, step: int, dark: bool) -> go.Figure:
    """Draw the measure on test rows ± standard error; mark where it is good enough, and the number of edges shown."""
    means, errors = curve.means[measure], np.nan_to_num(curve.errors[measure])
    edges = np.arange(len(means))
    figure = go.Figure()
    around = np.concatenate([means - errors, (means + errors)[::-1]])
    area = {"mode": "lines", "fill": "toself", "fillcolor": faint(dark), "opacity": 0.45, "line": {"width": 0}}
    figure.add_scatter(x=np.concatenate([edges, edges[::-1]]), y=around, hoverinfo="skip", **area)
    added = ["no edges", *(f"{plain(parent)} → {plain(child)}" for parent, child in curve.plan.edges)]
    hover = "edges: %{x}<br>%{y:.4f} ± %{customdata[1]:.4f}<br>last edge: %{customdata[0]}"
    looks: Look = {"mode": "lines+markers" if len(means) < 60 else "lines", "marker": {"size": 5}}
    known = np.column_stack([np.array(added, dtype=object), errors])
    add_line(figure, edges, means, ink(dark), hover, customdata=known, **looks)
    if stop is not None:
        add_reference(figure, stop, dark, 1.5, "dash")
        side = "left" if stop < 0.6 * len(means) else "right"
        place = {"x": stop, "y": 1.0, "yref": "paper", "xanchor": side, "yanchor": "bottom"}
        figure.add_annotation(**place, text=f"good enough: {stop}", showarrow=False, font={"color": ink(dark)})
    add_marks(figure, [step], [means[step]], {"size": 12, "color": FRESH, "line": {"color": ink(dark), "width": 1.2}})
    return with_axes(figure, dark, 360, "edges added", plain(title), legend=False, margin={"t": 26})
