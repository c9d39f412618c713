"""The run of an experiment's methods, for ``table1`` and ``confidence``."""

from __future__ import annotations

import contextlib
import dataclasses
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click

from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.study import Study
from bnengine.cli.arguments import (
    data_options,
    description_options,
    resampling_options,
    score_options,
    search_options,
)
from bnengine.cli.output import document, output_options, records, refuse_names, write_file
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given
from bnengine.cli.table import load
from bnengine.data.dataset import Dataset
from bnengine.experiment.command_line import command_line
from bnengine.experiment.experiment import Experiment


def study_options(*formats: str) -> list[click.Parameter]:
    """The options of both commands; the formats are what they can write."""
    shared = [*data_options(), *score_options(), *search_options(), *resampling_options()]
    return [*shared, *output_options(*formats), *description_options()]


def run_study(given: Given, experiment: Experiment, form: str, terminal: Terminal) -> tuple[Experiment, Dataset, Study]:
    """Run the experiment; returns it with its file's digest, its data, and its study."""
    experiment, data = load(experiment, terminal)
    refuse_names(form, data)
    save_settings(given, experiment)
    with own_workers(given["workers"]) as executor:
        study = experiment.run(data, executor, terminal.progress)
    if study.status == "stopped":
        done = ", ".join(f"{key} {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()) or "no resample"
        terminal.warn(f"stopped; learned by then: {done}")
    elif study.status == "max_iterations":
        terminal.warn("a search reached its limit of steps; its graph is the best found until then (--max-iterations)")
    return experiment, data, study


def own_workers(n: int | None) -> contextlib.AbstractContextManager[Executor | None]:
    """An executor with ``n`` threads; None leaves their number to the engine."""
    return ThreadPoolExecutor(n) if n else contextlib.nullcontext()


def save_settings(given: Given, experiment: Experiment) -> None:
    """Write the settings to the file of ``--save-experiment``."""
    if given["save_experiment"] is not None:
        write_file(Path(given["save_experiment"]), experiment.to_json())


def study_document(command: str, experiment: Experiment, data: Dataset, study: Study, **more: Any) -> str:
    """A study as JSON: settings, versions, seed, the graph learned from the data, each method's figures."""
    lines = study.table1().reset_index()
    lines.insert(0, "key", study.keys)
    return document(
        command,
        seed=experiment.seed,
        status=study.status,
        repeat=command_line(experiment, command),
        experiment=experiment.to_dict(),
        data={"rows": data.n_rows, "variables": data.names},
        graph={"score": study.reference.score, "status": study.reference.status, "edges": study.reference.edges},
        table1=records(lines),
        methods={key: _plain_fields(ensemble) for key, ensemble in study.ensembles.items()},
        **more,
    )


def _plain_fields(ensemble: Ensemble) -> dict[str, Any]:
    """An ensemble's plain fields: how it was learned, and how far it got."""
    fields = {field.name: getattr(ensemble, field.name) for field in dataclasses.fields(ensemble)}
    plain = {name: value for name, value in fields.items() if value is None or isinstance(value, (str, int, float))}
    return {**plain, "n_graphs": ensemble.n_graphs}
