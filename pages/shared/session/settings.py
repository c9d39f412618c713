"""The experiment described by the settings, and remarks on settings that were opened."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import CORRECTED, DEFAULT_KEYS, NAIVE, first_shown
from bnengine.experiment.experiment import COMPARED
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from bnengine.settings import setting_of, settings_of, tag_of
from pages.shared.format import escaped
from pages.shared.session import data, files, typed
from pages.shared.session.keys import Key

# First values of the widgets.


def _declared(owners: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the first values of declared settings: numbers, switches and choices."""
    values: dict[str, Any] = {}
    for owner, kind in owners:
        for one in settings_of(kind):
            if one.kind in ("int", "float", "bool", "choice"):
                values.setdefault(Key.setting(one.name, owner), one.default)
    return values


#: How a graph is learned: what one chooses for certain data.
LEARNING: dict[str, Any] = _declared((tag_of(kind), kind) for kind in (*SCORES.values(), *SEARCHES.values())) | {
    Key.SCORE: "bic",
    Key.SEARCH: "iterated",
    Key.MAX_PARENTS: None,  # the search's default
    Key.EDGE_PENALTY: setting_of(bn.Experiment, "edge_penalty").default,
    Key.UNIFORM_SIZES: setting_of(bn.Experiment, "uniform_parent_sizes").default,
}
_PARTS = [(part, setting_of(bn.Experiment, part).part) for part in Key.PARTS]
#: The settings of an experiment, and those of Table 1.
SETTINGS: dict[str, Any] = (
    LEARNING
    | _declared([(tag_of(bn.Experiment), bn.Experiment), *_PARTS])
    | {
        Key.METHODS: [key for key in DEFAULT_KEYS if key not in (NAIVE, CORRECTED)],  # in addition to both bootstraps
        Key.PAPER_RUNS: 320,
        Key.PAPER_ESS: 25.0,
        Key.PAPER_SCORES: ["bic", "bdeu"],
        Key.CALIBRATED: list(COMPARED),
        Key.TRUTH: None,
        Key.TARGET: None,
    }
)

#: The widgets of the Bias lab and the Predict page, which are not part of the experiment.
PAGES: dict[str, Any] = {
    Key.LAB_STATES: 8,
    Key.LAB_ROWS: 50,
    Key.LAB_SKEW: 0.5,
    Key.LAB_SAMPLE: 5,
    Key.LAB_ORDER: 2,
    Key.LAB_MEASURED: 20,
    Key.LAB_SHARE: 0.4,
    Key.LAB_DRAWS: 5,
    Key.LAB_ARITIES: (3, 3),
    Key.LAB_PAIR_ROWS: 200,
    Key.LAB_TIED_ROWS: 50,
    Key.LAB_ESS: 1.0,
    Key.LAB_SPARSE_ROWS: 200,
    Key.LAB_PATH_PARENTS: 5,
    Key.LAB_ERROR_ROWS: 300,
    Key.MEASURE: "absolute_error",
    Key.SLACK: 1.0,
    Key.ENOUGH_VALUE: 0.3,
    Key.EDGE_PARENTS: 3,
}


_EXPERIMENT, _EXPECTED, _REMARK = "experiment", "expected", "remark"
_ASIDE, _ANEW = "put_aside", "learn_by_default"
_NETWORKS, _TOO_LONG = "uploaded_networks", "settings_too_long"


def set_defaults() -> None:
    """Set every widget to its first value, so that it can be read before the widget is drawn."""
    if st.session_state.pop(_ANEW, False):
        st.session_state.update(LEARNING)
    for key, value in (SETTINGS | PAGES).items():
        st.session_state.setdefault(key, value)


def reset() -> None:
    """Set every setting of an experiment to its first value; settings of the teaching pages stay."""
    for key, value in SETTINGS.items():
        st.session_state[key] = value
    for key in (Key.REQUIRED, Key.FORBIDDEN):
        typed.put_edges(key, ())
    typed.put_names(Key.ORDERING_TEXT, ())
    st.session_state[Key.TIERS] = ()


def put_aside() -> None:
    """With other data, learn as by default from the next draw on; what was chosen until now can be taken back."""
    before, default = experiment(), bn.Experiment()
    if (before.full_score, before.search) != (default.full_score, default.search):
        values = {key: st.session_state[key] for key in LEARNING if key in st.session_state}
        st.session_state[_ASIDE] = before, data.recipe().for_table, values
        st.session_state[_ANEW] = True


def aside() -> bn.Experiment | None:
    """Return the experiment that was put aside for the data in use; None once something else was chosen for them."""
    before, table, _ = st.session_state.get(_ASIDE, (None, None, None))
    now, default = experiment(), bn.Experiment()
    unchanged = (now.full_score, now.search) == (default.full_score, default.search)
    return before if before is not None and table == data.recipe().for_table and unchanged else None


def take_back() -> None:
    """Learn as before the data changed; call it from a callback."""
    st.session_state.update(st.session_state.pop(_ASIDE)[2])


def constrain(edge: tuple[str, str], how: str | None) -> None:
    """Require an edge (``Key.REQUIRED``), forbid it (``Key.FORBIDDEN``), or neither (None)."""
    for key in (Key.REQUIRED, Key.FORBIDDEN):
        edges, unread = typed.edges(key)
        others = tuple(own for own in edges if own != edge)
        typed.put_edges(key, (*others, edge) if key == how else others, unread)


def drawn() -> bool:
    """Return whether the settings were drawn in this session."""
    return _EXPERIMENT in st.session_state


def experiment() -> bn.Experiment:
    """Return the experiment described by the settings."""
    return st.session_state[_EXPERIMENT]  # type: ignore[no-any-return]


def shown_method(study: bn.Study) -> str:
    """Return the resampling method whose confidence is shown as *found again*: at first the best of those computed."""
    keys = [key for key in study.ensembles if key != "data"]
    chosen = st.session_state.get(Key.AVERAGED)
    return str(chosen) if chosen in keys else first_shown(keys or ["bootstrap_corrected"])


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
    """Return the remark on opened settings: given once, unless they need a file that is missing."""
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
    """Return the settings in letters that a link may hold; empty if they are too long for one."""
    try:
        return experiment.to_link()
    except ValueError:
        return ""


def set_too_long() -> None:
    """Remember that this session had settings that no address could hold."""
    st.session_state[_TOO_LONG] = True


def was_too_long() -> bool:
    """Return whether this session had settings that no address could hold."""
    return _TOO_LONG in st.session_state


def network(uploader: str) -> bn.BayesianNetwork | None:
    """Return the network last uploaded with the widget of that key."""
    return st.session_state.get(_NETWORKS, {}).get(uploader)  # type: ignore[no-any-return]


def keep_network(uploader: str, new: bn.BayesianNetwork) -> None:
    """Remember a network uploaded with the widget of that key."""
    st.session_state.setdefault(_NETWORKS, {})[uploader] = new
