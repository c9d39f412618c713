"""Which part of a network is shown: all of it, or a variable with its Markov blanket."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import streamlit as st

from pages._shared import session
from pages._shared.figures.network import Edge, NetworkPicture, around
from pages._shared.session import Key, kept

_FEW = 12  # nodes: no choice is needed
_MANY = 40  # nodes: at first, the picture is of one variable's Markov blanket


def chosen_part(
    picture: NetworkPicture, name: str, arrange: Sequence[Edge] | None = None, place: Any = None
) -> NetworkPicture:
    """Let the user choose a part of a network.

    Parameters
    ----------
    picture : NetworkPicture
    name : str
        Unique on the page.
    arrange : sequence of (parent, child), optional
        The edges that fix the positions and decide which nodes a part has, so that both stay as edges come and go; the
        drawn edges by default.
    place : container, optional
    """
    if len(picture.names) <= _FEW:
        return picture
    fixed = list(picture.edges if arrange is None else arrange)
    everything = f"All {len(picture.names)} variables"
    options = [everything, *picture.names]
    key = Key.of(Key.AROUND, name, session.data.key())
    first = everything if len(picture.names) <= _MANY else picture.names[_busiest(fixed)]
    session.values.among(key, options, first)
    about = "A variable's Markov blanket: its parents, its children and their other parents. Type to search."
    shown = (place or st).selectbox(
        "Variables shown", options, format_func=lambda one: one if one == everything else f"Around {one}",
        **kept(key), help=about,
    )  # fmt: skip
    if shown == everything:
        return picture
    return around(picture, picture.names.index(shown), arrange)


def show_around(name: str, variable: str) -> None:
    """Show a variable with its Markov blanket; call it before the choice is drawn."""
    session.values.put(Key.of(Key.AROUND, name, session.data.key()), variable)


def chosen_in(names: Sequence[str], edges: Collection[Edge]) -> Edge | int | None:
    """The edge or the variable that was clicked last, if the network has it."""
    chosen, node = session.data.chosen_edge(), session.data.chosen_node()
    if chosen is not None and set(chosen) <= set(names):
        edge = names.index(chosen[0]), names.index(chosen[1])
        return edge if edge in edges else None
    return names.index(node) if node in names else None


def _busiest(edges: Sequence[Edge]) -> int:
    """The node with the most edges; the first of several."""
    degrees = Counter(v for edge in edges for v in edge)
    return max(sorted(degrees), key=degrees.__getitem__, default=0)
