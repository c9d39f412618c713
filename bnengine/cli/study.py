"""What ``table1`` and ``confidence`` share: the run of an experiment's methods."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bnengine.cli import arguments, output, table
from bnengine.cli.running import Terminal
from bnengine.cli.settings import experiment_of
from bnengine.cli.usage import UsageError
from bnengine.command import command_line
from bnengine.data import Dataset
from bnengine.ensemble import Ensemble
from bnengine.experiment import Experiment
from bnengine.study import Study


def declare(parser: argparse.ArgumentParser, *formats: str) -> None:
    """The options of both commands; the formats are what they can write."""
    arguments.add_data(parser)
    arguments.add_score(parser)
    arguments.add_search(parser)
    arguments.add_resampling(parser)
    output.add_output(parser, *formats)
    arguments.add_description(parser)


def of(args: argparse.Namespace, terminal: Terminal) -> tuple[Experiment, Dataset, Study]:
    """The experiment that the arguments describe, its data, and its study."""
    experiment = experiment_of(args)
    if args.workers is not None and args.workers < 1:
        raise UsageError(f"--workers must be 1 or more; got {args.workers}")
    experiment, data = table.load(experiment, terminal)
    save(args, experiment)
    own: contextlib.AbstractContextManager[Executor | None] = (
        ThreadPoolExecutor(args.workers) if args.workers else contextlib.nullcontext()
    )
    with own as executor:
        study = experiment.run(data, executor, terminal.progress)
    status = status_of(experiment, study)
    if status == "stopped":
        done = ", ".join(f"{key} {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()) or "no resample"
        terminal.warn(f"stopped; learned by then: {done}")
    elif status == "max_iterations":
        terminal.warn("some search reached its limit of steps; its graph is the best by then (--max-iterations)")
    return experiment, data, study


def save(args: argparse.Namespace, experiment: Experiment) -> None:
    """Write the settings where ``--save-experiment`` asks for it."""
    if args.save_experiment is not None:
        text = json.dumps(experiment.to_dict(), indent=2, ensure_ascii=False) + "\n"
        Path(args.save_experiment).write_text(text, encoding="utf-8")


def status_of(experiment: Experiment, study: Study) -> str:
    """As the study's; a method that was not begun was stopped, too."""
    return study.status if set(experiment.methods) <= set(study.ensembles) else "stopped"


def document(command: str, experiment: Experiment, study: Study, **more: Any) -> str:
    """A study as JSON: settings, versions, seed, the data's own graph, each method's figures."""
    lines = study.table1().reset_index()
    lines.insert(0, "key", ["data", *study.ensembles])
    return output.document(
        command,
        seed=experiment.seed,
        status=status_of(experiment, study),
        repeat=command_line(experiment, command, more.get("kind", "directed")),
        experiment=experiment.to_dict(),
        graph={"score": study.reference.score, "status": study.reference.status, "edges": study.reference.edges},
        table1=output.records(lines),
        methods={key: settings_of(ensemble) for key, ensemble in study.ensembles.items()},
        **more,
    )


def settings_of(ensemble: Ensemble) -> dict[str, Any]:
    """An ensemble's plain fields: how it was learned, and how far it got."""
    fields = {field.name: getattr(ensemble, field.name) for field in dataclasses.fields(ensemble)}
    plain = {name: value for name, value in fields.items() if value is None or isinstance(value, (str, int, float))}
    return {**plain, "n_graphs": ensemble.n_graphs}
