"""Calibrate: a known network, and which method's confidence deserves trust."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.calibration import Calibration
from pages._shared import app_guard, session, show
from pages._shared.downloads import take_away
from pages._shared.figures.calibration import distance_figure, precision_recall_figure, reliability_figure
from pages._shared.figures.methods import KINDS, TITLES
from pages._shared.format import at_most, escaped
from pages._shared.jobs import running
from pages._shared.session import Key
from pages._shared.widgets.calibration_settings import FITTED, UPLOADED, Run, controls, python

MEASURES = {"total_absolute_error": "distance to π", "brier": "Brier score against the network"}
AGAINST = {"inclusion_probability": "fresh data", "in_network": "the network"}
_EXPLANATION = (
    "Draws tables from a known network. From many fresh ones it learns how probable each edge is to be learned, π. "
    "To a few others it applies each method, as if only that table were there, and compares the confidences p with π "
    "and with the network itself. The corrected bootstrap charges ½ nat a parameter."
)


def main() -> None:
    """The page."""
    data, _ = session.data.dataset()
    experiment = session.settings.experiment()
    settings = controls(experiment, data)
    if settings is None:
        return
    network, called, run, key = settings
    title = st.empty()
    name = called_in_sentences(called)
    show.finding(f"Which method's confidence deserves trust on {name}?", title)
    found = running.worked_out(
        "calibrate",
        key,
        lambda tell: run.calibrate(network, tell),
        "Calibrate",
        f"{_EXPLANATION} Score and search are those on the left; {run.n_graphs:,} graphs are learned.",
        "graphs learned",
    )
    if found is None:
        return
    if found.status == "stopped":
        st.warning(f"Stopped: {found.n_tables} of {run.n_tables} tables were finished by all methods.")
        if running.again("calibrate", key):
            st.rerun()
        if not found.n_tables:
            return
    finding, remark = sentences(found, called)
    show.finding(finding, title)
    st.markdown(f"{remark} Search: {found.search}{at_most(run.experiment)}.")
    if called == FITTED:
        st.caption(
            "Circular, as far as it goes: the network was learned from these data by this search, so its edges are "
            "those that the search finds. It tells how the methods fare on data *like* yours, if the network is."
        )
    pictures(found)
    downloads(found, experiment, called, run)


def sentences(found: Calibration, called: str) -> tuple[str, str]:
    """What the numbers show for this network, score and number of rows, and how sure that is."""
    table = found.table().set_index("method")
    ranked = list(table["total_absolute_error"].sort_values(kind="stable").index)
    best, second = ranked[0], ranked[1]
    lead, error = found.lead(best, second)
    name = called_in_sentences(called)
    finding = (
        f"On {name} ({found.n_rows:,} rows, {escaped(found.score)}) the {TITLES[best]} comes nearest to how often an "
        f"edge is really learned: {pm(table, best)} edges off in all"
    )
    if best != "boot" and "boot" in table.index:
        finding += f", the naive bootstrap {pm(table, 'boot')}"
    if lead == 0:
        return f"On {name} ({found.n_rows:,} rows, {escaped(found.score)}) no method comes nearer than the others.", (
            f"All are {pm(table, best)} edges off in all; noise alone would make {found.floor:.1f}."
        )
    sure = "more than twice its error" if lead > 2 * error else "up to twice its error" if lead > error else "within it"
    remark = (
        f"Its lead over the next, the {TITLES[second]}, is {lead:.1f} ± {error:.1f} edges: {sure}. "
        f"A method that knew π would be {found.floor:.1f} off, from noise alone."
    )
    return finding + ".", remark


def called_in_sentences(called: str) -> str:
    """The network as a sentence calls it."""
    if called == FITTED:
        return "the network fitted to these data"
    uploaded = session.settings.truth()
    return escaped(uploaded.title if called == UPLOADED and uploaded is not None else called.upper())


def pm(table: pd.DataFrame, key: str) -> str:
    """A distance with its standard error."""
    line = table.loc[key]
    return f"{line['total_absolute_error']:.1f} ± {line['total_absolute_error_se']:.1f}"


def pictures(found: Calibration) -> None:
    """Distance, reliability, precision and recall."""
    dark = session.dark()
    keys = list(found.confidence)
    left, right = st.columns([5, 4], gap="large")
    with left:
        measure = st.segmented_control(
            "measure",
            list(MEASURES),
            default="total_absolute_error",
            required=True,
            format_func=MEASURES.__getitem__,
            key=Key.CALIBRATION_MEASURE,
            label_visibility="collapsed",
        )
        show.chart(
            distance_figure(found, str(measure), dark),
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
        against = st.segmented_control(
            "against",
            list(AGAINST),
            default="inclusion_probability",
            required=True,
            format_func=AGAINST.__getitem__,
            key=Key.CALIBRATED_AGAINST,
            label_visibility="collapsed",
        )
        shown = [key for key in keys if key != "data"]
        show.chart(
            reliability_figure(found, shown, str(against), dark),
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
            f"{found.inclusion_probability.sum():.1f} on average. ±: standard error over the tables. The methods see "
            "the same tables, so differences between them are surer than the bars suggest."
        )


def shown_table(found: Calibration) -> pd.DataFrame:
    """The measures as a person reads them."""
    table = found.table()
    columns = {"edges": ("edges", ".1f"), "total_absolute_error": ("Σ|p − π|", ".1f"), "brier": ("Brier score", ".4f")}
    shown = pd.DataFrame({"method": [TITLES[key] for key in table["method"]]})
    for column, (title, digits) in columns.items():
        pairs = zip(table[column], table[f"{column}_se"], strict=True)
        shown[title] = [f"{mean:{digits}} ± {error:{digits}}" for mean, error in pairs]
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


app_guard.through_app()
main()
