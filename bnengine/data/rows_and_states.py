"""Rows to keep, order and merging of states, and the ways to learn from rows with missing cells."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnengine._core.arrays import BoolArray, UInt16Array
from bnengine._core.environment import pd
from bnengine._core.validation import one_of, validated
from bnengine.data.checked_frame import DataError, checked_frame, sort_key, state_label
from bnengine.data.columns import numeric_columns


@dataclass(frozen=True)
class MissingWay:
    """One way to learn from rows with missing cells.

    Attributes
    ----------
    help : str
        One sentence.
    keeps : bool
        Whether missing cells stay in the data set, to be dealt with in every replicate.
    """

    label: str
    help: str
    keeps: bool


#: The ways by their keys, in the order of lists.
MISSING_WAYS = {
    "drawn": MissingWay(
        "Drawn",
        "Every replicate fills its missing cells by draws from a network fitted to what is seen, so that the doubt "
        "about them enters the confidence.",
        True,
    ),
    "complete_families": MissingWay(
        "Complete families",
        "Each family is scored on the rows in which the child and all its parents are seen. Where being missing "
        "depends on another variable, this invents edges, as dropping rows does.",
        True,
    ),
    "listwise": MissingWay("Complete rows", "Rows with a missing cell are dropped.", False),
    "own_state": MissingWay("State of its own", "A missing cell is a further state of its variable.", False),
}
#: The way of a data set whose missing cells are kept, unless another is named.
DEFAULT_WAY = "drawn"


def checked_way(way: str, argument: str = "missing") -> str:
    """Return the key of a way; ``"keep"`` is the way taken by default. A ValueError for an unknown one."""
    return DEFAULT_WAY if one_of(way, argument, ("keep", *MISSING_WAYS)) == "keep" else way


#: The state that a missing cell becomes.
MISSING_STATE = "(missing)"


def with_own_states(
    states: tuple[tuple[str, ...], ...], codes: UInt16Array, holes: BoolArray
) -> tuple[tuple[tuple[str, ...], ...], UInt16Array]:
    """Return states and codes in which a missing cell is the last state of its variable, ``MISSING_STATE``.

    A variable that has such a state already keeps its states; it has the same meaning.
    """
    absent = [bool(column.any()) for column in holes.T]
    more = tuple(
        (*own, MISSING_STATE) if hole and MISSING_STATE not in own else own
        for own, hole in zip(states, absent, strict=True)
    )
    last = [own.index(MISSING_STATE) if hole else 0 for own, hole in zip(more, absent, strict=True)]
    return more, np.where(holes, np.array(last), codes).astype(np.uint16)


#: Tests of a cell, with their names in sentence case.
TESTS = {"is": "is one of", "is_not": "is none of", "at_least": "is at least", "at_most": "is at most"}
_OF_NUMBERS = ("at_least", "at_most")


def check_condition(condition: Sequence[str]) -> None:
    """Raise a ValueError unless a condition is a column, a test, and values for it."""
    column, test, values = (*condition, "", "")[0], (*condition, "", "")[1], condition[2:]
    if test not in TESTS or not values:
        raise ValueError(
            f"where takes (column, test, value, …), the test one of {', '.join(TESTS)}; got {', '.join(condition)}"
        )
    if test in _OF_NUMBERS and (len(values) != 1 or not math.isfinite(_number(values[0]))):
        raise ValueError(f"where: '{column}' {TESTS[test]} takes one number; got {', '.join(values)}")


def rows_where(frame: pd.DataFrame, conditions: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return the rows that meet all conditions.

    Parameters
    ----------
    frame : DataFrame
    conditions : sequence of (column, test, value, …)
        The test ``"is"`` (one of the values) or ``"is_not"`` (none of them), ``"at_least"`` or ``"at_most"`` (a number,
        for numeric columns). A missing cell meets only ``"is_not"``.

    Raises
    ------
    DataError
        If a column does not exist or holds no numbers that could be compared, or no row is left.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [17, 30, 70], "region": ["north", "north", "south"]})
    >>> rows_where(frame, [("age", "at_least", "18"), ("region", "is", "north")])["age"].tolist()
    [30]
    """
    kept = frame
    numeric = numeric_columns(frame)
    for condition in conditions:
        check_condition(condition)
        name, test, values = condition[0], condition[1], condition[2:]
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}' to select rows by; check its spelling")
        if test in _OF_NUMBERS and name not in numeric:
            raise DataError(f"rows cannot be selected by '{name} {TESTS[test]} {values[0]}': the column holds text")
        kept = kept[_meets(kept[name], test, values)]
        if not len(kept):
            raise DataError(f"no row is left after '{name} {TESTS[test]} {', '.join(values)[:60]}'; change it")
    return kept.reset_index(drop=True) if conditions else frame


def _meets(column: pd.Series[Any], test: str, values: Sequence[str]) -> Any:
    if test in _OF_NUMBERS:
        numbers = np.asarray(column.astype("float64"), dtype=np.float64)
        return numbers >= _number(values[0]) if test == "at_least" else numbers <= _number(values[0])
    written = column.astype(object).map(state_label, na_action="ignore")
    return written.isin(values).to_numpy() == (test == "is")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


# States of discrete columns: their order, and rare ones merged.

#: The state that rare ones are merged into.
OTHER_STATE = "(other)"


def as_states(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as a Categorical of the states that occur, in order; a DataError if two are written alike."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        values = list(column.cat.categories[np.unique(column.cat.codes[column.cat.codes >= 0])])
    else:
        values = sorted(column.dropna().unique(), key=sort_key)
    labels = [state_label(value) for value in values]
    if len(set(labels)) < len(labels):
        raise DataError(f"column '{column.name}' has two different states that are written alike; rename one of them")
    written = column.astype(object).map(dict(zip(values, labels, strict=True)), na_action="ignore")
    return pd.Series(pd.Categorical(written, categories=labels), index=column.index, name=column.name)


def order_states(frame: pd.DataFrame, orders: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return a frame whose named columns have their states in the given order, then any others; only those present."""
    result = frame.copy()
    for name, wanted in orders.items():
        column = as_states(frame[name])
        present = list(column.cat.categories)
        known = set(present)
        order = list(dict.fromkeys([*(state for state in wanted if state in known), *present]))
        result[name] = column.cat.set_categories(order, ordered=True)
    return result


def merge_rare_states(frame: pd.DataFrame, fewest: Mapping[str, int]) -> pd.DataFrame:
    """Return a frame in which states with fewer rows than given for their column become the state "(other)".

    A single rare state stays as it is, and so does a column in which every state is rare.
    """
    result = frame.copy()
    for name, least in fewest.items():
        column = as_states(frame[name])
        counts = column.value_counts(sort=False)
        rare = [state for state in column.cat.categories if counts[state] < least]
        if len(rare) < 2 or len(rare) == len(column.cat.categories):
            continue
        result[name] = keep_states(column, set(column.cat.categories) - set(rare))
    return result


def keep_states(column: pd.Series[Any], kept: Collection[str]) -> pd.Series[Any]:
    """Return a column of states in which all but some become the state "(other)"."""
    first = [state for state in column.cat.categories if state in kept and state != OTHER_STATE]
    merged = column.astype(object).where(column.isin(first) | column.isna(), OTHER_STATE)
    states = pd.Categorical(merged, categories=[*first, OTHER_STATE], ordered=column.cat.ordered)
    return pd.Series(states, index=column.index, name=column.name)


MISSING_POLICIES = ("drop_rows", "own_state", "most_common")


@validated
def fill_missing(frame: pd.DataFrame, policy: str | Mapping[str, str] = "drop_rows") -> pd.DataFrame:
    """Return a frame without missing cells, but for those that are kept.

    Parameters
    ----------
    frame : DataFrame
    policy : {"drop_rows", "own_state", "most_common"} or mapping from column to policy
        Drop every row with a missing cell; make "(missing)" a state of its own in the columns that have missing cells
        (numbers in these columns become strings, so discretize first); or fill in the column's most common value, of
        equally common ones the first, counted before rows are dropped. Columns that a mapping does not name drop rows;
        those that it says to ``"keep"`` keep their missing cells.

    Raises
    ------
    DataError
        If no row is complete under ``drop_rows``, two states of a column are written alike, or a column to fill has no
        values.
    ValueError
        If the policy is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"home": ["own", None, "own"], "region": ["north", "south", None]})
    >>> fill_missing(frame, {"home": "most_common"})["home"].tolist()
    ['own', 'own']
    """
    for one in policy.values() if isinstance(policy, Mapping) else [policy]:
        if one not in MISSING_POLICIES and not (one == "keep" and isinstance(policy, Mapping)):
            raise ValueError(f"policy must be one of {', '.join(MISSING_POLICIES)}; got '{one!s:.60}'")
    frame = checked_frame(frame)
    if not frame.shape[1]:
        raise DataError("the table has no columns; at least one is needed")
    if not len(frame):
        raise DataError("the table has no rows; at least one is needed")
    policies = dict(policy) if isinstance(policy, Mapping) else dict.fromkeys(frame.columns, policy)
    filled = frame.copy()
    dropping = []
    for name in frame.columns[frame.isna().any()]:
        how = policies.get(name, "drop_rows")
        if how == "drop_rows":
            dropping.append(name)
        elif how == "keep":
            continue
        elif how == "own_state":
            filled[name] = _with_own_state(frame[name])
        else:
            filled[name] = frame[name].fillna(_most_common(frame[name]))
    return _without_rows(filled, dropping)


def _without_rows(frame: pd.DataFrame, dropping: list[str]) -> pd.DataFrame:
    """Drop the rows with missing cells in some columns."""
    if not dropping:
        return frame
    missing = frame[dropping].isna()
    complete = frame[~missing.any(axis=1)].reset_index(drop=True)
    if not len(complete):
        worst = missing.sum().idxmax()
        raise DataError(
            f"every row has a missing cell (most in column '{worst}': {int(missing[worst].sum())}); "
            "leave that column out, or give missing cells a state of their own with policy='own_state'"
        )
    return complete


def _most_common(column: pd.Series[Any]) -> Any:
    """Return the most common value; of equally common ones the first in the order of the states."""
    counts = column.value_counts(sort=False)
    if not counts.sum():
        raise DataError(f"column '{column.name}' has no values, so none is the most common; leave it out")
    common = counts.index[counts == counts.max()]
    if isinstance(column.dtype, pd.CategoricalDtype):
        return next(state for state in column.cat.categories if state in common)
    return min(common, key=sort_key)


def _with_own_state(column: pd.Series[Any]) -> Any:
    """Return a column in which missing is a state, the last one."""
    # astype(object) again, since ``map`` makes an empty column numeric, which cannot hold a string
    if isinstance(column.dtype, pd.CategoricalDtype):
        states = [str(state) for state in column.cat.categories]
        strings = column.astype(object).map(str, na_action="ignore").astype(object)
    else:
        values = sorted(column.dropna().unique(), key=sort_key)
        states = [state_label(value) for value in values]
        strings = column.astype(object).map(state_label, na_action="ignore").astype(object)
    if len(set(states)) < len(states):
        raise DataError(f"column '{column.name}' has two different states that are written alike; rename one of them")
    states = [state for state in states if state != MISSING_STATE]  # an existing one has the same meaning
    return pd.Categorical(strings.fillna(MISSING_STATE), categories=[*states, MISSING_STATE])
