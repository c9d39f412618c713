"""Repairs proposed for a raw table."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.validation import validated
from bnengine.data.cell_text import (
    TOTAL_WORDS,
    date_order,
    decoded_once_more,
    folded,
    may_be_a_state,
    missing_words,
    spelling_groups,
)
from bnengine.data.checked_frame import MAX_STATES, DataError, checked_frame, state_label
from bnengine.data.columns import (
    FEW_EACH,
    MOST_STATE_VALUES,
    SAME,
    UNUSABLE,
    dashes_said_elsewhere,
    describe,
    nearly_constant,
    similar_columns,
    sum_scores,
)
from bnengine.data.number_text import NUMBER_CODES, SHARE, Numbers, decimal_marks, number_in, numbers_in, stray_codes
from bnengine.data.repair_steps import (
    PARTS,
    REPAIR_KINDS,
    SINCE,
    UNTIL,
    Repair,
    Step,
    check_steps,
    made_name,
    no_common_unit,
    part_of,
    repaired,
    tally_of,
    times_of,
)
from bnengine.data.rows_and_states import OTHER_STATE

#: Share of a column's cells that must be numbers, or dates, for it to be a column of them.
_MOST_CELLS = 0.95
#: Distinct texts in a table that are looked at: some 10 µs each.
_MOST_LABELS = 2_000_000
#: A column of text with more labels than this, and than half its rows, has no spellings of states.
_MOST_SPELLINGS = 200
_KEPT_STATES, _KEPT_CHOICES = 8, (5, 8, 12, 20)
#: Codes for missing values among words.
_SPOKEN_CODES = frozenset(["-9", "-99", "-999", "-9999", "-88", "-77", "77", "88", "99", "999", "9999"])
_LONG_SPAN = np.timedelta64(5 * 365, "D")


@validated
def proposals(frame: pd.DataFrame) -> list[Repair]:
    """Propose repairs of a raw table: what is written in several ways, stands for something else, or is of no use.

    Looked for are text that was decoded in the wrong way, codes for missing values, spellings of one value, numbers and
    dates written as text, categories of which many are rare, and columns that nothing can be learned from or that
    repeat another one. A categorical column is left as it is, since its states were declared. The time is linear in the
    size of the table; neither the order of the rows nor that of the columns matters.

    Parameters
    ----------
    frame : DataFrame
        A raw table.

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
    for stage in (_encodings, _totals, _cells, _dates, _columns):
        new = list(stage(frame))
        frame = repaired(frame, [one.step for one in new if one.is_sure])
        found += new
    return list(_without_conflicts(found))


def number_repair(column: pd.Series[Any]) -> Repair | None:
    """Return the repair that reads a column of text as numbers, if most of its cells are some.

    It is proposed only where nearly all are. Cells without a number become missing.

    Raises
    ------
    DataError
        If the numbers have units that cannot be converted into each other.

    Examples
    --------
    >>> import pandas as pd
    >>> number_repair(pd.Series(["1,5", "2,5", "low", "<0,6", "4,0", "3,1"], name="crp")).sentence
    "'crp' holds numbers written as text; 1 cell without one (low) would be missing; 1 limit (<0,6) would count as a \
value just beyond it."
    """
    tally, name = tally_of(column), str(column.name)
    marks = decimal_marks(tally, 0.5)
    if not marks:
        return None
    numbers = numbers_in(tally, marks[0])
    if numbers.unit is None:
        raise DataError(no_common_unit(name, numbers))
    return _number(name, tally, marks, numbers)


def accepted(frame: pd.DataFrame, accept: str | Sequence[Any], proposed: Sequence[Repair] | None = None) -> list[Step]:
    """Return the steps of the repairs that are asked for.

    Parameters
    ----------
    frame : DataFrame
    accept : {"all", "none"}, or a kind or several ("spellings", …), or a sequence of Repair or of their steps
        Kinds are looked for in this table, and those repairs taken that are sure (see ``Repair``); a ``Repair`` and a
        step, such as ``("missing", "age", "99")``, are taken as they are.
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
    unknown = [word for word in words if word not in ("all", "none", *REPAIR_KINDS)]
    if unknown:
        raise ValueError(f"repairs must be all, none, or one of {', '.join(REPAIR_KINDS)}; got '{unknown[0]:.60}'")
    if not set(words) - {"none"}:
        return []
    found = proposals(frame) if proposed is None else proposed
    return [one.step for one in found if one.is_sure and ("all" in words or one.kind in words)]


def _without_conflicts(found: Sequence[Repair]) -> Iterator[Repair]:
    """Yield one repair of a kind for each column, and do not join values that may yet be read as numbers or dates."""
    sure = {(one.kind, one.column) for one in found if one.is_sure}
    why = {one.column: one.sentence for one in found if one.kind == "leave_out" and not one.is_sure}
    unread = {one.column for one in found if one.kind in ("number", "date", "leave_out") and not one.is_sure}
    for one in found:
        if one.kind == "rare" and one.column in unread:
            continue
        if one.is_sure:
            yield replace(one, sentence=why.get(one.column, one.sentence)) if one.kind == "leave_out" else one
        elif (one.kind, one.column) not in sure:
            yield one


# What is proposed, stage by stage: encodings first, then cells, dates, columns.


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


def _encodings(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield what was decoded in the wrong way, such as Ã¤ for ä; it is sure where nothing else looks like that."""
    for name, tally in _texts(frame).items():
        new = {label: right for label in tally if (right := decoded_once_more(label)) is not None}
        if new:
            lost = [label for label in tally if "\ufffd" in label]
            first = max(new, key=lambda label: (tally[label], label))
            n = sum(tally[label] for label in new)
            sentence = f"{counted(n, 'cell')} of '{name}' {'was' if n == 1 else 'were'} encoded twice."
            yield Repair("encoding", name, (), n, first, new[first], sentence, is_sure=not lost)


def _totals(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the repair that leaves out a last row of sums; it is sure where most of its numbers add up the others."""
    for name, tally in _texts(frame).items():
        label = state_label(frame[name].iloc[-1]) if frame[name].notna().iloc[-1] else ""
        if tally.get(label) == 1 and len(frame) > 2 and folded(label) in TOTAL_WORDS:
            numbers = frame.select_dtypes("number")
            adds_up = np.isclose(numbers.iloc[-1].to_numpy(float), numbers.iloc[:-1].sum().to_numpy(float))
            sentence = f"The last row, '{label}' in '{name}', {'adds' if adds_up.any() else 'may add'} up the others."
            sure = bool(adds_up.size and adds_up.mean() >= 0.5)
            yield Repair("total", name, (label,), 1, label, "(left out)", sentence, is_sure=sure)
            return


def _cells(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield repairs of the cells of single columns."""
    tallies: dict[str, dict[Any, int]] = {}
    texts, gone, marks, known = _texts(frame), {}, {}, set()
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "iuf":
            numbers, counts = np.unique(column.dropna().to_numpy(dtype=np.float64), return_counts=True)
            if np.isin(numbers, NUMBER_CODES).any():
                tallies[name] = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
                known |= set(stray_codes(tallies[name]))
        elif name in texts:
            tally = tallies[name] = texts[name]
            words = missing_words(tally)
            gone[name] = words if len(tally) > len(words) + 1 else []
            present = {label: n for label, n in tally.items() if label not in gone[name]}
            marks[name] = decimal_marks(present, _MOST_CELLS)
            if marks[name]:
                known |= set(_stray_labels(present, marks[name][0]).values())
    said = dashes_said_elsewhere(frame, {name: gone[name] for name in gone if marks[name]})
    for name, tally in tallies.items():
        if name in said:
            dashes = {word: tally[word] for word in gone[name]}
            yield _none(name, dashes, said[name])
            if said[name]:
                tally, gone[name] = {label: n for label, n in tally.items() if label not in dashes}, []
        yield from _cells_of(name, tally, gone.get(name), marks.get(name, ()), frozenset(known))


def _stray_labels(tally: dict[str, int], mark: str, known: frozenset[int] = frozenset()) -> dict[str, int]:
    """Return the labels of codes for missing values, with their numbers; no code has a limit or a unit."""
    numbers = {label: one for label in tally if (one := number_in(label, mark)) and not one.limit and not one.unit}
    rows = Counter[float]()
    for label, one in numbers.items():
        rows[one.value] += tally[label]
    codes = stray_codes(rows, known)
    return {label: int(one.value) for label, one in numbers.items() if one.value in codes}


def _cells_of(
    name: str, tally: dict[Any, int], words: list[str] | None, marks: tuple[str, ...], known: frozenset[int]
) -> Iterator[Repair]:
    if words is None:
        codes = {str(code): tally[code] for code in stray_codes(tally, known)}
    elif marks:
        codes = {label: tally[label] for label in (*_stray_labels(tally, marks[0], known), *words)}
    else:
        codes = {label: tally[label] for label in words}
        rest = [label for label in tally if label not in codes]
        numbers = [label for label in rest if number_in(label, "point") is not None]
        if sum(tally[label] for label in numbers) < 0.5 * sum(tally[label] for label in rest):
            extra = [label for label in rest if label in _SPOKEN_CODES]
            if len(rest) > len(extra) + 1 and len(numbers) <= len(extra) + 2:  # beside 0 and 1
                codes |= {label: tally[label] for label in extra}
    left = {label: n for label, n in tally.items() if label not in codes}
    is_date = words is not None and not marks and bool(date_order(left, _MOST_CELLS))
    if codes:
        yield _missing(name, codes, words is not None and not marks and not is_date)
    if marks:
        yield from _numbers(name, left, marks)
    elif words is not None and not is_date:
        yield from _spellings(name, left)


def _missing(name: str, codes: dict[str, int], of_words: bool) -> Repair:
    """Return the repair that makes codes missing; in a column of words not those that may be states, unless chosen."""
    every = tuple(sorted(codes))
    sure = tuple(code for code in every if not (of_words and may_be_a_state(code)))
    codes = {code: codes[code] for code in sure or every}
    n = sum(codes.values())
    stand = ("stands" if n == 1 else "stand") if sure else "may stand"
    value = "a missing value" if n == 1 else "missing values"
    sentence = f"{counted(n, 'cell')} of '{name}' {stand} for {value}."
    choices = (sure, every) if sure and sure != every else ()
    return Repair("missing", name, sure or every, n, _some(codes), "(missing)", sentence, choices, bool(sure))


def _none(name: str, dashes: dict[str, int], said: str) -> Repair:
    """Return the repair that makes a state of the dashes among numbers; it is sure where another column says so."""
    n = sum(dashes.values())
    why = f", in the rows where {said}" if said else ""
    sentence = f"{counted(n, 'cell')} of '{name}' may say that there is none{why}; otherwise they are missing."
    return Repair(
        "none", name, tuple(sorted(dashes)), n, _some(dashes), "(a state of its own)", sentence, is_sure=bool(said)
    )


def _numbers(name: str, tally: dict[str, int], marks: tuple[str, ...]) -> Iterator[Repair]:
    """Yield the repair that reads numbers; to leave the column out where their units cannot be converted."""
    numbers = numbers_in(tally, marks[0])
    if numbers.unit is not None:
        yield _number(name, tally, marks, numbers)
    else:
        rows = sum(tally.values())
        yield Repair(
            "leave_out", name, (), rows, name, "(left out)", f"{no_common_unit(name, numbers)}.", is_sure=False
        )


def _number(name: str, tally: dict[str, int], marks: tuple[str, ...], numbers: Numbers) -> Repair:
    odd, limits = ({label: tally[label] for label in some} for some in (numbers.odd, numbers.limits))
    said = f"'{name}' holds numbers written as text"
    if numbers.unit:
        said += f", in {numbers.units}; all would be {_IN_UNIT.get(numbers.unit, f'in {numbers.unit}')}"
    if odd:
        said += f"; {counted(sum(odd.values()), 'cell')} without one ({_some(odd)}) would be missing"
    if limits:
        beyond = "it" if sum(limits.values()) == 1 else "them"
        said += (
            f"; {counted(sum(limits.values()), 'limit')} ({_some(limits)}) would count as a value just beyond {beyond}"
        )
    if not numbers.distinct:
        said += "; some that are written differently, such as 1.1 and 1.10, would be the same number"
    if len(marks) > 1:
        said += f"; its {'commas' if ',' in ''.join(tally) else 'points'} may be decimal marks or separate thousands"
    shown = {**limits, **{label: n for label, n in tally.items() if label not in odd}}
    first = max(shown, key=lambda label: (label in limits, not label.isdigit(), shown[label], label))
    choices = tuple((mark, numbers.unit) if numbers.unit else (mark,) for mark in marks)
    sure = numbers.distinct and len(missing_words(odd)) == len(odd) and len(marks) == 1
    return Repair(
        "number",
        name,
        choices[0],
        sum(tally.values()),
        first,
        f"{numbers.values[first]:.12g}",
        f"{said}.",
        choices if len(choices) > 1 else (),
        sure,
    )


_IN_UNIT = {SHARE: "shares of 1", "%": "percentages"}


def _spellings(name: str, tally: dict[str, int]) -> Iterator[Repair]:
    """Yield the repair that joins spellings."""
    many = len(tally) > max(_MOST_SPELLINGS, sum(tally.values()) // 2)
    if many:
        return
    new = spelling_groups(tally)
    if not new:
        return
    n_values = len({new.get(label, label) for label in tally})
    by_value: dict[str, dict[str, int]] = {}
    for label, to in new.items():
        by_value.setdefault(to, {})[label] = tally[label]
    first = max(by_value, key=lambda to: (len(by_value[to]), to))
    details = tuple(text for pair in new.items() for text in pair)
    sentence = f"'{name}' has {len(tally)} spellings of {counted(n_values, 'value')}."
    yield Repair(
        "spellings", name, details, sum(tally[label] for label in new), _some(by_value[first]), first, sentence
    )


def _some(labels: dict[str, int], most: int = 5) -> str:
    """Return the most common labels."""
    first = sorted(labels, key=lambda label: (-labels[label], label))[:most]
    return ", ".join(label[:30] for label in first) + (", …" if len(labels) > most else "")


def _dates(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield what to keep of each column of dates: the time since the one before where all follow it, else a part."""
    texts, orders, times = _texts(frame), {}, {}
    for name in frame.columns:
        kind = frame[name].dtype.kind
        order = date_order(texts[name], _MOST_CELLS) if name in texts else ""
        if order or kind == "M":
            found = times_of(frame[name], order)
            if not np.isnat(found).all():
                orders[name], times[name] = order, found
    middle = {name: np.median(found[~np.isnat(found)].astype(np.int64)) for name, found in times.items()}
    names = sorted(times, key=lambda name: (middle[name], name))
    kept: dict[str, tuple[str, ...]] = {}
    for one, other in itertools.pairwise(names):
        gap = times[other] - times[one]
        gap = gap[~np.isnat(gap)]
        if not len(gap) or (gap < np.timedelta64(0)).mean() > 1 - _MOST_CELLS or gap.min() == gap.max():
            continue
        if np.median(gap) >= _LONG_SPAN:
            kept.setdefault(one, (UNTIL, other, orders[other]))
        else:
            kept[other] = (SINCE, one, orders[one])
    for name in (one for one in frame.columns if one in times):
        yield _date(frame, name, orders[name], kept.get(name), times[name])


def _date(frame: pd.DataFrame, name: str, order: str, since: tuple[str, ...] | None, times: Any) -> Repair:
    present = np.unique(times[~np.isnat(times)])
    n_values = {part: len(set(part_of(present, part))) for part in PARTS}
    parts = [part for part in PARTS if n_values[part] > 1] or ["year"]
    first = "year" if n_values["year"] >= 3 else next((one for one in parts if one != "year"), parts[0])
    details: Step = (order, first) if since is None else (order, *since)
    choices = [*([] if since is None else [details]), *((order, part) for part in parts)]
    made = repaired(frame[[name, *(since or ())[1:2]]], [("date", name, *details)])
    column = made[made_name(("date", name, *details))]
    both = ~np.isnat(times) & column.notna().to_numpy()
    pairs = pd.DataFrame({"time": times[both], "before": frame[name][both].map(state_label), "after": column[both]})
    before, after = pairs.sort_values(["time", "before", "after"]).iloc[0, 1:]
    kept = made_name(("date", "", *details)).strip(" ()")
    sentence = f"'{name}' holds dates; of these, {'the ' if since is None else ''}{kept} can be learned from."
    n_dates, odd = int((~np.isnat(times)).sum()), frame[name].notna().to_numpy() & np.isnat(times)
    if odd.any():
        others = tally_of(frame[name][odd])
        sentence = f"{sentence[:-1]}; {counted(int(odd.sum()), 'cell')} without one ({_some(others)}) would be missing."
    return Repair("date", name, details, n_dates, before, state_label(after), sentence, tuple(choices), not odd.any())


def _columns(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield what to do with whole columns: join their rare states, or leave them out."""
    described = describe(frame)
    n_rows, out, joined = len(frame), {}, []
    for line in described.itertuples():
        name, note = str(line.variable), str(line.note)
        column = frame[name]
        present = n_rows - int(line.missing)
        if str(column.dtype) == "category":
            continue
        if _is_text(column) and MOST_STATE_VALUES < line.distinct <= present / FEW_EACH:
            joined.append(_rare(name, tally_of(column)))
        elif note in UNUSABLE:
            out[name] = f"'{name}' {UNUSABLE[note]}."
        elif nearly_constant(column):
            out[name] = f"'{name}' is constant in all but a few rows."
    rest = frame[[name for name in frame.columns if name not in out]]
    alike = similar_columns(rest)
    if rest.shape[1] - len(alike) < 2:  # with one column left there is no network
        alike = {}
    sums = sum_scores(rest[[name for name in rest.columns if name not in alike]])
    out |= {name: f"'{name}' is {same} '{other}'." for name, (other, same) in alike.items()}
    out |= {name: f"'{name}' is {words}." for name, words in sums.items()}
    yield from joined
    if len(out) < frame.shape[1]:
        for name in (one for one in frame.columns if one in out):
            sure = name not in alike or alike[name][1] == SAME
            yield Repair("leave_out", name, (), n_rows, name, "(left out)", out[name], is_sure=sure)


def _rare(name: str, tally: dict[str, int]) -> Repair:
    order = sorted(tally, key=lambda label: (-tally[label], label))
    choices = tuple(tuple(sorted(order[:n])) for n in _KEPT_CHOICES if n < len(order) - 1)
    kept, rest = order[:_KEPT_STATES], {label: tally[label] for label in order[_KEPT_STATES:]}
    sentence = f"'{name}' has {len(order)} states; all but the {len(kept)} most common become one."
    details = tuple(sorted(kept))
    lost = len(order) > MAX_STATES  # the column would be left out otherwise
    return Repair("rare", name, details, sum(rest.values()), _some(rest), OTHER_STATE, sentence, choices, lost)
