"""Compile or load the engine's code in the background, so that the first click does not wait for it."""

from __future__ import annotations

import threading
import time

import streamlit as st

import bnengine as bn
from bnengine.execution import keep_ready
from bnengine.experiment.warm_up import seconds_to_compile
from pages.shared import visitors

#: Searches whose code most pages need.
_FIRST = (bn.IteratedLocalSearch(), bn.K2(), bn.ChowLiu(), bn.HillClimbing())
_SHARE_AT_MOST = 0.97  # shown before the end
_LOOK_EVERY, _LOADING = 0.3, 3.0  # seconds


class Compilation(threading.Thread):
    """A thread that compiles the code of the first searches with the most common scores, and how far it is."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="warm up")
        self.expected = sum(seconds_to_compile(bn.BIC(), search) for search in _FIRST)
        self.began = time.monotonic()

    def run(self) -> None:
        """Compile, then clear up."""
        for search in _FIRST:
            bn.warm_up(search=search)
        visitors.freeze_gc()

    def share(self) -> float:
        """Return the share of the expected time that has gone by."""
        return min((time.monotonic() - self.began) / max(self.expected, _LOADING), _SHARE_AT_MOST)

    def text(self) -> str:
        """Return what the page says while it waits."""
        if self.expected <= 0:
            return "Loading the engine …"
        return "Compiling the engine, only at the first start on a machine …"


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
