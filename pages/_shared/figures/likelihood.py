"""Training and test log-likelihood against the number of rows, and their gap counted in parameters."""

import plotly.graph_objects as go

from bnengine.teaching import LikelihoodGap
from pages._shared.figures.palette import FRESH, NAIVE, faint, framed, ink, legend_on_top


def _sizes_axis(figure: go.Figure, sizes: list[int], dark: bool) -> None:
    figure.update_xaxes(type="log", title={"text": "rows N", "standoff": 4}, tickvals=sizes, showgrid=False)
    figure.update_yaxes(gridcolor=faint(dark), zeroline=False)


def training_and_test_figure(gap: LikelihoodGap, dark: bool) -> go.Figure:
    """Log-likelihood a row less the true network's: training above 0, fresh rows below; dashed ±|θ|/2N."""
    table = gap.table()
    figure = go.Figure()
    for sign in (1, -1):
        figure.add_scatter(
            x=table["n_rows"],
            y=sign * table["varying_half"],
            name="± |θ| / 2N",
            showlegend=sign == 1,
            mode="lines",
            line={"color": faint(dark), "width": 2.5, "dash": "dash"},
            hovertemplate="theory at N = %{x:,}: %{y:.3g} nats a row<extra></extra>",
        )
    for name, column, color in (("training rows", "training", ink(dark)), ("fresh rows", "test", FRESH)):
        figure.add_scatter(
            x=table["n_rows"],
            y=table[column],
            error_y={"array": table[f"{column}_error"], "thickness": 1.2, "width": 3, "color": color},
            name=name,
            mode="lines+markers",
            line={"color": color, "width": 2},
            hovertemplate=f"{name}, N = %{{x:,}}: %{{y:.3g}} ± %{{error_y.array:.1g}} nats a row<extra></extra>",
        )
    framed(figure, dark, 340)
    figure.add_hline(y=0, line={"color": ink(dark), "width": 1})
    _sizes_axis(figure, table["n_rows"].tolist(), dark)
    figure.update_yaxes(title={"text": "log-likelihood a row − truth's, nats", "standoff": 4})
    return legend_on_top(figure)


def gap_figure(gap: LikelihoodGap, dark: bool) -> go.Figure:
    """N times the gap, and what the bootstrap makes of it: all tend to the number of parameters."""
    table = gap.table()
    figure = go.Figure()
    for name, column, color, dash in (
        ("gap × N", "gap_in_parameters", ink(dark), "solid"),
        ("on resamples", "bootstrap_gap_in_parameters", NAIVE, "solid"),
        ("DIC's p_D", "dic_parameters", NAIVE, "dot"),
    ):
        figure.add_scatter(
            x=table["n_rows"],
            y=table[column],
            error_y={"array": table[f"{column}_error"], "thickness": 1.2, "width": 3, "color": color},
            name=name,
            mode="lines+markers",
            line={"color": color, "width": 2, "dash": dash},
            hovertemplate=f"{name}, N = %{{x:,}}: %{{y:.3g}} ± %{{error_y.array:.1g}} nats<extra></extra>",
        )
    framed(figure, dark, 340)
    lines = {gap.n_parameters: "|θ|", gap.n_parameters / 2: "½|θ|"}
    if gap.n_varying != gap.n_parameters:
        lines[gap.n_varying] = "can vary"
    ends = [table["n_rows"].min(), table["n_rows"].max()]
    for (value, label), dash in zip(lines.items(), ("dash", "dot", "dashdot"), strict=False):
        figure.add_scatter(
            x=ends,
            y=[value, value],
            name=f"{label} = {value:g}",
            mode="lines",
            line={"color": ink(dark), "width": 1.3, "dash": dash},
            hovertemplate=f"{label} = {value:g}<extra></extra>",
        )
    _sizes_axis(figure, table["n_rows"].tolist(), dark)
    figure.update_yaxes(title={"text": "nats", "standoff": 4}, rangemode="tozero")
    return legend_on_top(figure)
