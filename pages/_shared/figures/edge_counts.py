"""Numbers of edges by method, small and large; Table 1 and the Home page's finding as pictures."""

import base64
import html
import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.bootstrap.study import Study
from bnengine.experiment.edge_explanation import EdgeExplanation, MethodAnswer
from bnengine.experiment.paper import MARGIN, TICKS, numbers_of_edges, range_of_edges

from ..format import plus_minus, probability, share, short
from .palette import (
    as_text,
    corrected_color,
    faint,
    framed,
    grid,
    ink,
    integer_tick,
    laid_out,
    method_color,
    paper,
    posterior_color,
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
        marker={"size": 10, "color": [_color(one, dark) for one in lines], "line": {"width": 1, "color": ink(dark)}},
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


def _color(one: MethodAnswer, dark: bool) -> str:
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
