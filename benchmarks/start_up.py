"""What a user waits for before the first result: compiling on an empty cache; with a full one, import and replicates.

Each search is compiled in a process of its own, after the kernel and by a copy of the engine without compiled code, on
one core; everything is all searches, scores, samplers and the kernel: ``bnengine warm-up``.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.report import Report, markdown
from benchmarks.running import ROOMS, ROOT, Study, grid

CLIMB = "search=bn.HillClimbing()"
AFTER_CLIMB = "simulated annealing, after hill climbing, in which it ends"
#: What is compiled, by what ``warm_up`` is asked for.
PARTS = {
    "hill climbing": CLIMB,
    "iterated local search": "search=bn.IteratedLocalSearch()",
    "tabu search, with restarts": "search=bn.Tabu(restarts=1)",
    AFTER_CLIMB: "search=bn.SimulatedAnnealing()",
    "K2": "search=bn.K2()",
    "Chow–Liu tree": "search=bn.ChowLiu()",
    "best parents in an ordering": "search=bn.FixedOrdering()",
    "tree search": "search=bn.TreeSearch()",
    "best-first search": "search=bn.BestFirst()",
    "exact search": "search=bn.Exact()",
    "everything": "",
}
FIRST_RESULT = "first result"

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
for before in sys.argv[2:]:
    eval(f"warm_up({before})")
print(kernel, seconds(lambda: eval(f"warm_up({sys.argv[1]})")))
"""

#: With compiled code on the disk: seconds to import, to read the code, and for an ensemble; megabytes.
WITH_CODE = """
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


def numbers_of(folder: Path, program: str, *words: str) -> list[float]:
    """Run a program by the engine of a folder, on one core; return the numbers that it prints."""
    printed = subprocess.check_output(
        [sys.executable, "-c", program, *words],
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,  # the folder where it runs comes first on the path
        preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),
    )
    return [float(word) for word in printed.split()]


def measure(part: str, table: int) -> dict[str, Any]:
    """Measure one part once."""
    about = f"Python {platform.python_version()}, numba {version('numba')}, llvmlite {version('llvmlite')}"
    if part == FIRST_RESULT:
        numbers_of(ROOT, WITH_CODE)  # where code is not on the disk, it is now
        names = ("import", "reading", "replicates", "megabytes")
        return {"by": about} | dict(zip(names, numbers_of(ROOT, WITH_CODE), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bnengine", "sample_data"):
            shutil.copytree(ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__"))
        kernel, seconds = numbers_of(Path(folder), COMPILE, PARTS[part], *([CLIMB] if part == AFTER_CLIMB else []))
    return {"by": about, "kernel": kernel, "seconds": seconds}


def report(frame: pd.DataFrame) -> Report:
    """Return the section."""
    compiled, first = frame[frame["part"] != FIRST_RESULT], frame[frame["part"] == FIRST_RESULT]
    whole = compiled["seconds"] + compiled["kernel"].where(compiled["part"] == "everything", 0)
    seconds = {"the kernel": compiled["kernel"], **dict(list(whole.groupby(compiled["part"], sort=False)))}
    rows = [[name, f"{of.median():.1f} ({of.min():.1f} to {of.max():.1f})"] for name, of in seconds.items()]
    text = (
        "`python -m benchmarks start_up run`. What has to be compiled once on a machine: seconds of processor time on "
        "an empty cache, one core, each row in processes of its own after the kernel (counting and scores) that all "
        f"need; median of {frame['table'].nunique()} rounds and range. Everything is all searches, scores, samplers "
        f"and the kernel: `bnengine warm-up`. {frame['by'].iloc[0]}."
    )
    after = (
        "With the compiled code on the disk, by the clock: import {import:.2f} s, reading it {reading:.2f} s, "
        "200 replicates of ALARM with 1,000 rows {replicates:.2f} s; peak memory {megabytes:.0f} MB."
    ).format_map(first.median(numeric_only=True))
    return Report({"First start": f"{text}\n\n{markdown(['compiled', 'seconds'], rows)}\n\n{after}"})


CELLS = grid(part=(*PARTS, FIRST_RESULT), table=range(3))
SMALL = grid(part=("Chow–Liu tree", FIRST_RESULT), table=0)
TIMES = ("by", "kernel", "seconds", "import", "reading", "replicates", "megabytes")
STUDY = Study("start_up", CELLS, measure, SMALL, report, ("_jit", *ROOMS), clock=TIMES)
