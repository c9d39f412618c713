"""The learned network, drawn, and how far ties and equivalence settle its edges."""

import math

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.tie_effect import TieEffect
from pages._shared import session, show
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import ink
from pages._shared.format import both_units, counted, escaped, listed
from pages._shared.jobs import experiments
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

DRAWN, CLASS = "graph", "equivalence class"
_MOST_LISTED = 5
Gains = dict[tuple[str, str], float]


def draw(data: bn.Dataset, graph: bn.LearnedGraph, gains: Gains) -> None:
    """The picture, and the line of the edge that was clicked."""
    view = tabs(
        "What is drawn",
        [DRAWN, CLASS],
        Key.VIEW,
        first=DRAWN,
        help="Edges whose direction the data cannot tell are drawn without arrowheads in the equivalence class.",
    )
    most = max(gains.values())
    dark = session.dark()
    both_ways = graph.cpdag & graph.cpdag.T if view == CLASS else np.zeros_like(graph.adjacency)
    styles = {}
    for (parent, child), gain in gains.items():
        i, j = data.index(parent), data.index(child)
        join = "-" if both_ways[i, j] else "→"
        styles[i, j] = EdgeStyle(
            ink(dark),
            0.8 + 2.4 * math.sqrt(max(gain, 0.0) / most) if most > 0 else 1.0,
            f"<b>{plain(parent)} {join} {plain(child)}</b><br>gains {both_units(gain)}",
            arrow=not both_ways[i, j],
        )
    show.chart(
        network_figure(data.names, styles, dark),
        "learned_network",
        f"Network with {len(gains)} edges",
        clickable=True,
        movable=True,
    )
    chosen = session.data.chosen_edge()
    if chosen in gains:
        parent, child = chosen
        st.markdown(
            f"**{escaped(parent)} → {escaped(child)}** adds {both_units(gains[chosen])} to the score; "
            f"{escaped(child)} has {counted(int(graph.adjacency[:, data.index(child)].sum()), 'parent')}."
        )
    elif view == CLASS:
        reversible = int(np.triu(both_ways).sum())
        show.note(
            f"{reversible} of {len(gains)} edges have no arrowhead: graphs that turn them fit the data equally well, "
            "so that the data cannot tell their direction.",
            "class",
        )
    else:
        st.caption(
            "Thicker edges add more to the score. Point at an edge for its gain, click it to keep the line here."
        )


def ties(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """How many edges have a direction that the data do not tell, or hang on a tie; and another order of ties."""
    reversible = int(np.triu(graph.cpdag & graph.cpdag.T).sum())
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="center")
    is_or_are = "is" if reversible == 1 else "are"
    turned = (
        f"**{reversible} of {counted(len(graph.edges), 'edge')}** {is_or_are} reversible: other graphs of the same "
        "equivalence class turn them"
    )
    if experiment.ties == "columns":
        left.caption(f"{turned}; ties are broken in the order of the columns.")
        return
    right.button(
        "New order",
        icon=":material/shuffle:",
        help="Takes the next seed: ties are broken in another order.",
        on_click=session.settings.next_seed,
        key=Key.NEW_ORDER,
    )
    with left:
        effect = experiments.tie_effect_of(experiment, data, graph)
        if effect is None:
            st.caption(f"{turned}.")
            return
        st.caption(f"{turned}. {tie_sentence(effect)}")


def tie_sentence(effect: TieEffect) -> str:
    """What breaking ties in other orders changes."""
    orders = f"Run {effect.n_orders} times with ties broken in other orders, the search ended in "
    if effect.n_graphs == 1:
        return f"{orders}the same graph each time."
    classes = f"{counted(effect.n_graphs, 'different graph')} of {counted(effect.n_classes, 'equivalence class')}"
    if not effect.unsettled:
        return f"{orders}{classes}, all of which join the same pairs."
    shown = listed([f"{escaped(one)} – {escaped(other)}" for one, other in effect.unsettled], _MOST_LISTED)
    return (
        f"{orders}{classes}; {counted(len(effect.unsettled), 'pair')} "
        f"{'is' if len(effect.unsettled) == 1 else 'are'} joined in some of them only: {shown}."
    )
