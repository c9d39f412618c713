"""Calibrate: which method answers which question, on a known network of your choice and in the shipped benchmark."""

import streamlit as st

import bnengine as bn
from bnengine.experiment.prediction import run_calibration
from pages.calibrate.evidence import caution, controls, downloads, explanation, pictures, sentences, shipped
from pages.shared import frame, in_use, jobs, settings, show
from pages.shared.format import counted, escaped
from pages.shared.keys import Key
from pages.shared.widgets.choice import tabs

_SECTIONS = {"evidence": "The evidence", "own": "On a network of your choice"}


def main() -> None:
    """Draw the page."""
    data, _ = in_use.dataset()
    if tabs("Section", _SECTIONS, Key.CALIBRATE_SECTION) == "evidence":
        frame.without_settings()
        shipped(data)
    else:
        calibration(data)


def calibration(data: bn.Dataset | None) -> None:
    """Calibrate the methods on a known network, or on one fitted to the data."""
    title = st.empty()
    run = controls(settings.experiment(), data)
    if run is None:
        return
    show.finding(f"Which method's confidence can be trusted on {escaped(run.title)}?", title)
    found = jobs.result_of(
        "calibrate",
        run.of,
        lambda progress: run_calibration(run.experiment, run.network, run.n_rows, progress=progress),
        "graphs",
        ("Calibrate", explanation(run)),
    )
    if found is None:
        return
    if found.status == "stopped":
        done = f"Stopped early, after {found.n_tables} of {counted(run.experiment.calibration.n_tables, 'table')}."
        jobs.offer_again("calibrate", run.of, done)
        if not found.n_tables:
            return
    finding, remark = sentences(found, run)
    show.finding(finding, title)
    st.markdown(remark)
    show.note(caution(found, run), "caution")
    pictures(found)
    downloads(found, run, data is not None)


main()
