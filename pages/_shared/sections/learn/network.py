"""The learned graph, and the edges whose direction depends on equivalence or ties."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.tie_effect import TieEffect
from pages._shared import session, show
from pages._shared.figures.network import EdgeStyle, NetworkPicture, network_figure, plain
from pages._shared.figures.palette import ink
from pages._shared.format import both_units, counted, escaped, listed, short
from pages._shared.jobs import experiments
from pages._shared.sections.learn.node import node_panel
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs
from pages._shared.widgets.edge_actions import edge_actions
from pages._shared.widgets.network_part import chosen_in, chosen_part

GRAPH, CLASS = "Graph", "Equivalence class"
_VIEW = "learned_network"
_MOST_LISTED = 5
Gains = dict[tuple[str, str], float]


def draw(data: bn.Dataset, graph: bn.LearnedGraph, gains: Gains, experiment: bn.Experiment) -> None:
    """The picture, and what was clicked in it: an edge with its gain, or a variable with its probabilities."""
    about = "The equivalence class shows edges without arrowheads if the data cannot determine their direction."
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    view = tabs("View", [GRAPH, CLASS], Key.VIEW, left, help=about)
    reversible = graph.cpdag & graph.cpdag.T
    whole = learned_figure(data, gains, reversible if view == CLASS else np.zeros_like(reversible))
    picture = chosen_part(whole, _VIEW, place=right)
    show.chart(picture, _VIEW, f"Network with {counted(len(picture.edges), 'edge')}", clickable=True)
    chosen, node = session.data.chosen_edge(), session.data.chosen_node()
    if chosen in gains:
        parent, child = map(escaped, chosen)
        n_parents = int(graph.adjacency[:, data.index(chosen[1])].sum())
        sentence = (
            f"**{parent} → {child}** adds {both_units(gains[chosen])} to the score; {child} has "
            f"{counted(n_parents, 'parent')}."
        )
        edge_actions(chosen, sentence, experiment.constraints)
    elif chosen in experiment.constraints.forbidden:
        sentence = f"**{escaped(chosen[0])} → {escaped(chosen[1])}** is not in this graph."
        edge_actions(chosen, sentence, experiment.constraints)
    elif node in data.names:
        node_panel(data, list(gains), node, _VIEW)
    elif view == CLASS:
        show.note(
            f"{int(np.triu(reversible).sum())} of {counted(len(gains), 'edge')} without arrowhead: reversing them "
            "gives graphs that fit the data equally well, so the data cannot determine their direction.",
            "class",
        )
    else:
        st.caption("Click an edge for its gain, and to require or forbid it; click a variable for its probabilities.")


def learned_figure(data: bn.Dataset, gains: Gains, without_head: np.ndarray) -> NetworkPicture:
    """Edges by gain."""
    dark, most = session.dark(), max(gains.values())
    styles = {}
    for (parent, child), gain in gains.items():
        edge = data.index(parent), data.index(child)
        join = "–" if without_head[edge] else "→"
        share = math.sqrt(max(gain, 0.0) / most) if most > 0 else 0.0
        hover = f"<b>{plain(parent)} {join} {plain(child)}</b><br>gain {both_units(gain)}"
        styles[edge] = replace(_style(dark, share, hover), arrow=not without_head[edge], strength=max(gain, 0.0))
    legend = (
        [(f"gain of {short(share**2 * most)} nats", _style(dark, share, "")) for share in (0.3, 1.0)]
        if most > 0
        else []
    )
    return network_figure(
        data.names,
        styles,
        dark,
        chosen=chosen_in(data.names, styles),
        legend=legend,
        hide="Hide gains below, nats:",
    )


def _style(dark: bool, share: float, hover: str) -> EdgeStyle:
    """By the root of the gain as a share of the largest."""
    return EdgeStyle(ink(dark), 0.8 + 2.4 * share, hover, opacity=0.45 + 0.55 * share)


def ties(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """The number of reversible edges, and the effect of the order in which ties are broken; the way on."""
    reversible = int(np.triu(graph.cpdag & graph.cpdag.T).sum())
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="center")
    buttons = right.container(horizontal=True, horizontal_alignment="right")
    turned = f"**{reversible} of {counted(len(graph.edges), 'edge')}** can be reversed within the equivalence class"
    if experiment.ties == "columns":
        left.caption(f"{turned}. Ties are broken in the order of the columns.")
        _next_step(buttons)
        return
    buttons.button(
        "New order",
        icon=":material/shuffle:",
        help="Uses the next seed, so that ties are broken in another order.",
        on_click=session.settings.next_seed,
        key=Key.NEW_ORDER,
    )
    _next_step(buttons)
    with left:
        effect = experiments.tie_effect_of(experiment, data, graph)
        st.caption(f"{turned}." if effect is None else f"{turned}. {tie_sentence(effect)}")


def _next_step(place: "st.delta_generator.DeltaGenerator") -> None:
    if place.button(
        "Next: confidence", type="primary", icon=":material/arrow_forward:", key=Key.of(Key.NEXT, "confidence")
    ):
        session.history.open_page("pages/confidence.py")


def tie_sentence(effect: TieEffect) -> str:
    """The effect of breaking ties in other orders."""
    orders = f"In {effect.n_orders} runs with other orders of ties, the search found "
    if effect.n_graphs == 1:
        return f"{orders}the same graph each time."
    classes = f"{counted(effect.n_graphs, 'different graph')} in {counted(effect.n_classes, 'equivalence class')}"
    if not effect.unsettled:
        return f"{orders}{classes}, all with the same adjacencies."
    shown = listed([f"{escaped(one)} – {escaped(other)}" for one, other in effect.unsettled], _MOST_LISTED)
    return f"{orders}{classes}; {counted(len(effect.unsettled), 'pair')} adjacent in only some of them: {shown}."
