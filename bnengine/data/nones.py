"""Dashes among numbers: whether they may say that there is none of something, or stand for missing values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bnengine._core.arrays import BoolArray
from bnengine._core.environment import pd
from bnengine.data.cell_text import MISSING_WORDS, folded, may_say_none
from bnengine.data.checked_frame import MAX_STATES, state_label
from bnengine.data.columns import MOST_STATE_VALUES

#: Share of a column's cells up to which dashes change little, whatever they say.
_FEW = 0.05
#: Share of the rows of either that dashes and a state have in common; how many of the nearest in number are compared.
_IN_COMMON, _COMPARED = 0.9, 20
#: Correlation between the dashes of two columns of numbers that are one panel of measurements.
_TOGETHER = 0.5


def nones(frame: pd.DataFrame, gone: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the columns of numbers whose dashes may say that there is none, and where this stands ("" if nowhere).

    To take "none" for missing fills a dose into the rows of those who had no drug; to take missing for a state costs a
    few parameters, but joins the columns of a panel of measurements that was not taken as a whole. So dashes stand for
    missing values where they are few, where the column has another word for these, or where another column of numbers
    has them in much the same rows; unless a state of another column stands in the same rows, such as a dash among names
    of drugs. ``gone`` are the words for missing values in columns of numbers.
    """
    dashes = {
        name: frame[name].isin(list(words)).to_numpy(dtype=np.bool_)
        for name, words in gone.items()
        if words and all(map(may_say_none, words))
    }
    dashes = {name: rows for name, rows in dashes.items() if rows.sum() > _FEW * frame[name].notna().sum()}
    if not dashes:
        return {}
    like = _states_in_the_same_rows(frame, dashes, set(gone))
    alone = set(_apart(dashes))
    return {name: like.get(name, "") for name in dashes if name in like or name in alone}


def _apart(dashes: Mapping[str, BoolArray]) -> Iterator[str]:
    """Yield the columns whose dashes do not come together with those of another, among the next in number."""
    order = sorted(dashes, key=lambda name: (int(dashes[name].sum()), name))
    for k, name in enumerate(order):
        near = order[max(k - _COMPARED, 0) : k] + order[k + 1 : k + 1 + _COMPARED]
        if all(_correlation(dashes[name], dashes[other]) < _TOGETHER for other in near):
            yield name


def _correlation(one: BoolArray, other: BoolArray) -> float:
    """Return the correlation of two indicators."""
    p, q = float(one.mean()), float(other.mean())
    spread = np.sqrt(p * (1 - p) * q * (1 - q))
    return (float((one & other).mean()) - p * q) / spread if spread else 0.0


def _states_in_the_same_rows(frame: pd.DataFrame, dashes: Mapping[str, BoolArray], numbers: set[str]) -> dict[str, str]:
    """Return for columns with dashes the state of another column that stands in nearly the same rows, in words."""
    states = sorted(_states(frame, numbers), key=lambda one: one[0])
    sizes = np.array([n for n, _, _ in states])
    found = {}
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
                if folded(state_label(value)) not in MISSING_WORDS:
                    yield int(n), name, value
