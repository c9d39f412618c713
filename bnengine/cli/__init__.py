"""The command line: ``bnengine table1|learn|confidence|sample|score``, the same engine as the pages'.

Data go to standard output or to ``--out``, remarks to standard error. Exit codes: 0 done; 1 the work failed on the
data; 2 the arguments cannot be used; 130 and 143 stopped by Ctrl-C and by SIGTERM, with what was done written; 141 the
reader of the output went away.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import bnengine.cli.confidence as confidence
import bnengine.cli.learn as learn
import bnengine.cli.sample as sample
import bnengine.cli.score as score
import bnengine.cli.table1 as table1
from bnengine.cli.running import Terminal
from bnengine.cli.usage import UsageError

COMMANDS = (table1, learn, confidence, sample, score)
_LONGEST_SENTENCE = 600  # characters: a table of thousands of columns is not listed
_ABOUT = """Learns Bayesian-network structure from a table of discrete data, and says how far to trust each edge.

Bootstrap confidence is biased towards too many edges; the corrected one is less biased (Steck & Jaakkola, NIPS 2003).
"""
_EPILOG = """examples:
  bnengine table1 sample:alarm_300 --score bdeu --search k2 --order network:alarm
  bnengine confidence survey.csv --missing own_state --out edges.csv
  bnengine learn --help

exit codes: 0 done, 1 the work failed on the data, 2 the arguments cannot be used, 130 stopped by Ctrl-C
"""
_ON_NAMES = """
Names in lists stand as in a line of CSV: with commas between them, and in double quotes where a name holds a comma, a
double quote or outer spaces: --order 'dose,"a, b"'. Where a value begins with a dash, join it by =: --root=-x.
"""


class _Parser(argparse.ArgumentParser):
    """One sentence on a mistake, not a page of usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    whole = _Parser(
        "bnengine", description=_ABOUT, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    whole.add_argument("--version", action="store_true", help="print the versions of bnengine and what it stands on")
    commands = whole.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        name = command.__name__.rpartition(".")[2]
        one = commands.add_parser(
            name,
            help=command.TITLE,
            usage=f"%(prog)s {'NETWORK' if command is sample else 'DATA'} [options]",
            description=f"{command.TITLE[0].upper()}{command.TITLE[1:]}.\n\n{command.ABOUT}",
            epilog=f"examples:\n{command.EXAMPLES}{'' if command is sample else _ON_NAMES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.declare(one)
        one.set_defaults(command=command, parser=one)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    whole = parser()
    args = whole.parse_args(arguments)
    if args.version:
        from bnengine.cli.output import versions

        sys.stdout.write("".join(f"{package} {version}\n" for package, version in versions().items()))
        return 0
    if "command" not in args:
        whole.error("name a command")
    terminal = Terminal(sys.stderr.isatty() or vars(args).get("progress", False))
    try:
        terminal.run(lambda: args.command.run(args, terminal))
    except UsageError as error:
        args.parser.error(_sentence(error))
    except BrokenPipeError:
        return _reader_gone()
    except ValueError as error:
        return _failed(_sentence(error))
    except OSError as error:
        return _failed(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
    except MemoryError:
        return _failed("not enough memory for this; keep fewer columns or fewer resamples (--columns, --n)")
    except Exception as error:  # whoever works in a shell is helped by a sentence, not by a traceback
        return _failed(f"a defect of bnengine, please report it with the command: {type(error).__name__}: {error}")
    return 0 if terminal.stopped_by is None else 128 + terminal.stopped_by


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= _LONGEST_SENTENCE else f"{text[:_LONGEST_SENTENCE]} …"


def _failed(sentence: str) -> int:
    sys.stderr.write(f"bnengine: {sentence}\n")
    return 1


def _reader_gone() -> int:
    """Whoever read the output has what it wanted; nothing more may be written there, not even at exit."""
    with contextlib.suppress(OSError):  # a program may have put something without a file in its place
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141  # 128 + SIGPIPE, as shells count
