"""Pictures of single results, which ``plot()`` and ``save_picture()`` of the engine's results ask for."""

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.ensemble import AveragedNetwork, Ensemble, averaged_network
from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE
from bnengine.bootstrap.study import Study
from bnengine.experiment.edge_explanation import EdgeExplanation
from bnengine.experiment.edge_summary import TwoAnswers
from bnengine.experiment.paper import figure1_panel, figure1_panels
from bnengine.experiment.verdict import Verdict
from bnengine.graphs.layout import NODE_HEIGHT, PICTURES, printed, route_of
from bnengine.posterior import EdgePosterior, SampledPosterior
from bnengine.scores.dependence import Missingness
from bnengine.search import LearnedGraph
from bnengine.settings import one_of

from ..format import percent, short
from .confidence import figure1_figure, two_answers_figure
from .data import missing_figure
from .methods import AGAINST, MEASURES, distance_figure, edge_figure, precision_recall_figure, reliability_figure
from .network import (
    Edge,
    EdgeStyle,
    NetworkPicture,
    confidence_opacity,
    confidence_width,
    network_figure,
    plain,
    printed_edge,
)
from .palette import add_marks, framed, ink, method_color, paper, pointed_at, posterior_color
from .publication import published
from .verdict import verdict_picture

_WIDTH = 900  # pixels
_PANEL = 300


def figure1(study: Study, dark: bool, kind: str) -> go.Figure:
    """All panels of the paper's Figure 1 side by side."""
    panels = _panels(study, dark, kind)
    figure = framed(make_subplots(1, len(panels), horizontal_spacing=0.09), dark, _PANEL)
    for column, panel in enumerate(panels, start=1):
        figure.add_traces(panel.data, rows=1, cols=column)
        for axis, update in ((panel.layout.xaxis, figure.update_xaxes), (panel.layout.yaxis, figure.update_yaxes)):
            looks = axis.to_plotly_json()
            tied = {"scaleanchor": f"x{column if column > 1 else ''}"} if "scaleanchor" in looks else {}
            update({**looks, **tied}, row=1, col=column)
    return _on_paper(figure.update_layout(width=_PANEL * len(panels) + 40, hovermode="closest"), dark)


def _panels(study: Study, dark: bool, kind: str = "directed") -> list[go.Figure]:
    pairs = figure1_panels(study)
    if not pairs:
        raise ValueError("study has no replicates of a resampling method, so that there is nothing to compare")
    return [figure1_figure(figure1_panel(study, across, up, kind), dark, kind=kind) for across, up in pairs]


def two_answers(answers: TwoAnswers, dark: bool) -> go.Figure:
    """Found again across, real upwards."""
    if not answers.has_posterior:
        raise ValueError("answers were joined without a posterior, so that there is only one answer about each edge")
    return _on_paper(two_answers_figure(answers, dark).update_layout(width=_WIDTH * 2 // 3), dark)


def edge_explanation(told: EdgeExplanation, dark: bool) -> go.Figure:
    """Draw every method's confidence in one edge."""
    if not told.answers:
        raise ValueError(
            "the edge was explained without a study and a posterior, so that no method says anything of it"
        )
    return _on_paper(edge_figure(told, dark).update_layout(width=_WIDTH * 2 // 3), dark)


def verdict(found: Verdict, dark: bool) -> go.Figure:
    """Draw the adjacencies that are shown, coloured by verdict."""
    return drawn(verdict_picture(found, dark), dark)


def missing_cells(found: Missingness, dark: bool) -> go.Figure:
    """Draw where the missing cells of a table are."""
    return _on_paper(missing_figure(found, dark).update_layout(width=_WIDTH * 2 // 3), dark)


def calibration(found: Calibration, dark: bool, measure: str) -> go.Figure:
    """Draw a calibration's picture of that name."""
    one_of(measure, "measure", (*MEASURES, *AGAINST, "precision_recall"))
    keys = list(found.confidence)
    resampled = [key for key in keys if key != "data"]
    if measure in AGAINST:
        return _on_paper(reliability_figure(found, resampled, measure, dark), dark)
    if measure == "precision_recall":
        return _on_paper(precision_recall_figure(found, keys, dark), dark)
    return _on_paper(distance_figure(found, measure, dark), dark)


def graph(found: LearnedGraph, dark: bool) -> go.Figure:
    """Draw a learned graph."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(found.adjacency)]
    hovers = {(i, j): f"<b>{plain(found.names[i])} → {plain(found.names[j])}</b>" for i, j in edges}
    styles = {edge: EdgeStyle(ink(dark), 1.6, hover) for edge, hover in hovers.items()}
    return drawn(network_figure(found.names, styles, dark, width_hint=_WIDTH), dark)


def network(found: AveragedNetwork, dark: bool, color: str = "", question: str = "strength") -> go.Figure:
    """Draw an averaged network, stronger edges thicker; the colour is that of what the strength answers."""
    names, styles = found.names, {}
    for i, j in np.argwhere(found.adjacency).tolist():
        share = float(found.strength[i, j])
        hover = f"<b>{plain(names[i])} → {plain(names[j])}</b><br>{question} {short(share)}"
        hover += f"<br>in this direction {percent(float(found.direction[i, j]))}"
        styles[i, j] = EdgeStyle(color or ink(dark), confidence_width(share), hover, opacity=confidence_opacity(share))
    return drawn(network_figure(names, styles, dark, width_hint=_WIDTH), dark)


def ensemble(found: Ensemble, dark: bool, threshold: float) -> go.Figure:
    """Draw the averaged network of an ensemble."""
    key = NAIVE if found.correction == "none" else CORRECTED
    return network(averaged_network(found, threshold), dark, method_color(key, dark), "found again")


def posterior(found: EdgePosterior | SampledPosterior, dark: bool, threshold: float) -> go.Figure:
    """Draw the pairs whose posterior probability reaches a threshold."""
    return network(_above(found, threshold), dark, posterior_color(dark), "real")


def _above(found: EdgePosterior | SampledPosterior, threshold: float) -> AveragedNetwork:
    return averaged_network(np.asarray(found.probability), threshold, found.names)


def drawn(picture: NetworkPicture, dark: bool) -> go.Figure:
    """Draw a network as a plotly figure of the size of its layout, with the geometry of the pages' own view."""
    layout, spec = picture.layouts[-1], picture.spec()
    paths = spec["layouts"][-1]
    shapes: list[dict[str, Any]] = []
    for style, path, head in zip(picture.edges.values(), paths["paths"], paths["heads"], strict=True):
        look = {"type": "path", "opacity": style.opacity, "layer": "below"}
        line = {"color": style.color, "width": style.width, "dash": style.dash}
        shapes.append({**look, "path": _each_curve(path), "line": line})
        if head:
            shapes.append({**look, "path": head, "fillcolor": style.color, "line": {"width": 0}})
    for (x, y), width in zip(layout.centres.tolist(), layout.widths.tolist(), strict=True):
        corners = {"x0": x - width / 2, "x1": x + width / 2, "y0": y - NODE_HEIGHT / 2, "y1": y + NODE_HEIGHT / 2}
        box = {"type": "rect", "layer": "below", "fillcolor": paper(dark), "line": {"color": ink(dark), "width": 1}}
        shapes.append({**box, **corners})
    figure, nodes = go.Figure(), spec["nodes"]
    text, told = [plain(node["label"]) for node in nodes], ["<br>".join(map(plain, node["text"])) for node in nodes]
    looks = {"mode": "text", "textfont": {"size": 12, "color": ink(dark)}, **pointed_at("%{hovertext}")}
    figure.add_scatter(x=layout.centres[:, 0], y=layout.centres[:, 1], text=text, hovertext=told, **looks)
    middles = [_middle(picture, edge) for edge in picture.edges]
    across, up = [x for x, _ in middles], [y for _, y in middles]
    ends = [[picture.names[i], picture.names[j]] for i, j in picture.edges]
    hovers = [style.hover for style in picture.edges.values()]
    add_marks(figure, across, up, {"size": 14, "opacity": 0}, "%{text}", customdata=ends, text=hovers)
    hidden = {"visible": False, "constrain": "domain"}
    x_axis, y_axis = {**hidden, "range": [-2, layout.width + 2]}, {**hidden, "range": [layout.height + 2, -2]}
    y_axis["scaleanchor"] = "x"
    framed(figure, dark, round(layout.height) + 20, x_axis, y_axis, hovermode="closest")
    return _on_paper(figure.update_layout(shapes=shapes, width=round(layout.width) + 20), dark)


def _on_paper(figure: go.Figure, dark: bool) -> go.Figure:
    """With a ground of its own: a notebook's may be of the other theme."""
    return figure.update_layout(paper_bgcolor=paper(dark))


def _each_curve(path: str) -> str:
    """Write a path in which every curve has a letter of its own, as plotly reads it."""
    start, _, points = path.partition("C")
    words = points.split()
    return start + "".join(f"C{' '.join(words[k : k + 3])}" for k in range(0, len(words), 3))


def _middle(picture: NetworkPicture, edge: Edge) -> tuple[float, float]:
    route = route_of(picture.layouts[-1], edge)
    x, y = route[len(route) // 2]
    return float(x), float(y)


def save(result: Any, target: str | Path | BinaryIO, width: float, suffix: str | None, **choices: Any) -> None:
    """Write the picture of a result for print, of a width in mm; choices as for its ``plot``."""
    name = suffix if suffix is not None else str(getattr(target, "name", target))
    kind = next((one for one in PICTURES if f".{name.lower()}".endswith(f".{one}")), None)
    if kind is None:
        raise ValueError(f"pictures for print are written as {', '.join(PICTURES)}; got '{name}'")
    if isinstance(result, Study):
        raw = published(_panels(result, False, **choices), width, kind)
    elif isinstance(result, TwoAnswers):
        raw = published([two_answers(result, False)], width, kind)
    elif isinstance(result, Verdict):
        picture = verdict_picture(result, False)
        inks = {edge: printed_edge(style) for edge, style in picture.edges.items()}
        legend = [(text, printed_edge(style)) for text, style in picture.legend]
        raw = printed(result.names, inks, kind, width, legend)
    else:
        raw = printed(result.names, _strengths(result, **choices), kind, width)
    if isinstance(target, str | Path):
        Path(target).write_bytes(raw)
    else:
        target.write(raw)


def _strengths(
    found: LearnedGraph | AveragedNetwork | Ensemble | EdgePosterior | SampledPosterior, threshold: float = 0.5
) -> dict[Edge, float | None]:
    """List the edges of a result that is drawn as a network."""
    if isinstance(found, Ensemble):
        found = averaged_network(found, threshold)
    elif isinstance(found, EdgePosterior | SampledPosterior):
        found = _above(found, threshold)
    edges = [(int(i), int(j)) for i, j in np.argwhere(found.adjacency)]
    return {edge: float(found.strength[edge]) if isinstance(found, AveragedNetwork) else None for edge in edges}
