"""What a part of a page that is drawn by itself can change for the rest of the page."""

import streamlit as st

from pages._shared.session import data
from pages._shared.session.keys import Key

_DRAWN = "drawn with"
_SETTINGS = (Key.REQUIRED, Key.FORBIDDEN, Key.RULE, Key.setting("max_false"))


def remember() -> None:
    """Remember what the page is drawn with; call it when the whole page is drawn."""
    st.session_state[_DRAWN] = _now()


def outdated() -> bool:
    """Whether the rest of the page shows another chosen edge, or other settings, than a part of it now would."""
    return st.session_state.get(_DRAWN, _now()) != _now()


def _now() -> tuple[object, ...]:
    return data.chosen_edge(), data.chosen_node(), *(st.session_state.get(key) for key in _SETTINGS)
