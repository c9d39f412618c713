"""Figures of the Bias lab: estimates around the truth, spurious edges, statistics on replicates, cut points."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.teaching import EntropyEstimates, Jensen, SelectionBias

from ..format import short
from .curves import Curve, Mark, curves_figure
from .network import plain
from .palette import (
    JACKKNIFE,
    MISFIT,
    NAIVE,
    SIZE,
    add_histogram,
    add_reference,
    corrected_color,
    diagonal,
    faint,
    framed,
    grid,
    ink,
    legend_on_top,
    method_color,
    with_axes,
)


def distribution_figure(probabilities: np.ndarray, counts: tuple[int, ...], dark: bool) -> go.Figure:
    """Draw the probability of each state as a line over a bar, its share in the sample."""
    states = np.arange(1, len(probabilities) + 1)
    figure = go.Figure()
    figure.add_bar(
        x=states,
        y=np.array(counts) / sum(counts),
        name="sample",
        marker={"color": faint(dark)},
        customdata=counts,
        hovertemplate="state %{x}: share %{y:.3f}<br>rows: %{customdata}<extra></extra>",
    )
    figure.add_scatter(
        x=states,
        y=probabilities,
        name="truth",
        mode="markers",
        marker={"symbol": "line-ew", "size": 12, "line": {"width": 2.5, "color": ink(dark)}},
        hovertemplate="state %{x}: probability %{y:.3f}<extra></extra>",
    )
    with_axes(figure, dark, 320, "state", "probability")
    figure.update_xaxes(dtick=max(1, len(states) // 8))
    return figure.update_yaxes(rangemode="tozero")


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
    figure = curves_figure(
        curves,
        dark,
        "number of rows",
        "bias × N, nats" if scaled else "bias, nats",
        log_x=True,
        ticks=n.tolist()[:: max(1, len(n) // 7)],
        level=0.0,
    )
    return figure.add_vline(x=n_rows, line={"color": faint(dark), "width": 1.5})


# Estimates from repeated samples around the truth.


def estimates_figure(estimates: EntropyEstimates, dark: bool) -> go.Figure:
    """Draw one violin per estimator, first on top: estimate minus truth over the samples, a bar at the exact mean."""
    figure = go.Figure()
    errors = estimates.estimates - estimates.truth
    for name, values, bias in zip(estimates.names, errors, estimates.exact_bias, strict=True):
        color = {"bootstrap": NAIVE, "plug-in": ink(dark)}.get(name, corrected_color(dark))
        figure.add_violin(
            x=values,
            y=[name] * len(values),
            orientation="h",
            line={"color": color, "width": 1},
            fillcolor=color,
            opacity=0.45,
            points=False,
            spanmode="hard",
            width=0.85,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[bias],
            y=[name],
            mode="markers",
            marker={"symbol": "line-ns", "size": 34, "line": {"width": 3.5, "color": color}},
            hovertemplate=f"{name}<br>bias %{{x:.4f}} nats (exact)<extra></extra>",
        )
    with_axes(figure, dark, 90 + 52 * len(estimates.names), "estimate − true entropy, nats", legend=False)
    add_reference(figure, 0, dark)
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark))
    return figure.update_yaxes(autorange="reversed", showgrid=False)


# Where spurious edges point: their share by the number of other parents, and mean numbers of parents.


def spurious_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the share of spurious edges by the child's other parents, one line per method; marks grow with edges.

    Points that represent fewer than one edge in a hundred graphs are left out.
    """
    figure = go.Figure()
    shown = table[table["edges"] >= 0.01]
    for key, lines in shown.groupby("method", sort=False):
        figure.add_scatter(
            x=lines["other_parents"],
            y=lines["share"],
            name=LABELS[str(key)],
            mode="lines+markers",
            line={"color": method_color(str(key), dark), "width": 1.5},
            marker={"size": 5 + 16 * (lines["edges"] / shown["edges"].max()) ** 0.5},
            customdata=lines[["spurious", "edges"]],
            hovertemplate=f"<b>{LABELS[str(key)]}</b><br>other parents: %{{x}}; %{{y:.0%}} spurious, "
            "%{customdata[0]:.2f} of %{customdata[1]:.2f} edges per graph<extra></extra>",
        )
    legend_on_top(framed(figure, dark, 360))
    figure.update_xaxes(title_text="Number of other parents of the child", dtick=1, showgrid=False)
    figure.update_xaxes(range=[-0.5, float(shown["other_parents"].max()) + 0.5] if len(shown) else None)
    figure.update_yaxes(title_text="Share of spurious edges", range=[-0.03, 1.03], tickformat=".0%")
    return figure


def in_degree_figure(table: pd.DataFrame, keys: list[str], dark: bool) -> go.Figure:
    """Draw the mean number of parents of each variable by a method, against that in the given data's graph."""
    figure = diagonal(go.Figure(), dark, float(table[["data", *keys]].to_numpy().max(initial=1.0)) + 0.3)
    for place, key in enumerate(keys):
        figure.add_scatter(
            x=table["data"] + 0.06 * (place - (len(keys) - 1) / 2),
            y=table[key],
            mode="markers",
            marker={"size": 8, "color": method_color(key, dark), "opacity": 0.75},
            text=[plain(name) for name in table["variable"]],
            customdata=table["data"],
            hovertemplate=f"<b>%{{text}}</b><br>{LABELS[key]}, parents: %{{y:.2f}}<br>"
            "Given data: %{customdata:.3g}<extra></extra>",
        )
    framed(figure, dark, 360)
    figure.update_xaxes(title_text="Parents, given data")
    figure.update_yaxes(title_text="Parents, mean over replicates", rangemode="tozero")
    figure.update_layout(hovermode="closest")
    return figure


# A function of a proportion, and its mean over replicates.


def jensen_figure(result: Jensen, dark: bool) -> go.Figure:
    """Draw the curve, the probability of each proportion below it, the value on the data and the mean."""
    name = plain(result.function)
    figure = go.Figure()
    shown = result.chances > 0.002 * result.chances.max()
    near, seen = result.proportions[shown], result.values[shown]
    figure.add_bar(
        x=near,
        y=result.chances[shown],
        yaxis="y2",
        name="probability in a replicate",
        marker={"color": NAIVE},
        opacity=0.3,
        width=0.8 / result.n_rows,
        hovertemplate="p = %{x:.3f}: probability %{y:.3g}<extra></extra>",
    )
    steps, curve = result.curve()
    figure.add_scatter(
        x=steps,
        y=curve,
        name=name,
        mode="lines",
        line={"color": ink(dark), "width": 2},
        hovertemplate=f"p = %{{x:.3f}}: {name} = %{{y:.4g}}<extra></extra>",
    )
    for title, y, color, symbol in (
        ("on the data", result.value, ink(dark), "circle"),
        ("mean over replicates", result.mean, NAIVE, "diamond"),
    ):
        figure.add_scatter(
            x=[result.proportion],
            y=[y],
            name=f"{title} {short(y)}",
            mode="markers",
            marker={"color": color, "size": 12, "symbol": symbol},
            hovertemplate=f"{title}: {short(y)}<extra></extra>",
        )
    with_axes(figure, dark, 330, "proportion p", name)
    half, pad = 0.6 / result.n_rows, 0.12 * float(np.ptp(seen)) or 0.1
    figure.update_xaxes(range=[near.min() - half, near.max() + half], showgrid=True, gridcolor=grid(dark))
    figure.update_yaxes(range=[float(seen.min()) - pad, float(seen.max()) + pad])
    top = float(np.max(result.chances)) * 3.2
    return figure.update_layout(yaxis2={"overlaying": "y", "range": [0, top], "visible": False, "fixedrange": True})


# A statistic on replicates, with its value on the data, mean, corrected value and, if known, true value.


def resampled_figure(
    on_resamples: np.ndarray, marks: dict[str, float], unit: str, dark: bool, whole: bool = False
) -> go.Figure:
    """Draw a histogram of the values on replicates and a line for each mark, such as "data" or "corrected"."""
    corrected = corrected_color(dark)
    looks = {
        "data": (ink(dark), "solid"),
        "mean of replicates": (NAIVE, "dash"),
        "corrected": (corrected, "solid"),
        "corrected twice": (corrected, "dashdot"),
        "truth": (JACKKNIFE, "dot"),
    }
    figure = go.Figure()
    bins: dict[str, object] = {"nbinsx": 50}
    if whole:
        size = max(1, round(np.ptp(on_resamples) / 40))
        bins = {"xbins": {"size": size, "start": float(np.min(on_resamples)) - 0.5}}
    add_histogram(figure, on_resamples, "replicates", NAIVE, f"{unit}: %{{x}}<br>replicates: %{{y}}", **bins)
    for name, value in marks.items():
        color, dash = looks.get(name, (faint(dark), "solid"))
        figure.add_scatter(
            x=[value, value],
            y=[0, 1],
            yaxis="y2",
            name=f"{name} {short(value)}",
            mode="lines",
            line={"color": color, "width": 2.5, "dash": dash},
            hovertemplate=f"{name}: {short(value)}<extra></extra>",
        )
    with_axes(figure, dark, 330, unit, "replicates")
    low, high = (pick([on_resamples.min(), on_resamples.max(), *marks.values()]) for pick in (min, max))
    pad = max(0.04 * (high - low), 1.0 if whole else 0.0) or 0.5
    figure.update_xaxes(range=[low - pad, high + pad], showgrid=True, gridcolor=grid(dark))
    if whole and high - low < 12:
        figure.update_xaxes(dtick=1)
    figure.update_yaxes(side="left")
    return figure.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True})


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
    return curves_figure(
        curves,
        dark,
        "number of rows",
        "mean increase, nats",
        log_x=True,
        ticks=table["n_rows"].tolist()[::3],
        marks=[Mark(n_rows, f"N = {n_rows:,}", left=n_rows > 300)],
        y_range=(0.0, 1.08 * float(table[["leading", "exact"]].to_numpy().max())),
    )


# How graphs chosen on replicates score compared with the learned graph.


def selection_figure(made: SelectionBias, dark: bool) -> go.Figure:
    """Draw two histograms: the chosen graph's score minus the learned one's, on the replicate and on the data."""
    low, high = float(made.chosen_on_data.min()), float(made.gains.max())
    size = max((high - low) / 60, 1e-9)
    bins = {"start": np.floor(low / size) * size, "end": high + size, "size": size}
    figure = go.Figure()
    for name, values, color in (
        ("on the replicate, where they were chosen", made.gains, NAIVE),
        ("on the data", made.chosen_on_data, ink(dark)),
    ):
        shown = f"{name}, mean {short(values.mean())}"
        add_histogram(figure, values, shown, color, "nats: %{x}<br>replicates: %{y}", xbins=bins)
    with_axes(figure, dark, 330, "chosen graph − learned graph, nats", "replicates")
    add_reference(figure, 0, dark)
    return figure.update_xaxes(showgrid=True, gridcolor=grid(dark))


# The variance of edges between graphs of bootstrap samples, by cause.


def search_doubt_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw a bar for each search, the part of the data and then that of the search.

    ``table`` is that of ``bn.teaching.SearchDoubt``.
    """
    figure = go.Figure()
    for column, name, color in (("of_data", "the data's", ink(dark)), ("of_search", "the search's", SIZE)):
        figure.add_bar(
            x=table[column],
            y=table["search"],
            orientation="h",
            name=name,
            marker={"color": color},
            hovertemplate=f"%{{y}}<br>{name} part: %{{x:.3g}}<extra></extra>",
        )
    with_axes(figure, dark, 240, "variance of edges, summed over pairs")
    figure.update_layout(barmode="stack", bargap=0.4, legend_traceorder="normal")
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark))
    return figure.update_yaxes(autorange="reversed", showgrid=False)


# Confidence of each pair with cut points fixed and learned anew, beside its share of fresh tables.

#: Columns of the table that are drawn, with their names in the legend.
SHOWN = {"fixed": "cut points fixed, naive", "anew, corrected": "cut points anew, corrected", "pi": "fresh tables (π)"}


def cut_points_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw one line per pair of variables, those joined in most fresh tables on top.

    ``table`` is that of ``bn.teaching.CutPointConfidence``.
    """
    ordered = table.sort_values("pi", kind="stable")
    colors, symbols = (NAIVE, corrected_color(dark), ink(dark)), ("circle-open", "circle", "line-ns-open")
    figure = go.Figure()
    for (column, name), color, symbol in zip(SHOWN.items(), colors, symbols, strict=True):
        figure.add_scatter(
            x=ordered[column],
            y=ordered["pair"],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 12 if column == "pi" else 10, "color": color, "line": {"width": 2}},
            hovertemplate=f"%{{y}}<br>{name}: %{{x:.2f}}<extra></extra>",
            cliponaxis=False,
        )
    with_axes(figure, dark, 420, "share of graphs that join the pair")
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark), range=[-0.03, 1.03])
    return figure.update_yaxes(categoryorder="array", categoryarray=ordered["pair"].tolist(), showgrid=True)
