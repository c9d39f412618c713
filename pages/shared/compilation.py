"""Compile or load the engine's code in the background, so that the first click does not wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import streamlit as st

import bnengine as bn
from bnengine.execution import keep_ready
from bnengine.experiment.warm_up import seconds_to_compile
from bnengine.scores.scores import TableScore
from bnengine.search import Search
from pages.shared import show, visitors

_NAME = "warm up"
#: Searches whose code most pages need.
_FIRST = (bn.IteratedLocalSearch(), bn.K2(), bn.ChowLiu(), bn.HillClimbing())
_SHARE_AT_MOST = 0.97  # shown before the end
_LOOK_EVERY, _LOADING = 0.3, 3.0  # seconds


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
        self.expected = missing(searches)  # seconds of processor time on an idle machine
        self.began = time.monotonic()

    def run(self) -> None:
        """Compile, then clear up."""
        for search in self.searches:
            bn.warm_up(search=search)
        visitors.freeze_gc()

    def share(self) -> float:
        """Return the share that is done: of the parts that are finished, or else of the expected time."""
        if self.expected <= 0:
            return min(self.seconds / _LOADING, _SHARE_AT_MOST)
        parts = 1 - missing(self.searches) / self.expected
        return min(max(parts, 1 - self.expected / (self.expected + self.seconds)), _SHARE_AT_MOST)

    @property
    def seconds(self) -> float:
        """For how long it has been at work."""
        return time.monotonic() - self.began

    def text(self) -> str:
        """Return what the page says while it waits."""
        if self.expected <= 0:
            return "Loading the engine …"
        return "Compiling the engine, only at the first start on a machine …"


def missing(searches: tuple[Search, ...]) -> float:
    """Estimate how long compiling what is missing for these searches takes, seconds; what they share counts once."""
    each = [seconds_to_compile(bn.BIC(), search) for search in searches]
    shared = seconds_to_compile(bn.BIC(), None)
    return shared + sum(max(seconds - shared, 0.0) for seconds in each)


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
    if not seconds_to_compile(score, search):
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
