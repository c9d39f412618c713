"""What a repair is, how it is made, and what it does in one line a kind: for pages, commands and scripts alike.

A repair is made by its *step*, a list of texts that a recipe, a link and a command can hold: the kind, the column, and
details that say exactly what is changed, so that it is the same for every reader of the same table.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnengine._core.display import listed, quoted
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine.data.cell_text import date_in, decoded_once_more
from bnengine.data.checked_frame import DataError, state_label
from bnengine.data.number_text import Numbers, is_unit, number_in, numbers_in
from bnengine.data.rows_and_states import OTHER_STATE, as_states, keep_states

#: The kinds of repairs, in the order in which they are made.
REPAIR_KINDS = {
    "encoding": "Text that was encoded twice",
    "total": "Row of totals left out",
    "missing": "Codes for missing values",
    "none": "Dashes that may say that there is none",
    "spellings": "Spellings of one value",
    "number": "Numbers written as text",
    "date": "Dates and times",
    "rare": "Rare categories joined",
    "leave_out": "Columns left out",
}
PARTS = ("year", "quarter", "month", "weekday", "hour")
_WEEKDAYS = ("1 Monday", "2 Tuesday", "3 Wednesday", "4 Thursday", "5 Friday", "6 Saturday", "7 Sunday")
SINCE, UNTIL = "days since", "years until"

Step = tuple[str, ...]


@dataclass(frozen=True)
class Repair:
    """A proposed repair of one column.

    Attributes
    ----------
    kind : str
        One of "encoding", "total", "missing", "none", "spellings", "number", "date", "rare", "leave_out".
    details : tuple of str
        What exactly is changed: the codes; pairs of a spelling and what replaces it; the decimal mark, and the unit if
        there are several; the order of a date's parts and what is kept of it; the states that are kept.
    count : int
        The number of cells that change.
    before, after : str
        Some of these cells, and what becomes of them.
    sentence : str
        What is the matter, in one sentence.
    choices : tuple of tuple of str
        Other details that may be chosen.
    is_sure : bool
        Whether it joins only what means the same, and loses nothing but codes for missing values, or parts of a column
        that would be lost as a whole. Others are proposed too, but made only where they are named.
    """

    kind: str
    column: str
    details: tuple[str, ...]
    count: int
    before: str
    after: str
    sentence: str
    choices: tuple[tuple[str, ...], ...] = ()
    is_sure: bool = True

    @property
    def step(self) -> Step:
        """The repair as a list of texts, which ``bn.prepare`` and a recipe take."""
        return (self.kind, self.column, *self.details)

    @property
    def change(self) -> str:
        """What becomes of some cells; empty for a number that looks the same before and after."""
        same = self.kind == "number" and number_in(self.before, "point") == number_in(self.after, "point")
        return "" if same else f"{self.before} → {self.after}"


def check_steps(steps: Iterable[Sequence[str]]) -> None:
    """Raise a ValueError unless each step is one that can be made."""
    for step in steps:
        kind, details = (*step, "")[0], step[2:]
        right = {
            "total": len(details) == 1,
            "missing": len(details) > 0,
            "none": len(details) > 0,
            "spellings": len(details) > 1 and len(details) % 2 == 0,
            "encoding": not details and len(step) == 2,
            "number": details[:1] in (("point",), ("comma",)) and all(map(is_unit, details[1:])) and len(details) < 3,
            "date": _is_date_step(details),
            "rare": len(details) > 0,
            "leave_out": not details and len(step) == 2,
        }
        if not right.get(kind):
            raise ValueError(
                f"a repair is (kind, column, details …), the kind one of {', '.join(REPAIR_KINDS)}; got "
                f"{', '.join(step)[:80]}"
            )


def _is_date_step(details: Sequence[str]) -> bool:
    orders = ("", "ymd", "dmy", "mdy")
    if len(details) == 2:
        return details[0] in orders and details[1] in PARTS
    return len(details) == 4 and details[0] in orders and details[1] in (SINCE, UNTIL) and details[3] in orders


def made_name(step: Sequence[str]) -> str:
    """Return the name of the column that a step makes: another one where it makes another thing of a date."""
    if step[0] != "date":
        return step[1]
    return f"{step[1]} ({' '.join(step[3:5])})"


def repaired(frame: pd.DataFrame, steps: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return the table with the steps made, but for those made before; a DataError if it lacks a step's column."""
    if not steps:
        return frame
    there = set(map(str, frame.columns))
    frame = _without_totals(frame, [step for step in steps if step[0] == "total" and step[1] in there])
    columns = {str(name): frame[name] for name in frame.columns}
    names = {name: name for name in columns}
    for step in sorted(steps, key=lambda one: list(REPAIR_KINDS).index(one[0])):
        name = step[1]
        if name not in there:
            if step[0] != "leave_out" and made_name(step) not in there:
                raise DataError(f"the table has no column '{name}', which a repair is about; check its spelling")
        elif step[0] == "leave_out":
            columns.pop(name)
        elif step[0] == "total":
            continue
        elif step[0] == "date":
            columns[name] = _without_date(frame, step)
            names[name] = made_name(step)
        else:
            columns[name] = _CHANGES[step[0]](columns[name], step[2:])
    made = {names[name]: column for name, column in columns.items()}
    made = {name: column for name, column in made.items() if ("leave_out", name) not in {tuple(one) for one in steps}}
    return _frame(made, frame)


def _without_totals(frame: pd.DataFrame, steps: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return the table without its last row where this has a total's name."""
    if any(len(frame) and state_label(frame[step[1]].iloc[-1]) == step[2] for step in steps):
        return frame.iloc[:-1]
    return frame


def _frame(columns: dict[str, Any], like: pd.DataFrame) -> pd.DataFrame:
    result = pd.DataFrame(columns, index=like.index, copy=False)
    result.attrs = dict(like.attrs)
    return result


# How each kind is made: on the distinct values of a column.


def distinct_of(column: pd.Series[Any]) -> tuple[Any, list[str]]:
    """Return a code for each row, −1 where the cell is missing, and the labels of the codes."""
    codes, values = pd.factorize(column)
    return codes, [state_label(value) for value in values]


def tally_of(column: pd.Series[Any]) -> dict[str, int]:
    """Return the number of rows of each label, in the order of the labels."""
    codes, labels = distinct_of(column)
    found = Counter[str]()
    for label, n in zip(labels, np.bincount(codes[codes >= 0], minlength=len(labels)).tolist(), strict=True):
        found[label] += n
    return {label: found[label] for label in sorted(found) if found[label]}


def _taken(column: pd.Series[Any], codes: Any, values: Sequence[Any], dtype: Any) -> pd.Series[Any]:
    """Return a column with new values of its codes; missing cells stay missing."""
    array = pd.array([*values, None], dtype=dtype)
    return pd.Series(array.take(codes), index=column.index, name=column.name)


def _numbers(column: pd.Series[Any], codes: Any, values: Sequence[float | None]) -> pd.Series[Any]:
    whole = all(value is None or (float(value).is_integer() and abs(value) < 2**53) for value in values)
    given = [None if value is None else int(value) if whole else float(value) for value in values]
    return _taken(column, codes, given, "Int64" if whole else "Float64")


def _made_missing(column: pd.Series[Any], details: Sequence[str]) -> pd.Series[Any]:
    codes, labels = distinct_of(column)
    gone = np.array([label in set(details) for label in labels] + [False])
    return column.mask(gone[codes]) if gone.any() else column


def _respelled(column: pd.Series[Any], details: Sequence[str]) -> pd.Series[Any]:
    codes, labels = distinct_of(column)
    new = dict(zip(details[::2], details[1::2], strict=True))
    return _taken(column, codes, [new.get(label, label) for label in labels], "str")


def _decoded(column: pd.Series[Any], details: Sequence[str]) -> pd.Series[Any]:
    codes, labels = distinct_of(column)
    read = [decoded_once_more(label) or label for label in labels]
    return column if read == labels else _taken(column, codes, read, "str")


def _read_as_numbers(column: pd.Series[Any], details: Sequence[str]) -> pd.Series[Any]:
    if column.dtype.kind in "iuf":
        return column
    codes, labels = distinct_of(column)
    numbers = numbers_in(tally_of(column), *details)
    if numbers.unit is None:
        raise DataError(no_common_unit(str(column.name), numbers))
    return _numbers(column, codes, [numbers.values.get(label) for label in labels])


def no_common_unit(name: str, numbers: Numbers) -> str:
    """Say why a column cannot be read as numbers."""
    return (
        f"'{name}' holds numbers in {numbers.units}, which cannot be converted into one unit; split it into a column "
        "for each unit, or leave it out"
    )


def _with_rare_joined(column: pd.Series[Any], details: Sequence[str]) -> pd.Series[Any]:
    states, kept = as_states(column), {*details, OTHER_STATE}
    return column if kept.issuperset(states.cat.categories) else keep_states(states, kept)


_CHANGES: dict[str, Callable[[Any, Sequence[str]], Any]] = {
    "encoding": _decoded,
    "missing": _made_missing,
    "none": _made_missing,  # its holes become a state of their own when the recipe fills the missing cells
    "spellings": _respelled,
    "number": _read_as_numbers,
    "rare": _with_rare_joined,
}


def times_of(column: pd.Series[Any], order: str) -> Any:
    """Return the times of a column, to the minute; cells that are no dates have none."""
    if column.dtype.kind == "M":
        return column.to_numpy(dtype="datetime64[m]")
    codes, labels = distinct_of(column)
    read = [date_in(label, order) for label in labels]
    return np.array([*read, None], dtype="datetime64[m]")[codes]


def _without_date(frame: pd.DataFrame, step: Sequence[str]) -> pd.Series[Any]:
    """Return what is kept of a date: a part of it, or the time between it and another one."""
    column, (order, part, *other) = frame[step[1]], step[2:]
    times = times_of(column, order)
    if other:
        if other[0] not in frame:
            raise DataError(f"the table has no column '{other[0]}', which a repair is about; check its spelling")
        others = times_of(frame[other[0]], other[1])
        gap = others - times if part == UNTIL else times - others
        return _of_times(column, gap, lambda gaps: _between(gaps, part))
    return _of_times(column, times, lambda values: part_of(values, part))


def _of_times(column: pd.Series[Any], times: Any, value: Callable[[Any], list[Any]]) -> pd.Series[Any]:
    distinct, codes = np.unique(times, return_inverse=True)
    missing = np.isnat(distinct)
    found = value(distinct[~missing])
    codes = np.where(missing[codes], -1, codes)
    if found and isinstance(found[0], str):
        return _taken(column, codes, [*found, *[None] * int(missing.sum())], "str")
    return _numbers(column, codes, [*found, *[None] * int(missing.sum())])


def _between(gaps: Any, part: str) -> list[Any]:
    unit = np.timedelta64(365 * 24 * 60 + 349 if part == UNTIL else 24 * 60, "m")  # 365.2425 days
    return list(np.floor(gaps / unit).tolist())


def part_of(times: Any, part: str) -> list[Any]:
    """Return a part of each time: a number, or words for a quarter or a weekday."""
    moments = pd.DatetimeIndex(times)
    if part == "quarter":
        return [f"Q{one}" for one in moments.quarter]
    if part == "weekday":
        return [_WEEKDAYS[one] for one in moments.day_of_week]
    return list(getattr(moments, part).tolist())


# What repairs do, in one line a kind.


def by_kind(found: Iterable[Repair]) -> list[list[Repair]]:
    """Return the repairs kind by kind, in the order in which they are made; those that are sure apart from others."""
    groups = [
        [one for one in found if (one.kind, one.is_sure) == key]
        for key in itertools.product(REPAIR_KINDS, (True, False))
    ]
    return [group for group in groups if group]


def kind_sentence(group: Sequence[Repair]) -> str:
    """Say in one line what repairs of one kind do, and to how many columns.

    >>> import pandas as pd
    >>> from bnengine.data.repairs import proposals
    >>> frame = pd.DataFrame({"q1": ["1", "2", "99"] * 9, "q2": ["n/a", "low", "high"] * 9})
    >>> for group in by_kind(proposals(frame)):
    ...     print(kind_sentence(group))
    99 is missing in 'q1'; n/a in 'q2'
    'q1': numbers written as text
    """
    kind, first = group[0].kind, max(group, key=lambda one: (one.count, one.column))
    columns = f"'{first.column}'" if len(group) == 1 else f"{len(group)} columns"
    if kind in ("leave_out", "total") and len(group) == 1:
        return f"{first.sentence.rstrip('.')}{', and is left out' if first.is_sure else ''}"
    if kind == "leave_out":
        names = some_of([one.column for one in group], 4)
        return f"{columns} are left out: {names}" if first.is_sure else f"{columns} may be of no use: {names}"
    if kind == "missing":
        return _codes_in_columns(group, "missing", "" if first.is_sure else "may be")
    if kind == "none":
        what, verb = ("kept as a state", "") if first.is_sure else ("a state of its own", "may be")
        return f"{_codes_in_columns(group, what, verb)}, since a dash may say that there is none"
    change = next((one.change for one in (first, *group) if one.change), "")
    return f"{columns}: {_KIND_WORDS[kind]}" + (f", such as {change}" if change else "")


def _codes_in_columns(group: Sequence[Repair], what: str, verb: str = "") -> str:
    """Say which codes are what in which columns; those of the same columns together."""
    columns: dict[str, list[str]] = {}
    for one in group:
        for code in one.details:
            columns.setdefault(code, []).append(one.column)
    codes: dict[tuple[str, ...], list[str]] = {}
    for code, names in sorted(columns.items(), key=lambda item: -len(item[1])):
        codes.setdefault(tuple(names), []).append(code)
    first, *others = [(listed(some), quoted(names), len(some)) for names, some in codes.items()]
    verb = verb or ("is" if first[2] == 1 else "are")
    said = [f"{first[0]} {verb} {what} in {first[1]}", *(f"{more} in {names}" for more, names, _ in others)]
    return "; ".join(said)


_KIND_WORDS = {
    "encoding": "text that was encoded twice",
    "spellings": "spellings of one value",
    "number": "numbers written as text",
    "date": "dates, of which a part can be learned from",
    "rare": "rare states that become one",
}
