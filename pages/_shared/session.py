"""What a session remembers. The only file that names session keys."""

from __future__ import annotations

import dataclasses
import hashlib
import io
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.scores.correction import LEADING_STRENGTH
from pages._shared.format.text import escaped
from pages._shared.jobs.background import Job

_RECIPE, _FRAME, _DATASET, _EXPERIMENT = "recipe", "frame", "dataset", "experiment"
_ENSEMBLES, _GRAPHS, _JOBS, _CHOSEN, _UPLOADS = "ensembles", "graphs", "jobs", "chosen_edge", "uploads"
_STOPPED, _RESULTS, _PRIOR = "stopped", "results", "prior"
_FILES = "files"
_AWAITED, _EXPECTED, _REMARK, _UPLOADED_TRUTH = "awaited", "expected", "remark", "uploaded_truth"
SAVED = "saved_settings"
_REQUESTED, _AGAIN = "run_requested", "again"
_OWN, _REFUSED = "own_networks", "refused_change"
_CUTS = "cuts"
_MOST_ENSEMBLES = 48
FIRST_SAMPLE = "alarm_300"

#: Keys of the settings' widgets.
SCORE, ESS, PRIOR_NETWORK, EDGE_PENALTY, FAIR = "score", "ess", "prior_network", "edge_penalty", "fair"
SEARCH, RESTARTS, ORDERING, ORDERING_TEXT, ROOT = "search", "restarts", "ordering", "ordering_text", "root"
MAX_PARENTS, TENURE, PATIENCE, FRONTIER = "max_parents", "tenure", "patience", "frontier"
TEMPERATURE, PROPOSALS, ACCEPTANCES = "start_temperature", "proposals", "acceptances"
COOLING, TEMPERATURES, START, EXCHANGES = "cooling", "temperatures", "annealing_start", "exchanges"
IMPROVING, DEPENDENT, BEAM = "only_improving", "dependent_share", "beam"
REQUIRED, FORBIDDEN, TIERS = "required", "forbidden", "tiers"
REPLICATES, DELETE_D, SEED, KEEP_ORDER = "replicates", "delete_d", "seed", "keep_order"
TRUTH, TABLE_ROWS, TABLES, FRESH = "truth", "table_rows", "tables", "fresh"
CONFIDENCE_VIEW, FAIR_METHOD, NAIVE_METHOD = "confidence_view", "fair_method", "naive_method"
AVERAGED, RULE, MAX_FALSE = "averaged", "threshold_rule", "max_false"
PAPER_SECTION, PAPER_RUNS, PAPER_ESS, PAPER_SCORES = "paper_section", "paper_runs", "paper_ess", "paper_scores"
CALIBRATION_N, CALIBRATED = "calibration_n", "calibrated"
STRENGTH, METHODS, THRESHOLD, KIND, VIEW = "strength", "methods", "threshold", "kind", "view"
MDL_SECTION, BAYES_SECTION = "mdl_section", "bayes_section"
SEQUENCE, ROWS_SEED, WORKED_ROWS, COPIES = "sequence", "rows_seed", "worked_rows", "copies"
PRECISION_ROWS = "precision_rows"
SHOWN_ESS, STUCK_ROWS, NO_TRAP = "shown_ess", "stuck_rows", "no_trap"

#: Keys of the Bias lab's widgets.
LAB_SECTION, LAB_STATES, LAB_ROWS, LAB_SKEW, LAB_SAMPLE = "lab", "lab_states", "lab_rows", "lab_skew", "lab_sample"
LAB_SCALE, LAB_ORDER, LAB_STATISTIC, LAB_MEASURED = "lab_scale", "lab_order", "lab_statistic", "lab_measured"
LAB_FIRST, LAB_SECOND, LAB_FUNCTION, LAB_SHARE = "lab_first", "lab_second", "lab_function", "lab_share"
LAB_DRAWS = "lab_draws"
LAB_SPURIOUS, LAB_ARITIES, LAB_PAIR_ROWS = "lab_spurious", "lab_arities", "lab_pair_rows"
LAB_TIED_ROWS, LAB_TRUTH, LAB_ESS = "lab_tied_rows", "lab_truth", "lab_ess"
LAB_SPARSE_ROWS, LAB_CORRECTION, LAB_PATH_PARENTS = "lab_sparse_rows", "lab_correction", "lab_path_parents"
LAB_ERROR_ROWS, LAB_VARYING = "lab_error_rows", "lab_varying"

#: Keys of the Predict page's widgets.
PREDICT_SECTION, TARGET, TESTING, TEST_SHARE, FOLDS = "predict", "target", "testing", "test_share", "folds"
TABLE_ESS, MEASURE, ENOUGH, SLACK, ENOUGH_VALUE = "table_ess", "measure", "enough", "slack", "enough_value"
TREE_ROOT, EDGE_PARENTS, EDGES, WHAT_NETWORK, OBSERVED = (
    "tree_root",
    "edge_parents",
    "edges",
    "what_network",
    "observed",
)
WHAT_ORDER = "what_order"

_DEFAULTS: dict[str, Any] = {
    SCORE: "bic",
    ESS: 1.0,
    EDGE_PENALTY: 0.0,
    FAIR: False,
    SEARCH: "hill_climbing",
    RESTARTS: 0,
    MAX_PARENTS: None,
    TENURE: bn.Tabu().tenure,
    PATIENCE: bn.Tabu().patience,
    FRONTIER: bn.BestFirst().frontier,
    TEMPERATURE: bn.SimulatedAnnealing().start_temperature,
    PROPOSALS: bn.SimulatedAnnealing().proposals,
    ACCEPTANCES: bn.SimulatedAnnealing().acceptances,
    COOLING: bn.SimulatedAnnealing().cooling,
    TEMPERATURES: bn.SimulatedAnnealing().temperatures,
    START: bn.SimulatedAnnealing().start,
    EXCHANGES: bn.SimulatedAnnealing().exchanges,
    IMPROVING: True,
    DEPENDENT: 1.0,
    BEAM: bn.TreeSearch().beam,
    REPLICATES: 200,
    DELETE_D: None,
    SEED: 0,
    KEEP_ORDER: False,
    STRENGTH: LEADING_STRENGTH,
    METHODS: ["jack_1", "jack_d"],
    KIND: "directed",
    MAX_FALSE: 1.0,
    PAPER_RUNS: 320,
    PAPER_ESS: 25.0,
    PAPER_SCORES: ["bic", "bdeu"],
    TABLES: 6,
    FRESH: 400,
    CALIBRATION_N: 100,
    CALIBRATED: ["boot_bc", "boot_exact", "boot_matched", "boot", "para", "jack_d"],
}


#: First values of the widgets of the Bias lab and the Predict page, which are no part of the experiment.
_PAGE_DEFAULTS: dict[str, Any] = {
    LAB_STATES: 8,
    LAB_ROWS: 50,
    LAB_SKEW: 0.5,
    LAB_SAMPLE: 5,
    LAB_ORDER: 2,
    LAB_MEASURED: 20,
    LAB_SHARE: 0.4,
    LAB_DRAWS: 5,
    LAB_ARITIES: (3, 3),
    LAB_PAIR_ROWS: 200,
    LAB_TIED_ROWS: 50,
    LAB_ESS: 1.0,
    LAB_SPARSE_ROWS: 200,
    LAB_PATH_PARENTS: 5,
    LAB_ERROR_ROWS: 300,
    TEST_SHARE: 0.3,
    FOLDS: 10,
    TABLE_ESS: 1.0,
    MEASURE: "absolute_error",
    SLACK: 1.0,
    EDGE_PARENTS: 3,
}


def set_defaults() -> None:
    """Give every setting its first value; a widget finds it there, and so does whoever asks before it is drawn."""
    for key, value in (_DEFAULTS | _PAGE_DEFAULTS).items():
        st.session_state.setdefault(key, value)


def reset_settings() -> None:
    """Give every setting of an experiment its first value again; what is set on the teaching pages stays."""
    for key, value in _DEFAULTS.items():
        st.session_state[key] = value
    for key in (REQUIRED, FORBIDDEN, TIERS, ORDERING_TEXT):
        st.session_state[key] = ""


def request_run() -> None:
    """The person has asked for the next run: it starts however long it takes."""
    st.session_state[_REQUESTED] = True


def run_requested() -> bool:
    """Whether the next run was asked for; it is asked for once."""
    return bool(st.session_state.pop(_REQUESTED, False))


def next_seed() -> None:
    """Take the next seed."""
    st.session_state[SEED] = (st.session_state[SEED] + 1) % 2**31


def request_again(kind: str) -> None:
    """The person has asked for work of that kind to be done again."""
    st.session_state[_AGAIN] = kind


def again_requested(kind: str) -> bool:
    """Whether work of that kind was asked for again; it is asked for once."""
    if st.session_state.get(_AGAIN) != kind:
        return False
    del st.session_state[_AGAIN]
    return True


def dark() -> bool:
    """Whether the page is shown in the dark theme."""
    return st.context.theme.type == "dark"


def recipe() -> bn.Recipe:
    """Where the session's data come from and what is done to them; a sample on the first visit."""
    if _RECIPE not in st.session_state:
        st.session_state[_RECIPE] = bn.Recipe("sample", FIRST_SAMPLE)
    return st.session_state[_RECIPE]  # type: ignore[no-any-return]


def set_recipe(new: bn.Recipe, frame: pd.DataFrame | None = None) -> None:
    """Turn to other data, or treat the same data otherwise; ``frame`` is an uploaded table."""
    if frame is not None:
        uploads = st.session_state.setdefault(_UPLOADS, OrderedDict())
        uploads[new.fingerprint] = frame
        while len(uploads) > 2:
            uploads.popitem(last=False)
    if new.source == "file":
        st.session_state.setdefault(_FILES, {})[new.fingerprint] = new
    if new != recipe():
        st.session_state[_RECIPE] = new
        st.session_state.pop(_CHOSEN, None)


def files_at_hand() -> list[bn.Recipe]:
    """Uploaded files that are still here though other data are in use, with what was done to them last."""
    kept = st.session_state.get(_UPLOADS, {})
    recipes: dict[str, bn.Recipe] = st.session_state.get(_FILES, {})
    return [recipes[key] for key in kept if key in recipes and recipes[key] != recipe()]


def turn_to(new: bn.Recipe) -> None:
    """Turn to the data of settings that came from elsewhere; a file that is not at hand is awaited."""
    here = new.source != "file" or new.fingerprint in st.session_state.get(_UPLOADS, {})
    st.session_state[_AWAITED] = None if here else new
    if here:
        set_recipe(new)


def awaited(arrived: bn.Recipe) -> bn.Recipe | None:
    """What settings from elsewhere do with the file that has just arrived, if it is the one they await."""
    wanted: bn.Recipe | None = st.session_state.get(_AWAITED)
    if wanted is None or (wanted.fingerprint or wanted.name) not in (arrived.fingerprint, arrived.name):
        return None
    st.session_state[_AWAITED] = None
    return dataclasses.replace(wanted, name=arrived.name, fingerprint=arrived.fingerprint)


def expect(experiment: bn.Experiment) -> None:
    """Remember what settings from elsewhere described, to tell where the sidebar cannot hold it."""
    st.session_state[_EXPECTED] = experiment
    st.session_state.pop(_REMARK, None)


def set_remark(text: str) -> None:
    """What is to be said about settings from elsewhere."""
    st.session_state[_REMARK] = text


def remark(now: bn.Experiment) -> str:
    """What is to be said about settings from elsewhere: said once, but for a file that is awaited."""
    wanted: bn.Recipe | None = st.session_state.get(_AWAITED)
    expected: bn.Experiment | None = st.session_state.pop(_EXPECTED, None)
    said: str = st.session_state.pop(_REMARK, "")
    if wanted is not None:
        return f"The settings you opened are for the file {escaped(wanted.name)}: upload it on the Data page."
    if expected is not None and _in_full(expected) != _in_full(now):
        return "Some of the settings you opened cannot be set here, or do not fit these data; what is shown is used."
    return said


def _in_full(experiment: bn.Experiment) -> bn.Experiment:
    return dataclasses.replace(experiment, methods=experiment.methods_run)


@st.cache_data(max_entries=24, show_spinner=False)
def _bundled(source: str, name: str, n_rows: int, seed: int) -> pd.DataFrame:
    return bn.Recipe(source, name, n_rows=n_rows, seed=seed).load()


def frame() -> pd.DataFrame:
    """The session's raw table."""
    now = recipe()
    if now.source != "file":
        return _bundled(now.source, now.name, now.n_rows, now.seed)
    return st.session_state[_UPLOADS][now.fingerprint]  # type: ignore[no-any-return]


def dataset() -> tuple[bn.Dataset | None, str]:
    """The session's data set, and the sentence that says why there is none."""
    now = recipe()
    kept = st.session_state.get(_DATASET)
    if kept is None or kept[0] != now:
        try:
            kept = (now, now.prepare(frame(), cuts()), "")
        except bn.DataError as error:
            kept = (now, None, str(error))
        st.session_state[_DATASET] = kept
    return kept[1], kept[2]


def cuts() -> Mapping[str, Sequence[float]]:
    """The cut points of the session's discretised columns; a DataError says what is in the way of finding them."""
    if not cuts_known():
        keep_cuts(recipe().cuts(frame()))
    _, points, problem, _ = st.session_state[_CUTS]
    if problem:
        raise bn.DataError(problem)
    return points  # type: ignore[no-any-return]


def cuts_known() -> bool:
    """Whether the cut points are at hand, or what is in the way of finding them."""
    kept = st.session_state.get(_CUTS)
    return kept is not None and bool(kept[0] == _cut_key())


def cuts_final() -> bool:
    """Whether the cut points are at hand and were not stopped on the way."""
    return cuts_known() and bool(st.session_state[_CUTS][3])


def known_cuts() -> Mapping[str, Sequence[float]]:
    """The cut points that are at hand; none while there are none."""
    return st.session_state[_CUTS][1] if cuts_known() else {}  # type: ignore[no-any-return]


def keep_cuts(points: Mapping[str, Sequence[float]], problem: str = "", final: bool = True) -> None:
    """Remember the cut points of the session's recipe, or what is in the way of finding them."""
    new = (_cut_key(), points, problem, final)
    if st.session_state.get(_CUTS) != new:
        st.session_state[_CUTS] = new
        st.session_state.pop(_DATASET, None)


def _cut_key() -> bn.Recipe:
    return dataclasses.replace(recipe(), missing=bn.Recipe.missing)  # which does not matter to the cuts


@st.cache_data(max_entries=8, max_size="200MB", show_spinner="Reading the table …", scope="session")
def _parsed(content: bytes, name: str) -> pd.DataFrame:
    return bn.read_table(io.BytesIO(content), name=name)


def read_upload(content: bytes, name: str) -> tuple[pd.DataFrame, str]:
    """The uploaded table and the digest of its bytes; a DataError says what is wrong with it."""
    return _parsed(content, name), hashlib.sha256(content).hexdigest()


def has_experiment() -> bool:
    """Whether the settings were drawn in this session."""
    return _EXPERIMENT in st.session_state


def experiment() -> bn.Experiment:
    """The run that the settings describe."""
    return st.session_state[_EXPERIMENT]  # type: ignore[no-any-return]


def set_experiment(new: bn.Experiment) -> None:
    """Remember the run that the settings describe."""
    st.session_state[_EXPERIMENT] = new


def prior() -> bn.BayesianNetwork | None:
    """The prior network that was uploaded last."""
    return st.session_state.get(_PRIOR)


def keep_prior(network: bn.BayesianNetwork) -> None:
    """Remember an uploaded prior network."""
    st.session_state[_PRIOR] = network


def truth() -> bn.BayesianNetwork | None:
    """The network that was uploaded last to be calibrated against."""
    return st.session_state.get(_UPLOADED_TRUTH)


def keep_truth(network: bn.BayesianNetwork) -> None:
    """Remember an uploaded network to calibrate against."""
    st.session_state[_UPLOADED_TRUTH] = network


def known_graph(now: bn.Experiment) -> tuple[bn.LearnedGraph, float] | None:
    """The data's own graph and the seconds it took, if it was learned already."""
    return st.session_state.setdefault(_GRAPHS, OrderedDict()).get(now.graph_key)  # type: ignore[no-any-return]


def keep_graph(now: bn.Experiment, graph: bn.LearnedGraph, seconds: float) -> None:
    """Remember the data's own graph, forgetting the oldest."""
    graphs = st.session_state.setdefault(_GRAPHS, OrderedDict())
    graphs[now.graph_key] = (graph, seconds)
    while len(graphs) > 16:
        graphs.popitem(last=False)


def known_result(key: str) -> Any:
    """What was worked out under the key, or None."""
    return st.session_state.setdefault(_RESULTS, OrderedDict()).get(key)


def keep_result(key: str, result: Any) -> None:
    """Remember what was worked out, forgetting the oldest."""
    results = st.session_state.setdefault(_RESULTS, OrderedDict())
    results[key] = result
    while len(results) > 16:
        results.popitem(last=False)


def forget_result(key: str) -> None:
    """Forget what was worked out, so that it is worked out again."""
    st.session_state.setdefault(_RESULTS, OrderedDict()).pop(key, None)


def known_ensembles(now: bn.Experiment) -> dict[str, bn.Ensemble]:
    """The experiment's ensembles that are at hand, by method key, in its order."""
    kept = st.session_state.setdefault(_ENSEMBLES, OrderedDict())
    found = {method: kept[key] for method in now.methods_run if (key := now.method_key(method)) in kept}
    if stopped(now):
        return found
    return {method: ensemble for method, ensemble in found.items() if ensemble.status != "stopped"}


def keep_ensembles(now: bn.Experiment, ensembles: Mapping[str, bn.Ensemble]) -> None:
    """Remember an experiment's ensembles, forgetting the oldest."""
    kept = st.session_state.setdefault(_ENSEMBLES, OrderedDict())
    for method, ensemble in ensembles.items():
        kept[now.method_key(method)] = ensemble
        kept.move_to_end(now.method_key(method))
    while len(kept) > _MOST_ENSEMBLES:
        kept.popitem(last=False)


def stopped(now: bn.Experiment) -> bool:
    """Whether the person stopped this experiment, whose partial result then stands."""
    return bool(st.session_state.get(_STOPPED) == now.key)


def set_stopped(now: bn.Experiment | None) -> None:
    """Remember that this experiment was stopped; None forgets it, so that it can run again."""
    st.session_state[_STOPPED] = now.key if now else None


def forget_unfinished(now: bn.Experiment) -> None:
    """Forget an experiment's partial ensembles, so that they are run again."""
    kept = st.session_state.setdefault(_ENSEMBLES, OrderedDict())
    for method in now.methods_run:
        key = now.method_key(method)
        if key in kept and kept[key].status == "stopped":
            del kept[key]


def job(kind: str) -> Job[Any] | None:
    """The session's background job of that kind, if there is one."""
    return st.session_state.setdefault(_JOBS, {}).get(kind)  # type: ignore[no-any-return]


def set_job(kind: str, new: Job[Any] | None) -> None:
    """Start watching a job, or none; the one of its kind that it replaces is told to stop."""
    old = job(kind)
    if old is not None and old is not new:
        old.stop()
    st.session_state[_JOBS][kind] = new


def chosen_edge() -> tuple[str, str] | None:
    """The edge that was last clicked."""
    return st.session_state.get(_CHOSEN)


def choose_clicked(chart: str) -> None:
    """Remember the edge that was clicked in a chart, by the chart's key; its marks carry (parent, child)."""
    points = st.session_state[chart].selection.points
    picked = [point["customdata"] for point in points if point.get("customdata")]
    if picked:
        st.session_state[_CHOSEN] = (str(picked[0][0]), str(picked[0][1]))


def table_key() -> str:
    """What the session's raw table is known by in keys of widgets that depend on its columns."""
    now = recipe()
    return f"{now.source} {now.name} {now.fingerprint[:8]}"


def data_key() -> str:
    """What the session's data set is known by in caches and in keys of widgets that depend on its columns."""
    return repr(recipe())


def own_network() -> list[bn.graph.Edge]:
    """The edges of the person's own network over the session's data; none at first."""
    return _own_history()[-1]


def set_own_network(edges: list[bn.graph.Edge]) -> None:
    """Change the person's own network; the one before can be had back."""
    _own_history().append(list(edges))


def undo_own_network() -> None:
    """The person's own network as it was before the last change."""
    history = _own_history()
    if len(history) > 1:
        history.pop()


def can_undo() -> bool:
    """Whether the person's own network was changed."""
    return len(_own_history()) > 1


def _own_history() -> list[list[bn.graph.Edge]]:
    networks: OrderedDict[str, list[list[bn.graph.Edge]]] = st.session_state.setdefault(_OWN, OrderedDict())
    history = networks.setdefault(data_key(), [[]])
    networks.move_to_end(data_key())
    while len(networks) > 8:
        networks.popitem(last=False)
    return history


def refused_change() -> str:
    """Why the last change of the person's own network was refused; empty if it was not, and once it has been said."""
    return str(st.session_state.pop(_REFUSED, ""))


def refuse_change(reason: str) -> None:
    """Remember why a change was refused, until it is said."""
    st.session_state[_REFUSED] = reason


def value_of(key: str, otherwise: Any = None) -> Any:
    """What a widget holds, for a callback; ``otherwise`` before it is drawn."""
    return st.session_state.get(key, otherwise)


def set_value(key: str, value: Any) -> None:
    """Give a widget a value before it is drawn."""
    st.session_state[key] = value


def among(key: str, options: Sequence[Any], first: Any) -> None:
    """Give a widget its first value where it has none of the options: on the first visit, and when the data change."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = first


def within(key: str, least: float, most: float) -> None:
    """Bring a number box or slider between bounds that the data have moved."""
    st.session_state[key] = min(max(st.session_state[key], least), most)


def observed_key(name: str) -> str:
    """The key of the widget with the observed state of a variable."""
    return f"{OBSERVED} {name}"


def forget_observed() -> None:
    """Take all evidence back."""
    st.session_state[OBSERVED] = []
