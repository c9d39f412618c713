"""The shell command that repeats an experiment."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bnengine._core.settings import Setting, settings_of, tag_of
from bnengine._core.validation import one_of, validated
from bnengine.experiment.experiment import CalibrationSettings, Experiment, PredictionSettings
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.constraints import Constraints
from bnengine.networks.bundled import load_network
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES

# The settings of an experiment as options of the command line: their flags, and their values as text and back.

#: Parts of which there are several kinds, by their tags.
REGISTRIES: dict[str, Mapping[str, type]] = {"score": SCORES, "search": SEARCHES}
#: Parts of an experiment, by the names of its fields. Of two settings of one name the first has the plain flag, and the
#: other's begins with its part: ``--seed`` is the experiment's, ``--data-seed`` the recipe's.
PARTS: dict[str, tuple[type, ...]] = {
    "experiment": (Experiment,),
    **{part: tuple(kinds.values()) for part, kinds in REGISTRIES.items()},
    "data": (Recipe,),
    "constraints": (Constraints,),
    "calibration": (CalibrationSettings,),
    "prediction": (PredictionSettings,),
}
#: Settings that belong together: by part some of its fields, or all of them (None). A command takes several groups.
GROUPS: dict[str, dict[str, Sequence[str] | None]] = {
    "data": {"data": None},
    "score": {"score": None, "experiment": ("edge_penalty", "uniform_parent_sizes")},
    "search": {"search": None, "experiment": ("seed", "ties")},
    "constraints": {"constraints": None},
    "resampling": {"experiment": ("methods", "n", "d", "size", "strength")},
    "edges": {"experiment": ("kind", "averaged", "threshold", "shuffles", "max_false")},
    "calibration": {"calibration": None, "experiment": ("d", "kind")},
    "prediction": {"prediction": None},
}
_LEARNING = ("data", "score", "search", "constraints")
#: The commands that run an experiment, with the groups of settings that each takes.
REPEATABLE: dict[str, tuple[str, ...]] = {
    "learn": _LEARNING,
    "table1": (*_LEARNING, "resampling"),
    "confidence": (*_LEARNING, "resampling", "edges"),
    "report": (*_LEARNING, "resampling", "edges"),
    "calibrate": (*_LEARNING, "calibration"),
    "rows-needed": _LEARNING,
    "predict": (*_LEARNING, "prediction"),
}
_SHORTER = {
    "ordering": "order",
    "n_rows": "rows",
    "size": "resample-rows",
    "discretization": "discretize",
    "per_column": "cut",
    "averaged": "method",
    "n_tables": "tables",
    "n_fresh": "fresh",
    "renamed": "rename",
    "repairs": "repair",
}
_GIVEN_OTHERWISE = {"experiment": (*PARTS, "rule"), "data": ("source", "name", "fingerprint")}
#: A name that needs no quotes. What begins with @ or network: refers to a file or a network.
_PLAIN = re.compile(r"(?!@|network:)[^\s\",][^\",\r\n]*(?<!\s)")


@dataclass(frozen=True)
class Option:
    """One option of the command line.

    Attributes
    ----------
    flag : str
        Such as ``"--max-parents"``.
    part, field : str
        What it sets, such as ``"search"``, ``"max_parents"``.
    settings : mapping from class to Setting
        The declaration in each class that has the setting.
    """

    flag: str
    part: str
    field: str
    settings: Mapping[type, Setting]

    @property
    def key(self) -> str:
        """The name of its value among parsed arguments."""
        return f"{self.part}__{self.field}"

    @property
    def setting(self) -> Setting:
        """The first declaration."""
        return next(iter(self.settings.values()))

    @property
    def repeats(self) -> bool:
        """Whether it is given once for each edge, tier or column."""
        return self.setting.kind in ("edges", "tiers", "treatments")


@cache
def all_options() -> tuple[Option, ...]:
    """Return the options of every part."""
    found: dict[str, Option] = {}
    for part, classes in PARTS.items():
        fields = dict.fromkeys(one.name for each in classes for one in settings_of(each))
        for field in fields:
            if field in _GIVEN_OTHERWISE.get(part, ()):
                continue
            settings = {each: one for each in classes for one in settings_of(each) if one.name == field}
            flag = "--" + _SHORTER.get(field, field).replace("_", "-")
            if flag in found:
                flag = f"--{part.removesuffix('s')}-{_SHORTER.get(field, field).replace('_', '-')}"
            found[flag] = Option(flag, part, field, settings)
    return tuple(found.values())


def options_in(group: str) -> list[Option]:
    """Return the options of a group of settings."""
    return [
        one
        for part, fields in GROUPS[group].items()
        for one in all_options()
        if one.part == part and (fields is None or one.field in fields)
    ]


def option(part: str, field: str) -> Option:
    """Return the option that sets a field; a KeyError if there is none."""
    return {(one.part, one.field): one for one in all_options()}[part, field]


def write_names(names: Sequence[str]) -> str:
    """Write names as a line of CSV: commas between them, quotes around a name that could be misread.

    >>> print(write_names(["dose", "a, b", 'size "L", wide']))
    dose,"a, b","size ""L"", wide"
    """
    return ",".join(name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"' for name in names)


def read_names(text: str) -> list[list[str]]:
    """Return the lines of names in a text; the inverse of ``write_names``, line by line.

    >>> read_names('dose, "a, b"')
    [['dose', 'a, b']]
    """
    lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        return [line for line in lines if line]
    except csv.Error:
        raise ValueError(f"{text!r} is not a list of names: close its quotes, and double a quote in a name") from None


def write_value(value: Any, setting: Setting) -> str:
    """Write a value as the option's text."""
    if value is None:
        return "none"
    if setting.kind in ("names", "choices"):
        return write_names(value)
    if setting.kind == "float":
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def read_value(text: str, setting: Setting) -> Any:
    """Return the value of an option's text, which the declaration then checks.

    ``none`` is None for a number or a choice.
    """
    number = setting.kind in ("int", "float")
    could_be_none = setting.optional and (number or setting.kind == "choice" or setting.default is not None)
    if could_be_none and text.strip().lower() == "none":
        return None
    if setting.kind in ("names", "choices"):
        return tuple(name for line in read_names(text) for name in line)
    if number:
        try:
            return int(text) if setting.kind == "int" else float(text)
        except ValueError:
            return text
    return text


#: What precedes the name of the data; a file needs it only where its name could be mistaken.
SOURCE_PREFIXES = {"sample": "sample:", "network": "network:", "file": "file:"}
STANDARD_INPUT = "-"


@validated
def command_line(experiment: Experiment, command: str = "confidence", kind: str | None = None) -> str:
    """Write the shell command that repeats an experiment.

    Parameters
    ----------
    experiment : Experiment
        A file has the name in its recipe, a prior network its title: run the command in their folder.
    command : {"learn", "table1", "confidence", "report", "calibrate", "rows-needed", "predict"}
        ``learn`` repeats the graph learned from the data, without the settings of the resampling.
    kind : {"directed", "adjacency", "compelled"}, optional
        What ``confidence`` counts as an edge; None takes the experiment's.

    Returns
    -------
    str
        Quoted for a POSIX shell. Settings at their default are left out, but for the seed and the number of replicates.

    Raises
    ------
    ValueError
        If there is no such command.

    Examples
    --------
    >>> import bnengine as bn
    >>> experiment = bn.Experiment(bn.Recipe("file", "my data.csv"), bn.BDeu(10), bn.K2(("A", "B, C")), seed=1)
    >>> print(bn.settings.command_line(experiment, "learn"))
    bnengine learn 'my data.csv' --score bdeu --ess 10 --search k2 --order 'A,"B, C"' --repair none --seed 1
    """
    one_of(command, "command", REPEATABLE)
    experiment = dataclasses.replace(experiment, kind=kind or experiment.kind)
    owners = {"score": experiment.prior_named, "search": experiment.search, "constraints": experiment.constraints}
    owners |= {"data": experiment.data, "experiment": experiment}
    owners |= {"calibration": experiment.calibration, "prediction": experiment.prediction}
    taken = {option.flag for group in REPEATABLE[command] for option in options_in(group)}
    words = ["bnengine", command, data_argument(experiment.data)]
    for part, owner in owners.items():
        words += [f"--{part}", tag_of(owner)] if part in REGISTRIES else []
        for option in all_options():
            one = option.settings.get(type(owner)) if option.part == part and option.flag in taken else None
            if option.key == "data__repairs" and one is not None and _leaves_nothing_out(experiment.data):
                words += [option.flag, "none"]
            elif one is not None and _is_written(option, owner, one):
                words += _words(option, owner, one, experiment)
    return shlex.join(words)


def data_argument(recipe: Recipe) -> str:
    """Return the data's name on the command line."""
    name = recipe.name
    mistakable = name != STANDARD_INPUT and name.startswith(("-", *SOURCE_PREFIXES.values()))
    return name if recipe.source == "file" and not mistakable else SOURCE_PREFIXES[recipe.source] + name


def _is_written(option: Option, owner: Any, one: Setting) -> bool:
    if option.key in ("experiment__seed", "experiment__n"):
        return True
    if option.key in ("data__n_rows", "data__seed"):
        return bool(owner.source == "network")  # the others have no rows to draw
    if option.key == "experiment__threshold":
        return owner.threshold is not None or owner.rule != "mean"
    return bool(getattr(owner, one.name) != one.default)


def _leaves_nothing_out(recipe: Recipe) -> bool:
    """Whether the command must be told not to leave out columns of a file by itself."""
    return recipe.source == "file" and not (recipe.repairs or recipe.leave_out or recipe.columns)


def _words(option: Option, owner: Any, one: Setting, experiment: Experiment) -> list[str]:
    """Return the words for one setting; the ordering of the data's own network is called by its name."""
    value, network = getattr(owner, one.name), experiment.data.network
    if one.kind == "bool":
        return [option.flag if value else f"--no-{option.flag.removeprefix('--')}"]
    if option.key == "experiment__threshold":
        return [option.flag, str(experiment.rule if value is None else value)]
    if one.name == "ordering" and network and value and list(value) == load_network(network).ordering:
        return [option.flag, SOURCE_PREFIXES["network"] + network]
    texts = [write_names(group) for group in value] if option.repeats else [write_value(value, one)]
    words = []
    for text in texts:
        words += [f"{option.flag}={text}"] if not text or text.startswith("-") else [option.flag, text]
    return words
