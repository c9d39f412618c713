"""How processor time and memory of a bootstrap replicate grow, beside pyAgrum's greedy search on the same rows.

    python -m benchmarks.growth          # a few minutes; writes the section Growth of RESULTS.md and its figure

By rows (ALARM), variables and states (random networks), and replicates. Each measurement runs in a process of its own,
forked when everything is loaded and compiled: its processor time counts no other program's work, and its peak memory is
counted from what it held at its start. pyAgrum's reading of files is not counted, its memory for the rows is.
"""

import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pyagrum
from matplotlib.ticker import NullLocator

import bnengine as bn
from benchmarks.report import write_section
from benchmarks.timing import peer_learner, resampled_frames, template
from benchmarks.worlds import growing_network
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble

FIGURE = Path(__file__).parent / "figures" / "growth.png"
ROUNDS = 3
ENOUGH = 0.3  # seconds of processor time that a measurement of ours takes at least
OURS, PEER = "bnengine", "pyAgrum"
COLOURS = {OURS: "#0072B2", PEER: "#000000"}


class Cost(NamedTuple):
    """Processor seconds, median of some rounds and their range, and megabytes."""

    seconds: float
    least: float
    most: float
    megabytes: float


class Axis(NamedTuple):
    """What is varied: the values, the tables, and whether the cost is that of one replicate or of all."""

    title: str
    values: Sequence[int]
    table: Callable[[int], bn.Dataset]
    most_of_peer: int
    of_all: bool = False


class Line(NamedTuple):
    """Measured costs of one program along an axis."""

    values: list[int]
    costs: list[Cost]

    def slope(self, what: str) -> float:
        """Fit the slope of the upper half of the values, in double logarithms."""
        start = len(self.values) // 2 - (len(self.values) < 4)
        ys = [getattr(cost, what) for cost in self.costs[start:]]
        return float(np.polyfit(np.log(self.values[start:]), np.log(np.maximum(ys, 1e-9)), 1)[0])


def axes() -> list[Axis]:
    """Return the four."""
    alarm = bn.load_network("alarm")
    return [
        Axis(
            "rows (ALARM)",
            (300, 1_000, 3_000, 10_000, 30_000, 100_000),
            lambda n: alarm.sample(n, rng=1),
            most_of_peer=100_000,
        ),
        Axis(
            "variables (3 states, 1,000 rows)",
            (10, 20, 40, 80, 160, 320, 640),
            lambda v: growing_network(v).sample(1_000, rng=1),
            most_of_peer=160,
        ),
        Axis(
            "states (20 variables, 5,000 rows)",
            (2, 3, 4, 6, 9, 14),
            lambda r: growing_network(20, r, 1).sample(5_000, rng=1),
            most_of_peer=14,
        ),
        Axis(
            "replicates (ALARM, 1,000 rows)",
            (25, 50, 100, 400, 1_600, 6_400),
            lambda n: alarm.sample(1_000, rng=1),
            most_of_peer=100,
            of_all=True,
        ),
    ]


def cost_of(work: Callable[[], float]) -> Cost:
    """Return the median of some rounds."""
    rounds = [in_a_process(work) for _ in range(ROUNDS)]
    seconds = sorted(seconds for seconds, _ in rounds)
    return Cost(statistics.median(seconds), seconds[0], seconds[-1], statistics.median(size for _, size in rounds))


def in_a_process(work: Callable[[], float]) -> tuple[float, float]:
    """Return the seconds that the work says it took, and the memory that the process needed for it."""

    def run(end: Connection) -> None:
        start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = work()
        end.send((seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024))
        os._exit(0)

    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=run, args=(there,))
    process.start()
    there.close()
    seconds, megabytes = here.recv()
    process.join()
    return seconds, megabytes


def ours(data: bn.Dataset, n: int | None) -> float:
    """Return the processor time of a replicate, or of ``n``."""
    one = ThreadPoolExecutor(1)
    reference = bn.learn(data, bn.BIC(), bn.HillClimbing())

    def run(n: int) -> float:
        start = time.process_time()
        task = ResampleTask(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(n))
        learn_ensemble(task, reference, executor=one).edge_counts.sum()
        return time.process_time() - start

    if n is not None:
        return run(n)
    n, seconds = 2, run(2)
    while seconds < ENOUGH:
        n = int(n * min(10, max(2, 1.2 * ENOUGH / seconds)))
        seconds = run(n)
    return seconds / n


def peer(data: bn.Dataset, n: int | None) -> float:
    """Return the same of pyAgrum; of several replicates, one learner after the other."""
    seconds = 0.0
    with tempfile.TemporaryDirectory() as folder:
        states, file = template(data), str(Path(folder) / "rows.csv")
        for frame in resampled_frames(data, n or 1, 0):
            frame.to_csv(file, index=False)
            learner = peer_learner(file, states, bn.BIC(), None)
            start = time.process_time()
            learner.learnDAG()
            seconds += time.process_time() - start
    return seconds


def measured(axis: Axis) -> dict[str, Line]:
    """Return both programs along an axis."""
    lines = {OURS: Line([], []), PEER: Line([], [])}
    for value in axis.values:
        data, n = axis.table(value), value if axis.of_all else None
        data.multiplicities.sum()
        for name, work in ((OURS, ours), (PEER, peer)):
            if name == PEER and value > axis.most_of_peer:
                continue
            cost = cost_of(lambda work=work, data=data, n=n: work(data, n))
            lines[name].values.append(value)
            lines[name].costs.append(cost)
            print(f"{axis.title} {value:,} {name}: {1000 * cost.seconds:.2f} ms, {cost.megabytes:.1f} MB", flush=True)
    return lines


def draw(found: dict[str, dict[str, Line]]) -> None:
    """Draw time above, memory below."""
    figure, places = plt.subplots(2, len(found), figsize=(4 * len(found), 7), squeeze=False)
    for column, (title, lines) in enumerate(found.items()):
        for row, (what, unit) in enumerate((("seconds", "processor time, s"), ("megabytes", "memory, MB"))):
            place = places[row][column]
            for name, line in lines.items():
                ys = [max(getattr(cost, what), 0.05 if row else 1e-9) for cost in line.costs]
                label = f"{name}, slope {line.slope(what):.2f}"
                place.loglog(line.values, ys, "o-", color=COLOURS[name], label=label)
            place.set(xlabel=title, ylabel=unit)
            values = lines[OURS].values
            place.set_xticks(values, [f"{value:,}" for value in values], fontsize=7)
            place.xaxis.set_minor_locator(NullLocator())
            place.legend(frameon=False, fontsize=8)
            place.grid(alpha=0.3)
    figure.tight_layout()
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=110)


def table(title: str, lines: dict[str, Line]) -> str:
    """Return one axis as a table with the slopes below it."""
    text = f"| {title} | bnengine, ms | MB | pyAgrum, ms | MB | ratio of times |\n|---:|---:|---:|---:|---:|---:|\n"
    theirs = dict(zip(lines[PEER].values, lines[PEER].costs, strict=True))
    for value, cost in zip(lines[OURS].values, lines[OURS].costs, strict=True):
        other = theirs.get(value)
        ratio = "" if other is None else f"{other.seconds / cost.seconds:.0f}"
        text += f"| {value:,} | {_shown(cost)} | {_shown(other)} | {ratio} |\n"
    slopes = (f"{name} {line.slope('seconds'):.2f}" for name, line in lines.items())
    return f"{text}\nSlope of time over the upper half, log–log: {', '.join(slopes)}.\n"


def _shown(cost: Cost | None) -> str:
    if cost is None:
        return " | "
    digits = 2 if cost.seconds < 0.01 else 0
    low, middle, high = (f"{1000 * s:,.{digits}f}" for s in (cost.least, cost.seconds, cost.most))
    return f"{middle} ({low} to {high}) | {cost.megabytes:.0f}"


def main() -> None:
    """Measure, draw, write."""
    bn.learn(bn.load_network("cancer").sample(50, rng=1), bn.BIC(), bn.HillClimbing())
    found = {axis.title: measured(axis) for axis in axes()}
    draw(found)
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    machine = (models or ["?"])[0].partition(":")[2].strip()
    start = f"""Hill climbing, BIC, bootstrap replicates on one core of {machine}, Python {platform.python_version()};
pyAgrum {pyagrum.__version__} by its greedy hill climbing with BIC on one thread, on the same resampled rows.
One replicate, but in the last table that many of them. Processor time, the median of {ROUNDS} rounds and their range.
Other work on the machine kept to another core, and the machine is a virtual one: quote ratios and slopes. Memory is
what the process needed beyond what it held at its start: pyAgrum's copy of the rows included, bnengine's table not;
about 9 MB of it are code and Python. With more states BIC's penalty leaves fewer edges, and fewer steps.

    python -m benchmarks.growth

![Growth of time and memory](figures/growth.png)
"""
    write_section("Growth", "\n".join([start, *(table(title, lines) for title, lines in found.items())]))


if __name__ == "__main__":
    main()
