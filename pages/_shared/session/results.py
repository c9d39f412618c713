"""The most recent graphs, ensembles and other results."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import streamlit as st

import bnengine as bn

_GRAPHS, _ENSEMBLES, _RESULTS, _STOPPED = "graphs", "ensembles", "results", "stopped"
_MOST = {_GRAPHS: 16, _ENSEMBLES: 48, _RESULTS: 16}


def _kept(kind: str) -> "OrderedDict[str, Any]":
    return st.session_state.setdefault(kind, OrderedDict())  # type: ignore[no-any-return]


def _keep(kind: str, key: str, result: Any) -> None:
    kept = _kept(kind)
    kept[key] = result
    kept.move_to_end(key)
    while len(kept) > _MOST[kind]:
        kept.popitem(last=False)


def graph(now: bn.Experiment) -> tuple[bn.LearnedGraph, float] | None:
    """The graph learned from the data and the seconds it took, or None if it is not known."""
    return _kept(_GRAPHS).get(now.graph_key)


def keep_graph(now: bn.Experiment, graph: bn.LearnedGraph, seconds: float) -> None:
    """Remember the graph learned from the data."""
    _keep(_GRAPHS, now.graph_key, (graph, seconds))


def forget_graph(now: bn.Experiment) -> None:
    """Forget the graph learned from the data, so that it is learned again."""
    _kept(_GRAPHS).pop(now.graph_key, None)


def known(key: str) -> Any:
    """The result under the key, or None."""
    return _kept(_RESULTS).get(key)


def keep(key: str, result: Any) -> None:
    """Remember a result."""
    _keep(_RESULTS, key, result)


def forget(key: str) -> None:
    """Forget a result, so that it is computed again."""
    _kept(_RESULTS).pop(key, None)


def ensembles(now: bn.Experiment) -> dict[str, bn.Ensemble]:
    """The experiment's known ensembles, by method key, in its order."""
    kept = _kept(_ENSEMBLES)
    found = {method: kept[key] for method in now.methods_run if (key := now.method_key(method)) in kept}
    if stopped(now):
        return found
    return {method: ensemble for method, ensemble in found.items() if ensemble.status != "stopped"}


def keep_ensembles(now: bn.Experiment, ensembles: Mapping[str, bn.Ensemble]) -> None:
    """Remember an experiment's ensembles."""
    for method, ensemble in ensembles.items():
        _keep(_ENSEMBLES, now.method_key(method), ensemble)


def stopped(now: bn.Experiment) -> bool:
    """Whether the user stopped this experiment; its partial result is then shown."""
    return bool(st.session_state.get(_STOPPED) == now.key)


def set_stopped(now: bn.Experiment) -> None:
    """Remember that this experiment was stopped."""
    st.session_state[_STOPPED] = now.key


def forget_unfinished(now: bn.Experiment) -> None:
    """Forget that an experiment was stopped, and its partial ensembles, so that it can run again."""
    st.session_state[_STOPPED] = None
    kept = _kept(_ENSEMBLES)
    for key in map(now.method_key, now.methods_run):
        if key in kept and kept[key].status == "stopped":
            del kept[key]
