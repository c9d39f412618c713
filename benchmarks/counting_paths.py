"""Bit masks against coded rows, family by family: how long each takes, and which one the kernel's cost model picks."""

import time

import numba
import numpy as np

import bnengine as bn
from bnengine._core.compiled import pointer_to
from bnengine._core.records import Handle
from bnengine.scores.counting import masks_are_cheaper
from bnengine.scores.counting_by_masks import count_by_masks
from bnengine.scores.counting_by_rows import count_by_rows
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import score_context
from bnengine.scores.scores import BIC

REPEATS = 2000


@numba.njit(nogil=True)
def _masks(handle: Handle, child: int, parents: np.ndarray, repeats: int) -> int:
    context, cells = score_context(handle), 0
    for _ in range(repeats):
        cells += count_by_masks(context.sample, context.work, child, pointer_to(parents), parents.shape[0])[1]
    return cells


@numba.njit(nogil=True)
def _rows(handle: Handle, child: int, parents: np.ndarray, repeats: int) -> int:
    context, cells = score_context(handle), 0
    for _ in range(repeats):
        cells += count_by_rows(context.sample, context.work, child, pointer_to(parents), parents.shape[0])[1]
    return cells


@numba.njit(nogil=True)
def _choice(handle: Handle, child: int, parents: np.ndarray) -> bool:
    context = score_context(handle)
    return masks_are_cheaper(context.sample, context.work.table_size, child, pointer_to(parents), parents.shape[0])


def main() -> None:
    """Print nanoseconds per family for tables of several sizes and numbers of parents."""
    print("table                 parents    masks ns     rows ns   picked   lost by picking")
    tables = {
        "alarm 300": bn.load_network("alarm").sample(300, rng=1),
        "alarm 5,000": bn.load_network("alarm").sample(5000, rng=1),
        "hailfinder 1,000": bn.load_network("hailfinder").sample(1000, rng=1),
        "asia 10,000": bn.load_network("asia").sample(10_000, rng=1),
        "titanic": bn.Dataset.from_frame(bn.load_sample("titanic")),
    }
    rng = np.random.default_rng(0)
    for name, data in tables.items():
        scores = LocalScores(data, BIC())
        for k in range(min(6, data.n_variables)):
            chosen = rng.permutation(data.n_variables)[: k + 1]
            child, parents = int(chosen[0]), np.sort(chosen[1:]).astype(np.int64)
            times = {}
            for way, run in (("masks", _masks), ("rows", _rows)):
                if way == "masks" and not scores.context.sample.masks.size:
                    times[way] = float("inf")
                    continue
                run(scores.handle, child, parents, 1)
                start = time.perf_counter()
                run(scores.handle, child, parents, REPEATS)
                times[way] = (time.perf_counter() - start) / REPEATS * 1e9
            picked = "masks" if _choice(scores.handle, child, parents) else "rows"
            lost = times[picked] / min(times.values()) - 1
            print(f"{name:<20} {k:>8} {times['masks']:>11.0f} {times['rows']:>11.0f}   {picked:<7} {lost:>10.0%}")


if __name__ == "__main__":
    main()
