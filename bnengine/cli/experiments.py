"""From the words of a command, or a saved experiment, to an ``Experiment`` and its data set."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click import UsageError

from bnengine._core.environment import pd
from bnengine._core.setting_kinds import is_unicode, not_unicode, shown
from bnengine._core.settings import SettingError, tag_of
from bnengine.cli.terminal import Terminal
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.data.reading import MAX_BYTES, read_named
from bnengine.data.reading_options import ReadingOptions
from bnengine.experiment.archives import opened
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.intake import proposed_treatment, rows_left_out
from bnengine.experiment.recipe import Recipe

STANDARD_INPUT = "-"
#: Rows drawn from a network unless the number is given.
DEFAULT_ROWS = 1000
_MOST_REMARKS = 4  # about the reading of a file


class Notation(click.ParamType[Any]):
    """A score or a search, written as in Python: ``BDeu(ess=10)``; the name alone takes the defaults."""

    name = "text"

    def __init__(self, what: str, kinds: Mapping[str, type]) -> None:
        self.what = what
        self.kinds = {name: kind for kind in kinds.values() for name in (tag_of(kind), kind.__name__.lower())}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the score or the search."""
        name, settings = self._parts(value)
        kind = self.kinds.get(name.lower().replace("-", "_"))
        if kind is None:
            known = ", ".join(dict.fromkeys(each.__name__ for each in self.kinds.values()))
            raise UsageError(f"--{self.what} must be one of {known}; got {shown(value)}")
        try:
            return kind(**settings)
        except (SettingError, TypeError) as error:
            raise UsageError(f"--{self.what} {kind.__name__}: {error}") from None

    def _parts(self, text: str) -> tuple[str, dict[str, Any]]:
        """Return the name, and the settings that stand in brackets."""
        name, bracket, rest = text.strip().partition("(")
        if not bracket:
            return name, {}
        try:
            call = ast.parse(f"_({rest}", mode="eval").body
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
                return name, {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        raise UsageError(f"--{self.what} is written as BDeu(ess=10) or K2(max_parents=2); got {shown(text)}")


def recipe_named(text: str, rows: int | None, seed: int) -> Recipe:
    """Return the source of the data that a command names."""
    if not is_unicode(text):
        raise UsageError(f"{not_unicode(text)}; rename the file, or hand it over as standard input: - < FILE")
    source, _, name = text.partition(":")
    if source not in ("sample", "network", "file") or source == text:  # a file needs "file:" only where it is doubtful
        source, name = "file", text
    if rows is not None and source != "network":
        raise UsageError("--rows is for rows drawn from network:NAME; these data have their own")
    drawn: dict[str, Any] = {"n_rows": rows or DEFAULT_ROWS, "seed": seed} if source == "network" else {}
    try:
        return Recipe(source, name, **drawn)
    except SettingError as error:
        raise UsageError(str(error)) from None


def saved(path: Path, data: str | None) -> tuple[Experiment, str | None, pd.DataFrame | None, str]:
    """Read a saved experiment, a result in JSON or a session.

    Returns
    -------
    experiment : Experiment
        About the file ``data`` instead of its own, if one is given.
    command : str or None
        The command that wrote the result.
    frame : DataFrame or None
        The data of a session that holds them.
    remark : str
        What stands in the place of what the file names and this version has not, in sentences.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        found = opened(content)
        frame = found.frame() if data is None else None
    except ValueError as error:
        raise UsageError(f"{path} is not a saved experiment: {error}") from None
    if data is None:
        return found.experiment, _command_in(content), frame, found.remark
    recipe = dataclasses.replace(found.experiment.data, source="file", name=data, fingerprint="", n_rows=0, seed=0)
    return dataclasses.replace(found.experiment, data=recipe), _command_in(content), None, found.remark


def _command_in(content: bytes) -> str | None:
    """Return the command that a result in JSON names."""
    command = json.loads(content).get("command") if content.lstrip().startswith(b"{") else None
    return command if isinstance(command, str) else None


def load(
    experiment: Experiment, terminal: Terminal, suggest: bool, frame: pd.DataFrame | None = None
) -> tuple[Experiment, Dataset]:
    """Return the experiment with its file's digest, and its data set; with ``suggest`` treated as the app suggests."""
    fingerprint = experiment.data.fingerprint
    if frame is None:
        frame, fingerprint = _frame_of(experiment.data)
        kept = experiment.data.fingerprint
        if kept and kept != fingerprint:
            raise DataError(
                f"{experiment.data.name} is not the file of the saved experiment (its SHA-256 begins with "
                f"{fingerprint[:12]}, not {kept[:12]}); name the file by --data to run the same settings on it"
            )
    recipe = dataclasses.replace(experiment.data, fingerprint=fingerprint)
    if suggest:
        found = proposed_treatment(frame, recipe)
        recipe, data, remarks = found.recipe, found.data, found.remarks
    else:
        data = recipe.prepare(frame)
        remarks = tuple(rows_left_out(frame, recipe, data))
    reading = frame.attrs.get("reading")
    for remark in (*(reading.remarks[:_MOST_REMARKS] if reading else ()), *remarks):
        terminal.warn(remark)
    return dataclasses.replace(experiment, data=recipe), data


def _frame_of(recipe: Recipe) -> tuple[pd.DataFrame, str]:
    """Return the raw table, and the digest of a file's bytes."""
    if recipe.source != "file":
        return recipe.load(), ""
    if recipe.name == STANDARD_INPUT:
        called, content = "standard input", sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with open(recipe.name, "rb") as file:  # a pipe can be read once only
            called, content = recipe.name, file.read(MAX_BYTES + 1)
    frame = read_named(io.BytesIO(content), called, ReadingOptions(**recipe.reading))
    return frame, hashlib.sha256(content).hexdigest()
