"""Compile or load the engine's code in the background, so that the first click does not wait for it."""

from __future__ import annotations

import threading

import streamlit as st

import bnengine as bn
from bnengine.execution import keep_ready
from bnengine.experiment import warm_up as ahead_of_time
from bnengine.search import Search
from pages.shared import streamlit_inside, visitors

#: Searches whose code most pages need.
_FIRST: tuple[Search, ...] = (bn.IteratedLocalSearch(), bn.K2())
_LOOK_EVERY = 0.3  # seconds


class Compilation(threading.Thread):
    """A thread that compiles or reads the code of the first searches with the most common scores."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="warm up")
        self.share = 0.0  # of it that is done

    def run(self) -> None:
        """Compile, then clear up."""
        streamlit_inside.collect_after_draws(False)
        try:
            for number, search in enumerate(_FIRST):
                self.share = number / len(_FIRST)
                ahead_of_time.warm_up(search=search)
            visitors.freeze_gc()
        finally:
            streamlit_inside.collect_after_draws(True)


@st.cache_resource(show_spinner=False)
def warm_up() -> Compilation:
    """Start to compile the code that most pages need, and the process that reads files, once per server."""
    visitors.share_pools()
    keep_ready()
    thread = Compilation()
    thread.start()
    return thread


def progress() -> bool:
    """Show the progress of the compilation at start-up; return whether it is still running."""
    warm = warm_up()
    if not warm.is_alive():
        return False
    st.progress(warm.share, text="Getting the engine ready; the first start on a machine compiles it …")
    return True


def wait() -> None:
    """Wait for the compilation, and show how far it is: concurrent compilation would take twice as long."""
    warm, place = warm_up(), st.empty()
    while warm.is_alive():
        with place.container():
            progress()
        warm.join(_LOOK_EVERY)
    place.empty()
