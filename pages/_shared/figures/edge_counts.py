"""How many edges a method's graphs have: small beside its number, and large for all methods together."""

import numpy as np
import plotly.graph_objects as go

from bnengine.bootstrap.study import Study
from pages._shared.figures.methods import TITLES
from pages._shared.figures.palette import faint, framed, ink, method_color
from pages._shared.format import short


def edge_count_figure(study: Study, key: str, dark: bool) -> go.Figure:
    """How many of a method's graphs have how many edges, with the data's own number as a line."""
    counts = [e.edge_counts for e in study.ensembles.values()]
    own = study.mean_edges("data")
    low = min([own, *(int(c.min()) for c in counts)])
    high = max([own, *(int(c.max()) for c in counts)])
    figure = go.Figure()
    if key in study.ensembles:
        values, times = numbers_of_edges(study, key)
        figure.add_bar(
            x=values,
            y=times,
            width=0.9,
            marker={"color": method_color(key, dark), "line": {"width": 0}},
            hovertemplate="%{x} edges: %{y:.0f} replicates<extra></extra>",
        )
    figure.add_vline(x=own, line={"color": ink(dark), "width": 1.5})
    framed(figure, dark, 74)
    figure.update_xaxes(range=[low - 1, high + 1], showgrid=False, zeroline=False, nticks=5, tickfont={"size": 10})
    figure.update_yaxes(visible=False)
    figure.update_layout(margin={"l": 0, "r": 0, "t": 2, "b": 18}, bargap=0.0)
    return figure


def numbers_of_edges(study: Study, key: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of edges that a method's graphs have, and how many replicates have each."""
    ensemble = study.ensembles[key]
    values, first = np.unique(ensemble.edge_counts, return_inverse=True)
    return values, np.bincount(first, weights=ensemble.multiplicities)


def all_edge_counts_figure(study: Study, dark: bool) -> go.Figure:
    """One row a method: the share of its replicates by their number of edges, with the given data as a line."""
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
            hovertemplate=f"<b>{TITLES[key]}</b><br>%{{x}} edges: %{{customdata:.1%}} of replicates<extra></extra>",
        )
    own = study.mean_edges("data")
    figure.add_vline(
        x=own,
        line={"color": ink(dark), "width": 1.5},
        annotation={"text": f"given data {short(own)}", "font": {"size": 12}, "yanchor": "bottom"},
    )
    framed(figure, dark, 80 + 62 * len(keys))
    figure.update_layout(bargap=0, margin={"l": 8, "r": 8, "t": 26, "b": 8}, barmode="overlay")
    figure.update_xaxes(title="edges", gridcolor=faint(dark), gridwidth=0.5, zeroline=False)
    figure.update_yaxes(
        tickvals=[row + 0.3 for row in range(len(keys))],
        ticktext=[TITLES[key] for key in keys],
        showgrid=False,
        zeroline=False,
    )
    return figure
