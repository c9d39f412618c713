"""Confidence: Table 1 and Figure 1 of the paper on your data, naive against corrected."""

from pages._shared import app_guard, session, show
from pages._shared.jobs import experiments
from pages._shared.require_data import own_data
from pages._shared.sections.confidence.averaged_network import network_and_edges
from pages._shared.sections.confidence.controls import controls
from pages._shared.sections.confidence.counts import counts, sentence, table1
from pages._shared.sections.confidence.posterior import exact_posterior
from pages._shared.sections.confidence.views import view


def main() -> None:
    """Draw the page."""
    data = own_data()
    if data is None:
        return
    experiment = session.settings.experiment()
    study = experiments.study_of(experiment, data)
    if study is None:
        controls(experiment)
        return
    show.finding(sentence(study, experiment, data))
    counts(study)
    view(study, experiment.kind)
    controls(experiment)
    network_and_edges(study, experiment, data)
    table1(study, experiment)
    exact_posterior(study, experiment, data)


app_guard.through_app()
main()
