"""The options that a command takes, with their help; every setting of the engine has its own."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bnengine.bootstrap.methods import METHOD_KEYS, methods
from bnengine.data.missing import MISSING_POLICIES
from bnengine.discretization.discretize import DISCRETIZATIONS
from bnengine.experiment.options import LEARNING_FIELDS, Option, all_options, default_of
from bnengine.experiment.recipe import NO_DISCRETIZATION
from bnengine.scores.correction import CORRECTIONS
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from bnengine.search.column_order import TIES

REGISTRIES: dict[str, Mapping[str, type]] = {"score": SCORES, "search": SEARCHES}
#: Rows drawn from a network where nobody says how many.
DEFAULT_ROWS = 1000
_NAMES = "as in a line of CSV"
_HELP = {  # where the docstring speaks of something else than the option does
    "--seed": "seed of everything random, 0 or more",
    "--ties": "how to choose between moves that gain alike: in an order of the columns drawn with the seed, one a "
    "replicate, or in the order of the columns",
    "--methods": "with commas between; "
    + "; ".join(
        f"{method.key}: {method.resampler.name}"
        + (f", {method.correction} correction" if method.correction != "none" else "")
        for method in methods(keys=METHOD_KEYS)
    ),
    "--columns": f"the columns to keep, {_NAMES}; all if not given",
    "--order": f"the variables, causes first, {_NAMES}; network:alarm takes a bundled network's own; "
    "the column order if not given",
    "--prior-network": "name of a bundled network over the same variables and states, or a BIF file",
    "--rows": f"rows to draw from network:NAME (default {DEFAULT_ROWS})",
    "--data-seed": "seed of the rows drawn from network:NAME",
    "--discretize": "cut columns of numbers into bins of equally many rows, or of equal width; or (score) into as many "
    "levels as describe the table most briefly together with a graph",
    "--bins": "how many bins; under score the number is chosen",
    "--cut": "how one column is cut, or with none that it is not; may be repeated",
    "--d": "rows that delete-d leaves out; a tenth if not given",
    "--beam": "of the networks that a network branches into, enter only so many, the best; none enters all",
    "--max-parents": "largest number of parents of any variable; none for no limit",
    "--missing": "leave out rows with missing cells, or make missing a state",
    "--required": "an edge that must be in the graph; may be repeated",
    "--forbidden": "an edge that must not be in the graph; may be repeated",
    "--tiers": "one tier, earliest first; repeat it for the next: no edge leads from a later tier to an earlier one",
    "--constraint-max-parents": "a limit beside the search's own; the smaller one holds",
}
#: The words that a setting may be.
CHOICES: dict[str, tuple[str, ...]] = {
    "discretization": (NO_DISCRETIZATION, *DISCRETIZATIONS),
    "missing": MISSING_POLICIES,
    "correction": CORRECTIONS,
    "ties": TIES,
}
_SHAPES = {
    "--required": "PARENT,CHILD",
    "--forbidden": "PARENT,CHILD",
    "--tiers": "NAMES",
    "--cut": "NAME,METHOD[,BINS]",
}
_METAVARS = {"int": "N", "float": "X", "str": "NAME", "names": "NAMES", "groups": "NAMES"}


def add_data(parser: argparse.ArgumentParser) -> None:
    """The table, and what is done to it before it is used."""
    group = parser.add_argument_group("data")
    group.add_argument(
        "data",
        metavar="DATA",
        nargs="?",
        help="a table (CSV in its dialects, xlsx, Parquet, gzipped or not), - for standard input, "
        "sample:NAME for a bundled table, network:NAME for rows drawn from a bundled network",
    )
    _add(group, "data")


def add_score(parser: argparse.ArgumentParser) -> None:
    """The score and the structure prior."""
    group = parser.add_argument_group("score")
    group.add_argument("--score", type=_word, choices=list(SCORES), default=argparse.SUPPRESS, help="default: bic")
    _add(group, "score")
    _add(group, "experiment", ("edge_penalty", "uniform_parent_sizes"))


def add_search(parser: argparse.ArgumentParser) -> None:
    """The search, the constraints and the seed."""
    group = parser.add_argument_group("search")
    group.add_argument(
        "--search", type=_word, choices=list(SEARCHES), default=argparse.SUPPRESS, help="default: hill_climbing"
    )
    _add(group, "search")
    _add(group, "experiment", ("seed", "ties"))
    about = "Each may also be @FILE: a CSV file with one edge or tier a line; a first line parent,child is skipped."
    _add(parser.add_argument_group("constraints", about), "constraint")


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """What the data's own graph does not depend on."""
    fields = [one.field for one in all_options() if one.part == "experiment" and one.field not in LEARNING_FIELDS]
    group = parser.add_argument_group("resampling")
    _add(group, "experiment", fields)
    group.add_argument("--workers", type=int, metavar="N", help="threads; the results do not depend on their number")


def add_description(parser: argparse.ArgumentParser) -> None:
    """A whole experiment in a file."""
    group = parser.add_argument_group("the experiment as a file")
    group.add_argument(
        "--experiment", metavar="FILE", type=Path, help="JSON with the settings; options on the line replace them"
    )
    group.add_argument("--save-experiment", metavar="FILE", type=Path, help="write all settings as JSON")


def _word(text: str) -> str:
    return text.lower().replace("-", "_")


def _add(group: Any, part: str, fields: Sequence[str] | None = None) -> None:
    for one in all_options():
        if one.part != part or (fields is not None and one.field not in fields):
            continue
        settings: dict[str, Any] = {"dest": one.key, "default": argparse.SUPPRESS, "help": _help(one)}
        if one.switch:
            settings |= {"action": argparse.BooleanOptionalAction}
        else:
            kind = next(iter(one.kinds.values()))
            settings |= {"metavar": _SHAPES.get(one.flag, _METAVARS[kind.word])}
            settings |= {"choices": CHOICES[one.field], "metavar": None} if one.field in CHOICES else {}
            settings |= {"action": "append"} if one.repeats else {}
        group.add_argument(one.flag, **settings)


def _help(one: Option) -> str:
    """What an option does, for which scores or searches, and its defaults."""
    text = _HELP.get(one.flag) or one.about.replace("``", "") or one.field
    words = {kind: word for word, kind in REGISTRIES.get(one.part, {}).items()}
    text = text[0].lower() + text[1:] if text[1:2].islower() else text
    if words and len(one.kinds) < len(words):
        text = f"{', '.join(words[kind] for kind in one.kinds)}: {text}"
    defaults: dict[str, list[str]] = {}
    for kind in one.kinds:
        default = default_of(kind, one.field)
        if default is not dataclasses.MISSING and default not in (None, (), "", False):
            shown = ",".join(default) if isinstance(default, tuple) else str(default)
            defaults.setdefault(shown, []).append(words.get(kind, ""))
    if defaults and "default" not in text:
        everywhere = len(defaults) == 1 and len(next(iter(defaults.values()))) == len(one.kinds)
        said = [value if everywhere else f"{value} for {', '.join(of)}" for value, of in defaults.items()]
        text += f" (default {'; '.join(said)})"
    return text.replace("%", "%%")
