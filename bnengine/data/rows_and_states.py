"""Rows to keep, and states of discrete columns: their order, rare ones merged, neighbours joined."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine._core.environment import pd
from bnengine.data.checked_frame import DataError, categorical, state_label
from bnengine.data.columns import numbers_of, numeric_columns
from bnengine.data.words import alternatives, in_each_language, words

#: Tests of a cell, with their names in sentence case.
TESTS = {"is": "is one of", "is_not": "is none of", "at_least": "is at least", "at_most": "is at most"}
OF_NUMBERS = ("at_least", "at_most")


def check_condition(condition: Sequence[str]) -> None:
    """Raise a ValueError unless a condition is a column, a test, and values for it."""
    column, test, values = (*condition, "", "")[0], (*condition, "", "")[1], condition[2:]
    if test not in TESTS or not values:
        raise ValueError(
            f"where takes (column, test, value, …), the test one of {', '.join(TESTS)}; got {', '.join(condition)}"
        )
    if test in OF_NUMBERS and (len(values) != 1 or not _is_number(values[0])):
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
    ValueError
        If a condition is none (``check_condition``).
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
        name, test, *values = condition
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}' to select rows by; check its spelling")
        if test in OF_NUMBERS and name not in numeric:
            raise DataError(f"rows cannot be selected by '{name} {TESTS[test]} {values[0]}': the column holds text")
        kept = kept[_meets(kept[name], test, values)]
        if not len(kept):
            raise DataError(f"no row is left after '{name} {TESTS[test]} {', '.join(values)[:60]}'; change it")
    return kept.reset_index(drop=True) if conditions else frame


def _meets(column: pd.Series[Any], test: str, values: Sequence[str]) -> Any:
    if test in OF_NUMBERS:
        numbers = numbers_of(column)
        return numbers >= float(values[0]) if test == "at_least" else numbers <= float(values[0])
    written = column.astype(object).map(state_label, na_action="ignore")
    return written.isin(values).to_numpy() == (test == "is")


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        return math.isfinite(float(text))
    return False


# States of discrete columns: their order, and rare ones merged.

#: The state that rare ones are merged into.
OTHER_STATE = "(other)"


def as_states(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as a Categorical of the states that occur, in order; a DataError if two are written alike."""
    used = column.cat.remove_unused_categories() if isinstance(column.dtype, pd.CategoricalDtype) else column
    return pd.Series(categorical(used), index=column.index, name=column.name)


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
        result[name] = _renamed(column, {state: OTHER_STATE if state in rare else state for state in counts.index})
    return result


def _renamed(column: pd.Series[Any], new: Mapping[str, str]) -> Any:
    """Return a column with other names for its states, in this order; "(other)" is the last."""
    return pd.Categorical(column.astype(object).map(new), sorted(dict.fromkeys(new.values()), key=OTHER_STATE.__eq__))


#: States that ordered variables have when neighbours are joined, and others with the one for all that is less common.
JOINED_ORDERED, JOINED_OTHERS = 3, 4


def join_states(frame: pd.DataFrame, columns: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return a frame in which columns have fewer states: of ordered ones neighbours are joined, of others the rarest.

    The order is the given one, or else that of the states' words; it is kept.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"pain": ["none", "low", "medium", "high", "very high"], "town": [*"abcde"]})
    >>> joined = join_states(frame, {"pain": (), "town": ()})
    >>> list(joined["pain"].cat.categories), list(joined["town"].cat.categories)
    (['none or low', 'medium', 'high or very high'], ['a', 'b', 'c', '(other)'])
    """
    result = frame.copy()
    for name, by_hand in columns.items():
        column = as_states(frame[name])
        counts = column.value_counts(sort=False)
        states = list(counts.index)
        if order := by_hand or [states[place] for place in state_order(states) or ()]:
            new = _with_neighbours(counts[[state for state in dict.fromkeys([*order, *states]) if state in counts]])
        else:
            rarest = counts.sort_values(ascending=False, kind="stable").index[JOINED_OTHERS - 1 :]
            new = {state: OTHER_STATE if state in rarest and len(rarest) > 1 else state for state in states}
        result[name] = _renamed(column, new)
    return result


def groups_of_neighbours(counts: IntArray) -> IntArray:
    """Return the group of each of ordered states, by their numbers of rows; groups have about equally many.

    >>> groups_of_neighbours(np.array([1, 1, 2, 1, 1]))
    array([0, 0, 1, 2, 2])
    """
    middle = (counts.cumsum() - counts / 2) / max(counts.sum(), 1)
    return np.asarray((middle * JOINED_ORDERED).astype(np.int64))


def fewer_points(column: pd.Series[Any], points: tuple[float, ...]) -> tuple[float, ...]:
    """Return the cut points that are left when neighbouring bins are joined, where there are more than joined states.

    >>> fewer_points(pd.Series([1, 2, 3, 4, 5, 6]), (1.5, 2.5, 3.5, 4.5, 5.5))
    (2.5, 4.5)
    """
    if len(points) < JOINED_ORDERED:
        return points
    numbers = numbers_of(column)
    places = np.searchsorted(points, numbers[np.isfinite(numbers)], side="left")
    group = groups_of_neighbours(np.bincount(places, minlength=len(points) + 1))
    return tuple(points[k] for k in np.flatnonzero(np.diff(group)))


def _with_neighbours(counts: pd.Series[int]) -> dict[str, str]:
    """Return for each of ordered states the name of its group."""
    groups = [list(group.index) for _, group in counts.groupby(groups_of_neighbours(counts.to_numpy()))]
    return {state: " or ".join(own) if len(own) < 3 else f"{own[0]} to {own[-1]}" for own in groups for state in own}


# Ordered answers: which states follow one another, by what is written in them.

#: A number at the beginning, as in 3, ≤2.5, 10–19, (1, 2], 65+, "4 = agree"; with what stands before it.
_STARTS = re.compile(
    rf"(?:([<>≤≥(\[]|{alternatives('number.below')}|{alternatives('number.above')})\s*)?(-?\d+(?:[.,]\d+)?)",
    re.IGNORECASE,
)
#: What puts a state just below, or just above, the number it names.
_BELOW, _ABOVE = words("number.below") | {"<", "≤"}, words("number.above") | {">", "≥"}


def state_order(states: Sequence[str]) -> tuple[int, ...] | None:
    """Find the order of ordered states.

    Numbers and ranges are ordered, and so are the answers of common scales (such as never … always, disagree … agree,
    low … high, no and yes) in each language of ``data/words``.

    Parameters
    ----------
    states : sequence of str

    Returns
    -------
    tuple of int or None
        The numbers of the states in increasing order; None where no order is known.

    Examples
    --------
    >>> state_order(["agree", "disagree", "neutral"])
    (1, 2, 0)
    >>> state_order(["≤2", "2–5", ">5"])
    (0, 1, 2)
    >>> state_order(["red", "green"]) is None
    True
    """
    places = _numbers(states) or _answers(states)
    if places is None or len(set(places)) < len(places):
        return None
    return tuple(sorted(range(len(places)), key=places.__getitem__))


def _numbers(states: Sequence[str]) -> list[tuple[float, int]] | None:
    found = []
    for state in states:
        match = _STARTS.match(state.lstrip())
        if match is None:
            return None
        before = (match[1] or "").lower()
        found.append((float(match[2].replace(",", ".")), (before in _ABOVE) - (before in _BELOW)))
    return found


@functools.cache
def _scales() -> list[dict[str, int]]:
    """Return of each common scale the places of its answers, in increasing order; several may have one place."""
    languages = in_each_language("scale")
    return [
        {
            word.strip(): k
            for own in languages
            for k, line in enumerate(own[name])
            for word in line.casefold().split("|")
            if word
        }
        for name in languages[0]
    ]


def are_levels(states: Sequence[str]) -> bool:
    """Return whether states are levels of a quantity, such as low and high, and no answers to a question."""
    levels = next(scale for scale in _scales() if "very low" in scale)
    return all(state.casefold() in levels for state in states)


def _answers(states: Sequence[str]) -> list[int] | None:
    joined = [re.split(" (?:or|to) ", " ".join(state.replace("’", "'").casefold().split())) for state in states]
    for places in _scales():
        if all(word in places for words in joined for word in words):
            ranges = [(places[words[0]], places[words[-1]]) for words in joined]
            ends = [end for one in sorted(ranges) for end in one]
            return [first for first, _ in ranges] if ends == sorted(ends) else None
    return None
