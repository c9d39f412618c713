"""The view of a network in the browser: an SVG picture that can be moved, zoomed, searched and clicked.

Plotly draws text at a fixed size over boxes that shrink with the picture, takes the wheel from the page, and forgets a
selection when the figure changes; a network then cannot be read on a narrow screen. This component is drawn here, asks
nothing of any other server, and has no library behind it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from bnengine.plots.network_drawing import VIEW_FILES, NetworkPicture, browser_text
from pages.shared import state


def component(name: str, holder: str, folder: Path) -> Any:
    """Return a component: an element for it to fill, with the style sheets and the scripts of its folder."""
    css, js = (browser_text(kind, folder) for kind in ("css", "js"))
    return st.components.v2.component(name, html=f'<div class="{holder}"></div>', css=css, js=js)


def draw(
    picture: NetworkPicture,
    key: str,
    alt: str,
    place: Any = None,
    clickable: bool = False,
    on_pick: Callable[[str, str], None] | None = None,
    on_pair: Callable[[str, str], None] | None = None,
) -> None:
    """Show a network; with ``clickable``, a click on an edge or a node chooses it for the session.

    ``on_pick`` is called with the variable and the state of the part of a bar that was clicked; ``on_pair`` with the
    names of two nodes that were chosen one after the other, by clicks or by Enter, or of the ends of a clicked edge.
    """
    on_click: dict[str, Any] = {}
    if clickable:
        on_click["on_picked_change"] = lambda: state.choose_in_network(key)
    if on_pick is not None:
        on_click["on_state_change"] = lambda: on_pick(*state.get(key).state)
    if on_pair is not None:
        on_click["on_pair_change"] = lambda: on_pair(*state.get(key).pair)
    with place or st.container():
        show({**picture.spec(), "alt": alt, "clickable": clickable, "pairs": on_pair is not None}, key, **on_click)


def show(spec: Mapping[str, Any], key: str, **on_click: Any) -> None:
    """Show a picture as the view reads it: ``NetworkPicture.spec()``, with a description in words as ``alt``."""
    component("network_view", "network", VIEW_FILES)(key=key, data=dict(spec), **on_click)
