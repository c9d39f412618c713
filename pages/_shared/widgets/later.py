"""Parts of a page that are drawn by themselves, and parts that are worked out only once they are opened."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from pages._shared import session
from pages._shared.session import Key

P = ParamSpec("P")


def by_itself(draw: Callable[P, None]) -> Callable[P, None]:
    """Make a part of a page that is drawn again by itself when a widget in it changes.

    Settings that the rest of the page depends on draw the whole page; it must call ``session.redraws.remember`` first.
    """

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        if session.redraws.outdated():
            st.rerun()
        draw(*args, **kwargs)

    return st.fragment(drawn)


def later(title: str, name: str, icon: str, draw: Callable[[], object]) -> None:
    """Draw a closed expander; opening it draws its content and nothing else of the page.

    Parameters
    ----------
    title : str
    name : str
        Unique on the page.
    icon : str
        In Streamlit's notation.
    draw : callable
        Draws the content; called while it is open.
    """
    _later(title, Key.opened(name), icon, draw)


@st.fragment
def _later(title: str, key: str, icon: str, draw: Callable[[], object]) -> None:
    place = st.expander(title, icon=icon, key=key, on_change="rerun")
    if place.open:
        with place:
            draw()
