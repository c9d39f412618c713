"""Jensen's inequality: the exact bootstrap bias of a function of a proportion, and why it has its sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.validation import Ge, Le, RowCount, one_of, validated


def _entropy_term(p: FloatArray) -> FloatArray:
    return -p * np.log(np.where(p > 0, p, 1.0))


#: Functions of a proportion for ``jensen``, by name: convex, linear and concave ones.
PROPORTION_FUNCTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "p²": np.square,
    "eᵖ": np.exp,
    "p": np.array,
    "√p": np.sqrt,
    "−p ln p": _entropy_term,
    "p (1 − p)": lambda p: p * (1 - p),
}


@dataclass(frozen=True, eq=False)
class Jensen(ReadOnlyArrays):
    """A function of a proportion on the data and, exactly, over all resamples.

    Attributes
    ----------
    function : str
    n_rows : int
    proportion, value : float
        n/N, and the function of it.
    proportions, chances, values : ndarray, shape (N + 1,), read-only
        The proportions possible in a resample, their probabilities, and the function of them.
    mean : float
        Mean of the function over resamples.
    """

    function: str
    n_rows: int
    proportion: float
    value: float
    proportions: FloatArray = field(repr=False)
    chances: FloatArray = field(repr=False)
    values: FloatArray = field(repr=False)
    mean: float

    @property
    def bias(self) -> float:
        """Mean minus value: positive for a convex function, negative for a concave one, 0 for a linear one."""
        return self.mean - self.value

    @validated
    def curve(self, n_points: Annotated[int, Ge(2), Le(100_000)] = 201) -> tuple[FloatArray, FloatArray]:
        """Return a grid of proportions from 0 to 1 and the function of them, shape (n_points,) each."""
        grid = np.linspace(0, 1, n_points)
        return grid, PROPORTION_FUNCTIONS[self.function](grid)


@validated
def jensen(function: str, n_ones: Annotated[int, Ge(0), Le(10_000_000)], n_rows: RowCount) -> Jensen:
    """Return a function of the proportion n/N and its exact mean over bootstrap samples, a binomial sum.

    Parameters
    ----------
    function : str
        A key of ``PROPORTION_FUNCTIONS``.
    n_ones, n_rows : int
        n of N rows are in the state.

    Examples
    --------
    >>> jensen("p²", 2, 4).bias  # p (1 - p) / N
    0.0625
    """
    from scipy.stats import binom

    one_of(function, "function", PROPORTION_FUNCTIONS)
    if not 0 <= n_ones <= n_rows:
        raise ValueError(f"n_ones must be from 0 to the number of rows, {n_rows}; got {n_ones}")
    shape = PROPORTION_FUNCTIONS[function]
    proportions, p = np.arange(n_rows + 1) / n_rows, n_ones / n_rows
    chances, values = binom.pmf(np.arange(n_rows + 1), n_rows, p), shape(proportions)
    value = float(values[n_ones])
    return Jensen(function, n_rows, p, value, proportions, chances, values, value + float(chances @ (values - value)))
