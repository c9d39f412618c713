"""The data of a command: the table, treated as the recipe says, and its digest."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bnengine._core.number_text import counted
from bnengine.cli.running import Terminal
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.reading import MAX_BYTES, read_table
from bnengine.experiment.command_line import STANDARD_INPUT
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe

if TYPE_CHECKING:
    import pandas as pd

_REMEDIES = "see --columns, --discretize and --missing"


def load(experiment: Experiment, terminal: Terminal) -> tuple[Experiment, Dataset]:
    """The experiment with its file's digest, and its data set."""
    frame, fingerprint = _frame_of(experiment.data)
    saved = experiment.data.fingerprint
    if saved and saved != fingerprint:
        raise DataError(
            f"{experiment.data.name} is not the file of the saved experiment (its SHA-256 begins with "
            f"{fingerprint[:12]}, not {saved[:12]}); name the file on the line to run the same settings on it"
        )
    try:
        data = experiment.data.prepare(frame)
    except DataError as error:
        raise DataError(f"{error} ({_REMEDIES})") from None
    dropped = len(frame) - data.n_rows
    if dropped:
        terminal.warn(
            f"left out {dropped:,} of {counted(len(frame), 'row')}, with missing cells (--missing own_state keeps them)"
        )
    return dataclasses.replace(experiment, data=dataclasses.replace(experiment.data, fingerprint=fingerprint)), data


def _frame_of(recipe: Recipe) -> tuple[pd.DataFrame, str]:
    """The raw table, and the digest of a file's bytes."""
    if recipe.source != "file":
        return recipe.load(), ""
    path = Path(recipe.name)
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    if path.is_file() and recipe.name != STANDARD_INPUT:
        frame = recipe.load()
        with path.open("rb") as file:
            return frame, hashlib.file_digest(file, "sha256").hexdigest()
    if recipe.name == STANDARD_INPUT:
        called, content = "standard input", sys.stdin.buffer.read(MAX_BYTES + 1)
    elif path.exists():  # a pipe can be read once only
        with path.open("rb") as pipe:
            called, content = recipe.name, pipe.read(MAX_BYTES + 1)
    else:
        raise DataError(f"there is no file {path}")
    return read_table(io.BytesIO(content), name=called, **recipe.reading), hashlib.sha256(content).hexdigest()
