"""Random families one by one, as no greedy search asks for them, beside what the processor needs to count their bits.

python -m benchmarks.families
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numba
import numpy as np
import numpy.typing as npt

import bnengine as bn
from benchmarks.report import write_section
from bnengine._jit.compiled import pointer_to
from bnengine._jit.records import Handle
from bnengine.scores.counting import ones_in_both
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import local_score, score_context

FAMILIES = 100_000
MOST_PARENTS = 3
WALKED = 2_000  # families whose bits are counted by walking through their configurations

HEAD = """\
{families:,} random families of ALARM with 1,000 rows, 0 to {most} parents, each as likely, scored one by one on one
core. Processor time, {rounds} rounds; the median and the range. Beside it the processor's limit: masks in the first
cache, as many words intersected and their ones counted as bit masks need for these families ({words:.0f} a family),
and nothing else.

    python -m benchmarks.families

| what | ms | range |
|---|---:|---:|"""


@numba.njit(nogil=True)
def _score_all(
    handle: Handle, children: npt.NDArray[np.int64], parents: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]
) -> float:
    context, total = score_context(handle), 0.0
    flat = pointer_to(parents)
    for i in range(children.shape[0]):
        for p in range(sizes[i]):
            context.work.parents[p] = flat[i * MOST_PARENTS + p]
        total += local_score(context, children[i], context.work.parents, sizes[i])
    return total


@numba.njit(nogil=True)
def _count_ones(masks: npt.NDArray[np.uint64], times: int) -> int:
    ones, n_words = 0, masks.shape[1]
    for _ in range(times):
        ones += ones_in_both(pointer_to(masks), 0, pointer_to(masks), n_words, n_words)
    return ones


def pack(data: bn.Dataset, child: int, parents: list[int]) -> int:
    """Count the words of masks to intersect for a family: a mask per prefix of a configuration, and per state."""
    codes, visits = data.codes, 0
    for k in range(1, len(parents) + 1):
        shown = len(np.unique(codes[:, parents[: k - 1]], axis=0)) if k > 1 else 1
        visits += shown * int(data.arities[parents[k - 1]])
    configurations = len(np.unique(codes[:, parents], axis=0)) if parents else 1
    visits += configurations * (int(data.arities[child]) - bool(parents))
    return visits * ((data.n_rows + 63) // 64)


def timed(work: Callable[[], object], rounds: int) -> list[float]:
    """Return the milliseconds of processor time that each round takes, after one that is not counted."""
    work()
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(1000 * (time.process_time() - start))
    return taken


def row(what: str, taken: list[float]) -> str:
    """Return a line of the table."""
    return f"| {what} | {statistics.median(taken):.1f} | {min(taken):.1f} to {max(taken):.1f} |"


def main() -> None:
    """Write the table to RESULTS.md, a line as soon as it is measured to the screen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--dry", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    data, rng = bn.load_network("alarm").sample(1000, rng=1), np.random.default_rng(0)
    sizes = rng.integers(0, MOST_PARENTS + 1, FAMILIES)
    chosen = rng.permuted(np.tile(np.arange(data.n_variables), (FAMILIES, 1)), axis=1)[:, : MOST_PARENTS + 1]
    children, parents = chosen[:, 0].copy(), chosen[:, 1:].copy()
    for i, size in enumerate(sizes):
        parents[i, :size].sort()
    words = statistics.fmean(pack(data, int(children[i]), parents[i, : sizes[i]].tolist()) for i in range(WALKED))
    lines = [HEAD.format(families=FAMILIES, most=MOST_PARENTS, rounds=arguments.rounds, words=words)]
    print(lines[0])
    for score in (bn.BIC(), bn.BDeu(1)):
        scores = LocalScores(data, score)
        taken = timed(lambda scores=scores: _score_all(scores.handle, children, parents, sizes), arguments.rounds)
        lines.append(row(score.name, taken))
        print(lines[-1], flush=True)
    masks = rng.integers(0, 2**63, (2, 1024)).astype(np.uint64)
    times = round(words * FAMILIES / masks.shape[1])
    lines.append(row("the processor's limit", timed(lambda: _count_ones(masks, times), arguments.rounds)))
    print(lines[-1])
    if not arguments.dry:
        write_section("Random families", "\n".join(lines))


if __name__ == "__main__":
    main()
