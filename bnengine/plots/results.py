"""Figures of single results, on the screen and for print."""

from pathlib import Path
from typing import Annotated, Any, BinaryIO

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bnengine._core.display import percent, short
from bnengine._core.validation import Ge, Le, Share, one_of, validated
from bnengine.answers.edge_answers import EdgeAnswers
from bnengine.answers.edge_explanation import EdgeExplanation
from bnengine.answers.verdict import Verdict
from bnengine.answers.views import NetworkView, verdict_view
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.ensemble import AveragedNetwork, Ensemble, averaged_network
from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE
from bnengine.bootstrap.study import Study
from bnengine.experiment.paper import figure1_panel, figure1_panels
from bnengine.graphs.dag import Graph
from bnengine.graphs.layout import NODE_HEIGHT, route_of
from bnengine.graphs.pictures import PICTURES, printed
from bnengine.plots.confidence import figure1_figure, two_answers_figure
from bnengine.plots.data import missing_figure
from bnengine.plots.methods import AGAINST, MEASURES, distance_figure, edge_figure, reliability_figure
from bnengine.plots.network_drawing import Edge, EdgeStyle, NetworkPicture, plain, printed_edge
from bnengine.plots.palette import add_marks, framed, ink, method_color, paper, pointed_at
from bnengine.plots.publication import published
from bnengine.plots.verdict_drawing import view_picture
from bnengine.posterior import EdgePosterior
from bnengine.scores.missingness import Missingness
from bnengine.search import LearnedGraph

_WIDTH = 900  # pixels
_PANEL = 300
#: The width of a picture for print, mm.
Millimetres = Annotated[float, Ge(30), Le(1_000)]


@validated
def figure1(study: Study, kind: str = "directed", dark: bool = False) -> go.Figure:
    """Draw Figure 1 of Steck & Jaakkola (2003): each edge's confidence by one method against another's.

    Parameters
    ----------
    study : Study
    kind : {"directed", "adjacency", "compelled"}
        What counts as an edge.
    dark : bool
        Whether it is for a dark ground.

    Returns
    -------
    plotly.graph_objects.Figure
        The bootstraps against the given data and against each other, side by side.

    Raises
    ------
    ValueError
        If the study has no replicates.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(200, rng=1)
    >>> methods = bn.resampling_methods(5, keys=("bootstrap", "bootstrap_corrected"))
    >>> figure = bn.plots.figure1(bn.study(data, bn.BIC(), bn.HillClimbing(), methods))
    >>> [axis.title.text for axis in figure.select_xaxes()]
    ['Given data', 'Given data', 'Corrected bootstrap']
    """
    panels = _panels(study, dark, kind)
    figure = framed(make_subplots(1, len(panels), horizontal_spacing=0.09), dark, _PANEL)
    for column, panel in enumerate(panels, start=1):
        figure.add_traces(panel.data, rows=1, cols=column)
        for axis, update in ((panel.layout.xaxis, figure.update_xaxes), (panel.layout.yaxis, figure.update_yaxes)):
            looks = axis.to_plotly_json()
            tied = {"scaleanchor": f"x{column if column > 1 else ''}"} if "scaleanchor" in looks else {}
            update({**looks, **tied}, row=1, col=column)
    return _on_paper(figure.update_layout(width=_PANEL * len(panels) + 40, hovermode="closest"), dark)


@validated
def network(graph: Graph | Ensemble | EdgePosterior, threshold: Share = 0.5, dark: bool = False) -> go.Figure:
    """Draw a graph: stronger edges of an averaged network thicker and darker, those of a verdict in its colours.

    An arrow of a verdict has a head where the direction is settled.

    Parameters
    ----------
    graph : LearnedGraph, BayesianNetwork, Verdict, AveragedNetwork, Ensemble or EdgePosterior
        The last two are averaged first; see ``bn.answers.averaged_network``.
    threshold : float
        Least share of an ensemble's graphs, or probability, that joins a pair.
    dark : bool
        Whether it is for a dark ground.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import bnengine as bn
    >>> graph = bn.learn(bn.load_network("cancer").sample(2_000, rng=1))
    >>> figure = bn.plots.network(graph)
    >>> len(figure.data[1].customdata) == len(graph.edges)
    True
    """
    if isinstance(graph, Verdict):
        return drawn(view_picture(verdict_view(graph), dark), dark)
    color, question = ink(dark), "strength"
    if isinstance(graph, EdgePosterior):
        color, question = method_color("posterior", dark), "real"
    elif isinstance(graph, Ensemble):
        color, question = method_color(NAIVE if graph.correction == "none" else CORRECTED, dark), "found again"
    found, styles = _averaged(graph, threshold), {}
    for i, j in np.argwhere(found.adjacency).tolist():
        hover = f"<b>{plain(found.names[i])} → {plain(found.names[j])}</b>"
        styles[i, j] = EdgeStyle(color, 1.6, hover)
        if isinstance(found, AveragedNetwork):
            share = float(found.strength[i, j])
            hover += f"<br>{question} {short(share)}<br>in this direction {percent(float(found.direction[i, j]))}"
            styles[i, j] = EdgeStyle(color, 0.7 + 2.3 * share, hover, opacity=0.4 + 0.6 * share)
    return drawn(NetworkPicture(found.names, styles, width_hint=_WIDTH), dark)


def _averaged(found: Graph | Ensemble | EdgePosterior, threshold: float) -> Graph:
    """Return the graph that is drawn of a result: of an ensemble or a posterior its averaged network."""
    if isinstance(found, EdgePosterior):
        return averaged_network(np.asarray(found.probability), threshold, found.names)
    return averaged_network(found, threshold) if isinstance(found, Ensemble) else found


@validated
def two_answers(answers: EdgeAnswers, dark: bool = False) -> go.Figure:
    """Draw one mark for each edge: found again across, real upwards.

    Parameters
    ----------
    answers : EdgeAnswers
    dark : bool
        Whether it is for a dark ground.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If the answers were joined without a posterior.
    """
    if not answers.has_posterior:
        raise ValueError("answers were joined without a posterior, so that there is only one answer about each edge")
    return _on_paper(two_answers_figure(answers, dark).update_layout(width=_WIDTH * 2 // 3), dark)


@validated
def calibration(found: Calibration, measure: str = "total_absolute_error", dark: bool = False) -> go.Figure:
    """Draw how well the methods do on tables from a known network.

    Parameters
    ----------
    found : Calibration
    measure : str
        ``"total_absolute_error"`` or ``"brier"``: the error of each method. ``"inclusion_probability"`` or
        ``"in_network"``: reliability diagrams, what becomes of edges of a confidence.
    dark : bool
        Whether it is for a dark ground.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    one_of(measure, "measure", (*MEASURES, *AGAINST))
    if measure in AGAINST:
        resampled = [key for key in found.confidence if key != "data"]
        return _on_paper(reliability_figure(found, resampled, measure, dark), dark)
    return _on_paper(distance_figure(found, measure, dark), dark)


@validated
def missing_cells(found: Missingness, dark: bool = False) -> go.Figure:
    """Draw each variable's share of missing cells above the most frequent patterns of what is missing together.

    Parameters
    ----------
    found : Missingness
    dark : bool
        Whether it is for a dark ground.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    return _on_paper(missing_figure(found, dark).update_layout(width=_WIDTH * 2 // 3), dark)


@validated
def edge(explanation: EdgeExplanation, dark: bool = False) -> go.Figure:
    """Draw every method's confidence in one edge, and the posterior's.

    Parameters
    ----------
    explanation : EdgeExplanation
    dark : bool
        Whether it is for a dark ground.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If the edge was explained without a study and a posterior.
    """
    if not explanation.answers:
        raise ValueError(
            "the edge was explained without a study and a posterior, so that no method says anything of it"
        )
    return _on_paper(edge_figure(explanation, dark).update_layout(width=_WIDTH * 2 // 3), dark)


@validated
def save(
    result: Any, target: str | Path | BinaryIO, width: Millimetres = 85.0, suffix: str | None = None, **choices: Any
) -> None:
    """Write a picture for print, in which no text is smaller than 7 points.

    Parameters
    ----------
    result : Study, EdgeAnswers, Verdict, NetworkView, LearnedGraph, AveragedNetwork, Ensemble or posterior
    target : path or binary file
    width : float
        Of the picture, mm: 85 for a column, 175 for a page of most journals.
    suffix : {"svg", "pdf", "png"}, optional
        None takes the suffix of the path.
    **choices
        As for the function that draws the result: ``kind`` of ``figure1``, ``threshold`` of ``network``.

    Raises
    ------
    ValueError
        If the format is another, a network's labels would be smaller, or the result has no picture for print.

    Examples
    --------
    >>> import io
    >>> import bnengine as bn
    >>> picture = io.BytesIO()
    >>> bn.plots.save(bn.learn(bn.load_network("cancer").sample(2_000, rng=1)), picture, suffix="svg")
    >>> picture.getvalue()[:5]
    b'<?xml'
    """
    name = suffix if suffix is not None else str(getattr(target, "name", target))
    suffix = next((one for one in PICTURES if f".{name.lower()}".endswith(f".{one}")), None)
    if suffix is None:
        raise ValueError(f"pictures for print are written as {', '.join(PICTURES)}; got '{name}'")
    raw = _printed(result, width, suffix, **choices)
    if isinstance(target, str | Path):
        Path(target).write_bytes(raw)
    else:
        target.write(raw)


def _printed(result: Any, width: float, suffix: str, **choices: Any) -> bytes:
    if isinstance(result, Study):
        return published(_panels(result, False, **choices), width, suffix)
    if isinstance(result, EdgeAnswers):
        return published([two_answers(result)], width, suffix)
    if isinstance(result, Verdict | NetworkView):
        picture = view_picture(verdict_view(result) if isinstance(result, Verdict) else result, False)
        inks = {edge: printed_edge(style) for edge, style in picture.edges.items()}
        legend = [(text, printed_edge(style)) for text, style in picture.legend]
        return printed(picture.labels, inks, suffix, width, legend, picture.layered)
    if isinstance(result, LearnedGraph | AveragedNetwork | Ensemble | EdgePosterior):
        return printed(result.names, _strengths(result, **choices), suffix, width)
    raise ValueError(
        f"result must be a study, a verdict, two answers, a graph, an ensemble or a posterior; got "
        f"{type(result).__name__}; a figure is written by its own write_image"
    )


def _strengths(found: Graph | Ensemble | EdgePosterior, threshold: float = 0.5) -> dict[Edge, float | None]:
    """List the edges of a result that is drawn as a network."""
    graph = _averaged(found, threshold)
    edges = [(int(i), int(j)) for i, j in np.argwhere(graph.adjacency)]
    return {edge: float(graph.strength[edge]) if isinstance(graph, AveragedNetwork) else None for edge in edges}


def _panels(study: Study, dark: bool, kind: str = "directed") -> list[go.Figure]:
    pairs = figure1_panels(study)
    if not pairs:
        raise ValueError("study has no replicates of a resampling method, so that there is nothing to compare")
    return [figure1_figure(figure1_panel(study, across, up, kind), dark, kind=kind) for across, up in pairs]


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
    text, hover = [plain(node["label"]) for node in nodes], ["<br>".join(map(plain, node["text"])) for node in nodes]
    looks = {"mode": "text", "textfont": {"size": 12, "color": ink(dark)}, **pointed_at("%{hovertext}")}
    figure.add_scatter(x=layout.centres[:, 0], y=layout.centres[:, 1], text=text, hovertext=hover, **looks)
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
