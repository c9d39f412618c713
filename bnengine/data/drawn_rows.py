"""Rows drawn from a data set, as how often each distinct row is drawn.

Of rows from experiments each experiment keeps its share: how many there are of each was decided, not observed. Rows are
drawn from the table sorted by their states, so that a seed draws the same rows whatever their order in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import Int32Array, IntArray
from bnengine.data.dataset import Dataset
from bnengine.data.interventions import MOST_ROWS
from bnengine.data.sampling_weights import SamplingWeights

#: A bootstrap sample of so many rows or more, with at least as many rows drawn per distinct row as the second number,
#: is drawn as the counts of the distinct rows, a multinomial draw: the same distribution without a million indices.
#: Other tables draw rows one by one, where the counts would save little (or lose), and seeds keep their meaning.
_MANY_ROWS, _FEW_DISTINCT = 100_000, 100


def drawn_with(data: Dataset, n_rows: int, rng: np.random.Generator) -> Int32Array:
    """Return how often each distinct row is among ``n_rows`` drawn with replacement, shape (D,).

    Rows that depend on each other are drawn together, so that of clusters there are about ``n_rows``.
    """
    if data.dependent is not None:
        return weights_of_rows(data, data.dependent.drawn_with(n_rows, rng))

    def draw(times: IntArray, n: int) -> IntArray:
        return rng.multinomial(n, times / times.sum())

    few = n_rows >= _MANY_ROWS and data.multiplicities.size * _FEW_DISTINCT <= n_rows
    if few or data.experiments is not None:
        return drawn_by_experiment(data, n_rows, draw)
    return _weights(data, rng.integers(0, data.n_rows, n_rows))


def drawn_without(data: Dataset, n_rows: int, rng: np.random.Generator) -> Int32Array:
    """Return how often each distinct row is among ``n_rows`` drawn without replacement, shape (D,)."""
    if data.dependent is not None:
        return weights_of_rows(data, data.dependent.drawn_without(n_rows, rng))
    counts_alone = data.recorded[1] is not None and data.n_rows >= _MANY_ROWS  # no million row numbers are made
    if counts_alone or data.experiments is not None:
        return drawn_by_experiment(data, n_rows, partial(rng.multivariate_hypergeometric, method="marginals"))
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


def _drawn_in_order(data: Dataset, draw: Callable[[IntArray], IntArray]) -> Int32Array:
    """Draw from the multiplicities of the distinct rows, given in the order of their states."""
    order, drawn = data.distinct_rows_in_order, np.empty(data.multiplicities.size, dtype=np.int32)
    drawn[order] = draw(data.multiplicities[order])
    return drawn


def drawn_by_experiment(data: Dataset, n_rows: int, draw: Callable[[IntArray, int], IntArray]) -> Int32Array:
    """Draw from the multiplicities of each experiment's rows its share of ``n_rows``, by largest remainders.

    Without experiments all rows are those of one.
    """
    sizes = data.rows_of_experiments
    exact = sizes * n_rows / data.n_rows
    whole = np.floor(exact + 1e-9)
    whole[np.argsort(whole - exact, kind="stable")[: n_rows - int(whole.sum())]] += 1
    experiment = data.experiment_of_distinct[data.distinct_rows_in_order]

    def of_each(times: IntArray) -> IntArray:
        drawn = np.zeros_like(times)
        for e in np.flatnonzero(sizes):
            drawn[experiment == e] = draw(times[experiment == e], int(whole[e]))
        return drawn

    return _drawn_in_order(data, of_each)


def weights_of_rows(data: Dataset, times: IntArray) -> Int32Array:
    """Return how often each distinct row occurs where the rows occur so often."""
    if isinstance(data.dependent, SamplingWeights):  # persons, none of whom has a number of its own
        return _drawn_in_order(data, lambda weights: times * weights)
    return np.bincount(data.distinct_row_of, times, data.multiplicities.size).astype(np.int32)


def _weights(data: Dataset, rows: IntArray) -> Int32Array:
    """Return how often each distinct row is among rows of the table sorted by states, given by their numbers."""
    drawn = np.bincount(rows, minlength=data.n_rows)
    return _drawn_in_order(data, lambda times: np.add.reduceat(drawn, np.cumsum(times) - times))
