"""From the words of a command to an ``Experiment``."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bnengine.cli.arguments import DEFAULT_ROWS, REGISTRIES
from bnengine.cli.checks import refuse_impossible
from bnengine.cli.usage import UsageError
from bnengine.experiment.command_line import SOURCE_PREFIXES
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.options import Kind, Option, all_options, default_of, option, read_names, read_value
from bnengine.experiment.recipe import DataRecipe
from bnengine.graphs.constraints import Constraints
from bnengine.networks.bundled import load_network

_WHOLE = {"int": "a whole number", "float": "a number"}
_FROM_NETWORK = SOURCE_PREFIXES["network"]


def experiment_of(args: argparse.Namespace) -> Experiment:
    """The experiment that the arguments describe; a UsageError says what is wrong with them."""
    given = vars(args)
    described = given.get("experiment")
    if described is None and args.data is None:
        raise UsageError("name the data: a file, - for standard input, sample:NAME or network:NAME")
    base = _read_experiment(described) if described else Experiment()
    try:
        experiment = dataclasses.replace(
            base,
            data=_data(base.data, given),
            score=_chosen("score", base.score, given),
            search=_chosen("search", base.search, given),
            constraints=dataclasses.replace(base.constraints, **_values("constraint", Constraints, given)),
            **_values("experiment", Experiment, given),
        )
        refuse_impossible(experiment)
        return experiment
    except ValueError as error:
        raise UsageError(str(error)) from None


def _data(base: DataRecipe, given: Mapping[str, Any]) -> DataRecipe:
    text = given.get("data")
    values = _values("data", DataRecipe, given)
    if text is not None:
        source = next((s for s, prefix in SOURCE_PREFIXES.items() if text.startswith(prefix)), "file")
        name = text.removeprefix(SOURCE_PREFIXES[source])
        base = dataclasses.replace(base, source=source, name=name, fingerprint="", n_rows=0, seed=0)
    if base.source == "network":
        values.setdefault("n_rows", base.n_rows or DEFAULT_ROWS)
    elif "n_rows" in values or "seed" in values:
        raise UsageError("--rows and --data-seed are for rows drawn from network:NAME; these data are drawn already")
    return dataclasses.replace(base, **values)


def _chosen(part: str, base: Any, given: Mapping[str, Any]) -> Any:
    """The score or search: the named one, or that of the file with the given settings changed."""
    kind = REGISTRIES[part][given[part]] if part in given else type(base)
    values = _values(part, kind, given)
    if part not in given:
        return dataclasses.replace(base, **values)
    for field in kind.__dataclass_fields__:  # type: ignore[attr-defined]
        if field not in values and default_of(kind, field) is dataclasses.MISSING:
            raise UsageError(f"--{part} {given[part]} needs {option(part, field).flag}")
    return kind(**values)


def _values(part: str, owner: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given settings of one part."""
    values = {}
    for one in all_options():
        if one.part != part or one.key not in given:
            continue
        kind = one.kinds.get(owner)
        if kind is None:
            word = next(word for word, known in REGISTRIES[part].items() if known is owner)
            takes = [other.flag for other in all_options() if other.part == part and owner in other.kinds]
            raise UsageError(f"{part} {word} has no {one.flag}; it takes {', '.join(takes) or 'no option'}")
        values[one.field] = _value(one, given[one.key], kind, default_of(owner, one.field))
    return values


def _value(one: Option, given: Any, kind: Kind, default: Any) -> Any:
    if kind.word == "bool":
        return given
    if kind.word == "groups":
        width = 2 if one.flag in ("--required", "--forbidden") else None
        return tuple(group for text in given for group in groups_of(one.flag, text, width))
    try:
        if one.field == "ordering" and given.startswith(_FROM_NETWORK):
            return tuple(load_network(given.removeprefix(_FROM_NETWORK)).ordering)
        return read_value(_content(given) if kind.word == "names" else given, kind, default)
    except ValueError as error:
        if kind.word in _WHOLE:
            raise UsageError(f"{one.flag} must be {_WHOLE[kind.word]}; got '{given}'") from None
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
                '(a name with a comma is put in double quotes: "a, b",c)'
            )
    return [tuple(line) for line in lines]


def _content(text: str) -> str:
    """The text itself, or with @ before it the content of the file it names."""
    return _read(Path(text[1:])) if text.startswith("@") else text


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def _read_experiment(path: Path) -> Experiment:
    try:
        described = json.loads(_read(path))
        if not isinstance(described, dict):
            raise ValueError("it must hold one object with the settings")
        described = described.get("experiment", described)  # a result's JSON holds the settings that made it
        return Experiment.from_dict(described)
    except UsageError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is no saved experiment: {error}") from None
