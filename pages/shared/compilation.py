"""Compile or load the engine's code in the background, so that the first click does not wait for it."""

from __future__ import annotations

import threading

import streamlit as st

import bnengine as bn
from bnengine.execution import keep_ready
from bnengine.experiment import warm_up as ahead_of_time
from bnengine.experiment.warm_up import not_compiled
from pages.shared import streamlit_inside, visitors

#: Searches whose code most pages need.
_FIRST = (bn.IteratedLocalSearch(), bn.K2())
_LOOK_EVERY = 0.3  # seconds


class Compilation(threading.Thread):
    """A thread that compiles the code of the first searches with the most common scores, and how far it is."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="warm up")
        self.n_parts = len(missing())

    def run(self) -> None:
        """Compile, then clear up."""
        streamlit_inside.collect_after_draws(False)
        try:
            for search in _FIRST:
                ahead_of_time.warm_up(search=search)
            visitors.freeze_gc()
        finally:
            streamlit_inside.collect_after_draws(True)

    def share(self) -> float:
        """Return the share of the parts that are compiled; 0 where all were and are only read."""
        return 1 - len(missing()) / self.n_parts if self.n_parts else 0.0

    def text(self) -> str:
        """Return what the page says while it waits."""
        if not self.n_parts:
            return "Loading the engine …"
        return "Compiling the engine, only at the first start on a machine …"


def missing() -> set[str]:
    """Return the parts that are still to be compiled for the first searches."""
    return {part for search in _FIRST for part in not_compiled(bn.BIC(), search)}


@st.cache_resource(show_spinner=False)
def warm_up() -> Compilation:
    """Start to compile the code that most pages need, and the process that reads files, once per server."""
    visitors.share_pools()
    keep_ready()
    thread = Compilation()
    thread.start()
    return thread


def progress() -> bool:
    """Show how far the compilation at the start is, as long as it goes on; whether it does."""
    warm = warm_up()
    if not warm.is_alive():
        return False
    st.progress(warm.share(), text=warm.text())
    return True


def wait() -> None:
    """Wait for the compilation, and show how far it is: concurrent compilation would take twice as long."""
    warm, place = warm_up(), st.empty()
    while warm.is_alive():
        with place.container():
            progress()
        warm.join(_LOOK_EVERY)
    place.empty()
