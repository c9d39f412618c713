"""What can be said against an experiment before its data are read, wherever its settings come from."""

from __future__ import annotations

import math
from typing import Any

from bnengine.cli.arguments import CHOICES
from bnengine.cli.usage import UsageError
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.options import Kind, all_options
from bnengine.networks.bundled import network_names
from bnengine.networks.sample_tables import SAMPLE_TABLES
from bnengine.scores.correction import LeadingCorrection

_EXPECTED = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "a word",
    "names": "a list of names",
    "groups": "a list of lists of names",
}
_LEAST = {"experiment.seed": 0, "experiment.n": 1, "experiment.d": 1, "data.seed": 0, "data.n_rows": 0, "data.bins": 2}


def refuse_impossible(experiment: Experiment) -> None:
    """A UsageError names the option of a setting that cannot be, with its value and what is expected."""
    owners = {
        "experiment": experiment,
        "score": experiment.score,
        "search": experiment.search,
        "data": experiment.data,
        "constraint": experiment.constraints,
    }
    for option in all_options():
        owner: Any = owners[option.part]
        kind = option.kinds.get(type(owner))
        if kind is None:
            continue
        value = getattr(owner, option.field)
        if not _fits(value, kind):
            raise UsageError(f"{option.flag} must be {_EXPECTED[kind.word]}; got {value!r:.60}")
        if value is not None and value < _LEAST.get(option.key, value):
            raise UsageError(f"{option.flag} must be {_LEAST[option.key]} or more; got {value}")
        if option.field in CHOICES and value not in CHOICES[option.field]:
            raise UsageError(f"{option.flag} must be one of {', '.join(CHOICES[option.field])}; got '{value}'")
    _refuse_unknown_data(experiment)
    LeadingCorrection(experiment.full_score, experiment.strength)  # both refuse numbers that make no sense


def _refuse_unknown_data(experiment: Experiment) -> None:
    recipe = experiment.data
    known = {"sample": list(SAMPLE_TABLES), "network": network_names()}.get(recipe.source)
    if not isinstance(recipe.name, str) or not isinstance(recipe.fingerprint, str):
        raise UsageError(f"the data's name must be a word; got {recipe.name!r:.60}")
    if known is not None and recipe.name not in known:
        raise UsageError(f"no bundled {recipe.source} is named '{recipe.name}'; there are {', '.join(known)}")
    if recipe.source == "network" and recipe.n_rows < 1:
        raise UsageError(f"--rows must be 1 or more; got {recipe.n_rows}")


def _fits(value: Any, kind: Kind) -> bool:
    """Whether a value is of the kind that its setting holds."""
    if value is None:
        return kind.optional
    if kind.word == "names":
        return isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value)
    if kind.word == "groups":
        return isinstance(value, (list, tuple)) and all(_fits(group, Kind("names")) for group in value)
    if kind.word == "float":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if kind.word == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, bool if kind.word == "bool" else str)
