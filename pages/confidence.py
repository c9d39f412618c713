"""Confidence: would an edge be found again, and is it real; with Table 1 and Figure 1 of the paper on your data."""

from pages._shared import frame, session, show
from pages._shared.jobs import experiments
from pages._shared.sections.confidence.answers import both_answers
from pages._shared.sections.confidence.further import exact_posterior, falsification_test, features, when_known
from pages._shared.sections.confidence.kit import paper_kit_button
from pages._shared.sections.confidence.methods import (
    both,
    controls,
    counts,
    downloads,
    moved_away,
    sentence,
    table1,
    views,
)
from pages._shared.sections.confidence.network import network_and_edges
from pages._shared.sections.require_data import own_data


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
    real = experiments.stored_posterior(experiment)
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
    falsification_test(experiment, data)
    exact_posterior(study, experiment, data)
    downloads(study, experiment, data, answers, threshold)
    paper_kit_button(study, experiment, data, threshold)
    when_known(real, experiment, data, place)


frame.through_app()
main()
