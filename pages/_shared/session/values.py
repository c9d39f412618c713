"""What widgets hold, for code that runs before they are drawn and for their callbacks."""

from collections.abc import Sequence
from typing import Any

import streamlit as st


def get(key: str, otherwise: Any = None) -> Any:
    """What a widget holds; ``otherwise`` before it is drawn."""
    return st.session_state.get(key, otherwise)


def put(key: str, value: Any) -> None:
    """Give a widget a value before it is drawn."""
    st.session_state[key] = value


def among(key: str, options: Sequence[Any], first: Any) -> None:
    """Give a widget its first value where it holds none of the options: on the first visit, and with other data."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = first


def within(key: str, least: float, most: float) -> None:
    """Bring a number box or slider between bounds that the data have moved."""
    st.session_state[key] = min(max(st.session_state[key], least), most)


def at_most(key: str, most: float) -> None:
    """Bring a number down to a bound."""
    st.session_state[key] = min(st.session_state[key], most)


def dark() -> bool:
    """Whether the page is shown in the dark theme."""
    return st.context.theme.type == "dark"
