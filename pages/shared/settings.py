"""The experiment that the widgets describe, each of which holds the setting of its name; settings that are opened."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import bnengine as bn
from bnengine.answers.verdict import VIEWS
from bnengine.bootstrap.resampling_methods import CORRECTED, DEFAULT_KEYS, NAIVE, default_method
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from bnengine.settings import settings_of, tag_of
from pages.shared import in_use, state, typed_lists
from pages.shared.keys import Key

TRUE_ORDER, COLUMN_ORDER, OWN_ORDER = "Order of the true network", "Order of the columns", "Typed below"
_PLAIN = ("int", "float", "bool", "choice")  # settings that a widget holds unchanged
_LEARNING = ("edge_penalty", "uniform_parent_sizes")


def plain(kind: Any) -> list[Any]:
    """Return the settings of a kind that the session holds as they are."""
    return [one for one in settings_of(kind) if one.kind in _PLAIN]


#: Settings of scores and searches that are not in use: their declared defaults.
_DECLARED: dict[str, Any] = {
    Key.setting(one.name, tag_of(kind)): one.default
    for kind in reversed((*SCORES.values(), *SEARCHES.values()))  # of shared settings, the first kind's
    for one in reversed(plain(kind))
} | {Key.MAX_PARENTS: None}  # the search's default


def values_of(experiment: bn.Experiment) -> dict[str, Any]:
    """Return the values of the widgets that describe an experiment, but for lists of edges and names."""
    score, search, data = experiment.score, experiment.search, experiment.data
    owners: list[Any] = [experiment, score, search]
    parts = [(part, getattr(experiment, part)) for part in Key.PARTS]
    values = dict(_DECLARED)
    for tag, owner in [*((tag_of(owner), owner) for owner in owners), *parts]:
        values |= {Key.setting(one.name, tag): getattr(owner, one.name) for one in plain(type(owner))}
    values |= {
        Key.SCORE: tag_of(score),
        Key.SEARCH: tag_of(search),
        Key.METHODS: [key for key in experiment.methods if key not in ("data", NAIVE, CORRECTED)],
        Key.CALIBRATED: list(experiment.calibration.methods),
        Key.TRUTH: experiment.calibration.truth,
        Key.TARGET: experiment.prediction.target,
        Key.ORDERING: _ordering(getattr(search, "ordering", None), data),
    }
    if isinstance(score, bn.BDe):
        values[Key.PRIOR_NETWORK] = score.prior_network
    if isinstance(search, bn.ChowLiu):
        values |= {Key.ROOT: search.root, Key.MAX_PARENTS: None}  # a tree's single parent is no setting
    return values


def _ordering(ordering: tuple[str, ...] | None, data: bn.Recipe) -> str:
    if ordering is None:
        return COLUMN_ORDER
    known = bn.load_network(data.network).ordering if data.network is not None else []
    return TRUE_ORDER if [name for name in known if name in ordering] == list(ordering) else OWN_ORDER


#: The settings of an experiment that nobody has changed.
FIRST: dict[str, Any] = {key: value for key, value in values_of(bn.Experiment()).items() if key != Key.ORDERING} | {
    Key.METHODS: [key for key in DEFAULT_KEYS if key not in (NAIVE, CORRECTED)]
}
#: Those that say how a graph is learned: what one chooses for certain data.
LEARNING = {*_DECLARED, *_LEARNING, Key.SCORE, Key.SEARCH}
#: Those that were chosen for one table, and do not go along to the next.
OF_ONE_TABLE = {Key.STRENGTH, Key.THRESHOLD, Key.DELETE_D, Key.setting("size")}

#: First values of widgets of the Bias lab and the Predict page, which are not part of the experiment.
PAGES: dict[str, Any] = {
    Key.LAB_STATES: 8,
    Key.LAB_ROWS: 50,
    Key.LAB_SKEW: 0.5,
    Key.LAB_SAMPLE: 5,
    Key.LAB_ARITIES: (3, 3),
    Key.LAB_PAIR_ROWS: 200,
    Key.LAB_SPARSE_ROWS: 200,
    Key.LAB_ERROR_ROWS: 300,
    Key.LAB_GAP_ROWS: 1000,
    Key.MEASURE: "brier",
}

_EXPERIMENT, _EXPECTED, _REMARK = "experiment", "expected", "remark"
_RESET = "settings to reset"


def set_defaults() -> None:
    """Set every widget to its first value, so that it can be read before the widget is drawn."""
    state.put_all({key: FIRST[key] for key in state.pop(_RESET, ())})
    for key, value in (FIRST | PAGES).items():
        state.get_or_put(key, value)


def reset() -> None:
    """Set every setting of an experiment to its first value; settings of the teaching pages stay."""
    state.put_all(FIRST)
    for key in (Key.REQUIRED, Key.FORBIDDEN):
        typed_lists.put_edges(key, ())
    typed_lists.put_names(Key.ORDERING_TEXT, ())
    state.put(Key.TIERS, ())


def open_figure1() -> None:
    """Open the paper's first experiment (ALARM, BDeu, K2 with the true ordering) on its view, from a callback."""
    in_use.set_recipe(bn.Recipe("sample", "alarm_300"))
    reset()
    state.put_all({Key.SCORE: "bdeu", Key.SEARCH: "k2", Key.ORDERING: TRUE_ORDER, Key.VIEW: "naive"})
    state.open_next("network")


def apply(experiment: bn.Experiment) -> None:
    """Put every setting into its widget; call it before the widgets are drawn, or from a callback."""
    reset()
    state.put_all(values_of(experiment))
    put_constraints(experiment.constraints)
    typed_lists.put_names(Key.ORDERING_TEXT, tuple(getattr(experiment.search, "ordering", None) or ()))
    in_use.turn_to(experiment.data)
    state.put(_EXPECTED, experiment)  # to report settings that the widgets cannot hold
    state.pop(_REMARK)


def is_drawn() -> bool:
    """Return whether the settings were drawn in this session."""
    return state.get(_EXPERIMENT) is not None


def experiment() -> bn.Experiment:
    """Return the experiment described by the settings."""
    return state.get(_EXPERIMENT)  # type: ignore[no-any-return]


def set_experiment(new: bn.Experiment) -> None:
    """Remember the experiment described by the settings."""
    state.put(_EXPERIMENT, new)


def shown_method(keys: Sequence[str]) -> str:
    """Return which of some resampling methods says what is *found again*: at first the best of them."""
    chosen = state.get(Key.AVERAGED)
    return str(chosen) if chosen in keys else default_method(keys)


def reset_for_new_data(learning: bool) -> None:
    """Begin with the verdict and without what was chosen for one table; score and search too, if ``learning``."""
    state.put(_RESET, sorted(OF_ONE_TABLE | (LEARNING if learning else set())))
    state.put(Key.VIEW, next(iter(VIEWS)))


def put_constraints(constraints: bn.Constraints) -> None:
    """Show these constraints; their limit on parents is a setting of its own."""
    typed_lists.put_edges(Key.REQUIRED, tuple(constraints.required))
    typed_lists.put_edges(Key.FORBIDDEN, tuple(constraints.forbidden))
    state.put(Key.TIERS, tuple(constraints.tiers))


def constrain(edge: tuple[str, str], how: str | None) -> None:
    """Require an edge (``Key.REQUIRED``), forbid it (``Key.FORBIDDEN``), or neither (None); its drawer closes."""
    state.close_edge()
    for key in (Key.REQUIRED, Key.FORBIDDEN):
        edges, unread = typed_lists.edges(key)
        others = tuple(own for own in edges if own != edge)
        typed_lists.put_edges(key, (*others, edge) if key == how else others, unread)


def set_remark(text: str) -> None:
    """Set the remark on opened settings."""
    state.put(_REMARK, text)


def remark(now: bn.Experiment) -> str:
    """Return the remark on opened settings, given once; where they need a file, the page that needs it asks for it."""
    expected: bn.Experiment | None = state.pop(_EXPECTED)
    text: str = state.pop(_REMARK, "")
    if in_use.awaited() is not None:
        return ""
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
