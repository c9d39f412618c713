"""Rows to keep, missing cells, and states of discrete columns: their order, rare ones merged, neighbours joined."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, IntArray, UInt16Array
from bnengine._core.environment import pd
from bnengine._core.validation import one_of, validated
from bnengine.data.checked_frame import DataError, checked_frame, empty_table, state_label, state_labels, states_of
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
    if test in OF_NUMBERS and (len(values) != 1 or not math.isfinite(_number(values[0]))):
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
        return numbers >= _number(values[0]) if test == "at_least" else numbers <= _number(values[0])
    written = column.astype(object).map(state_label, na_action="ignore")
    return written.isin(values).to_numpy() == (test == "is")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


# Missing cells: ways to fill or drop them, and ways to learn from rows that have some.

#: The state that a missing cell becomes.
MISSING_STATE = "(missing)"
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

    Returns
    -------
    DataFrame
        A new frame; columns with a state of its own for missing cells are Categoricals.

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
    if not frame.size:
        raise empty_table(*frame.shape)
    policies = dict(policy) if isinstance(policy, Mapping) else dict.fromkeys(frame.columns, policy)
    filled = frame.copy()
    dropping = []
    for name in frame.columns[frame.isna().any()]:
        how = policies.get(name, "drop_rows")
        if how == "drop_rows":
            dropping.append(name)
        elif how == "own_state":
            filled[name] = _with_own_state(frame[name])
        elif how == "most_common":
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
    values, codes = states_of(column)
    if codes.max(initial=-1) < 0:
        raise DataError(f"column '{column.name}' has no values, so none is the most common; leave it out")
    return values[int(np.bincount(codes[codes >= 0]).argmax())]


def _with_own_state(column: pd.Series[Any]) -> Any:
    """Return a column in which missing is a state, the last one; an existing one has the same meaning."""
    values, codes = states_of(column)
    states = pd.Categorical.from_codes(codes, state_labels(str(column.name), values))
    kept = [state for state in states.categories if state != MISSING_STATE]
    return states.set_categories([*kept, MISSING_STATE]).fillna(MISSING_STATE)


# Ways to learn from rows with missing cells, and data sets in which these are no longer missing.


class MissingWay(NamedTuple):
    """One way to learn from rows with missing cells.

    Attributes
    ----------
    help : str
        One sentence.
    keeps : bool
        Whether missing cells stay in the data set, to be dealt with in every replicate.
    """

    help: str
    keeps: bool


#: The ways by their keys, in the order of lists.
MISSING_WAYS = {
    "drawn": MissingWay(
        "Every replicate fills its missing cells by draws from a network fitted to what is seen, so that the doubt "
        "about them enters the confidence.",
        True,
    ),
    "complete_families": MissingWay(
        "Each family is scored on the rows in which the child and all its parents are seen. Where being missing "
        "depends on another variable, this invents edges, as dropping rows does.",
        True,
    ),
    "listwise": MissingWay("Rows with a missing cell are dropped.", False),
    "own_state": MissingWay("A missing cell is a further state of its variable.", False),
}
#: The way of a data set whose missing cells are kept, unless another is named.
DEFAULT_WAY = "drawn"


def checked_way(way: str, argument: str = "missing") -> str:
    """Return the key of a way; ``"keep"`` is the way taken by default. A ValueError for an unknown one."""
    return DEFAULT_WAY if one_of(way, argument, ("keep", *MISSING_WAYS)) == "keep" else way


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
