"""The local Markov conditions of a graph, tested on data: each variable against its non-descendants."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Adjacency, ancestors
from bnengine.scores.conditional_independence import IndependenceTests

GoOn = Callable[[], bool]
#: Rows per degree of freedom below which a condition is not tested (Tsamardinos, Brown & Aliferis 2006).
ROWS_PER_FREEDOM = 5
#: Bytes of remembered tests.
_MEMORY = 1 << 28
_UNTESTED, _HOLDS, _VIOLATED = 0, 1, 2


class Violation(NamedTuple):
    """A conditional independence that the data reject."""

    variable: str
    other: str  # neither a descendant nor a parent of the variable
    given: tuple[str, ...]  # the variable's parents
    g_squared: float
    degrees_of_freedom: int
    p_value: float


class MarkovConditions:
    """Tests of the local Markov conditions of one graph after another, on the same data.

    What a variable's parents leave dependent on it is remembered, since it recurs among graphs of few edges.

    Parameters
    ----------
    data : Dataset
    alpha : float
        Level of each test.
    """

    def __init__(self, data: Dataset, alpha: float) -> None:
        self.names = data.names
        self._tests, self._alpha = IndependenceTests(data), alpha
        self._known: dict[tuple[int, tuple[int, ...]], UInt8Array] = {}
        self._room = _MEMORY // data.n_variables

    def count(self, adjacency: Adjacency, go_on: GoOn) -> tuple[int, int, int] | None:
        """Count the conditions tested, violated and untested; None if stopped."""
        outcomes = np.zeros(3, dtype=np.int64)
        for variable, parents, others in _conditions(adjacency):
            found = self._outcomes(variable, parents, go_on)
            if not go_on():
                return None
            outcomes += np.bincount(found[others], minlength=3)
        return int(outcomes[_HOLDS] + outcomes[_VIOLATED]), int(outcomes[_VIOLATED]), int(outcomes[_UNTESTED])

    def violations(self, adjacency: Adjacency, go_on: GoOn) -> tuple[Violation, ...]:
        """The conditions that are violated, by increasing p-value, then by name."""
        found = []
        for variable, parents, others in _conditions(adjacency):
            g, freedom, rows = self._tests.of_columns(variable, parents, go_on)
            p = _p_values(g, freedom)
            given = tuple(self.names[parent] for parent in parents)
            found += [
                Violation(self.names[variable], self.names[y], given, float(g[y]), int(freedom[y]), float(p[y]))
                for y in others.tolist()
                if _testable(freedom, rows)[y] and p[y] <= self._alpha
            ]
        return tuple(sorted(found, key=lambda line: (line.p_value, line.variable, line.other)))

    def _outcomes(self, variable: int, parents: tuple[int, ...], go_on: GoOn) -> UInt8Array:
        """Outcome of the tests of one variable against all others given its parents, shape (V,)."""
        key = variable, parents
        if key not in self._known:
            g, freedom, rows = self._tests.of_columns(variable, parents, go_on)
            rejected = _p_values(g, freedom) <= self._alpha
            outcomes = np.where(_testable(freedom, rows), np.where(rejected, _VIOLATED, _HOLDS), _UNTESTED)
            if len(self._known) >= self._room or not go_on():
                return outcomes.astype(np.uint8)
            self._known[key] = outcomes.astype(np.uint8)
        return self._known[key]


def _conditions(adjacency: Adjacency) -> list[tuple[int, tuple[int, ...], IntArray]]:
    """Each variable with its parents and its other non-descendants."""
    reaches = ancestors(adjacency) | np.eye(len(adjacency), dtype=np.bool_)
    return [
        (v, tuple(np.flatnonzero(adjacency[:, v]).tolist()), np.flatnonzero(~reaches[v] & ~adjacency[:, v]))
        for v in range(len(adjacency))
    ]


def _testable(freedom: IntArray, rows: IntArray) -> BoolArray:
    enough: BoolArray = (freedom > 0) & (rows >= ROWS_PER_FREEDOM * freedom)
    return enough


def _p_values(g: FloatArray, freedom: IntArray) -> FloatArray:
    """Upper tail of the chi-square distribution; 1 without degrees of freedom."""
    return np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), g), 1.0)
