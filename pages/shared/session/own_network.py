"""The visitor's own networks, one over each table (``about`` identifies it), with their history."""

from collections import OrderedDict

import streamlit as st

_OWN, _REFUSED = "own_networks", "refused_change"
_MOST = 8


def edges(about: str) -> list[tuple[str, str]]:
    """Return the network's edges; none at first."""
    return _history(about)[-1]


def change(about: str, new: list[tuple[str, str]]) -> None:
    """Change the network."""
    _history(about).append(list(new))


def undo(about: str) -> None:
    """Undo the last change."""
    if changed(about):
        _history(about).pop()


def changed(about: str) -> bool:
    """Return whether a change can be undone."""
    return len(_history(about)) > 1


def _history(about: str) -> list[list[tuple[str, str]]]:
    networks: OrderedDict[str, list[list[tuple[str, str]]]] = st.session_state.setdefault(_OWN, OrderedDict())
    history = networks.setdefault(about, [[]])
    networks.move_to_end(about)
    while len(networks) > _MOST:
        networks.popitem(last=False)
    return history


def refusal() -> str:
    """Return the reason why the last change was refused; empty otherwise, and after it was shown."""
    return str(st.session_state.pop(_REFUSED, ""))


def refuse(reason: str) -> None:
    """Remember why a change was refused, until it is shown."""
    st.session_state[_REFUSED] = reason
