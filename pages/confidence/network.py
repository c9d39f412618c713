"""The network above a threshold with its edges; two networks on one layout."""

import json

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.ensemble import AveragedNetwork
from bnengine.bootstrap.resampling_methods import JOINS, LABELS, TITLES
from bnengine.plots.network_drawing import (
    Edge,
    EdgeStyle,
    confidence_legend,
    confidence_opacity,
    confidence_width,
    network_figure,
    plain,
)
from bnengine.plots.palette import aside, method_color, posterior_color
from bnengine.posterior import EdgePosterior
from pages.confidence.answer_tables import (
    answer_titles,
    edge_sentence,
    edges_in_one,
    found_again_by,
    how_right,
    method_titles,
    what_counts,
)
from pages.confidence.threshold import (
    ShownMethod,
    Threshold,
    chosen_threshold,
    disagreement_list,
    expectations,
    other_thresholds,
)
from pages.shared import settings, show, state
from pages.shared.downloads import csv_button, json_button, take_network_along
from pages.shared.format import counted, escaped, listed, percent, short
from pages.shared.keys import Key
from pages.shared.show import two_graphs
from pages.shared.widgets.choice import lazy_expander, tabs
from pages.shared.widgets.constraints_control import chosen_in, chosen_part

# Two networks on one layout: naive against corrected, learned against averaged, found again against real.

PAIRS = {"methods": "Naive and corrected", "data": "Learned and averaged", "answers": "Found again and real"}


def compared_networks(method_shown: ShownMethod, threshold: float, arrange: list[Edge]) -> None:
    """Show the chosen pair of networks, both at the same threshold."""
    study, dark = method_shown.study, state.dark()
    offered = dict(PAIRS)
    if not {"bootstrap", "bootstrap_corrected"} <= set(study.ensembles):
        del offered["methods"]
    if method_shown.real is None:
        del offered["answers"]
    pair = tabs("Networks compared", offered, Key.NETWORK_PAIR)
    averaged = study.averaged(method_shown.key, threshold, method_shown.kind).edges
    color = method_color(method_shown.key, dark)
    if pair == "methods":
        keys = ("bootstrap", "bootstrap_corrected")
        one, other = (study.averaged(key, threshold, method_shown.kind).edges for key in keys)
        titles, colors = ("naive", "corrected"), (method_color(keys[0], dark), method_color(keys[1], dark))
    elif pair == "answers" and method_shown.real is not None:
        real = bn.averaged_network(method_shown.real.probability, threshold, method_shown.data.names)
        one, other = averaged, real.edges
        titles, colors = ("found again", "real"), (color, posterior_color(dark))
    else:
        one, other = study.reference.edges, averaged
        titles, colors = ("learned from the data", "averaged"), (aside(dark), color)
    dash = "dot" if pair == "data" else "solid"
    two_graphs(method_shown.data.names, one, other, titles, colors, "two_networks", arrange, dash)
    how = "posterior probability" if pair == "answers" else "strength"
    by = "" if pair == "methods" else f" Found again by: {TITLES[method_shown.key]}."
    show.note(f"Pairs whose {how} reaches the threshold, each in its more frequent direction.{by}", "pair")


_NETWORKS = {"averaged": "Averaged", "compared": "Two compared"}
_STEADY = 0.25  # edges of at least this strength, over all methods, fix the positions in the drawing
_MOST_DRAWN = 400
_MOST_LISTED = 8
DIRECTION_HELP = (
    "Share of this direction among the graphs in which the pair is adjacent. About one half means that the data do not "
    "determine the direction: each replicate breaks ties in its own order, so a reversible edge has both directions."
)
Pairs = list[tuple[int, int]]


def network_and_edges(
    study: bn.Study,
    experiment: bn.Experiment,
    data: bn.Dataset,
    real: EdgePosterior | None,
    threshold: dict[str, float | None],
) -> None:
    """Show the averaged network, its edges, and where it and the graph learned from the data disagree.

    ``threshold["shown"]`` becomes that of the averaged network, None without one, and ``threshold["by hand"]`` the same
    if no rule suggests it.
    """
    if not method_titles(study):
        return
    threshold |= {"shown": None, "by hand": None}
    left, middle, right = st.container(key=Key.wide("networks")).columns([5, 4, 4], vertical_alignment="bottom")
    rule = tabs("Network", _NETWORKS, Key.NETWORK_RULE, left)
    found_again_by(study, middle)
    what_counts(right)
    method_shown = ShownMethod(study, experiment, data, settings.shown_method(study), real)
    found = above_threshold(method_shown, rule == "compared")
    if found is not None:
        threshold |= {"shown": found.value, "by hand": found.value if found.by_hand else None}


def above_threshold(method_shown: ShownMethod, compared: bool) -> Threshold | None:
    """Return the pairs whose strength reaches the threshold, and what is known of the false ones.

    Or two networks there.
    """
    picture = st.container()
    left, right = st.container(key=Key.wide("threshold")).columns(2, gap="medium")
    threshold = chosen_threshold(method_shown, left, right)
    if threshold is None:
        return None
    if compared:
        with picture:
            compared_networks(method_shown, threshold.value, arranging(method_shown))
        return threshold
    network = method_shown.study.averaged(method_shown.key, threshold.value, method_shown.kind)
    text = (
        f"**{counted(len(network.edges), 'edge')}** with strength {short(threshold.value)} or more"
        f"{threshold.expected_false}. Stronger edges are thicker."
    )
    with picture:
        shown(method_shown, network, text)
    edge_table(method_shown, network)
    left_out_edges(network)
    take_away(method_shown, network)
    other_thresholds(method_shown, threshold.value)
    disagreements(method_shown, network)
    return threshold


def disagreements(method_shown: ShownMethod, network: AveragedNetwork) -> None:
    """Show where the network and the graph learned from the data disagree, after a click."""
    title = "Where the averaged network and the graph learned from the data disagree"
    lazy_expander(title, "disagreements", ":material/compare_arrows:", lambda: disagreement_list(method_shown, network))


def shown(method_shown: ShownMethod, network: AveragedNetwork, text: str) -> None:
    """Draw the network, and what to expect of its edges."""
    show.note(text, "threshold")
    expectations(method_shown, network)
    draw(method_shown, network)


def draw(method_shown: ShownMethod, network: AveragedNetwork) -> None:
    """Draw the network; its layout depends neither on the threshold nor on the method."""
    edges = drawn_edges(network)
    if len(network.edges) > len(edges):
        st.info(f"The {len(edges)} strongest of {len(network.edges)} edges are drawn.")
    arrange = arranging(method_shown) or edges
    styles, names = edge_styles(method_shown, network, edges), method_shown.data.names
    dark, chosen = state.dark(), chosen_in(names, styles)
    legend = confidence_legend(method_color(method_shown.key, dark))
    picture = network_figure(names, styles, dark, arrange=arrange, chosen=chosen, legend=legend)
    show.chart(
        chosen_part(picture, "confidence_network", arrange),
        "confidence_network",
        f"Network of {counted(len(edges), 'edge')} above the threshold",
        clickable=True,
        caption="Dotted: not adjacent in the graph learned from the data. Arrows have the more frequent direction. "
        "Click an edge for what is known of it, and to require or forbid it.",
    )
    if isinstance(picture.chosen, tuple):
        show.note(clicked_sentence(method_shown, network, *picture.chosen), "clicked edge", small=False)
        show.note(how_right(method_shown.pairs, *picture.chosen), "how right clicked")


def clicked_sentence(method_shown: ShownMethod, network: AveragedNetwork, i: int, j: int) -> str:
    """Say both answers about the edge that was clicked, and how often it has this direction."""
    return (
        f"{edge_sentence(method_shown.pairs, i, j)} In this direction in {percent(network.direction[i, j])} of the "
        "graphs with the edge."
    )


def arranging(method_shown: ShownMethod) -> Pairs:
    """Return the edges of the network averaged over all methods, at a fixed threshold."""
    confidences = [e.confidence for key, e in sorted(method_shown.study.ensembles.items()) if key != "data"]
    return drawn_edges(bn.averaged_network(np.mean(confidences, axis=0), _STEADY, method_shown.data.names))


def drawn_edges(network: AveragedNetwork) -> Pairs:
    """Return the edges that are drawn: the strongest, up to a limit."""
    pairs = np.argwhere(network.adjacency)
    strongest = np.argsort(-network.strength[pairs[:, 0], pairs[:, 1]], kind="stable")[:_MOST_DRAWN]
    return [(int(i), int(j)) for i, j in pairs[np.sort(strongest)]]


def edge_styles(method_shown: ShownMethod, network: AveragedNetwork, edges: Pairs) -> dict[tuple[int, int], EdgeStyle]:
    """Style edges by strength; dotted where the pair is not adjacent in the graph learned from the data."""
    dark, names, kind = state.dark(), method_shown.data.names, method_shown.kind
    own = method_shown.study.presence("adjacency")
    strengths = {LABELS[key]: method_shown.study.strength(key, kind) for key in method_shown.study.ensembles}
    join, pairs = JOINS["adjacency" if kind == "adjacency" else "directed"], method_shown.pairs
    styles = {}
    for i, j in edges:
        share, mine, pair = float(network.strength[i, j]), bool(own[i, j]), (min(i, j), max(i, j))
        others = "<br>".join(f"{title}: {short(strength[pair])}" for title, strength in strengths.items())
        if pairs.real is not None:
            others += f"<br><b>Real</b> (posterior): {short(float(pairs.real[i, j]))}"
        styles[i, j] = EdgeStyle(
            method_color(method_shown.key, dark),
            confidence_width(share),
            f"<b>{plain(names[i])} {join} {plain(names[j])}</b><br><b>Found again</b><br>{others}<br>"
            f"This direction in {percent(network.direction[i, j])} of the graphs with the edge<br>"
            f"{'In' if mine else 'Not in'} the graph learned from the data",
            "solid" if mine else "dot",
            arrow=kind != "adjacency",
            opacity=confidence_opacity(share),
        )
    return styles


def edge_table(method_shown: ShownMethod, network: AveragedNetwork) -> None:
    """Draw the network's edges: found again, real, how often in this direction, and whether learned from the data."""
    direction = {"help": DIRECTION_HELP, "width": 80, "format": "%.2f"}
    table = strength_table(method_shown, network)
    shown = edges_in_one(table, JOINS["adjacency" if method_shown.kind == "adjacency" else "directed"])
    titles = answer_titles(method_shown.pairs, shown) | {"direction": ("Direction", direction)}
    show.edge_rows(table, Key.table("network"), 250, titles, shown=shown)


def strength_table(method_shown: ShownMethod, network: AveragedNetwork) -> pd.DataFrame:
    """Return the rows of the table of edges: strength, which answers *found again*, and the posterior probability."""
    pairs = method_shown.pairs
    table = pairs.rows(network.adjacency, direction=network.direction)
    return table[[*(name for name in table if name != "in_data_graph"), "in_data_graph"]]


def left_out_edges(network: AveragedNetwork) -> None:
    """Show the edges that the network left out, and the number of edges without a clear direction."""
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


def take_away(method_shown: ShownMethod, network: AveragedNetwork) -> None:
    """Offer downloads of the network."""
    table = strength_table(method_shown, network)
    content = {
        "edges": network.edges,
        "left_out": network.left_out,
        "threshold": network.threshold,
        "strengths": network.table().to_dict("records"),
        "answers": table.to_dict("records"),
        "method": method_shown.key,
        "experiment": method_shown.experiment.to_dict(),
        "version": bn.__version__,
    }
    with st.container(horizontal=True):
        csv_button("Edges of the network", table, "averaged_edges.csv")
        shares = network.strength, network.direction
        take_network_along(
            method_shown.data, network.edges, "averaged_network", *shares, about={"method": method_shown.key}
        )
        json_button("Averaged network and settings", json.dumps(content, indent=2), "averaged.json")
