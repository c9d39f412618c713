"""What bootstrapping adds to a count, and to a network's fit."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import MISFIT, NAIVE, ink


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
