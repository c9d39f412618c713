"""The command line ``bnengine``: the same engine as the pages', for a table or for a saved experiment.

Data go to standard output or to ``--out``, remarks to standard error. Exit codes: 0 done; 1 the work failed on the
data; 2 the arguments cannot be used; 129, 130 and 143 stopped by a terminal that closed, by Ctrl-C and by SIGTERM, with
what was done written; 141 the reader of the output went away.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import inspect
import io
import json
import os
import runpy
import signal
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click import UsageError

from bnengine._core.environment import need, pd, versions
from bnengine._core.limits import check_limits
from bnengine._core.random_generators import MAX_SEED
from bnengine._core.setting_kinds import is_unicode, not_unicode, shown
from bnengine._core.settings import SettingError, setting_of, tag_of
from bnengine.cli.commands import COMMANDS, ON_A_TABLE, Job
from bnengine.cli.terminal import HANGUP, Output, ReaderGoneError, Terminal, signals_handled, write_out
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.data.reading import MAX_BYTES, read_named
from bnengine.data.reading_options import AUTO, CHOICES, ReadingOptions
from bnengine.experiment.archives import opened
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.intake import proposed_treatment, remarks_of, rows_left_out, with_numbers
from bnengine.experiment.recipe import Recipe
from bnengine.experiment.recipe_settings import MOST_ROWS
from bnengine.experiment.warm_up import warm_up
from bnengine.graphs.constraints import read_names
from bnengine.scores.evaluation import ONE_VARIABLE
from bnengine.scores.local_score import default_score, needs_states, unsuited
from bnengine.scores.scores import SCORES
from bnengine.search import SEARCHES
from bnengine.search.many_columns import ManyColumnsWarning, size_remark

_PACKAGE = Path(__file__).parents[1]
#: The environment's variable that tells the pages which table to open on.
FILE_VARIABLE = "BNENGINE_FILE"
_WIDTH = {"max_content_width": 110}
_LONGEST_SENTENCE = 600  # characters: a table of thousands of columns is not listed
STANDARD_INPUT = "-"
#: Rows drawn from a network unless the number is given.
DEFAULT_ROWS = 1000
_MOST_REMARKS = 4  # about the reading of a file
#: The bootstrap's method of each correction.
_METHODS = {"none": "bootstrap", "leading": "bootstrap_corrected", "matched": "bootstrap_matched"}


@click.group("bnengine", invoke_without_command=True, context_settings=_WIDTH)
@click.option("--version", is_flag=True, help="Print the versions of bnengine and its libraries.")
@click.pass_context
def cli(context: click.Context, version: bool) -> None:
    """Learn Bayesian-network structure from a table of states or measurements, and measure how far to trust each edge.

    Bootstrap confidence is biased towards too many edges; the corrected one is less biased (Steck & Jaakkola, NIPS
    2003).

    \b
    examples:
      bnengine app --file survey.csv
      bnengine report survey.csv --out report.html
      bnengine confidence sample:alarm_300 --score "BDeu(ess=10)" --n 100
      bnengine run experiment.json --out edges.csv

    Exit codes: 0 done, 1 the work failed on the data, 2 the arguments cannot be used, 130 stopped by Ctrl-C,
    129 by the terminal that closed, 143 by SIGTERM.
    """  # noqa: D301
    if version:
        write_out("".join(f"{package} {number}\n" for package, number in versions().items()))
    elif context.invoked_subcommand is None:
        write_out(f"{context.get_help()}\n")


def _out(formats: Sequence[str]) -> click.Option:
    about = f"A file ending in {' or '.join(f'.{form}' for form in formats)}; default: standard output, {formats[0]}."
    return click.Option(["--out"], help=about, metavar="FILE", default="-")


def _named(option: str, what: str, about: str) -> click.Option:
    return click.Option([option], metavar=what, default="", help=about)


def _declared(owner: type, name: str, metavar: str | None = None) -> click.Option:
    """Return the option of a setting, as it is declared."""
    one = setting_of(owner, name)
    about = f"{one.help} Default: {one.default}." if one.default else one.help
    kind: Any = click.IntRange(one.ge, one.le) if one.kind == "int" else None  # type: ignore[arg-type]
    kind = click.Choice(tuple(filter(None, one.choices))) if one.choices else kind
    return click.Option([f"--{name.replace('_', '-')}"], type=kind, metavar=metavar, help=about)


#: Settings of the recipe that are options: how a file is read, and what its rows are.
_READING = {"sheet": "TITLE", **dict.fromkeys(CHOICES)}
_ABOUT_ROWS = {
    **dict.fromkeys(("weights", "sampling_weights", "clusters"), "COLUMN"),
    "blocks": "LENGTH",
    "rows_are": None,
}


def _learning_options() -> list[click.Parameter]:
    score, search = Notation("score", SCORES), Notation("search", SEARCHES)
    rows, cut = click.IntRange(1, MOST_ROWS), "as age,dose; all for every measurement."
    repair = (
        "A repair that is proposed and not made, as number:age; one that is not to be made, as -date:day; none for no "
        "repairs. It can be given several times."
    )
    columns = "The columns to keep, as age,sex,dose; or how many of those that vary most, as 200."
    return [
        click.Argument(["data"]),
        click.Option(["--rows"], type=rows, help=f"Rows of network:NAME; default {DEFAULT_ROWS}."),
        click.Option(["--score"], type=score, help="Such as 'BDeu(ess=10)'; default BIC, of kept numbers GaussianBIC."),
        click.Option(["--search"], type=search, default="IteratedLocalSearch", help="Such as 'K2(max_parents=3)'."),
        click.Option(["--seed"], type=click.IntRange(0, MAX_SEED), default=0, help="Of all draws; default 0."),
        *(_declared(Recipe, name, metavar) for name, metavar in {**_READING, **_ABOUT_ROWS}.items()),
        click.Option(["--repair"], multiple=True, metavar="NAME", help=repair),
        _named("--numbers", "NAMES", f"The columns of numbers to keep as such, {cut}"),
        _named("--cut", "NAMES", f"The columns of numbers to cut into states, {cut}"),
        _named("--columns", "NAMES", columns),
    ]


def _resampling_options() -> list[click.Parameter]:
    correction, about = click.Choice(tuple(_METHODS)), "Run the bootstrap with this correction, and no other method."
    return [click.Option(["--correction"], type=correction, help=about), _declared(Experiment, "n")]


def _command(name: str) -> click.Command:
    """Return the command that runs an experiment on a table named on its line."""

    def run(data: str, out: str, seed: int, score: Any, search: Any, **given: Any) -> None:
        """DATA is a table (CSV in its dialects; xlsx, xls or ods; Parquet; SPSS, Stata or SAS; gzipped or not), - for
        standard input, sample:NAME for a bundled table, or network:NAME for rows drawn from a bundled network. It is
        treated as the app suggests: measurements are kept as numbers, missing cells are drawn anew in every
        replicate, columns that nothing can be learned from are left out; the decisions are reported. Everything else
        (another treatment, constraints, methods, thresholds) is chosen in the app and saved as an experiment, which
        'bnengine run' runs.
        """  # noqa: D205, D401
        settings: dict[str, Any] = {"score": score} if score else {}
        if correction := given.get("correction"):
            settings["methods"] = (_METHODS[correction],)
        if n := given.get("n"):
            settings["n"] = n
        recipe = recipe_named(
            data, given["rows"], seed, **{name: given[name] for name in _READING if given[name] not in (None, AUTO)}
        )
        recipe = dataclasses.replace(recipe, **{name: given[name] for name in _ABOUT_ROWS if given[name]})
        experiment = Experiment(recipe, search=search, seed=seed, **settings)
        repair, columns = given["repair"], given["columns"]
        repairs = repair if "none" in repair else ("all", *repair)
        wanted = int(columns) if columns.isdecimal() else _names(columns)
        kept = [one if one == "all" else _names(one) for one in (given["numbers"], given["cut"])]

        def loaded(terminal: Terminal) -> tuple[Experiment, Dataset]:
            made, data = load(experiment, terminal, repairs, columns=wanted, numbers=kept)
            return (made if score else dataclasses.replace(made, score=default_score(data))), data

        _run(name, out, loaded)

    about = f"{inspect.getdoc(COMMANDS[name].do)}\n\n{inspect.getdoc(run)}"
    params = [*_learning_options(), *([] if name == "learn" else _resampling_options()), _out(COMMANDS[name].formats)]
    return click.Command(name, params=params, callback=run, help=about, context_settings=_WIDTH)


def _names(text: str) -> list[str]:
    return [name for line in read_names(text) for name in line]


def _run(name: str, out: str, loaded: Callable[[Terminal], tuple[Experiment, Dataset]]) -> None:
    """Load the data and do a command's work, in a thread that signals can stop."""
    output, terminal = Output(out, COMMANDS[name].formats), Terminal()

    def work() -> None:
        job = Job(name, *loaded(terminal), terminal, output)
        COMMANDS[name].do(job)

    terminal.run(work)


@click.command("run", context_settings=_WIDTH)
@click.argument("experiment")
@click.option("--as", "name", type=click.Choice(tuple(COMMANDS)), help="Default: what wrote the file, else confidence.")
@click.option("--data", help="The table, where it is another file than the one that the experiment names.")
@click.option(
    "--out", metavar="FILE", default="-", help="A file, whose ending says the format; default: standard output."
)
def run_saved(experiment: str, name: str | None, data: str | None, out: str) -> None:
    """Run a saved experiment.

    EXPERIMENT is a file of settings (JSON) or a session (ZIP) that the app saved, or a result that another command
    wrote as JSON. A table that it names is looked for in the folder where the command is run.
    """
    described, command, frame, remark = saved(Path(experiment), data)

    def loaded(terminal: Terminal) -> tuple[Experiment, Dataset]:
        if remark:
            terminal.warn(remark)
        return load(described, terminal, frame=frame)

    name = name or command or "confidence"
    if name not in COMMANDS:
        raise click.UsageError(
            f"{experiment} was written by {shown(name)}, which is no command here; say --as what to run"
        )
    _run(name, out, loaded)


def script() -> Path:
    """Return the dashboard's script: inside an installed package, next to it in a checkout."""
    installed = _PACKAGE / "app" / "app.py"
    return installed if installed.exists() else _PACKAGE.parent / "app.py"


@click.command("app")
@click.option("--file", metavar="PATH", help="A table, which the Data page opens on.")
@click.option("--port", type=click.IntRange(1, 65535), help="Default 8501.")
@click.option("--address", help="To listen on; default localhost.")
def open_app(file: str | None, port: int | None, address: str | None) -> None:
    """Open the dashboard in the browser.

    Serves the pages until Ctrl-C, or until the terminal closes. Only this machine can open them, unless --address is
    one that others reach: then everybody who does can upload tables and start work on this machine, without a password.
    """
    for library in ("streamlit", "plotly", "pygraphviz"):
        need(library, "app")
    if file is not None:
        path = Path(file)
        if not path.is_file():
            raise ValueError(f"there is no file {path}")
        os.environ[FILE_VARIABLE] = str(path.resolve())
    given = {"port": port, "address": address}
    options = (f"--server.{name}={value}" for name, value in given.items() if value is not None)
    sys.argv = ["streamlit", "run", str(script()), *options]
    os.chdir(script().parent)  # a folder of strangers' files may hold settings of Streamlit's, too
    with signals_handled(lambda number: signal.raise_signal(signal.SIGTERM), HANGUP):
        runpy.run_path(str(script().parent / "pages" / "shared" / "start.py"))


@click.command("warm-up")
def warm_up_engine() -> None:
    """Compile the engine ahead of its first use.

    Compiled code is kept on the disk, so that this is needed once on a machine: for an image, a classroom or a cluster
    whose workers share the folder.
    """
    terminal = Terminal("parts")
    terminal.run(lambda: warm_up(progress=terminal.progress))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if sys.stderr is None:  # closed by the caller: remarks go nowhere
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    warnings.simplefilter("ignore", ManyColumnsWarning)  # it is a remark here
    try:
        check_limits()
    except ValueError as error:
        return _failed(str(error), 2)
    try:
        code = cli.main(sys.argv[1:] if arguments is None else list(arguments), "bnengine", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else "bnengine"
        sys.stderr.write(f"{name}: {_sentence(error.format_message()).rstrip('.')} (see {name} --help)\n")
        return 2
    except click.Abort:  # Ctrl-C before there is anything to keep
        return 130
    except ReaderGoneError:  # nothing more is written there, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # 128 + SIGPIPE, as shells count
    except (ValueError, ModuleNotFoundError) as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(
            f"{error.strerror or error}: {error.filename}" if error.filename else error.strerror or str(error)
        )
    except MemoryError:
        return _failed("not enough memory; keep fewer columns or fewer replicates")
    except Exception as error:  # a sentence helps in a shell, a traceback does not
        return _failed(f"a defect of bnengine, please report it with the command: {type(error).__name__}: {error}")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SENTENCE else f"{text[:_LONGEST_SENTENCE]} …"


def _failed(text: str, code: int = 1) -> int:
    sys.stderr.write(f"bnengine: {_sentence(text)}\n")
    return code


# From the words of a command, or a saved experiment, to an ``Experiment`` and its data set.


class Notation(click.ParamType[Any]):
    """A score or a search, written as in Python: ``BDeu(ess=10)``; the name alone takes the defaults."""

    name = "text"

    def __init__(self, what: str, kinds: Mapping[str, type]) -> None:
        self.what = what
        self.kinds = {name: kind for kind in kinds.values() for name in (tag_of(kind), kind.__name__.lower())}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the score or the search."""
        name, settings = self._parts(value)
        kind = self.kinds.get(name.lower().replace("-", "_"))
        if kind is None:
            known = ", ".join(dict.fromkeys(each.__name__ for each in self.kinds.values()))
            raise UsageError(f"--{self.what} must be one of {known}; got {shown(value)}")
        try:
            return kind(**settings)
        except (SettingError, TypeError) as error:
            raise UsageError(f"--{self.what} {kind.__name__}: {error}") from None

    def _parts(self, text: str) -> tuple[str, dict[str, Any]]:
        """Return the name, and the settings that stand in brackets."""
        name, bracket, rest = text.strip().partition("(")
        if not bracket:
            return name, {}
        try:
            call = ast.parse(f"_({rest}", mode="eval").body
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
                return name, {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        raise UsageError(f"--{self.what} is written as BDeu(ess=10) or K2(max_parents=2); got {shown(text)}")


def recipe_named(text: str, rows: int | None, seed: int, **reading: Any) -> Recipe:
    """Return the source of the data that a command names."""
    if not is_unicode(text):
        raise UsageError(f"{not_unicode(text)}; rename the file, or hand it over as standard input: - < FILE")
    source, _, name = text.partition(":")
    if source not in ("sample", "network", "file") or source == text:  # a file needs "file:" only where it is doubtful
        source, name = "file", text
    if rows is not None and source != "network":
        raise UsageError("--rows is for rows drawn from network:NAME; these data have their own")
    if reading and source != "file":
        raise UsageError(f"--{next(iter(reading))} is for a file; {text} is bundled")
    drawn: dict[str, Any] = {"n_rows": rows or DEFAULT_ROWS, "seed": seed} if source == "network" else {}
    try:
        return Recipe(source, name, **drawn, **reading)
    except SettingError as error:
        raise UsageError(str(error)) from None


def saved(path: Path, data: str | None) -> tuple[Experiment, str | None, pd.DataFrame | None, str]:
    """Read a saved experiment, a result in JSON or a session.

    Returns
    -------
    experiment : Experiment
        About the file ``data`` instead of its own, if one is given.
    command : str or None
        The command that wrote the result.
    frame : DataFrame or None
        The data of a session that holds them.
    remark : str
        What stands in the place of what the file names and this version has not, in sentences.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        found = opened(content)
        frame = found.frame() if data is None else None
    except ValueError as error:
        raise UsageError(f"{path} is not a saved experiment: {error}") from None
    if data is None:
        return found.experiment, _command_in(content), frame, found.remark
    recipe = dataclasses.replace(found.experiment.data, source="file", name=data, fingerprint="", n_rows=0, seed=0)
    return dataclasses.replace(found.experiment, data=recipe), _command_in(content), None, found.remark


def _command_in(content: bytes) -> str | None:
    """Return the command that a result in JSON names."""
    command = json.loads(content).get("command") if content.lstrip().startswith(b"{") else None
    return command if isinstance(command, str) else None


def _as_option(setting: str, value: str) -> str:
    return f"--{'repair' if setting == 'repairs' else setting.replace('_', '-')} {value}"


def load(
    experiment: Experiment,
    terminal: Terminal,
    repairs: Sequence[str] = (),
    frame: pd.DataFrame | None = None,
    columns: int | Sequence[str] = (),
    numbers: Sequence[str | Sequence[str]] = ((), ()),
) -> tuple[Experiment, Dataset]:
    """Return the experiment with its file's digest, and its data set; with ``repairs`` treated as the app suggests."""
    fingerprint = experiment.data.fingerprint
    if frame is None:
        frame, fingerprint = _frame_of(experiment.data)
        kept = experiment.data.fingerprint
        if kept and kept != fingerprint:
            raise DataError(
                f"{experiment.data.name} is not the file of the saved experiment (its SHA-256 begins with "
                f"{fingerprint[:12]}, not {kept[:12]}); name the file by --data to run the same settings on it"
            )
    recipe = dataclasses.replace(experiment.data, fingerprint=fingerprint)
    if repairs:
        found = proposed_treatment(frame, recipe, repairs, columns)
        found = dataclasses.replace(found, recipe=with_numbers(found.recipe, *numbers))
        if needs_states(experiment.score) and found.data.numbers:
            if numbers[0]:
                raise UsageError(
                    f"{experiment.score.name} needs states, but --numbers keeps numbers; without it "
                    "measurements are cut, as by --cut all"
                )
            found = dataclasses.replace(found, recipe=with_numbers(found.recipe, (), "all"))
            terminal.warn(f"{experiment.score.name} needs states, so that measurements are cut; BIC keeps them")
        recipe, data = found.recipe, found.data
        remarks = remarks_of(found, _as_option)
    else:
        data = recipe.prepare(frame)
        if reason := unsuited(experiment.score, data):
            raise DataError(
                f"{reason}; choose another score or treatment in the app and save the experiment again, or run "
                "'bnengine confidence' on the table itself, which treats it as the score needs"
            )
        remarks = (*rows_left_out(frame, recipe, data), *filter(None, [size_remark(data)]))
    reading = frame.attrs.get("reading")
    for remark in (*(reading.remarks[:_MOST_REMARKS] if reading else ()), *remarks):
        terminal.warn(remark)
    if data.n_variables == 1:
        raise DataError(f"{ONE_VARIABLE} If the file has more, choose its separator or its sheet in the app")
    return dataclasses.replace(experiment, data=recipe), data


def _frame_of(recipe: Recipe) -> tuple[pd.DataFrame, str]:
    """Return the raw table, and the digest of a file's bytes."""
    if recipe.source != "file":
        return recipe.load(), ""
    if recipe.name == STANDARD_INPUT:
        called, content = "standard input", sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with open(recipe.name, "rb") as file:  # a pipe can be read once only
            called, content = recipe.name, file.read(MAX_BYTES + 1)
    frame = read_named(io.BytesIO(content), called, ReadingOptions(**recipe.reading))
    return frame, hashlib.sha256(content).hexdigest()


for each in (open_app, *map(_command, ON_A_TABLE), run_saved, warm_up_engine):
    cli.add_command(each)
