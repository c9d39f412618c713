"""The options of the commands, made from the declarations of the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from bnengine._core.settings import REQUIRED, Setting, tag_of
from bnengine.experiment.experiment import RULES
from bnengine.experiment.options import STUDY_FIELDS, Option, all_options, write_value
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES

#: Rows drawn from a network unless the number is given.
DEFAULT_ROWS = 1000
REGISTRIES: dict[str, Mapping[str, type]] = {"score": SCORES, "search": SEARCHES}
_NAMES = "as in a line of CSV"
_HELP = {  # where the command line reads more than the declaration says
    "--columns": f"the columns to keep, {_NAMES}; all if not given",
    "--order": f"the variables, causes first, {_NAMES}; network:alarm takes the ordering of a bundled network",
    "--rows": f"rows to draw from network:NAME (default {DEFAULT_ROWS})",
    "--cut": "how one column is discretized; with none it is left as it is",
    "--required": "an edge that must be in the graph",
    "--forbidden": "an edge that must not be in the graph",
    "--tiers": "one tier, earliest first; repeat it for the next: no edge leads from a later tier to an earlier one",
    "--threshold": "the smallest strength of an edge, the share of graphs that join a pair, from 0 to 1; or a rule: ",
}
_SHAPES = {"edges": "PARENT,CHILD", "tiers": "NAMES", "treatments": "NAME,METHOD[,BINS]", "names": "NAMES"}
_METAVARS = {"int": "N", "float": "X", "text": "NAME", "network": "NAME", "choices": "NAMES"}


class GroupedOption(click.Option):
    """An option under a heading of the help."""

    def __init__(self, *args: Any, heading: str = "options", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.heading = heading


def plain_option(heading: str, flag: str, help: str, **settings: Any) -> GroupedOption:
    """An option that is no setting of an experiment."""
    return GroupedOption([flag], heading=heading, help=help, **settings)


def data_options() -> list[click.Parameter]:
    """The table and its treatment."""
    about = (
        "a table (CSV in its dialects, xlsx, Parquet, gzipped or not), - for standard input, sample:NAME for a bundled "
        "table, network:NAME for rows drawn from a bundled network"
    )
    return [click.Argument(["data"], required=False, help=about), *_options("data", "data")]


def score_options() -> list[click.Parameter]:
    """The score and the structure prior."""
    prior = _options("score", "experiment", ("edge_penalty", "uniform_parent_sizes"))
    return [_registry_option("score", "bic"), *_options("score", "score"), *prior]


def search_options() -> list[click.Parameter]:
    """The search, the seed, the ties and the constraints."""
    options = [_registry_option("search", "hill_climbing"), *_options("search", "search")]
    options += _options("search", "experiment", ("seed", "ties"))
    heading = "constraints (each may also be @FILE: a CSV file with one edge or tier per line)"
    return [*options, *_options(heading, "constraints")]


def resampling_options() -> list[click.Parameter]:
    """The resampling methods."""
    return [*_options("resampling", "experiment", STUDY_FIELDS), workers_option("resampling")]


def workers_option(heading: str) -> click.Parameter:
    """The number of threads."""
    about = "threads; the results do not depend on their number"
    return plain_option(heading, "--workers", about, type=click.IntRange(1), metavar="N")


def part_options(heading: str, part: str, fields: Sequence[str] | None = None) -> list[click.Parameter]:
    """The options of any part of an experiment."""
    return list(_options(heading, part, fields))


def description_options() -> list[click.Parameter]:
    """A whole experiment in a file."""
    heading = "the experiment as a file"
    return [
        plain_option(
            heading, "--experiment", "JSON with the settings; options on the line replace them", metavar="FILE"
        ),
        plain_option(heading, "--save-experiment", "write all settings as JSON", metavar="FILE"),
    ]


def _registry_option(part: str, default: str) -> GroupedOption:
    kinds = f"{', '.join(REGISTRIES[part])} (default {default})"
    return GroupedOption([part, f"--{part}"], heading=part, help=kinds, metavar="NAME")


def _options(heading: str, part: str, fields: Sequence[str] | None = None) -> list[GroupedOption]:
    return [
        _option(one, heading) for one in all_options() if one.part == part and (fields is None or one.field in fields)
    ]


def _option(one: Option, heading: str) -> GroupedOption:
    setting = one.setting
    if setting.kind == "bool":
        flags = f"{one.flag}/--no-{one.flag.removeprefix('--')}"
        return GroupedOption([one.key, flags], heading=heading, help=_help(one), default=None)
    metavar = _SHAPES.get(setting.kind) or _METAVARS.get(setting.kind, "")
    if setting.kind == "choice":
        metavar = f"[{'|'.join(setting.choices)}]"
    if one.field == "threshold":
        metavar = "X|RULE"
    return GroupedOption([one.key, one.flag], heading=heading, help=_help(one), metavar=metavar, multiple=one.repeats)


def _help(one: Option) -> str:
    """The help, the scores or searches that have the setting, and the defaults."""
    text = _HELP.get(one.flag) or one.setting.help.rstrip(".")
    if one.setting.kind == "choices":
        text += ", with commas between: " + "; ".join(f"{key}: {label}" for key, label in one.setting.choices.items())
    if one.field == "threshold":
        text += "; ".join(f"{rule}: {about}" for rule, about in RULES.items())
    text = text[0].lower() + text[1:] if text[:2] == "A " or text[1:2].islower() else text
    if one.part in REGISTRIES and len(one.settings) < len(REGISTRIES[one.part]):
        text = f"{', '.join(tag_of(kind) for kind in one.settings)}: {text}"
    if one.repeats:
        text += "; may be repeated"
    shown: dict[str, list[str]] = {}
    for kind, setting in one.settings.items():
        default = _default(setting)
        if default:
            shown.setdefault(default, []).append(tag_of(kind))
    if not shown or "default" in text:
        return text
    everywhere = len(shown) == 1 and len(next(iter(shown.values()))) == len(one.settings)
    said = [value if everywhere else f"{value} for {', '.join(tags)}" for value, tags in shown.items()]
    return f"{text} (default {'; '.join(said)})"


def _default(setting: Setting) -> str:
    if setting.default is None:
        return setting.none if setting.none != "no limit" else ""
    if setting.default is REQUIRED or setting.default in ((), "") or isinstance(setting.default, bool):
        return ""
    return write_value(setting.default, setting)
