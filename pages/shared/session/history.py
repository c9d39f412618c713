"""The browser's history: whether the visitor went back in it, and opening a page so that the way back is one step."""

import streamlit as st

from pages.shared.session import streamlit_inside
from pages.shared.session.keys import Key
from pages.shared.session.streamlit_inside import went_back

__all__ = ["open_page", "went_back"]


def open_page(name: str) -> None:
    """Open another page, by its folder's name; its address holds the settings from the first moment, as a link does.

    ``st.switch_page`` by itself refuses to leave a page whose address a widget is bound to.
    """
    text = st.session_state.get(Key.ADDRESS, "")
    streamlit_inside.unbind(Key.ADDRESS)
    st.switch_page(f"pages/{name}/page.py", query_params={Key.ADDRESS: text} if text else {})
