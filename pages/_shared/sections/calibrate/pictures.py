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
from pages._shared.figures.methods import KIND, LABELS
from pages._shared.format import counted, plus_minus, short
from pages._shared.sections.calibrate.settings import Run
from pages._shared.session import Key
from pages._shared.widgets.later import later

#: The two targets: heading, measure, what it says, and what the reliability diagram compares with.
TARGETS = (
    (
        "Found again: is π predicted?",
        "total_absolute_error",
        "Σ |p − π| over all possible edges, mean over {tables} with standard error; further left is better. The "
        "dashed line is the error from sampling noise alone, since π and p are estimated from finitely many samples.",
        "inclusion_probability",
    ),
    (
        "Real: is the network predicted?",
        "brier",
        "Mean of (p − 1)² for edges in the network and p² for others; further left is better. It does not involve π: a "
        "method can estimate well what is found again, while what is found is wrong.",
        "in_network",
    ),
)


def pictures(found: Calibration) -> None:
    """The error by method for both targets, and the table; reliability, precision and recall once asked for."""
    columns = st.container(key=Key.wide("targets")).columns(2, gap="large")
    for column, (heading, measure, about, _) in zip(columns, TARGETS, strict=True):
        column.markdown(f"**{heading}**")
        figure = distance_figure(found, measure, session.dark())
        caption = about.format(tables=counted(found.n_tables, "table"))
        show.chart(figure, f"calibrate_{measure}", f"{heading} Error by method", column, caption=caption)
    show.table(shown_table(found))
    st.caption(
        f"The network has {counted(int(found.truth.sum()), KIND[found.kind])}; graphs learned from new samples have "
        f"{short(found.inclusion_probability.sum())} on average. ±: standard error over the tables. All methods "
        "use the same tables, so differences between them are more certain than the error bars suggest."
    )
    title = "Reliability: is a confidence of 0.7 right in 70% of cases?"
    later(title, "reliability", ":material/verified:", lambda: reliability(found))
    later("Precision and recall", "recall", ":material/target:", lambda: precision_recall(found))


def reliability(found: Calibration) -> None:
    """The reliability diagrams of all methods, for both targets."""
    columns = st.container(key=Key.wide("reliability")).columns(2, gap="large")
    keys = [key for key in found.confidence if key != "data"]
    for column, (heading, _, _, against) in zip(columns, TARGETS, strict=True):
        column.markdown(f"**{heading}**")
        show.chart(
            reliability_figure(found, keys, against, session.dark()),
            f"calibrate_reliability_{against}",
            f"{heading} Reliability diagrams: share of edges against confidence",
            column,
        )
    st.caption(
        "Edges grouped by confidence; larger marks represent more edges. On the dotted line, confidence equals the "
        "share; below it, confidence is too high."
    )


def precision_recall(found: Calibration) -> None:
    """Precision against recall of all methods."""
    show.chart(
        precision_recall_figure(found, list(found.confidence), session.dark()),
        "calibrate_recall",
        "Precision against recall for each method",
        caption="Precision and recall of the edges. Along a line, the threshold falls from left to right. The single "
        "mark is the graph learned from each table.",
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
