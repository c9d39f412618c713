"""How long the whole answer about a table takes: graph, replicates, *real* and verdict, as on the Network page.

A table is measured in a process of its own, compiled code being there already: clock, processor time, and the most
memory that the process held by then. On a busy machine the processor time tells more; the load stands beside it.
"""

import os
import resource
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pandas as pd

import bnengine as bn
from benchmarks.references import FOLDER, network_of
from benchmarks.report import Report, markdown
from benchmarks.running import ROOMS, Study, grid
from benchmarks.worlds import growing_network

SCORE, SEARCH = bn.BIC(), bn.IteratedLocalSearch()
FIRST, ALL = 20, 200  # replicates of the first verdict, and of the last
NETWORKS = ("insurance", "hailfinder", "win95pts", "andes", "pigs")
#: By name: a network, or a number of variables of a random one, and rows.
TABLES: dict[str, tuple[str | int, int]] = {
    **{f"ALARM, {n:,} rows": ("alarm", n) for n in (300, 1_000, 5_000)},
    **{f"{name.upper()}, 1,000 rows": (name, 1_000) for name in NETWORKS},
    **{f"random, {v} variables, 1,000 rows": (v, 1_000) for v in (100, 500)},
}
Found = TypeVar("Found")


def measure(table: str) -> list[dict[str, Any]]:
    """Return a line for each part of one table's answer."""
    warm_up()
    source, rows = TABLES.get(table, ("asia", 100))
    data = (growing_network(source) if isinstance(source, int) else network_of(source)).sample(rows, rng=1)
    lines: list[dict[str, Any]] = []

    def timed(part: str, work: Callable[[], Found]) -> Found:
        clock, processor = time.perf_counter(), time.process_time()
        found = work()
        times = {"clock": time.perf_counter() - clock, "processor": time.process_time() - processor}
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        lines.append({"part": part, **times, "megabytes": megabytes, "load": round(os.getloadavg()[0], 1)})
        return found

    timed("graph", lambda: bn.learn(data, SCORE, SEARCH))
    for part, n in (("first", FIRST), ("all", ALL)):
        study = timed(part, lambda n=n: bn.study(data, SCORE, SEARCH, bn.resampling_methods(n, keys=["predictive"])))
    real = timed("real", lambda: bn.edge_posterior(data))
    timed("verdict", lambda: bn.verdict(study, posterior=real, data=data))
    return lines


def warm_up() -> None:
    """Compile what the parts need."""
    data = bn.load_network("child").sample(100, rng=1)
    study = bn.study(data, SCORE, SEARCH, bn.resampling_methods(2, keys=["predictive"]))
    bn.verdict(study, posterior=bn.edge_posterior(data, effort=bn.posterior.Effort(n_bags=1), n_steps=2_000), data=data)


def report(frame: pd.DataFrame) -> Report:
    """Return the table of parts, and of both verdicts."""
    text = (
        "By `python -m benchmarks answer run`: seconds by the clock (of processor time) with the defaults of the "
        f"pages, BIC and the default search; replicates include learning the graph. First verdict: {FIRST} replicates, "
        f"and what is found again. Last verdict: {ALL} replicates and *real*, one after the other; on the page they "
        "share the cores. Memory is the most that the process held, the load that of one minute at the end."
    )
    rows = []
    for table, own in frame.groupby("table", sort=False):
        times = own.set_index("part")[["clock", "processor"]]
        for verdict, parts in {
            "first verdict": ["first", "verdict"],
            "last verdict": ["all", "real", "verdict"],
        }.items():
            times.loc[verdict] = times.loc[parts].sum()
        shown = [f"{clock:.2f} ({processor:.2f})" for clock, processor in times.itertuples(index=False)]
        rows.append([table, *shown, f"{own['megabytes'].iloc[-1]} MB", own["load"].iloc[-1]])
    parts = ["graph", f"{FIRST} replicates", f"{ALL} replicates", "*real*", "verdict", "first verdict", "last verdict"]
    return Report({"The whole answer": f"{text}\n\n{markdown(['Table', *parts, 'memory', 'load'], rows)}"})


STUDY = Study(
    "answer",
    grid(table=TABLES),
    measure,
    grid(table=("ASIA, 100 rows",)),
    report,
    (*ROOMS, "answers"),
    clock=("clock", "processor", "megabytes", "load"),
    own_process=True,
    elsewhere={"table": ("PIGS, 1,000 rows",) if FOLDER not in os.environ else ()},
)
