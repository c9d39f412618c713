"""Network: what was learned, and how far each edge can be trusted."""

import streamlit as st

from bnengine.answers.verdict import verdict
from pages.network import views
from pages.network.run import Run, headline, offers
from pages.shared import experiments, settings, show, state
from pages.shared.format import escaped
from pages.shared.own_data import many_states_note, missing_note, own_data


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
    known = set(study.ensembles) - {"data"}
    found = verdict(study, settings.shown_method(study), real, experiment.constraints, data) if known else None
    show.finding(headline(found, experiment, data, graph, whole), place)
    with place:
        missing_note(data)
        many_states_note()
        offers(experiment, data, graph)
    if found is None:
        views.learned_only(graph)
    else:
        views.draw(Run(study, experiment, data, real, found))
    if not whole:
        return
    with waiting:
        experiments.check_bins_of(experiment, data, graph)
        if real is None and experiments.real_of(experiment, data) is not None:  # last: nothing else waits for it
            st.rerun()
        if real is not None and real.warning:
            show.note(f":material/warning: {escaped(real.warning)}", "chains disagree")
        if real is not None and real.status == "stopped":
            experiments.real_again(experiment, data)


main()
