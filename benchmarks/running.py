"""How studies run: what one declares, cell after cell with what was done kept, and which code made each result.

A study is a page of declarations: its cells (network, rows, table, …), what is measured in one of them, and the report
of all lines. Each finished cell is kept in ``benchmarks/.work/`` under the digest of the code that it ran, the engine's
and the study's own with what it imports here, so a run goes on where it was interrupted and never mixes two versions.
``made_by.json`` notes of each shipped result the command, the digest of the rooms that decide its numbers (empty of
results made before this was noted), and the digest of the file; or the result that it was made from. That digest is of
the engine alone: results have noted no other, and a page of declarations changes with each text of its report.
"""

import ast
import hashlib
import importlib
import itertools
import json
import math
import multiprocessing
import os
import signal
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.report import Report

HERE = Path(__file__).parent
ROOT = HERE.parent
WORK = HERE / ".work"
MADE_BY = HERE / "made_by.json"
#: The rooms of ``bnengine`` that decide the numbers of most studies.
ROOMS = ("scores", "search", "posterior", "bootstrap")
#: Of those without posteriors, and of those with nothing else.
BOOTSTRAP, POSTERIOR = ("scores", "search", "bootstrap"), ("scores", "posterior")
#: What other programs found is asked of the interpreter that this names (``peers.py``).
PEERS = "BNENGINE_PEERS"
#: Parts of the benchmarks that measure nothing.
REPORTS = ("benchmarks.report", "benchmarks.running", "benchmarks.confidence_study.report")
Cell = dict[str, Any]
Lines = pd.DataFrame | list[dict[str, Any]] | dict[str, Any]


def grid(**values: Any) -> tuple[Cell, ...]:
    """Return all combinations of the values, or of what is given alone, the last varying fastest."""
    each = [[of] if isinstance(of, str | float | int) else of for of in values.values()]
    return tuple(dict(zip(values, one, strict=True)) for one in itertools.product(*each))


@dataclass(frozen=True)
class Study:
    """What a study declares."""

    name: str  # that of its module in ``benchmarks``
    cells: Sequence[Cell]  # settings, handed to ``measure`` by name; they begin each of its lines
    measure: Callable[..., Lines]  # returns the lines of a cell
    small: Sequence[Cell]  # of a run of seconds, which passes through all of the study's code
    #: Of all lines. It computes nothing else, so that it is the same whenever it is asked for.
    report: Callable[[pd.DataFrame], Report]
    rooms: tuple[str, ...] = ROOMS  # of ``bnengine``, whose code decides the numbers
    file: str = ""  # of the lines, CSV or Parquet, where it is not NAME.csv
    clock: tuple[str, ...] = ()  # columns that no second run repeats; a study that has any runs alone, in one process
    beside: bool = False  # whether cells are measured beside each other all the same, since their times are only rough
    own_process: bool = False  # whether each cell runs in one, so that its peak memory is its own
    #: By key, values in cells that need files which are not here; ``confirm`` leaves these cells out.
    elsewhere: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    attrs: dict[str, Any] = field(default_factory=dict)  # what the file says of the whole run
    #: Names of other programs, by the column in which lines have them. There are such lines where ``PEERS`` is set.
    peers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: What is kept of all lines, by file, where that is not one file of all columns.
    parts: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """All that a run writes, the lines first."""
        return tuple(self.parts) or (self.file or f"{self.name}.csv",)

    @property
    def path(self) -> Path:
        """The shipped lines."""
        return HERE / self.files[0]

    @property
    def command(self) -> str:
        """What makes them anew."""
        return f"python -m benchmarks {self.name} run"

    def shipped(self) -> pd.DataFrame:
        """Read the shipped lines."""
        return pd.read_csv(self.path) if self.path.suffix == ".csv" else pd.read_parquet(self.path)

    def of_peers(self, lines: pd.DataFrame) -> pd.Series:
        """Return which lines other programs gave."""
        return lines.isin(self.peers).any(axis=1)

    @property
    def store(self) -> str:
        """The name of the folder that keeps finished cells."""
        beside = "-with-peers" if self.peers and os.environ.get(PEERS) else ""
        return f"{self.name}-{digest(self.rooms)}-{digest_of_study(self.name)}{beside}"


class RefusedError(Exception):
    """What cannot be done, in a sentence for who asked for it."""


# One cell, and the folder that keeps what is done


def measured(module: str, cell: Cell, shared: Path | None = None) -> pd.DataFrame:
    """Return the lines of a cell; needs nothing but its arguments, so that it can run on any machine."""
    before = _SHARED.set(shared)
    try:
        found = importlib.import_module(f"benchmarks.{module}").STUDY.measure(**cell)
    finally:
        _SHARED.reset(before)
    lines = pd.DataFrame([found] if isinstance(found, dict) else found)
    for place, (key, value) in enumerate(cell.items()):
        lines.insert(place, key, value)
    return lines


def place_of(folder: Path, what: dict[str, Any]) -> Path:
    """Return the file that keeps a cell, or what several cells share, of one study under one version of the code."""
    name = hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()[:20]
    return folder / f"{name}.pickle"


def keep(found: Any, place: Path) -> None:
    """Write beside the place, then move there: a file is whole or absent."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_suffix(f".{os.getpid()}.part")
    pd.to_pickle(found, part)
    part.replace(place)


#: The folder of what the cells of the study that is being run share.
_SHARED: ContextVar[Path | None] = ContextVar("shared", default=None)


def once(what: str, make: Callable[..., Any], **settings: Any) -> Any:
    """Return what several cells share, such as π of a setting: made by the first of them, read by the others."""
    folder = _SHARED.get()
    if folder is None:
        return make(**settings)
    place = place_of(folder, {"what": what, **settings})
    if not place.exists():
        keep(make(**settings), place)
    return pd.read_pickle(place)


# Running


def run(
    study: Study,
    small: bool = False,
    minutes: float = math.inf,
    workers: int = 1,
    scheduler: str | None = None,
    folder: Path = WORK,
    tell: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Measure the cells that are missing until the time is over; return the lines of all that there are.

    Ctrl-C ends the program; what was finished by then is kept, too.
    """
    cells = study.small if small else study.cells
    places, shared = [place_of(folder / study.store, cell) for cell in cells], folder / f"{study.store}-shared"
    missing = [one for one in zip(cells, places, strict=True) if not one[1].exists()]
    end = time.monotonic() + 60 * minutes
    where = (1, None) if study.clock and not study.beside else (workers, scheduler)
    with workers_of(*where, study.own_process and not small) as (submit, at_a_time):
        todo, running, done = iter(missing), {}, 0
        while True:
            while len(running) < at_a_time() and time.monotonic() < end and (one := next(todo, None)) is not None:
                running[submit(measured, study.name, one[0], shared)] = one
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                cell, place = running.pop(future)
                keep(future.result(), place)
                done += 1
                tell(f"{study.name}: {done} of {len(missing)}: {', '.join(map(str, cell.values()))}")
    found = [pd.read_pickle(place) for place in places if place.exists()]
    frame = pd.concat(found, ignore_index=True) if found else pd.DataFrame()
    frame.attrs = study.attrs | {"cells": len(found), "of": len(cells)}
    return frame


@contextmanager
def workers_of(
    n: int, scheduler: str | None, own_process: bool
) -> Iterator[tuple[Callable[..., Any], Callable[[], int]]]:
    """Yield how a task is handed out, and how many are worked on at a time: here, by processes, or on a cluster."""
    if scheduler:
        with cluster_at(scheduler) as client:
            # workers may come and go
            yield client.get_executor(pure=False).submit, lambda: max(1, sum(client.nthreads().values()))
    elif n == 1 and not own_process:
        yield _at_once, lambda: 1
    else:
        how: dict[str, Any] = {"mp_context": multiprocessing.get_context("spawn"), "initializer": _be_nice}
        with ProcessPoolExecutor(n, **how, max_tasks_per_child=1 if own_process else None) as processes:
            yield processes.submit, lambda: n


@contextmanager
def cluster_at(address: str) -> Iterator[Any]:
    """Yield a client of a Dask cluster whose workers have this package, which is no part of the engine."""
    import distributed

    with distributed.Client(address, set_as_default=False) as client, tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "benchmarks.zip"
        with zipfile.ZipFile(package, "w") as parts:
            for module in sorted(HERE.rglob("*.py")):
                parts.write(module, str(module.relative_to(ROOT)))
        client.upload_file(str(package))
        yield client


def _at_once(work: Callable[..., Any], *given: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(work(*given))
    return future


def _be_nice() -> None:
    """Let other programs go first, and leave Ctrl-C to the process that hands out the work."""
    os.nice(10)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def save(study: Study, frame: pd.DataFrame) -> None:
    """Write the lines of a run, and note which code made them."""
    keep_peers(study, frame)
    for file in study.files:
        part = study.parts[file](frame) if study.parts else frame
        part.attrs = frame.attrs
        if file.endswith(".csv"):
            part.to_csv(HERE / file, index=False, float_format="%.6g")
        else:
            part.to_parquet(HERE / file, compression="zstd")
    note(study, f"{frame.attrs['cells']} of {frame.attrs['of']} cells")


def keep_peers(study: Study, frame: pd.DataFrame | None = None) -> None:
    """Refuse to replace shipped lines of other programs by none; without a frame, before anything is measured."""
    if not (study.peers and study.path.exists()) or (frame is None and os.environ.get(PEERS)):
        return
    shipped = study.shipped()
    answered = [lines[study.of_peers(lines)] for lines in (shipped, shipped[:0] if frame is None else frame)]
    there, now = (any(lines["refused"].isna()) if "refused" in lines else len(lines) > 0 for lines in answered)
    if there and not now:
        raise RefusedError(
            f"{study.path.name} has lines of other programs, and this run would have none: set {PEERS} to the "
            "interpreter of an environment that has them (see benchmarks/peers.py)"
        )


def compared(study: Study, shipped: pd.DataFrame) -> list[str]:
    """Return the measured columns that a second run repeats."""
    return [name for name in shipped if name not in (*study.cells[0], *study.clock)]


def confirm(study: Study, n: int, tell: Callable[[str], None] = print) -> bool:
    """Measure some of the shipped cells anew; if each line is what it was, note that today's code makes them, too.

    Which cells depends on the code, so that in time all have their turn. Lines of other programs are left out.
    """
    shipped = study.shipped()
    shipped = shipped[~study.of_peers(shipped)]
    keys, columns = list(study.cells[0]), compared(study, shipped)
    if not columns or shipped[columns].select_dtypes(["number", "bool"]).empty:
        raise RefusedError(f"{study.name}: its lines have nothing but times, which no second run repeats; run it anew")
    have = set(shipped[keys].itertuples(index=False, name=None))
    here = [cell for cell in study.cells if all(cell[key] not in of for key, of in study.elsewhere.items())]
    there = [cell for cell in here if tuple(cell.values()) in have]
    if not there:
        raise RefusedError(f"{study.name}: none of its cells that can be measured here is among the shipped lines")
    chosen = turns(there, n, digest(study.rooms))
    for cell in chosen:
        then = shipped[(shipped[keys] == pd.Series(cell)).all(axis=1)].reset_index(drop=True)[columns]
        now = measured(study.name, cell, WORK / f"{study.store}-shared")
        now = now[~study.of_peers(now)].reset_index(drop=True).reindex(columns=columns)
        try:
            pd.testing.assert_frame_equal(then, now, check_dtype=False, check_categorical=False, rtol=1e-4, atol=1e-4)
        except AssertionError as difference:
            tell(f"{study.name}, {cell}: not as shipped\n{difference}")
            return False
        tell(f"{study.name}, {cell}: as shipped")
    without = " without peers" if study.peers else ""
    note(study, f"{len(chosen)} of {len(there)} cells measured again{without}, each as before")
    return True


def turns(cells: Sequence[Cell], n: int, code: str) -> list[Cell]:
    """Return n of the cells, drawn by the digest of the code."""
    places = np.random.default_rng(int(code, 16)).permutation(len(cells))[:n]
    return [cells[place] for place in sorted(places)]


# Which code made a result


def note(study: Study, how: str) -> None:
    """Note today's code as the maker of a study's files."""
    entry = {"command": study.command, "rooms": list(study.rooms), "code": digest(study.rooms), "how": how}
    noted = {file: entry | {"content": content(HERE / file)} for file in study.files}
    known = dict(sorted((made_by() | noted).items()))
    MADE_BY.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def made_by() -> dict[str, dict[str, Any]]:
    """Return what is noted of each shipped result, by its file."""
    found: dict[str, dict[str, Any]] = json.loads(MADE_BY.read_text(encoding="utf-8"))
    return found


def older() -> list[str]:
    """Return the results that other code made than there is today, those made from older ones among them."""
    known = made_by()
    sources = {name: known[entry.get("from", name)] for name, entry in known.items()}
    return [name for name, entry in sources.items() if entry["code"] != digest(tuple(entry["rooms"]))]


def content(path: Path) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@cache
def digest(rooms: tuple[str, ...]) -> str:
    """Return the digest of the code in some rooms of the engine, without comments, docstrings and blank lines."""
    return hashlib.sha256("".join(f"{room} {_of_room(room)}\n" for room in rooms).encode()).hexdigest()[:16]


@cache
def digest_of_study(name: str) -> str:
    """Return the digest of a study's module and of what it imports of the benchmarks, such as worlds and scorer."""
    todo, found = [f"benchmarks.{name}"], dict[str, str]()
    while todo:
        module = todo.pop()
        path = ROOT / f"{module.replace('.', '/')}.py"
        own = module.startswith(("benchmarks.", "sample_data.")) and module not in REPORTS
        if module in found or not own or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        found[module] = code_of(text)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                todo += [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


@cache
def _of_room(room: str) -> str:
    whole = hashlib.sha256()
    for path in sorted((ROOT / "bnengine" / room).rglob("*.py")):
        whole.update(f"{path.relative_to(ROOT).as_posix()}\n{code_of(path.read_text(encoding='utf-8'))}".encode())
    return whole.hexdigest()


def code_of(text: str) -> str:
    """Return a module's lines of code: what a comment or a docstring says changes no result."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if documented and node.body and isinstance(node.body[0], ast.Expr):
            first = node.body[0]
            if isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                lines[first.lineno - 1 : first.end_lineno] = [""] * (first.end_lineno - first.lineno + 1)
    kept = (line.rstrip() for line in lines)
    return "\n".join(line for line in kept if line and not line.lstrip().startswith("#"))
