"""Figures of the lessons: entropies, statistics on replicates, standard errors, G², the tree of a search."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine._core.display import short
from bnengine.plots import palette as paint
from bnengine.plots.curves import Curve, Mark, curves_figure
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import Look
from bnengine.teaching import EntropyEstimates, Jensen, SearchWalk, SpuriousDependence


def distribution_figure(
    probabilities: np.ndarray, counts: tuple[int, ...], replicate: tuple[int, ...], dark: bool
) -> go.Figure:
    """Draw the probability of each state as a line over two bars, its shares in the sample and in a replicate."""
    states, figure = np.arange(1, len(probabilities) + 1), go.Figure()
    hover = "state %{x}: share %{y:.3f}<br>rows: %{customdata}"
    for name, rows, color in (("sample", counts, paint.faint(dark)), ("a replicate of it", replicate, paint.NAIVE)):
        paint.add_bars(figure, states, np.array(rows) / sum(rows), {"color": color}, hover, name, customdata=rows)
    dash = {"symbol": "line-ew", "size": 12, "line": {"width": 2.5, "color": paint.ink(dark)}}
    paint.add_marks(figure, states, probabilities, dash, "state %{x}: probability %{y:.3f}", "truth")
    ticks = {"dtick": max(1, len(states) // 8)}
    return paint.with_axes(figure, dark, 320, "state", "probability", x_axis=ticks, y_axis={"rangemode": "tozero"})


def bias_by_size_figure(table: pd.DataFrame, n_rows: int, scaled: bool, dark: bool) -> go.Figure:
    """Draw the bootstrap bias of the entropy, four ways, against N; ``scaled`` multiplies it by N."""
    n = table["n_rows"]
    factor = n if scaled else 1
    curves = [
        Curve(name, n, table[column] * factor, color, dash, "lines", "N = %{x:,}: %{y:.3g}")
        for name, column, color, dash in (
            ("−(|X| − 1) / 2N", "leading", paint.ink(dark), "dash"),
            ("−(observed − 1) / 2N", "observed", paint.ink(dark), "dot"),
            ("exact", "exact", paint.NAIVE, "solid"),
        )
    ]
    hover, errors = "N = %{x:,}: %{y:.3g} ± %{error_y.array:.2g}", table["monte_carlo_error"] * factor
    random = table["monte_carlo"] * factor
    curves.append(Curve("Monte Carlo ± SE", n, random, paint.NAIVE, "solid", "markers", hover, errors.tolist(), size=7))
    unit, ticks = "bias × N, nats" if scaled else "bias, nats", n.tolist()[:: max(1, len(n) // 7)]
    figure = curves_figure(curves, dark, "number of rows", unit, log_x=True, ticks=ticks, level=0.0)
    return figure.add_vline(x=n_rows, line={"color": paint.faint(dark), "width": 1.5})


# Estimates from repeated samples around the truth.


def estimates_figure(estimates: EntropyEstimates, dark: bool) -> go.Figure:
    """Draw one violin per estimator, first on top: estimate minus truth over the samples, a bar at the exact mean."""
    figure = go.Figure()
    errors = estimates.estimates - estimates.truth
    for name, values, bias in zip(estimates.names, errors, estimates.exact_bias, strict=True):
        color = {"bootstrap": paint.NAIVE, "plug-in": paint.ink(dark)}.get(name, paint.corrected_color(dark))
        look = {"line": {"color": color, "width": 1}, "fillcolor": color, "opacity": 0.45, "hoverinfo": "skip"}
        shape = {"orientation": "h", "points": False, "spanmode": "hard", "width": 0.85}
        figure.add_violin(x=values, y=[name] * len(values), **look, **shape)
        bar = {"symbol": "line-ns", "size": 34, "line": {"width": 3.5, "color": color}}
        paint.add_marks(figure, [bias], [name], bar, f"{name}<br>bias %{{x:.4f}} nats (exact)")
    title, height = "estimate − true entropy, nats", 90 + 52 * len(estimates.names)
    paint.with_axes(figure, dark, height, title, legend=False, x_axis={"showgrid": True}, y_axis=paint.FROM_TOP)
    paint.add_reference(figure, 0, dark)
    return figure


# A function of a proportion, and its mean over replicates.


def jensen_figure(result: Jensen, dark: bool) -> go.Figure:
    """Draw the curve, the probability of each proportion below it, the value on the data and the mean."""
    name, figure = plain(result.function), go.Figure()
    shown = result.chances > 0.002 * result.chances.max()
    near, seen = result.proportions[shown], result.values[shown]
    looks, title = {"yaxis": "y2", "opacity": 0.3, "width": 0.8 / result.n_rows}, "probability in a replicate"
    hover = "p = %{x:.3f}: probability %{y:.3g}"
    paint.add_bars(figure, near, result.chances[shown], {"color": paint.NAIVE}, hover, title, **looks)
    paint.add_line(figure, *result.curve(), paint.ink(dark), f"p = %{{x:.3f}}: {name} = %{{y:.4g}}", name)
    for title, y, color, symbol in (
        ("on the data", result.value, paint.ink(dark), "circle"),
        ("mean over replicates", result.mean, paint.NAIVE, "diamond"),
    ):
        hover, look = f"{title}: {short(y)}", {"color": color, "size": 12, "symbol": symbol}
        paint.add_marks(figure, [result.proportion], [y], look, hover, f"{title} {short(y)}")
    half, pad = 0.6 / result.n_rows, 0.12 * float(np.ptp(seen)) or 0.1
    across = {"range": [near.min() - half, near.max() + half], "showgrid": True}
    up = {"range": [float(seen.min()) - pad, float(seen.max()) + pad]}
    paint.with_axes(figure, dark, 330, "proportion p", name, x_axis=across, y_axis=up)
    hidden = {"overlaying": "y", "range": [0, 3.2 * result.chances.max()], "visible": False, "fixedrange": True}
    return figure.update_layout(yaxis2=hidden)


def gains_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw what resamples add to the gain of parents, ± its standard error, beside half the coefficients, by shape."""
    figure = go.Figure()
    bar = {"symbol": "line-ns", "size": 26, "line": {"width": 3, "color": paint.ink(dark)}}
    paint.add_marks(
        figure, table["expected"], table["shape"], bar, "half the coefficients: %{x:.3g}", "half the coefficients"
    )
    look, more = {"color": paint.NAIVE, "size": 11}, {"error_x": paint.errors(table["error"], paint.NAIVE, 1.5, 5)}
    paint.add_marks(
        figure, table["excess"], table["shape"], look, "%{x:.3g} ± %{error_x.array:.2g}", "replicates", **more
    )
    across = {"rangemode": "tozero", "showgrid": True}
    return paint.with_axes(
        figure, dark, 300, "gain in replicates − gain in the data, nats", x_axis=across, y_axis=paint.FROM_TOP
    )


# What bootstrapping adds to a count, and to a network's fit.


def added_by_count_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the bias of n ln n against n, from ``bn.teaching.bias_by_count``; the level is half a nat."""
    curve = Curve("one count", table["n"], table["bias"], paint.NAIVE, hover="n = %{x}: %{y:.4f} nats")
    return curves_figure([curve], dark, "rows n in a cell", "mean increase, nats", level=0.5, y_range=(-0.03, 0.68))


def added_by_rows_figure(table: pd.DataFrame, n_rows: int, dark: bool) -> go.Figure:
    """Draw the formula, its version with the observed cells, and the exact value; mark the sample in use."""
    curves = [
        Curve(name, table["n_rows"], table[column], color, dash, mode, "N = %{x:,}: %{y:.3f} nats")
        for name, column, color, dash, mode in (
            ("½|θ|", "leading", paint.ink(dark), "dash", "lines"),
            ("½ observed", "observed", paint.MISFIT, "dot", "lines"),
            ("exact", "exact", paint.NAIVE, "solid", "lines+markers"),
        )
    ]
    marks, ticks = [Mark(n_rows, f"N = {n_rows:,}", left=n_rows > 300)], table["n_rows"].tolist()[::3]
    looks = {"y_range": (0.0, 1.08 * float(table[["leading", "exact"]].to_numpy().max())), "ticks": ticks}
    return curves_figure(curves, dark, "number of rows", "mean increase, nats", log_x=True, marks=marks, **looks)


# Training and test error, and a score's parts.

#: The curves of both pictures, by their columns in the table of ``bn.teaching.likelihood_gap``.
ERRORS = {"test": "test error", "training": "training error"}
ESTIMATES = {
    "test": "test error",
    "corrected": "corrected by the bootstrap",
    "aic": "AIC",
    "leave_one_out": "leave-one-out",
}


def error_figure(table: pd.DataFrame, shown: dict[str, str], dark: bool) -> go.Figure:
    """Draw errors against N, times N, ± standard error; dashed, what theory gives for those shown."""
    n, curves = table["n_rows"], []
    for side in (1, -1)[: 1 + ("training" in shown)]:
        name = f"{'−' if side < 0 else ''}|θ| / 2"
        curves.append(Curve(name, n, side * n * table["half"], paint.ink(dark), "dash", "lines", in_legend=side > 0))
    hover = "N = %{x:,}: %{y:.3g} ± %{error_y.array:.2g}"
    for (column, name), color in zip(shown.items(), [paint.NAIVE, *paint.series(dark)[2:]], strict=False):
        error = (n * table[f"{column}_se"]).tolist()
        curves.append(Curve(name, n, n * table[column], color, hover=hover, errors=error))
    return curves_figure(curves, dark, "number of rows", "error × N, nats", log_x=True, level=0.0, ticks=n.tolist())


def parts_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw dependence and penalty of each family, from ``bn.teaching.decompose``; the noise is the same for all."""
    figure, names = go.Figure(), [plain(name) for name in table["variable"]]
    for part, color in (("dependence", paint.corrected_color(dark)), ("penalty", paint.SIZE)):
        hover = f"<b>%{{x}}</b> given %{{customdata}}<br>{part}: %{{y:,.4~g}} nats"
        parents = [plain(of) or "nothing" for of in table["parents"]]
        paint.add_bars(figure, names, table[part], {"color": color}, hover, part, customdata=parents)
    return paint.with_axes(figure, dark, 320, "", "nats")


# Standard errors by the jackknife, the bootstrap and new samples.


def errors_figure(table: pd.DataFrame, unit: str, dark: bool) -> go.Figure:
    """Draw one line per method: the SD of its replicates, open, and the standard error, filled.

    The table is that of ``bn.teaching.ResamplingErrors``; the reference line is at its first method, new samples.
    """
    colors = [paint.ink(dark), paint.NAIVE, paint.JACKKNIFE, paint.DELETE_D]
    methods, errors = table["method"].tolist(), table["standard_error"].tolist()
    figure = go.Figure()
    for method, sd, error, color in zip(methods, table["sd"], errors, colors, strict=True):
        paint.add_line(figure, [sd, error], [method, method], color, dash="dot", showlegend=False)
    for name, column, symbol in (
        ("SD of replicates", "sd", "circle-open"),
        ("standard error", "standard_error", "circle"),
    ):
        shown = [column == "standard_error" or sd != error for sd, error in zip(table["sd"], errors, strict=True)]
        text = [short(value) if show else "" for value, show in zip(table[column], shown, strict=True)]
        look = {"symbol": symbol, "size": 11, "color": colors, "line": {"width": 2}}
        hover = f"%{{y}}<br>{name} %{{x:.4g}} {unit}"
        paint.add_marks(
            figure, table[column], methods, look, hover, name, **paint.above(text, {"size": 12}), cliponaxis=False
        )
    up = {"categoryorder": "array", "categoryarray": methods[::-1], "showgrid": False}
    paint.with_axes(figure, dark, 330, f"± {unit}", x_axis={"showgrid": True, "rangemode": "tozero"}, y_axis=up)
    paint.add_reference(figure, float(errors[0]), dark)
    return figure


# Dependence where there is none.


def g_squared_figure(result: SpuriousDependence, dark: bool, theory: bool = True, replicates: bool = True) -> go.Figure:
    """Draw histograms of G² in data sets and in replicates, with the densities in theory, which are those of all."""
    shown = 1 + replicates
    densities = result.densities()
    top = float(densities["g_squared"].max())
    figure = go.Figure()
    both = (("data sets", result.in_data, paint.ink(dark)), ("replicates", result.in_resamples, paint.NAIVE))
    for name, values, color in both[:shown]:
        bins = {"start": 0, "end": top, "size": top / 60}
        looks: Look = {"marker": {"color": color, "line": {"width": 0}}, "opacity": 0.45, "xbins": bins}
        looks |= {"name": f"{name}, mean {short(values.mean())}", "histnorm": "probability density"}
        figure.add_histogram(x=values, **looks, **paint.pointed_at(f"{name}: G² %{{x}}"))
    for name, column, color in (("χ²", "data", paint.ink(dark)), ("2 χ²", "resample", paint.NAIVE))[: shown * theory]:
        hover = f"{name} density at %{{x:.3g}}: %{{y:.3g}}"
        paint.add_line(
            figure, densities["g_squared"], densities[column], color, hover, f"{name}, df = {result.freedom}"
        )
    # with few degrees of freedom the densities are infinite, or steep, at 0
    few = theory and result.freedom < 3
    up = {"range": [0, float(np.quantile(densities["data"], 0.97)) * 1.6]} if few else {}
    looks = {"x_axis": {"range": [0, top]}, "y_axis": up, "barmode": "overlay", "bargap": 0.02}
    paint.with_axes(figure, dark, 340, "G² = 2 N I", "density", **looks)
    paint.add_reference(figure, result.critical_value, dark)
    place = {"x": result.critical_value, "y": 1, "yref": "paper", "xanchor": "left", "xshift": 4}
    return figure.add_annotation(**place, text="5% level", showarrow=False)


# The visited part of the tree of networks: the empty network on top, one more edge at each level.

_MOST_NUMBERED = 40


def tree_figure(walk: SearchWalk, dark: bool) -> go.Figure:
    """Draw one circle per visited network, darker if its description is shorter; the path to the best one is thick."""
    x, y = places(walk)
    figure, visits, on_path = go.Figure(), range(walk.n_visited), _tree_path(walk)
    for chosen, color, width in ((False, paint.faint(dark), 1.0), (True, paint.SIZE, 3.0)):
        lines = [k for k in visits[1:] if (k in on_path) == chosen]
        across, up = ([c for k in lines for c in (axis[int(walk.came_from[k])], axis[k], None)] for axis in (x, y))
        paint.add_line(figure, across, up, color, width=width)
    few, bits = walk.n_visited <= _MOST_NUMBERED, walk.mdl_bits
    outline = {
        "width": [2.5 if k == walk.best else 0.8 for k in visits],
        "color": [paint.SIZE if k == walk.best else paint.ink(dark) for k in visits],
    }
    look = {
        "size": [24 if few else 13 if k == walk.best else 7 for k in visits],
        "color": bits,
        "opacity": 1.0,
        "colorscale": [[0.0, "#9AA3AD"], [1.0, "#F2F4F6"]],
        "line": outline,
        "colorbar": {"title": {"text": "bits"}, "thickness": 10, "len": 0.8, "outlinewidth": 0},
        "showscale": bool(np.ptp(bits) > 0),
    }
    text: Look = {"text": [str(k + 1) for k in visits], "mode": "markers+text"} if few else {}
    described: Look = {
        "hovertext": [_description(walk, k) for k in visits],
        "textfont": {"size": 11, "color": "#1B1F24"},
    }
    paint.add_marks(figure, x, y, look, "%{hovertext}", **described, **text)
    depths = list(range(int(walk.depths.max()) + 1))
    levels: Look = {"tickvals": [-depth for depth in depths], "ticktext": [str(depth) for depth in depths]}
    levels |= {"title": {"text": "edges", "standoff": 4}, "range": [-depths[-1] - 0.5, 0.5]}
    levels |= {"showgrid": False, "zeroline": False}
    ends = {"visible": False, "range": [x.min() - 0.8, x.max() + 0.8]}
    return paint.framed(figure, dark, 330, ends, levels, hovermode="closest")


def places(walk: SearchWalk) -> tuple[np.ndarray, np.ndarray]:
    """Return where each network is drawn: leaves in the order of the visits, the others above their branches."""
    x = np.zeros(walk.n_visited)
    branches: list[list[int]] = [[] for _ in range(walk.n_visited)]
    for position in range(1, walk.n_visited):
        branches[int(walk.came_from[position])].append(position)
    n_leaves = 0
    for position in range(walk.n_visited):
        if not branches[position]:
            x[position] = n_leaves
            n_leaves += 1
    for position in range(walk.n_visited - 1, -1, -1):  # branches are visited after their origin
        if branches[position]:
            x[position] = (x[branches[position][0]] + x[branches[position][-1]]) / 2
    return x, -walk.depths.astype(float)


def _tree_path(walk: SearchWalk) -> set[int]:
    """Return the best network and those on the path to it."""
    position, path = walk.best, set()
    while position >= 0:
        path.add(position)
        position = int(walk.came_from[position])
    return path


def _description(walk: SearchWalk, position: int) -> str:
    edges = "<br>".join(f"{plain(i)} → {plain(j)}" for i, j in walk.edges(position)) or "no edges"
    best = " (the best)" if position == walk.best else ""
    return f"<b>visit {position + 1}{best}</b><br>{short(float(walk.mdl_bits[position]), 4)} bits<br>{edges}"
