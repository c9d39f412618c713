"""Compile or load the engine's code in the background, so that the first click does not wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import streamlit as st

import bnengine as bn
from bnengine.experiment.warm_up import seconds_to_compile
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from pages._shared import memory, show
from pages._shared.format import duration

_NAME = "warm up"
COMPILING = "Compiling the engine. This takes 10 to 30 seconds, only at the first start on a machine …"


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Start to compile the code that most pages need, once per process."""
    memory.share_pools()
    return _started(lambda: [bn.warm_up(search=search) for search in (bn.HillClimbing(), bn.K2(), bn.ChowLiu())])


def compiling(score: TableScore, search: Search) -> tuple[threading.Thread, float] | None:
    """The thread that compiles the code of a score and a search, and the approximate time it takes in seconds.

    None if it is compiled already. Call it when a search is chosen, so that compilation begins before its first use.
    """
    seconds = seconds_to_compile(score, search)
    return (_compiling(type(score).__name__, type(search).__name__, score, search), seconds) if seconds else None


@st.cache_resource(show_spinner=False)
def _compiling(kind: str, way: str, _score: TableScore, _search: Search) -> threading.Thread:
    return _started(lambda: bn.warm_up(_score, _search))


def announce(score: TableScore, search: Search) -> None:
    """Say under the chosen search that it is being compiled; compilation begins here, in the background."""
    found = compiling(score, search)
    if found is not None and found[0].is_alive():
        text = f"Compiling this search in the background, about {duration(found[1])}; only once on this machine."
        show.note(f":material/hourglass_top: {text}", "compiling")


def compiles() -> bool:
    """Whether anything is being compiled in the background."""
    return any(thread.name == _NAME for thread in threading.enumerate())


def _started(work: Callable[[], object]) -> threading.Thread:
    def settled() -> None:
        work()
        memory.settle()

    thread = threading.Thread(target=settled, daemon=True, name=_NAME)
    thread.start()
    return thread


def wait() -> None:
    """Wait for the compilation, with a message: concurrent compilation would take twice as long."""
    warm = warm_up()
    if warm.is_alive():
        with st.spinner(COMPILING):
            warm.join()
