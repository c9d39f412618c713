"""What bootstrapping adds to a count, and to a graph's fit as rows come in."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import MISFIT, NAIVE, ink


def added_by_count_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """The bias of n ln n by n; the level is half a nat. The table is that of ``bnengine.bias_by_count``."""
    curve = Curve(
        "one count",
        table["n"].tolist(),
        table["bias"].tolist(),
        NAIVE,
        mode="lines+markers",
        hover="n = %{x}: %{y:.4f} nats",
    )
    return curves_figure([curve], dark, "rows n in a cell", "added on average, nats", level=0.5, y_range=(-0.03, 0.68))


def added_by_rows_figure(table: pd.DataFrame, n_rows: int, dark: bool) -> go.Figure:
    """Formula, observed cells and exact value by rows; a mark at the sample in use."""
    curves = [
        Curve(name, table["n_rows"].tolist(), table[column].tolist(), color, dash, mode, "N = %{x:,}: %{y:.3f} nats")
        for name, column, color, dash, mode in (
            ("½|θ|", "leading", ink(dark), "dash", "lines"),
            ("½ observed", "observed", MISFIT, "dot", "lines"),
            ("exact", "exact", NAIVE, "solid", "lines+markers"),
        )
    ]
    sizes = table["n_rows"].tolist()
    return curves_figure(
        curves,
        dark,
        "rows N",
        "added to the graph's fit, nats",
        log_x=True,
        ticks=sizes[::3],
        marks=[Mark(n_rows, f"N = {n_rows:,}", left=n_rows > 300)],
        y_range=(0.0, 1.08 * float(table[["leading", "exact"]].to_numpy().max())),
    )
