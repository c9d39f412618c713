"""Sampling weights: how many persons of the population each person of a survey stands for; and the columns of them.

They are no counts: 300 respondents that stand for 9,000 persons are 300 rows, or fewer. Shares are those of the
weights, the effective number of rows is Kish's (1965, Sec. 11.7), (sum of weights)² / sum of squares, and what is drawn
again are persons with the weights that they have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.data.cell_text import folded
from bnengine.data.checked_frame import DataError, state_label
from bnengine.data.dependent_rows import DependentRows
from bnengine.data.words import alternatives, words

#: Weights are kept as whole numbers of this mean: scores do not depend on their scale.
_MEAN = 1000
_MOST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class SamplingWeights(DependentRows):
    """Persons, a row each, with the weights that they are counted by.

    Attributes
    ----------
    weights : ndarray of int, shape (R,)
        Proportional to those given, as whole numbers of mean 1,000.
    """

    weights: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def kind(self) -> str:
        """What is drawn."""
        return "person"

    @property
    def kish(self) -> float:
        """How many rows are worth one of equal weights: N times the sum of squares over the squared sum."""
        return float(len(self.weights) * (self.weights**2).sum() / self.weights.sum() ** 2)

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> SamplingWeights:
        """Return those of some rows."""
        return _of(self.weights[rows])

    def sentence(self, effective: int) -> str:
        """State what the rows are taken as, given how many rows of equal weights they are worth."""
        n, worth = counted(len(self.weights), "row"), counted(effective, "row")
        return f"{n} with sampling weights are worth {worth} of equal weights, and whole rows are drawn."


def _of(weights: IntArray) -> SamplingWeights:
    return SamplingWeights(np.arange(len(weights)), None, weights)


def weights_of(name: str, column: pd.Series[Any]) -> FloatArray:
    """Return the sampling weights in a column, shape (R,); a DataError unless they are numbers of 0 or more."""
    called = f"sampling_weights='{name}'"
    remedy = "correct it, or leave the row out"
    numbers = numbers_that_fit(called, column, np.isfinite, "numbers of 0 or more", remedy)
    if not numbers.any():
        raise DataError(f"{called} are all 0; name another column")
    return numbers


def numbers_that_fit(
    called: str, column: pd.Series[Any], fits: Callable[[FloatArray], BoolArray], what: str, remedy: str
) -> FloatArray:
    """Return the numbers in a column, shape (R,); a DataError unless they are 0 or more, and fit."""
    numbers: FloatArray = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.flatnonzero(~((numbers >= 0) & fits(numbers)))
    if wrong.size:
        cell = column.iloc[int(wrong[0])]
        held = "nothing" if pd.isna(cell) else f"'{state_label(cell)[:40]}'"
        raise DataError(f"{called} must hold {what}; row {wrong[0] + 1:,} holds {held}: {remedy}")
    return numbers


def sampling_weights(numbers: FloatArray) -> SamplingWeights | None:
    """Return positive weights as whole numbers; None if all are equal, which is as if there were none."""
    mean = min(_MEAN, _MOST // (2 * len(numbers)))
    weights = np.maximum(1, np.rint(numbers * (mean / numbers.mean()))).astype(np.int64)
    return None if (weights == weights[0]).all() else _of(weights)


#: Names of weights, folded, in several languages and of well-known surveys; and those that a mass has as well.
_CALLED = re.compile(
    r"(?:[a-z0-9]{1,8} )?(?:p|f|a|i|d|h|pw|psp|an|post)?"
    rf"(?:{alternatives('column.weights')})(?: ?[0-9a-z]{{1,6}})?|(?:wtss|perwt|finalwt) ?[a-z0-9]{{0,4}}"
)
_MASSES = words("column.masses")
#: Masses are at least so large, and their spread is at most these parts of their mean: surely, and perhaps.
_LEAST_MASS, _SURE, _PERHAPS = 2.0, 0.35, 0.6


def weight_columns(frame: pd.DataFrame) -> Iterator[tuple[str, bool]]:
    """Yield the columns that may hold weights, and whether they are left out of the variables until that is answered.

    Those that may be masses stay, and where they hardly vary nothing is asked.

    >>> frame = pd.DataFrame({"wt": [0.4, 1.9, 0.7] * 9, "weight": [71, 64, 83] * 9, "peso": [20, 50, 30] * 9})
    >>> list(weight_columns(frame))
    [('wt', True), ('peso', False)]
    """
    for name in map(str, frame.columns):
        called = folded(name)
        if not _CALLED.fullmatch(called) or frame[name].dtype.kind not in "iuf":
            continue
        numbers = frame[name].dropna().to_numpy(dtype=np.float64)
        if len(numbers) and (numbers >= 0).all() and len(np.unique(numbers)) > 2:
            parts = called.split(" ")
            is_mass = called in ("wt", "wgt") or bool({parts[0], parts[-1]} & _MASSES)
            is_large = is_mass and np.median(numbers) >= _LEAST_MASS
            spread = numbers.std() / numbers.mean()
            if not is_large or spread > _SURE:
                yield name, bool(not is_large or spread > _PERHAPS)
