"""Bit masks against coded rows: how long each takes, and which one the kernel's cost model picks.

First family by family, then for a family and each further parent in turn, as greedy searches ask.
"""

import argparse
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


def nanoseconds(run: Callable[..., object], repeats: int, *arguments: object) -> float:
    """Return the nanoseconds of one repeat."""
    run(*arguments, 1)
    start = time.perf_counter()
    run(*arguments, repeats)
    return (time.perf_counter() - start) / repeats * 1e9


def line(name: str, k: int, times: dict[str, float], picked: str) -> str:
    """Write one line: the times of both ways, the one that is picked, and what that loses."""
    lost = times[picked] / min(times.values()) - 1
    return f"{name:<20} {k:>8} {times['masks']:>11.0f} {times['rows']:>11.0f}   {picked:<7} {lost:>10.0%}"


def families(name: str, data: bn.Dataset, repeats: int) -> None:
    """Print nanoseconds for each number of parents, of one family each."""
    scores, rng = LocalScores(data, bn.BIC()), np.random.default_rng(0)
    for k in range(min(6, data.n_variables)):
        child, *others = rng.permutation(data.n_variables)[: k + 1].tolist()
        family = (scores.handle, child, np.sort(np.array(others, dtype=np.int64)))
        has_masks = scores.context.sample.masks.size > 0
        times = {"masks": nanoseconds(_masks, repeats, *family) if has_masks else np.inf}
        times["rows"] = nanoseconds(_rows, repeats, *family)
        print(line(name, k, times, "masks" if _choice(*family) else "rows"))


def further_parents(name: str, data: bn.Dataset, repeats: int) -> None:
    """Print nanoseconds for each further parent of one family, all in one go by masks and one by one by rows."""
    scores, rng = LocalScores(data, bn.BIC()), np.random.default_rng(0)
    for k in range(min(5, data.n_variables - 1)):
        chosen = rng.permutation(data.n_variables)
        child, parents, others = int(chosen[0]), np.sort(chosen[1 : k + 1]).astype(np.int64), chosen[k + 1 :]
        wanted = np.zeros(data.n_variables, dtype=np.uint8)
        wanted[others] = 1
        asked = (scores.handle, child, parents, wanted)
        cells = _extended(*asked, 1) if scores.context.sample.masks.size else -1
        together = nanoseconds(_extended, repeats, *asked) if cells >= 0 else np.inf
        by_rows = [nanoseconds(_rows, repeats, scores.handle, child, np.append(parents, one)) for one in others[:8]]
        times = {"masks": together / len(others), "rows": float(np.mean(by_rows))}
        print(line(name, k, times, "masks" if 0 <= cells <= _worth(scores.handle, k) else "rows"))


def main() -> None:
    """Print nanoseconds per family for tables of several sizes and numbers of parents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2000)
    repeats = parser.parse_args().repeats
    sizes = {"alarm": (300, 5_000), "hailfinder": (1_000,), "asia": (10_000,)}
    tables = {f"{name} {n:,}": bn.load_network(name).sample(n, rng=1) for name, of in sizes.items() for n in of}
    tables["titanic"] = bn.Dataset.from_frame(bn.load_sample("titanic"))
    print("table                 parents    masks ns     rows ns   picked   lost by picking")
    for name, data in tables.items():
        families(name, data, repeats)
    print("\nfor each further parent, with its sum of scores by masks, without by rows")
    for name, data in tables.items():
        further_parents(name, data, repeats)


if __name__ == "__main__":
    main()
