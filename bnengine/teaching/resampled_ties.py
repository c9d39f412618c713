"""Ties in bootstrap samples of continuous data: a resample of N distinct values contains about 0.63 N of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.random_generators import Seed, generator_of
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.validation import Repeats, RowCount, validated

if TYPE_CHECKING:
    import pandas as pd

#: Resamples are counted in pieces of about this many values.
_PIECE = 1 << 18


@dataclass(frozen=True, eq=False)
class Ties(ReadOnlyArrays):
    """Bootstrap samples of N distinct measurements.

    Attributes
    ----------
    values : ndarray, shape (N,), read-only
        In increasing order.
    times : ndarray of int, shape (N,), read-only
        How often each occurs in the first resample.
    distinct : ndarray of int, shape (R,), read-only
        Number of distinct values in each resample.
    """

    values: FloatArray = field(repr=False)
    times: IntArray = field(repr=False)
    distinct: IntArray = field(repr=False)

    @property
    def expected(self) -> float:
        """Mean number of distinct values, N (1 - (1 - 1/N)^N)."""
        n = self.values.size
        return n * (1 - (1 - 1 / n) ** n)

    @property
    def limit(self) -> float:
        """The large-sample approximation N (1 - 1/e) of ``expected``."""
        return self.values.size * (1 - math.exp(-1))

    def table(self) -> pd.DataFrame:
        """Return one line per measurement: value, times in the first resample."""
        import pandas as pd

        return pd.DataFrame({"value": self.values, "times_in_resample": self.times})


@validated
def ties_in_resamples(n_rows: RowCount = 50, n_resamples: Repeats = 1000, rng: Seed = 0) -> Ties:
    """Draw N values of a normal variable, and count the distinct ones in each resample.

    Examples
    --------
    >>> made = ties_in_resamples(100, 500, rng=1)
    >>> bool(abs(made.distinct.mean() - made.expected) < 1)
    True
    """
    generator = generator_of(rng)
    values = np.sort(generator.standard_normal(n_rows))
    first = np.empty(0, dtype=np.int64)
    distinct = np.empty(n_resamples, dtype=np.int64)
    step = max(_PIECE // n_rows, 1)
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        drawn = generator.integers(0, n_rows, (size, n_rows)) + n_rows * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * n_rows).reshape(size, n_rows)
        distinct[start : start + size] = (times > 0).sum(axis=1)
        first = first if start else times[0].copy()
    return Ties(values, first, distinct)
