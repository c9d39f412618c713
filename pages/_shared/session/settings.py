"""The experiment that the settings describe, and what is to be said about settings that were opened."""

import dataclasses

import streamlit as st

import bnengine as bn
from pages._shared.format import escaped
from pages._shared.session import defaults, files
from pages._shared.session.keys import Key

_EXPERIMENT, _EXPECTED, _REMARK = "experiment", "expected", "remark"
_PRIOR, _TRUTH = "prior", "uploaded_truth"


def set_defaults() -> None:
    """Give every widget its first value, so that it can be read before the widget is drawn."""
    for key, value in (defaults.SETTINGS | defaults.PAGES).items():
        st.session_state.setdefault(key, value)


def reset() -> None:
    """Give every setting of an experiment its first value again; what is set on the teaching pages stays."""
    for key, value in defaults.SETTINGS.items():
        st.session_state[key] = value
    for key in (Key.REQUIRED, Key.FORBIDDEN, Key.TIERS, Key.ORDERING_TEXT):
        st.session_state[key] = ""


def next_seed() -> None:
    """Take the next seed."""
    st.session_state[Key.SEED] = (st.session_state[Key.SEED] + 1) % 2**31


def drawn() -> bool:
    """Whether the settings were drawn in this session."""
    return _EXPERIMENT in st.session_state


def experiment() -> bn.Experiment:
    """The run that the settings describe."""
    return st.session_state[_EXPERIMENT]  # type: ignore[no-any-return]


def set_experiment(new: bn.Experiment) -> None:
    """Remember the run that the settings describe."""
    st.session_state[_EXPERIMENT] = new


def expect(opened: bn.Experiment) -> None:
    """Remember what opened settings described, to tell where the sidebar cannot hold it."""
    st.session_state[_EXPECTED] = opened
    st.session_state.pop(_REMARK, None)


def set_remark(text: str) -> None:
    """Have something said about opened settings."""
    st.session_state[_REMARK] = text


def remark(now: bn.Experiment) -> str:
    """What is to be said about opened settings: once, unless they wait for a file."""
    wanted = files.awaited()
    expected: bn.Experiment | None = st.session_state.pop(_EXPECTED, None)
    said: str = st.session_state.pop(_REMARK, "")
    if wanted is not None:
        return f"The settings you opened are for the file {escaped(wanted.name)}: upload it on the Data page."
    if expected is not None and _in_full(expected) != _in_full(now):
        return "Some of the settings you opened cannot be set here, or do not fit these data; what is shown is used."
    return said


def _in_full(experiment: bn.Experiment) -> bn.Experiment:
    return dataclasses.replace(experiment, methods=experiment.methods_run)


def prior() -> bn.BayesianNetwork | None:
    """The prior network that was uploaded last."""
    return st.session_state.get(_PRIOR)


def keep_prior(network: bn.BayesianNetwork) -> None:
    """Remember an uploaded prior network."""
    st.session_state[_PRIOR] = network


def truth() -> bn.BayesianNetwork | None:
    """The network that was uploaded last to calibrate against."""
    return st.session_state.get(_TRUTH)


def keep_truth(network: bn.BayesianNetwork) -> None:
    """Remember an uploaded network to calibrate against."""
    st.session_state[_TRUTH] = network
