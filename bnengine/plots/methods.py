"""Figures that compare methods: numbers of edges, Table 1; errors and reliability of calibration."""

import textwrap

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine._core.display import percent, plus_minus, probability, short
from bnengine.answers.edge_explanation import EdgeExplanation
from bnengine.answers.edge_sentences import MethodAnswer
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.resampling_methods import CORRECTED, LABELS, NAIVE
from bnengine.bootstrap.study import Study
from bnengine.experiment.paper import numbers_of_edges
from bnengine.plots import palette as paint
from bnengine.plots.network_drawing import plain
from bnengine.plots.palette import Look
from bnengine.scores.pair_rows import PairRows

# One edge: every method's confidence in it, and the posterior's probability, as dots on one scale.

_LINE, _ROOM = 27, 46  # pixels: of a method, of the axis
_OF_ROWS = 280


def edge_figure(explanation: EdgeExplanation, dark: bool) -> go.Figure:
    """Draw a dot with its interval for each method, and one for the posterior; one half is marked."""
    lines, figure = explanation.answers[::-1], go.Figure()
    across = {"range": [-0.04, 1.06], "tickvals": [0, 0.5, 1], "tickformat": ".0%", "showgrid": False}
    across |= {"showline": True, "linecolor": paint.faint(dark)}
    up = {"showgrid": True, "ticks": "", "ticklabelstandoff": 8}
    paint.framed(figure, dark, _ROOM + _LINE * len(lines), across, up)
    paint.add_reference(figure, 0.5, dark, 1)
    colors = [paint.method_color(one.method, dark) for one in lines]
    look = {"size": 10, "color": colors, "line": {"width": 1, "color": paint.ink(dark)}}
    values, names = [one.joined for one in lines], [one.label for one in lines]
    bars = {**paint.to_ends(values, *zip(*(one.interval for one in lines), strict=True)), "color": paint.ink(dark)}
    bars |= {"thickness": 1.2, "width": 3}
    looks: Look = {"error_x": bars, "text": [_value(one) for one in lines], "cliponaxis": False}
    paint.add_marks(figure, values, names, look, "<b>%{y}</b><br>%{text}", **looks)
    return figure


def _value(one: MethodAnswer) -> str:
    if one.is_posterior:
        return f"real with probability {probability(one.joined, one.interval)}"
    return f"{percent(one.joined)} of its graphs ({' to '.join(map(percent, one.interval))})"


def rows_figure(explanation: EdgeExplanation, rows: PairRows, dark: bool) -> go.Figure:
    """Draw the rows of a pair with a number in it: two numbers with the fitted curve, else a box for each state."""
    figure, ends = go.Figure(), (explanation.parent, explanation.child)
    titles = [{"title": {"text": plain(name)}, "showgrid": False} for name in ends]
    if rows.states_of:
        ((name, states),) = rows.states_of.items()
        across = name == explanation.parent
        codes, numbers = (rows.x, rows.y) if across else (rows.y, rows.x)
        for code, state in enumerate(states):
            own, label = numbers[codes == code], plain(state)
            look: Look = {
                "marker": {"color": paint.ink(dark), "size": 3, "opacity": 0.5},
                "line": {"width": 1},
                "name": label,
            }
            look |= {"boxpoints": "all", "jitter": 0.7, "pointpos": 0, "fillcolor": paint.CLEAR, "hoveron": "points"}
            figure.add_box(**{"y" if across else "x": own}, **look)
        if not across:
            titles[1]["autorange"] = "reversed"
        return paint.framed(figure, dark, _OF_ROWS if across else 60 + 48 * len(states), *titles)
    many = len(rows.curves) > 1
    for number, curve in enumerate(rows.curves):
        color, state = paint.series(dark)[number], plain(rows.states[number]) if many else ""
        here = rows.state == number
        dots = {"size": 4, "color": color, "opacity": 0.45}
        paint.add_marks(figure, rows.x[here], rows.y[here], dots, "%{x:,.4~g}, %{y:,.4~g}", showlegend=False)
        paint.add_line(figure, rows.at, curve, color, name=f"{plain(rows.by)} {state}")
    paint.framed(figure, dark, _OF_ROWS, *titles, hovermode="closest")
    return paint.legend_on_top(figure) if many else figure


def all_edge_counts_figure(study: Study, dark: bool) -> go.Figure:
    """Draw one row per method: the share of its replicates by their number of edges, with the given data as a line."""
    figure = go.Figure()
    keys = list(study.ensembles)[::-1]
    for row, key in enumerate(keys):
        values, times = numbers_of_edges(study, key)
        share, look = times / times.sum(), {"color": paint.method_color(key, dark), "line": {"width": 0}}
        hover = f"<b>{LABELS[key]}</b><br>edges: %{{x}}<br>share of replicates: %{{customdata:.1%}}"
        places: Look = {"base": row, "width": 0.95, "customdata": share}
        paint.add_bars(figure, values, 0.85 * share / share.max(), look, hover, **places)
    given = study.mean_edges("data")
    note = {"text": f"given data: {short(given)}", "font": {"size": 12}, "yanchor": "bottom"}
    paint.add_reference(figure, given, dark, 1.5, "solid", annotation=note)
    counts = [values for key in keys for values in numbers_of_edges(study, key)[0]]
    across = {"title": {"text": "Number of edges"}, "dtick": paint.integer_tick(max(counts) - min(counts))}
    middles = [row + 0.3 for row in range(len(keys))]
    up = {"tickvals": middles, "ticktext": [LABELS[key] for key in keys], "showgrid": False}
    looks: Look = {"bargap": 0, "margin": {"t": 26}, "barmode": "overlay"}
    return paint.framed(figure, dark, 80 + 62 * len(keys), across, up, **looks)


# Table 1 as a picture: number of edges by method, ours next to the paper's.

#: Whose values they are, their columns, their place on the method's row.
_SOURCES = (("here", "mean", "sd", 0.14), ("paper", "paper_mean", "paper_sd", -0.2))


def edges_figure(table: pd.DataFrame, dark: bool, most: float, least: float) -> go.Figure:
    """Draw one experiment: mean and standard deviation of the number of edges; open marks are the paper's.

    ``table`` holds the lines of one experiment of ``paper.paper_table``; ``least`` and ``most`` bound the axis, so
    that panels can be compared.
    """
    figure = go.Figure()
    lines = table.set_index("method").iloc[::-1]
    paint.add_reference(figure, float(lines.loc["data", "mean"]), dark, 1)
    for who, mean_column, sd_column, shift in _SOURCES:
        for place, (key, mean, sd) in enumerate(lines[[mean_column, sd_column]].itertuples()):
            if pd.isna(mean):
                continue
            color, spread = paint.method_color(key, dark), 0.0 if pd.isna(sd) else sd
            bars = {"type": "data", "array": [spread], "color": color, "thickness": 1.6, "width": 3}
            inside, hover = color if who == "here" else paint.paper(dark), f"<b>{LABELS[key]}, {who}</b><br>edges: "
            look = {"size": 9, "color": inside, "line": {"width": 1.6, "color": color}}
            paint.add_marks(figure, [mean], [place + shift], look, hover + plus_minus(mean, spread), error_x=bars)
    labels = [LABELS[key] for key in lines.index]
    up = {"tickvals": list(range(len(lines))), "ticktext": labels, "showgrid": False}
    across = {"title": {"text": "Number of edges"}, "range": [least, most]}
    return paint.framed(figure, dark, 60 + 40 * len(lines), across, up)


# Figures of calibration: error by method, reliability, and the shipped benchmark.

#: Measures of a calibration, and what confidence is compared with, as axis titles.
MEASURES = {"total_absolute_error": "Σ |p − π|, edges", "brier": "Brier score against the network"}
_IN_A_ROW = 3  # small panels
AGAINST = {"inclusion_probability": "Share learned, mean π", "in_network": "Share in the network"}


def distance_figure(found: Calibration, measure: str, dark: bool) -> go.Figure:
    """Draw one mark per method with its standard error: further left is better."""
    table = found.table().iloc[::-1]
    spread, figure = table[f"{measure}_se"], go.Figure()
    look = {"size": 11, "color": [paint.method_color(key, dark) for key in table["method"]]}
    names, bars = [LABELS[key] for key in table["method"]], paint.errors(spread, paint.faint(dark), 2, 4)
    ranges = [plus_minus(*values) for values in zip(table[measure], spread, strict=True)]
    hover = "<b>%{y}</b><br>%{customdata}"
    paint.add_marks(figure, table[measure], names, look, hover, error_x=bars, customdata=ranges)
    if measure == "total_absolute_error":
        noise = {"text": "sampling noise alone", "font": {"size": 11}, "yanchor": "top"}
        paint.add_reference(figure, found.floor, dark, 1, "dash", annotation=noise)
    across = {"title": {"text": MEASURES[measure]}, "rangemode": "tozero"}
    return paint.framed(figure, dark, 60 + 34 * len(table), across, {"showgrid": False})


def reliability_figure(found: Calibration, keys: list[str], against: str, dark: bool) -> go.Figure:
    """Draw, of the edges with about the same confidence, the share learned from new samples, or in the network.

    One panel per method, its name above it in its colour.
    """
    rows, columns = max(-(-len(keys) // _IN_A_ROW), 1), min(max(len(keys), 1), _IN_A_ROW)
    figure = make_subplots(
        rows,
        columns,
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.04,
        vertical_spacing=0.29 / rows,
        subplot_titles=[_wrapped(LABELS[key], 0) for key in keys],
    )
    axis = {
        "range": [-0.06, 1.06],
        "tickvals": [0, 0.5, 1],
        "showline": True,
        "mirror": True,
        "linecolor": paint.faint(dark),
    }
    paint.framed(figure, dark, 90 + 165 * rows, axis, axis, hovermode="closest", margin={"t": 40})
    for number, key in enumerate(keys):
        place = {"row": number // _IN_A_ROW + 1, "col": number % _IN_A_ROW + 1}
        table, color = found.reliability(key), paint.method_color(key, dark)
        paint.diagonal(figure, dark, 1, **place)
        hover = f"<b>{LABELS[key]}</b><br>confidence %{{x:.2f}}<br>share %{{y:.2f}}<br>edges: %{{customdata:,}}"
        bars, n_edges = paint.errors(table[f"{against}_se"], color, 1, 0), table["edges"]
        marker = {"size": 4 + 8 * (n_edges / n_edges.max()) ** 0.5, "color": color}
        looks: Look = {"mode": "lines+markers", "error_y": bars, "marker": marker, "customdata": n_edges, **place}
        paint.add_line(figure, table["confidence"], table[against], color, hover, LABELS[key], 1.5, **looks)
    figure.update_xaxes(title_text="Confidence", row=rows)
    figure.update_yaxes(title_text=AGAINST[against], row=(rows + 1) // 2, col=1)
    figure.update_annotations(font_size=12)
    return figure


# The shipped benchmark: how much better or worse each method is than the corrected bootstrap.


def evidence_figure(table: pd.DataFrame, unit: str, dark: bool, ours: str) -> go.Figure:
    """Draw one mark per method with its standard error over networks; left of the line beats the corrected.

    The method with the key ``ours``, whose number pages show, has a diamond and a bold name.
    """
    shown, figure = table.iloc[::-1], go.Figure()
    figure.add_vline(x=0, line={"color": paint.corrected_color(dark), "width": 1.5, "dash": "dash"})
    is_ours = [key == ours for key in shown["key"]]
    look = {
        "size": [16 if is_one else 10 for is_one in is_ours],
        "symbol": ["diamond" if is_one else "circle" for is_one in is_ours],
        "color": [_color(key, dark) for key in shown["key"]],
    }
    text = [plus_minus(d, e, 2) for d, e in zip(shown["difference"], shown["error"], strict=True)]
    wrapped, bars = (
        [_wrapped(title, 30) for title in shown["method"]],
        paint.errors(shown["error"], paint.faint(dark), 2, 4),
    )
    names = [f"<b>{name}</b>" if is_one else name for name, is_one in zip(wrapped, is_ours, strict=True)]
    paint.add_marks(figure, shown["difference"], names, look, "<b>%{y}</b><br>%{text}", error_x=bars, text=text)
    across = {"title": {"text": f"Difference per true edge, {unit.split()[0]}"}}
    return paint.framed(figure, dark, 80 + 33 * len(table), across, {"showgrid": False, "tickfont": {"size": 12}})


def _wrapped(title: str, longest: int) -> str:
    """Break a title that is longer into lines of a little more than half its letters."""
    lines = textwrap.wrap(title, max(longest, len(title) // 2 + 5), break_long_words=False)
    return "<br>".join(lines)


#: Methods of the benchmark that have the colour of a resampling method.
_LIKE = {"naive": NAIVE, "leading": CORRECTED, "parametric": "parametric", "delete_d": "jackknife_delete_1"}


def _color(key: str, dark: bool) -> str:
    like = "posterior" if key.startswith(("post", "bag", "order")) else _LIKE.get(key, "data")
    return paint.method_color(like, dark)
