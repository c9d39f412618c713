"""Confidence: which edges are found again and real; one level down, how the methods compare."""

import streamlit as st

from pages.confidence.extra_tests import when_known
from pages.confidence.verdict import (
    Shown,
    downloads,
    headline,
    judged,
    learned_only,
    paper_kit_button,
    views,
)
from pages.shared import experiments, settings, show, state
from pages.shared.own_data import missing_note, own_data


def main() -> None:
    """Draw the page."""
    data = own_data()
    if data is None:
        return
    experiment = settings.experiment()
    graph = experiments.graph_of(experiment, data)
    if graph is None:
        return
    state.remember_drawn()
    place, waiting = st.container(), st.container()
    with waiting:
        study, whole = experiments.study_so_far(experiment, data, graph)
    real = experiments.stored_posterior(experiment, data)
    found = judged(study, experiment, real)
    show.finding(headline(found, experiment, data, graph, whole), place)
    with place:
        missing_note(data)
    if found is None:
        learned_only(graph)
    else:
        shown = Shown(study, experiment, data, real, found)
        views(shown)
        downloads(shown)
        paper_kit_button(study, experiment, data, shown.threshold)
    if whole:
        with waiting:
            experiments.check_states_of(experiment, data, graph)
        when_known(real, experiment, data, waiting)  # last, so that nothing else on the page waits for it


main()
