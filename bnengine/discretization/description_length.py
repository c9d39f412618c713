"""The description length of a table of numbers, given cut points and a network.

It has four parts (Friedman & Goldszmidt 1996, Section 3), here in nats:

* the network and the discretized table: minus the score, for BIC N sum_i H(X_i* | parents*) + |theta| / 2 ln N;
* the number of states of each measured column, one of K: ln K;
* its k - 1 cut points among its m candidates: ln binom(m, k - 1);
* each number given its state: N H(X_i | X_i*), with the frequencies of the values in the table.

The last part makes tables with different states comparable. Since X_i* is a function of X_i, the first and the last
add up to N sum_i H(X_i) - N sum_i I(X_i*; parents*), of which only the information depends on the cut points: a coarser
table is not shorter by itself, and a state is worth the information it gives about the neighbours in the graph.
All graphs have the same code length; a structure prior (``WithPrior``) adds a penalty per edge (source: ln V nats).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine.data.cuts import numbers_of
from bnengine.data.dataset import Dataset
from bnengine.data.missing import fill_missing
from bnengine.discretization.optimal_cuts import Candidates, Neighbours, best_cuts, candidates_of, dense_rank
from bnengine.graphs.dag import Adjacency
from bnengine.scores.scores import BIC

if TYPE_CHECKING:
    import pandas as pd

#: Indices of the candidate points chosen as cut points, by column.
Chosen = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class DescribedTable:
    """The columns sorted by name: discrete ones as codes, measured ones with their candidate cut points."""

    names: tuple[str, ...]
    discrete: Mapping[str, tuple[tuple[str, ...], IntArray]]
    candidates: Mapping[str, Candidates]
    n_rows: int
    least: int
    most: int

    def even(self, n_states: int) -> dict[str, tuple[int, ...]]:
        """Return cut points for ``n_states`` states of about equally many rows."""
        alone = Neighbours((np.zeros(self.n_rows, dtype=np.int64), 1.0), ())
        return {name: best_cuts(one, alone, BIC(), n_states, n_states) for name, one in self.candidates.items()}

    def codes(self, name: str, chosen: Chosen) -> tuple[IntArray, int]:
        """Return a column's codes and its number of states."""
        if name not in self.candidates:
            states, codes = self.discrete[name]
            return codes, len(states)
        one = self.candidates[name]
        return one.states(chosen[name]), len(chosen[name]) + 1 + one.has_missing

    def data(self, chosen: Chosen) -> Dataset:
        """Return the discretized table."""
        columns = [self.codes(name, chosen) for name in self.names]
        states = tuple(tuple(map(str, range(arity))) for _, arity in columns)
        return Dataset(self.names, states, np.column_stack([codes for codes, _ in columns]).astype(np.uint16))

    def length(self, chosen: Chosen, network_score: float) -> float:
        """Return the description length of the whole table, nats."""
        return sum(self.candidates[v].code_length(chosen[v], self.most) for v in self.candidates) - network_score

    def neighbours(self, name: str, chosen: Chosen, adjacency: Adjacency) -> Neighbours:
        """Return the families that a column belongs to."""
        v = self.names.index(name)
        children = []
        for child in np.flatnonzero(adjacency[v]).tolist():
            others = [p for p in np.flatnonzero(adjacency[:, child]).tolist() if p != v]
            codes, q = _configurations([self.codes(self.names[p], chosen) for p in others], self.n_rows)
            children.append((codes, q, *self.codes(self.names[child], chosen)))
        parents = [self.codes(self.names[p], chosen) for p in np.flatnonzero(adjacency[:, v]).tolist()]
        return Neighbours(_configurations(parents, self.n_rows), children)


def _configurations(columns: Sequence[tuple[IntArray, int]], n_rows: int) -> tuple[IntArray, float]:
    """Return each row's rank among the observed configurations, and the number of all configurations."""
    codes, q = np.zeros(n_rows, dtype=np.int64), 1.0
    for states, arity in columns:
        codes = dense_rank(codes * arity + states)
        q *= arity
    return codes, q


def described(frame: pd.DataFrame, measured: Sequence[str], least: int, most: int) -> DescribedTable:
    """Prepare a frame whose measured columns are to get between ``least`` and ``most`` states."""
    names = tuple(sorted(frame.columns))
    discrete = {}
    rest = [name for name in frame.columns if name not in measured]
    if rest:
        whole = Dataset.from_frame(fill_missing(frame[rest], "own_state"))
        discrete = {name: (whole.states[v], whole.codes[:, v].astype(np.int64)) for v, name in enumerate(rest)}
    candidates = {name: candidates_of(numbers_of(frame[name])) for name in measured}
    return DescribedTable(names, discrete, candidates, len(frame), least, most)
