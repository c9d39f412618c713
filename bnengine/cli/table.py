"""The data of a command: the table, treated as the recipe says, and its digest."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bnengine._core.number_text import counted
from bnengine.cli.running import Terminal
from bnengine.data.cuts import MOST_STATE_VALUES, measured_columns
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.frames import column_names
from bnengine.data.reading import MAX_BYTES, read_table
from bnengine.data.row_filter import rows_where
from bnengine.experiment.command_line import STANDARD_INPUT
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe

if TYPE_CHECKING:
    import pandas as pd

_MOST_REMARKS = 4  # about the reading of a file
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
    for remark in _remarks(experiment.data, frame, data):
        terminal.warn(remark)
    return dataclasses.replace(experiment, data=dataclasses.replace(experiment.data, fingerprint=fingerprint)), data


def _remarks(recipe: Recipe, frame: pd.DataFrame, data: Dataset) -> Iterator[str]:
    """Yield what was decided about the table that may not be what was meant."""
    reading = frame.attrs.get("reading")
    yield from reading.remarks[:_MOST_REMARKS] if reading else ()
    selected = rows_where(frame.set_axis(column_names(frame), axis=1), recipe.where)
    selected = selected[list(recipe.columns)] if recipe.columns else selected
    decided = {*recipe.treatment(selected)[0], *(one[0] for one in recipe.per_column)}
    loose = [name for name in measured_columns(selected) if name not in decided]
    if loose:
        more = ", …" if len(loose) > 3 else ""
        yield (
            f"each number is a state of its own in {counted(len(loose), 'column')} with more than {MOST_STATE_VALUES} "
            f"different ones ({', '.join(loose[:3])}{more}); --discretize quantile cuts measurements into bins"
        )
    dropped = len(selected) - data.n_rows
    if dropped:
        yield (
            f"left out {dropped:,} of {counted(len(selected), 'row')}, with missing cells "
            "(--missing own_state keeps them)"
        )


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
