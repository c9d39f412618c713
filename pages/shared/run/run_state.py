"""What a page holds of a run: one register, from whose fields widgets, address, session and link are made.

Each declared setting has a widget, whose key in the session follows from the setting's name and owner
(``Key.setting``): ``values_in`` says what the widgets of an experiment hold, ``study_settings`` reads them.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.answers.views import VIEWS
from bnengine.bootstrap.resampling_methods import ALL_KEYS, CORRECTED, NAIVE, default_method
from bnengine.experiment.experiment import FITTED
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from bnengine.settings import Setting, field, setting, setting_of, settings_of, tag_of
from pages.shared import in_use, state, typed_lists
from pages.shared.keys import Key

TRUE_ORDER, COLUMN_ORDER, OWN_ORDER = "Order of the true network", "Order of the columns", "Typed below"
FIRST_VIEW = next(iter(VIEWS))
_LONGEST_LINK = 6_000  # characters that browsers and mail programs accept
_ALWAYS = (NAIVE, CORRECTED)  # methods of every study
_NUMBERS_AND_WORDS = ("int", "float", "bool", "choice")
_RUN, _OPENED, _REMARK, _DRAWN, _RESET = "run state", "expected", "remark", "drawn with", "settings to reset"


@setting
class RunState:
    """The settings of a run, the threshold and the strength of the correction among them, and the view."""

    experiment: bn.Experiment = field(default_factory=bn.Experiment, label="Settings", help="What results depend on.")
    view: str = field(default=FIRST_VIEW, choices=VIEWS, label="View", help="What the Network page shows.")

    @property
    def link(self) -> str:
        """The settings in the letters of a link; empty if they are too long for one."""
        try:
            text = self.experiment.to_link()
        except ValueError:
            return ""
        return text if len(text) <= _LONGEST_LINK else ""

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of an address that opens these settings on this view."""
        return ({} if self.view == FIRST_VIEW else {Key.VIEW: self.view}) | {Key.ADDRESS: self.link}


def now() -> RunState:
    """Return what the page holds of its run."""
    return RunState(experiment(), view())


def experiment() -> bn.Experiment:
    """Return the experiment that the settings describe."""
    return state.get(_RUN).experiment  # type: ignore[no-any-return]


def hold(new: bn.Experiment) -> None:
    """Hold the experiment that the settings describe."""
    state.put(_RUN, RunState(new, view()))


def is_drawn() -> bool:
    """Return whether the settings were drawn in this session."""
    return state.get(_RUN) is not None


def view() -> str:
    """Return the view of the network: the one chosen last, or that of the address."""
    chosen = state.get(Key.VIEW, st.query_params.get(Key.VIEW))
    return chosen if chosen in VIEWS else FIRST_VIEW


# From settings to widgets.


def values_in(owner: Any, part: str = "") -> dict[str, Any]:
    """Return what the widgets of an object's settings hold, by their keys; data, names and edges have other widgets."""
    values: dict[str, Any] = {}
    for one in settings_of(owner.__class__):
        value, key = getattr(owner, one.name), Key.setting(one.name, part)
        if one.kind == "one_of":
            values |= {key: tag_of(value)} | values_in(value, tag_of(value))
        elif one.name in Key.PARTS:
            values |= values_in(value, one.name)
        elif one.kind not in ("part", "names"):
            values[key] = list(value) if one.kind == "choices" else value
    return values


def _widgets_of(shown: bn.Experiment) -> dict[str, Any]:
    """Return what all widgets hold that show an experiment, those of other scores and searches included."""
    values = _DECLARED | values_in(shown)
    values[Key.METHODS] = [key for key in shown.methods if key not in ("data", *_ALWAYS)]
    values[Key.ORDERING] = _ordering(getattr(shown.search, "ordering", None), shown.data)
    return values


def _ordering(ordering: tuple[str, ...] | None, data: bn.Recipe) -> str | None:
    if ordering is None:
        return COLUMN_ORDER
    known = bn.load_network(data.network).ordering if data.network is not None else []
    return TRUE_ORDER if [name for name in known if name in ordering] == list(ordering) else OWN_ORDER


_KINDS: tuple[Any, ...] = (*SCORES.values(), *SEARCHES.values())
#: Settings of scores and searches that are not in use: their declared defaults; of shared settings, the first kind's.
_DECLARED: dict[str, Any] = {
    Key.setting(one.name, tag_of(kind)): one.default
    for kind in reversed(_KINDS)
    for one in settings_of(kind)
    if one.kind in _NUMBERS_AND_WORDS
} | {Key.MAX_PARENTS: None}  # the search's default
#: What the widgets hold at first; the first ordering offered depends on the data.
FIRST = _widgets_of(bn.Experiment()) | {Key.ORDERING: None, Key.SUITED: tag_of(bn.BIC)}
#: Settings that say how a graph is learned: what one chooses for certain data.
LEARNING = {*_DECLARED, Key.setting("edge_penalty"), Key.setting("uniform_parent_sizes")}
LEARNING |= {Key.SCORE, Key.SUITED, Key.SEARCH}
#: Settings that were chosen for one table, and do not go along to the next.
OF_ONE_TABLE = {Key.STRENGTH, Key.THRESHOLD, Key.DELETE_D, Key.setting("size")}


def set_defaults() -> None:
    """Set every widget to its first value, so that it can be read before the widget is drawn."""
    state.put_all({key: FIRST[key] for key in state.pop(_RESET, ())})
    for key, value in FIRST.items():
        state.get_or_put(key, value)


def put(new: bn.Experiment) -> None:
    """Put every setting but the data into its widget; call it before the widgets are drawn, or from a callback."""
    state.put_all(_widgets_of(new) | {Key.SUITED: ""})
    typed_lists.put_edges(Key.REQUIRED, tuple(new.constraints.required))
    typed_lists.put_edges(Key.FORBIDDEN, tuple(new.constraints.forbidden))
    state.put(Key.TIERS, tuple(new.constraints.tiers))
    typed_lists.put_names(Key.ORDERING_TEXT, tuple(getattr(new.search, "ordering", None) or ()))


def open_experiment(new: bn.Experiment, remark: str = "") -> None:
    """Turn to opened settings and their data; ``remark`` says what they had that is gone."""
    put(new)
    in_use.turn_to(new.data)
    state.put(_OPENED, new)  # to report settings that the widgets cannot hold
    set_remark(remark)


def open_figure1() -> None:
    """Open the paper's first experiment (ALARM, BDeu, K2 with the true ordering) on its view, from a callback."""
    in_use.set_recipe(bn.Recipe("sample", "alarm_300"))
    put(bn.Experiment(score=bn.BDeu(), search=bn.K2()))
    state.put_all({Key.ORDERING: TRUE_ORDER, Key.VIEW: "naive"})
    state.open_next("network")


def reset_for_new_data(learning: bool) -> None:
    """Begin with the verdict and without what was chosen for one table; score and search too, if ``learning``."""
    state.put(_RESET, sorted(OF_ONE_TABLE | (LEARNING if learning else set())))
    state.put(Key.VIEW, FIRST_VIEW)


def constrain(edge: tuple[str, str], how: str | None) -> None:
    """Require an edge (``Key.REQUIRED``), forbid it (``Key.FORBIDDEN``), or neither (None); its drawer closes."""
    state.close_edge()
    for key in (Key.REQUIRED, Key.FORBIDDEN):
        edges, unread = typed_lists.edges(key)
        others = tuple(own for own in edges if own != edge)
        typed_lists.put_edges(key, (*others, edge) if key == how else others, unread)


# From widgets to settings.


def plain_settings() -> list[Setting]:
    """Return the experiment's settings that are numbers or words, each of which has one widget."""
    return [one for one in settings_of(bn.Experiment) if one.kind in _NUMBERS_AND_WORDS]


def study_settings(data: bn.Dataset | None) -> dict[str, Any]:
    """Return the settings beside data, score, search and constraints, whichever page has their widgets."""
    found = {one.name: state.get(Key.setting(one.name)) for one in plain_settings()}
    found["methods"] = tuple(key for key in ALL_KEYS if key in {*_ALWAYS, *state.get(Key.METHODS)})
    run = bn.Experiment(methods=found["methods"], recut=bool(found["recut"])).methods_run
    if found["averaged"] not in run or found["averaged"] == default_method(run):
        found["averaged"] = None
    for part in Key.PARTS:
        kind: Any = setting_of(bn.Experiment, part).part
        found[part] = kind(**{one.name: state.get(Key.setting(one.name, part)) for one in settings_of(kind)})
    target = found["prediction"].target
    if data is None or target not in data.names or target == data.names[-1]:
        found["prediction"] = dataclasses.replace(found["prediction"], target=None)
    if found["calibration"].truth == (in_use.recipe().network or FITTED):
        found["calibration"] = dataclasses.replace(found["calibration"], truth=None)
    return found


def shown_method(keys: Sequence[str]) -> str:
    """Return which of some resampling methods says what is *found again*: at first the best of them."""
    chosen = state.get(Key.AVERAGED)
    return str(chosen) if chosen in keys else default_method(keys)


def set_remark(text: str) -> None:
    """Set the remark on opened settings."""
    state.put(_REMARK, text)


def remark() -> str:
    """Return the remark on opened settings, given once; where they need a file, the page that needs it asks for it."""
    opened: bn.Experiment | None = state.pop(_OPENED)
    text: str = state.pop(_REMARK, "")
    if in_use.awaited() is not None:
        return ""
    if opened is not None and _in_full(opened) != _in_full(experiment()):
        return (
            "Some of the settings you opened do not fit these data or cannot be set here; the settings shown are used."
        )
    return text


def _in_full(given: bn.Experiment) -> bn.Experiment:
    return dataclasses.replace(given, methods=given.methods_run)


# Parts of a page that are drawn alone can change what the rest of the page was drawn with.


def remember_drawn() -> None:
    """Remember what the page is drawn with; call it when the whole page is drawn."""
    state.put(_DRAWN, _drawn_with())


def is_outdated() -> bool:
    """Return whether the rest of the page was drawn with other settings than a part of it now would be."""
    drawn = _drawn_with()
    return bool(state.get(_DRAWN, drawn) != drawn)


def _drawn_with() -> tuple[object, ...]:
    """Return what the widgets hold, but for the choice of a method, which draws the page again where it is made."""
    keys = [key for key in (*FIRST, Key.REQUIRED, Key.FORBIDDEN) if key != Key.AVERAGED]
    held = (state.get(key) for key in (*keys, _OPENED, _REMARK, state.CLOSED))
    return tuple(tuple(value) if isinstance(value, list) else value for value in held)
