"""Settings as labels and values in words, from their declarations."""

from __future__ import annotations

from typing import Any

from bnengine._core.number_text import counted
from bnengine._core.settings import Setting, label_of, settings_of
from bnengine.bootstrap.method_names import LABELS
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.constraints import Constraints

Lines = list[tuple[str, str]]

_OF_A_RUN = ("edge_penalty", "uniform_parent_sizes", "n", "d", "size", "strength", "kind", "seed", "ties")
_NO_TREATMENT = ("source", "name", "fingerprint", "n_rows", "seed")
_LISTED = 12  # states of one variable


def treatment_in_words(recipe: Recipe) -> Lines:
    """Where the data come from and what was done to them before learning; settings at their defaults are left out."""
    source = {"sample": "A bundled table", "network": "Rows drawn from a bundled network", "file": "A file"}
    lines = [("Source", f"{source[recipe.source]}: {recipe.name}")]
    if recipe.source == "network":
        lines.append(("Rows drawn", f"{recipe.n_rows:,}, with seed {recipe.seed}"))
    if recipe.fingerprint:
        lines.append(("SHA-256 of the file", recipe.fingerprint))
    for one in settings_of(Recipe):
        value = getattr(recipe, one.name)
        if one.name not in _NO_TREATMENT and (value != one.default or one.name == "missing"):
            lines.append((one.label, in_words(value, one)))
    return lines


def settings_in_words(experiment: Experiment) -> Lines:
    """Score, search, constraints and resampling, each with all its settings."""
    lines = []
    for title, owner in (("Score", experiment.prior_named), ("Search", experiment.search)):
        own = [f"{one.label[0].lower()}{one.label[1:]}: {in_words(getattr(owner, one.name), one)}"
               for one in settings_of(type(owner))]  # fmt: skip
        lines.append((title, "; ".join([label_of(owner), *own])))
    for one in settings_of(Constraints):
        value = getattr(experiment.constraints, one.name)
        if value:
            lines.append((one.label, in_words(value, one)))
    lines.append(("Methods", "; ".join(LABELS[key] for key in experiment.methods_run)))
    declared = {one.name: one for one in settings_of(Experiment)}
    return lines + [(declared[name].label, in_words(getattr(experiment, name), declared[name])) for name in _OF_A_RUN]


def at_most(experiment: Experiment) -> str:
    """The limit on parents set by search and constraints, as an item of a list; empty if there is none."""
    both = (experiment.search.max_parents, experiment.constraints.max_parents)
    limits = [limit for limit in both if limit is not None]
    return f", at most {counted(min(limits), 'parent')} per variable" if limits else ""


def variables_in_words(data: Dataset) -> list[tuple[str, str, str]]:
    """Each variable with the number of its states and the states themselves."""
    lines = []
    for name, states in zip(data.names, data.states, strict=True):
        more = f" and {len(states) - _LISTED} more" if len(states) > _LISTED else ""
        lines.append((name, str(len(states)), ", ".join(states[:_LISTED]) + more))
    return lines


def in_words(value: Any, one: Setting) -> str:
    """A setting's value."""
    if value is None:
        return one.none or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if one.kind == "choice":
        return one.choices.get(value, str(value))
    if isinstance(value, int):
        return str(value) if one.name == "seed" else f"{value:,} {_unit(value, one)}".strip()
    if isinstance(value, float):
        return f"{value:g} {_unit(value, one)}".strip()
    if isinstance(value, tuple):
        return _listed(value, " → " if one.kind == "edges" else ", ") or "none"
    return str(value)


def _unit(value: float, one: Setting) -> str:
    """The setting's unit, a plural, as it reads after the value: 1 nat per parameter; empty if the label names it."""
    counted_in, per, what = one.unit.partition(" per ")
    if counted_in in one.label.lower().split():
        return ""
    return f"{counted_in.removesuffix('s') if value == 1 else counted_in}{per}{what}"


def _listed(value: tuple[Any, ...], join: str) -> str:
    if all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "; ".join(join.join(map(str, item)) for item in value)
