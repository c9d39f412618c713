"""Repairs proposed for a raw table."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.display import counted, quoted
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine._core.validation import validated
from bnengine.data.cell_text import (
    NUMBER_CODES,
    SILENT_WORDS,
    TICKS,
    TOTAL_WORDS,
    date_order,
    decimal_marks,
    folded,
    may_be_a_state,
    missing_words,
    number_in,
    numbers_in,
    several_answers,
    spelling_groups,
    stray_codes,
)
from bnengine.data.checked_frame import checked_frame, state_label
from bnengine.data.columns import (
    MOST_STATE_VALUES,
    UNUSABLE,
    dashes_explained_elsewhere,
    describe,
    numbers_of,
    numeric_columns,
    repeated_columns,
    sum_scores,
)
from bnengine.data.determined import row_keys
from bnengine.data.item_scales import scales_in
from bnengine.data.repair_steps import (
    PARTS,
    REPAIR_KINDS,
    Repair,
    Step,
    check_steps,
    part_of,
    repaired,
    tally_of,
    times_of,
)
from bnengine.data.sampling_weights import weight_columns

#: Share of a column's cells that must be numbers, or dates, for it to be a column of them.
_MOST_CELLS = 0.95
#: So many different words, in whatever number of cells, make no column of words of one of numbers.
_MOST_WORDS = 5
#: Distinct texts in a table that are looked at: some 10 µs each.
_MOST_LABELS = 2_000_000
#: A column of text with more labels than this, and than half its rows, has no spellings of states.
_MOST_SPELLINGS = 200
#: Codes for missing values among words.
_SPOKEN_CODES = frozenset(["-9", "-99", "-999", "-9999", "-88", "-77", "77", "88", "99", "999", "9999"])


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
    for stage in (_lines, _totals, _groups, _answers, _cells, _dates, _columns, _scales):
        new = list(stage(frame))
        frame = repaired(frame, [one.step for one in new if one.is_sure])
        found += new
    return [one for one in found if one.kind != "leave_out" or one.column not in about_rows]


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
    marks = decimal_marks(tally, 0.5)
    return _number(name, tally, marks) if marks else None


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


# What is proposed, stage by stage: a row of totals, then cells, dates and columns.


def _is_text(column: pd.Series[Any]) -> bool:
    return column.dtype.kind not in "iufbcmM" and str(column.dtype) != "category"


def _texts(frame: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Tally the columns of text; those with most labels are passed over where all have too many to look at."""
    names = [name for name in frame.columns if _is_text(frame[name])]
    tallies, n_labels = {}, 0
    for _, name in sorted((int(frame[name].nunique()), name) for name in names):
        tallies[name] = tally_of(frame[name])
        n_labels += len(tallies[name])
        if n_labels > _MOST_LABELS:
            tallies.pop(name)
            break
    return tallies


#: Rows of the smallest table in which lines that are no rows are looked for, and the most of such lines at its end.
_FEWEST_ROWS, _MOST_NOTES = 10, 5


def _lines(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the repairs that leave out lines that are no rows: labels or units under the names, notes below the table.

    Labels stand where all other cells are numbers, in every column that they stand in. A note fills one cell only, with
    a longer text than any row has there, of several words or after a mark.
    """
    texts, n = _texts(frame), len(frame)
    if n < _FEWEST_ROWS or frame.shape[1] < 2:
        return
    first = {name: state_label(value) for name, value in frame.iloc[0].items() if pd.notna(value)}
    rest = {
        name: {label: k for label, k in texts[name].items() if label != first[name]} for name in first if name in texts
    }
    labels = [
        name
        for name, others in rest.items()
        if texts[name][first[name]] == 1 and number_in(first[name], "point") is None and _words_and_marks(others)[1]
    ]
    if len(labels) > 1 and 2 * len(labels) > len(first) and not set(first) & set(numeric_columns(frame)):
        name = labels[0]
        sentence = f"The first row ('{first[name][:40]}' in '{name}') has words where all others have numbers."
        yield Repair("line", name, (first[name],), 1, first[name], "(left out)", sentence)
    last: dict[str, list[str]] = {}
    for row in range(n - 1, n - 1 - _MOST_NOTES, -1):
        filled = [(str(name), state_label(value)) for name, value in frame.iloc[row].items() if pd.notna(value)]
        if len(filled) != 1 or filled[0][0] not in texts:
            break
        last.setdefault(filled[0][0], []).append(filled[0][1])
    for name, notes in last.items():
        longest = max((len(label) for label in texts[name] if label not in notes), default=0)
        is_note = [len(one) > longest and (" " in one or not one[0].isalnum()) for one in notes]
        if all(is_note) and max(texts[name][one] for one in notes) == 1:
            hold = "row only holds a note" if len(notes) == 1 else f"{len(notes)} rows only hold notes"
            sentence = f"The last {hold} ('{notes[-1][:40]}')."
            yield Repair("line", name, tuple(notes), len(notes), notes[-1], "(left out)", sentence)


def _totals(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the repair that leaves out a last row of sums; it is sure where most of its numbers add up the others."""
    for name, tally in _texts(frame).items():
        label = state_label(frame[name].iloc[-1]) if frame[name].notna().iloc[-1] else ""
        if tally.get(label) == 1 and len(frame) > 2 and folded(label) in TOTAL_WORDS:
            columns = _amounts(frame)
            adds_up = [bool(np.isclose(one[-1], np.nansum(one[:-1]))) for one in columns if np.isfinite(one[-1])]
            sentence = f"The last row, '{label}' in '{name}', {'adds' if any(adds_up) else 'may add'} up the others."
            sure = bool(adds_up) and 2 * sum(adds_up) >= len(adds_up)
            yield Repair("total", name, (label,), 1, label, "(left out)", sentence, is_sure=sure)
            return


_FEWEST_GROUPS, _LONGEST_GROUP = 3, 4  # groups, words of a group's name


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
        alike = len(sizes) == 1 and all(one != other for one, other in itertools.pairwise(values))
        once = len(set(values)) == len(values) and not any(len(one.split()) > _LONGEST_GROUP for one in values)
        if alike or once:
            sentence = f"'{name}' is filled in the first row of {len(starts)} groups, and empty in the others."
            yield Repair("fill", name, (), n - len(starts), "", values[0], sentence, is_sure=alike)


def _question_of(name: str) -> str:
    """Return a name without the number at its end, which distinguishes the options of a question.

    >>> _question_of("brands_12"), _question_of("brands")
    ('brands', 'brands')
    """
    stem = name.rstrip("0123456789")
    end = len(stem)
    while stem != name and end and not stem[end - 1].isalnum():
        end -= 1
    return stem[:end]


def _answers(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the columns with several answers in a cell, those that are ticked or empty, and states that no row has.

    Empty means no where several columns are ticked or empty: by a word for it, by one that is in the column's name, or
    where they are the options of one question. Elsewhere it is asked.
    """
    for name, tally in _texts(frame).items():
        words = missing_words(tally)
        mark, answers = several_answers(label for label in tally if label not in words)
        if mark:
            if words:
                yield _missing(name, {word: tally[word] for word in words}, False)
            several = max((label for label in tally if mark in label), key=lambda label: (tally[label], label))
            sentence = f"'{name}' has several of {len(answers)} answers in a cell; each becomes a yes or no of its own."
            yield Repair("set", name, (mark, *answers), sum(tally.values()), several, "", sentence)
    held = {name: next(iter(tally_of(frame[name])), "") for name in frame.columns if _is_ticked(frame[name])}
    stems = Counter(map(_question_of, held))
    boxes = [
        name
        for name, word in held.items()
        if folded(word) in TICKS or folded(word) in folded(name) or stems[_question_of(name)] > 1
    ]
    for name, word in held.items():
        n = int(frame[name].isna().sum())
        sentence = f"'{name}' is '{word[:40]}' or empty; empty would mean no in {counted(n, 'cell')}."
        sure = len(boxes) > 1 and name in boxes
        yield Repair("ticked", name, (), n, "(empty)", "0" if word == "1" else "no", sentence, is_sure=sure)
    for name in frame.select_dtypes("category"):
        if unseen := len(frame[name].cat.categories) - frame[name].nunique():
            sentence = f"'{name}' declares {counted(unseen, 'state')} that no row has."
            yield Repair("unseen", name, (), 0, "", "", sentence)


def _is_ticked(column: pd.Series[Any]) -> bool:
    is_box = column.dtype.kind not in "fcmM" or column.max() == 1
    return is_box and len(column) >= _FEWEST_ROWS and column.isna().any() and column.nunique() == 1


def _amounts(frame: pd.DataFrame) -> Iterator[FloatArray]:
    """Yield the values of the columns of numbers, and of those written as text."""
    for name in numeric_columns(frame):
        yield numbers_of(frame[name])
    for name, tally in _texts(frame).items():
        if marks := _words_and_marks(tally)[1]:
            yield numbers_of(repaired(frame[[name]], [("number", name, marks[0])])[name])


def _cells(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield repairs of the cells of single columns."""
    texts = _texts(frame)
    read = {name: _words_and_marks(tally) for name, tally in texts.items()}
    explained = dashes_explained_elsewhere(frame, {name: words for name, (words, marks) in read.items() if marks})
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
            if np.isin(numbers, NUMBER_CODES).any():
                tally = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
                if codes := {str(code): tally[code] for code in stray_codes(tally)}:
                    yield _missing(name, codes, False)


def _words_and_marks(tally: dict[str, int]) -> tuple[list[str], tuple[str, ...]]:
    """Return the words for missing values, and the decimal marks if nearly all others are numbers."""
    words = missing_words(tally)
    words = words if len(tally) > len(words) + 1 else []
    rest = {label: n for label, n in tally.items() if label not in words}
    if not (likely := decimal_marks(rest, 0.5)):
        return words, ()
    if len((numbers := numbers_in(rest, likely[0])).odd) <= _MOST_WORDS and len(numbers.values) > MOST_STATE_VALUES:
        rest = {label: rest[label] for label in numbers.values}
    return words, decimal_marks(rest, _MOST_CELLS)


def _cells_of(
    name: str,
    tally: dict[str, int],
    words: list[str],
    marks: tuple[str, ...],
    missing_elsewhere: Container[str],
    holes: bool,
) -> Iterator[Repair]:
    rest = {label: n for label, n in tally.items() if label not in words}
    codes = {label: tally[label] for label in (*words, *(_stray_labels(rest, marks[0]) if marks else _spoken(rest)))}
    left = {label: n for label, n in tally.items() if label not in codes}
    is_date = not marks and bool(date_order(left, _MOST_CELLS))
    if codes:
        yield _missing(name, codes, not marks and not is_date, missing_elsewhere)
    if marks:
        odd = [label for label in numbers_in(left, marks[0]).odd if folded(label) not in SILENT_WORDS]
        if sum(left[label] for label in odd) > (1 - _MOST_CELLS) * sum(left.values()):  # "never" among cigarettes
            sure = not holes and not codes
            yield _none(name, {label: left[label] for label in odd}, "", sure)
            left = {label: n for label, n in left.items() if not sure or label not in odd}
        yield _number(name, left, marks)
    elif not is_date:
        yield from _spellings(name, left)


def _stray_labels(tally: dict[str, int], mark: str) -> list[str]:
    """Return the labels of codes for missing values among numbers; no code has a limit or a unit."""
    numbers = {label: one for label in tally if (one := number_in(label, mark)) and not one.limit and not one.unit}
    rows = Counter[float]()
    for label, one in numbers.items():
        rows[one.value] += tally[label]
    codes = stray_codes(rows)
    return [label for label, one in numbers.items() if one.value in codes]


def _spoken(tally: dict[str, int]) -> list[str]:
    """Return the codes for missing values among words, which other numbers are not among but 0 and 1."""
    numbers = [label for label in tally if number_in(label, "point") is not None]
    codes = [label for label in tally if label in _SPOKEN_CODES]
    words = sum(tally[label] for label in numbers) < 0.5 * sum(tally.values())
    return codes if words and len(tally) > len(codes) + 1 and len(numbers) <= len(codes) + 2 else []


def _missing(name: str, codes: dict[str, int], of_words: bool, missing_elsewhere: Container[str] = ()) -> Repair:
    """Return the repair that makes codes missing; in a column of words not those that may be states, unless chosen.

    A mark that is ``missing_elsewhere``, in columns of numbers, is no state in columns of words.
    """
    every = tuple(sorted(codes))
    sure = tuple(code for code in every if code.strip() in missing_elsewhere or not (of_words and may_be_a_state(code)))
    codes = {code: codes[code] for code in sure or every}
    n = sum(codes.values())
    stand = ("stands" if n == 1 else "stand") if sure else "may stand"
    value = "a missing value" if n == 1 else "missing values"
    sentence = f"{counted(n, 'cell')} of '{name}' {stand} for {value}."
    choices = (sure, every) if sure and sure != every else ()
    return Repair("missing", name, sure or every, n, _some(codes), "(missing)", sentence, choices, bool(sure))


def _none(name: str, dashes: dict[str, int], reason: str, sure: bool) -> Repair:
    """Return the repair that makes a state of the dashes among numbers, and of the column's empty cells with them.

    It is sure where another column says so and there are no empty cells.
    """
    n = sum(dashes.values())
    why = f", in the rows where {reason}" if reason else ""
    sentence = f"{counted(n, 'cell')} of '{name}' may say that there is none{why}; otherwise they are missing."
    return Repair("none", name, tuple(sorted(dashes)), n, _some(dashes), "(a state of its own)", sentence, is_sure=sure)


def _number(name: str, tally: dict[str, int], marks: tuple[str, ...]) -> Repair:
    numbers = numbers_in(tally, marks[0])
    odd, limits = ({label: tally[label] for label in some} for some in (numbers.odd, numbers.limits))
    text = f"'{name}' holds numbers written as text"
    if odd:
        other = ", or in another unit" if any(number_in(label, marks[0]) for label in odd) else ""
        text += f"; {counted(sum(odd.values()), 'cell')} without one{other} ({_some(odd)}) would be missing"
    if limits:
        beyond = "it" if sum(limits.values()) == 1 else "them"
        text += (
            f"; {counted(sum(limits.values()), 'limit')} ({_some(limits)}) would count as a value just beyond {beyond}"
        )
    if not numbers.distinct:
        text += "; some that are written differently, such as 1.1 and 1.10, would be the same number"
    if len(marks) > 1:
        text += f"; its {'commas' if ',' in ''.join(tally) else 'points'} may be decimal marks or separate thousands"
    first = max(numbers.values, key=lambda label: (label in limits, not label.isdigit(), tally[label], label))
    choices = tuple((mark,) for mark in marks) if len(marks) > 1 else ()
    many = len(tally) > MOST_STATE_VALUES and not any(number_in(label, marks[0]) for label in odd)
    sure = numbers.distinct and len(marks) == 1 and (many or len(missing_words(odd)) == len(odd))
    after = f"{numbers.values[first]:.12g}"
    return Repair("number", name, marks[:1], sum(tally.values()), first, after, f"{text}.", choices, sure)


def _spellings(name: str, tally: dict[str, int]) -> Iterator[Repair]:
    """Yield the repair that joins spellings."""
    if len(tally) > max(_MOST_SPELLINGS, sum(tally.values()) // 2):
        return
    new = spelling_groups(tally)
    if new:
        times = Counter(new.values())
        first = max(times, key=lambda to: (times[to], to))
        before = _some({label: tally[label] for label, to in new.items() if to == first})
        details = tuple(text for pair in new.items() for text in pair)
        sentence = f"'{name}' has {len(tally)} spellings of {counted(len(tally) - len(new), 'value')}."
        yield Repair("spellings", name, details, sum(tally[label] for label in new), before, first, sentence)


def _some(labels: dict[str, int], most: int = 5) -> str:
    """Return the most common labels."""
    first = sorted(labels, key=lambda label: (-labels[label], label))[:most]
    return ", ".join(label[:30] for label in first) + (", …" if len(labels) > most else "")


def _dates(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield which part to keep of each column of dates."""
    texts = _texts(frame)
    for name in frame.columns:
        order = date_order(texts[name], _MOST_CELLS) if name in texts else ""
        if order or frame[name].dtype.kind == "M":
            times = times_of(frame[name], order)
            if not np.isnat(times).all():
                yield _date(frame[name], order, times)


def _date(column: pd.Series[Any], order: str, times: Any) -> Repair:
    name, is_date = str(column.name), ~np.isnat(times)
    present = np.unique(times[is_date])
    n_values = {part: len(set(part_of(present, part))) for part in PARTS}
    parts = [part for part in PARTS if n_values[part] > 1] or ["year"]
    first = "year" if n_values["year"] >= 3 else next((one for one in parts if one != "year"), parts[0])
    kept = (first, "hour") if n_values["hour"] > 2 and first != "hour" else (first,)
    before = min(column[times == present[0]].map(state_label))
    written = [str(part_of(present[:1], part)[0]) for part in kept]
    after = written[0] if len(kept) == 1 else f"{written[0]}, hour {written[1]}"
    sentence = f"'{name}' holds dates; of these, the {' and the '.join(kept)} can be learned from"
    odd = column.notna() & ~is_date
    if odd.any():
        others = tally_of(column[odd])
        sentence += f"; {counted(int(odd.sum()), 'cell')} without one ({_some(others)}) would be missing"
    choices = (*([(order, *kept)] if len(kept) > 1 else []), *((order, part) for part in parts))
    n_dates, sure = int(is_date.sum()), not odd.any()
    return Repair("date", name, (order, *kept), n_dates, before, after, f"{sentence}.", choices, sure)


def _columns(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield which columns to leave out, if not all of them."""
    notes = {str(line.variable): str(line.note) for line in describe(frame).itertuples()}
    out = {
        name: f"'{name}' {UNUSABLE[note]}."
        for name, note in notes.items()
        if note in UNUSABLE and str(frame[name].dtype) != "category"
    }
    rest = frame[[name for name in frame.columns if name not in out]]
    alike = repeated_columns(rest)
    if rest.shape[1] - len(alike) > 1:  # with one column left there is no network
        out |= {name: f"'{name}' is the same as '{other}'." for name, other in alike.items()}
        rest = rest.drop(columns=list(alike))
    out |= {name: f"'{name}' is {words}." for name, words in sum_scores(rest).items()}
    weights = [name for name, is_left_out in weight_columns(rest) if is_left_out]
    if len(weights) + 1 < rest.shape[1]:
        out |= {name: f"'{name}' may hold weights." for name in weights}
    for names in row_keys(rest.drop(columns=[name for name in out if name in rest])):
        sentence = f"{quoted(names)} together number the rows: no two rows are alike in them."
        yield from (
            Repair("leave_out", name, (), len(frame), name, "(left out)", sentence, is_sure=False) for name in names
        )
    if len(out) < frame.shape[1]:
        for name in (one for one in frame.columns if one in out):
            yield Repair("leave_out", name, (), len(frame), name, "(left out)", out[name])


def _scales(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the items that share their answers and measure one thing; that they do is for a person to say."""
    for one in scales_in(frame):
        first, n = one.items[0], len(one.items)
        how, before = f"{n} items", ""
        if one.n_reversed:
            how, before = f"{n} items, {one.n_reversed} reversed", f", {one.as_they_are:.2f} before reversing"
        scale = f"'{one.name}' ({how}; Cronbach's α {one.alpha:.2f}{before})"
        text = f"{quoted(one.items)} share their answers and may be averaged to a scale: {scale}."
        details = (one.name, *one.signed)
        yield Repair("scale", first, details, len(frame), f"{first[:30]}, …", one.name, text, is_sure=False)
