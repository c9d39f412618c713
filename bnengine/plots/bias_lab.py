"""Figures of the Bias lab: estimates around the truth, spurious edges, statistics on replicates."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine._core.display import short
from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.plots.curves import Curve, Mark, curves_figure
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import (
    FROM_TOP,
    JACKKNIFE,
    MISFIT,
    NAIVE,
    Look,
    add_bars,
    add_histogram,
    add_line,
    add_marks,
    add_reference,
    corrected_color,
    diagonal,
    faint,
    framed,
    ink,
    legend_on_top,
    method_color,
    with_axes,
)
from bnengine.teaching import EntropyEstimates, Jensen


def distribution_figure(probabilities: np.ndarray, counts: tuple[int, ...], dark: bool) -> go.Figure:
    """Draw the probability of each state as a line over a bar, its share in the sample."""
    states, figure = np.arange(1, len(probabilities) + 1), go.Figure()
    hover = "state %{x}: share %{y:.3f}<br>rows: %{customdata}"
    shares = np.array(counts) / sum(counts)
    add_bars(figure, states, shares, {"color": faint(dark)}, hover, "sample", customdata=counts)
    dash = {"symbol": "line-ew", "size": 12, "line": {"width": 2.5, "color": ink(dark)}}
    add_marks(figure, states, probabilities, dash, "state %{x}: probability %{y:.3f}", "truth")
    ticks = {"dtick": max(1, len(states) // 8)}
    return with_axes(figure, dark, 320, "state", "probability", x_axis=ticks, y_axis={"rangemode": "tozero"})


def bias_by_size_figure(table: pd.DataFrame, n_rows: int, scaled: bool, dark: bool) -> go.Figure:
    """Draw the bootstrap bias of the entropy, four ways, against N; ``scaled`` multiplies it by N."""
    n = table["n_rows"]
    factor = n if scaled else 1
    curves = [
        Curve(name, n, table[column] * factor, color, dash, "lines", "N = %{x:,}: %{y:.3g}")
        for name, column, color, dash in (
            ("−(|X| − 1) / 2N", "leading", ink(dark), "dash"),
            ("−(observed − 1) / 2N", "observed", ink(dark), "dot"),
            ("exact", "exact", NAIVE, "solid"),
        )
    ]
    hover, errors = "N = %{x:,}: %{y:.3g} ± %{error_y.array:.2g}", table["monte_carlo_error"] * factor
    random = table["monte_carlo"] * factor
    curves.append(Curve("Monte Carlo ± SE", n, random, NAIVE, "solid", "markers", hover, errors.tolist(), size=7))
    unit, ticks = "bias × N, nats" if scaled else "bias, nats", n.tolist()[:: max(1, len(n) // 7)]
    figure = curves_figure(curves, dark, "number of rows", unit, log_x=True, ticks=ticks, level=0.0)
    return figure.add_vline(x=n_rows, line={"color": faint(dark), "width": 1.5})


# Estimates from repeated samples around the truth.


def estimates_figure(estimates: EntropyEstimates, dark: bool) -> go.Figure:
    """Draw one violin per estimator, first on top: estimate minus truth over the samples, a bar at the exact mean."""
    figure = go.Figure()
    errors = estimates.estimates - estimates.truth
    for name, values, bias in zip(estimates.names, errors, estimates.exact_bias, strict=True):
        color = {"bootstrap": NAIVE, "plug-in": ink(dark)}.get(name, corrected_color(dark))
        look = {"line": {"color": color, "width": 1}, "fillcolor": color, "opacity": 0.45, "hoverinfo": "skip"}
        shape = {"orientation": "h", "points": False, "spanmode": "hard", "width": 0.85}
        figure.add_violin(x=values, y=[name] * len(values), **look, **shape)
        bar = {"symbol": "line-ns", "size": 34, "line": {"width": 3.5, "color": color}}
        add_marks(figure, [bias], [name], bar, f"{name}<br>bias %{{x:.4f}} nats (exact)")
    title, height = "estimate − true entropy, nats", 90 + 52 * len(estimates.names)
    with_axes(figure, dark, height, title, legend=False, x_axis={"showgrid": True}, y_axis=FROM_TOP)
    add_reference(figure, 0, dark)
    return figure


# Where spurious edges point: their share by the number of other parents, and mean numbers of parents.


def spurious_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the share of spurious edges by the child's other parents, one line per method; marks grow with edges.

    Points that represent fewer than one edge in a hundred graphs are left out.
    """
    figure = go.Figure()
    shown = table[table["edges"] >= 0.01]
    for key, lines in shown.groupby("method", sort=False):
        hover = (
            f"<b>{LABELS[str(key)]}</b><br>other parents: %{{x}}; %{{y:.0%}} spurious, "
            "%{customdata[0]:.2f} of %{customdata[1]:.2f} edges per graph"
        )
        sizes = 5 + 16 * (lines["edges"] / shown["edges"].max()) ** 0.5
        looks: Look = {"mode": "lines+markers", "marker": {"size": sizes}}
        values, color = (lines["other_parents"], lines["share"]), method_color(str(key), dark)
        known = lines[["spurious", "edges"]]
        add_line(figure, *values, color, hover, LABELS[str(key)], 1.5, customdata=known, **looks)
    reach = [-0.5, float(shown["other_parents"].max()) + 0.5] if len(shown) else None
    across = {"title": {"text": "Number of other parents of the child"}, "dtick": 1, "showgrid": False, "range": reach}
    up = {"title": {"text": "Share of spurious edges"}, "range": [-0.03, 1.03], "tickformat": ".0%"}
    return legend_on_top(framed(figure, dark, 360, across, up))


def in_degree_figure(table: pd.DataFrame, keys: list[str], dark: bool) -> go.Figure:
    """Draw the mean number of parents of each variable by a method, against that in the given data's graph."""
    figure = diagonal(go.Figure(), dark, float(table[["data", *keys]].to_numpy().max(initial=1.0)) + 0.3)
    names = [plain(name) for name in table["variable"]]
    for place, key in enumerate(keys):
        hover = f"<b>%{{text}}</b><br>{LABELS[key]}, parents: %{{y:.2f}}<br>Given data: %{{customdata:.3g}}"
        look = {"size": 8, "color": method_color(key, dark), "opacity": 0.75}
        x = table["data"] + 0.06 * (place - (len(keys) - 1) / 2)
        add_marks(figure, x, table[key], look, hover, text=names, customdata=table["data"])
    up = {"title": {"text": "Parents, mean over replicates"}, "rangemode": "tozero"}
    return framed(figure, dark, 360, {"title": {"text": "Parents, given data"}}, up, hovermode="closest")


# A function of a proportion, and its mean over replicates.


def jensen_figure(result: Jensen, dark: bool) -> go.Figure:
    """Draw the curve, the probability of each proportion below it, the value on the data and the mean."""
    name, figure = plain(result.function), go.Figure()
    shown = result.chances > 0.002 * result.chances.max()
    near, seen = result.proportions[shown], result.values[shown]
    looks, title = {"yaxis": "y2", "opacity": 0.3, "width": 0.8 / result.n_rows}, "probability in a replicate"
    hover = "p = %{x:.3f}: probability %{y:.3g}"
    add_bars(figure, near, result.chances[shown], {"color": NAIVE}, hover, title, **looks)
    add_line(figure, *result.curve(), ink(dark), f"p = %{{x:.3f}}: {name} = %{{y:.4g}}", name)
    for title, y, color, symbol in (
        ("on the data", result.value, ink(dark), "circle"),
        ("mean over replicates", result.mean, NAIVE, "diamond"),
    ):
        hover, look = f"{title}: {short(y)}", {"color": color, "size": 12, "symbol": symbol}
        add_marks(figure, [result.proportion], [y], look, hover, f"{title} {short(y)}")
    half, pad = 0.6 / result.n_rows, 0.12 * float(np.ptp(seen)) or 0.1
    across = {"range": [near.min() - half, near.max() + half], "showgrid": True}
    up = {"range": [float(seen.min()) - pad, float(seen.max()) + pad]}
    with_axes(figure, dark, 330, "proportion p", name, x_axis=across, y_axis=up)
    return figure.update_layout(yaxis2=_behind(float(np.max(result.chances)) * 3.2))


def _behind(top: float) -> dict[str, object]:
    """Return a second vertical axis that is not shown, up to ``top``."""
    return {"overlaying": "y", "range": [0, top], "visible": False, "fixedrange": True}


# A statistic on replicates, with its value on the data, mean, corrected value and, if known, true value.


def resampled_figure(on_resamples: np.ndarray, marks: dict[str, float], unit: str, dark: bool) -> go.Figure:
    """Draw a histogram of the values on replicates and a line for each mark, such as "data" or "corrected"."""
    looks = {
        "data": (ink(dark), "solid"),
        "mean of replicates": (NAIVE, "dash"),
        "corrected": (corrected_color(dark), "solid"),
        "truth": (JACKKNIFE, "dot"),
    }
    figure = go.Figure()
    add_histogram(figure, on_resamples, "replicates", NAIVE, f"{unit}: %{{x}}<br>replicates: %{{y}}", nbinsx=50)
    for name, value in marks.items():
        color, dash = looks.get(name, (faint(dark), "solid"))
        hover, title = f"{name}: {short(value)}", f"{name} {short(value)}"
        add_line(figure, [value, value], [0, 1], color, hover, title, 2.5, dash, yaxis="y2")
    low, high = (pick([on_resamples.min(), on_resamples.max(), *marks.values()]) for pick in (min, max))
    pad = 0.04 * (high - low) or 0.5
    across = {"range": [low - pad, high + pad], "showgrid": True}
    with_axes(figure, dark, 330, unit, "replicates", x_axis=across, y_axis={"side": "left"})
    return figure.update_layout(yaxis2=_behind(1))


# What bootstrapping adds to a count, and to a network's fit.


def added_by_count_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the bias of n ln n against n, from ``bn.teaching.bias_by_count``; the level is half a nat."""
    curve = Curve("one count", table["n"], table["bias"], NAIVE, hover="n = %{x}: %{y:.4f} nats")
    return curves_figure([curve], dark, "rows n in a cell", "mean increase, nats", level=0.5, y_range=(-0.03, 0.68))


def added_by_rows_figure(table: pd.DataFrame, n_rows: int, dark: bool) -> go.Figure:
    """Draw the formula, its version with the observed cells, and the exact value; mark the sample in use."""
    curves = [
        Curve(name, table["n_rows"], table[column], color, dash, mode, "N = %{x:,}: %{y:.3f} nats")
        for name, column, color, dash, mode in (
            ("½|θ|", "leading", ink(dark), "dash", "lines"),
            ("½ observed", "observed", MISFIT, "dot", "lines"),
            ("exact", "exact", NAIVE, "solid", "lines+markers"),
        )
    ]
    marks, ticks = [Mark(n_rows, f"N = {n_rows:,}", left=n_rows > 300)], table["n_rows"].tolist()[::3]
    looks = {"y_range": (0.0, 1.08 * float(table[["leading", "exact"]].to_numpy().max())), "ticks": ticks}
    return curves_figure(curves, dark, "number of rows", "mean increase, nats", log_x=True, marks=marks, **looks)
