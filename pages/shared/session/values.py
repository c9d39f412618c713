"""Values of widgets, for code that runs before they are drawn and for their callbacks."""

from collections.abc import Sequence
from typing import Any

import streamlit as st


def get(key: str, otherwise: Any = None) -> Any:
    """Return a widget's value; ``otherwise`` before it is drawn."""
    return st.session_state.get(key, otherwise)


def put(key: str, value: Any) -> None:
    """Set a widget's value before it is drawn."""
    st.session_state[key] = value


def among(key: str, options: Sequence[Any], first: Any) -> None:
    """Set a widget to its first value if it holds none of the options: on the first visit, and with other data."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = first


def within(key: str, least: float, most: float) -> None:
    """Limit a number box or slider to bounds that depend on the data."""
    st.session_state[key] = min(max(st.session_state[key], least), most)


def dark() -> bool:
    """Return whether the page is shown in the dark theme."""
    return st.context.theme.type == "dark"
