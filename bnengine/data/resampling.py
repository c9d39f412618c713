"""Rows drawn from a data set, as how often each distinct row is drawn.

Of rows from experiments each experiment keeps its share: how many there are of each was decided, not observed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import Int32Array, IntArray
from bnengine.data.dataset import Dataset
from bnengine.data.interventions import MOST_ROWS

#: A bootstrap sample of so many rows or more, with at least as many rows drawn per distinct row as the second number,
#: is drawn as the counts of the distinct rows, a multinomial draw: the same distribution without a million indices.
#: Other tables draw rows one by one, where the counts would save little (or lose), and seeds keep their meaning.
_MANY_ROWS, _FEW_DISTINCT = 100_000, 100


def drawn_with(data: Dataset, n_rows: int, rng: np.random.Generator) -> Int32Array:
    """Return how often each distinct row is among ``n_rows`` drawn with replacement, shape (D,)."""
    times = data.multiplicities
    if data.experiments is not None:
        drawn = np.zeros(times.size, dtype=np.int32)
        for own, n in _by_experiment(data, n_rows):
            drawn[own] = rng.multinomial(n, times[own] / times[own].sum())
        return drawn
    if n_rows >= _MANY_ROWS and times.size * _FEW_DISTINCT <= n_rows:
        return rng.multinomial(n_rows, times / data.n_rows).astype(np.int32)
    return _weights(data, rng.integers(0, data.n_rows, n_rows))


def drawn_without(data: Dataset, n_rows: int, rng: np.random.Generator) -> Int32Array:
    """Return how often each distinct row is among ``n_rows`` drawn without replacement, shape (D,)."""
    times = data.multiplicities
    if data.experiments is not None:
        drawn = np.zeros(times.size, dtype=np.int32)
        for own, n in _by_experiment(data, n_rows):
            drawn[own] = rng.multivariate_hypergeometric(times[own], n, method="marginals")
        return drawn
    if data.recorded[1] is not None and data.n_rows >= _MANY_ROWS:  # a table of counts: no million row numbers
        return rng.multivariate_hypergeometric(times, n_rows, method="marginals").astype(np.int32)
    return _weights(data, rng.choice(data.n_rows, n_rows, replace=False))


def checked_weights(weights: npt.ArrayLike, n_distinct: int) -> tuple[Int32Array, int]:
    """Return the weights as int32, shape (D,), and their sum, the number of rows.

    A ValueError unless there is one for each distinct row, whole and 0 or more, with a sum of 1 … 2,147,483,647:
    invalid weights would make compiled code access memory outside its buffers.
    """
    given = np.asarray(weights)
    if given.shape != (n_distinct,):
        raise ValueError(
            f"weights must have one entry for each of the {n_distinct:,} distinct rows (Dataset.multiplicities); "
            f"got shape {given.shape}"
        )
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"weights must be whole numbers, the count of each distinct row; got an array of {given.dtype} (count "
            "rows, for example with numpy.bincount)"
        )
    if np.minimum.reduce(given) < 0:
        raise ValueError(f"weights must be 0 or more; got {int(given.min())} for distinct row {int(given.argmin())}")
    n_rows = float(np.add.reduce(given, dtype=np.float64))  # an integer sum could overflow
    if not 1 <= n_rows <= MOST_ROWS:
        raise ValueError(f"weights must add up to 1 to {MOST_ROWS:,} rows; got {n_rows:,.0f}")
    return np.ascontiguousarray(given, dtype=np.int32), int(n_rows)


def _by_experiment(data: Dataset, n_rows: int) -> list[tuple[IntArray, int]]:
    """Return the distinct rows of each experiment, and its share of ``n_rows``, by largest remainders."""
    experiment = data.experiment_of_distinct
    sizes = np.bincount(experiment, weights=data.multiplicities, minlength=len(data.targets))
    exact = sizes * n_rows / data.n_rows
    whole = np.floor(exact + 1e-9)
    whole[np.argsort(whole - exact, kind="stable")[: n_rows - int(whole.sum())]] += 1
    return [(np.flatnonzero(experiment == e), int(whole[e])) for e in np.flatnonzero(sizes)]


def _weights(data: Dataset, rows: IntArray) -> Int32Array:
    counts = np.bincount(data.distinct_row_of[rows], minlength=data.multiplicities.size)
    return counts.astype(np.int32)
