"""``bnengine calibrate``: which method's confidence to trust, measured on a known network."""

from __future__ import annotations

import shlex

import click

from bnengine.cli.arguments import (
    data_options,
    description_options,
    part_options,
    score_options,
    search_options,
    workers_option,
)
from bnengine.cli.networks import network_of
from bnengine.cli.output import document, format_of, output_options, records, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given, experiment_of
from bnengine.cli.study import own_workers, save_settings
from bnengine.cli.table import load
from bnengine.data.csv_export import csv_text
from bnengine.experiment.calibrating import run_calibration, true_network
from bnengine.experiment.calibration_settings import FROM_FILE
from bnengine.experiment.command_line import command_line

TITLE = "which method's confidence to trust, measured on a known network"
ABOUT = """Draws tables from a known network, and compares each method's confidences with the probability that an edge
is learned from a fresh sample, and with the network itself. CSV: one line per method. JSON: the same, settings,
versions and the seed. --truth may also be a BIF file."""
EXAMPLES = """  bnengine calibrate sample:asia_1000 --tables 2 --fresh 50 --calibration-n 20
  bnengine calibrate sample:titanic --truth fitted --tables 2 --fresh 50 --calibration-n 20 --out calibration.json
  bnengine calibrate survey.csv --truth cancer --tables 2 --fresh 50 --calibration-n 20 --kind adjacency
"""
_FORMATS = ("csv", "json")


def options() -> list[click.Parameter]:
    """The command's options."""
    shared = [*data_options(), *score_options(), *search_options()]
    own = [*part_options("calibration", "calibration"), *part_options("calibration", "experiment", ("d", "kind"))]
    return [*shared, *own, workers_option("calibration"), *output_options(*_FORMATS), *description_options()]


def run(given: Given, terminal: Terminal) -> None:
    """Calibrate the methods and write their table."""
    form = format_of(given, *_FORMATS)
    file = given["calibration__truth"]
    if file is None or not file.endswith((".bif", ".bif.gz")):
        file = None
    network = network_of(file) if file else None
    experiment = experiment_of({**given, "calibration__truth": FROM_FILE} if file else given)
    experiment, data = load(experiment, terminal)
    save_settings(given, experiment)
    with own_workers(given["workers"]) as executor:
        network = network or true_network(experiment, data)
        found = run_calibration(experiment, network, data.n_rows, executor, terminal.progress)
    if found.status == "stopped":
        terminal.warn(f"stopped; the figures rest on {found.n_tables} tables")
    if form == "csv":
        write(given, csv_text(found.table()))
        return
    repeat = command_line(experiment, "calibrate")
    if file:
        repeat = repeat.replace(f"--truth {FROM_FILE}", f"--truth {shlex.quote(file)}")
    settings = {"seed": experiment.seed, "status": found.status, "repeat": repeat}
    more = {"experiment": experiment.to_dict(), "truth": network.title, "rows": found.n_rows}
    write(given, document("calibrate", **settings, **more, methods=records(found.table())))
