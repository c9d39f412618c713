"""Repairs made: a raw table and steps give the repaired table, in one place for pages, commands and scripts."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Sequence, Set
from typing import Any, TypeVar

from bnengine._core.environment import pd
from bnengine.data.checked_frame import DataError
from bnengine.data.repairs import REPAIR_KINDS
from bnengine.data.repairs.cells import rewritten
from bnengine.data.repairs.kinds import Step
from bnengine.data.repairs.rows import rows_kept

StepLike = TypeVar("StepLike", bound=Sequence[str])


def check_steps(steps: Iterable[Sequence[str]]) -> None:
    """Raise a ValueError unless each step is one that can be made."""
    for step in steps:
        kind = REPAIR_KINDS.get((*step, "")[0])
        if kind is None or len(step) < 2 or not kind.takes(tuple(step[2:])):
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
    wanted = REPAIR_KINDS[step[0]].made_names
    if wanted is None:
        return [step[1]]
    free = [itertools.chain([name], (f"{name} {k}" for k in itertools.count(2))) for name in wanted(step)]
    return [next(one for one in names if one not in taken) for names in free]


def lacking(steps: Sequence[Sequence[str]], names: Container[str]) -> list[str]:
    """Return the columns that steps are about and that a table with these names has neither raw nor repaired."""
    about = [(step, REPAIR_KINDS[step[0]].columns_of(step)) for step in steps]
    out = {step[1] for step in steps if step[0] == "leave_out"}
    gone = {name for step, own in about for name in own
            if out & {*own} or any(made in names for made in made_names(step))}  # fmt: skip
    needed = [name for step, own in about for name in own if step[0] not in ("joined", "leave_out")]
    return [name for name in needed if name not in names and name not in gone]


def taken_away(steps: Iterable[Sequence[str]]) -> dict[Step, list[str]]:
    """Return the steps that are not made, each with the columns that other steps replace or leave out.

    >>> taken_away([("scale", "a", "mean", "+a", "+b"), ("date", "b", "ymd", "year")])
    {('scale', 'a', 'mean', '+a', '+b'): ['b']}
    """
    found: dict[Step, list[str]] = {}
    ordered = dict.fromkeys(_in_order([tuple(step) for step in steps]))
    out, replaced = {step[1] for step in ordered if step[0] == "leave_out"}, set[str]()
    for step in (one for one in ordered if REPAIR_KINDS[one[0]].replace):
        items = REPAIR_KINDS[step[0]].columns_of(step)
        if gone := [name for name in items if name in replaced or (name in out and len(items) > 1)]:
            found[step] = gone
        else:
            replaced |= {*items}
    return found


def _in_order(steps: Iterable[StepLike]) -> list[StepLike]:
    order = list(REPAIR_KINDS)
    return sorted(steps, key=lambda step: order.index(step[0]))


def names_after(steps: Sequence[Sequence[str]], names: Set[str]) -> Set[str]:
    """Return the names of a table's columns, raw or repaired, once the steps are made."""
    left, unmade = names, taken_away(steps)
    for step in steps:
        old, new = {*REPAIR_KINDS[step[0]].columns_of(step)}, {*made_names(step, names)}
        if old != new and (old <= names or new & names) and tuple(step) not in unmade:
            left = (left - old) | new
    return left


#: The attribute of a repaired table that holds the steps made in columns whose text is hidden since.
_MADE = "repairs made"


def repaired(frame: pd.DataFrame, steps: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return the table with the steps made, but for those made before; a DataError if it lacks a step's column.

    Codes and spellings are about cells as they were written. Numbers are not written any more: 99 may have been "99 kg"
    when the code 99 was made missing. So the table's ``attrs`` hold what was made in columns read as numbers or filled
    down.
    """
    if not steps:
        return frame
    columns = {str(name): frame[name] for name in frame.columns}
    if absent := lacking(steps, columns):
        raise DataError(f"the table has no column '{absent[0]}', which a repair is about; check its spelling")
    made = {tuple(step) for step in frame.attrs.get(_MADE, ())}
    left = [step for step in steps if tuple(step) not in made and step[1] in columns]
    columns |= {step[1]: columns[step[1]].ffill() for step in left if step[0] == "fill"}
    written = {name: rewritten(column, left) for name, column in columns.items()}
    ends = [(step[0], columns[step[1]], written[step[1]], step[2:]) for step in left if step[0] in ("line", "total")]
    first, end = rows_kept(ends, len(frame))
    columns |= written
    parts: dict[str, dict[str, pd.Series[Any]]] = {}
    unmade = taken_away(steps)
    for step in _in_order(left):
        kind, name, details = REPAIR_KINDS[step[0]], step[1], step[2:]
        if kind.hides_text:
            made |= {tuple(one) for one in steps if one[1] == name}
        items = kind.columns_of(step)
        if kind.make is not None:
            columns[name] = kind.make(columns[name], details)
        elif kind.replace and name in items and {*items} <= columns.keys() - parts.keys() and tuple(step) not in unmade:
            names = made_names(step, [*columns, *itertools.chain.from_iterable(parts.values())])
            new = dict(zip(names, kind.replace([columns[item] for item in items], details), strict=True))
            parts |= {item: {} for item in items} | {name: new}
    out = {step[1] for step in steps if step[0] == "leave_out"}
    kept = {
        new: part
        for name, column in columns.items()
        for new, part in parts.get(name, {name: column}).items()
        if not out & {name, new}
    }
    result = pd.DataFrame(kept, index=frame.index, copy=False).iloc[first:end]
    result = result.reset_index(drop=True) if first else result
    result.attrs = frame.attrs | {_MADE: sorted(made)}
    return result
