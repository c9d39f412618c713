"""What ``table1`` and ``confidence`` share: the run of an experiment's methods."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.methods import methods
from bnengine.bootstrap.resample import MOST_CELLS
from bnengine.bootstrap.study import Study
from bnengine.cli.arguments import add_data, add_description, add_resampling, add_score, add_search
from bnengine.cli.output import add_output, document, records, refuse_names
from bnengine.cli.running import Terminal
from bnengine.cli.settings import experiment_of
from bnengine.cli.table import load
from bnengine.cli.usage import UsageError
from bnengine.data.dataset import DataError, Dataset
from bnengine.experiment.command_line import command_line
from bnengine.experiment.experiment import Experiment


def add_study(parser: argparse.ArgumentParser, *formats: str) -> None:
    """The options of both commands; the formats are what they can write."""
    add_data(parser)
    add_score(parser)
    add_search(parser)
    add_resampling(parser)
    add_output(parser, *formats)
    add_description(parser)


def run_study(args: argparse.Namespace, form: str, terminal: Terminal) -> tuple[Experiment, Dataset, Study]:
    """The experiment that the arguments describe, its data, and its study."""
    experiment = experiment_of(args)
    if args.workers is not None and args.workers < 1:
        raise UsageError(f"--workers must be 1 or more; got {args.workers}")
    experiment, data = load(experiment, terminal)
    refuse_names(form, data)
    _refuse_too_large(experiment, data)
    save_settings(args, experiment)
    with own_workers(args.workers) as executor:
        study = experiment.run(data, executor, terminal.progress)
    if study.status == "stopped":
        done = ", ".join(f"{key} {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()) or "no resample"
        terminal.warn(f"stopped; learned by then: {done}")
    elif study.status == "max_iterations":
        terminal.warn("some search reached its limit of steps; its graph is the best by then (--max-iterations)")
    return experiment, data, study


def own_workers(n: int | None) -> contextlib.AbstractContextManager[Executor | None]:
    """So many threads; None leaves their number to the engine."""
    return ThreadPoolExecutor(n) if n else contextlib.nullcontext()


def _refuse_too_large(experiment: Experiment, data: Dataset) -> None:
    """Before the work: the graphs of all methods are kept, and an edge's confidence is counted from them."""
    chosen = methods(experiment.n, experiment.d, experiment.methods_run)
    n_graphs = sum(method.resampler.n_replicates(data) for method in chosen)
    needed = n_graphs * data.n_variables**2
    if needed > MOST_CELLS:
        raise DataError(
            f"{n_graphs:,} graphs of {data.n_variables:,} variables need about {needed / 2**30:,.0f} GB (a byte for "
            f"each graph and pair of variables), more than the {MOST_CELLS / 2**30:,.0f} GB allowed: take fewer "
            "--columns, a smaller --n, or leave jack_1, which learns from every distinct row, out of --methods"
        )


def save_settings(args: argparse.Namespace, experiment: Experiment) -> None:
    """Write the settings where ``--save-experiment`` asks for it."""
    if args.save_experiment is not None:
        text = json.dumps(experiment.to_dict(), indent=2, ensure_ascii=False) + "\n"
        Path(args.save_experiment).write_text(text, encoding="utf-8")


def study_document(command: str, experiment: Experiment, data: Dataset, study: Study, **more: Any) -> str:
    """A study as JSON: settings, versions, seed, the data's own graph, each method's figures."""
    lines = study.table1().reset_index()
    lines.insert(0, "key", study.keys)
    return document(
        command,
        seed=experiment.seed,
        status=study.status,
        repeat=command_line(experiment, command, more.get("kind", "directed")),
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
