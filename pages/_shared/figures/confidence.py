"""Table 1 and Figure 1 of the paper as pictures."""

import numpy as np
import plotly.graph_objects as go

from bnengine.bootstrap.study import Study
from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import plain
from pages._shared.figures.palette import faint, framed, ink, method_color
from pages._shared.format import short

#: How an edge is written, by what counts as one.
JOINS = {"directed": "→", "adjacency": "-", "compelled": "→"}
_SPREAD = 0.022


def figure1_panels(study: Study, corrected: str = "boot_bc", naive: str = "boot") -> list[tuple[str, str]]:
    """The panels of Figure 1 for two methods, as far as they are at hand: (horizontal, vertical) method keys."""
    pairs = (("data", corrected), ("data", naive), (corrected, naive))
    return [pair for pair in dict.fromkeys(pairs) if all(key in study.keys for key in pair)]


def figure1_panel(
    study: Study, x_key: str, y_key: str, dark: bool, chosen: tuple[str, str] | None = None, kind: str = "directed"
) -> go.Figure:
    """One mark an edge: its confidence by one method against another's.

    Dashed lines stand at each method's threshold, above which lie as many edges as its graphs have on average. The
    confidences of one graph of the data are all 0 or 1; those marks are spread sideways a little, in a fixed pattern. A
    click on a mark gives ``customdata`` (parent's name, child's name).
    """
    table = study.edge_table(kind)
    names = list(zip(table["parent"], table["child"], strict=True))
    place = {name: v for v, name in enumerate(study.reference.names)}
    rows = np.array([place[parent] for parent, _ in names], dtype=int)
    columns = np.array([place[child] for _, child in names], dtype=int)
    x, y = (study.confidence(key, kind)[rows, columns] for key in (x_key, y_key))
    spread = _SPREAD * np.sin(np.arange(len(names)) * 2.399)  # the golden angle: even and repeatable
    figure = go.Figure()
    _add_lines(figure, study, x_key, y_key, kind, dark)
    figure.add_scatter(
        x=x + spread if x_key == "data" and "data" not in study.ensembles else x,
        y=y,
        mode="markers",
        marker={
            "size": [12 if name == chosen else 7 for name in names],
            "color": method_color(y_key, dark),
            "opacity": 0.6,
            "line": {"width": [2 if name == chosen else 0.5 for name in names], "color": ink(dark)},
        },
        selected={"marker": {"opacity": 0.6}},
        unselected={"marker": {"opacity": 0.6}},
        customdata=[[parent, child] for parent, child in names],
        text=[
            f"<b>{plain(parent)} {JOINS[kind]} {plain(child)}</b><br>{TITLES[x_key]} {short(a)}<br>"
            f"{TITLES[y_key]} {short(b)}"
            for (parent, child), a, b in zip(names, x, y, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )
    framed(figure, dark, 272)
    axis = {
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
        "range": [-0.06, 1.06],
        "zeroline": False,
        "constrain": "domain",
        "gridcolor": faint(dark),
        "gridwidth": 0.5,
        "linecolor": faint(dark),
        "mirror": True,
        "showline": True,
    }
    figure.update_xaxes(**axis, title={"text": TITLES[x_key], "standoff": 6})
    figure.update_yaxes(**axis, title={"text": TITLES[y_key], "standoff": 6}, scaleanchor="x")
    figure.update_layout(hovermode="closest")
    return figure


def _add_lines(figure: go.Figure, study: Study, x_key: str, y_key: str, kind: str, dark: bool) -> None:
    """The diagonal and the two thresholds."""
    across, up = study.threshold(x_key, kind), study.threshold(y_key, kind)
    for x, y, color, dash in (
        ([0, 1], [0, 1], ink(dark), "dot"),
        ([across, across], [-0.06, 1.06], method_color(x_key, dark), "dash"),
        ([-0.06, 1.06], [up, up], method_color(y_key, dark), "dash"),
    ):
        figure.add_scatter(x=x, y=y, mode="lines", hoverinfo="skip", line={"color": color, "width": 1, "dash": dash})
