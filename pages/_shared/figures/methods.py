"""Figures that compare methods: numbers of edges, Table 1, Home's finding; errors and reliability of calibration."""

import base64
import html
import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.bootstrap.study import Study
from bnengine.experiment.edge_explanation import EdgeExplanation, MethodAnswer
from bnengine.experiment.paper import MARGIN, TICKS, numbers_of_edges, range_of_edges

from ..format import plus_minus, probability, share, short
from .palette import (
    JACKKNIFE,
    NAIVE,
    PARAMETRIC,
    as_text,
    corrected_color,
    faint,
    framed,
    grid,
    ink,
    integer_tick,
    laid_out,
    legend_on_top,
    method_color,
    paper,
    posterior_color,
    unit_square,
)

# One edge: every method's confidence in it, and the posterior's probability, as dots on one scale.

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
        marker={
            "size": 10,
            "color": [_answer_color(one, dark) for one in lines],
            "line": {"width": 1, "color": ink(dark)},
        },
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
    y_axis = {"showgrid": True, "gridcolor": grid(dark), "automargin": True, "ticks": "", "ticklabelstandoff": 8}
    return laid_out(figure, {"showlegend": False}, {**x_axis, "showline": True, "linecolor": faint(dark)}, y_axis)


def _answer_color(one: MethodAnswer, dark: bool) -> str:
    return posterior_color(dark) if one.is_posterior else method_color(one.method, dark)


def _value(one: MethodAnswer) -> str:
    if one.is_posterior:
        return f"real with probability {probability(one.joined, one.error)}"
    return f"{share(one.joined)} of its graphs, ± {100 * one.error:.0f} points"


_WIDE, _HIGH, _BELOW = 150.0, 52.0, 14.0  # of the small histogram, in its own units


def edge_count_picture(study: Study, key: str, dark: bool, alt: str) -> str:
    """Draw a small histogram of a method's numbers of edges, with the given data's number as a line, as HTML.

    All methods share one range. It fits columns of any width; plotly draws nothing narrower than 150 pixels.
    """
    given = study.mean_edges("data")
    low, high = range_of_edges(study)
    scale, color = _WIDE / (high - low), method_color(key, dark)
    parts = []
    values, times = numbers_of_edges(study, key)
    for value, n in zip(values.tolist(), times.tolist(), strict=True):
        tall, x = _HIGH * n / times.max(), (value - 0.45 - low) * scale
        size = f'width="{0.9 * scale:.1f}" height="{tall:.1f}"'
        parts.append(f'<rect x="{x:.1f}" y="{_HIGH - tall:.1f}" {size} fill="{color}"/>')
    line = (given - low) * scale
    parts.append(f'<line x1="{line:.1f}" x2="{line:.1f}" y1="0" y2="{_HIGH}" stroke="{ink(dark)}" stroke-width="1.5"/>')
    for tick in _ticks(low, high):
        place = f'x="{(tick - low) * scale:.1f}" y="{_HIGH + _BELOW - 3}"'
        parts.append(f'<text {place} font-size="10.5" text-anchor="middle" fill="{ink(dark)}">{tick}</text>')
    return _image(parts, _WIDE, _HIGH + _BELOW, alt, "width: 100%; max-width: 210px")


def _ticks(low: float, high: float) -> list[int]:
    """Return at most four round numbers between the two, away from the ends."""
    room = 0.06 * (high - low)
    for step in (s * 10**k for k in range(7) for s in (1, 2, 5)):
        ticks = [step * n for n in range(math.ceil((low + room) / step), math.floor((high - room) / step) + 1)]
        if len(ticks) <= 4:
            return ticks
    return []


def all_edge_counts_figure(study: Study, dark: bool) -> go.Figure:
    """Draw one row per method: the share of its replicates by their number of edges, with the given data as a line."""
    figure = go.Figure()
    keys = list(study.ensembles)[::-1]
    for row, key in enumerate(keys):
        values, times = numbers_of_edges(study, key)
        share = times / times.sum()
        figure.add_bar(
            x=values,
            y=0.85 * share / share.max(),
            base=row,
            width=0.95,
            customdata=share,
            marker={"color": method_color(key, dark), "line": {"width": 0}},
            hovertemplate=f"<b>{LABELS[key]}</b><br>edges: %{{x}}<br>"
            "share of replicates: %{customdata:.1%}<extra></extra>",
        )
    given = study.mean_edges("data")
    note = {"text": f"given data: {short(given)}", "font": {"size": 12}, "yanchor": "bottom"}
    figure.add_vline(x=given, line={"color": ink(dark), "width": 1.5}, annotation=note)
    framed(figure, dark, 80 + 62 * len(keys))
    figure.update_layout(bargap=0, margin_t=26, barmode="overlay")
    counts = [values for key in keys for values in numbers_of_edges(study, key)[0]]
    figure.update_xaxes(title_text="Number of edges", dtick=integer_tick(max(counts) - min(counts)))
    labels = [LABELS[key] for key in keys]
    figure.update_yaxes(tickvals=[row + 0.3 for row in range(len(keys))], ticktext=labels, showgrid=False)
    return figure


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
    given = float(lines.loc["data", "mean"])
    figure.add_vline(x=given, line={"color": ink(dark), "width": 1, "dash": "dot"})
    for who, mean_column, sd_column, shift in _SOURCES:
        for place, (key, mean, sd) in enumerate(lines[[mean_column, sd_column]].itertuples()):
            if pd.isna(mean):
                continue
            color, spread = method_color(key, dark), 0.0 if pd.isna(sd) else sd
            figure.add_scatter(
                x=[mean],
                y=[place + shift],
                mode="markers",
                error_x={"type": "data", "array": [spread], "color": color, "thickness": 1.6, "width": 3},
                marker={
                    "size": 9,
                    "color": color if who == "here" else paper(dark),
                    "line": {"width": 1.6, "color": color},
                },
                hovertemplate=f"<b>{LABELS[key]}, {who}</b><br>edges: {plus_minus(mean, spread)}<extra></extra>",
            )
    framed(figure, dark, 60 + 40 * len(lines))
    labels = [LABELS[key] for key in lines.index]
    figure.update_yaxes(tickvals=list(range(len(lines))), ticktext=labels, showgrid=False)
    figure.update_xaxes(title_text="Number of edges", range=[least, most])
    return figure


# The picture on the Home page: naive against corrected confidence of each edge, from shipped numbers.


_SIDE, _LEFT, _FOOT, _RADIUS = 300.0, 46.0, 44.0, 3.4  # of the square, its margins and a mark, in pixels


def home_picture(numbers: dict[str, Any], dark: bool, alt: str) -> str:
    """Draw one mark per edge, as in Figure 1: corrected confidence across, naive up; above the diagonal, overstated.

    As HTML: the first page that a visitor sees does not wait for plotly.
    """
    parts = [f'<rect x="{_LEFT}" y="1" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="{faint(dark)}"/>']
    for tick in TICKS:
        (x, y), mark = _placed(tick, tick), f"{tick:g}"
        parts.append(f'<line x1="{x}" x2="{x}" y1="1" y2="{_SIDE + 1}" stroke="{grid(dark)}" stroke-width="0.6"/>')
        parts.append(
            f'<line x1="{_LEFT}" x2="{_LEFT + _SIDE}" y1="{y}" y2="{y}" stroke="{grid(dark)}" stroke-width="0.6"/>'
        )
        parts.append(_text(mark, x, _SIDE + 17, "middle", ink(dark)) + _text(mark, _LEFT - 6, y + 4, "end", ink(dark)))
    (low, bottom), (high, top) = _placed(0, 0), _placed(1, 1)
    line = f'x1="{low}" y1="{bottom}" x2="{high}" y2="{top}" stroke="{faint(dark)}"'
    parts.append(f'<line {line} stroke-dasharray="2 3"/>')
    for _, _, naive, corrected in numbers["edges"]:
        x, y = _placed(corrected, naive)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="{ink(dark)}" fill-opacity="0.55"/>')
    for words, up in (("overstated by", 0.88), ("the naive bootstrap", 0.82)):
        parts.append(_text(words, *_placed(0.03, up), "start", ink(dark)))
    parts.append(_text("both agree on the diagonal", *_placed(0.98, 0.02), "end", ink(dark)))
    middle, name = _LEFT + _SIDE / 2, as_text(method_color("bootstrap", dark), dark)
    parts.append(_text("Corrected confidence", middle, _SIDE + 36, "middle", corrected_color(dark)))
    turned = f'<g transform="rotate(-90 13 {_SIDE / 2})">{_text("Naive confidence", 13, _SIDE / 2, "middle", name)}</g>'
    return _image(
        [*parts, turned], _LEFT + _SIDE + 2, _SIDE + _FOOT, alt, "width: 100%; max-width: 390px; margin: auto"
    )


def _placed(across: float, up: float) -> tuple[float, float]:
    """Place a pair of shares in the square, whose edges lie a little beyond 0 and 1."""
    scale = _SIDE / (1 + 2 * MARGIN)
    return round(_LEFT + scale * (across + MARGIN), 2), round(1 + scale * (1 + MARGIN - up), 2)


def _text(words: str, x: float, y: float, anchor: str, color: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="12.5" fill="{color}">{words}</text>'


def _image(parts: list[str], width: float, height: float, alt: str, style: str) -> str:
    """Return a drawing as an HTML image."""
    size = f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif"'
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"
    return f'<img src="{source}" alt="{html.escape(alt)}" style="{style}; display: block">'


# Figures of calibration: error by method, reliability, precision against recall, and the shipped benchmark.

#: Measures of a calibration, and what confidence is compared with, as axis titles.
MEASURES = {"total_absolute_error": "Σ |p − π|, edges", "brier": "Brier score against the network"}
_IN_A_ROW = 3  # small panels
AGAINST = {"inclusion_probability": "Share learned, mean π", "in_network": "Share in the network"}


def distance_figure(found: Calibration, measure: str, dark: bool) -> go.Figure:
    """Draw one mark per method with its standard error: further left is better."""
    table = found.table().iloc[::-1]
    errors = table[f"{measure}_se"]
    figure = go.Figure()
    figure.add_scatter(
        x=table[measure],
        y=[LABELS[key] for key in table["method"]],
        mode="markers",
        error_x=_bars(errors, faint(dark), thickness=2, width=4),
        marker={"size": 11, "color": [method_color(key, dark) for key in table["method"]]},
        customdata=[plus_minus(*values) for values in zip(table[measure], errors, strict=True)],
        hovertemplate="<b>%{y}</b><br>%{customdata}<extra></extra>",
    )
    if measure == "total_absolute_error":
        noise = {"text": "sampling noise alone", "font": {"size": 11}, "yanchor": "top"}
        figure.add_vline(x=found.floor, line={"color": ink(dark), "width": 1, "dash": "dash"}, annotation=noise)
    framed(figure, dark, 60 + 34 * len(table))
    figure.update_xaxes(title_text=MEASURES[measure], rangemode="tozero")
    figure.update_yaxes(showgrid=False)
    return figure


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
        subplot_titles=[_broken(LABELS[key]) for key in keys],
    )
    framed(figure, dark, 90 + 165 * rows)
    for number, key in enumerate(keys):
        place = {"row": number // _IN_A_ROW + 1, "col": number % _IN_A_ROW + 1}
        diagram, color = found.reliability(key), method_color(key, dark)
        line = {"color": ink(dark), "width": 1, "dash": "dot"}
        figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", hoverinfo="skip", line=line, **place)
        figure.add_scatter(
            x=diagram["confidence"],
            y=diagram[against],
            mode="lines+markers",
            name=LABELS[key],
            error_y=_bars(diagram[f"{against}_se"], color, thickness=1, width=0),
            marker={"size": 4 + 8 * (diagram["edges"] / diagram["edges"].max()) ** 0.5, "color": color},
            line={"color": color, "width": 1.5},
            customdata=diagram["edges"],
            hovertemplate=f"<b>{LABELS[key]}</b><br>confidence %{{x:.2f}}<br>share %{{y:.2f}}<br>"
            "edges: %{customdata:,}<extra></extra>",
            **place,
        )
    axis = {"range": [-0.06, 1.06], "tickvals": [0, 0.5, 1], "showline": True, "mirror": True, "linecolor": faint(dark)}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.update_xaxes(title_text="Confidence", row=rows)
    figure.update_yaxes(title_text=AGAINST[against], row=(rows + 1) // 2, col=1)
    figure.update_annotations(font_size=12)
    return figure.update_layout(hovermode="closest", margin={"t": 40})


def _broken(title: str) -> str:
    """Break a method's name into two lines, so that it is no wider than its panel."""
    first, _, second = title.rpartition(" " if "," not in title else ", ")
    return f"{first}<br>{second}" if first else title


def precision_recall_figure(found: Calibration, keys: list[str], dark: bool) -> go.Figure:
    """Draw precision against recall over the thresholds; the learned graph is a single point."""
    figure = go.Figure()
    for key in keys:
        table = found.precision_recall(key)
        table = table[table["threshold"] > 0]
        if key == "data":
            table = table.tail(1)
        figure.add_scatter(
            x=table["recall"],
            y=table["precision"],
            mode="markers" if key == "data" else "lines",
            name=LABELS[key],
            marker={"size": 10},
            line={"color": method_color(key, dark), "width": 2},
            customdata=table[["threshold", "edges"]],
            hovertemplate=f"<b>{LABELS[key]}</b><br>threshold %{{customdata[0]:.2f}}, edges: %{{customdata[1]:.1f}}<br>"
            "precision %{y:.2f}, recall %{x:.2f}<extra></extra>",
        )
    return legend_on_top(unit_square(figure, dark, "Recall", "Precision", 380))


def _bars(errors: "pd.Series[float]", color: str, **looks: float) -> dict[str, object]:
    return {"type": "data", "array": errors.fillna(0.0), "color": color, **looks}


# The shipped benchmark: how much better or worse each method is than the corrected bootstrap.

_LONGEST = 30


def evidence_figure(table: pd.DataFrame, unit: str, dark: bool) -> go.Figure:
    """Draw one mark per method with its standard error over networks; left of the line beats the corrected."""
    shown = table.iloc[::-1]
    figure = go.Figure()
    figure.add_vline(x=0, line={"color": corrected_color(dark), "width": 1.5, "dash": "dash"})
    figure.add_scatter(
        x=shown["difference"],
        y=[_wrapped(title) for title in shown["method"]],
        mode="markers",
        error_x={"array": shown["error"].fillna(0.0), "color": faint(dark), "thickness": 2, "width": 4},
        marker={"size": 10, "color": [_color(key, dark) for key in shown["key"]]},
        text=[plus_minus(d, e, 2) for d, e in zip(shown["difference"], shown["error"], strict=True)],
        hovertemplate="<b>%{y}</b><br>%{text}<extra></extra>",
    )
    framed(figure, dark, 80 + 33 * len(table))
    figure.update_xaxes(title_text=f"Difference in error for each true edge, {unit.split()[0]}")
    figure.update_yaxes(showgrid=False, tickfont={"size": 12})
    return figure


def _wrapped(title: str) -> str:
    """Break a long title into two lines."""
    if len(title) <= _LONGEST:
        return title
    words, first = title.split(), ""
    while words and len(first) + len(words[0]) < len(title) / 2 + 4:
        first = f"{first} {words.pop(0)}".strip()
    return f"{first}<br>{' '.join(words)}"


def _color(key: str, dark: bool) -> str:
    named = {"naive": NAIVE, "leading": corrected_color(dark), "parametric": PARAMETRIC, "delete_d": JACKKNIFE}
    if key.startswith(("post", "bag", "order", "partition")):
        return posterior_color(dark)
    return named.get(key, ink(dark))
