"""What a repair is, how it is made, and what it does in one line a kind: for pages, commands and scripts alike.

A repair is made by its *step*, a list of texts that a recipe, a link and a command can hold: the kind, the column, and
details that say exactly what is changed, so that it is the same for every reader of the same table.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bnengine._core.display import counted, listed, quoted
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine.data.cell_text import answers_in, date_in, date_order, number_in, numbers_in
from bnengine.data.checked_frame import DataError, state_label
from bnengine.data.item_scales import mean_of_items

PARTS = ("year", "quarter", "month", "weekday", "hour")
_ORDERS = ("", "ymd", "dmy", "mdy")
_FEWEST_ITEMS = 2  # of a scale

Step = tuple[str, ...]


@dataclass(frozen=True)
class Repair:
    """A proposed repair of one column.

    Attributes
    ----------
    kind : str
        One of ``REPAIR_KINDS``.
    details : tuple of str
        What exactly is changed: cells of first or last lines that are no rows; the name of the total; the codes; pairs
        of a spelling and what replaces it; the decimal mark; the order of a date's parts and which parts are kept; the
        mark between answers, and all answers; the name of a scale, and its items with + or −, the first of which is the
        column. States are joined later, once numbers are cut: see ``join_states``.
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
    def name(self) -> str:
        """What it is asked for by, at the command line and in ``repairs``: its kind and column."""
        return f"{self.kind}:{self.column}"

    @property
    def change(self) -> str:
        """What becomes of some cells; empty for a number that looks the same before and after."""
        same = self.kind == "number" and number_in(self.before, "point") == number_in(self.after, "point")
        return "" if same else " → ".join(filter(None, (self.before, self.after)))


def check_steps(steps: Iterable[Sequence[str]]) -> None:
    """Raise a ValueError unless each step is one that can be made."""
    for step in steps:
        kind = REPAIR_KINDS.get((*step, "")[0])
        if kind is None or len(step) < 2 or not kind.right(tuple(step[2:])):
            raise ValueError(
                f"a repair is (kind, column, details …), the kind one of {', '.join(REPAIR_KINDS)}; got "
                f"{', '.join(step)[:80]}"
            )


#: Messages for repair steps that older versions saved and this one no longer has.
_REPLACED = {
    "encoding": "Text that was encoded twice stays as it is; save the file in UTF-8.",
    "rare": "Rare states are not joined by a repair any more; merge those with few rows under One variable.",
    "number": "Units are not converted any more: cells in another unit than most are missing.",
    "date": "The time between two dates is gone; the year stands in its place.",
}


def present_steps(steps: Iterable[Sequence[Any]]) -> tuple[list[list[Any]], list[str]]:
    """Return saved steps as this version makes them, with messages about those that earlier versions made otherwise.

    >>> present_steps([("none", "dose", "-"), ("rare", "ward", "A"), ("number", "mass", "point", "kg")])[0]
    [['none', 'dose', '-'], ['number', 'mass', 'point']]
    """
    found, notes = [], []
    for step in map(list, steps):
        kind, n_details = step[0], len(step) - 2
        if kind in ("encoding", "rare") or (kind, n_details) in (("number", 2), ("date", 4)):
            notes.append(_REPLACED[kind])
            step = {"number": step[:3], "date": [*step[:3], "year"]}.get(kind, [])
        if step:
            found.append(step)
    return found, notes


def made_names(step: Sequence[str], taken: Container[str] = ()) -> list[str]:
    """Return the names of the columns that a step makes: new ones, not taken, for dates, several answers and scales.

    >>> made_names(("date", "d", "ymd", "year"), ["d", "d (year)"]), made_names(("set", "own", ";", "car", "bike"))
    (['d (year) 2'], ['own: car', 'own: bike'])
    """
    if step[0] not in ("date", "set", "scale"):
        return [step[1]]
    form = "{} ({})" if step[0] == "date" else "{}: {}"
    wanted = [step[2]] if step[0] == "scale" else [form.format(step[1], detail) for detail in step[3:]]
    free = [itertools.chain([name], (f"{name} {k}" for k in itertools.count(2))) for name in wanted]
    return [next(one for one in names if one not in taken) for names in free]


def columns_of(step: Sequence[str]) -> list[str]:
    """Return the columns that a step is about: several for a scale."""
    return [item[1:] for item in step[3:]] if step[0] == "scale" else [step[1]]


def lacking(steps: Sequence[Sequence[str]], names: Container[str]) -> list[str]:
    """Return the columns that steps are about and that a table with these names has neither raw nor repaired."""
    gone = {name for step in steps if step[0] == "leave_out" or any(made in names for made in made_names(step))
            for name in columns_of(step)}  # fmt: skip
    needed = [name for step in steps if step[0] not in ("joined", "leave_out") for name in columns_of(step)]
    return [name for name in needed if name not in names and name not in gone]


#: The attribute of a repaired table that holds the steps made in columns read as numbers or filled down.
_MADE = "repairs made"


def repaired(frame: pd.DataFrame, steps: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return the table with the steps made, but for those made before; a DataError if it lacks a step's column.

    Codes and spellings are about cells as they were written. Numbers are not written any more: 99 may have been "99 kg"
    when the code 99 was made missing. So the table's ``attrs`` hold what was made in columns read as numbers.
    """
    if not steps:
        return frame
    columns = {str(name): frame[name] for name in frame.columns}
    if absent := lacking(steps, columns):
        raise DataError(f"the table has no column '{absent[0]}', which a repair is about; check its spelling")
    made = {tuple(step) for step in frame.attrs.get(_MADE, ())}
    left = [step for step in steps if tuple(step) not in made and step[1] in columns]
    columns |= {step[1]: columns[step[1]].ffill() for step in left if step[0] == "fill"}
    written = {name: _rewritten(column, left) for name, column in columns.items()}
    ends = [(step[0], columns[step[1]], written[step[1]], step[2:]) for step in left if step[0] in ("line", "total")]

    def is_left_out(row: int, *kinds: str) -> bool:
        return any(
            kind in kinds and not {state_label(raw.iloc[row]), state_label(text.iloc[row])}.isdisjoint(labels)
            for kind, raw, text, labels in ends
        )

    first, n = 0, len(frame)
    while n and is_left_out(n - 1, "line", "total"):
        n -= 1
    while first < n and is_left_out(first, "line"):
        first += 1
    columns |= written
    parts: dict[str, dict[str, pd.Series[Any]]] = {}
    order = list(REPAIR_KINDS)
    for kind, name, *details in sorted(steps, key=lambda step: order.index(step[0])):
        if name not in columns:
            continue
        if kind in ("number", "fill"):
            made |= {tuple(step) for step in steps if step[1] == name}
        of_kind = REPAIR_KINDS[kind]
        if of_kind.make is not None:
            columns[name] = of_kind.make(columns[name], details)
        elif of_kind.several is not None and name not in parts:
            taken = [*columns, *itertools.chain.from_iterable(parts.values())]
            several = of_kind.several(columns[name], details)
            parts[name] = dict(zip(made_names((kind, name, *details), taken), several, strict=True))
        elif kind == "scale" and name in (items := columns_of((kind, name, *details))) and not {*items} & {*parts}:
            signs = [1 if item[0] == "+" else -1 for item in details[1:]]
            mean = pd.Series(mean_of_items([columns[item] for item in items], signs), index=frame.index)
            parts |= {item: {} for item in items}
            parts[name] = {made_names((kind, name, *details), columns)[0]: mean}
    out = {step[1] for step in steps if step[0] == "leave_out"}
    kept = {
        new: part
        for name, column in columns.items()
        for new, part in parts.get(name, {name: column}).items()
        if not out & {name, new}
    }
    result = pd.DataFrame(kept, index=frame.index, copy=False).iloc[first:n]
    result = result.reset_index(drop=True) if first else result
    result.attrs = frame.attrs | {_MADE: sorted(made)}
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
    return dict(sorted(found.items()))


def _taken(column: pd.Series[Any], codes: Any, values: Sequence[Any], dtype: Any) -> pd.Series[Any]:
    """Return a column with new values of its codes; missing cells stay missing."""
    array = pd.array([*values, None], dtype=dtype)
    return pd.Series(array.take(codes), index=column.index, name=column.name)


def _rewritten(column: pd.Series[Any], steps: Sequence[Sequence[str]]) -> pd.Series[Any]:
    """Return a column with its codes missing and its spellings replaced; a spelling of a code is missing, too."""
    own = [step for step in steps if step[1] == column.name]
    missing = {code for step in own if step[0] in ("missing", "none") for code in step[2:]}
    other = dict(pair for step in own if step[0] == "spellings" for pair in zip(step[2::2], step[3::2], strict=True))
    if not missing and not other:
        return column
    codes, labels = distinct_of(column)
    last = [_last_spelling(label, other) for label in labels]
    if other:
        gone = [label in missing or end in missing for label, end in zip(labels, last, strict=True)]
        return _taken(column, codes, [None if is_gone else end for is_gone, end in zip(gone, last, strict=True)], "str")
    mask = np.array([label in missing for label in labels] + [False])
    return column.mask(mask[codes]) if mask.any() else column


def _last_spelling(label: str, other: Mapping[str, str]) -> str:
    """Return what replaces a label, and what replaces that; of those that replace one another, the first by alphabet.

    >>> _last_spelling("a", {"a": "b", "b": "c"}), _last_spelling("b", {"a": "b", "b": "a"})
    ('c', 'a')
    """
    seen = [label]
    while (label := other.get(label, label)) not in seen:
        seen.append(label)
    return min(seen[seen.index(label) :])


def _read_as_numbers(column: pd.Series[Any], details: Sequence[str]) -> pd.Series[Any]:
    if column.dtype.kind in "iuf":
        return column
    codes, labels = distinct_of(column)
    values = numbers_in(tally_of(column), details[0]).values
    whole = all(value.is_integer() and abs(value) < 2**53 for value in values.values())
    return _taken(column, codes, [values.get(label) for label in labels], "Int64" if whole else "Float64")


def _parts_of_date(column: pd.Series[Any], details: Sequence[str]) -> list[pd.Series[Any]]:
    order, *parts = details
    codes, distinct = pd.factorize(pd.DatetimeIndex(times_of(column, order)))
    kinds = {"quarter": "str", "weekday": "str"}
    return [_taken(column, codes, part_of(distinct, part), kinds.get(part, "Int64")) for part in parts]


def _each_answer(column: pd.Series[Any], details: Sequence[str]) -> list[pd.Series[Any]]:
    mark, *options = details
    codes, labels = distinct_of(column)
    chosen = [answers_in(label, mark) for label in labels]
    return [_taken(column, codes, ["yes" if one in some else "no" for some in chosen], "str") for one in options]


def _ticked(column: pd.Series[Any], _: Sequence[str]) -> pd.Series[Any]:
    codes, labels = distinct_of(column)
    states = pd.array([*labels, "0" if labels == ["1"] else "no"], dtype="str")
    return pd.Series(states.take(codes), index=column.index, name=column.name) if (codes < 0).any() else column


def _without_unseen(column: pd.Series[Any], _: Sequence[str]) -> pd.Series[Any]:
    return column.cat.remove_unused_categories() if isinstance(column.dtype, pd.CategoricalDtype) else column


# The register of kinds: the words for each, and how it is made where that concerns one column alone.


class RepairKind(NamedTuple):
    """A kind of repair."""

    right: Callable[[Step], bool]  # whether a step may have these details
    example: Step = ()  # such details
    words: str = ""  # what it is, behind the columns in a line
    done: str = ""  # what it did, before the columns in a report
    make: Callable[[pd.Series[Any], Sequence[str]], pd.Series[Any]] | None = None
    several: Callable[[pd.Series[Any], Sequence[str]], list[pd.Series[Any]]] | None = None  # columns in its place


def _none(details: Step) -> bool:
    return not details


def _some(details: Step) -> bool:
    return len(details) > 0


#: The kinds of repairs, in the order in which they are made.
REPAIR_KINDS = {
    "line": RepairKind(_some, ("male",)),
    "total": RepairKind(lambda details: len(details) == 1, ("male",)),
    "fill": RepairKind(
        _none,
        words="values that stand in the first row of each group, repeated in the rows below",
        done="values in the first row of each group were repeated in the rows below",
    ),
    "missing": RepairKind(_some, ("x",)),
    "none": RepairKind(_some, ("-",), done="cells that may say that there is none were kept as a state"),
    "spellings": RepairKind(
        lambda details: len(details) > 1 and len(details) % 2 == 0,
        ("male", "man"),
        words="spellings of one value",
        done="spellings of one value were joined",
    ),
    "number": RepairKind(
        lambda details: details in (("point",), ("comma",)),
        ("point",),
        words="numbers written as text",
        done="numbers stored as text were converted (a limit such as <5, if any, to a value just beyond it)",
        make=_read_as_numbers,
    ),
    "date": RepairKind(
        lambda details: len(details) in (2, 3) and details[0] in _ORDERS and {*details[1:]} <= {*PARTS},
        ("dmy", "year"),
        words="dates, of which a part can be learned from",
        done="dates were replaced by a part of them",
        several=_parts_of_date,
    ),
    "set": RepairKind(
        lambda details: len(details) > 2 and len(details[0]) == 1,
        (",", "1", "2"),
        words="several answers in one cell, each a yes or no of its own (edges between them may come of how many could "
        "be chosen)",
        done="each of several answers in a cell became a variable of its own",
        several=_each_answer,
    ),
    "ticked": RepairKind(
        _none, words="ticked or empty, where empty means no", done="an empty cell counted as no", make=_ticked
    ),
    "unseen": RepairKind(
        _none,
        words="declared states that no row has do not count",
        done="declared states that no row has were left out",
        make=_without_unseen,
    ),
    "scale": RepairKind(
        lambda details: (
            len({one[1:] for one in details[1:]}) == len(details) - 1 >= _FEWEST_ITEMS
            and bool(details[0])
            and all(one[:1] in ("+", "-") and one[1:] for one in details[1:])
        ),
        ("scale", "+x", "+y", "-z"),
        words="items that share their answers, averaged to scales",
        done="items that share their answers were averaged to scales (some of them reversed)",
    ),
    "joined": RepairKind(
        _none, done="states were joined (neighbours where they are ordered, otherwise the less common ones)"
    ),
    "leave_out": RepairKind(_none),
}


def times_of(column: pd.Series[Any], order: str) -> Any:
    """Return the times of a column, to the minute; cells that are no dates have none. An empty order is looked for."""
    if column.dtype.kind == "M":
        return column.to_numpy(dtype="datetime64[m]")
    codes, labels = distinct_of(column)
    order = order or date_order(tally_of(column), 0.5)
    read = [date_in(label, order) for label in labels]
    return np.array([*read, None], dtype="datetime64[m]")[codes]


def part_of(times: Any, part: str) -> list[Any]:
    """Return a part of each time: a number, or words for a quarter or a weekday."""
    moments = pd.DatetimeIndex(times)
    if part == "quarter":
        return [f"Q{one}" for one in moments.quarter]
    if part == "weekday":
        return [f"{day + 1} {name}" for day, name in zip(moments.day_of_week, moments.day_name(), strict=True)]
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
    '99' counts as missing in 'q1'; 'n/a' in 'q2'
    'q1': numbers written as text
    """
    kind, first = group[0].kind, max(group, key=lambda one: (one.count, one.column))
    columns = f"'{first.column}'" if len(group) == 1 else f"{len(group)} columns"
    if kind in ("line", "leave_out", "total") and len(group) == 1:
        out = "and are left out" if kind == "line" and first.count > 1 else "and is left out"
        return f"{first.sentence.rstrip('.')}{f', {out}' if first.is_sure else ''}"
    if kind == "line" or (kind == "leave_out" and not first.is_sure):
        return "; ".join(dict.fromkeys(one.sentence.rstrip(".") for one in group))
    if kind == "leave_out":
        names = some_of([one.column for one in group], 4)
        return f"{columns} are left out: {names}"
    if kind == "scale":
        n = sum(len(one.details) - 1 for one in group)
        scales = "; ".join(one.sentence.partition(": ")[2].rstrip(".") for one in group)
        return f"{n} columns that share their answers, averaged to {counted(len(group), 'scale')}: {scales}"
    if kind == "joined":
        return f"states were joined in {columns}"
    if kind == "missing":
        return _codes_in_columns(group, "missing")
    if kind == "none":
        return f"{_codes_in_columns(group, 'a state')}, since that may say that there is none"
    limits = [one for one in group if kind == "number" and (one.before[:1] in "<≤>≥" or one.before.endswith("+"))]
    change = next((one.change for one in (*limits, first, *group) if one.change), "")
    words = REPAIR_KINDS[kind].words + (", limits as values just beyond them" if limits else "")
    return f"{columns}: {words}" + (f", such as {change}" if change else "")


def _codes_in_columns(group: Sequence[Repair], what: str) -> str:
    """Say which codes count as what in which columns; those of the same columns together."""
    columns: dict[str, list[str]] = {}
    for one in group:
        for code in one.details:
            columns.setdefault(code, []).append(one.column)
    codes: dict[tuple[str, ...], list[str]] = {}
    for code, names in sorted(columns.items(), key=lambda item: -len(item[1])):
        codes.setdefault(tuple(names), []).append(code)
    first, *others = [(listed([f"'{code}'" for code in some]), quoted(of), len(some)) for of, some in codes.items()]
    verb = "may count" if not group[0].is_sure else "counts" if first[2] == 1 else "count"
    return "; ".join(
        [f"{first[0]} {verb} as {what} in {first[1]}", *(f"{more} in {names}" for more, names, _ in others)]
    )
