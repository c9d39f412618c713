"""Cutting numeric columns into a few ordered states: each column by its own method, or by the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bnengine._core.parallel import Progress
from bnengine.data.cuts import COLUMN_METHODS, cut_at, cut_points, measured_columns, numbers_of, numeric_columns
from bnengine.data.dataset import DataError, checked_columns
from bnengine.discretization.joint import learn_discretization

if TYPE_CHECKING:
    import pandas as pd

#: Levels and cuts by description length, jointly with a graph.
BY_SCORE = "score"
DISCRETIZATIONS = (*COLUMN_METHODS, BY_SCORE)
DEFAULT_BINS = 3

#: Cut points by column.
Cuts = dict[str, tuple[float, ...]]


def discretize(
    frame: pd.DataFrame,
    method: str | Mapping[str, str] = "quantile",
    bins: int | Mapping[str, int] = DEFAULT_BINS,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """A frame whose numeric columns are cut into ordered states named by their ranges.

    Parameters
    ----------
    frame : DataFrame
    method : {"quantile", "width", "score"} or mapping from column to method
        Equally many rows a bin; equally wide bins; or as many levels, cut where, as describe the whole table most
        briefly together with a graph over it: see ``learn_discretization``, here with BIC and hill climbing. Of a
        mapping, columns that are not in it are left as they are.
    bins : int or mapping from column to int
        Number of bins; a column with many equal values may get fewer, and one that is not in a mapping gets 3. Under
        "score" the number is chosen, and this does not count.
    columns : sequence of str, optional
        Which columns; None takes those of the mapping ``method``, or else every numeric column with more than
        ``bins`` distinct values (under "score", with more than 12: fewer are states already).

    Returns
    -------
    DataFrame
        Cut columns are ordered Categoricals; missing cells stay missing. The given frame is not modified.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dose": [0.1, 0.2, 0.4, 0.8], "age": [31, 35, 52, 70]})
    >>> discretize(frame, bins=2)["dose"].tolist()
    ['≤0.3', '≤0.3', '>0.3', '>0.3']
    >>> discretize(frame, method={"age": "width"}, bins={"age": 2})["age"].tolist()
    ['≤50.5', '≤50.5', '>50.5', '>50.5']
    """
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    return cut_at(frame, choose_cuts(frame, method, bins, columns))


def choose_cuts(
    frame: pd.DataFrame,
    method: str | Mapping[str, str] = "quantile",
    bins: int | Mapping[str, int] = DEFAULT_BINS,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Cuts:
    """The cut points at which ``discretize`` cuts, by column.

    ``progress`` is told how far the choice by the score is; where it stops that, the cuts found so far are taken.
    """
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    named = _methods(frame, method, bins, columns)
    wanted = {name: _bins_of(bins, name) for name in named}
    cuts = {
        name: tuple(cut_points(numbers_of(frame[name]), how, wanted[name]))
        for name, how in named.items()
        if how != BY_SCORE
    }
    by_score = [name for name, how in named.items() if how == BY_SCORE]
    if by_score:
        cuts |= learn_discretization(cut_at(frame, cuts), columns=by_score, progress=progress).cuts
    return {name: cuts[name] for name in named}


def _bins_of(bins: int | Mapping[str, int], name: str) -> int:
    return bins.get(name, DEFAULT_BINS) if isinstance(bins, Mapping) else bins


def _methods(
    frame: pd.DataFrame, method: str | Mapping[str, str], bins: int | Mapping[str, int], columns: Sequence[str] | None
) -> dict[str, str]:
    """The method of each column that is to be cut; a ValueError names what does not fit."""
    given = dict(method) if isinstance(method, Mapping) else {}
    for one in given.values() if isinstance(method, Mapping) else [method]:
        if one not in DISCRETIZATIONS:
            raise ValueError(f"method must be one of {', '.join(DISCRETIZATIONS)}; got '{one}'")
    for number in bins.values() if isinstance(bins, Mapping) else [bins]:
        if number < 2:
            raise ValueError(f"bins must be 2 or more; got {number}")
    checked_columns(list(frame.columns), "column names")
    columns = None if columns is None else checked_columns(columns, "columns", "name it once")
    numeric = numeric_columns(frame)
    if columns is None:
        many = [name for name in numeric if frame[name].nunique() > _bins_of(bins, name)]
        columns = (
            list(given) if isinstance(method, Mapping) else measured_columns(frame) if method == BY_SCORE else many
        )
    for name in [*columns, *(bins if isinstance(bins, Mapping) else ())]:
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}' to discretise")
    for name in columns:
        if name not in numeric:
            raise DataError(
                f"column '{name}' holds words (such as '{frame[name].iloc[0]}'), not numbers; it is discrete already"
            )
        if isinstance(method, Mapping) and name not in given:
            raise ValueError(f"method says nothing about column '{name}'; name its method, or leave it out of columns")
    return {name: given[name] if isinstance(method, Mapping) else method for name in columns}
