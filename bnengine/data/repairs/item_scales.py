"""Items that share their answers, as questions of a survey do, averaged to scales; and states that are joined."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.display import counted, quoted
from bnengine._core.environment import pd
from bnengine.data.checked_frame import DataError, state_label
from bnengine.data.repairs.kinds import Group, Repair, RepairKind, columns_in
from bnengine.data.rows_and_states import are_levels, state_order

_FEWEST_ANSWERS, _MOST_ANSWERS = 4, 11
_FEWEST_ITEMS, _MOST_ITEMS, _FEWEST_ROWS = 3, 500, 30  # of a scale; that are looked at; of a table
_LOADING, _RELIABLE = 0.4, 0.6  # least loading of an item; least α of a scale that is proposed
_MOST_TURNS = 100  # of varimax
_LONGEST_CODE = 12  # letters of a name's first word that stands for it


#: Items that measure one thing: their name; those of the items, + before the ones that count as they are and − before
#: the ones reversed; Cronbach's reliability of their mean, and what it would be if none were reversed.
Scale = tuple[str, tuple[str, ...], float, float]


def scales_in(frame: pd.DataFrame) -> list[Scale]:
    """Find the scales among columns that share four answers or more, in the order of their first items.

    Principal components whose eigenvalues exceed the empirical Kaiser criterion (Braeken & van Assen 2017, Eq. 6) are
    rotated (varimax, Kaiser 1958). Items go with the component that they load on most, reversed where their sign
    differs from that of most; three items or more make a scale if Cronbach's α (1951) is at least 0.6.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> true = np.repeat(rng.normal(size=(300, 2)), 3, axis=1) * [1, 1, -1, 1, 1, 1]
    >>> answers = np.clip(np.rint(3 + true + 0.7 * rng.normal(size=true.shape)), 1, 5).astype(int)
    >>> [(name, signed) for name, signed, *_ in scales_in(pd.DataFrame(answers, columns=[*"abcxyz"]))]
    [('a … c', ('+a', '+b', '-c')), ('x … z', ('+x', '+y', '+z'))]
    """
    found: list[tuple[list[str], list[str], float, float]] = []
    for names in _batteries(frame):
        correlation = _correlation(answers_as_numbers(frame[names]))
        for places, signs in _components(correlation, len(frame)):
            own = correlation[np.ix_(places, places)]
            alpha = _alpha(own * np.outer(signs, signs))
            if alpha >= _RELIABLE:
                found.append(
                    ([names[k] for k in places], ["+" if one > 0 else "-" for one in signs], alpha, _alpha(own))
                )
    place = {str(name): k for k, name in enumerate(frame.columns)}
    found.sort(key=lambda one: place[one[0][0]])
    called = _names([items for items, *_ in found])
    return [
        (name, tuple(map("".join, zip(signs, items, strict=True))), alpha, before)
        for name, (items, signs, alpha, before) in zip(called, found, strict=True)
    ]


def mean_of_items(columns: Sequence[pd.Series[Any]], signs: Sequence[int]) -> FloatArray:
    """Return each row's mean of the items, some of them reversed; NaN where fewer than half of them are answered."""
    values = answers_as_numbers(pd.concat(columns, axis=1))
    both_ends = np.nanmin(values) + np.nanmax(values)
    values = np.where(np.array(signs) > 0, values, both_ends - values)
    n_answered = np.isfinite(values).sum(axis=1)
    total = np.nansum(values, axis=1)
    return np.where(2 * n_answered >= len(signs), total / np.maximum(n_answered, 1), np.nan)


def answers_as_numbers(items: pd.DataFrame) -> FloatArray:
    """Return items, (rows, items), as numbers: numbers as they are, words by their places on their common scale."""
    if all(kind.kind in "iuf" for kind in items.dtypes):
        return np.asarray(items.to_numpy(dtype=np.float64, na_value=np.nan))
    coded = [pd.factorize(items[name]) for name in items.columns]
    labels = [[state_label(value) for value in distinct] for _, distinct in coded]
    answers = sorted({label for own in labels for label in own})
    if (order := state_order(answers)) is None:
        raise DataError(
            f"{quoted(list(map(str, items.columns)))} cannot be averaged: their answers have no order; make those that "
            "are none missing first"
        )
    place = {answers[state]: float(k + 1) for k, state in enumerate(order)}
    of_columns = zip(coded, labels, strict=True)
    return np.column_stack([np.array([*map(place.get, own), np.nan], float)[codes] for (codes, _), own in of_columns])


def _batteries(frame: pd.DataFrame) -> Iterator[list[str]]:
    """Yield the columns that share their answers: whole numbers with the same ends, or words of one scale."""
    if len(frame) < _FEWEST_ROWS:
        return
    of_answers: dict[tuple[Any, ...], list[str]] = {}
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "bcmM" or not 1 < column.nunique() <= _MOST_ANSWERS:
            continue
        if column.dtype.kind in "iuf":
            present = column.dropna()
            key: tuple[Any, ...] = ("numbers", present.min(), present.max()) if (present % 1 == 0).all() else ()
        else:
            key = tuple(sorted(map(state_label, pd.unique(column.dropna()))))
        if key:
            of_answers.setdefault(key, []).append(str(name))
    for key in sorted(
        of_answers, key=lambda key: (-len(key), *map(str, key))
    ):  # a rare answer that some items lack is that of the others
        for other in of_answers:
            if other is not key and of_answers[other] and key[0] != "numbers" and {*other} <= {*key} and len(other) > 2:
                of_answers[key], of_answers[other] = of_answers[key] + of_answers[other], []
    place = {str(name): k for k, name in enumerate(frame.columns)}
    for key, names in of_answers.items():
        n_answers = key[2] - key[1] + 1 if key[0] == "numbers" else len(key)
        if (
            _FEWEST_ITEMS <= len(names) <= _MOST_ITEMS
            and n_answers >= _FEWEST_ANSWERS
            and (key[0] == "numbers" or _are_answers(key))
        ):
            yield sorted(names, key=place.__getitem__)


def _are_answers(labels: Sequence[str]) -> bool:
    """Return whether labels are the answers of a scale: words that have an order, or such as 1 = never, 2 = often."""
    begins = [re.match(r"\d{1,9}", label) for label in labels]
    if all(begins):
        numbers = sorted(int(one[0]) for one in begins if one)
        return numbers == list(range(numbers[0], numbers[0] + len(labels)))
    return state_order(labels) is not None and not are_levels(labels)


def _correlation(values: FloatArray) -> FloatArray:
    """Return the correlations of items, each missing cell at its item's mean."""
    centred = np.nan_to_num(values - np.nanmean(values, axis=0))
    products = centred.T @ centred
    spread = np.sqrt(np.maximum(np.diag(products), np.finfo(float).tiny))
    return np.asarray(products / np.outer(spread, spread))


def _components(correlation: FloatArray, n_rows: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the items of each component and their signs."""
    p = len(correlation)
    values, vectors = np.linalg.eigh(correlation)
    values, vectors = values[::-1], vectors[:, ::-1]
    left = (p - np.cumsum(values) + values) / np.arange(p, 0, -1)
    least = np.maximum(left * (1 + math.sqrt(p / n_rows)) ** 2, 1.0)
    n = int(np.argmin(np.append(values > least, False)))
    if not n:
        return
    loadings = _varimax(vectors[:, :n] * np.sqrt(values[:n]))
    largest = np.abs(loadings).argmax(axis=1)
    for k in range(n):
        items = [v for v in range(p) if largest[v] == k and abs(loadings[v, k]) >= _LOADING]
        if len(items) >= _FEWEST_ITEMS:
            signs = np.sign(loadings[items, k]).astype(int)
            turned = signs * (signs[0] if signs.sum() == 0 else np.sign(signs.sum()))
            yield items, turned.tolist()


def _varimax(loadings: FloatArray) -> FloatArray:
    """Return loadings rotated so that their squares vary most within components (Kaiser 1958)."""
    turn, reached = np.eye(loadings.shape[1]), 0.0
    for _ in range(_MOST_TURNS):
        turned = loadings @ turn
        target = turned**3 - turned * (turned**2).mean(axis=0)
        left, sizes, right = np.linalg.svd(loadings.T @ target)
        turn, before, reached = left @ right, reached, float(sizes.sum())
        if reached <= before * (1 + 1e-9):
            break
    return np.asarray(loadings @ turn)


def _alpha(correlation: FloatArray) -> float:
    """Return Cronbach's α of standardized items, at least 0."""
    k, total = len(correlation), float(correlation.sum())
    return max(k / (k - 1) * (1 - k / total), 0.0) if total > 0 else 0.0


def _names(of_scales: Sequence[Sequence[str]]) -> list[str]:
    """Return a name for each scale: what its items' names begin with where it is its own, else the first and the last.

    >>> _names([["calm_1", "calm_2", "calm_3"], ["tense_1", "tense_2"]]), _names([["Q1. I sleep badly", "Q2. I worry"]])
    (['calm', 'tense'], ['Q1 … Q2'])
    """
    begins, codes = [], []
    for items in of_scales:
        alike = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*items, strict=False))
        begins.append("".join(one[0] for one in alike).rstrip("0123456789").rstrip(" _-.:("))
        ends = [items[k].partition(" ")[0].rstrip(".:)") for k in (0, -1)]
        codes.append(" … ".join(ends) if all(len(one) <= _LONGEST_CODE for one in ends) else "")
    names = []
    for begin, code, items in zip(begins, codes, of_scales, strict=True):
        own = [one for one, of in ((begin, begins), (code, codes)) if len(one) > 1 and of.count(one) == 1]
        names.append(own[0] if own else f"{items[0][:30]} and {len(items) - 1} more")
    return [name if names.index(name) == k else f"{name} ({k + 1})" for k, name in enumerate(names)]


def _scales(frame: pd.DataFrame) -> Iterator[Repair]:
    """Yield the items that share their answers and measure one thing; that they do is for a person to say."""
    for name, signed, alpha, as_they_are in scales_in(frame):
        items, n_reversed = [one[1:] for one in signed], sum(one[0] == "-" for one in signed)
        how, before = f"{len(items)} items", ""
        if n_reversed:
            how, before = f"{how}, {n_reversed} reversed", f", {as_they_are:.2f} before reversing"
        scale = f"'{name}' ({how}; Cronbach's α {alpha:.2f}{before})"
        text = f"{quoted(items)} share their answers and may be averaged to a scale: {scale}."
        first, details = items[0], (name, *signed)
        yield Repair("scale", first, details, len(frame), f"{first[:30]}, …", name, text, is_sure=False)


def _mean(columns: list[pd.Series[Any]], details: Sequence[str]) -> list[pd.Series[Any]]:
    signs = [1 if item[0] == "+" else -1 for item in details[1:]]
    return [pd.Series(mean_of_items(columns, signs), index=columns[0].index)]


def _line(group: Group) -> str:
    n = sum(len(one.details) - 1 for one in group)
    scales = "; ".join(one.sentence.partition(": ")[2].rstrip(".") for one in group)
    return f"{n} columns that share their answers, averaged to {counted(len(group), 'scale')}: {scales}"


def _is_scale(details: Sequence[str]) -> bool:
    """Return whether details are a name and two different items or more, each with its sign."""
    items = details[1:]
    return len({one[1:] for one in items}) == len(items) > 1 and all(
        [details[0], *(one[:1] in ("+", "-") and one[1:] for one in items)]
    )


#: The kinds of repairs that make one of several: of items, and later of states, which no finder proposes.
SCALES = (
    RepairKind(
        "scale",
        _line,
        "items that share their answers were averaged to scales (some of them reversed) in {columns}",
        _is_scale,
        ("scale", "+x", "+y", "-z"),
        _scales,
        replace=_mean,
        made_names=lambda step: [step[2]],
        columns_of=lambda step: [item[1:] for item in step[3:]],
    ),
    RepairKind(
        "joined",
        lambda group: f"states were joined in {columns_in(group)}",
        "states were joined (neighbours where they are ordered, otherwise the less common ones) in {columns}",
    ),
)
