"""One mark per edge: how often it would be found again, against the probability that it is real."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine.experiment.two_answers import TwoAnswers
from pages._shared.figures.methods import JOINS, TITLES
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, framed, ink, method_color, posterior_color
from pages._shared.format import short

_LEAST = 0.02  # edges with both answers below are not drawn
_CORNERS = {
    (True, True): "found again<br>and real",
    (True, False): "found again but doubtful:<br>a habit of the search",
    (False, True): "real but rarely found:<br>too little data",
    (False, False): "neither",
}
_MARGIN = 0.14  # above and below the marks, for the names of the quadrants
_HALF = 0.5


def two_answers_figure(answers: TwoAnswers, dark: bool, chosen: tuple[str, str] | None = None) -> go.Figure:
    """Found again across, real upwards; filled marks are edges of the graph learned from the data.

    Vertical bars: Monte Carlo standard errors. A click on a mark gives ``customdata`` (parent's name, child's name).
    """
    table, figure = answers.table(_LEAST), go.Figure()
    for line in ({"x": [_HALF, _HALF], "y": [0, 1]}, {"x": [0, 1], "y": [_HALF, _HALF]}):
        look = {"color": faint(dark), "width": 1.5}
        figure.add_scatter(**line, mode="lines", hoverinfo="skip", line=look)
    _add_edges(figure, table, answers, dark, chosen)
    framed(figure, dark, 400)
    _name_quadrants(figure, dark)
    again, real = method_color(answers.method, dark), posterior_color(dark)
    ticks = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "showgrid": False}
    figure.update_xaxes(
        range=[-0.04, 1.04],
        title={"text": f"Found again (π): {TITLES[answers.method]}", "font": {"color": again}},
        tickfont={"color": again},
        **ticks,
    )
    figure.update_yaxes(
        range=[-_MARGIN, 1 + _MARGIN],
        title={"text": "Real: posterior probability", "font": {"color": real}},
        tickfont={"color": real},
        **ticks,
    )
    figure.update_layout(hovermode="closest")
    return figure


def _add_edges(
    figure: go.Figure, table: pd.DataFrame, answers: TwoAnswers, dark: bool, chosen: tuple[str, str] | None
) -> None:
    pairs = list(zip(table["parent"], table["child"], strict=True))
    picked = np.array([pair == chosen for pair in pairs], dtype=bool)
    color = ink(dark)
    join, title = JOINS[answers.kind], TITLES[answers.method]
    figure.add_scatter(
        x=table["found_again"],
        y=table["real"],
        mode="markers",
        error_y={"array": table["real_error"], "color": posterior_color(dark), "thickness": 1, "width": 0},
        marker={
            "size": np.where(picked, 14, 8),
            "symbol": ["circle" if own else "circle-open" for own in table["in_data_graph"]],
            "color": color,
            "opacity": 0.65,
            "line": {"width": np.where(picked, 3, 1.2), "color": np.where(picked, posterior_color(dark), color)},
        },
        selected={"marker": {"opacity": 0.65}},
        unselected={"marker": {"opacity": 0.65}},
        customdata=[list(pair) for pair in pairs],
        text=[
            f"<b>{plain(parent)} {join} {plain(child)}</b><br>found again {short(again)} ({title})<br>"
            f"real {short(real)} (posterior)"
            for (parent, child), again, real in zip(pairs, table["found_again"], table["real"], strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _name_quadrants(figure: go.Figure, dark: bool) -> None:
    for (again, real), text in _CORNERS.items():
        figure.add_annotation(
            x=1.03 if again else -0.03,
            y=1 + _MARGIN if real else -_MARGIN,
            xanchor="right" if again else "left",
            yanchor="top" if real else "bottom",
            align="right" if again else "left",
            text=text,
            showarrow=False,
            font={"size": 12, "color": ink(dark)},
            opacity=0.75,
        )
