"""The settings of an experiment as options of the command line: their names, and their values as text and back.

Everything is read off the registries and the dataclasses. A score, a search, a method or a setting that is new there
is an option here.
"""

from __future__ import annotations

import csv
import dataclasses
import inspect
import io
import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import DataRecipe
from bnengine.graphs.constraints import Constraints
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES

#: The settings that the data's own graph depends on; the other plain settings are those of the resampling.
LEARNING_FIELDS = ("seed", "edge_penalty", "uniform_parent_sizes", "ties")
#: Parts of an experiment in the order in which they choose their options' names. Where a name is taken, the part's
#: own name is put before it: ``--seed`` is the experiment's, ``--data-seed`` the recipe's.
PARTS: dict[str, tuple[type, ...]] = {
    "experiment": (Experiment,),
    "score": tuple(SCORES.values()),
    "search": tuple(SEARCHES.values()),
    "data": (DataRecipe,),
    "constraint": (Constraints,),
}
_SHORTER = {"ordering": "order", "n_rows": "rows", "discretization": "discretize", "per_column": "cut"}
#: A name that needs no quotes. What begins with @ or network: tells where the names are to be found.
_PLAIN = re.compile(r"(?!@|network:)[^\s\",][^\",\r\n]*(?<!\s)")
_GIVEN_OTHERWISE = {"experiment": ("data", "score", "search", "constraints"), "data": ("source", "name", "fingerprint")}


class Kind(typing.NamedTuple):
    """What a setting holds."""

    word: str  # "bool", "int", "float", "str", "names" or "groups" (of names)
    optional: bool = False


@dataclass(frozen=True)
class Option:
    """One option of the command line.

    Attributes
    ----------
    flag : str
        Such as ``"--max-parents"``.
    part, field : str
        What it sets, such as ``"search"``, ``"max_parents"``.
    about : str
        A sentence, from the docstring of what it sets.
    kinds : mapping
        The dataclasses that have the field, with what it holds there.
    """

    flag: str
    part: str
    field: str
    about: str
    kinds: Mapping[type, Kind]

    @property
    def key(self) -> str:
        """Under which parsed arguments hold it."""
        return f"{self.part}.{self.field}"

    @property
    def repeats(self) -> bool:
        """Whether it is given once for each edge or tier."""
        return any(kind.word == "groups" for kind in self.kinds.values())

    @property
    def switch(self) -> bool:
        """Whether it takes no value."""
        return all(kind.word == "bool" for kind in self.kinds.values())


@cache
def all_options() -> tuple[Option, ...]:
    """The options of every part."""
    found: dict[str, Option] = {}
    for part, classes in PARTS.items():
        fields = dict.fromkeys(field for one in classes for field in one.__dataclass_fields__)  # type: ignore[attr-defined]
        for field in fields:
            kinds = {one: kind for one in classes if (kind := kind_of(one, field))}
            if field in _GIVEN_OTHERWISE.get(part, ()) or not kinds:
                continue
            flag = "--" + _SHORTER.get(field, field).replace("_", "-")
            flag = flag if flag not in found else f"--{part}-{field.replace('_', '-')}"
            about = next(filter(None, (_documented(one).get(field, "") for one in kinds)), "")
            found[flag] = Option(flag, part, field, about, kinds)
    return tuple(found.values())


def option(part: str, field: str) -> Option:
    """The option that sets a field."""
    return next(one for one in all_options() if (one.part, one.field) == (part, field))


@cache
def kind_of(owner: type, field: str) -> Kind | None:
    """What a field of a dataclass holds; None where the class has no such field, or none that text can say."""
    hint = typing.get_type_hints(owner).get(field)
    choices = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    optional = type(None) in choices
    for choice in choices:
        if choice in (bool, int, float, str):
            return Kind(choice.__name__, optional)
        if typing.get_origin(choice) in (Sequence, list, tuple):
            return Kind("names" if typing.get_args(choice)[0] is str else "groups", optional)
    return None


def default_of(owner: type, field: str) -> Any:
    """A field's default; ``dataclasses.MISSING`` where it has none."""
    described = owner.__dataclass_fields__[field]  # type: ignore[attr-defined]
    made = described.default_factory
    return made() if made is not dataclasses.MISSING else described.default


def write_names(names: Sequence[str]) -> str:
    """Names as a line of CSV: commas between them, quotes round a name that a reader might mistake.

    >>> print(write_names(["dose", "a, b", 'size "L", wide']))
    dose,"a, b","size ""L"", wide"
    """
    return ",".join(name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"' for name in names)


def read_names(text: str) -> list[list[str]]:
    """The lines of names in a text; the inverse of ``write_names``, line by line.

    >>> read_names('dose, "a, b"')
    [['dose', 'a, b']]
    """
    lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        return [line for line in lines if line]
    except csv.Error:
        raise ValueError(f"{text!r} is not a list of names: close its quotes, and double a quote in a name") from None


def write_value(value: Any, kind: Kind) -> str:
    """A value as the option's text."""
    if value is None:
        return "none"
    if kind.word == "names":
        return write_names(value)
    if kind.word == "float":
        short = f"{value:g}"
        return short if float(short) == value else repr(float(value))
    if kind.word == "int" and int(value) == value:
        return str(int(value))
    if kind.word == "str" and isinstance(value, str):
        return value
    raise ValueError(f"{type(value).__name__} {value!r:.60} cannot be written as an option; give its name")


def read_value(text: str, kind: Kind, default: Any) -> Any:
    """The value of an option's text; ``none`` means no limit, or for a number that it is not given."""
    could_be = default is not None or kind.word in ("int", "float")
    if kind.optional and could_be and text.strip().lower() == "none":
        return None
    if kind.word == "names":
        return tuple(name for line in read_names(text) for name in line)
    if kind.word == "int":
        return int(text)
    return float(text) if kind.word == "float" else text


def _documented(owner: type) -> dict[str, str]:
    """The first sentence on each field in a NumPy docstring."""
    about: dict[str, str] = {}
    entry: list[str] = []
    for line in (inspect.getdoc(owner) or "").splitlines():
        head = re.fullmatch(r"([a-z_][a-z_0-9]*(?:, [a-z_0-9]+)*)( : .+)?", line)
        if head:
            entry = head[1].split(", ")
        elif line.startswith("    ") and entry:
            for field in entry:
                about[field] = f"{about.get(field, '')} {line.strip()}".strip()
        else:
            entry = []
    return {field: re.split(r"(?<=[a-z0-9)])\.\s", text)[0].rstrip(".") for field, text in about.items()}
