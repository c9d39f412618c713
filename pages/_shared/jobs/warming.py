"""Compiles, or loads, the engine's code in the background, so that the first click does not wait for it."""

import threading

import streamlit as st

import bnengine as bn

COMPILING = "Compiling the engine: half a minute or more, on the first start on a machine only …"


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Start warming once a process."""
    thread = threading.Thread(target=bn.warm_up, daemon=True, name="warm up")
    thread.start()
    return thread


def wait() -> None:
    """Wait for it with a word on the page: compiling the same code twice at once would take twice as long."""
    warm = warm_up()
    if warm.is_alive():
        with st.spinner(COMPILING):
            warm.join()
