"""Calibration as pictures: distance by method, reliability diagram, precision against recall."""

import plotly.graph_objects as go

from bnengine.bootstrap.calibration import Calibration
from pages._shared.figures.methods import TITLES
from pages._shared.figures.palette import faint, framed, ink, method_color


def distance_figure(found: Calibration, measure: str, dark: bool) -> go.Figure:
    """One mark a method with its standard error: the farther left, the better."""
    table = found.table().iloc[::-1]
    figure = go.Figure()
    figure.add_scatter(
        x=table[measure],
        y=[TITLES[key] for key in table["method"]],
        mode="markers",
        error_x={
            "type": "data",
            "array": table[f"{measure}_se"].fillna(0.0),
            "color": faint(dark),
            "thickness": 2,
            "width": 4,
        },
        marker={"size": 11, "color": [method_color(key, dark) for key in table["method"]]},
        customdata=table[f"{measure}_se"],
        hovertemplate="<b>%{y}</b><br>%{x:.3g} ± %{customdata:.2g}<extra></extra>",
    )
    if measure == "total_absolute_error":
        figure.add_vline(
            x=found.floor,
            line={"color": ink(dark), "width": 1, "dash": "dash"},
            annotation={"text": "noise alone", "font": {"size": 11}, "yanchor": "top"},
        )
    framed(figure, dark, 60 + 34 * len(table))
    titles = {"total_absolute_error": "Σ |p − π|, edges", "brier": "Brier score against the network"}
    figure.update_xaxes(title=titles[measure], rangemode="tozero", gridcolor=faint(dark), gridwidth=0.5)
    figure.update_yaxes(showgrid=False)
    return figure


def reliability_figure(found: Calibration, keys: list[str], against: str, dark: bool) -> go.Figure:
    """Of the edges given about a confidence, the share that is learned from fresh data, or that the network has."""
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", hoverinfo="skip", line={"color": ink(dark), "width": 1, "dash": "dot"}
    )
    for key in keys:
        diagram = found.reliability(key)
        figure.add_scatter(
            x=diagram["confidence"],
            y=diagram[against],
            mode="lines+markers",
            name=TITLES[key],
            error_y={
                "type": "data",
                "array": diagram[f"{against}_se"].fillna(0.0),
                "color": method_color(key, dark),
                "thickness": 1,
                "width": 0,
            },
            marker={"size": 4 + 10 * (diagram["edges"] / diagram["edges"].max()) ** 0.5},
            line={"color": method_color(key, dark), "width": 1.5},
            customdata=diagram["edges"],
            hovertemplate=f"<b>{TITLES[key]}</b><br>confidence %{{x:.2f}}<br>share %{{y:.2f}}<br>"
            "%{customdata:,} edges<extra></extra>",
        )
    framed(figure, dark, 340)
    axis = {"range": [-0.04, 1.04], "gridcolor": faint(dark), "gridwidth": 0.5, "constrain": "domain"}
    titles = {"inclusion_probability": "share learned, mean π", "in_network": "share that the network has"}
    figure.update_xaxes(**axis, title="confidence")
    figure.update_yaxes(**axis, title=titles[against], scaleanchor="x")
    return figure


def precision_recall_figure(found: Calibration, keys: list[str], dark: bool) -> go.Figure:
    """Precision against recall over the thresholds; the data's own graph is one point."""
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
            name=TITLES[key],
            marker={"size": 10},
            line={"color": method_color(key, dark), "width": 2},
            customdata=table[["threshold", "edges"]],
            hovertemplate=f"<b>{TITLES[key]}</b><br>threshold %{{customdata[0]:.2f}}: %{{customdata[1]:.1f}} edges<br>"
            "precision %{y:.2f}, recall %{x:.2f}<extra></extra>",
        )
    framed(figure, dark, 340)
    axis = {"range": [-0.02, 1.02], "gridcolor": faint(dark), "gridwidth": 0.5}
    figure.update_xaxes(**axis, title="recall of the network's edges")
    figure.update_yaxes(**axis, title="precision")
    figure.update_layout(hovermode="closest")
    return figure
