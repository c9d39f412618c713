"""The shell command that repeats an experiment."""

from __future__ import annotations

import dataclasses
import shlex
from typing import Any

from bnengine._core.settings import Setting, tag_of
from bnengine._core.validation import one_of, validated
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.options import (
    REGISTRIES,
    REPEATABLE,
    Option,
    all_options,
    options_in,
    write_names,
    write_value,
)
from bnengine.experiment.recipe import Recipe
from bnengine.networks.bundled import load_network

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
    command : {"learn", "table1", "confidence", "report", "calibrate", "predict"}
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
