"""Which confidence to believe? Every method, many networks, two questions; resumable.

    python -m benchmarks.which_confidence run --minutes 60      # compute what is missing, for at most an hour
    python -m benchmarks.which_confidence gather                # measures of what there is: which_confidence.parquet
    python -m benchmarks.which_confidence report                # text and figures from that file
    python -m benchmarks.which_confidence run --by-search --tables 8 --replicates 50 --fresh 200 --work FOLDER

*Found again*: how near is a method's probability p of an edge to π, the share of fresh tables from which the edge is
learned? *Real*: how well does p predict whether the true network has it? ``run`` keeps each cell (network, rows, score,
method, table) as a small file under ``--work`` and continues where it was interrupted; first all settings get their
first tables, then their next ones, so that a report can be made at any time. With ``--add`` a run leaves out what the
shipped tables hold already, and ``gather`` adds the new cells to these: an instalment needs no earlier one's cells.
``--held-out`` does the same with networks that no method was chosen by, among them any BIF files given with
``--network``. ``--by-search`` compares a climb with iterated local search instead, by fewer methods; ``run`` and
``gather`` want it with the same numbers. ``--scheduler tcp://head:8786`` computes on the workers of a Dask cluster
instead of processes of this machine; the cells are kept here, and are the same. BIF files have to be at the same path
on all machines, and workers are started anew after an edit of ``confidence_study``.
"""

import argparse
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.confidence_study.cells import CLIMB, Store
from benchmarks.confidence_study.evidence import evidence
from benchmarks.confidence_study.evidence import write as write_evidence
from benchmarks.confidence_study.figures import drawn
from benchmarks.confidence_study.gathered import gathered, joined, joined_bins, measured_cells, refusals
from benchmarks.confidence_study.methods import COMPARED, CORE, METHODS
from benchmarks.confidence_study.reliability import reliability
from benchmarks.confidence_study.report import report
from benchmarks.confidence_study.tables import SCORES, SEARCHES
from benchmarks.confidence_study.work import Plan, Task, be_nice, run
from benchmarks.real_worlds import TITLE
from benchmarks.report import CONFIDENCE
from benchmarks.running import cluster_at

HERE = Path(__file__).parent
RAW = HERE / "which_confidence.parquet"
BY_SEARCH_RAW = HERE / "which_confidence_searches.parquet"
RELIABILITY = HERE / "which_confidence_reliability.parquet"
EVIDENCE = HERE.parent / "pages" / "shared" / "evidence.json"
SAID = HERE.parent / "bnengine" / "answers" / "reliability.json"

#: Networks on which searches are compared: each at most a second a replicate, whichever search, score and size.
BY_SEARCH = ("asia", "sachs", "child", "random24-strong-1", "random24-weak-1", "insurance", "alarm", "water")
#: Networks by which methods are chosen. A random one is named ``random<variables>-<strength>-<seed>``.
CHOSEN_BY = (
    "survey",
    "asia",
    "sachs",
    "child",
    "random24-strong-1",
    "random24-weak-1",
    "insurance",
    "alarm",
    "water",
    "hailfinder",
)
#: Random networks that no method was chosen by; the held-out run adds the files it is given.
HELD_OUT = ("random12-strong-7", "random16-weak-7", "random20-strong-8", "random30-strong-9", "random30-weak-9")


def arguments() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "gather", "report"))
    parser.add_argument("--work", type=Path, default=HERE / ".which_confidence", help="folder of the cells")
    parser.add_argument("--held-out", action="store_true", help="the held-out networks instead")
    parser.add_argument("--network", action="append", default=[], help="BIF file of a further held-out network")
    parser.add_argument("--add", action="store_true", help="add to the shipped tables")
    parser.add_argument("--by-search", action="store_true", help="climb and iterated local search compared instead")
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), help="without it all that are compared")
    parser.add_argument("--scores", nargs="+", choices=tuple(SCORES), help="without it all, of --by-search two")
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--fresh", type=int, default=500, help="fresh tables that π is estimated from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scheduler", help="a Dask cluster, such as tcp://head:8786, in place of --workers")
    parser.add_argument("--nice", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many, keeping what is done")
    return parser.parse_args()


def plan_of(asked: argparse.Namespace, part: str) -> Plan:
    """Return the complete study that the arguments describe."""
    by_search = part == "by search"
    return Plan(
        {"chosen by": CHOSEN_BY, "held out": (*HELD_OUT, *asked.network), "by search": BY_SEARCH}[part],
        tuple(asked.rows),
        tuple(asked.scores or (("BIC", "BDeu(1)") if by_search else SCORES)),
        tuple(SEARCHES) if by_search else (CLIMB,),
        tuple(asked.methods or (CORE if by_search else COMPARED)),
        tables=asked.tables,
        replicates=asked.replicates,
        fresh=asked.fresh,
        seed=asked.seed,
        measured=measured_cells(_shipped(asked, RAW)) if asked.add else frozenset(),
    )


def _shipped(asked: argparse.Namespace, file: Path) -> pd.DataFrame:
    """Return a shipped raw table, if it was computed with the numbers that are asked for."""
    frame = pd.read_parquet(file)
    for key in ("replicates", "fresh", "seed"):
        if file == RAW and frame.attrs[key] != getattr(asked, key):
            raise SystemExit(
                f"{file.name} was computed with --{key} {frame.attrs[key]}: add to it with the same number"
            )
    return frame


def compute(asked: argparse.Namespace) -> None:
    """Compute until done, out of time, or interrupted (Ctrl-C or a plain kill)."""
    start = time.time()
    stop = {"at": start + 60 * asked.minutes}

    def tell(written: int, task: Task) -> None:
        where = f"{task.setting.source} {task.setting.rows} {task.setting.score} table {task.table}"
        print(f"{time.time() - start:7.0f} s  {written:6d} cells  {where}", flush=True)

    signal.signal(signal.SIGTERM, lambda *_: stop.update(at=0.0))
    signal.signal(signal.SIGINT, lambda *_: stop.update(at=0.0))
    part = "by search" if asked.by_search else "held out" if asked.held_out else "chosen by"
    with workers_of(asked) as (workers, number):
        run(plan_of(asked, part), Store(asked.work), workers, number, lambda: time.time() >= stop["at"], tell)


@contextmanager
def workers_of(asked: argparse.Namespace) -> Iterator[tuple[Executor, int | Callable[[], int]]]:
    """Yield the processes of this machine, or a cluster's workers, and how many tasks they do at a time."""
    if asked.scheduler:
        with cluster_at(asked.scheduler) as found:
            yield found
        return
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(asked.workers, spawning, initializer=be_nice, initargs=(asked.nice,)) as processes:
        yield processes, asked.workers


def gather(asked: argparse.Namespace) -> None:
    """Measure all cells, of both parts or of the searches compared, and keep the raw tables."""
    if asked.by_search:
        keep(asked, BY_SEARCH_RAW, [gathered(plan_of(asked, "by search"), Store(asked.work))[0]], {})
        return
    names = ("chosen by", "held out")
    both = [gathered(plan_of(asked, name), Store(asked.work)) for name in names]
    refused = {name: refusals(plan_of(asked, name), Store(asked.work)) for name in names}
    if asked.add:
        earlier = _shipped(asked, RAW).attrs["refused"]
        refused = {name: _merged(earlier.get(name, {}), refused[name]) for name in names}
    for number, (file, join) in enumerate(((RAW, joined), (RELIABILITY, joined_bins))):
        parts = [found[number].assign(held_out=held_out) for found, held_out in zip(both, (False, True), strict=True)]
        parts = [part for part in parts if len(part)]
        if asked.add:
            parts = [join(_shipped(asked, file), pd.concat(parts))]
        keep(asked, file, parts, {"refused": refused})


def _merged(earlier: dict[str, list[str]], found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the refusals of two instalments, each once."""
    keys = dict.fromkeys([*earlier, *found])
    return {key: list(dict.fromkeys([*earlier.get(key, []), *found.get(key, [])])) for key in keys}


def keep(asked: argparse.Namespace, file: Path, parts: list[pd.DataFrame], about: dict[str, Any]) -> None:
    """Write a raw table, with what was asked."""
    frame = pd.concat(parts, ignore_index=True)
    frame.attrs = {key: getattr(asked, key) for key in ("replicates", "fresh", "seed")} | about
    frame.to_parquet(file, compression="zstd")
    print(f"{file.name}: {len(frame):,} rows, {file.stat().st_size / 1e6:.2f} MB")


def write_results() -> None:
    """Write the text, the figures and what the pages read."""
    frame, bins = pd.read_parquet(RAW), pd.read_parquet(RELIABILITY)
    by_search = pd.read_parquet(BY_SEARCH_RAW) if BY_SEARCH_RAW.exists() else None
    figures = drawn(frame, bins, HERE / "figures")
    text, title = report(frame, bins, figures, by_search), f"## {TITLE}"
    last = CONFIDENCE.read_text(encoding="utf-8").partition(title)[2]  # of another study
    CONFIDENCE.write_text(f"{text}\n{title}{last}", encoding="utf-8")
    write_evidence(EVIDENCE, evidence(frame))
    write_evidence(SAID, reliability(bins))


def main() -> None:
    """Run, gather or report."""
    asked = arguments()
    if asked.what == "run":
        compute(asked)
    elif asked.what == "gather":
        gather(asked)
    else:
        write_results()


if __name__ == "__main__":
    main()
