"""Repairs of rows: lines that are no rows, a last row of totals, and values written once a group."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bnengine._core.environment import pd
from bnengine.data.cell_text import TOTAL_WORDS, folded, number_in
from bnengine.data.checked_frame import state_label
from bnengine.data.columns import numbers_of, numeric_columns
from bnengine.data.repairs.cells import amounts, words_and_marks
from bnengine.data.repairs.kinds import LEFT_OUT, Group, Repair, RepairKind, one, texts_of

#: Rows of the smallest table in which lines that are no rows are looked for, and the most of such lines at its end.
_FEWEST_ROWS, _MOST_NOTES = 10, 5
_FEWEST_GROUPS, _LONGEST_GROUP = 3, 4  # groups, words of a group's name


def _lines(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the repairs that leave out lines that are no rows: labels or units under the names, notes below the table.

    Labels stand where all other cells are numbers, in every column that they stand in. A note fills one cell only, with
    a longer text than any row has there, of several words or after a mark.
    """
    texts, n = texts_of(frame), len(frame)
    if n < _FEWEST_ROWS or frame.shape[1] < 2:
        return
    first = _filled(frame.iloc[0])
    labels = [
        name
        for name in first
        if texts.get(name, {}).get(first[name]) == 1
        and number_in(first[name], "point") is None
        and words_and_marks({label: k for label, k in texts[name].items() if label != first[name]})[1]
    ]
    if len(labels) > 1 and 2 * len(labels) > len(first) and not set(first) & set(numeric_columns(frame)):
        name = labels[0]
        sentence = f"The first row ('{first[name][:40]}' in '{name}') has words where all others have numbers."
        yield Repair("line", name, (first[name],), 1, first[name], LEFT_OUT, sentence)
    last: dict[str, list[str]] = {}
    for row in range(n - 1, n - 1 - _MOST_NOTES, -1):
        filled = _filled(frame.iloc[row])
        if len(filled) != 1 or not filled.keys() <= texts.keys():
            break
        for name, label in filled.items():
            last.setdefault(name, []).append(label)
    for name, notes in last.items():
        longest = max((len(label) for label in texts[name] if label not in notes), default=0)
        is_note = [len(one) > longest and (" " in one or not one[0].isalnum()) for one in notes]
        if all(is_note) and max(texts[name][one] for one in notes) == 1:
            hold = "row only holds a note" if len(notes) == 1 else f"{len(notes)} rows only hold notes"
            sentence = f"The last {hold} ('{notes[-1][:40]}')."
            yield Repair("line", name, tuple(notes), len(notes), notes[-1], LEFT_OUT, sentence)


def _filled(row: pd.Series[Any]) -> dict[str, str]:
    return {str(name): state_label(value) for name, value in row.items() if pd.notna(value)}


def _totals(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the repair that leaves out a last row of sums; it is sure where most of its numbers add up the others."""
    for name, tally in texts_of(frame).items():
        label = state_label(frame[name].iloc[-1]) if frame[name].notna().iloc[-1] else ""
        if tally.get(label) == 1 and len(frame) > 2 and folded(label) in TOTAL_WORDS:
            columns = map(numbers_of, amounts(frame))
            adds_up = [bool(np.isclose(one[-1], np.nansum(one[:-1]))) for one in columns if np.isfinite(one[-1])]
            sentence = f"The last row, '{label}' in '{name}', {'adds' if any(adds_up) else 'may add'} up the others."
            sure = bool(adds_up) and 2 * sum(adds_up) >= len(adds_up)
            yield Repair("total", name, (label,), 1, label, LEFT_OUT, sentence, is_sure=sure)
            return


def _groups(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the columns whose values stand only in the first row of their group, as merged cells and pivot tables do.

    It is sure where all groups have equally many rows and each name follows another one; and asked where each name
    occurs once.
    """
    n = len(frame)
    for name in frame.columns:
        starts = np.flatnonzero(frame[name].notna().to_numpy())
        if len(starts) < _FEWEST_GROUPS or starts[0] or 2 * len(starts) > n:
            continue
        values = [state_label(value) for value in frame[name].iloc[starts]]
        sizes = np.unique(np.diff(np.append(starts, n)))
        alike = len(sizes) == 1 and all(label != other for label, other in itertools.pairwise(values))
        once = len(set(values)) == len(values) and not any(len(one.split()) > _LONGEST_GROUP for one in values)
        if alike or once:
            sentence = f"'{name}' is filled in the first row of {len(starts)} groups, and empty in the others."
            yield Repair("fill", name, (), n - len(starts), "", values[0], sentence, is_sure=alike)


def rows_kept(
    ends: Sequence[tuple[str, pd.Series[Any], pd.Series[Any], Sequence[str]]], n_rows: int
) -> tuple[int, int]:
    """Return the first row that is kept and the one after the last, given kind, columns and labels of lines and totals.

    The columns are as they were and with their spellings replaced, either of which may have the label.
    """

    def is_left_out(row: int, *kinds: str) -> bool:
        return any(
            kind in kinds and not {state_label(raw.iloc[row]), state_label(text.iloc[row])}.isdisjoint(labels)
            for kind, raw, text, labels in ends
        )

    first, n = 0, n_rows
    while n and is_left_out(n - 1, "line", "total"):
        n -= 1
    while first < n and is_left_out(first, "line"):
        first += 1
    return first, n


def _left_out(group: Group) -> str:
    are = "are" if group[0].count > 1 else "is"
    end = f", and {are} left out" if len(group) == 1 and group[0].is_sure else ""
    return "; ".join(dict.fromkeys(one.sentence.rstrip(".") for one in group)) + end


#: The kinds of repairs of rows, in the order in which they are made.
ROWS = (
    RepairKind("line", _left_out, "lines of labels or notes were left out", bool, ("male",), _lines),
    RepairKind("total", _left_out, "a last row of totals was left out", one, ("male",), _totals),
    RepairKind(
        "fill",
        "values that stand in the first row of each group, repeated in the rows below",
        "values in the first row of each group were repeated in the rows below in {columns}",
        find=_groups,
        hides_text=True,
        counts_cells=True,
    ),
)
