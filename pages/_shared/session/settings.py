"""The experiment described by the settings, and remarks on settings that were opened."""

import dataclasses

import streamlit as st

import bnengine as bn
from bnengine._core.random_generators import MAX_SEED
from pages._shared.format import escaped
from pages._shared.session import defaults, files, typed
from pages._shared.session.keys import Key

_EXPERIMENT, _EXPECTED, _REMARK = "experiment", "expected", "remark"
_NETWORKS, _TOO_LONG = "uploaded_networks", "settings_too_long"


def set_defaults() -> None:
    """Set every widget to its first value, so that it can be read before the widget is drawn."""
    for key, value in (defaults.SETTINGS | defaults.PAGES).items():
        st.session_state.setdefault(key, value)


def reset() -> None:
    """Set every setting of an experiment to its first value; settings of the teaching pages stay."""
    for key, value in defaults.SETTINGS.items():
        st.session_state[key] = value
    for key in (Key.REQUIRED, Key.FORBIDDEN):
        typed.put_edges(key, ())
    typed.put_names(Key.ORDERING_TEXT, ())
    st.session_state[Key.TIERS] = ()


def next_seed() -> None:
    """Change to the next seed."""
    st.session_state[Key.SEED] = (st.session_state[Key.SEED] + 1) % (MAX_SEED + 1)


def constrain(edge: tuple[str, str], how: str | None) -> None:
    """Require an edge (``Key.REQUIRED``), forbid it (``Key.FORBIDDEN``), or neither (None)."""
    for key in (Key.REQUIRED, Key.FORBIDDEN):
        edges, unread = typed.edges(key)
        others = tuple(own for own in edges if own != edge)
        typed.put_edges(key, (*others, edge) if key == how else others, unread)


def drawn() -> bool:
    """Whether the settings were drawn in this session."""
    return _EXPERIMENT in st.session_state


def experiment() -> bn.Experiment:
    """The experiment described by the settings."""
    return st.session_state[_EXPERIMENT]  # type: ignore[no-any-return]


def set_experiment(new: bn.Experiment) -> None:
    """Remember the experiment described by the settings."""
    st.session_state[_EXPERIMENT] = new


def expect(opened: bn.Experiment) -> None:
    """Remember the experiment that was opened, to report settings that the widgets cannot hold."""
    st.session_state[_EXPECTED] = opened
    st.session_state.pop(_REMARK, None)


def set_remark(text: str) -> None:
    """Set the remark on opened settings."""
    st.session_state[_REMARK] = text


def remark(now: bn.Experiment) -> str:
    """The remark on opened settings: given once, unless they need a file that is missing."""
    wanted = files.awaited()
    expected: bn.Experiment | None = st.session_state.pop(_EXPECTED, None)
    text: str = st.session_state.pop(_REMARK, "")
    if wanted is not None:
        return f"The settings you opened need the file {escaped(wanted.name)}. Upload it on the Data page."
    if expected is not None and _in_full(expected) != _in_full(now):
        return (
            "Some of the settings you opened do not fit these data or cannot be set here; the settings shown are used."
        )
    return text


def _in_full(experiment: bn.Experiment) -> bn.Experiment:
    return dataclasses.replace(experiment, methods=experiment.methods_run)


def link(experiment: bn.Experiment) -> str:
    """The settings in letters that a link may hold; empty if they are too long for one."""
    try:
        return experiment.to_link()
    except ValueError:
        return ""


def set_too_long() -> None:
    """Remember that this session had settings that no address could hold."""
    st.session_state[_TOO_LONG] = True


def was_too_long() -> bool:
    """Whether this session had settings that no address could hold."""
    return _TOO_LONG in st.session_state


def network(uploader: str) -> bn.BayesianNetwork | None:
    """The network last uploaded with the widget of that key."""
    return st.session_state.get(_NETWORKS, {}).get(uploader)  # type: ignore[no-any-return]


def keep_network(uploader: str, new: bn.BayesianNetwork) -> None:
    """Remember a network uploaded with the widget of that key."""
    st.session_state.setdefault(_NETWORKS, {})[uploader] = new
