"""Answers to a survey: several in a cell, boxes that are ticked or empty, and declared ones that nobody gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.data.cell_text import MARKS_BETWEEN_ANSWERS, TICKS, answers_in, folded, missing_words, several_answers
from bnengine.data.repairs.cells import missing_repair
from bnengine.data.repairs.kinds import Repair, RepairKind, distinct_of, tally_of, texts_of, with_values

_FEWEST_ROWS = 10  # of a column of boxes


def _answers(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the columns with several answers in a cell, those that are ticked or empty, and states that no row has.

    Empty means no where several columns are ticked or empty: by a word for it, by one that is in the column's name, or
    where they are the options of one question. Elsewhere it is asked.
    """
    for name, tally in texts_of(frame).items():
        words = missing_words(tally)
        mark, answers = several_answers(label for label in tally if label not in words)
        if mark:
            if words:
                yield missing_repair(name, {word: tally[word] for word in words}, False)
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


def _each_answer(columns: list[pd.Series[Any]], details: Sequence[str]) -> list[pd.Series[Any]]:
    (column,), (mark, *options) = columns, details
    codes, labels = distinct_of(column)
    chosen = [answers_in(label, mark) for label in labels]
    return [with_values(column, codes, ["yes" if one in own else "no" for own in chosen]) for one in options]


def _with_no(column: pd.Series[Any], _: Sequence[str]) -> pd.Series[Any]:
    codes, labels = distinct_of(column)
    states = pd.array([*labels, "0" if labels == ["1"] else "no"], dtype="str")
    return pd.Series(states.take(codes), index=column.index, name=column.name) if (codes < 0).any() else column


def _without_unseen(column: pd.Series[Any], _: Sequence[str]) -> pd.Series[Any]:
    return column.cat.remove_unused_categories() if isinstance(column.dtype, pd.CategoricalDtype) else column


#: The kinds of repairs of answers, in the order in which they are made.
ANSWERS = (
    RepairKind(
        "set",
        "several answers in one cell, each a yes or no of its own (edges between them may come of how many could be "
        "chosen)",
        "each of several answers in a cell became a variable of its own in {columns}",
        lambda details: len(details) > 2 and details[0] in MARKS_BETWEEN_ANSWERS,
        (",", "1", "2"),
        _answers,
        replace=_each_answer,
        made_names=lambda step: [f"{step[1]}: {option}" for option in step[3:]],
        counts_cells=True,
    ),
    RepairKind(
        "ticked", "ticked or empty, where empty means no", "an empty cell counted as no in {columns}", make=_with_no
    ),
    RepairKind(
        "unseen",
        "declared states that no row has do not count",
        "declared states that no row has were left out in {columns}",
        make=_without_unseen,
    ),
)
