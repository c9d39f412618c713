"""The options of the commands, made from the declarations of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from bnengine._core.settings import REQUIRED, Setting, setting_of, tag_of
from bnengine.experiment.command_line import REGISTRIES, Option, options_in, write_value
from bnengine.experiment.experiment import RULES, Experiment

#: Rows drawn from a network unless the number is given.
DEFAULT_ROWS = 1000
_NAMES = "as in a line of CSV"
_DATA = (
    "a table (CSV in its dialects, xlsx, Parquet, gzipped or not), - for standard input, sample:NAME for a bundled "
    "table, network:NAME for rows drawn from a bundled network"
)
_HEADINGS = {
    "edges": "edges and averaged network",
    "constraints": "constraints (each may also be @FILE: a CSV file with one edge or tier per line)",
}
_HELP = {  # where the command line reads more than the declaration says
    "--columns": f"the columns to keep, {_NAMES}; all if not given",
    "--order": f"the variables, causes first, {_NAMES}; network:alarm takes the ordering of a bundled network",
    "--rows": f"rows to draw from network:NAME (default {DEFAULT_ROWS})",
    "--cut": "how one column is discretized; with none it is left as it is, with hand cut at the numbers that follow",
    "--where": "rows to keep, by one column: is or is_not with values, at_least or at_most with a number",
    "--rare": "merge the states of one column that have fewer rows into the state (other)",
    "--states": "the states of one column in their order",
    "--missing-in": "what to do with the missing cells of one column: drop_rows, own_state or most_common",
    "--rename": "a new name of one column",
    "--repair": "what is repaired first: all, none or one kind (missing, spellings, number, date, rare, leave_out) as "
    "proposed for the table, or one repair with its details; if nothing is said, columns of a file that nothing can be "
    "learned from are left out",
    "--leave-out": f"the columns to leave out, {_NAMES}",
    "--required": "an edge that must be in the graph",
    "--forbidden": "an edge that must not be in the graph",
    "--tiers": "one tier, earliest first; repeat it for the next: no edge leads from a later tier to an earlier one",
    "--threshold": "the smallest strength of an edge, the share of graphs that join a pair, from 0 to 1; or a rule: ",
}
_METAVARS = {"int": "N", "float": "X", "text": "NAME", "network": "NAME", "choices": "NAMES", "names": "NAMES"}
_METAVARS |= {"edges": "PARENT,CHILD", "tiers": "NAMES"}
_METAVARS |= {  # by flag
    "--cut": "NAME,METHOD[,BINS]",
    "--where": "NAME,TEST,VALUE",
    "--rare": "NAME,ROWS",
    "--states": "NAME,STATES",
    "--missing-in": "NAME,POLICY",
    "--rename": "NAME,NEW",
    "--repair": "all|none|KIND",
}


class GroupedOption(click.Option):
    """An option under a heading of the help."""

    def __init__(self, heading: str, *flags: str, **settings: Any) -> None:
        super().__init__(flags, **settings)
        self.heading = heading


class Tag(click.ParamType[str]):
    """The name of a score or a search, in capital or small letters, with dashes or underscores."""

    name = "name"

    def __init__(self, part: str) -> None:
        self.part = part

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the tag."""
        tag = value.lower().replace("-", "_")
        if tag not in REGISTRIES[self.part]:
            raise click.UsageError(f"--{self.part} must be one of {', '.join(REGISTRIES[self.part])}; got '{value}'")
        return tag


def settings_options(group: str) -> list[click.Parameter]:
    """Return the options of a group of settings (see ``GROUPS``)."""
    heading = _HEADINGS.get(group, group)
    found: list[click.Parameter] = [_option(one, heading) for one in options_in(group)]
    if group == "data":
        found.insert(0, click.Argument(["data"], required=False, help=_DATA))
    if group in REGISTRIES:
        kinds = f"{', '.join(REGISTRIES[group])} (default {tag_of(setting_of(Experiment, group).default)})"
        found.insert(0, GroupedOption(heading, f"--{group}", help=kinds, type=Tag(group), metavar="NAME"))
    if group in ("resampling", "calibration"):
        about = "threads; the results do not depend on their number"
        found.append(GroupedOption(heading, "--workers", help=about, type=click.IntRange(1), metavar="N"))
        about = "a Dask cluster in place of threads, by its scheduler's address, such as tcp://host:8786"
        found.append(GroupedOption(heading, "--scheduler", help=about, metavar="ADDRESS"))
        found.append(plan_option(heading))
    return found


def plan_option(heading: str) -> GroupedOption:
    """Return whether the run is only planned."""
    about = "say what the run would take, by a short probe, and end"
    return GroupedOption(heading, "--plan", help=about, is_flag=True)


def output_options(formats: Sequence[str]) -> list[click.Parameter]:
    """Return the options that say where the result goes, in which format, and whether progress is shown."""
    by_ending = f"default: by the ending of the file; {formats[0] if formats else ''} on standard output"
    about = f"a file ending in {' or '.join(f'.{name}' for name in formats)}"
    progress = "report on standard error even if it is not a terminal"
    options = [
        GroupedOption("output", "--out", help=about, metavar="FILE", default="-"),
        GroupedOption("output", "--format", help=by_ending, type=click.Choice(formats)),
        GroupedOption("output", "--progress", help=progress, is_flag=True),
    ]
    return [*(options if formats else options[2:])]


def description_options() -> list[click.Parameter]:
    """Return the options for a whole experiment in a file."""
    heading = "the experiment as a file"
    about = "JSON with the settings, or a session (ZIP); options on the line replace them"
    return [
        GroupedOption(heading, "--experiment", help=about, metavar="FILE"),
        GroupedOption(heading, "--save-experiment", help="write all settings as JSON", metavar="FILE"),
    ]


def _option(one: Option, heading: str) -> GroupedOption:
    setting = one.setting
    if setting.kind == "bool":
        flags = f"{one.flag}/--no-{one.flag.removeprefix('--')}"
        return GroupedOption(heading, one.key, flags, help=_help(one), default=None)
    metavar = _METAVARS.get(one.flag) or _METAVARS.get(setting.kind, "")
    metavar = f"[{'|'.join(setting.choices)}]" if setting.kind == "choice" else metavar
    metavar = "X|RULE" if one.field == "threshold" else metavar
    return GroupedOption(heading, one.key, one.flag, help=_help(one), metavar=metavar, multiple=one.repeats)


def _help(one: Option) -> str:
    """Return the help, the scores or searches that have the setting, and the defaults."""
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
    kinds_by_default: dict[str, list[str]] = {}
    for kind, setting in one.settings.items():
        kinds_by_default.setdefault(_default(setting), []).append(tag_of(kind))
    several = len(kinds_by_default) > 1
    shown = [
        f"{value} for {', '.join(tags)}" if several else value for value, tags in kinds_by_default.items() if value
    ]
    return f"{text} (default {'; '.join(shown)})" if shown and "default" not in text else text


def _default(setting: Setting) -> str:
    if setting.default is None:
        return setting.none if setting.none != "no limit" else ""
    if setting.default is REQUIRED or setting.default in ((), "") or isinstance(setting.default, bool):
        return ""
    return write_value(setting.default, setting)
