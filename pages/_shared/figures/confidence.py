"""One mark per edge: its confidence by one method against that by another, or against its posterior probability."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bnengine import EdgePosterior
from bnengine._core.arrays import FloatArray
from bnengine.bootstrap.study import Study
from pages._shared.figures.axes import diagonal, unit_square
from pages._shared.figures.methods import JOINS, LABELS, TITLES
from pages._shared.figures.network import plain
from pages._shared.figures.palette import ink, method_color
from pages._shared.format import short

_SPREAD = 0.022
Pair = tuple[str, str]


def figure1_panels(study: Study, corrected: str = "boot_bc", naive: str = "boot") -> list[tuple[str, str]]:
    """The available panels of the paper's Figure 1 for two methods: (horizontal, vertical) method keys."""
    pairs = (("data", corrected), ("data", naive), (corrected, naive))
    return [pair for pair in dict.fromkeys(pairs) if all(key in study.keys for key in pair)]


def figure1_panel(
    study: Study, x_key: str, y_key: str, dark: bool, chosen: Pair | None = None, kind: str = "directed"
) -> go.Figure:
    """Confidence of each edge by one method against another's.

    Dashed lines mark each method's threshold, above which lie as many edges as its graphs have on average. The
    confidences of a single graph learned from the data are all 0 or 1; those marks are spread sideways in a fixed
    pattern. A click on a mark gives ``customdata`` (parent's name, child's name).
    """
    table = study.edge_table(kind)
    pairs = list(zip(table["parent"], table["child"], strict=True))
    place = {name: v for v, name in enumerate(study.reference.names)}
    ends = np.array([(place[parent], place[child]) for parent, child in pairs], dtype=int).reshape(-1, 2).T
    x, y = (study.confidence(key, kind)[ends[0], ends[1]] for key in (x_key, y_key))
    figure = diagonal(go.Figure(), dark)
    across, up = study.threshold(x_key, kind), study.threshold(y_key, kind)
    for key, line_x, line_y in ((x_key, [across, across], [-0.06, 1.06]), (y_key, [-0.06, 1.06], [up, up])):
        line = {"color": method_color(key, dark), "width": 1, "dash": "dash"}
        figure.add_scatter(x=line_x, y=line_y, mode="lines", hoverinfo="skip", line=line)
    # the golden angle spreads evenly and repeatably
    one_graph = x_key == "data" and "data" not in study.ensembles
    shift = _SPREAD * np.sin(np.arange(len(pairs)) * 2.399) if one_graph else np.zeros(len(pairs))
    _add_marks(figure, pairs, (x, y), (TITLES[x_key], TITLES[y_key]), y_key, dark, kind, chosen, shift)
    return unit_square(figure, dark, LABELS[x_key], LABELS[y_key], 272)


def posterior_figure(study: Study, posterior: EdgePosterior, key: str, dark: bool) -> go.Figure:
    """A method's confidence in each edge against the edge's posterior probability, or its weight."""
    confidence, title = study.confidence(key), posterior.weight.title
    i, j = np.nonzero((confidence > 0) | (posterior.probability > 0.01))
    pairs = [(posterior.names[a], posterior.names[b]) for a, b in zip(i, j, strict=True)]
    figure = diagonal(go.Figure(), dark)
    _add_marks(figure, pairs, (posterior.probability[i, j], confidence[i, j]), (title, TITLES[key]), key, dark)
    return unit_square(figure, dark, title[0].upper() + title[1:], LABELS[key])


def _add_marks(
    figure: go.Figure,
    pairs: Sequence[Pair],
    values: tuple[FloatArray, FloatArray],
    titles: tuple[str, str],
    key: str,
    dark: bool,
    kind: str = "directed",
    chosen: Pair | None = None,
    shift: FloatArray | float = 0.0,
) -> None:
    """Add the edges' marks; ``titles`` name the two values when a mark is pointed at."""
    x, y = values
    figure.add_scatter(
        x=x + shift,
        y=y,
        mode="markers",
        marker={
            "size": [12 if pair == chosen else 7 for pair in pairs],
            "color": method_color(key, dark),
            "opacity": 0.6,
            "line": {"width": [2 if pair == chosen else 0.5 for pair in pairs], "color": ink(dark)},
        },
        selected={"marker": {"opacity": 0.6}},
        unselected={"marker": {"opacity": 0.6}},
        customdata=[list(pair) for pair in pairs],
        text=[
            f"<b>{plain(parent)} {JOINS[kind]} {plain(child)}</b><br>{titles[0]} {short(a)}<br>{titles[1]} {short(b)}"
            for (parent, child), a, b in zip(pairs, x, y, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )
