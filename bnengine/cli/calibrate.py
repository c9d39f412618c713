"""``bnengine calibrate``: which method's confidence to trust, measured on a known network."""

from __future__ import annotations

import shlex
from typing import Any

from bnengine._core.number_text import counted
from bnengine.cli.command import Command, Job
from bnengine.cli.networks import network_of
from bnengine.cli.planning import write_plan
from bnengine.cli.settings import experiment_of
from bnengine.cli.workers import n_threads
from bnengine.experiment.calibrating import on_network, run_calibration, true_network
from bnengine.experiment.calibration_settings import FROM_FILE
from bnengine.experiment.command_line import command_line
from bnengine.experiment.plan import plan_calibration


def run(job: Job) -> None:
    """Calibrate the methods and write their table."""
    file = job.given["calibration__truth"] or ""
    network, given = None, job.given
    if file.endswith((".bif", ".bif.gz")):
        network, given = network_of(file), {**job.given, "calibration__truth": FROM_FILE}
    experiment, data = job.load(experiment_of(given))
    with job.workers() as executor:
        truth = network or true_network(experiment, data)
        if job.given["plan"]:
            shown = on_network(experiment, truth)
            write_plan(plan_calibration(shown, truth, data.n_rows, n_threads(executor)))
            return
        found = run_calibration(experiment, truth, data.n_rows, executor, job.terminal.progress)
    job.tell(found.status, f"the figures rest on {counted(found.n_tables, 'table')}")

    def described() -> dict[str, Any]:
        repeat = command_line(experiment, "calibrate")
        if network:
            repeat = repeat.replace(f"--truth {FROM_FILE}", f"--truth {shlex.quote(file)}")
        parts = {"status": found.status, "repeat": repeat, "truth": truth.title, "rows": found.n_rows}
        return {**parts, "methods": found.table()}

    job.write(found.table(), described)


COMMAND = Command(
    "calibrate",
    run,
    title="which method's confidence to trust, measured on a known network",
    about="""Draws tables from a known network, and compares each method's confidences with the probability that an edge
is learned from a fresh sample, and with the network itself. CSV: one line per method. JSON: the same, settings,
versions and the seed. --truth may also be a BIF file.""",
    examples="""  bnengine calibrate sample:asia_1000 --tables 2 --fresh 50 --calibration-n 20
  bnengine calibrate sample:titanic --truth fitted --tables 2 --fresh 50 --calibration-n 20 --out calibration.json
  bnengine calibrate survey.csv --truth cancer --tables 2 --fresh 50 --calibration-n 20 --kind adjacency
""",
)
