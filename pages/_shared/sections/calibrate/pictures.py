"""A calibration's pictures, table and downloads."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.calibration import Calibration
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.calibration import distance_figure, precision_recall_figure, reliability_figure
from pages._shared.figures.methods import KINDS, TITLES
from pages._shared.format import plus_minus, short
from pages._shared.sections.calibrate.settings import Run, python
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

MEASURES = {"total_absolute_error": "distance to π", "brier": "Brier score against the network"}
AGAINST = {"inclusion_probability": "fresh data", "in_network": "the network"}


def pictures(found: Calibration) -> None:
    """Distance, reliability, precision and recall."""
    dark = session.dark()
    keys = list(found.confidence)
    left, right = st.columns([5, 4], gap="large")
    with left:
        measure = tabs("measure", MEASURES, Key.CALIBRATION_MEASURE)
        show.chart(
            distance_figure(found, measure, dark),
            "calibrate_distance",
            "Distance of each method's confidences from the probability with which edges are learned",
        )
        st.caption(
            f"Mean over {found.n_tables} tables, the bar is its standard error; the farther left, the better. "
            "π itself is known only as far as its fresh tables go: the dashed line is what that and the number of "
            "replicates alone would make."
            if measure == "total_absolute_error"
            else "Mean over all possible edges of (p − 1)² where the network has the edge and of p² where it has not: "
            "low where confidence is high for true edges and low for the rest. π does not enter: a method can be "
            "right about what is learned, and what is learned be wrong."
        )
    with right:
        against = tabs("against", AGAINST, Key.CALIBRATED_AGAINST)
        shown = [key for key in keys if key != "data"]
        show.chart(
            reliability_figure(found, shown, against, dark),
            "calibrate_reliability",
            "Reliability diagram: share of edges against confidence",
        )
        st.caption(
            "Edges grouped by confidence, larger marks for more of them. On the dotted line confidence means what it "
            "says; below it, edges are over-stated."
        )
    left, right = st.columns([4, 5], gap="large")
    with left:
        show.chart(
            precision_recall_figure(found, keys, dark), "calibrate_recall", "Precision against recall for each method"
        )
        st.caption("Along a line the threshold falls from 1 at the left; the single mark is the data's own graph.")
    with right:
        show.table(shown_table(found))
        st.caption(
            f"The network has {int(found.truth.sum())} {KINDS[found.kind]}; a fresh table gives "
            f"{short(found.inclusion_probability.sum())} on average. ±: standard error over the tables. The methods "
            "see the same tables, so differences between them are surer than the bars suggest."
        )


def shown_table(found: Calibration) -> pd.DataFrame:
    """The measures as they are read: means with their standard errors."""
    table = found.table()
    shown = pd.DataFrame({"method": [TITLES[key] for key in table["method"]]})
    for column, title in (("edges", "edges"), ("total_absolute_error", "Σ|p − π|"), ("brier", "Brier score")):
        shown[title] = list(map(plus_minus, table[column], table[f"{column}_se"]))
    return shown


def downloads(found: Calibration, experiment: bn.Experiment, called: str, run: Run) -> None:
    """Downloads, and the lines that repeat it."""
    take_away(
        ("Measures", found.table(), "calibration.csv"),
        ("Reliability", many(found, Calibration.reliability), "reliability.csv"),
        ("Precision and recall", many(found, Calibration.precision_recall), "precision_recall.csv"),
        code=python(experiment, called, run),
    )


def many(found: Calibration, table_of: Callable[[Calibration, str], pd.DataFrame]) -> pd.DataFrame:
    """One table of all methods."""
    return pd.concat([table_of(found, key).assign(method=key) for key in found.confidence])
