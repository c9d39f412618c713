"""Calibrate: a known network, and which method's confidence deserves trust."""

import streamlit as st

from pages._shared import app_guard, session, show
from pages._shared.jobs import running
from pages._shared.sections.calibrate.finding import called_in_sentences, caution, explanation, sentences
from pages._shared.sections.calibrate.pictures import downloads, pictures
from pages._shared.sections.calibrate.settings import controls


def main() -> None:
    """The page."""
    data, _ = session.data.dataset()
    experiment = session.settings.experiment()
    settings = controls(experiment, data)
    if settings is None:
        return
    network, called, run, key = settings
    title = st.empty()
    show.finding(f"Which method's confidence deserves trust on {called_in_sentences(called)}?", title)
    work = lambda tell: run.calibrate(network, tell)  # noqa: E731 (one line of work)
    found = running.worked_out("calibrate", key, work, "Calibrate", explanation(run), "graphs learned")
    if found is None:
        return
    if found.status == "stopped":
        done = f"Stopped: {found.n_tables} of {run.n_tables} tables were finished by all methods."
        running.stopped("calibrate", key, done)
        if not found.n_tables:
            return
    finding, remark = sentences(found, called)
    show.finding(finding, title)
    st.markdown(remark)
    show.note(caution(found, called, run), "caution")
    pictures(found)
    downloads(found, experiment, called, run)


app_guard.through_app()
main()
