"""The most recent graphs, ensembles and other results: bounded in bytes, dropped when the visitor is gone."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.execution import BoundedCache
from pages._shared.session import visits

_GRAPHS, _ENSEMBLES, _RESULTS, _STOPPED = "graphs", "ensembles", "results", "stopped"
_MOST = {_GRAPHS: 16, _ENSEMBLES: 48, _RESULTS: 16}
#: Bytes of each kind of result in a session.
_MOST_BYTES = 2**20 * int(os.environ.get("BNENGINE_MAX_RESULT_MEGABYTES", "256"))


def _kept(kind: str) -> BoundedCache[str, Any]:
    if kind not in st.session_state:
        st.session_state[kind] = new = BoundedCache[str, Any](_MOST_BYTES, _MOST[kind])
        visits.share(kind, new, new.clear)
    return st.session_state[kind]  # type: ignore[no-any-return]


def _found(kind: str, key: str) -> Any:
    """Return what is kept here, or in the visitor's other tabs and on the page before it was loaded again.

    None if nothing.
    """
    own = _kept(kind)
    return visits.found(kind, own, key, own.keep)


def _drop(kind: str, key: str) -> None:
    own = _kept(kind)
    for store in (own, *visits.others(kind, own)):
        store.drop(key)


def _clear(kind: str) -> None:
    own = _kept(kind)
    for store in (own, *visits.others(kind, own)):
        store.clear()


def graph(now: bn.Experiment) -> tuple[bn.LearnedGraph, float] | None:
    """Return the graph learned from the data and the seconds it took, or None if it is not known."""
    return _found(_GRAPHS, now.graph_key)  # type: ignore[no-any-return]


def keep_graph(now: bn.Experiment, graph: bn.LearnedGraph, seconds: float) -> None:
    """Remember the graph learned from the data."""
    _kept(_GRAPHS).keep(now.graph_key, (graph, seconds))


def forget_graph(now: bn.Experiment) -> None:
    """Forget the graph learned from the data, so that it is learned again, and results that may rest on it."""
    _drop(_GRAPHS, now.graph_key)
    _clear(_RESULTS)


def finder(now: bn.Experiment) -> Callable[[], tuple[bn.LearnedGraph | None, dict[str, bn.Ensemble]]]:
    """Return a function that finds the experiment's graph and finished ensembles outside a run of the page."""
    graphs, kept, keys = _kept(_GRAPHS), _kept(_ENSEMBLES), {key: now.method_key(key) for key in now.methods_run}

    def find() -> tuple[bn.LearnedGraph | None, dict[str, bn.Ensemble]]:
        graph = graphs.get(now.graph_key)
        found = {method: one for method, key in keys.items() if (one := kept.get(key)) is not None}
        whole = {method: one for method, one in found.items() if one.status != "stopped"}
        return (None if graph is None else graph[0]), whole

    return find


def forget_all() -> None:
    """Forget all results, since they are about other data of the same recipe."""
    for kind in _MOST:
        _clear(kind)


def stored(key: str) -> Any:
    """Return the result under the key, or None."""
    return _found(_RESULTS, key)


def keep(key: str, result: Any) -> None:
    """Remember a result."""
    _kept(_RESULTS).keep(key, result)


def forget(key: str) -> None:
    """Forget a result, so that it is computed again."""
    _drop(_RESULTS, key)


def ensembles(now: bn.Experiment) -> dict[str, bn.Ensemble]:
    """Return the experiment's known ensembles, by method key, in its order."""
    keys = {method: now.method_key(method) for method in now.methods_run}
    found = {method: one for method, key in keys.items() if (one := _found(_ENSEMBLES, key)) is not None}
    if stopped(now):
        return found
    return {method: ensemble for method, ensemble in found.items() if ensemble.status != "stopped"}


def keep_ensembles(now: bn.Experiment, ensembles: Mapping[str, bn.Ensemble]) -> None:
    """Remember an experiment's ensembles."""
    _kept(_ENSEMBLES).keep_all({now.method_key(method): ensemble for method, ensemble in ensembles.items()})


def stopped(now: bn.Experiment) -> bool:
    """Return whether the user stopped this experiment; its partial result is then shown."""
    return bool(st.session_state.get(_STOPPED) == now.key)


def set_stopped(now: bn.Experiment) -> None:
    """Remember that this experiment was stopped."""
    st.session_state[_STOPPED] = now.key


def forget_unfinished(now: bn.Experiment) -> None:
    """Forget that an experiment was stopped, and its partial ensembles, so that it can run again."""
    st.session_state[_STOPPED] = None
    for key in map(now.method_key, now.methods_run):
        found = _found(_ENSEMBLES, key)
        if found is not None and found.status == "stopped":
            _drop(_ENSEMBLES, key)
