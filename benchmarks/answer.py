"""How long the whole answer about a table takes: graph, replicates, *real* and verdict, as on the Network page.

    python -m benchmarks.answer [table …]    measure the tables named, or all; write the section of RESULTS.md
    python -m benchmarks.answer report       write the section from what was measured before

A table is measured in a process of its own, compiled code being there already: clock, processor time, and the most
memory that the process held by then. On a busy machine the processor time tells more; the load stands beside it.
"""

import csv
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import bnengine as bn
from benchmarks.report import write_section
from benchmarks.worlds import growing_network

SCORE, SEARCH = bn.BIC(), bn.IteratedLocalSearch()
FIRST, ALL = 20, 200  # replicates of the first verdict, and of the last
TABLES: dict[str, Callable[[], bn.Dataset]] = {
    "ALARM, 300 rows": lambda: bn.load_network("alarm").sample(300, rng=1),
    "ALARM, 1,000 rows": lambda: bn.load_network("alarm").sample(1_000, rng=1),
    "ALARM, 5,000 rows": lambda: bn.load_network("alarm").sample(5_000, rng=1),
    "INSURANCE, 1,000 rows": lambda: bn.load_network("insurance").sample(1_000, rng=1),
    "HAILFINDER, 1,000 rows": lambda: bn.load_network("hailfinder").sample(1_000, rng=1),
    "WIN95PTS, 1,000 rows": lambda: bn.load_network("win95pts").sample(1_000, rng=1),
    "random, 100 variables, 1,000 rows": lambda: growing_network(100).sample(1_000, rng=1),
    "random, 500 variables, 1,000 rows": lambda: growing_network(500).sample(1_000, rng=1),
}
PARTS = {
    "graph": "graph",
    "first": f"{FIRST} replicates",
    "all": f"{ALL} replicates",
    "real": "*real*",
    "verdict": "verdict",
}
FILE = Path(__file__).with_name("answer.csv")
FIELDS = ("table", "part", "clock", "processor", "megabytes", "load")

Found = TypeVar("Found")


def measure(table: str) -> None:
    """Print a row of the file for each part of one table's answer."""
    warm_up()
    data = TABLES[table]()
    printed = csv.writer(sys.stdout)

    def timed(part: str, work: Callable[[], Found]) -> Found:
        clock, processor = time.perf_counter(), time.process_time()
        found = work()
        took = [f"{time.perf_counter() - clock:.3f}", f"{time.process_time() - processor:.3f}"]
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        printed.writerow([table, part, *took, megabytes, f"{os.getloadavg()[0]:.1f}"])
        sys.stdout.flush()
        return found

    timed("graph", lambda: bn.learn(data, SCORE, SEARCH))
    for part, n in (("first", FIRST), ("all", ALL)):
        study = timed(part, lambda n=n: bn.study(data, SCORE, SEARCH, bn.resampling_methods(n, keys=["predictive"])))
    real = timed("real", lambda: bn.edge_posterior(data))
    timed("verdict", lambda: bn.verdict(study, posterior=real, data=data))


def warm_up() -> None:
    """Compile what the parts need."""
    data = bn.load_network("child").sample(100, rng=1)
    study = bn.study(data, SCORE, SEARCH, bn.resampling_methods(2, keys=["predictive"]))
    bn.verdict(study, posterior=bn.edge_posterior(data, effort=bn.posterior.Effort(n_bags=1), n_steps=2_000), data=data)


def kept() -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows of the file by table and part."""
    if not FILE.exists():
        return {}
    with FILE.open(encoding="utf-8", newline="") as file:
        return {(row["table"], row["part"]): row for row in csv.DictReader(file)}


def keep(lines: list[str]) -> None:
    """Put new rows in the place of those of the same table and part."""
    rows = kept() | {(row["table"], row["part"]): row for row in csv.DictReader(lines, FIELDS)}
    with FILE.open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, FIELDS, lineterminator="\n")
        written.writeheader()
        written.writerows(rows[key] for table in TABLES for part in PARTS if (key := (table, part)) in rows)


def report() -> None:
    """Write the section from the file."""
    rows = kept()
    lines = [
        "By `python -m benchmarks.answer`: seconds by the clock (of processor time) with the defaults of the pages, "
        f"BIC and the default search; replicates include learning the graph. First verdict: {FIRST} replicates, and "
        f"what is found again. Last verdict: {ALL} replicates and *real*, one after the other; on the page they share "
        "the cores. Memory is the most that the process held, the load that of one minute at the end.",
        "",
        f"| Table | {' | '.join(PARTS.values())} | first verdict | last verdict | memory | load |",
        f"| --- |{' ---: |' * (len(PARTS) + 4)}",
    ]
    for table in TABLES:
        of_table = [rows[table, part] for part in PARTS if (table, part) in rows]
        if len(of_table) < len(PARTS):
            continue
        times = [tuple(float(row[field]) for field in ("clock", "processor")) for row in of_table]
        _, first, everything, real, verdict = times
        times += [tuple(map(sum, zip(first, verdict, strict=True)))]
        times += [tuple(map(sum, zip(everything, real, verdict, strict=True)))]
        shown = " | ".join(f"{clock:.2f} ({processor:.2f})" for clock, processor in times)
        lines.append(f"| {table} | {shown} | {of_table[-1]['megabytes']} MB | {of_table[-1]['load']} |")
    write_section("The whole answer", "\n".join(lines))


def main(names: list[str]) -> None:
    """Measure each table in a process of its own, and write the section."""
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise SystemExit(f"{unknown[0]} is none of the tables: {'; '.join(TABLES)}")
    for table in names or TABLES:
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.answer", "one", table], stdout=subprocess.PIPE, text=True, check=True
        )
        print(run.stdout, end="", flush=True)
        keep(run.stdout.splitlines())
    report()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["one", table]:
            measure(table)
        case ["report"]:
            report()
        case names:
            main(names)
