"""How processor time and memory of bootstrap replicates grow, beside pyAgrum's greedy search on the same rows.

By rows (ALARM), variables and states (random networks), and replicates. Each measurement runs in a process of its own,
forked when everything is loaded and compiled: its processor time counts no other program's work, and its peak memory is
counted from what it held at its start. pyAgrum's reading of files is not counted, its memory for the rows is.
"""

import platform
import resource
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.peers import pyagrum_learner
from benchmarks.report import Report, markdown
from benchmarks.running import BOOTSTRAP, Study, grid
from benchmarks.timing import replicates, resampled_files, seconds_of
from benchmarks.worlds import growing_network
from bnengine.networks.formats import import_pyagrum

ENOUGH = 0.3  # seconds of processor time that a measurement of ours takes at least
SCORE, SEARCH = bn.BIC(), bn.HillClimbing()
REPLICATES = "replicates (ALARM, 1,000 rows)"
#: What is varied: its values, and the largest for pyAgrum.
AXES = {
    "rows (ALARM)": ((300, 1_000, 3_000, 10_000, 30_000, 100_000), 100_000),
    "variables (3 states, 1,000 rows)": ((10, 20, 40, 80, 160, 320, 640), 160),
    "states (20 variables, 5,000 rows)": ((2, 3, 4, 6, 9, 14), 14),
    REPLICATES: ((25, 50, 100, 400, 1_600, 6_400), 100),
}


def sample(axis: str, value: int) -> bn.Dataset:
    """Return the table of a value."""
    if axis.startswith("variables"):
        return growing_network(value).sample(1_000, rng=1)
    if axis.startswith("states"):
        return growing_network(20, value, 1).sample(5_000, rng=1)
    return bn.load_network("alarm").sample(value if axis.startswith("rows") else 1_000, rng=1)


def ours(data: bn.Dataset, n: int | None) -> float:
    """Return the processor seconds of ``n`` replicates, or of one, by as many as take long enough."""
    if n is not None:
        replicates(data, SCORE, SEARCH, 100)()  # a fork copies each page of memory when it first writes there
        return seconds_of(replicates(data, SCORE, SEARCH, n))
    n, seconds = 1, 0.0
    while seconds < ENOUGH:
        n = 2 * n if not seconds else int(n * min(10, max(2, 1.2 * ENOUGH / seconds)))
        seconds = seconds_of(replicates(data, SCORE, SEARCH, n))
    return seconds / n


def theirs(data: bn.Dataset, n: int | None) -> float:
    """Return the same of pyAgrum; of several replicates, one learner after the other."""
    states = dict(zip(data.names, data.states, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        files = resampled_files(data, n or 1, folder)
        return sum(seconds_of(pyagrum_learner(file, states).learnDAG) for file in files)


PROGRAMS = {"bnengine": ours, "pyAgrum": theirs}


def in_a_fork(work: Callable[[], float]) -> tuple[float, float]:
    """Return the seconds that the work says it took, and the megabytes that its process needed for it."""
    context = get_context("fork")
    found = context.SimpleQueue()

    def run() -> None:
        start, seconds = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, work()
        found.put((seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024))

    process = context.Process(target=run)
    process.start()
    process.join()
    return tuple(found.get())


def measure(axis: str, value: int, program: str, rounds: int) -> dict[str, Any]:
    """Return milliseconds, the median of the rounds and their range, and the median of megabytes."""
    data, few = sample(axis, value), bn.load_network("cancer").sample(50, rng=1)
    data.multiplicities.sum()
    replicates(few, SCORE, SEARCH, 1)(), import_pyagrum()  # compiled and imported before the fork
    work = partial(PROGRAMS[program], data, value if axis == REPLICATES else None)
    seconds, megabytes = zip(*[in_a_fork(work) for _ in range(rounds)], strict=True)
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    machine = (models or ["?"])[0].partition(":")[2].strip()
    by = f"{machine}, Python {platform.python_version()}; pyAgrum {version('pyagrum')}"
    ms = 1000 * np.array(seconds)
    times = {"ms": np.median(ms), "least": ms.min(), "most": ms.max()}
    return times | {"megabytes": float(np.median(megabytes)), "by": by}


def slope(line: pd.DataFrame) -> float:
    """Fit the slope of times over the upper half of the values, in double logarithms."""
    upper = line.iloc[len(line) // 2 - (len(line) < 4) :]
    return float(np.polyfit(np.log(upper["value"]), np.log(upper["ms"]), 1)[0])


def table(axis: str, own: pd.DataFrame) -> str:
    """Return one axis as a table with the slopes below it."""
    by_program = {name: of.set_index("value") for name, of in own.groupby("program")}
    rows = []
    for value, ours in by_program["bnengine"].iterrows():
        found = [of.loc[value] for of in by_program.values() if value in of.index]
        cells = [f"{value:,}"]
        for one in found:
            low, middle, high = (f"{one[name]:,.{2 if one['ms'] < 10 else 0}f}" for name in ("least", "ms", "most"))
            cells += [f"{middle} ({low} to {high})", f"{one['megabytes']:.0f}"]
        rows.append([*cells, f"{found[1]['ms'] / ours['ms']:.0f}"] if len(found) > 1 else [*cells, "", "", ""])
    slopes = (f"{name} {slope(of.reset_index()):.2f}" for name, of in by_program.items())
    heads = [axis, "bnengine, ms", "MB", "pyAgrum, ms", "MB", "ratio of times"]
    return f"{markdown(heads, rows)}\n\nSlope of time over the upper half, log–log: {', '.join(slopes)}."


def report(frame: pd.DataFrame) -> Report:
    """Return the section, and its figure."""
    text = (
        f"`python -m benchmarks growth run`. Hill climbing, BIC, bootstrap replicates on one core of "
        f"{frame['by'].iloc[0]} by its greedy hill climbing with BIC on one thread, on the same resampled rows. One "
        f"replicate, but in the last table that many of them. Processor time, the median of {frame['rounds'].max()} "
        "rounds and their range: quote ratios and slopes. Memory is what the process needed beyond what it held at its "
        "start: pyAgrum's copy of the rows included, bnengine's table not. With more states BIC's penalty leaves fewer "
        "edges, and fewer steps."
    )
    tables = [table(str(axis), own) for axis, own in frame.groupby("axis", sort=False)]
    return Report({"Growth": "\n\n".join([text, *tables])})


CELLS = tuple(
    {"axis": title, "value": value, "program": program, "rounds": 3}
    for title, (values, most_of_peer) in AXES.items()
    for value in values
    for program in PROGRAMS
    if program == "bnengine" or value <= most_of_peer
)
SMALL = grid(axis=("rows (ALARM)",), value=(100, 200), program=PROGRAMS, rounds=1)
STUDY = Study("growth", CELLS, measure, SMALL, report, BOOTSTRAP, clock=("ms", "least", "most", "megabytes", "by"))
