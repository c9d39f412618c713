"""Run a command: its options, its work in a thread, progress, signals that stop it, and the writing of its result."""

from __future__ import annotations

import errno
import json
import math
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import click
import numpy as np
from click import UsageError

from bnengine._core.environment import versions as versions
from bnengine._core.settings import REQUIRED, Setting, setting_of, tag_of
from bnengine.experiment.command_line import REGISTRIES, Option, options_in, write_value
from bnengine.experiment.experiment import RULES, Experiment

T = TypeVar("T")
_SILENCE = 4.0  # seconds without output before the terminal is told what is going on
_WAIT = 0.1  # seconds between looks at the work


class Terminal:
    """Standard error: remarks and progress, where ``talks``, and whether the run is to stop.

    ``counted`` is what the progress counts.
    """

    def __init__(self, talks: bool) -> None:
        self.talks = talks
        self.counted = "resamples"
        self.stopped_by: int | None = None
        self._rewrites = sys.stderr.isatty()
        self._started = time.monotonic()
        self._shown = -1
        self._total = 0
        self._line_open = False

    @property
    def stopped(self) -> bool:
        """Whether a signal asked the work to stop."""
        return self.stopped_by is not None

    def progress(self, done: int, total: int) -> bool:
        """Report progress; the engine calls this while it works, and stops with what is done where it returns False."""
        if total != self._total:  # another piece of work
            self._total, self._started, self._shown = total, time.monotonic(), -1
        if self.talks and total:
            step = (100 if self._rewrites else 10) * done // total
            if step != self._shown:
                self._shown = step
                passed = time.monotonic() - self._started
                left = f", {passed * (total - done) / done:.0f} s left" if 0 < done < total and passed > 1 else ""
                self._write(f"{done} of {total} {self.counted}{left}", stays=not self._rewrites or done >= total)
        return not self.stopped

    def note(self, text: str) -> None:
        """Write a remark, if progress is shown."""
        if self.talks:
            self._write(text)

    def warn(self, text: str) -> None:
        """Write what the user must know to read the result."""
        self._write(f"bnengine: {text}")

    def _write(self, text: str, stays: bool = True) -> None:
        """Write a line; one that does not stay is overwritten by the next."""
        start = "\r\x1b[K" if self._line_open else ""
        sys.stderr.write(start + text + ("\n" if stays else ""))
        sys.stderr.flush()
        self._line_open = not stays

    def run(self, work: Callable[[], T]) -> T:
        """Do the work in another thread, since compiled code would delay a signal until it is done.

        Ctrl-C (or SIGTERM) stops work that has reported progress, and what is done is kept; a second one, or one before
        there is anything to keep, ends the program at once.
        """
        answer: list[T] = []
        error: list[BaseException] = []

        def guarded() -> None:
            try:
                answer.append(work())
            except BaseException as raised:
                error.append(raised)

        thread = threading.Thread(target=guarded, daemon=True)
        with _handled(self._stop):
            thread.start()
            while thread.is_alive():
                thread.join(_WAIT)
                if self._shown < 0 and self._rewrites and time.monotonic() - self._started > _SILENCE:
                    self._shown = 0
                    self.note("working … (the first run on a machine compiles for half a minute)")
        if self._line_open:
            sys.stderr.write("\n")
            self._line_open = False
        if error:
            raise error[0]
        return answer[0]

    def _stop(self, number: int) -> None:
        if self.stopped or not self._total:
            sys.stderr.write("\nbnengine: stopped; nothing was written\n")
            sys.stderr.flush()
            os._exit(128 + number)
        self.stopped_by = number
        self._write("stopping; what is done will be written (once more: quit at once)")


@contextmanager
def _handled(stop: Callable[[int], None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM, where this is the program's main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(number: int, frame: FrameType | None) -> None:
        stop(number)

    before: dict[signal.Signals, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


# A command's result: a table as CSV, everything as JSON, a network as BIF; on standard output or in a file.


def format_of(given: Mapping[str, Any], formats: Sequence[str]) -> str:
    """Return the format asked for; a click.UsageError before any work if the file's ending or folder cannot be used."""
    for name in (None if given["out"] == "-" else given["out"], given.get("save_experiment")):
        path = None if name is None else Path(name)
        if path is not None and not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to write {path.name} in")
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder; name a file in it")
        if path is not None and not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise UsageError(f"{path} may not be written; name a file in a folder of yours")
    if given["format"] is not None:
        return str(given["format"])
    if given["out"] == "-":
        return formats[0]
    suffix = Path(given["out"]).suffix.lower().removeprefix(".")
    if suffix not in formats:
        endings = " or ".join(f".{name}" for name in formats)
        raise UsageError(f"--out must end in {endings}; or name the format by --format")
    return suffix


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all; what is no regular file, such as a pipe, is written to directly."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(text.encode())
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_out(text: str) -> None:
    """Write to standard output."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed; write to a file by --out")
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # a program has replaced it
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    left = memoryview(text.encode())
    while left:  # where Python does not buffer, the system may take a part only
        left = left[stream.write(left) :]
    stream.flush()


def document(command: str, **parts: Any) -> str:
    """Write a result as JSON, with versions; a table is a list of lines, and NaN, which JSON does not have, is null."""
    plain = _plain({"command": command, "versions": versions(), **parts})
    return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "iterrows"):  # a frame
        value = value.to_dict(orient="records")
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


# The options of the commands, made from the declarations of the settings.

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
    "--repair": "what is repaired first: all, none or one kind (encoding, missing, spellings, number, date, rare, "
    "leave_out) as proposed for the table and sure, or one repair with its details; if nothing is said, columns of a "
    "file that nothing can be learned from are left out",
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
