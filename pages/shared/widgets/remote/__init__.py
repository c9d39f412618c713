"""A presenter's remote control, which turns the slides wherever the focus is, and a switch of the theme."""

from pathlib import Path

from pages.shared import state
from pages.shared.widgets.network_view import component


def draw(key: str) -> None:
    """Draw the switch; Page Down, Page Up and Space press the buttons in ``st-key-lecture_on`` and ``_back``."""
    view = component("remote", "remote-place", Path(__file__).parent)
    view(key=key, data={"dark": state.dark()}, width="content")
