"""What repairs do, in one line a kind: for a page, the command line and a script alike."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from bnengine._core.display import listed, quoted
from bnengine._core.setting_kinds import some_of
from bnengine.data.repair_steps import REPAIR_KINDS
from bnengine.data.repairs import Repair


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
        return f"{_codes_in_columns(group, 'kept as a state')}, since a dash may say that there is none"
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
