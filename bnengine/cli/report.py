"""``bnengine report``: what a run found, as one HTML file to read, print and send."""

from __future__ import annotations

from bnengine.bootstrap.study import Study
from bnengine.cli import table1
from bnengine.cli.averaging import average, method_of
from bnengine.cli.command import Command, Job
from bnengine.cli.settings import experiment_of
from bnengine.experiment.real import is_exact, real_posterior
from bnengine.experiment.report.document import html_report
from bnengine.posterior import SampledPosterior


def run(job: Job) -> None:
    """Run the methods, average over graphs, and write the report."""
    experiment = experiment_of(job.given)
    method = method_of(experiment)
    found = table1.run_study(job, experiment, with_posterior=True)
    if found is None:  # only its plan was asked for
        return
    if method not in found.ensembles:
        raise ValueError(f"stopped before the first replicate of {method}; there is nothing to report")
    threshold = _permuted_threshold(job, method, found)
    job.write_text(html_report(job.experiment, job.data, found, _posterior(job), threshold))


def _permuted_threshold(job: Job, method: str, found: Study) -> float | None:
    """The threshold by shuffled columns, where it was asked for; the others need no further work."""
    experiment = job.experiment
    if experiment.threshold is not None or experiment.rule != "permutation" or job.terminal.stopped:
        return None
    return average(job, method, found)[0].threshold


def _posterior(job: Job) -> SampledPosterior | None:
    """The posterior probabilities of edges; None if the run was stopped, or if these data allow none."""
    if job.terminal.stopped:
        return None
    job.terminal.note("averaging over graphs, to tell which edges are real")
    job.terminal.counted = "steps" if is_exact(job.experiment, job.data) else "moves between orderings of the variables"
    with job.workers() as executor:
        try:
            return real_posterior(job.experiment, job.data, executor, job.terminal.progress)
        except ValueError as error:
            job.terminal.warn(f"without posterior probabilities: {error}")
            return None


COMMAND = Command(
    "report",
    run,
    title="one HTML file with findings, Table 1, Figure 1, the network and every edge",
    about="""The file needs nothing else: it makes no outside request, holds no script and prints well. It says of every
edge how often it would be found again and how probably it is real, and how to repeat the run. Ctrl-C keeps the
replicates that are done.""",
    examples="""  bnengine report survey.csv --missing own_state --out report.html
  bnengine report survey.csv --tiers age,sex --threshold l1 --seed 7 --out report.html
  bnengine report sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 100 --out report.html
""",
    formats=("html",),
)
