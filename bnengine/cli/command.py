"""What the commands share: from arguments to settings and data, and from a result to CSV, JSON or BIF."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from bnengine._core.environment import pd
from bnengine.cli.running import (
    Terminal,
    description_options,
    document,
    format_of,
    output_options,
    settings_options,
    write_file,
    write_out,
)
from bnengine.cli.settings import experiment_of, load, repairs_asked_for, workers
from bnengine.data.cell_text import csv_text
from bnengine.data.dataset import Dataset
from bnengine.experiment.command_line import REPEATABLE, command_line
from bnengine.experiment.experiment import Experiment
from bnengine.networks.bif import bif_text
from bnengine.networks.network import BayesianNetwork, fit


@dataclass(frozen=True)
class Command:
    """A command: its help, its options and its work.

    Attributes
    ----------
    run : callable
        Does the work of a ``Job``.
    title, about, examples : str
        The help.
    formats : sequence of str
        What it can write.
    groups : sequence of str, optional
        Groups of settings that it takes; by default those of the command of its name in ``REPEATABLE``.
    own : sequence of click.Parameter
        Its other options.
    serves : bool
        Whether it runs until it is stopped, in the main thread.
    """

    name: str
    run: Callable[[Job], None]
    title: str
    about: str
    examples: str
    formats: Sequence[str] = ("csv", "json")
    groups: Sequence[str] | None = None
    own: Sequence[click.Parameter] = ()
    serves: bool = False

    @property
    def options(self) -> list[click.Parameter]:
        """All options, in the order of the help."""
        groups = REPEATABLE[self.name] if self.groups is None else self.groups
        found = [option for group in groups for option in settings_options(group)]
        written = [] if self.serves else output_options(self.formats)
        return [*found, *self.own, *written, *(description_options() if self.repeatable else [])]

    @property
    def repeatable(self) -> bool:
        """Whether it runs an experiment."""
        return self.name in REPEATABLE


class Job:
    """One run of a command with the parsed arguments, ``given``; its settings and data, once loaded.

    ``form`` is the format of the result; empty for a command that writes none.
    """

    experiment: Experiment
    data: Dataset

    def __init__(self, command: Command, given: Mapping[str, Any], terminal: Terminal) -> None:
        self.command, self.given, self.terminal = command, given, terminal
        self.form = format_of(given, command.formats) if command.formats else ""

    def load(self, experiment: Experiment | None = None) -> tuple[Experiment, Dataset]:
        """Load the data of the experiment, by default the one that the arguments describe; save its settings."""
        self.experiment, self.data = load(
            experiment or experiment_of(self.given), self.terminal, repairs_asked_for(self.given)
        )
        if self.form == "bif":
            bif_text(fit(self.data, []))  # raises a ValueError before the work if BIF cannot hold the names
        if self.given.get("save_experiment") is not None:
            write_file(Path(self.given["save_experiment"]), self.experiment.to_json())
        return self.experiment, self.data

    def workers(self) -> contextlib.AbstractContextManager[Executor | None]:
        """Return the workers asked for; None leaves it to the engine."""
        return workers(self.given)

    def report_status(self, status: str, done: str) -> None:
        """Write a warning if a search or the run did not finish; ``done`` says what was done before it was stopped."""
        if status == "stopped":
            self.terminal.warn(f"stopped; {done}")
        elif status == "max_iterations":
            self.terminal.warn(
                "a search reached its limit of steps; its graph is the best found until then (--max-iterations)"
            )

    def write(
        self,
        table: pd.DataFrame,
        described: Callable[[], dict[str, Any]],
        network: Callable[[], BayesianNetwork] | None = None,
    ) -> None:
        """Write the result in the format asked for: a table, a description in JSON, or a network."""
        if self.form == "csv":
            self.write_text(csv_text(table))
        elif self.form == "bif" and network is not None:
            self.write_text(bif_text(network()))
        else:
            self.write_text(document(self.command.name, **(self._settings() | described())))

    def _settings(self) -> dict[str, Any]:
        if not self.command.repeatable:
            return {}
        return {
            "seed": self.experiment.seed,
            "repeat": command_line(self.experiment, self.command.name),
            "experiment": self.experiment.to_dict(),
            "data": {"rows": self.data.n_rows, "variables": self.data.names},
        }

    def write_text(self, text: str) -> None:
        """Write to ``--out`` or to standard output, as UTF-8 with plain line ends on every system."""
        if self.given["out"] == "-":
            write_out(text)
        else:
            write_file(Path(self.given["out"]), text)
