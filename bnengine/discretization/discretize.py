"""Discretization of numeric columns: each by its own method, or all jointly by description length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress, to_the_end
from bnengine._core.validation import Bins, validated
from bnengine.data.checked_frame import MAX_STATES, DataError, checked_columns, checked_frame
from bnengine.data.columns import measured_columns, numbers_of, numeric_columns
from bnengine.discretization.by_description import cuts_by_description, n_log_n
from bnengine.discretization.cut_points import (
    COLUMN_METHODS,
    check_exist,
    check_numeric,
    checked_points,
    cut_at,
    cut_points,
)

#: Numbers of states and cut points by description length, jointly with a graph.
BY_SCORE = "score"
#: Bins that keep most of the pairwise mutual information.
BY_INFORMATION = "hartemink"
DISCRETIZATIONS = (*COLUMN_METHODS, BY_INFORMATION, BY_SCORE)
DEFAULT_BINS = 3

#: Cut points by column.
Cuts = dict[str, tuple[float, ...]]
#: How a column is cut: a method, or the cut points themselves.
CutRule = str | Sequence[float]


@validated
def discretize(
    frame: pd.DataFrame,
    method: str | Mapping[str, CutRule] = "quantile",
    bins: Bins | Mapping[str, Bins] = DEFAULT_BINS,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Cut numeric columns into ordered states labelled by their intervals.

    Parameters
    ----------
    frame : DataFrame
    method : {"quantile", "width", "kmeans", "hartemink", "score"} or mapping from column to method
        Equally many rows per bin; bins of equal width; bins of values near each other (k-means); bins that keep most of
        the columns' pairwise mutual information (Hartemink 2001, Sec. 5.3); or from two to eight states whose cut
        points, together with a graph, give the shortest description of the whole table (Friedman & Goldszmidt 1996),
        its network described by BIC. A mapping may also hold a column's cut points. Columns that a mapping does not
        name stay as they are.
    bins : int or mapping from column to int
        Number of bins; columns with many tied values may get fewer, and columns that a mapping does not name get 3.
        Ignored under "score", which chooses the number.
    columns : sequence of str, optional
        Columns to cut; by default those of the mapping ``method``, otherwise every numeric column with more than
        ``bins`` distinct values (under "score", more than 12: with fewer, the values are states already).

    Returns
    -------
    DataFrame
        A new frame in which the cut columns are ordered Categoricals; missing cells stay missing.

    Raises
    ------
    DataError
        If a column does not exist or holds no numbers.
    ValueError
        If a method is unknown or missing, or bins is below 2.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dose": [0.1, 0.2, 0.4, 0.8], "age": [31, 35, 52, 70]})
    >>> discretize(frame, bins=2)["dose"].tolist()
    ['≤0.3', '≤0.3', '>0.3', '>0.3']
    >>> discretize(frame, method={"age": "width"}, bins={"age": 2})["age"].tolist()
    ['≤50.5', '≤50.5', '>50.5', '>50.5']
    >>> discretize(frame, {"age": [40, 65]})["age"].tolist()
    ['≤40', '≤40', '40–65', '>65']
    """
    frame = checked_frame(frame)
    return cut_at(frame, choose_cuts(frame, method, bins, columns))


@to_the_end
def choose_cuts(
    frame: pd.DataFrame,
    method: str | Mapping[str, CutRule] = "quantile",
    bins: int | Mapping[str, int] = DEFAULT_BINS,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
    fixed: bool = False,
) -> Cuts:
    """Return the cut points by column at which ``discretize`` cuts.

    With ``fixed``, the number of states by the score is that of ``bins``, too, and is searched from one start.
    ``progress`` follows the choice by the score; if it returns False, the cut points found so far are used.
    """
    named = _methods(frame, method, bins, columns)
    wanted = {name: _bins_of(bins, name) for name in named}
    cuts: Cuts = {}
    for name, how in named.items():
        if not isinstance(how, str):
            cuts[name] = checked_points(name, how)
        elif how in COLUMN_METHODS:
            cuts[name] = tuple(cut_points(numbers_of(frame[name]), how, wanted[name]))
    by_information = {name: wanted[name] for name, how in named.items() if how == BY_INFORMATION}
    by_score = [name for name, how in named.items() if how == BY_SCORE]
    if by_information:
        rest = frame.drop(columns=by_score)
        cuts |= information_cuts(cut_at(rest, cuts), by_information, progress)
    if by_score:
        levels = {name: wanted[name] for name in by_score} if fixed else {}
        cuts |= cuts_by_description(cut_at(frame, cuts), by_score, progress, levels)
    return {name: cuts[name] for name in named}


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
    """Return the increasing cut points of numeric columns that keep most of the pairwise mutual information.

    Each column starts with 60 quantile bins. In every round each column that still has too many (``bins`` by column)
    merges the two adjacent bins that lose least of its mutual information, summed over all other columns; among equal
    losses, those with fewest rows. All columns merge at once, so that the result does not depend on their order. Other
    columns count as they are, unless they have more states than can be learned from; missing cells are a state of their
    own. A DataError if all columns together have too many states.

    ``progress`` is called with (rounds done, rounds at most); returning False keeps the bins of the start that hold
    equally many rows, in the wanted number.
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
        apart = n_log_n(block).sum(axis=1) - (len(self.names) - 1) * n_log_n(own)
        pairs = n_log_n(block[:-1] + block[1:]).sum(axis=1) - (len(self.names) - 1) * n_log_n(own[:-1] + own[1:])
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


def _bins_of(bins: int | Mapping[str, int], name: str) -> int:
    return bins.get(name, DEFAULT_BINS) if isinstance(bins, Mapping) else bins


def _methods(
    frame: pd.DataFrame,
    method: str | Mapping[str, CutRule],
    bins: int | Mapping[str, int],
    columns: Sequence[str] | None,
) -> dict[str, CutRule]:
    """Return the method of each column to cut; DataError or ValueError for settings that do not fit the frame."""
    given: dict[str, CutRule] = {} if isinstance(method, str) else dict(method)
    for one in [method] if isinstance(method, str) else given.values():
        if isinstance(one, str) and one not in DISCRETIZATIONS:
            raise ValueError(f"method must be one of {', '.join(DISCRETIZATIONS)}; got '{one}'")
    columns = None if columns is None else checked_columns(columns, "columns", "name it once")
    if columns is None:
        columns = _cut_by_default(frame, method, bins) if isinstance(method, str) else list(given)
    check_numeric(frame, columns)
    check_exist(frame, bins if isinstance(bins, Mapping) else ())
    for name in columns:
        if not isinstance(method, str) and name not in given:
            raise ValueError(f"method has no entry for column '{name}'; add its method, or leave it out of columns")
    return {name: method if isinstance(method, str) else given[name] for name in columns}


def _cut_by_default(frame: pd.DataFrame, method: str, bins: int | Mapping[str, int]) -> list[str]:
    """Return the columns that a method cuts unless others are named."""
    if method == BY_SCORE:
        return measured_columns(frame)
    return [name for name in numeric_columns(frame) if frame[name].nunique() > _bins_of(bins, name)]
