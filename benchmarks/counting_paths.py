"""Bit masks against coded rows: how long each takes, and which one the kernel's cost model picks.

First family by family, then for a family and each further parent in turn, as greedy searches ask.
"""

import time
from collections.abc import Callable

import numba
import numpy as np

import bnengine as bn
from bnengine._jit.compiled import pointer_to
from bnengine._jit.records import Handle
from bnengine.scores._incremental_counts import cells_worth_splitting, count_extended, split
from bnengine.scores.counting import count_by_masks, count_by_rows, masks_are_cheaper
from bnengine.scores.family_scores import sum_columns
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import configurations, score_context
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


@numba.njit(nogil=True)
def _extended(handle: Handle, child: int, parents: np.ndarray, wanted: np.ndarray, repeats: int) -> int:
    context, k, cells = score_context(handle), parents.shape[0], 0
    flat, q = pointer_to(wanted), configurations(context, pointer_to(parents), k)
    for _ in range(repeats):
        cells = split(context.sample, context.work, context.split, child, pointer_to(parents), k, np.inf)
        if cells < 0:
            return cells
        count_extended(context, cells, flat)
        sum_columns(context, cells, flat, q, float(context.sample.arities[child]))
    return cells


@numba.njit(nogil=True)
def _worth(handle: Handle, k: int) -> float:
    return cells_worth_splitting(score_context(handle).sample, k)


def _seconds(run: Callable[..., object], *arguments: object) -> float:
    run(*arguments, 1)
    start = time.perf_counter()
    run(*arguments, REPEATS)
    return (time.perf_counter() - start) / REPEATS


def further_parents(name: str, data: bn.Dataset) -> None:
    """Print nanoseconds for each further parent of one family, all in one go by masks and one by one by rows."""
    scores, rng = LocalScores(data, BIC()), np.random.default_rng(0)
    for k in range(min(5, data.n_variables - 1)):
        chosen = rng.permutation(data.n_variables)
        child, parents, others = int(chosen[0]), np.sort(chosen[1 : k + 1]).astype(np.int64), chosen[k + 1 :]
        wanted = np.zeros(data.n_variables, dtype=np.uint8)
        wanted[others] = 1
        cells = _extended(scores.handle, child, parents, wanted, 1) if scores.context.sample.masks.size else -1
        together = _seconds(_extended, scores.handle, child, parents, wanted) if cells >= 0 else float("inf")
        families = [np.append(parents, other) for other in others[:8].tolist()]
        by_rows = sum(_seconds(_rows, scores.handle, child, family) for family in families) / len(families)
        times = {"masks": together / len(others) * 1e9, "rows": by_rows * 1e9}
        picked = "masks" if 0 <= cells <= _worth(scores.handle, k) else "rows"
        lost = times[picked] / min(times.values()) - 1
        print(f"{name:<20} {k:>8} {times['masks']:>11.0f} {times['rows']:>11.0f}   {picked:<7} {lost:>10.0%}")


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
    print("\nfor each further parent, with its sum of scores by masks, without by rows")
    for name, data in tables.items():
        further_parents(name, data)


if __name__ == "__main__":
    main()
