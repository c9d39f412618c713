"""The user's own network over the session's data, with its history."""

from collections import OrderedDict

import streamlit as st

from pages._shared.session import data

_OWN, _REFUSED = "own_networks", "refused_change"
_MOST = 8


def edges() -> list[tuple[str, str]]:
    """Return the network's edges; none at first."""
    return _history()[-1]


def change(new: list[tuple[str, str]]) -> None:
    """Change the network."""
    _history().append(list(new))


def undo() -> None:
    """Undo the last change."""
    if changed():
        _history().pop()


def changed() -> bool:
    """Return whether a change can be undone."""
    return len(_history()) > 1


def _history() -> list[list[tuple[str, str]]]:
    networks: OrderedDict[str, list[list[tuple[str, str]]]] = st.session_state.setdefault(_OWN, OrderedDict())
    history = networks.setdefault(data.key(), [[]])
    networks.move_to_end(data.key())
    while len(networks) > _MOST:
        networks.popitem(last=False)
    return history


def refusal() -> str:
    """Return the reason why the last change was refused; empty otherwise, and after it was shown."""
    return str(st.session_state.pop(_REFUSED, ""))


def refuse(reason: str) -> None:
    """Remember why a change was refused, until it is shown."""
    st.session_state[_REFUSED] = reason
