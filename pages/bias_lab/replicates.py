"""One replicate after the other: which rows it draws, which edges it adds, and what the correction takes away."""

import dataclasses

from bnengine.bootstrap.resampling_methods import CORRECTED, NAIVE
from pages.shared import in_use, jobs, redraws, show
from pages.shared.format import counted, fixed
from pages.shared.lessons import Subject


def replicates_section(subject: Subject) -> None:
    """Show the finding, and the replicates to play."""
    experiment, data = dataclasses.replace(subject.experiment, methods=(NAIVE, CORRECTED)), subject.data
    study = jobs.complete_result_of(
        "replicates of a lesson",
        (data, experiment.key),
        lambda progress: experiment.run(data, progress=progress),
        "replicates",
    )
    if study is None:
        return
    naive, corrected = (fixed(study.mean_edges(key), 1) for key in (NAIVE, CORRECTED))
    show.finding(
        f"The graph learned from {subject.title} has **{counted(len(study.reference.edges), 'edge')}**, those of its "
        f"bootstrap replicates **{naive}** on average, with the bias corrected **{corrected}**."
    )
    redraws.draw(study, data, in_use.reference(data.names, experiment.data), width=1150)
