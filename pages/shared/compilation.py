"""Compile or load the engine's code in the background, so that the first click does not wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import streamlit as st

import bnengine as bn
from bnengine.execution import keep_ready
from bnengine.experiment.warm_up import not_compiled
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from pages.shared import show, visitors

_NAME = "warm up"
#: Searches whose code most pages need.
_FIRST = (bn.IteratedLocalSearch(), bn.K2(), bn.ChowLiu(), bn.HillClimbing())
_LOOK_EVERY = 0.3  # seconds


class Compilation(threading.Thread):
    """A thread that compiles the code of some searches, and how far it is.

    Parameters
    ----------
    searches : sequence of Search
        Each is done with the most common scores.
    """

    def __init__(self, searches: tuple[Search, ...] = _FIRST) -> None:
        super().__init__(daemon=True, name=_NAME)
        self.searches = searches
        self.n_parts = len(missing(searches))

    def run(self) -> None:
        """Compile, then clear up."""
        for search in self.searches:
            bn.warm_up(search=search)
        visitors.freeze_gc()

    def share(self) -> float:
        """Return the share of the parts that are compiled; 0 where all were and are only read."""
        return 1 - len(missing(self.searches)) / self.n_parts if self.n_parts else 0.0

    def text(self) -> str:
        """Return what the page says while it waits."""
        if not self.n_parts:
            return "Loading the engine …"
        return "Compiling the engine, only at the first start on a machine …"


def missing(searches: tuple[Search, ...]) -> set[str]:
    """Return the parts that are still to be compiled for these searches."""
    return {part for search in searches for part in not_compiled(bn.BIC(), search)}


@st.cache_resource(show_spinner=False)
def warm_up() -> Compilation:
    """Start to compile the code that most pages need, and the process that reads files, once per server."""
    visitors.share_pools()
    keep_ready()
    thread = Compilation()
    thread.start()
    return thread


def compiling(score: TableScore, search: Search) -> threading.Thread | None:
    """Return the thread that compiles the code of a score and a search; None if it is compiled already.

    Call it when a search is chosen, so that compilation begins before its first use.
    """
    if not not_compiled(score, search):
        return None
    return _compiling(type(score).__name__, type(search).__name__, score, search)


@st.cache_resource(show_spinner=False)
def _compiling(kind: str, way: str, _score: TableScore, _search: Search) -> threading.Thread:
    return _started(lambda: bn.warm_up(_score, _search))


def announce(score: TableScore, search: Search) -> None:
    """Say under the chosen search that it is being compiled; compilation begins here, in the background."""
    thread = compiling(score, search)
    if thread is not None and thread.is_alive():
        show.note(":material/hourglass_top: Compiling this search, only once on this machine.", "compiling")


def progress() -> bool:
    """Show how far the compilation at the start is, as long as it goes on; whether it does."""
    warm = warm_up()
    if not warm.is_alive():
        return False
    st.progress(warm.share(), text=warm.text())
    return True


def compiles() -> bool:
    """Return whether anything is being compiled in the background."""
    return any(thread.name == _NAME for thread in threading.enumerate())


def _started(work: Callable[[], object]) -> threading.Thread:
    def settled() -> None:
        work()
        visitors.freeze_gc()

    thread = threading.Thread(target=settled, daemon=True, name=_NAME)
    thread.start()
    return thread


def wait() -> None:
    """Wait for the compilation, and show how far it is: concurrent compilation would take twice as long."""
    warm, place = warm_up(), st.empty()
    while warm.is_alive():
        with place.container():
            progress()
        warm.join(_LOOK_EVERY)
    place.empty()
