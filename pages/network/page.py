"""Network: what was learned, and how far each edge can be trusted."""

from typing import Any

import streamlit as st

from bnengine.answers.verdict import verdict
from pages.network import views
from pages.network.run import Run, headline, offers
from pages.shared import experiments, in_use, jobs, show, state
from pages.shared.format import escaped
from pages.shared.keys import Key
from pages.shared.own_data import columns_note, joined_note, missing_note, own_data, size_notes
from pages.shared.run import run_state


def main() -> None:
    """Draw the page."""
    data = own_data()
    if data is None:
        return
    experiment = run_state.experiment()
    asks = st.container()
    graph = experiments.graph_of(experiment, data)
    if graph is None:
        with asks:
            columns_note(data)
        return
    run_state.remember_drawn()
    place, waiting = st.container(key=Key.FINDING), st.container(key=Key.WAITING)
    with waiting:
        methods = experiments.waited_for(experiment, run_state.shown_method(experiment.methods_run))
        study, whole = experiments.study_so_far(experiment, data, graph, methods)
    real = experiments.stored_posterior(experiment, data)
    stopped = real is not None and real.status == "stopped"
    judged = None if real is None or experiments.says_little(real) else real
    known = [key for key in study.ensembles if key != "data"]
    method = run_state.shown_method(known) if known else ""
    noise = experiments.noise_known(experiment, data)
    given: dict[str, Any] = {"constraints": experiment.constraints, "data": data, "noise": noise}
    given["preparations"] = None if judged is None else experiments.preparations_known(experiment, data, judged)
    of = (study.reference, study.ensembles.get(method), judged, *given.values())  # each as it is
    found = state.latest("verdict", of, lambda: verdict(study, judged, method=method, **given)) if known else None
    to_check = judged is not None and (noise is None or noise.status == "stopped") and data.experiments is None
    show.finding(headline(found, experiment, data, graph, whole and not stopped and not to_check), place)
    with place:
        if taken := in_use.rows_taken(data):
            show.note(taken, "rows taken")
        missing_note(data)
        size_notes(data)
        joined_note(data)
        offers(experiment, data, graph, study.ensembles)
    with waiting:
        if found is not None and found.noise_sentences:
            st.warning(escaped("\n\n".join(found.noise_sentences)), icon=":material/ssid_chart:")
        elif noise is not None and noise.status == "converged":
            show.note(noise.summary, "noise")
    if found is None:
        views.learned_only(graph)
    else:
        views.draw(Run(study, experiment, data, judged, found, views.shows_bootstraps()))
    if not whole:
        return
    with waiting:
        if views.shows_bootstraps() and not experiments.others_known(experiment, data, graph):
            return
        if real is None and experiments.real_of(experiment, data) is not None:
            st.rerun()
        if judged is not None and judged.warning:
            show.note(f":material/warning: {escaped(judged.warning)}", "chains disagree")
        if stopped:
            experiments.real_again(experiment, data, judged is None)
        # last: the verdict does not wait for the other methods
        if real is not None or jobs.current(experiments.REAL) is None:
            known_all = experiments.others_known(experiment, data, graph, stopped)
            if known_all and judged is not None and not stopped:
                experiments.check_noise(experiment, data)
                if noise is not None or data.experiments is not None:
                    experiments.check_preparations(experiment, data, judged)


main()
