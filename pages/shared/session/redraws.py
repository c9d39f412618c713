"""What a part of a page that is drawn by itself can change for the rest of the page."""

import streamlit as st

from pages.shared.session.keys import Key
from pages.shared.session.streamlit_inside import lost_a_widget

_DRAWN, _AGAIN = "drawn with", "drawn again"
_MOST_TIMES = 3
_SETTINGS = (
    *(Key.REQUIRED, Key.FORBIDDEN, Key.RULE, Key.setting("max_false")),
    *(Key.STRENGTH, Key.KIND, Key.METHODS, Key.AVERAGED),
)


def remember() -> None:
    """Remember what the page is drawn with; call it when the whole page is drawn."""
    st.session_state[_DRAWN] = _now()


def outdated() -> bool:
    """Return whether the rest of the page was drawn with other settings than a part of it now would be."""
    return bool(st.session_state.get(_DRAWN, _now()) != _now())


def _now() -> tuple[object, ...]:
    values = (st.session_state.get(key) for key in _SETTINGS)
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def may_draw_again(error: KeyError) -> bool:
    """Return whether Streamlit lost a widget while it was being drawn, and the page was not drawn again often already.

    The page would stay white.
    """
    times = int(st.session_state.get(_AGAIN, 0)) + 1
    st.session_state[_AGAIN] = times
    return lost_a_widget(error) and times <= _MOST_TIMES


def drawn_to_the_end() -> None:
    """Forget how often the page was drawn again."""
    st.session_state.pop(_AGAIN, None)
