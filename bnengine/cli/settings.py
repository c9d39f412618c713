"""From the words of a command to an ``Experiment``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click import UsageError

from bnengine._core.settings import MISSING, TAG_KEY, SettingError, setting_of, tag_of, to_plain
from bnengine.cli.arguments import DEFAULT_ROWS
from bnengine.experiment.command_line import SOURCE_PREFIXES
from bnengine.experiment.experiment import RULES, Experiment
from bnengine.experiment.options import PARTS, REGISTRIES, Option, all_options, option, read_names, read_value
from bnengine.experiment.recipe import Recipe
from bnengine.experiment.session_file import opened
from bnengine.networks.bundled import load_network

_FROM_NETWORK = SOURCE_PREFIXES["network"]
Given = Mapping[str, Any]


def experiment_of(given: Given) -> Experiment:
    """The experiment that parsed arguments describe; a click.UsageError if they describe none."""
    described = given.get("experiment")
    if described is None and given["data"] is None:
        raise UsageError("name the data: a file, - for standard input, sample:NAME or network:NAME")
    base = _read_experiment(Path(described)) if described else Experiment()
    values = _values("experiment", Experiment, given)
    if values.get("threshold") in RULES:
        values |= {"rule": values["threshold"], "threshold": None}
    values["data"] = _data(base.data, given)
    values |= {part: _part(part, getattr(base, part), given) for part in PARTS if part not in ("experiment", "data")}
    try:
        return dataclasses.replace(base, **values)
    except SettingError as error:
        raise UsageError(_sentence(error)) from None


def _sentence(error: SettingError) -> str:
    """What is wrong, with the option in place of the setting's name."""
    if error.whole or not error.path:
        return error.reason
    part = error.path[0]
    flag = option(part if part in PARTS else "experiment", error.path[-1]).flag
    return f"{part} needs {flag}" if error.reason == MISSING else f"{flag} {error.reason}"


def _data(base: Recipe, given: Given) -> dict[str, Any]:
    text = given.get("data")
    values = _values("data", Recipe, given)
    if text is not None:
        source = next((s for s, prefix in SOURCE_PREFIXES.items() if text.startswith(prefix)), "file")
        values |= {"source": source, "name": text.removeprefix(SOURCE_PREFIXES[source]), "fingerprint": ""}
    source = values.get("source", base.source)
    if source == "network":
        drawn = {"n_rows": base.n_rows or DEFAULT_ROWS, "seed": base.seed} if text is None else {"n_rows": DEFAULT_ROWS}
        values = drawn | values
    elif "n_rows" in values or "seed" in values:
        raise UsageError("--rows and --data-seed are for rows drawn from network:NAME; these data are drawn already")
    if text is not None:
        values = {"n_rows": 0, "seed": 0} | values
    return to_plain(base) | values


def _part(part: str, base: Any, given: Given) -> Any:
    """One part: the named score or search, or that of the file, with the given settings changed."""
    tag = given.get(part) if part in REGISTRIES else None
    if tag is None:
        values = _values(part, type(base), given)
        return to_plain(base) | values if values else base
    return {TAG_KEY: tag} | _values(part, REGISTRIES[part][tag], given)


def _values(part: str, owner: type, given: Given) -> dict[str, Any]:
    """The given settings of one part."""
    values = {}
    for one in all_options():
        text = given.get(one.key) if one.part == part else None
        if text is None or text == ():
            continue
        if owner not in one.settings:
            takes = [other.flag for other in all_options() if other.part == part and owner in other.settings]
            raise UsageError(f"{part} {tag_of(owner)} has no {one.flag}; it takes {', '.join(takes) or 'no option'}")
        values[one.field] = _value(one, text, owner)
    return values


def _value(one: Option, text: Any, owner: type) -> Any:
    setting = setting_of(owner, one.field)
    if setting.kind == "bool":
        return text
    if one.repeats:
        width = 2 if setting.kind == "edges" else None
        return tuple(group for each in text for group in groups_of(one.flag, each, width))
    try:
        if one.field == "ordering" and text.startswith(_FROM_NETWORK):
            return tuple(load_network(text.removeprefix(_FROM_NETWORK)).ordering)
        return read_value(_content(text) if setting.kind == "names" else text, setting)
    except ValueError as error:
        raise UsageError(f"{one.flag}: {error}") from None


def groups_of(flag: str, text: str, width: int | None = None) -> list[tuple[str, ...]]:
    """Edges (``width`` 2) or tiers, from a line of names or from the lines of a file."""
    try:
        lines = read_names(_content(text))
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None
    if text.startswith("@"):
        lines = lines[1:] if lines and lines[0][:2] == ["parent", "child"] else lines
        lines = [line[:width] for line in lines]
    elif not lines:
        lines = [[]]
    for line in lines:
        if width is not None and len(line) != width:
            raise UsageError(
                f"{flag} takes an edge as parent,child; got '{','.join(line)}' "
                '(put a name that contains a comma in double quotes: "a, b",c)'
            )
    return [tuple(line) for line in lines]


def _content(text: str) -> str:
    """The text itself, or the content of the file whose name follows @."""
    return _read(Path(text[1:])).decode("utf-8-sig") if text.startswith("@") else text


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None


def _read_experiment(path: Path) -> Experiment:
    content = _read(path)
    try:
        return opened(content).experiment
    except ValueError as error:
        raise UsageError(f"{path} is not a saved experiment: {error}") from None
