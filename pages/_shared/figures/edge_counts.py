"""How many edges a method's graphs have: small next to its mean, and large for all methods together."""

import numpy as np
import plotly.graph_objects as go

from bnengine.bootstrap.study import Study
from pages._shared.figures.methods import LABELS
from pages._shared.figures.palette import framed, ink, method_color
from pages._shared.format import short


def edge_count_figure(study: Study, key: str, dark: bool) -> go.Figure:
    """Histogram of a method's numbers of edges, with the given data's number as a line; all methods share one range."""
    given = study.mean_edges("data")
    counts = np.concatenate([[given], *(e.edge_counts for e in study.ensembles.values())])
    figure = go.Figure()
    if key in study.ensembles:
        values, times = numbers_of_edges(study, key)
        figure.add_bar(
            x=values,
            y=times,
            width=0.9,
            marker={"color": method_color(key, dark), "line": {"width": 0}},
            hovertemplate="edges: %{x}<br>replicates: %{y:.0f}<extra></extra>",
        )
    figure.add_vline(x=given, line={"color": ink(dark), "width": 1.5})
    framed(figure, dark, 74)
    figure.update_xaxes(range=[counts.min() - 1, counts.max() + 1], showgrid=False, nticks=5, tickfont={"size": 10})
    figure.update_yaxes(visible=False)
    figure.update_layout(margin={"l": 8, "r": 8, "t": 2, "b": 18}, bargap=0.0)
    return figure


def numbers_of_edges(study: Study, key: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of edges that a method's graphs have, and how many replicates have each."""
    ensemble = study.ensembles[key]
    values, first = np.unique(ensemble.edge_counts, return_inverse=True)
    return values, np.bincount(first, weights=ensemble.multiplicities)


def all_edge_counts_figure(study: Study, dark: bool) -> go.Figure:
    """One row per method: the share of its replicates by their number of edges, with the given data as a line."""
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
    figure.update_xaxes(title_text="Number of edges")
    labels = [LABELS[key] for key in keys]
    figure.update_yaxes(tickvals=[row + 0.3 for row in range(len(keys))], ticktext=labels, showgrid=False)
    return figure
