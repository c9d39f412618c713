"""Confidence: would an edge be found again, and is it real; with Table 1 and Figure 1 of the paper on your data."""

from pages._shared import app_guard, session, show
from pages._shared.jobs import experiments, posteriors
from pages._shared.require_data import own_data
from pages._shared.sections.confidence.answers import both_answers
from pages._shared.sections.confidence.averaged_network import network_and_edges
from pages._shared.sections.confidence.controls import controls
from pages._shared.sections.confidence.counts import both, counts, downloads, moved_away, sentence, table1
from pages._shared.sections.confidence.features import features
from pages._shared.sections.confidence.posterior import exact_posterior
from pages._shared.sections.confidence.real import when_known
from pages._shared.sections.confidence.views import views
from pages._shared.sections.confidence.whole import whole


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
    session.redraws.remember()
    real = posteriors.known_real(experiment)
    answers = both_answers(study, experiment, real)
    show.finding(sentence(study, experiment, data))
    both(answers)
    if away := moved_away(study):
        show.note(away, "moved away")
    counts(study)
    threshold: dict[str, float | None] = {}  # of the network, as it is shown when the report is asked for
    place = views(study, answers, lambda: network_and_edges(study, experiment, data, real, threshold))
    controls(experiment, study)
    features(study, experiment, data, real)
    table1(study)
    whole(experiment, data)
    exact_posterior(study, experiment, data)
    downloads(study, experiment, data, answers, threshold)
    when_known(real, experiment, data, place)


app_guard.through_app()
main()
