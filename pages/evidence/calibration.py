"""Which method is right on a known network of your choice, or on one fitted to the data."""

import dataclasses
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.resampling_methods import EDGE_KIND_SINGULAR, LABELS, TITLES
from bnengine.experiment.evaluations import on_network, python_calibration, run_calibration, true_network
from bnengine.experiment.experiment import FITTED, CalibrationSettings
from bnengine.networks.bundled import network_names
from bnengine.plots.methods import distance_figure, reliability_figure
from bnengine.settings import setting_of
from pages.shared import experiments, in_use, jobs, show, state
from pages.shared.downloads import take_away
from pages.shared.format import at_most, counted, escaped, plus_minus, short
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice, declared
from pages.shared.words import EVIDENCE as WORDS


def draw() -> None:
    """Calibrate the methods."""
    data, _ = in_use.dataset()
    run = controls(run_state.experiment(), data)
    if run is None:
        return
    found = jobs.result_of(
        "calibrate",
        run.of,
        lambda progress: run_calibration(run.experiment, run.network, run.n_rows, progress=progress),
        "graphs",
        ("Calibrate", WORDS["calibration"]),
    )
    if found is None:
        return
    if found.status == "stopped":
        done = f"Stopped early, after {found.n_tables} of {counted(run.experiment.calibration.n_tables, 'table')}."
        jobs.offer_again("calibrate", run.of, done)
        if not found.n_tables:
            return
    best, remark = sentences(found, run)
    show.note(f"**{best}**\n\n{remark}", "calibrated", small=False)
    show.note(caution(found, run), "caution")
    pictures(found)
    downloads(found, run, data is not None)


# Settings of a calibration: the true network, and how much is drawn from it.

_FEWEST_ROWS, _MOST_ROWS = 10, 20_000  # of a table, unless the user sets another number


@dataclasses.dataclass(frozen=True)
class Run:
    """A calibration: the experiment with all its calibration settings, and the true network."""

    experiment: bn.Experiment
    network: bn.BayesianNetwork

    @property
    def n_rows(self) -> int:
        """Rows of each table."""
        return self.experiment.calibration.n_rows or 0

    @property
    def of(self) -> tuple[object, ...]:
        """All that the result depends on."""
        return self.experiment.calibration_key, self.network, self.n_rows

    @property
    def title(self) -> str:
        """The network's name in sentences."""
        truth = self.experiment.calibration.truth
        if truth == FITTED:
            return "the network fitted to your data"
        return str(truth).upper()


def controls(experiment: bn.Experiment, data: bn.Dataset | None) -> Run | None:
    """Return the calibration that the controls describe; None, with the reason, if something is missing."""
    left, middle, right = st.columns([3, 2, 7], gap="medium")
    titles = ({FITTED: "Fitted to your data"} if data else {}) | {name: name for name in network_names()}
    truth = choice("True network", titles, Key.TRUTH, left, first=experiment.data.network)
    own_rows = min(max(data.n_rows if data else 300, _FEWEST_ROWS), _MOST_ROWS)
    n_rows = _setting("n_rows", middle, step=50, placeholder=f"{own_rows:,}") or own_rows
    offered = list(setting_of(CalibrationSettings, "methods").choices)
    right.multiselect("Methods", offered, format_func=LABELS.__getitem__, **persistent(Key.CALIBRATED))
    with st.popover("Numbers of samples", icon=":material/tune:"):
        for name, step in (("n_tables", 1), ("n_fresh", 50), ("n", 20)):
            _setting(name, step=step)
    calibration = dataclasses.replace(experiment.calibration, truth=truth, n_rows=int(n_rows))
    experiment = dataclasses.replace(experiment, calibration=calibration)
    graph = experiments.graph_of(experiment, data) if truth == FITTED and data is not None else None
    if truth == FITTED and graph is None:
        return None
    if not state.get(Key.CALIBRATED):
        st.info("Choose a method to calibrate.")
        return None
    return Run(experiment, true_network(experiment, data, graph))


def _setting(name: str, place: Any = None, **options: Any) -> Any:
    """Draw the widget of one of the calibration's declared settings."""
    return declared(setting_of(CalibrationSettings, name), "calibration", place, **options)


# The result of a calibration, in sentences.

#: The two questions, by the measure of how well each is answered.
_QUESTIONS = {"total_absolute_error": "*found again*:", "brier": "*real*:"}
_MEASURED = {"total_absolute_error": "Σ|p − π|", "brier": "Brier score"}


def sentences(found: Calibration, run: Run) -> tuple[str, str]:
    """Return the method closest to each target, if there is one, and how certain that is."""
    start = f"On {escaped(run.title)} ({found.n_rows:,} rows, {escaped(found.score)}), "
    parts = [f"{question} {winner(found, measure)}" for measure, question in _QUESTIONS.items()]
    noise = f"Sampling noise alone gives an error of {counted(found.floor, 'edge')} against π."
    if found.n_tables < 2:
        return f"{start}one table cannot tell which method is best.", f"Calibrate with more tables. {noise}"
    return f"{start}{'; '.join(parts)}.", f"π is the share of fresh tables in which an edge is found again. {noise}"


def winner(found: Calibration, measure: str) -> str:
    """Return the method with the smallest error, unless others are within two standard errors of it."""
    leaders, table = found.leaders(measure), found.table().set_index("method")
    if len(leaders) == 1:
        return f"the {TITLES[leaders[0]]} is best ({_error(table, leaders[0], measure)})"
    return f"no clear winner among {'; '.join(TITLES[key] for key in leaders)}"


def caution(found: Calibration, run: Run) -> str:
    """Return the search, and the limits of the finding."""
    text = f"Search: {found.search}{at_most(on_network(run.experiment, run.network))}."
    if run.experiment.calibration.truth != FITTED:
        return text
    return f"{text} {WORDS['circular']}"


def _error(table: pd.DataFrame, key: str, measure: str) -> str:
    line = table.loc[key]
    return f"{_MEASURED[measure]} {plus_minus(line[measure], line[f'{measure}_se'])}"


# Pictures, table and downloads of a calibration.

#: The two targets: heading, measure, what it says, and what the reliability diagram compares with.
TARGETS = WORDS["targets"]


def pictures(found: Calibration) -> None:
    """Show the error by method and the reliability diagrams, for both targets, and the table."""
    columns = st.container(key=Key.wide("targets")).columns(2, gap="large")
    keys, dark = [key for key in found.confidence if key != "data"], state.dark()
    for column, (heading, measure, about, against) in zip(columns, TARGETS, strict=True):
        column.markdown(f"**{heading}**")
        caption = about.format(tables=counted(found.n_tables, "table"))
        alt = f"{heading} Error by method"
        show.chart(distance_figure(found, measure, dark), f"calibrate_{measure}", alt, column, caption=caption)
        column.markdown("**Reliability: is a confidence of 0.7 right in 70% of cases?**")
        alt = f"{heading} Reliability diagrams: share of edges against confidence"
        show.chart(reliability_figure(found, keys, against, dark), f"calibrate_{against}", alt, column)
    st.caption(WORDS["reliability"])
    show.table(shown_table(found))
    st.caption(
        WORDS["tables"].format(
            edges=counted(int(found.truth.sum()), EDGE_KIND_SINGULAR[found.kind]),
            learned=short(found.inclusion_probability.sum()),
        )
    )


def shown_table(found: Calibration) -> pd.DataFrame:
    """Return the measures, as means with standard errors."""
    table = found.table()
    shown = pd.DataFrame({"method": [LABELS[key] for key in table["method"]]})
    for column, title in (("edges", "edges"), ("total_absolute_error", "Σ|p − π|"), ("brier", "Brier score")):
        shown[title] = list(map(plus_minus, table[column], table[f"{column}_se"]))
    return shown


def downloads(found: Calibration, run: Run, with_data: bool) -> None:
    """Offer downloads, and the code that repeats the calibration."""
    by_confidence = pd.concat([found.reliability(key).assign(method=key) for key in found.confidence])
    take_away(
        ("Measures", found.table(), "calibration.csv"),
        ("Reliability", by_confidence, "reliability.csv"),
        code=python_calibration(run.experiment, run.network, run.n_rows),
        command="calibrate" if with_data else "",
    )
