"""The network above a confidence threshold next to the table of its edges, both following one slider."""

import json

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.averaged_network import AveragedNetwork
from pages._shared import session, show
from pages._shared.downloads import bif_button, json_button
from pages._shared.figures.confidence import JOINS
from pages._shared.figures.methods import TITLES
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import faint, method_color
from pages._shared.format import counted, escaped, listed, percent, short
from pages._shared.sections.confidence.threshold import RULES, RULES_HELP, Asked, chosen_threshold
from pages._shared.session import Key
from pages._shared.widgets.choice import choice

_STEADY = 0.25  # edges at least so confident fix the drawing's positions
_MOST_DRAWN = 400
_MOST_LISTED = 8
STRENGTH_HELP = "Share of the graphs that join the pair, in either direction."
DIRECTION_HELP = (
    "Of the graphs that join the pair, the share that directs it this way. About one half: the data do not tell the "
    "direction. Each resample breaks ties in an order of its own, so that a reversible edge has both directions."
)
Pairs = list[tuple[int, int]]


def network_and_edges(study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, kind: str) -> None:
    """Method, rule and slider; network and table."""
    titles = {key: TITLES[key] for key in study.ensembles if key != "data"}
    if not titles:
        return
    st.markdown("##### The network above a threshold")
    left, middle, right = st.columns([4, 5, 2], gap="medium")
    key = choice("confidence by", titles, Key.AVERAGED, left, first="boot_bc")
    rule = choice("suggested threshold", RULES, Key.RULE, middle, help=RULES_HELP)
    asked = Asked(study, experiment, data, key, kind)
    threshold = chosen_threshold(asked, rule, right)
    if threshold is None:
        return
    network = study.averaged(key, threshold.value, kind)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        show.note(
            f"**{counted(len(network.edges), 'edge')}** with a strength of at least {short(threshold.value)}; stronger "
            f"edges are thicker{threshold.expected_false}.",
            "threshold",
        )
        draw(asked, network, min(threshold.value, _STEADY))
    with right:
        edge_table(asked, network)
    take_away(asked, network)


def draw(asked: Asked, network: AveragedNetwork, steady: float) -> None:
    """The network; the edges of the ``steady`` threshold fix its layout."""
    edges = drawn_edges(network)
    if len(network.edges) > len(edges):
        st.info(f"The {len(edges)} strongest of {len(network.edges)} edges are drawn.")
    arrange = drawn_edges(asked.study.averaged(asked.key, steady, asked.kind)) or edges
    figure = network_figure(
        asked.data.names, edge_styles(asked, network, edges), session.dark(), arrange=arrange, width_hint=450
    )
    alt = f"Network of the {len(edges)} edges above the threshold"
    show.chart(figure, "confidence_network", alt, movable=True)
    st.caption("Dotted: not joined in the data's own graph. Arrows point as most of the graphs with the edge have it.")


def drawn_edges(network: AveragedNetwork) -> Pairs:
    """The edges, at most as many as are drawn, the strongest kept."""
    pairs = np.argwhere(network.adjacency)
    strongest = np.argsort(-network.strength[pairs[:, 0], pairs[:, 1]], kind="stable")[:_MOST_DRAWN]
    return [(int(i), int(j)) for i, j in pairs[np.sort(strongest)]]


def edge_styles(asked: Asked, network: AveragedNetwork, edges: Pairs) -> dict[tuple[int, int], EdgeStyle]:
    """Edges by strength; dotted where the graph learned from the data does not join the pair."""
    dark, names, kind = session.dark(), asked.data.names, asked.kind
    own = asked.study.presence("adjacency")
    strengths = {TITLES[key]: asked.study.strength(key, kind) for key in asked.study.ensembles}
    join = JOINS["adjacency" if kind == "adjacency" else "directed"]
    styles = {}
    for i, j in edges:
        share, mine, pair = float(network.strength[i, j]), bool(own[i, j]), (min(i, j), max(i, j))
        others = "<br>".join(f"{title} {short(strength[pair])}" for title, strength in strengths.items())
        styles[i, j] = EdgeStyle(
            method_color(asked.key, dark) if mine or share >= 0.5 else faint(dark),
            0.6 + 2.6 * share,
            f"<b>{plain(names[i])} {join} {plain(names[j])}</b><br>{others}<br>"
            f"directed so by {percent(network.direction[i, j])} of the graphs that have it<br>"
            f"{'in' if mine else 'not in'} the data's graph",
            "solid" if mine else "dot",
            arrow=kind != "adjacency",
        )
    return styles


def edge_table(asked: Asked, network: AveragedNetwork) -> None:
    """The network's edges with strength and direction, the strength by another method, and whether the data agree."""
    other = other_of(asked.study, asked.key)
    table = strength_table(asked, network, other)
    number, small = st.column_config.NumberColumn, {"format": "%.2f", "width": "small"}
    titles = {
        "strength": number("strength", help=STRENGTH_HELP, **small),
        "direction": number("direction", help=DIRECTION_HELP, **small),
        "other": number(f"strength, {TITLES[other or asked.key].removesuffix(' bootstrap')}", **small),
        "in_data_graph": st.column_config.CheckboxColumn(
            "data", width="small", help="Whether the data's own graph joins the pair."
        ),
    }
    show.table(table, titles, height=470)


def other_of(study: bn.Study, key: str) -> str | None:
    """The bootstrap to show next to a method: the corrected one, or the naive one next to that."""
    return next((k for k in ("boot_bc", "boot") if k in study.ensembles and k != key), None)


def strength_table(asked: Asked, network: AveragedNetwork, other: str | None) -> pd.DataFrame:
    """The lines of the table of edges."""
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
    """Which edges the network left out, how many it could not direct, and its downloads."""
    left_out = [f"{escaped(parent)} → {escaped(child)}" for parent, child in network.left_out]
    closing = f"Left out, because they would close a cycle: {listed(left_out, _MOST_LISTED)}."
    undecided = len(network.undecided)
    show.note(
        f"**Averaged network**: {counted(len(network.edges), 'edge')}, the strongest taken first, each directed as "
        "most of the graphs that have it direct it. "
        + (f"{counted(undecided, 'edge')} with as many graphs on either side. " if undecided else "")
        + (closing if left_out else "None left out."),
        "averaged",
        small=False,
    )
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
        bif_button("Averaged network", asked.data, network.edges, "averaged.bif")
        json_button("Averaged network and settings", json.dumps(content, indent=2), "averaged.json")
