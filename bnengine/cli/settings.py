"""From the words of a command to an ``Experiment``, its data set, its workers and its plan."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from click import UsageError

from bnengine._core.display import counted, gigabytes
from bnengine._core.environment import need, pd
from bnengine._core.parallel import ClusterError, OnWorkers, is_cluster, processors
from bnengine._core.setting_kinds import is_unicode, not_unicode, shown, some_of
from bnengine._core.settings import MISSING, TAG_KEY, SettingError, setting_of, tag_of, to_plain
from bnengine.cli.running import DEFAULT_ROWS, Terminal, versions, write_out
from bnengine.data.checked_frame import DataError
from bnengine.data.columns import MOST_STATE_VALUES, measured_columns
from bnengine.data.dataset import Dataset
from bnengine.data.reading import MAX_BYTES, read_table
from bnengine.data.repairs import accepted, proposals
from bnengine.data.rows import column_of_targets
from bnengine.data.rows_and_states import rows_where
from bnengine.experiment.archives import opened
from bnengine.experiment.command_line import (
    PARTS,
    REGISTRIES,
    SOURCE_PREFIXES,
    STANDARD_INPUT,
    Option,
    all_options,
    option,
    read_names,
    read_value,
)
from bnengine.experiment.experiment import RULES, Experiment
from bnengine.experiment.plan import Plan
from bnengine.experiment.recipe import Recipe
from bnengine.networks.bundled import load_network

_FROM_NETWORK = SOURCE_PREFIXES["network"]
Given = Mapping[str, Any]


def experiment_of(given: Given) -> Experiment:
    """Return the experiment that parsed arguments describe; a click.UsageError if they describe none."""
    described = given.get("experiment")
    if described is None and given["data"] is None:
        raise UsageError("name the data: a file, - for standard input, sample:NAME or network:NAME")
    base = _read_experiment(Path(described)) if described else Experiment()
    values = _values("experiment", Experiment, given)
    if values.get("threshold") in RULES:
        values |= {"rule": values["threshold"], "threshold": None}
    values["data"] = _data(base.data, given)
    values |= {part: _part(part, getattr(base, part), given) for part in PARTS if part not in ("experiment", "data")}
    try:
        return dataclasses.replace(base, **values)
    except SettingError as error:
        raise UsageError(_sentence(error)) from None


def _sentence(error: SettingError) -> str:
    """Say what is wrong, with the option in place of the setting's name."""
    if error.whole or not error.path:
        return error.reason
    part = error.path[0]
    flag = option(part if part in PARTS else "experiment", error.path[-1]).flag
    return f"{part} needs {flag}" if error.reason == MISSING else f"{flag} {error.reason}"


def _data(base: Recipe, given: Given) -> dict[str, Any]:
    text = given.get("data")
    if text is not None and not is_unicode(text):
        raise UsageError(f"{not_unicode(text)}; rename the file, or hand it over as standard input: - < FILE")
    values = _values("data", Recipe, given)
    if text is not None:
        source = next((s for s, prefix in SOURCE_PREFIXES.items() if text.startswith(prefix)), "file")
        values |= {"source": source, "name": text.removeprefix(SOURCE_PREFIXES[source]), "fingerprint": ""}
    source = values.get("source", base.source)
    if source == "network":
        drawn = {"n_rows": base.n_rows or DEFAULT_ROWS, "seed": base.seed} if text is None else {"n_rows": DEFAULT_ROWS}
        values = drawn | values
    elif "n_rows" in values or "seed" in values:
        raise UsageError("--rows and --data-seed are for rows drawn from network:NAME; these data are drawn already")
    if text is not None:
        values = {"n_rows": 0, "seed": 0} | values
    return to_plain(base) | values


def _part(part: str, base: Any, given: Given) -> Any:
    """Return one part: the named score or search, or that of the file, with the given settings changed."""
    tag = given.get(part) if part in REGISTRIES else None
    if tag is None:
        values = _values(part, type(base), given)
        return to_plain(base) | values if values else base
    return {TAG_KEY: tag} | _values(part, REGISTRIES[part][tag], given)


def repairs_asked_for(given: Given) -> tuple[str, ...] | None:
    """Return the words given with --repair; None if the columns that nothing can be learned from are left out."""
    chosen = any(given.get(key) for key in ("data__repairs", "data__columns", "data__leave_out", "experiment"))
    return tuple(text for text in given.get("data__repairs") or () if "," not in text) if chosen else None


def _values(part: str, owner: type, given: Given) -> dict[str, Any]:
    """Return the given settings of one part."""
    values = {}
    for one in all_options():
        text = given.get(one.key) if one.part == part else None
        if text is None or text == ():
            continue
        if one.key == "data__repairs":
            text = tuple(each for each in text if "," in each)
        if owner not in one.settings:
            takes = [other.flag for other in all_options() if other.part == part and owner in other.settings]
            raise UsageError(f"{part} {tag_of(owner)} has no {one.flag}; it takes {', '.join(takes) or 'no option'}")
        values[one.field] = _value(one, text, owner)
    return values


def _value(one: Option, text: Any, owner: type) -> Any:
    setting = setting_of(owner, one.field)
    if setting.kind == "bool":
        return text
    if one.repeats:
        width = 2 if setting.kind == "edges" else None
        return tuple(group for each in text for group in groups_of(one.flag, each, width))
    try:
        if one.field == "ordering" and text.startswith(_FROM_NETWORK):
            return tuple(load_network(text.removeprefix(_FROM_NETWORK)).ordering)
        return read_value(_content(text) if setting.kind == "names" else text, setting)
    except ValueError as error:
        raise UsageError(f"{one.flag}: {error}") from None


def groups_of(flag: str, text: str, width: int | None = None) -> list[tuple[str, ...]]:
    """Read edges (``width`` 2) or tiers from a line of names or from the lines of a file."""
    try:
        lines = read_names(_content(text))
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None
    if text.startswith("@"):
        lines = lines[1:] if lines and lines[0][:2] == ["parent", "child"] else lines
        lines = [line[:width] for line in lines]
    elif not lines:
        lines = [[]]
    for line in lines:
        if width is not None and len(line) != width:
            raise UsageError(
                f"{flag} takes an edge as parent,child; got '{','.join(line)}' "
                '(put a name that contains a comma in double quotes: "a, b",c)'
            )
    return [tuple(line) for line in lines]


def _content(text: str) -> str:
    """Return the text itself, or the content of the file whose name follows @."""
    return _read(Path(text[1:])).decode("utf-8-sig") if text.startswith("@") else text


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None


def _read_experiment(path: Path) -> Experiment:
    content = _read(path)
    try:
        return opened(content).experiment
    except ValueError as error:
        raise UsageError(f"{path} is not a saved experiment: {error}") from None


# The data of a command: the table, treated as the recipe says, and its digest.

_MOST_REMARKS = 4  # about the reading of a file
_REMEDIES = "see --repair, --leave-out, --discretize and --missing"


def load(experiment: Experiment, terminal: Terminal, asked: Sequence[str] | None) -> tuple[Experiment, Dataset]:
    """Return the experiment with its file's digest and the repairs asked for, and its data set."""
    frame, fingerprint = _frame_of(experiment.data)
    saved = experiment.data.fingerprint
    if saved and saved != fingerprint:
        raise DataError(
            f"{experiment.data.name} is not the file of the saved experiment (its SHA-256 begins with "
            f"{fingerprint[:12]}, not {saved[:12]}); name the file on the line to run the same settings on it"
        )
    recipe = _with_repairs(experiment.data, frame, asked, terminal)
    recipe = _with_experiments(recipe, frame, terminal) if asked is None else recipe
    experiment = dataclasses.replace(experiment, data=recipe)
    try:
        data = experiment.data.prepare(frame)
    except DataError as error:
        raise DataError(f"{error} ({_REMEDIES})") from None
    for remark in _remarks(experiment.data, frame, data):
        terminal.warn(remark)
    return dataclasses.replace(experiment, data=dataclasses.replace(experiment.data, fingerprint=fingerprint)), data


def _with_repairs(recipe: Recipe, frame: pd.DataFrame, asked: Sequence[str] | None, terminal: Terminal) -> Recipe:
    """Return the recipe with the repairs asked for (see ``repairs_asked_for``); what is left out is said."""
    if recipe.source != "file" or asked == ():
        return recipe
    try:
        steps = accepted(frame, asked or "none")
    except ValueError as error:
        raise UsageError(f"--repair: {error}") from None
    out = [step[1] for step in steps if step[0] == "leave_out"]
    made = [step for step in steps if step[0] != "leave_out"]
    if asked is None:
        out = list(recipe.suggested(frame).leave_out)
    if out:
        terminal.warn(f"left out {counted(len(out), 'column')}: {some_of(out, 6)} (--repair none keeps them)")
    if made:
        columns = list(dict.fromkeys(step[1] for step in made))
        terminal.warn(f"{counted(len(made), 'repair')} made in {some_of(columns, 6)}")
    if asked is None:
        still = [one for one in proposals(frame) if one.is_sure and (one.kind != "leave_out" or one.column not in out)]
        for one in still[:_MOST_REMARKS]:
            terminal.warn(f"proposed: {one.sentence} {one.before} → {one.after}")
        if still:
            terminal.warn(f"{counted(len(still), 'repair')} proposed in all; --repair all makes them")
    repairs, left = (*recipe.repairs, *made), dict.fromkeys((*recipe.leave_out, *out))
    return dataclasses.replace(recipe, repairs=repairs, leave_out=tuple(left))


def _with_experiments(recipe: Recipe, frame: pd.DataFrame, terminal: Terminal) -> Recipe:
    """Return the recipe with the column that says what experiments set, if there is one; it is said."""
    column = column_of_targets(recipe.repaired(frame))
    if recipe.interventions or not column or column in (recipe.weights, *recipe.columns, *recipe.leave_out):
        return recipe
    terminal.warn(
        f"'{column}' names what was set in each row: --interventions {column} (--leave-out {column} ignores it)"
    )
    return dataclasses.replace(recipe, interventions=column)


def _remarks(recipe: Recipe, frame: pd.DataFrame, data: Dataset) -> Iterator[str]:
    """Yield what was decided about the table that may not be what was meant."""
    reading = frame.attrs.get("reading")
    yield from reading.remarks[:_MOST_REMARKS] if reading else ()
    selected = rows_where(recipe.repaired(frame), recipe.where)
    selected = selected[recipe.used(selected)]
    decided = {*recipe.treatment(selected)[0], *(one[0] for one in recipe.per_column)}
    loose = [name for name in measured_columns(selected) if name not in decided]
    if loose:
        more = ", …" if len(loose) > 3 else ""
        yield (
            f"each number is a state of its own in {counted(len(loose), 'column')} with more than {MOST_STATE_VALUES} "
            f"different ones ({', '.join(loose[:3])}{more}); --discretize quantile cuts measurements into bins"
        )
    dropped = 0 if recipe.weights else len(selected) - data.n_rows
    if dropped:
        yield (
            f"left out {dropped:,} of {counted(len(selected), 'row')}, with missing cells "
            "(--missing own_state keeps them)"
        )


def _frame_of(recipe: Recipe) -> tuple[pd.DataFrame, str]:
    """Return the raw table, and the digest of a file's bytes."""
    if recipe.source != "file":
        return recipe.load(), ""
    path = Path(recipe.name)
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    if path.is_file() and recipe.name != STANDARD_INPUT:
        frame = recipe.load()
        with path.open("rb") as file:
            return frame, hashlib.file_digest(file, "sha256").hexdigest()
    if recipe.name == STANDARD_INPUT:
        called, content = "standard input", sys.stdin.buffer.read(MAX_BYTES + 1)
    elif path.exists():  # a pipe can be read once only
        with path.open("rb") as pipe:
            called, content = recipe.name, pipe.read(MAX_BYTES + 1)
    else:
        raise DataError(f"there is no file {path}")
    return read_table(io.BytesIO(content), name=called, **recipe.reading), hashlib.sha256(content).hexdigest()


# The workers of a command: threads of this machine, or a Dask cluster named by its scheduler.

_PATIENCE = 20  # seconds until a scheduler that does not answer is taken not to be there


def workers(given: Mapping[str, Any]) -> contextlib.AbstractContextManager[Executor | None]:
    """Return an executor with as many threads as asked for, or of the cluster; None leaves it to the engine."""
    if given["scheduler"] is None:
        return ThreadPoolExecutor(given["workers"]) if given["workers"] else contextlib.nullcontext()
    if given["workers"]:
        raise UsageError("--workers are threads of this machine and --scheduler names a cluster; give one of them")
    return _cluster(given["scheduler"])


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    need("distributed", "cluster")
    import distributed
    from distributed.comm import get_address_host_port

    try:
        get_address_host_port(address)  # a client that has begun to look for an address that is none does not end
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"--scheduler must be the address of a scheduler, such as tcp://localhost:8786; got {shown(address)} "
            f"({error})"
        ) from None
    try:
        made: Any = distributed.Client  # its types are there only where Dask is installed
        client = made(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, TimeoutError) as error:
        raise ClusterError(
            f"no scheduler answers at {address}; start one with 'dask scheduler', which says its address "
            f"({str(error) or type(error).__name__})"
        ) from error
    with client:
        _check_versions(client)
        yield client.get_executor(pure=False)


def _check_versions(client: Any) -> None:
    """Raise a ClusterError if a worker has no bnengine, or another one."""
    own = versions()
    try:
        found = client.run(versions)
    except ModuleNotFoundError as error:
        raise ClusterError(f"a worker has no {error.name}; install the same bnengine on all machines") from error
    for worker, there in found.items():
        for package in ("bnengine", "numpy"):
            if there[package] != own[package]:
                raise ClusterError(
                    f"worker {worker} has {package} {there[package]}, this machine {own[package]}; install the same on "
                    "all machines, or results may differ"
                )


def n_threads(executor: Executor | None) -> int:
    """Return how many replicates are learned at the same time."""
    if is_cluster(executor):
        return max(1, OnWorkers(executor, len).threads())
    return min(getattr(executor, "_max_workers", processors()), processors())


def write_plan(plan: Plan) -> None:
    """Write it to standard output; nothing is run, so nothing goes to ``--out``."""
    write_out("".join(f"{name:<16}{text}\n" for name, text in plan_lines(plan)))


def plan_lines(plan: Plan) -> list[tuple[str, str]]:
    """Describe what the run would take: graphs, processor time, time, memory, and what comes besides."""
    more = "more than " if plan.cut_short else "about "
    threads = "1 thread" if plan.n_workers == 1 else f"{plan.n_workers} threads"
    free = "" if plan.free is None else f", of which it holds a part; {gigabytes(plan.free)} are free besides"
    each = f"{_seconds(plan.seconds_per_graph)} per {plan.unit}"
    lines = [
        (f"{plan.unit}s", f"{plan.n_graphs:,}"),
        ("processor time", f"{more}{_seconds(plan.processor_seconds)}, {each}"),
        ("time", f"{more}{_seconds(plan.seconds)} on {threads}"),
        ("memory", f"about {gigabytes(plan.n_bytes)}{free}"),
    ]
    if plan.posterior_seconds is not None:
        lines.append(("posterior", f"roughly {_seconds(plan.posterior_seconds)} of processor time besides"))
    return [*lines, *([("note", plan.remark)] if plan.remark else [])]


def _seconds(seconds: float) -> str:
    """Write a waiting time with two significant digits."""
    for size, unit in ((3600.0, "h"), (60.0, "min"), (1.0, "s")):
        if seconds >= 2 * size or (unit == "s" and seconds >= 1):
            return f"{seconds / size:,.0f} {unit}" if seconds >= 10 * size else f"{seconds / size:.1f} {unit}"
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.2g} ms"
