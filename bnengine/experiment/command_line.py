"""The shell command that repeats an experiment."""

from __future__ import annotations

import dataclasses
import shlex
from typing import Any

from bnengine._core.settings import Setting, tag_of
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.options import (
    EDGE_FIELDS,
    LEARNING_FIELDS,
    STUDY_FIELDS,
    Option,
    all_options,
    write_names,
    write_value,
)
from bnengine.experiment.recipe import Recipe
from bnengine.networks.bif import load_network

#: The commands that run an experiment, with the experiment's own settings that each takes.
REPEATABLE: dict[str, tuple[str, ...]] = {
    "learn": LEARNING_FIELDS,
    "table1": (*LEARNING_FIELDS, *STUDY_FIELDS),
    "confidence": (*LEARNING_FIELDS, *STUDY_FIELDS, *EDGE_FIELDS),
    "calibrate": (*LEARNING_FIELDS, "d", "kind"),
    "predict": LEARNING_FIELDS,
}
#: What precedes the name of the data; a file needs it only where its name could be mistaken.
SOURCE_PREFIXES = {"sample": "sample:", "network": "network:", "file": "file:"}
STANDARD_INPUT = "-"
_ALWAYS_WRITTEN = ("seed", "n")


def command_line(experiment: Experiment, command: str = "confidence", kind: str | None = None) -> str:
    """The shell command that repeats an experiment.

    Parameters
    ----------
    experiment : Experiment
        A file has the name in its recipe, a prior network its title: run the command in their folder.
    command : {"learn", "table1", "confidence", "calibrate", "predict"}
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
    >>> print(bn.command_line(experiment, "learn"))
    bnengine learn 'my data.csv' --score bdeu --ess 10 --search k2 --order 'A,"B, C"' --seed 1
    """
    if command not in REPEATABLE:
        raise ValueError(f"command must be one of {', '.join(REPEATABLE)}; got '{command}'")
    experiment = dataclasses.replace(experiment, kind=kind or experiment.kind)
    score, search = experiment.prior_named, experiment.search
    words = ["bnengine", command, data_argument(experiment.data)]
    words += ["--score", tag_of(score), *_settings("score", score), "--search", tag_of(search)]
    words += [*_settings("search", search, experiment.data), *_settings("constraints", experiment.constraints)]
    words += [*_settings("data", experiment.data), *_own(experiment, REPEATABLE[command])]
    words += _settings("calibration", experiment.calibration) if command == "calibrate" else []
    words += _settings("prediction", experiment.prediction) if command == "predict" else []
    return shlex.join(words)


def data_argument(recipe: Recipe) -> str:
    """The data's name on the command line."""
    name = recipe.name
    mistakable = name != STANDARD_INPUT and name.startswith(("-", *SOURCE_PREFIXES.values()))
    return name if recipe.source == "file" and not mistakable else SOURCE_PREFIXES[recipe.source] + name


def _settings(part: str, owner: Any, recipe: Recipe | None = None) -> list[str]:
    """The words for one part's settings; the ordering of the data's own network is called by its name."""
    words = []
    for option in all_options():
        one = option.settings.get(type(owner)) if option.part == part else None
        if one is None or not _is_written(owner, one):
            continue
        value = getattr(owner, one.name)
        network = recipe.network if recipe and one.name == "ordering" else None
        if network is not None and value and list(value) == load_network(network).ordering:
            words += [option.flag, SOURCE_PREFIXES["network"] + network]
        else:
            words += _words(option, value, one)
    return words


def _own(experiment: Experiment, fields: tuple[str, ...]) -> list[str]:
    words = []
    for option in all_options():
        if option.part != "experiment" or option.field not in fields:
            continue
        value = getattr(experiment, option.field)
        if option.field == "threshold":
            value = experiment.rule if value is None else value
            words += [option.flag, str(value)] if value != "mean" else []
        elif _is_written(experiment, option.setting):
            words += _words(option, value, option.setting)
    return words


def _is_written(owner: Any, one: Setting) -> bool:
    if isinstance(owner, Recipe) and one.name in ("n_rows", "seed"):
        return owner.source == "network"  # the others have no rows to draw
    if isinstance(owner, Experiment) and one.name in _ALWAYS_WRITTEN:
        return True
    return bool(getattr(owner, one.name) != one.default)


def _words(option: Option, value: Any, one: Setting) -> list[str]:
    if one.kind == "bool":
        return [option.flag if value else f"--no-{option.flag.removeprefix('--')}"]
    texts = [write_names(group) for group in value] if option.repeats else [write_value(value, one)]
    words = []
    for text in texts:
        words += [f"{option.flag}={text}"] if not text or text.startswith("-") else [option.flag, text]
    return words
