"""Pictures, table and downloads of a calibration."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.calibration import Calibration
from bnengine.experiment.calibrating import python_calibration
from bnengine.experiment.calibration_settings import FROM_FILE
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.calibration import distance_figure, precision_recall_figure, reliability_figure
from pages._shared.figures.methods import KINDS, LABELS
from pages._shared.format import plus_minus, short
from pages._shared.sections.calibrate.settings import Run
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

MEASURES = {"total_absolute_error": "Error against π (found again)", "brier": "Brier score (real)"}
AGAINST = {"inclusion_probability": "Found again", "in_network": "Real"}
_ABOUT = {
    "total_absolute_error": "Mean over {n} tables with standard error; further left is better. The dashed line is the "
    "error from sampling noise alone, since π and p are estimated from finitely many samples.",
    "brier": "Mean over all possible edges of (p − 1)² for edges in the network and p² for others; further left is "
    "better. This measure does not involve π: a method can estimate well what is learned, while what is learned is "
    "wrong.",
}


def pictures(found: Calibration) -> None:
    """Error, reliability, precision and recall."""
    dark, keys = session.dark(), list(found.confidence)
    left, right = st.columns([5, 4], gap="large")
    with left:
        measure = tabs("Measure", MEASURES, Key.CALIBRATION_MEASURE)
        figure = distance_figure(found, measure, dark)
        about = _ABOUT[measure].format(n=found.n_tables)
        show.chart(figure, "calibrate_distance", f"{MEASURES[measure]} by method", caption=about)
    with right:
        against = tabs("Compared with", AGAINST, Key.CALIBRATED_AGAINST)
        show.chart(
            reliability_figure(found, [key for key in keys if key != "data"], against, dark),
            "calibrate_reliability",
            "Reliability diagram: share of edges against confidence",
            caption="Edges grouped by confidence; larger marks represent more edges. On the dotted line, confidence "
            "equals the share; below it, confidence is too high.",
        )
    left, right = st.columns([4, 5], gap="large")
    with left:
        show.chart(
            precision_recall_figure(found, keys, dark),
            "calibrate_recall",
            "Precision against recall for each method",
            caption="Precision and recall of the edges. Along a line, the threshold falls from left to right. "
            "The single mark is the graph learned from each table.",
        )
    with right:
        show.table(shown_table(found))
        st.caption(
            f"The network has {int(found.truth.sum())} {KINDS[found.kind]}; graphs learned from new samples have "
            f"{short(found.inclusion_probability.sum())} on average. ±: standard error over the tables. All methods "
            "use the same tables, so differences between them are more certain than the error bars suggest."
        )


def shown_table(found: Calibration) -> pd.DataFrame:
    """The measures, as means with standard errors."""
    table = found.table()
    shown = pd.DataFrame({"method": [LABELS[key] for key in table["method"]]})
    for column, title in (("edges", "edges"), ("total_absolute_error", "Σ|p − π|"), ("brier", "Brier score")):
        shown[title] = list(map(plus_minus, table[column], table[f"{column}_se"]))
    return shown


def downloads(found: Calibration, run: Run, with_data: bool) -> None:
    """Downloads, and the code that repeats the calibration."""
    from_data = with_data and run.experiment.calibration.truth != FROM_FILE
    take_away(
        ("Measures", found.table(), "calibration.csv"),
        ("Reliability", all_methods(found, Calibration.reliability), "reliability.csv"),
        ("Precision and recall", all_methods(found, Calibration.precision_recall), "precision_recall.csv"),
        code=python_calibration(run.experiment, run.network, run.n_rows),
        commands=[bn.command_line(run.experiment, "calibrate")] if from_data else [],
    )


def all_methods(found: Calibration, table_of: Callable[[Calibration, str], pd.DataFrame]) -> pd.DataFrame:
    """One table for all methods."""
    return pd.concat([table_of(found, key).assign(method=key) for key in found.confidence])
