"""Compiles, or loads, the engine's code in the background, so that the first click does not wait for it."""

import threading

import streamlit as st

import bnengine as bn


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Start warming once a process."""
    thread = threading.Thread(target=bn.warm_up, daemon=True, name="warm up")
    thread.start()
    return thread
