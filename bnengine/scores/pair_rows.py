"""The rows of two variables with a number among them, for a picture; of two numbers with the child's fitted curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine.data.blocks import Features, features_of
from bnengine.data.checked_frame import MISSING, Values
from bnengine.data.dataset import Dataset
from bnengine.scores.number_effect import coefficients, weights_for

MOST_ROWS = 1_000
_MOST_CURVES = 4  # states of another parent for which curves are drawn
_PLACES = 60  # of a curve


@dataclass(frozen=True, eq=False)
class PairRows(ReadOnlyArrays):
    """The rows of a pair that count for the child, an even part of them where they are many.

    Attributes
    ----------
    x, y : ndarray of float, shape (n,)
        The parent's and the child's values; of a variable with states, their places in ``states_of``.
    states_of : dict
        The states of the one that is no number.
    n_rows : int
        Rows that there are.
    by, states : str, tuple of str
        Another parent of the child, and its states, where curves differ by it; else empty.
    state : ndarray of int, shape (n,)
        Of that parent, the place of each row's in ``states``, -1 where it is missing; 0 where curves do not differ.
    at : ndarray of float, shape (m,)
        Values of the parent.
    curves : ndarray of float, shape (states or 1, m)
        What the regression on the parent's normal score, its square and the child's other parents predicts there of
        the child's score, as the child's value of that score; parents besides these two are at their means. Empty
        unless both are numbers.
    """

    x: FloatArray = field(repr=False)
    y: FloatArray = field(repr=False)
    states_of: Mapping[str, tuple[str, ...]]
    n_rows: int
    by: str = ""
    states: tuple[str, ...] = ()
    state: IntArray = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))
    at: FloatArray = field(repr=False, default_factory=lambda: np.zeros(0))
    curves: FloatArray = field(repr=False, default_factory=lambda: np.zeros((0, 0)))


def pair_rows(data: Dataset, complete: Dataset, parent: int, child: int, given: Sequence[int]) -> PairRows | None:
    """Return the rows of a pair with a number in it, and the curve fitted to ``complete`` data; None of two states."""
    ends = parent, child
    kept = [isinstance(data.states[v], Values) for v in ends]
    if not any(kept):
        return None
    codes, times = data.recorded[0], data.counts_for(child)
    seen = ((codes[:, ends] != MISSING).all(axis=1) * (1.0 if times is None else times)).cumsum()
    n_rows = round(float(seen[-1]))
    n = min(n_rows, MOST_ROWS)
    rows = codes[np.searchsorted(seen, (np.arange(n) + 0.5) * seen[-1] / max(n, 1), side="right")]
    x, y = (
        Values(data.states[v]).numbers[rows[:, v]] if kept[at] else rows[:, v].astype(np.float64)
        for at, v in enumerate(ends)
    )
    states_of = {data.names[v]: data.states[v] for at, v in enumerate(ends) if not kept[at]}
    if not all(kept):
        return PairRows(x, y, states_of, n_rows)
    by, at, curves = _curves(complete, parent, child, given)
    if by is None:
        return PairRows(x, y, states_of, n_rows, state=np.zeros(n, dtype=np.int64), at=at, curves=curves)
    state = np.where(rows[:, by] == MISSING, -1, rows[:, by].astype(np.int64))
    return PairRows(x, y, states_of, n_rows, data.names[by], data.states[by], state, at, curves)


def _curves(data: Dataset, parent: int, child: int, given: Sequence[int]) -> tuple[int | None, FloatArray, FloatArray]:
    """Return the parent with states by which the curves differ most, the places of the curves, and the curves."""
    features, weights = features_of(data, 2), weights_for(data, child)
    share = weights / weights.sum()
    columns = {v: features.rows[:, _places(features, v)] for v in (parent, *given)}
    target = features.rows[:, features.first[child]]
    found = coefficients(np.hstack([*columns.values()]), np.zeros((len(target), 0)), target, weights[None])[0]
    ends = np.cumsum([own.shape[1] for own in columns.values()])
    slopes = dict(zip(columns, np.split(found, ends[:-1]), strict=True))
    means = {v: share @ own for v, own in columns.items()}
    few = [v for v in given if not isinstance(data.states[v], Values) and len(data.states[v]) <= _MOST_CURVES]
    moved = {v: float(share @ ((columns[v] - means[v]) @ slopes[v]) ** 2) for v in few}
    by = max(moved, key=lambda v: (moved[v], data.names[v]), default=None)
    (at, rows), (values, of_child) = _occurring(data, parent), _occurring(data, child)
    some = np.unique(np.linspace(0, len(at) - 1, min(_PLACES, len(at))).round().astype(int))
    own = (columns[parent][rows[some]] - means[parent]) @ slopes[parent] + share @ target
    shifts = np.zeros(1) if by is None else _shifts(data, by, (columns[by] - means[by]) @ slopes[by])
    return by, at[some], np.array([np.interp(own + shift, target[of_child], values) for shift in shifts])


def _occurring(data: Dataset, v: int) -> tuple[FloatArray, IntArray]:
    """Return the values of a number that occur, in increasing order, and a row with each."""
    codes, rows = np.unique(data.distinct_codes[v], return_index=True)
    return Values(data.states[v]).numbers[codes], rows


def _places(features: Features, v: int) -> slice:
    return slice(features.first[v], features.first[v] + features.size[v])


def _shifts(data: Dataset, by: int, of_rows: FloatArray) -> FloatArray:
    """Return what each state of a variable adds; 0 for one that does not occur."""
    found = np.zeros(len(data.states[by]))
    found[data.distinct_codes[by]] = of_rows
    return found
