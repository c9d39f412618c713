"""Bootstrap confidence beside the exact posterior probability of each edge."""

import numpy as np
import plotly.graph_objects as go

from bnengine import EdgePosterior
from bnengine.bootstrap.study import Study
from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, framed, ink, method_color
from pages._shared.format import short


def posterior_figure(study: Study, posterior: EdgePosterior, key: str, dark: bool) -> go.Figure:
    """One mark an edge: its posterior probability (or weight) across, a method's confidence up."""
    confidence = study.confidence(key)
    i, j = np.nonzero((confidence > 0) | (posterior.probability > 0.01))
    names = posterior.names
    x, y = posterior.probability[i, j], confidence[i, j]
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", hoverinfo="skip", line={"color": ink(dark), "width": 1, "dash": "dot"}
    )
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={
            "size": 7,
            "color": method_color(key, dark),
            "opacity": 0.6,
            "line": {"width": 0.5, "color": ink(dark)},
        },
        text=[
            f"<b>{plain(names[a])} → {plain(names[b])}</b><br>{posterior.weight.title} {short(p)}<br>"
            f"{TITLES[key]} {short(c)}"
            for a, b, p, c in zip(i, j, x, y, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )
    framed(figure, dark, 320)
    axis = {"range": [-0.06, 1.06], "zeroline": False, "constrain": "domain", "gridcolor": faint(dark)}
    figure.update_xaxes(**axis, title={"text": posterior.weight.title, "standoff": 6})
    figure.update_yaxes(**axis, title={"text": TITLES[key], "standoff": 6}, scaleanchor="x")
    figure.update_layout(hovermode="closest")
    return figure
