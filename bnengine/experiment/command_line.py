"""The shell command that repeats an experiment."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bnengine.experiment.experiment import Experiment
from bnengine.experiment.options import (
    LEARNING_FIELDS,
    PARTS,
    Kind,
    Option,
    all_options,
    default_of,
    write_names,
    write_value,
)
from bnengine.experiment.recipe import DataRecipe
from bnengine.networks.bundled import load_network
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES

#: The commands that run an experiment.
REPEATABLE = ("learn", "table1", "confidence")
#: What a source of data is called in front of its name; a file needs it only where its name could be mistaken.
SOURCE_PREFIXES = {"sample": "sample:", "network": "network:", "file": "file:"}
STANDARD_INPUT = "-"
_ALWAYS_SAID = ("seed", "n")


def command_line(experiment: Experiment, command: str = "confidence", kind: str = "directed") -> str:
    """The shell command that repeats an experiment.

    Parameters
    ----------
    experiment : Experiment
        A file is called by the name that its recipe has, a prior network by its title: the command is to be started in
        their folder.
    command : {"learn", "table1", "confidence"}
        ``learn`` repeats the data's own graph, and leaves the settings of the resampling out.
    kind : {"directed", "adjacency", "compelled"}
        What ``confidence`` counts as an edge.

    Returns
    -------
    str
        Quoted for a POSIX shell. A setting that has its default is left out, unless a reader would look for it.

    Raises
    ------
    ValueError
        Another command, or a setting that text cannot say.

    Examples
    --------
    >>> import bnengine as bn
    >>> experiment = bn.Experiment(bn.DataRecipe("file", "my data.csv"), bn.BDeu(10), bn.K2(("A", "B, C")), seed=1)
    >>> print(bn.command_line(experiment, "learn"))
    bnengine learn 'my data.csv' --score bdeu --ess 10 --search k2 --order 'A,"B, C"' --seed 1
    """
    if command not in REPEATABLE:
        raise ValueError(f"command must be one of {', '.join(REPEATABLE)}; got '{command}'")
    experiment = experiment.with_files
    words = ["bnengine", command, data_argument(experiment.data)]
    words += ["--score", _word_of(experiment.score, SCORES), *_settings(experiment.score, "score")]
    words += ["--search", _word_of(experiment.search, SEARCHES)]
    words += _settings(experiment.search, "search", called=_called(experiment))
    words += [*_settings(experiment.constraints, "constraint"), *_settings(experiment.data, "data")]
    words += _settings(experiment, "experiment", LEARNING_FIELDS if command == "learn" else None)
    return shlex.join([*words, "--kind", kind] if kind != "directed" and command == "confidence" else words)


def data_argument(recipe: DataRecipe) -> str:
    """What the data are called on the command line."""
    name = recipe.name
    mistakable = name != STANDARD_INPUT and name.startswith(("-", *SOURCE_PREFIXES.values()))
    return name if recipe.source == "file" and not mistakable else SOURCE_PREFIXES[recipe.source] + name


def _called(experiment: Experiment) -> dict[str, str]:
    """Settings that have a name: an ordering that is that of the data's own network."""
    recipe, ordering = experiment.data, getattr(experiment.search, "ordering", None)
    if recipe.network is None or not ordering or list(ordering) != load_network(recipe.network).ordering:
        return {}
    return {"ordering": SOURCE_PREFIXES["network"] + recipe.network}


def _word_of(settings: object, registry: dict[str, type]) -> str:
    word = next((word for word, kind in registry.items() if type(settings) is kind), None)
    if word is None:
        raise ValueError(f"{settings!r:.80} has no word on the command line; there are {', '.join(registry)}")
    return word


def _settings(
    owner: Any, part: str, fields: tuple[str, ...] | None = None, called: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The words for one part's settings; a field in ``called`` is said by that text."""
    words = []
    for option in all_options():
        kind = option.kinds.get(type(owner)) if option.part == part else None
        if kind and (fields is None or option.field in fields) and _is_said(owner, option):
            said = called.get(option.field)
            words += [option.flag, said] if said else _words_for(option, getattr(owner, option.field), kind)
    return words


def _is_said(owner: Any, option: Option) -> bool:
    if isinstance(owner, DataRecipe) and option.field in ("n_rows", "seed"):
        return owner.source == "network"  # the others have no rows to draw
    if isinstance(owner, PARTS["experiment"]) and option.field in _ALWAYS_SAID:
        return True
    return bool(getattr(owner, option.field) != default_of(type(owner), option.field))


def _words_for(option: Option, value: Any, kind: Kind) -> list[str]:
    if kind.word == "bool":
        return [option.flag if value else f"--no-{option.flag.removeprefix('--')}"]
    texts = [write_names(group) for group in value] if kind.word == "groups" else [write_value(value, kind)]
    words = []
    for text in texts:
        mistakable = not text or text.startswith("-")
        words += [f"{option.flag}={text}"] if mistakable else [option.flag, text]
    return words
