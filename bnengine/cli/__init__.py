"""The command line ``bnengine``: one module for each command, and the same engine as the pages'.

Data go to standard output or to ``--out``, remarks to standard error. Exit codes: 0 done; 1 the work failed on the
data; 2 the arguments cannot be used; 129, 130 and 143 stopped by a terminal that closed, by Ctrl-C and by SIGTERM, with
what was done written; 141 the reader of the output went away.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from bnengine.cli.app import APP, WARM_UP
from bnengine.cli.command import Command, Job
from bnengine.cli.confidence import CALIBRATE, CONFIDENCE, REPORT, ROWS_NEEDED, TABLE1
from bnengine.cli.learning import LEARN, PREDICT, SAMPLE, SCORE
from bnengine.cli.running import Terminal, versions, write_out

_ALL = (APP, TABLE1, LEARN, CONFIDENCE, REPORT, CALIBRATE, ROWS_NEEDED, PREDICT, SAMPLE, SCORE, WARM_UP)
COMMANDS = {command.name: command for command in _ALL}
_LONGEST_SENTENCE = 600  # characters: a table of thousands of columns is not listed
_ABOUT = """Learn Bayesian-network structure from a table of discrete data, and measure how far to trust each edge.

Bootstrap confidence is biased towards too many edges; the corrected one is less biased (Steck & Jaakkola, NIPS 2003).
"""
_EPILOG = """examples:
  bnengine app
  bnengine table1 sample:alarm_300 --score bdeu --search k2 --order network:alarm
  bnengine confidence survey.csv --missing own_state --out edges.csv
  bnengine learn --help

exit codes: 0 done, 1 the work failed on the data, 2 the arguments cannot be used, 130 stopped by Ctrl-C
"""
_ON_NAMES = """
Lists of names are written as in a line of CSV: with commas between them, and in double quotes where a name contains a
comma, a double quote or outer spaces: --order 'dose,"a, b"'. Where a value begins with a dash, join it by =: --root=-x.
"""


class _Command(click.Command):
    """A command whose help keeps the lines of its text, and has a heading for each group of options."""

    def format_help_text(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"\n{self.help}\n")

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"\n{self.epilog}")

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(context):  # click itself lists the arguments
            line = parameter.get_help_record(context)
            if line is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "heading", "options"), []).append(line)
        for heading, lines in groups.items():
            with formatter.section(heading):
                formatter.write_dl(lines)


class _Group(_Command, click.Group):
    """All commands."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(context, formatter)
        self.format_commands(context, formatter)


def parser() -> click.Group:
    """Return the parser of the whole command line; a command's callback returns it and the parsed arguments."""
    version = click.Option(["--version"], is_flag=True, help="print the versions of bnengine and its libraries")
    return _Group(
        "bnengine",
        {name: _parser_of(command) for name, command in COMMANDS.items()},
        params=[version],
        help=_ABOUT,
        epilog=_EPILOG,
        invoke_without_command=True,
        callback=lambda version: None,
    )


def _parser_of(command: Command) -> click.Command:
    options = command.options
    return _Command(
        command.name,
        params=options,
        callback=lambda **given: (command, given),
        short_help=command.title,
        help=f"{command.title[0].upper()}{command.title[1:]}.\n\n{command.about}",
        epilog=f"examples:\n{command.examples}{_ON_NAMES if 'data' in {one.name for one in options} else ''}",
        options_metavar="[options]",
        context_settings={"max_content_width": 110},
    )


def parse(arguments: Sequence[str]) -> tuple[Command, dict[str, Any]] | None:
    """Return the command and its parsed arguments; None if the help or the versions were written instead."""
    whole = parser()
    with whole.make_context("bnengine", list(arguments)) as context:
        if context.params["version"]:
            write_out("".join(f"{package} {version}\n" for package, version in versions().items()))
            return None
        if context.invoked_subcommand is None and not context._protected_args:
            write_out(f"{context.get_help()}\n")
            return None
        found: tuple[Command, dict[str, Any]] = whole.invoke(context)
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if sys.stderr is None:  # closed by the caller: remarks go nowhere
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    name = "bnengine"
    try:
        found = parse(sys.argv[1:] if arguments is None else arguments)
        if found is None:
            return 0
        command, given = found
        name += f" {command.name}"
        terminal = Terminal(sys.stderr.isatty() or given.get("progress", False))
        job = Job(command, given, terminal)
        if command.serves:
            command.run(job)
        else:
            terminal.run(lambda: command.run(job))
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else name
        sys.stderr.write(f"{name}: {_sentence(error.format_message()).rstrip('.')} (see {name} --help)\n")
        return 2
    except BrokenPipeError:
        return _reader_gone()
    except ValueError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
    except ModuleNotFoundError as error:
        return _failed(str(error))
    except MemoryError:
        return _failed("not enough memory; keep fewer columns or fewer replicates (--columns, --n)")
    except RecursionError:
        return _failed("the input is nested too deeply")
    except Exception as error:  # a sentence helps in a shell, a traceback does not
        return _failed(f"a defect of bnengine, please report it with the command: {type(error).__name__}: {error}")
    return 0 if terminal.stopped_by is None else 128 + terminal.stopped_by


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SENTENCE else f"{text[:_LONGEST_SENTENCE]} …"


def _failed(text: str) -> int:
    sys.stderr.write(f"bnengine: {_sentence(text)}\n")
    return 1


def _reader_gone() -> int:
    """Return the exit code when the reader closed the output; write no more there, not even at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError:  # a program may have replaced it by something without a file
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    return 141  # 128 + SIGPIPE, as shells count
