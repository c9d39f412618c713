"""What a user waits for before the first result.

Processor time to compile each search on an empty cache (one core, a process of its own, the kernel first), then with a
full cache: import, warm-up from the disk, the first ensemble and the memory. Last, what a call through an address costs
and which share of a bootstrap replicate that is.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "bnengine"
SEARCHES = [
    *("HillClimbing", "K2", "ChowLiu", "Tabu(restarts=1)", "SimulatedAnnealing"),
    *("BestFirst", "TreeSearch", "FixedOrdering", "Exact"),
]

#: Compiles the kernel, then one part, each timed.
COMPILE = """
import sys, time
import numpy as np
import bnengine as bn

def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start

data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint16))
kernel = seconds(lambda: bn.local_score(data, "a", ["b"], bn.BIC()))
part = seconds(lambda: eval(sys.argv[1], {"bn": bn}))
print(kernel, part)
"""

#: With compiled code on the disk.
FIRST_RESULT = """
import time, resource
start = time.perf_counter()
import bnengine as bn
imported = time.perf_counter()
bn.warm_up(search=bn.HillClimbing())
warm = time.perf_counter()
data = bn.load_network("alarm").sample(1000, rng=1)
bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200))
done = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"import {imported - start:.2f} s, warm-up {warm - imported:.2f} s, "
      f"200 replicates of ALARM N = 1,000 {done - warm:.2f} s, peak memory {peak:.0f} MB")
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


def _compile(what: str) -> tuple[float, float]:
    """Processor seconds for the kernel and for one more part, by a copy of the package without compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "bnengine"
        shutil.copytree(PACKAGE.parent / "sample_data", package.parent / "sample_data")
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        kernel, part = _run(COMPILE, what, package=package).split()
    return float(kernel), float(part)


def compile_times() -> None:
    """Print the processor time to compile the kernel and each search, and all of them together."""
    kernels = []
    for search in SEARCHES:
        made = search if "(" in search else f"{search}()"
        kernel, part = _compile(f"bn.warm_up(search=bn.{made})")
        kernels.append(kernel)
        print(f"{search:<24} {part:6.1f} s")
    print(f"{'kernel':<24} {min(kernels):6.1f} s (each of the above needs it first)")
    kernel, everything = _compile("bn.warm_up()")
    print(f"{'everything':<24} {kernel + everything:6.1f} s")


def call_cost(calls: int = 2_000_000) -> float:
    """Nanoseconds of a call through an address: of a remembered score, less what is done in it."""
    import numba
    import numpy as np

    from bnengine._core.records import Handle
    from bnengine.data.dataset import Dataset
    from bnengine.scores.local_score import LocalScores
    from bnengine.scores.score_context import remembered_score, score_context
    from bnengine.scores.scores import BIC

    data = Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1], [1, 0]], dtype=np.uint16))
    scores = LocalScores(data, BIC())

    @numba.njit(nogil=True)
    def ask(handle: Handle, times: int) -> float:
        context, total = score_context(handle), 0.0
        for _ in range(times):
            total += remembered_score(context, 0, context.work.parents, 0)
        return total

    ask(scores.handle, 1)
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        ask(scores.handle, calls)
        best = min(best, (time.process_time() - start) / calls * 1e9)
    return best


def share_of_a_replicate() -> None:
    """Print how many calls through addresses a replicate of ALARM makes, and an upper bound of what they cost."""
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
    print(
        f"a call through an address at most {cost:.1f} ns (with a look into the memory of scores), about {calls:.0f} "
        f"of them per replicate of {replicate * 1e6:.0f} µs: {calls * cost * 1e-9 / replicate:.1%}"
    )


if __name__ == "__main__":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    compile_times()
    for _ in range(3):
        print(_run(FIRST_RESULT))
    share_of_a_replicate()
