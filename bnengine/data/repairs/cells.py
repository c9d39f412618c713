"""Repairs of cells of text: codes for missing values, dashes that say none, spellings, numbers; found together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bnengine._core.display import counted, listed, quoted
from bnengine._core.environment import pd
from bnengine.data import cell_text
from bnengine.data.checked_frame import MAX_STATES, state_label
from bnengine.data.columns import MOST_STATE_VALUES, numeric_columns
from bnengine.data.repairs import kinds
from bnengine.data.repairs.kinds import Group, Repair, RepairKind, Step, distinct_of, tally_of, texts_of, with_values

#: Share of a column's cells that must be numbers, or dates, for it to be a column of them.
MOST_CELLS = 0.95
#: So many different words, in whatever number of cells, make no column of words of one of numbers.
_MOST_WORDS = 5
#: A column of text with more labels than this, and than half its rows, has no spellings of states.
_MOST_SPELLINGS = 200
#: Codes for missing values among words.
_SPOKEN_CODES = frozenset(["-9", "-99", "-999", "-9999", "-88", "-77", "77", "88", "99", "999", "9999"])


def _cells(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield repairs of the cells of single columns."""
    texts = texts_of(frame)
    read = {name: words_and_marks(tally) for name, tally in texts.items()}
    explained = _dashes_explained_elsewhere(frame, {name: words for name, (words, marks) in read.items() if marks})
    missing_elsewhere = {
        mark.strip() for name, (words, marks) in read.items() if marks and name not in explained for mark in words
    }
    for name in frame.columns:
        if name in texts:
            left, (words, marks) = texts[name], read[name]
            if name in explained:
                dashes = {dash: left[dash] for dash in words}
                sure = bool(explained[name]) and not frame[name].isna().any()
                yield _none(name, dashes, explained[name], sure)
                if sure:
                    left, words = {label: n for label, n in left.items() if label not in dashes}, []
            yield from _cells_of(name, left, words, marks, missing_elsewhere, bool(frame[name].isna().any()))
        elif frame[name].dtype.kind in "iuf":
            numbers, counts = np.unique(frame[name].dropna().to_numpy(dtype=np.float64), return_counts=True)
            if np.isin(numbers, cell_text.NUMBER_CODES).any():
                tally = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
                if codes := {str(code): tally[code] for code in cell_text.stray_codes(tally)}:
                    yield missing_repair(name, codes, False)


def words_and_marks(tally: dict[str, int]) -> tuple[list[str], tuple[str, ...]]:
    """Return the words for missing values, and the decimal marks if nearly all others are numbers."""
    words = cell_text.missing_words(tally)
    words = words if len(tally) > len(words) + 1 else []
    rest = {label: n for label, n in tally.items() if label not in words}
    if not (likely := cell_text.decimal_marks(rest, 0.5)):
        return words, ()
    if (
        len((numbers := cell_text.numbers_in(rest, likely[0])).odd) <= _MOST_WORDS
        and len(numbers.values) > MOST_STATE_VALUES
    ):
        rest = {label: rest[label] for label in numbers.values}
    return words, cell_text.decimal_marks(rest, MOST_CELLS)


def _cells_of(
    name: str, tally: dict[str, int], words: list[str], marks: tuple[str, ...], elsewhere: Container[str], holes: bool
) -> Iterator[Repair]:
    rest = {label: n for label, n in tally.items() if label not in words}
    codes = {label: tally[label] for label in (*words, *(_stray_labels(rest, marks[0]) if marks else _spoken(rest)))}
    left = {label: n for label, n in tally.items() if label not in codes}
    is_date = not marks and bool(cell_text.date_order(left, MOST_CELLS))
    if codes:
        yield missing_repair(name, codes, not marks and not is_date, elsewhere)
    if marks:
        odd = [
            label
            for label in cell_text.numbers_in(left, marks[0]).odd
            if cell_text.folded(label) not in cell_text.SILENT_WORDS
        ]
        if sum(left[label] for label in odd) > (1 - MOST_CELLS) * sum(left.values()):  # "never" among cigarettes
            sure = not holes and not codes
            yield _none(name, {label: left[label] for label in odd}, "", sure)
            left = {label: n for label, n in left.items() if not sure or label not in odd}
        yield _number(name, left, marks)
    elif not is_date:
        yield from _spellings(name, left)


# Codes for missing values.


def _stray_labels(tally: dict[str, int], mark: str) -> list[str]:
    """Return the labels of codes for missing values among numbers; no code has a limit or a unit."""
    numbers = {
        label: one for label in tally if (one := cell_text.number_in(label, mark)) and not one.limit and not one.unit
    }
    rows = Counter[float]()
    for label, one in numbers.items():
        rows[one.value] += tally[label]
    codes = cell_text.stray_codes(rows)
    return [label for label, one in numbers.items() if one.value in codes]


def _spoken(tally: dict[str, int]) -> list[str]:
    """Return the codes for missing values among words, which other numbers are not among but 0 and 1."""
    numbers = [label for label in tally if cell_text.number_in(label, "point") is not None]
    codes = [label for label in tally if label in _SPOKEN_CODES]
    words = sum(tally[label] for label in numbers) < 0.5 * sum(tally.values())
    return codes if words and len(tally) > len(codes) + 1 and len(numbers) <= len(codes) + 2 else []


def missing_repair(name: str, codes: dict[str, int], of_words: bool, missing_elsewhere: Container[str] = ()) -> Repair:
    """Return the repair that makes codes missing; in a column of words not those that may be states, unless chosen.

    A mark that is ``missing_elsewhere``, in columns of numbers, is no state in columns of words.
    """
    every = tuple(sorted(codes))
    sure = tuple(
        code for code in every if code.strip() in missing_elsewhere or not (of_words and cell_text.may_be_a_state(code))
    )
    codes = {code: codes[code] for code in sure or every}
    n = sum(codes.values())
    stand = ("stands" if n == 1 else "stand") if sure else "may stand"
    value = "a missing value" if n == 1 else "missing values"
    sentence = f"{counted(n, 'cell')} of '{name}' {stand} for {value}."
    choices = (sure, every) if sure and sure != every else ()
    return Repair(
        "missing", name, sure or every, n, kinds.most_common(codes), "(missing)", sentence, choices, bool(sure)
    )


def rewritten(column: pd.Series[Any], steps: Sequence[Sequence[str]]) -> pd.Series[Any]:
    """Return a column with its codes missing and its spellings replaced; a spelling of a code is missing, too."""
    own = [step for step in steps if step[1] == column.name]
    missing = {code for step in own if step[0] in ("missing", "none") for code in step[2:]}
    other = dict(pair for step in own if step[0] == "spellings" for pair in zip(step[2::2], step[3::2], strict=True))
    if not missing and not other:
        return column
    codes, labels = distinct_of(column)
    last = [_last_spelling(label, other) for label in labels]
    gone = [label in missing or end in missing for label, end in zip(labels, last, strict=True)]
    if other:
        return with_values(column, codes, [None if is_gone else end for is_gone, end in zip(gone, last, strict=True)])
    return column.mask(np.array([*gone, False])[codes]) if any(gone) else column


def _codes_in_columns(group: Group, what: str = "missing") -> str:
    """Say which codes count as what in which columns; those of the same columns together."""
    columns: dict[str, list[str]] = {}
    for one in group:
        for code in one.details:
            columns.setdefault(code, []).append(one.column)
    codes: dict[tuple[str, ...], list[str]] = {}
    for code, names in sorted(columns.items(), key=lambda item: -len(item[1])):
        codes.setdefault(tuple(names), []).append(code)
    (named, where), *others = [(listed([f"'{code}'" for code in own]), quoted(names)) for names, own in codes.items()]
    first = next(iter(codes.values()))
    verb = "may count" if not group[0].is_sure else "counts" if len(first) == 1 else "count"
    return "; ".join([f"{named} {verb} as {what} in {where}", *(f"{more} in {names}" for more, names in others)])


def _states_line(group: Group) -> str:
    return f"{_codes_in_columns(group, 'a state')}, since that may say that there is none"


# Dashes among numbers, which may stand for missing values or say that there is none of something.

#: Share of a column's cells up to which dashes change little, whatever they say.
_FEW_DASHES = 0.05
#: Share of the rows of either that dashes and a state have in common; how many of the nearest in number are compared.
_IN_COMMON, _COMPARED = 0.9, 20


def _none(name: str, dashes: dict[str, int], reason: str, sure: bool) -> Repair:
    """Return the repair that makes a state of the dashes among numbers, and of the column's empty cells with them.

    It is sure where another column says so and there are no empty cells.
    """
    n = sum(dashes.values())
    why = f", in the rows where {reason}" if reason else ""
    sentence = f"{counted(n, 'cell')} of '{name}' may say that there is none{why}; otherwise they are missing."
    details, before = tuple(sorted(dashes)), kinds.most_common(dashes)
    return Repair("none", name, details, n, before, "(a state of its own)", sentence, is_sure=sure)


def _dashes_explained_elsewhere(frame: pd.DataFrame, gone: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the columns of numbers whose dashes are not few, and where it stands that they say that there is none.

    That is the state of another column that stands in nearly the same rows, such as a dash among names of drugs; "" if
    there is no such state. To take "none" for missing fills a dose into the rows of those who had no drug. ``gone`` are
    the words for missing values in the columns of numbers.
    """
    dashes = {
        name: frame[name].isin(list(words)).to_numpy(dtype=np.bool_)
        for name, words in gone.items()
        if words and cell_text.NONE_MARKS.issuperset(map(str.strip, words))
    }
    dashes = {name: rows for name, rows in dashes.items() if rows.sum() > _FEW_DASHES * frame[name].notna().sum()}
    states = sorted(_states(frame, set(gone)), key=lambda one: one[0]) if dashes else []
    sizes = np.array([n for n, _, _ in states])
    found = dict.fromkeys(dashes, "")
    for name, rows in dashes.items():
        n = int(rows.sum())
        for k in np.argsort(np.abs(sizes - n), kind="stable")[:_COMPARED]:
            size, other, value = states[k]
            both = int((frame[other] == value).fillna(False).to_numpy(dtype=np.bool_)[rows].sum())
            if both >= _IN_COMMON * max(n, size):
                found[name] = f"'{other}' is {state_label(value)}"
                break
    return found


def _states(frame: pd.DataFrame, numbers: set[str]) -> Iterator[tuple[int, str, object]]:
    """Yield the states of the columns that are no numbers in words: number of rows, column and value."""
    for name in sorted(str(name) for name in frame.columns if name not in numbers):
        counts = frame[name].value_counts()
        if len(counts) <= (MOST_STATE_VALUES if frame[name].dtype.kind in "iufM" else MAX_STATES):
            for value, n in counts.items():
                if cell_text.folded(state_label(value)) not in cell_text.MISSING_WORDS:
                    yield int(n), name, value


# Spellings of one value.


def _spellings(name: str, tally: dict[str, int]) -> Iterator[Repair]:
    """Yield the repair that joins spellings."""
    if len(tally) > max(_MOST_SPELLINGS, sum(tally.values()) // 2):
        return
    if new := cell_text.spelling_groups(tally):
        times = Counter(new.values())
        first = max(times, key=lambda to: (times[to], to))
        before = kinds.most_common({label: tally[label] for label, to in new.items() if to == first})
        details = tuple(text for pair in new.items() for text in pair)
        sentence = f"'{name}' has {len(tally)} spellings of {counted(len(tally) - len(new), 'value')}."
        yield Repair("spellings", name, details, sum(tally[label] for label in new), before, first, sentence)


def _are_pairs(details: Step) -> bool:
    return len(details) > 1 and len(details) % 2 == 0


def _last_spelling(label: str, other: Mapping[str, str]) -> str:
    """Return what replaces a label, and what replaces that; of those that replace one another, the first by alphabet.

    >>> _last_spelling("a", {"a": "b", "b": "c"}), _last_spelling("b", {"a": "b", "b": "a"})
    ('c', 'a')
    """
    seen = [label]
    while (label := other.get(label, label)) not in seen:
        seen.append(label)
    return min(seen[seen.index(label) :])


# Numbers written as text.


def number_repair(column: pd.Series[Any]) -> Repair | None:
    """Return the repair that reads a column of text as numbers, if most of its cells are some.

    It is proposed only where nearly all are. Cells without a number, or in another unit than most, become missing.

    Examples
    --------
    >>> import pandas as pd
    >>> number_repair(pd.Series(["1,5", "2,5", "low", "<0,6", "4,0", "3,1"], name="crp")).sentence
    "'crp' holds numbers written as text; 1 cell without one (low) would be missing; 1 limit (<0,6) would count as a \
value just beyond it."
    """
    tally, name = tally_of(column), str(column.name)
    marks = cell_text.decimal_marks(tally, 0.5)
    return _number(name, tally, marks) if marks else None


def amounts(frame: pd.DataFrame) -> Iterator[pd.Series[Any]]:
    """Yield the columns of numbers, and those of numbers written as text, read."""
    for name in numeric_columns(frame):
        yield frame[name]
    for name, tally in texts_of(frame).items():
        if marks := words_and_marks(tally)[1]:
            yield _read_as_numbers(frame[name], marks)


def _number(name: str, tally: dict[str, int], marks: tuple[str, ...]) -> Repair:
    numbers = cell_text.numbers_in(tally, marks[0])
    odd, limits = ({label: tally[label] for label in own} for own in (numbers.odd, numbers.limits))
    text = f"'{name}' holds numbers written as text"
    if odd:
        other = ", or in another unit" if any(cell_text.number_in(label, marks[0]) for label in odd) else ""
        text += f"; {counted(sum(odd.values()), 'cell')} without one{other} ({kinds.most_common(odd)}) would be missing"
    if limits:
        n, beyond = sum(limits.values()), "it" if sum(limits.values()) == 1 else "them"
        text += f"; {counted(n, 'limit')} ({kinds.most_common(limits)}) would count as a value just beyond {beyond}"
    if not numbers.distinct:
        text += "; some that are written differently, such as 1.1 and 1.10, would be the same number"
    if len(marks) > 1:
        text += f"; its {'commas' if ',' in ''.join(tally) else 'points'} may be decimal marks or separate thousands"
    first = max(numbers.values, key=lambda label: (label in limits, not label.isdigit(), tally[label], label))
    choices = tuple((mark,) for mark in marks) if len(marks) > 1 else ()
    many = len(tally) > MOST_STATE_VALUES and not any(cell_text.number_in(label, marks[0]) for label in odd)
    sure = numbers.distinct and len(marks) == 1 and (many or len(cell_text.missing_words(odd)) == len(odd))
    after = f"{numbers.values[first]:.12g}"
    return Repair("number", name, marks[:1], sum(tally.values()), first, after, f"{text}.", choices, sure)


def _read_as_numbers(column: pd.Series[Any], details: Sequence[str]) -> pd.Series[Any]:
    if column.dtype.kind in "iuf":
        return column
    codes, labels = distinct_of(column)
    values = cell_text.numbers_in(tally_of(column), details[0]).values
    whole = all(value.is_integer() and abs(value) < 2**53 for value in values.values())
    return with_values(column, codes, [values.get(label) for label in labels], "Int64" if whole else "Float64")


def _numbers_line(group: Group) -> str:
    limits = [one for one in group if one.before[:1] in "<≤>≥" or one.before.endswith("+")]
    words = "numbers written as text" + (", limits as values just beyond them" if limits else "")
    return kinds.change_line(group, words, limits)


#: The kinds of repairs of cells of text, in the order in which they are made.
CELLS = (
    RepairKind("missing", _codes_in_columns, "{codes} {were} counted as missing in {columns}", bool, ("x",), _cells),
    RepairKind(
        "none", _states_line, "cells that may say that there is none were kept as a state in {columns}", bool, ("-",)
    ),
    RepairKind(
        "spellings",
        "spellings of one value",
        "spellings of one value were joined in {columns}",
        _are_pairs,
        ("male", "man"),
        counts_cells=True,
    ),
    RepairKind(
        "number",
        _numbers_line,
        "numbers stored as text were converted (a limit such as <5, if any, to a value just beyond it) in {columns}",
        lambda details: details in (("point",), ("comma",)),
        ("point",),
        make=_read_as_numbers,
        hides_text=True,
        counts_cells=True,
        choice=lambda details: f"decimal {details[0]}",
    ),
)
