"""Discretization that keeps pairwise mutual information (Hartemink 2001, Sec. 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.parallel import Progress
from bnengine.data.cuts import cut_at, cut_points, numbers_of
from bnengine.data.dataset import MAX_STATES, DataError

if TYPE_CHECKING:
    import pandas as pd

#: Quantile bins of a column at the start.
FIRST_BINS = 60
#: Bound of the states of all columns together, whose pairs are counted: 5,000² counts take 200 MB.
_MOST_STATES = 5_000
#: Beyond which the pairs are refused: 800 MB.
_TOO_MANY_STATES = 10_000
_ALIKE = 1e-9  # losses in nats per row that differ less are equal


def information_cuts(
    frame: pd.DataFrame, bins: Mapping[str, int], progress: Progress | None = None
) -> dict[str, tuple[float, ...]]:
    """Return the cut points of numeric columns that keep most of the pairwise mutual information.

    Each column starts with 60 quantile bins. In every round each column that still has too many merges the two adjacent
    bins that lose least of its mutual information, summed over all other columns; among equal losses, those with fewest
    rows. All columns merge at once, so that the result does not depend on their order. Other columns count as they are,
    unless they have more states than can be learned from; missing cells are a state of their own.

    Parameters
    ----------
    frame : DataFrame
    bins : mapping from column to int
        The columns to cut, and their numbers of bins.
    progress : callable, optional
        Called with (rounds done, rounds at most); returning False keeps the bins of the start that hold equally many
        rows, in the wanted number.

    Returns
    -------
    dict from column to tuple of float
        Increasing cut points.

    Raises
    ------
    DataError
        If all columns together have too many states.
    """
    names = sorted(map(str, frame.columns))
    others = [name for name in names if name not in bins and frame[name].nunique() <= MAX_STATES]
    room = max((_MOST_STATES - sum(frame[name].nunique() + 1 for name in others)) // max(len(bins), 1), 0)
    points: dict[str, list[float]] = {}
    for name in sorted(bins):
        first = max(bins[name], min(FIRST_BINS, room))
        points[name] = cut_points(numbers_of(frame[name]), "quantile", first)
    table = _Levels(cut_at(frame, points), sorted(bins), others)
    rounds = max((len(points[name]) + 1 - bins[name] for name in bins), default=0)
    for done in range(rounds):
        if progress is not None and progress(done, rounds) is False:
            return {name: tuple(cut_points(numbers_of(frame[name]), "quantile", bins[name])) for name in bins}
        merged = {name: table.cheapest(name) for name in sorted(bins) if len(points[name]) + 1 > bins[name]}
        table.merge(merged)
        for name, k in merged.items():
            del points[name][k]
    return {name: tuple(points[name]) for name in bins}


class _Levels:
    """How many rows have each pair of states, of all columns, one after the other."""

    def __init__(self, frame: pd.DataFrame, cut: Sequence[str], others: Sequence[str]) -> None:
        import pandas as pd
        from scipy import sparse

        codes, sizes = [], []
        for name in (*cut, *others):
            column = pd.Categorical(frame[name])
            codes.append(np.where(column.codes < 0, len(column.categories), column.codes))  # missing: the last state
            sizes.append(len(column.categories) + 1)
        self.names = [*cut, *others]
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        if self.starts[-1] > _TOO_MANY_STATES:
            raise DataError(
                f"the method hartemink counts all pairs of states, here of {self.starts[-1]:,}; more than "
                f"{_TOO_MANY_STATES:,} are too many: discretize these columns by quantile, width or kmeans"
            )
        rows = np.repeat(np.arange(len(frame))[:, None], len(codes), axis=1)
        places = np.column_stack(codes) + self.starts[:-1] if codes else np.zeros((len(frame), 0), dtype=np.int64)
        has = sparse.csr_array((np.ones(places.size), (rows.ravel(), places.ravel())), (len(frame), self.starts[-1]))
        self.counts: FloatArray = (has.T @ has).toarray()
        self.n_rows = len(frame)

    def cheapest(self, name: str) -> int:
        """Return the bin that loses least information when it is merged with the next one."""
        place = self.names.index(name)
        first, end = self.starts[place], self.starts[place + 1] - 1  # without the state for missing cells
        own = np.diagonal(self.counts)[first:end]
        block = np.delete(self.counts[first:end], np.s_[first : end + 1], axis=1)
        apart = _entropic(block).sum(axis=1) - (len(self.names) - 1) * _entropic(own)
        pairs = _entropic(block[:-1] + block[1:]).sum(axis=1) - (len(self.names) - 1) * _entropic(own[:-1] + own[1:])
        losses = (apart[:-1] + apart[1:] - pairs) / max(self.n_rows, 1)
        equal = np.flatnonzero(losses <= losses.min() + _ALIKE)
        return int(equal[np.argmin((own[:-1] + own[1:])[equal])])

    def merge(self, merged: Mapping[str, int]) -> None:
        """Merge a bin of each of these columns with its next."""
        gone = [int(self.starts[self.names.index(name)]) + k + 1 for name, k in merged.items()]
        for place in gone:
            self.counts[place - 1] += self.counts[place]
            self.counts[:, place - 1] += self.counts[:, place]
        self.counts = np.delete(np.delete(self.counts, gone, axis=0), gone, axis=1)
        self.starts = self.starts - np.searchsorted(np.sort(gone), self.starts)


def _entropic(counts: FloatArray) -> FloatArray:
    """Return n log n, the part of an entropy that a count contributes."""
    from scipy.special import xlogy

    return np.asarray(xlogy(counts, counts))
