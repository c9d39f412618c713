"""``bnengine predict``: how well one variable is predicted from the others."""

from __future__ import annotations

from bnengine.cli.arguments import plan_option
from bnengine.cli.command import Command, Job
from bnengine.cli.planning import write_plan
from bnengine.experiment.plan_learning import plan_prediction
from bnengine.experiment.predicting import run_prediction


def run(job: Job) -> None:
    """Test the predictions and write the measures."""
    experiment, data = job.load()
    if job.given["plan"]:
        write_plan(plan_prediction(experiment, data))
        return
    found = run_prediction(experiment, data, job.terminal.progress)
    job.tell(found.status, "the figures rest on the splits that were done")
    job.write(found.table(), lambda: {"status": found.status, "measures": found.table()})


COMMAND = Command(
    "predict",
    run,
    title="how well one variable is predicted from the others",
    about="""Learns from the training rows of each split, and predicts the target in its test rows from all other
variables; naive Bayes, a tree and the base rate are tested alongside. CSV: one line per network and measure. JSON: the
same, settings, versions and the seed.""",
    examples="""  bnengine predict sample:titanic --target Survived
  bnengine predict sample:asia_1000 --target lung --testing holdout --test-share 0.2 --out accuracy.json
  bnengine predict survey.csv --target cancer --folds 5
""",
    own=[plan_option("prediction")],
)
