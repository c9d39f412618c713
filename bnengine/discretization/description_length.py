"""A table of numbers as it is described with cuts and a network.

The description has four parts (Friedman & Goldszmidt 1996, Section 3), here in nats:

* the network and the discretised table: minus the score, for BIC N sum_i H(X_i* | parents*) + |theta| / 2 ln N;
* the number of levels of each measured column, one of K: ln K;
* its k - 1 cuts among its m candidate cuts: ln binom(m, k - 1);
* each number given its level: N H(X_i | X_i*), with the frequencies of the values in the table.

The last part is what makes tables of different levels comparable. Since X_i* is a function of X_i, the first and the
last add up to N sum_i H(X_i) - N sum_i I(X_i*; parents*), of which only the information depends on the cuts: a
coarser table is no shorter by itself, and levels are worth what they tell about the neighbours in the graph.
Every graph costs the same; a structure prior (``WithPrior``) charges for edges, ln V nats each in the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnengine.data.cuts import numbers_of
from bnengine.data.dataset import Dataset
from bnengine.data.missing import fill_missing
from bnengine.discretization.levels import Candidates, Codes, Neighbours, best_cuts, candidates_of, ranked
from bnengine.graphs.dag import Adjacency
from bnengine.scores.scores import BIC

if TYPE_CHECKING:
    import pandas as pd

#: Numbers of the candidate points that are the cuts, by column.
Chosen = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class DescribedTable:
    """The columns in the order of their names: discrete ones coded, measured ones with their candidate cuts."""

    names: tuple[str, ...]
    discrete: Mapping[str, tuple[tuple[str, ...], Codes]]
    candidates: Mapping[str, Candidates]
    n_rows: int
    least: int
    most: int

    def even(self, levels: int) -> dict[str, tuple[int, ...]]:
        """Cuts into so many levels of about equally many rows."""
        nobody = Neighbours((np.zeros(self.n_rows, dtype=np.int64), 1.0), ())
        return {name: best_cuts(one, nobody, BIC(), levels, levels) for name, one in self.candidates.items()}

    def codes(self, name: str, chosen: Chosen) -> tuple[Codes, int]:
        """A column's states by number, and how many there are."""
        if name not in self.candidates:
            states, codes = self.discrete[name]
            return codes, len(states)
        one = self.candidates[name]
        return one.levels(chosen[name]), len(chosen[name]) + 1 + one.has_missing

    def data(self, chosen: Chosen) -> Dataset:
        """The discretised table."""
        columns = [self.codes(name, chosen) for name in self.names]
        states = tuple(tuple(map(str, range(arity))) for _, arity in columns)
        return Dataset(self.names, states, np.column_stack([codes for codes, _ in columns]).astype(np.uint16))

    def length(self, chosen: Chosen, network_score: float) -> float:
        """Description length, nats, of the whole table."""
        return sum(self.candidates[v].code_length(chosen[v], self.most) for v in self.candidates) - network_score

    def neighbours(self, name: str, chosen: Chosen, adjacency: Adjacency) -> Neighbours:
        """The families that a column is in."""
        v = self.names.index(name)
        children = []
        for child in np.flatnonzero(adjacency[v]).tolist():
            others = [p for p in np.flatnonzero(adjacency[:, child]).tolist() if p != v]
            codes, q = _configurations([self.codes(self.names[p], chosen) for p in others], self.n_rows)
            children.append((codes, q, *self.codes(self.names[child], chosen)))
        parents = [self.codes(self.names[p], chosen) for p in np.flatnonzero(adjacency[:, v]).tolist()]
        return Neighbours(_configurations(parents, self.n_rows), children)


def _configurations(columns: Sequence[tuple[Codes, int]], n_rows: int) -> tuple[Codes, float]:
    """Number of each row's configuration among the observed ones, and how many there are, observed or not."""
    codes, q = np.zeros(n_rows, dtype=np.int64), 1.0
    for states, arity in columns:
        codes = ranked(codes * arity + states)
        q *= arity
    return codes, q


def described(frame: pd.DataFrame, measured: Sequence[str], least: int, most: int) -> DescribedTable:
    """The table of a frame whose measured columns are to get between ``least`` and ``most`` levels."""
    names = tuple(sorted(frame.columns))
    discrete = {}
    rest = [name for name in frame.columns if name not in measured]
    if rest:
        whole = Dataset.from_frame(fill_missing(frame[rest], "own_state"))
        discrete = {name: (whole.states[v], whole.codes[:, v].astype(np.int64)) for v, name in enumerate(rest)}
    candidates = {name: candidates_of(numbers_of(frame[name])) for name in measured}
    return DescribedTable(names, discrete, candidates, len(frame), least, most)
