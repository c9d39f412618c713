"""The browser's history: whether the visitor went back in it, and opening a page so that the way back is one step."""

from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._shared.session.keys import Key


def went_back() -> bool:
    """Return whether the visitor came here by the browser's back or forward button."""
    context = get_script_run_ctx(suppress_warning=True)
    return bool(getattr(context, "is_history_navigation", False))


def open_page(path: str) -> None:
    """Open another page, whose address holds the settings from its first moment, as that of a link does.

    ``st.switch_page`` by itself refuses to leave a page whose address a widget is bound to.
    """
    text = st.session_state.get(Key.ADDRESS, "")
    _release(get_script_run_ctx(suppress_warning=True))
    st.switch_page(path, query_params={Key.ADDRESS: text} if text else {})


def _release(context: Any) -> None:
    """Unbind the address from its widget; the next draw binds them again."""
    if context is None:
        return
    with context.session_state.query_params() as parameters:
        bound = parameters.get_binding_for_param(Key.ADDRESS)
        if bound is not None:
            parameters.unbind_widget(bound.widget_id)
