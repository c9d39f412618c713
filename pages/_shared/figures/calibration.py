"""Figures of calibration: error by method, reliability, precision against recall, and the shipped benchmark."""

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.resampling_methods import LABELS

from ..format import plus_minus
from .palette import (
    JACKKNIFE,
    NAIVE,
    PARAMETRIC,
    corrected_color,
    faint,
    framed,
    ink,
    legend_on_top,
    method_color,
    posterior_color,
    unit_square,
)

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
