"""What a user waits for before the first result.

Processor time to compile each search on an empty cache (one core, a process of its own, the kernel first), then with a
full cache: import, warm-up from the disk, the first ensemble and the memory. Last, what a call through an address costs
and which share of a bootstrap replicate that is.

python -m benchmarks.start_up
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import llvmlite
import numba

from benchmarks.report import write_section

PACKAGE = Path(__file__).parents[1] / "bnengine"
CLIMB = "warm_up(search=bn.HillClimbing())"
#: What is compiled, what is compiled before it, besides the kernel, and how the row begins.
PARTS = [
    ("bn.HillClimbing()", "None", "hill climbing"),
    ("bn.IteratedLocalSearch()", "None", "iterated local search"),
    ("bn.Tabu(restarts=1)", "None", "tabu search, with restarts"),
    ("bn.SimulatedAnnealing()", CLIMB, "simulated annealing, after hill climbing, in which it ends"),
    ("bn.K2()", "None", "K2"),
    ("bn.ChowLiu()", "None", "Chow–Liu tree"),
    ("bn.FixedOrdering()", "None", "best parents in an ordering"),
    ("bn.TreeSearch()", "None", "tree search"),
    ("bn.BestFirst()", "None", "best-first search"),
    ("bn.Exact()", "None", "exact search"),
]

HEAD = """\
What has to be compiled once on a machine: seconds of processor time on an empty cache, one core, each row in processes
of its own after the kernel (counting and scores) that all need; median of {rounds} rounds and range. Everything is all
searches, scores, samplers and the kernel: `bnengine warm-up`. Python {python}, numba {numba}, llvmlite {llvmlite}.

    python -m benchmarks.start_up

| compiled | seconds |
|---|---:|"""

#: Compiles the kernel, then what comes before, then one part; the first and the last are timed.
COMPILE = """
import sys, time
import numpy as np
import bnengine as bn
from bnengine.experiment.warm_up import warm_up

def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start

data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint16))
kernel = seconds(lambda: bn.local_score(data, "a", ["b"], bn.BIC()))
eval(sys.argv[1], {"bn": bn, "warm_up": warm_up})
part = seconds(lambda: eval(sys.argv[2], {"bn": bn, "warm_up": warm_up}))
print(kernel, part)
"""

#: With compiled code on the disk: seconds to import, to read the code, and for an ensemble; megabytes.
FIRST_RESULT = """
import time, resource
start = time.perf_counter()
import bnengine as bn
imported = time.perf_counter()
from bnengine.experiment.warm_up import warm_up
warm_up(search=bn.HillClimbing())
warm = time.perf_counter()
data = bn.load_network("alarm").sample(1000, rng=1)
bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200))
done = time.perf_counter()
print(imported - start, warm - imported, done - warm, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _run(program: str, *words: str, package: Path = PACKAGE) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=environment,
        cwd=package.parent,  # the folder where it runs comes first on the path
    )
    return done.stdout.strip()


def _compile(before: str, what: str) -> tuple[float, float]:
    """Measure the processor seconds for the kernel and one more part, by a copy without compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "bnengine"
        shutil.copytree(PACKAGE.parent / "sample_data", package.parent / "sample_data")
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        kernel, part = _run(COMPILE, before, what, package=package).split()
    return float(kernel), float(part)


def _row(name: str, seconds: Sequence[float]) -> str:
    row = f"| {name} | {statistics.median(seconds):.1f} ({min(seconds):.1f} to {max(seconds):.1f}) |"
    print(row, flush=True)
    return row


def compile_times(rounds: int) -> list[str]:
    """Return the table: the kernel, each search, and all together."""
    kernels, rows = [], []
    for search, before, name in PARTS:
        found = [_compile(before, f"warm_up(search={search})") for _ in range(rounds)]
        kernels += [kernel for kernel, _ in found]
        rows.append(_row(name, [part for _, part in found]))
    found = [_compile("None", "warm_up()") for _ in range(rounds)]
    everything = _row("**everything**", [kernel + part for kernel, part in found])
    return [_row("the kernel", kernels + [kernel for kernel, _ in found]), *rows, everything]


def first_result(rounds: int) -> str:
    """Measure with a full cache."""
    found = [[float(word) for word in _run(FIRST_RESULT).split()] for _ in range(rounds + 1)][1:]
    middle = [statistics.median(figures) for figures in zip(*found, strict=True)]
    return (
        "With the compiled code on the disk, by the clock: import {:.2f} s, reading it {:.2f} s, 200 replicates of "
        "ALARM with 1,000 rows {:.2f} s; peak memory {:.0f} MB.".format(*middle)
    )


def call_cost(calls: int = 2_000_000) -> float:
    """Return the nanoseconds of a call through an address: of a remembered score, less what is done in it."""
    import numba
    import numpy as np

    from bnengine._jit.records import Handle
    from bnengine.data.dataset import Dataset
    from bnengine.scores.local_score import LocalScores
    from bnengine.scores.score_context import cached_score, score_context
    from bnengine.scores.scores import BIC

    data = Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1], [1, 0]], dtype=np.uint16))
    scores = LocalScores(data, BIC())

    @numba.njit(nogil=True)
    def ask(handle: Handle, times: int) -> float:
        context, total = score_context(handle), 0.0
        for _ in range(times):
            total += cached_score(context, 0, context.work.parents, 0)
        return total

    ask(scores.handle, 1)
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        ask(scores.handle, calls)
        best = min(best, (time.process_time() - start) / calls * 1e9)
    return best


def share_of_a_replicate() -> str:
    """Return how many calls through addresses a replicate of ALARM makes, and an upper bound of what they cost."""
    import bnengine as bn

    data = bn.load_network("alarm").sample(1000, rng=1)
    bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20))
    start = time.process_time()
    bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200), ties="columns")
    replicate = (time.process_time() - start) / 200
    graph = bn.learn(data, bn.BIC(), ties="columns")
    refreshes = data.n_variables + 2 * len(graph.trace)  # at most; each asks twice, and once for each parent
    calls = refreshes * 2 + 2 * refreshes * len(graph.edges) / data.n_variables
    cost = call_cost()
    return (
        f"A search calls the kernel through its address. A call costs at most {cost:.1f} ns (measured with a look into "
        f"the memory of scores), and a replicate of ALARM with 1,000 rows, {replicate * 1e6:.0f} µs, makes about "
        f"{calls:.0f}: {calls * cost * 1e-9 / replicate:.1%} of its time."
    )


def main() -> None:
    """Write the section to RESULTS.md; each row as soon as it is measured to the screen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dry", action="store_true", help="print only")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    versions = {"python": platform.python_version(), "numba": numba.__version__, "llvmlite": llvmlite.__version__}
    table = [HEAD.format(rounds=arguments.rounds, **versions), *compile_times(arguments.rounds)]
    text = "\n".join([*table, "", first_result(arguments.rounds), "", share_of_a_replicate()])
    if arguments.dry:
        print(text)
    else:
        write_section("First start", text)


if __name__ == "__main__":
    main()
