"""How well each network predicts, by one measure."""

import pandas as pd
import plotly.graph_objects as go

from pages._shared.figures.axes import with_axes
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, grid, ink
from pages._shared.format import plus_minus, short


def accuracy_figure(table: pd.DataFrame, measure: str, title: str, more_is_better: bool, dark: bool) -> go.Figure:
    """Draw one line per network: its mean and standard error; the best is filled."""
    lines = table[table["measure"] == measure]
    best = lines["mean"].max() if more_is_better else lines["mean"].min()
    names = [plain(name) for name in lines["learner"]]
    figure = go.Figure()
    figure.add_scatter(
        x=lines["mean"],
        y=names,
        error_x={"array": lines["standard_error"].fillna(0.0), "color": ink(dark), "thickness": 1.4, "width": 4},
        mode="markers+text",
        text=[short(mean) for mean in lines["mean"]],
        textposition="top center",
        textfont={"size": 11},
        marker={
            "size": 9,
            "color": [ink(dark) if mean == best else faint(dark) for mean in lines["mean"]],
            "line": {"color": ink(dark), "width": 1.2},
        },
        customdata=[plus_minus(*values) for values in zip(lines["mean"], lines["standard_error"], strict=True)],
        hovertemplate="%{y}<br>" + plain(title) + " %{customdata}<extra></extra>",
        cliponaxis=False,
    )
    better = "higher is better" if more_is_better else "lower is better"
    with_axes(figure, dark, 90 + 30 * len(lines), f"<b>{plain(title)}</b><br>{better}", legend=False)
    figure.update_layout(margin={"t": 14, "b": 4})
    figure.update_xaxes(showgrid=True, gridcolor=grid(dark), nticks=5)
    return figure.update_yaxes(autorange="reversed", showgrid=False)
