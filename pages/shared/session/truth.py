"""The network that the data are known to come from, if there is one."""

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

import bnengine as bn
from bnengine.graphs.known_truth import EdgeComparison, compare_with_truth
from pages.shared.session import data

_TRUTH = "known_truth"
Edges = tuple[tuple[str, str], ...]


def keep(title: str, names: Sequence[str], edges: Sequence[tuple[str, str]]) -> None:
    """Remember a known network: its name, its variables and its edges."""
    st.session_state[_TRUTH] = (title, tuple(names), tuple(edges))


def forget() -> None:
    """Forget the network that was loaded."""
    st.session_state.pop(_TRUTH, None)


def loaded() -> str:
    """Return the name of the network that was loaded; empty if there is none."""
    return str(st.session_state.get(_TRUTH, ("",))[0])


def edges(names: Sequence[str]) -> tuple[str, Edges] | None:
    """Return the known network's name and its edges among these variables; None if no network is known.

    A network that was loaded comes before the bundled network of the data. Edges of variables that the data do not have
    are left out; a network that shares fewer than two variables with the data is not theirs.
    """
    held = st.session_state.get(_TRUTH)
    bundled = data.recipe().network
    if held is not None and len(set(held[1]) & set(names)) >= 2:
        title, _, pairs = held
    elif bundled is not None and len(set(_network(bundled)[0]) & set(names)) >= 2:
        title, pairs = bundled.upper(), _network(bundled)[1]
    else:
        return None
    shared = set(names)
    return title, tuple((str(a), str(b)) for a, b in pairs if a in shared and b in shared)


@lru_cache(maxsize=4)
def _network(name: str) -> tuple[tuple[str, ...], Edges]:
    """Return the variables and edges of a bundled network, whose file takes longer to read than a page to draw."""
    found = bn.load_network(name)
    return tuple(found.names), tuple(found.edges)


def compared(names: Sequence[str], learned: Sequence[tuple[str, str]]) -> tuple[str, EdgeComparison] | None:
    """Return the known network's name and the comparison of learned edges with it; None if no network is known."""
    known = edges(names)
    return None if known is None else (known[0], compare_with_truth(names, learned, known[1]))
