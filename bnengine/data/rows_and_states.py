"""Rows to keep, and states of discrete columns: their order, and rare ones merged."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from bnengine._core.environment import pd
from bnengine.data.checked_frame import DataError, state_label, state_labels, states_of
from bnengine.data.columns import numeric_columns

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
    values, codes = states_of(column)
    found, codes = np.unique(codes, return_inverse=True)
    labels = state_labels(str(column.name), [values[code] for code in found if code >= 0])
    states = pd.Categorical.from_codes(codes - (found[:1] < 0).sum(), labels)
    return pd.Series(states, index=column.index, name=column.name)


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
