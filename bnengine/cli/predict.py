"""``bnengine predict``: how well one variable is predicted from the others."""

from __future__ import annotations

import click

from bnengine.cli.arguments import data_options, description_options, part_options, score_options, search_options
from bnengine.cli.output import document, format_of, output_options, records, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given, experiment_of
from bnengine.cli.study import save_settings
from bnengine.cli.table import load
from bnengine.data.csv_export import csv_text
from bnengine.experiment.command_line import command_line
from bnengine.experiment.predicting import run_prediction

TITLE = "how well one variable is predicted from the others"
ABOUT = """Learns from the training rows of each split, and predicts the target in its test rows from all other
variables; naive Bayes, a tree and the base rate are tested alongside. CSV: one line per network and measure. JSON: the
same, settings, versions and the seed."""
EXAMPLES = """  bnengine predict sample:titanic --target Survived
  bnengine predict sample:asia_1000 --target lung --testing holdout --test-share 0.2 --out accuracy.json
  bnengine predict survey.csv --target cancer --folds 5
"""
_FORMATS = ("csv", "json")


def options() -> list[click.Parameter]:
    """The command's options."""
    shared = [*data_options(), *score_options(), *search_options(), *part_options("prediction", "prediction")]
    return [*shared, *output_options(*_FORMATS), *description_options()]


def run(given: Given, terminal: Terminal) -> None:
    """Test the predictions and write the measures."""
    form = format_of(given, *_FORMATS)
    experiment, data = load(experiment_of(given), terminal)
    save_settings(given, experiment)
    found = run_prediction(experiment, data, terminal.progress)
    if found.status == "stopped":
        terminal.warn("stopped; the figures rest on the splits that were done")
    if form == "csv":
        write(given, csv_text(found.table()))
        return
    settings = {"seed": experiment.seed, "status": found.status, "repeat": command_line(experiment, "predict")}
    write(given, document("predict", **settings, experiment=experiment.to_dict(), measures=records(found.table())))
