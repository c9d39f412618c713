"""Repairs proposed for a raw table, and those among them that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine._core.validation import validated
from bnengine.data.checked_frame import checked_frame
from bnengine.data.repairs import FINDERS, REPAIR_KINDS
from bnengine.data.repairs.kinds import Repair, Step
from bnengine.data.repairs.making import check_steps, repaired


@validated
def proposals(frame: pd.DataFrame, about_rows: Sequence[str] = ()) -> list[Repair]:
    """Propose repairs of a raw table: what is written in several ways, stands for something else, or is of no use.

    Looked for are a first line of labels, notes in the last ones, a last row of totals, groups that are written once
    above their rows, several answers in a cell, boxes that are ticked or empty, codes for missing values, spellings of
    one value, numbers and dates written as text, and columns that nothing can be learned from, that repeat another one
    or that are the sum or the mean of others, and items that share their answers and make a scale. Of a categorical
    column only the states that no row has are looked at.
    The time is linear in the size of the table; but for those lines and groups, neither the order of the rows nor that
    of the columns matters.

    Parameters
    ----------
    frame : DataFrame
        A raw table.
    about_rows : sequence of str
        Columns that are no variables, as they say what rows are: none of them is left out.

    Returns
    -------
    list of Repair
        In the order in which they are to be made; none that ``is_sure`` for a table that ``bn.prepare`` has repaired.

    Raises
    ------
    DataError
        If a column name occurs twice, or a cell holds a list or something else that is no value.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"smoker": ["ja", "JA", "nein", "k.A.", "nein", "ja"], "ward": list("ABBAAB")})
    >>> for repair in proposals(frame):
    ...     print(repair.sentence, repair.before, "→", repair.after)
    1 cell of 'smoker' stands for a missing value. k.A. → (missing)
    'smoker' has 3 spellings of 2 values. JA → ja
    """
    frame = checked_frame(frame)
    found: list[Repair] = []
    for find in FINDERS:
        new = list(find(frame))
        frame = repaired(frame, [one.step for one in new if one.is_sure])
        found += new
    return [one for one in found if one.kind != "leave_out" or one.column not in about_rows]


def accepted(frame: pd.DataFrame, accept: str | Sequence[Any], proposed: Sequence[Repair] | None = None) -> list[Step]:
    """Return the steps of the repairs that are asked for.

    Parameters
    ----------
    frame : DataFrame
    accept : {"all", "none"}, or a kind or several ("spellings", …), or a sequence of Repair or of their steps
        Kinds are looked for in this table, and those repairs taken that are sure (see ``Repair``); of ``"scale"``, none
        of which is sure, all. A kind with a column, such as ``"number:age"``, takes one that is proposed but not sure,
        and its column is not left out. After a minus, as in ``"-date"`` and ``"-date:day"``, they are not taken. A
        ``Repair`` and a step, such as ``("missing", "age", "99")``, are taken as they are.
    proposed : sequence of Repair, optional
        Those of this table, if they are known.

    Raises
    ------
    ValueError
        If ``accept`` names no kind of repair.
    """
    words = [accept] if isinstance(accept, str) else list(accept)
    if not all(isinstance(one, str) for one in words):
        neither = [one for one in words if not isinstance(one, (Repair, list, tuple))]
        if neither:
            raise ValueError(f"repairs must name kinds, or hold repairs or their steps; got {str(neither[0])[:60]!r}")
        steps = [one.step if isinstance(one, Repair) else tuple(map(str, one)) for one in words]
        check_steps(steps)
        return steps
    if not set(words) - {"none"}:
        return []
    refused = [word[1:] for word in words if word.startswith("-")]
    words = [word for word in words if not word.startswith("-")] or ["all"]
    found = proposals(frame) if proposed is None else proposed
    kinds = [kind for kind in REPAIR_KINDS if kind != "joined"]  # which is never proposed
    named = [one.name for one in found]
    unknown = [word for word in (*words, *refused) if word not in ("all", "none", *kinds, *named)]
    if unknown:
        some = f", or one of this table: {some_of(named)}" if named else ""
        raise ValueError(f"repairs must be all, none, or one of {', '.join(kinds)}{some}; got '{unknown[0]:.60}'")
    asked = {one.column for one in found if one.name in words and one.kind != "leave_out"}
    return [
        one.step
        for one in found
        if one.name in words
        or (
            (one.kind in words if one.kind == "scale" else one.is_sure and ("all" in words or one.kind in words))
            and not {one.kind, one.name} & {*refused}
            and not (one.kind == "leave_out" and one.column in asked)
        )
    ]
