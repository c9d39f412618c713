"""Columns that speak of rows: what an experiment set in each, how often it occurs, which unit it is a measurement of.

A variable that an experimenter sets says nothing about its own causes, but all about its effects: in such a row its
family does not count, and every other family does (Cooper & Yoo 1999, Sec. 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import composed, some_of
from bnengine._core.validation import Ge, Le
from bnengine.data.cell_text import folded
from bnengine.data.checked_frame import DataError, empty_table, state_label
from bnengine.data.dependent_rows import DependentRows, blocks_of, clusters_of
from bnengine.data.sampling_weights import numbers_that_fit, weights_of
from bnengine.data.sampling_weights import sampling_weights as as_sampling_weights
from bnengine.data.words import words

#: Largest number of rows of a sample: counts are 32-bit integers.
MOST_ROWS = 2**31 - 1
#: Separates the variables that were set in one row.
SEPARATOR = ";"
#: The variables set in each experiment; the empty tuple is observation.
Targets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Experiments(ReadOnlyArrays):
    """The experiment that each row of a table comes from.

    Attributes
    ----------
    targets : tuple of tuple of str
        The variables that each experiment set, in alphabetical order; the empty tuple is observation.
    of_row : ndarray of int, shape (rows,)
        The number of each row's experiment.
    """

    targets: Targets
    of_row: IntArray

    def counts_for(self, names: Sequence[str]) -> BoolArray:
        """Return whether an experiment's rows count for each variable's family: where it was not set, shape (V, E)."""
        return np.array([[name not in targets for targets in self.targets] for name in names], dtype=np.bool_)

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Experiments:
        """Return those of the given rows; an experiment without rows is still known."""
        return Experiments(self.targets, self.of_row[rows])

    def among(self, names: Sequence[str]) -> Experiments | None:
        """Return the experiments as far as these variables were set in them; None if none was."""
        kept = [tuple(name for name in targets if name in names) for targets in self.targets]
        if not any(kept):
            return None
        distinct = tuple(sorted(set(kept)))
        place = np.array([distinct.index(targets) for targets in kept], dtype=np.int64)
        return Experiments(distinct, place[self.of_row])


def column_of_targets(frame: pd.DataFrame) -> str:
    """Return the one column whose cells are names of other columns (what was set), or empty; "" if not just one."""
    known = {composed(str(name)) for name in frame.columns}
    found = []
    for name in frame.columns:
        values = frame[name].dropna().unique() if frame[name].dtype.kind not in "biufcmM" else []
        parts = {part for value in values for part in _parts(value)}
        if parts and parts <= known - {str(name)} and not any(SEPARATOR in one for one in known):
            found.append(str(name))
    return found[0] if len(found) == 1 else ""


#: Names of a column that counts how often each combination of the others occurs, folded.
_COUNTS = words("column.counts")
_MOST_CLASSES = 12  # different values of each other column


def column_of_counts(frame: pd.DataFrame) -> str:
    """Return the column that counts the rows of a cross-classified table, by its name and its cells; "" if none does.

    Such as R's ``as.data.frame(Titanic)``: every combination of few classes stands in one row.
    """
    found = [str(name) for name in frame.columns if folded(str(name)) in _COUNTS]
    if len(found) != 1 or frame.shape[1] < 3:
        return ""
    others, numbers = frame.drop(columns=found), pd.to_numeric(frame[found[0]], errors="coerce")
    whole = bool((numbers >= 0).all() and (numbers == numbers.round()).all() and numbers.sum() > len(frame))
    few = bool((others.nunique() <= min(_MOST_CLASSES, len(frame) // 2)).all())
    return found[0] if whole and few and not others.duplicated().any() else ""


def with_other_names(column: pd.Series[Any], names: Mapping[str, str]) -> pd.Series[Any]:
    """Return a column of what was set under the variables' new names, without those whose new name is empty."""
    values = column.dropna().unique()
    new = {value: SEPARATOR.join(filter(None, [names.get(part, part) for part in _parts(value)])) for value in values}
    return column.astype(object).map(new).fillna("")


def _parts(cell: Any) -> list[str]:
    return [part for part in (composed(one.strip()) for one in state_label(cell).split(SEPARATOR)) if part]


def numbered(targets: Targets, names: Sequence[str]) -> list[list[int]]:
    """Return the column numbers of the variables that each experiment set."""
    return [[names.index(name) for name in one] for one in targets]


#: Rows of a block of a series.
BlockLength = Annotated[int, Ge(1), Le(MOST_ROWS)]


def row_columns(
    frame: pd.DataFrame,
    interventions: str | None,
    weights: str | None,
    clusters: str | None,
    blocks: int | None,
    sampling_weights: str | None,
) -> tuple[pd.DataFrame, Experiments | None, IntArray | None, DependentRows | None]:
    """Return the columns that are variables, and of each row what was set, how often it occurs and what it depends on.

    Rows of count or weight 0 are left out. A DataError if there is no such column, or its cells are none, or no row or
    variable is left.
    """
    together = {"weights": weights, "clusters": clusters, "blocks": blocks, "sampling_weights": sampling_weights}
    given = [argument for argument, value in together.items() if value is not None]
    if len(given) > 1:
        raise DataError(f"{given[0]} and {given[1]} say two things about the same rows; give one of them")
    columns = {"interventions": interventions} | {key: name for key, name in together.items() if key != "blocks"}
    for argument, column in columns.items():
        if isinstance(column, str) and composed(column) not in frame.columns:
            raise DataError(f"{argument}='{column[:80]}' is no column; there are {some_of(list(frame.columns))}")
    about = [composed(column) for column in columns.values() if isinstance(column, str)]
    names = [name for name in frame.columns if name not in about]
    if not names or not len(frame):
        raise empty_table(len(frame), len(names))
    counts = experiments = None
    dependent: DependentRows | None = None
    if weights is not None:
        counts = counts_of_rows(f"weights='{weights}'", frame[composed(weights)])
        frame, counts = frame[counts > 0], counts[counts > 0]
    if sampling_weights is not None:
        numbers = weights_of(sampling_weights, frame[composed(sampling_weights)])
        frame, dependent = frame[numbers > 0], as_sampling_weights(numbers[numbers > 0])
    if clusters is not None:
        dependent = clusters_of(clusters, frame[composed(clusters)])
    if blocks is not None:
        dependent = blocks_of(blocks, len(frame))
    if interventions is not None:
        experiments = experiments_of(interventions, frame[composed(interventions)], names)
    return frame[names], experiments, counts, dependent


def experiments_of(name: str, column: pd.Series[Any], variables: Sequence[str]) -> Experiments | None:
    """Return the experiments that a column names: in each row the variables that were set; None if no row names any.

    Several variables are separated by a semicolon. A DataError if a cell names something else, or a variable was set in
    every row, so that nothing is known about its parents.
    """
    split = next((one for one in variables if SEPARATOR in one), None)
    if split is not None:
        raise DataError(f"semicolons separate the names in '{name}'; rename the column '{split}' without its semicolon")
    codes, values = pd.factorize(column, use_na_sentinel=True)
    known = set(variables)
    found: list[tuple[str, ...]] = []
    for value in values:
        named = _parts(value)
        for one in named:
            if one not in known:
                raise DataError(
                    f"interventions='{name}' names the variables that were set; '{one[:80]}' in row "
                    f"{int(np.argmax(codes == len(found))) + 1:,} is none of {some_of(list(variables))}. An observed "
                    "row has an empty cell"
                )
        found.append(tuple(sorted(set(named))))
    every = Experiments(((), *found), (codes + 1).astype(np.int64))
    merged = every.among(variables)
    if merged is None:
        return None
    there = merged.counts_for(variables)[:, np.unique(merged.of_row)]
    never = [variable for variable, counts in zip(variables, there, strict=True) if not counts.any()]
    if never:
        raise DataError(
            f"'{never[0]}' was set in every row (interventions='{name}'), so nothing is known about its parents; add "
            "rows in which it was only observed, or leave the column out"
        )
    return merged


def counts_of_rows(called: str, column: pd.Series[Any]) -> IntArray:
    """Return how often each row occurs, shape (R,), by a column of whole numbers of 0 or more; else a DataError."""
    remedy = "correct it, or divide all counts by the same number"
    numbers = numbers_that_fit(
        called,
        column,
        lambda given: (given <= MOST_ROWS) & (given == np.floor(given)),
        f"whole numbers from 0 to {MOST_ROWS:,}, which count rows",
        f"{remedy}; weights of a survey, such as 0.5, are sampling_weights",
    )
    total = int(numbers.sum())
    if not 1 <= total <= MOST_ROWS:
        raise DataError(f"{called} must add up to 1 to {MOST_ROWS:,} rows; they add up to {total:,}: {remedy}")
    counts: IntArray = numbers.astype(np.int64)
    return counts
