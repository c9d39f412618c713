"""The network above a threshold of the strength next to the table of its edges, both controlled by one slider."""

import json

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.averaged_network import AveragedNetwork
from pages._shared import session, show
from pages._shared.downloads import json_button
from pages._shared.figures.edge_styles import confidence_legend, confidence_opacity, confidence_width
from pages._shared.figures.methods import JOINS, LABELS, TITLES
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import method_color
from pages._shared.format import counted, escaped, listed, percent, short
from pages._shared.sections.confidence.threshold import Asked, chosen_threshold
from pages._shared.session import Key
from pages._shared.take_along import take_network_along
from pages._shared.widgets.choice import choice
from pages._shared.widgets.edge_actions import edge_actions
from pages._shared.widgets.network_part import chosen_in, chosen_part

_STEADY = 0.25  # edges of at least this strength, over all methods, fix the positions in the drawing
_MOST_DRAWN = 400
_MOST_LISTED = 8
STRENGTH_HELP = "Share of the graphs in which the pair is adjacent, in either direction."
DIRECTION_HELP = (
    "Share of this direction among the graphs in which the pair is adjacent. About one half means that the data do not "
    "determine the direction: each replicate breaks ties in its own order, so a reversible edge has both directions."
)
Pairs = list[tuple[int, int]]


def network_and_edges(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset) -> None:
    """Method, rule and slider; network and table."""
    titles = {key: LABELS[key] for key in study.ensembles if key != "data"}
    if not titles:
        return
    st.markdown("##### Network above a threshold")
    left, middle, right = st.columns([3, 6, 2], gap="medium")
    asked = Asked(study, experiment, data, choice("Confidence by", titles, Key.AVERAGED, left, first="boot_bc"))
    threshold = chosen_threshold(asked, middle, right)
    if threshold is None:
        return
    network = study.averaged(asked.key, threshold.value, asked.kind)
    show.note(
        f"**{counted(len(network.edges), 'edge')}** with strength {short(threshold.value)} or more"
        f"{threshold.expected_false}. Stronger edges are thicker.",
        "threshold",
    )
    draw(asked, network)
    edge_table(asked, network)
    take_away(asked, network)


def draw(asked: Asked, network: AveragedNetwork) -> None:
    """The network; its layout depends neither on the threshold nor on the method."""
    edges = drawn_edges(network)
    if len(network.edges) > len(edges):
        st.info(f"The {len(edges)} strongest of {len(network.edges)} edges are drawn.")
    arrange = arranging(asked) or edges
    styles, names = edge_styles(asked, network, edges), asked.data.names
    picture = network_figure(
        names,
        styles,
        session.dark(),
        arrange=arrange,
        chosen=chosen_in(names, styles),
        legend=confidence_legend(method_color(asked.key, session.dark())),
    )
    show.chart(
        chosen_part(picture, "confidence_network", arrange),
        "confidence_network",
        f"Network of {counted(len(edges), 'edge')} above the threshold",
        clickable=True,
        caption="Dotted: not adjacent in the graph learned from the data. Arrows have the more frequent direction. "
        "Click an edge to require or forbid it.",
    )
    if isinstance(picture.chosen, tuple):
        parent, child = (names[v] for v in picture.chosen)
        edge_actions((parent, child), edge_sentence(asked, network, *picture.chosen), asked.experiment.constraints)


def edge_sentence(asked: Asked, network: AveragedNetwork, i: int, j: int) -> str:
    """How often the edge that was clicked is found again."""
    names, join = network.names, JOINS["adjacency" if asked.kind == "adjacency" else "directed"]
    return (
        f"**{escaped(names[i])} {join} {escaped(names[j])}** is found again with confidence "
        f"{short(float(network.strength[i, j]))} in either direction ({TITLES[asked.key]}), and in this direction in "
        f"{percent(network.direction[i, j])} of the graphs with the edge."
    )


def arranging(asked: Asked) -> Pairs:
    """The edges of the network averaged over all methods, at a fixed threshold."""
    confidences = [e.confidence for key, e in sorted(asked.study.ensembles.items()) if key != "data"]
    return drawn_edges(bn.averaged_network(np.mean(confidences, axis=0), _STEADY, asked.data.names))


def drawn_edges(network: AveragedNetwork) -> Pairs:
    """The edges that are drawn: the strongest, up to a limit."""
    pairs = np.argwhere(network.adjacency)
    strongest = np.argsort(-network.strength[pairs[:, 0], pairs[:, 1]], kind="stable")[:_MOST_DRAWN]
    return [(int(i), int(j)) for i, j in pairs[np.sort(strongest)]]


def edge_styles(asked: Asked, network: AveragedNetwork, edges: Pairs) -> dict[tuple[int, int], EdgeStyle]:
    """Edges by strength; dotted where the pair is not adjacent in the graph learned from the data."""
    dark, names, kind = session.dark(), asked.data.names, asked.kind
    own = asked.study.presence("adjacency")
    strengths = {LABELS[key]: asked.study.strength(key, kind) for key in asked.study.ensembles}
    join = JOINS["adjacency" if kind == "adjacency" else "directed"]
    styles = {}
    for i, j in edges:
        share, mine, pair = float(network.strength[i, j]), bool(own[i, j]), (min(i, j), max(i, j))
        others = "<br>".join(f"{title}: {short(strength[pair])}" for title, strength in strengths.items())
        styles[i, j] = EdgeStyle(
            method_color(asked.key, dark),
            confidence_width(share),
            f"<b>{plain(names[i])} {join} {plain(names[j])}</b><br>{others}<br>"
            f"This direction in {percent(network.direction[i, j])} of the graphs with the edge<br>"
            f"{'In' if mine else 'Not in'} the graph learned from the data",
            "solid" if mine else "dot",
            arrow=kind != "adjacency",
            opacity=confidence_opacity(share),
        )
    return styles


def edge_table(asked: Asked, network: AveragedNetwork) -> None:
    """The network's edges with strength and direction, the strength by another method, and their adjacency."""
    other = next((key for key in ("boot_bc", "boot") if key in asked.study.ensembles and key != asked.key), None)
    small = {"width": "small"}
    titles = {
        "strength": ("Strength", {"help": STRENGTH_HELP, "format": "%.2f", **small}),
        "direction": ("Direction", {"help": DIRECTION_HELP, "format": "%.2f", **small}),
        "other": (f"Strength, {TITLES[other or asked.key].removesuffix(' bootstrap')}", {"format": "%.2f", **small}),
        "in_data_graph": (
            "Learned",
            {"help": "Whether the pair is adjacent in the graph learned from the data."} | small,
        ),
    }
    show.table(strength_table(asked, network, other), titles, height=320)


def strength_table(asked: Asked, network: AveragedNetwork, other: str | None) -> pd.DataFrame:
    """The rows of the table of edges."""
    table = network.table()
    place = {name: v for v, name in enumerate(network.names)}
    pairs = [sorted((place[p], place[c])) for p, c in zip(table["parent"], table["child"], strict=True)]
    if other is not None:
        strength = asked.study.strength(other, asked.kind)
        table["other"] = [strength[i, j] for i, j in pairs]
    own = asked.study.presence("adjacency")
    table["in_data_graph"] = [bool(own[i, j]) for i, j in pairs]
    return table


def take_away(asked: Asked, network: AveragedNetwork) -> None:
    """The edges that the network left out, the number of edges without a clear direction, and downloads."""
    left_out = [f"{escaped(parent)} → {escaped(child)}" for parent, child in network.left_out]
    undecided = len(network.undecided)
    text = (
        f"**Averaged network**: {counted(len(network.edges), 'edge')}, added from the strongest to the weakest, each "
        "in its more frequent direction."
    )
    if undecided:
        text += f" {counted(undecided, 'edge')} with both directions equally frequent."
    if left_out:
        text += f" Left out because they would close a cycle: {listed(left_out, _MOST_LISTED)}."
    show.note(text, "averaged", small=False)
    content = {
        "edges": network.edges,
        "left_out": network.left_out,
        "threshold": network.threshold,
        "strengths": network.table().to_dict("records"),
        "method": asked.key,
        "experiment": asked.experiment.to_dict(),
        "version": bn.__version__,
    }
    with st.container(horizontal=True):
        take_network_along(
            asked.data, network.edges, "averaged_network", network.strength, network.direction, {"method": asked.key}
        )
        json_button("Averaged network and settings", json.dumps(content, indent=2), "averaged.json")
