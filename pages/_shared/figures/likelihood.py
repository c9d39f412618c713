"""Training and test log-likelihood against the number of rows, and their gap counted in parameters."""

import plotly.graph_objects as go

from bnengine.teaching import LikelihoodGap
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import FRESH, NAIVE, faint, ink

_HOVER = "N = %{x:,}: %{y:.3g} ± %{error_y.array:.1g} nats"


def training_and_test_figure(gap: LikelihoodGap, dark: bool) -> go.Figure:
    """Draw the log-likelihood per row minus the true network's: training above 0, new rows below; theory ±|θ|/2N."""
    table = gap.table()
    n, half, hover = table["n_rows"], table["varying_half"], "N = %{x:,}: %{y:.3g} nats per row"
    curves = [
        Curve("± |θ| / 2N", n, sign * half, faint(dark), "dash", "lines", hover, in_legend=sign > 0) for sign in (1, -1)
    ]
    for name, column, color in (("training rows", "training", ink(dark)), ("new rows", "test", FRESH)):
        errors = table[f"{column}_error"].tolist()
        curves.append(Curve(name, n, table[column], color, hover=f"{_HOVER} per row", errors=errors))
    return curves_figure(
        curves, dark, "number of rows", "nats per row", height=340, log_x=True, level=0.0, ticks=n.tolist()
    )


def gap_figure(gap: LikelihoodGap, dark: bool) -> go.Figure:
    """Draw N times the gap, and the bootstrap's estimate: both tend to the number of parameters."""
    table = gap.table()
    n = table["n_rows"]
    curves = [
        Curve(name, n, table[column], color, dash, hover=_HOVER, errors=table[f"{column}_error"].tolist())
        for name, column, color, dash in (
            ("gap × N", "gap_in_parameters", ink(dark), "solid"),
            ("in replicates: DIC's p_D", "bootstrap_gap_in_parameters", NAIVE, "solid"),
        )
    ]
    levels = {gap.n_parameters: "|θ|", gap.n_parameters / 2: "½|θ|"}
    if gap.n_varying != gap.n_parameters:
        levels[gap.n_varying] = "can vary"
    ends = [n.min(), n.max()]
    for (value, label), dash in zip(levels.items(), ("dash", "dot", "dashdot"), strict=False):
        curves.append(Curve(f"{label} = {value:g}", ends, [value, value], ink(dark), dash, "lines", "%{y:g}"))
    figure = curves_figure(curves, dark, "number of rows", "nats", height=340, log_x=True, ticks=n.tolist())
    return figure.update_yaxes(rangemode="tozero")
