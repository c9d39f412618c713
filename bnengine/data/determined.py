"""Columns that are functions of others, and columns that together number the rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt16Array
from bnengine._core.environment import pd

#: Rows beyond a column's most common state that others have to predict: fewer may agree by chance.
_LEAST = 20
#: Variables of which functions of so many are looked for, and the rows by which most pairs and triples are dismissed.
_MOST, _SOME_ROWS = {2: 60, 3: 30}, 200
_ROUNDING = 1e-9  # of a number's standard deviation
#: Columns that may number rows together; part of all their combinations that stand in the table at least.
_KEYS, _FILLED = 3, 0.5
#: Rows that are looked at for them, about half a second, and how many take as long as turning to other columns.
_MOST_LOOKED_AT, _TURN = 100_000_000, 1_000


def functions_of_others(names: Sequence[str], rows: UInt16Array, times: IntArray) -> dict[str, tuple[str, ...]]:
    """Return the variables that are a function of others, with these: of one, two (up to 60 variables) or three (30).

    Parameters
    ----------
    names : sequence of str
    rows : ndarray of uint16, shape (R, V)
        Distinct rows; a missing cell is a state of its own.
    times : ndarray of int, shape (R,)
        How often each occurs.

    Examples
    --------
    >>> both = np.random.default_rng(1).integers(0, 3, (200, 2)).astype(np.uint16)
    >>> rows = np.column_stack([both, both[:, 0] * 3 + both[:, 1]])
    >>> functions_of_others(["age", "income", "stratum"], rows, np.ones(200, dtype=np.int64))
    {'stratum': ('age', 'income')}
    """
    columns = sorted(range(len(names)), key=names.__getitem__)
    totals = [np.bincount(rows[:, v], times) for v in range(len(names))]
    rare = rows != np.array([one.argmax() for one in totals])
    weight = times[:, None] * rare
    left = np.array([one.sum() - one.max() >= _LEAST for one in totals])
    found: dict[int, tuple[int, ...]] = {}
    sizes = [1, *(size for size, most in _MOST.items() if len(names) <= most)]
    for given in itertools.chain.from_iterable(itertools.combinations(columns, size) for size in sizes):
        some, _ = _predicted(rows[:_SOME_ROWS], given)
        some[list(given)] = False
        if not (some & left).any():
            continue
        same, first = _predicted(rows, given)
        agreeing = weight.sum(axis=0) - rare[first].sum(axis=0)
        for y in np.flatnonzero(same & left & (agreeing >= _LEAST)).tolist():
            if y not in given and y not in found and not any(y in found.get(x, ()) for x in given if len(given) == 1):
                of_given = [x for x in given if found.get(x) == (y,)]
                if len(given) > 1 and any(y in found.get(x, ()) and x not in of_given for x in given):
                    continue  # each of three is a function of the other two: reported once
                for x in of_given:  # a part of y is a function of y, which is no news
                    del found[x]
                found[y] = given
    return {names[y]: tuple(names[x] for x in found[y]) for y in sorted(found)}


def sums_of_others(names: Sequence[str], numbers: FloatArray, times: IntArray) -> dict[str, tuple[str, ...]]:
    """Return the numbers that are copies, or linear sums to nine digits, of numbers earlier by name, with these.

    Parameters
    ----------
    names : sequence of str
    numbers : ndarray of float, shape (R, V)
        Distinct rows.
    times : ndarray of int, shape (R,)
        How often each occurs.

    Examples
    --------
    >>> both = np.random.default_rng(1).normal(size=(50, 2))
    >>> sums_of_others(["rent", "food", "total"], np.column_stack([both, both @ [1, 1]]), np.ones(50, dtype=np.int64))
    {'total': ('food', 'rent')}
    """
    centred = (numbers - np.average(numbers, axis=0, weights=times)) * np.sqrt(times)[:, None]
    sizes, found, kept = np.linalg.norm(centred, axis=0), dict[str, tuple[str, ...]](), list[int]()
    for y in sorted(np.flatnonzero(sizes > 0).tolist(), key=names.__getitem__):
        if len(kept) + _LEAST > len(numbers):
            break
        given = centred[:, kept] / sizes[kept]
        slopes = np.linalg.lstsq(given, centred[:, y] / sizes[y], rcond=None)[0]
        if np.linalg.norm(centred[:, y] / sizes[y] - given @ slopes) > _ROUNDING:
            kept.append(y)
        else:
            found[names[y]] = tuple(names[kept[i]] for i in np.flatnonzero(np.abs(slopes) > _ROUNDING))
    return found


def _predicted(rows: UInt16Array, given: Sequence[int]) -> tuple[BoolArray, IntArray]:
    """Return which columns are alike in all rows alike in the given ones, and the first row of each kind."""
    key = np.zeros(len(rows), dtype=np.int64)
    for x in given:
        key = key * (2**16) + rows[:, x]
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    return (rows == rows[first[kind.ravel()]]).all(axis=0), first


def row_keys(frame: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """Yield two or three columns that together number the rows, such as country and year; each column in one of them.

    No row has the states of another in all of them, half or more of all combinations occur, and none has as many
    distinct values as there are rows. Among very many columns, those whose names come last are not looked at.

    Examples
    --------
    >>> frame = pd.DataFrame({"country": [*"abcdefgh"] * 5, "year": np.repeat(range(5), 8), "gdp": range(40)})
    >>> list(row_keys(frame))
    [('country', 'year')]
    """
    n, codes = len(frame), {str(name): pd.factorize(frame[name])[0].astype(np.int64) for name in frame.columns}
    n_states = {name: int(one.max(initial=-1)) + 1 for name, one in codes.items() if (one >= 0).all()}
    left = sorted(name for name, r in n_states.items() if 1 < r <= n // 2) if n >= _LEAST else []
    fewest, most = (choose((n_states[name] for name in left), default=0) for choose in (min, max))
    used, looked_at = dict.fromkeys(left, False), 0
    for names in (one for size in range(1, _KEYS) for one in itertools.combinations(left, size)):
        cells = math.prod(n_states[name] for name in names)
        looked_at += n + _TURN
        if looked_at > _MOST_LOOKED_AT:
            return
        if cells * fewest > n / _FILLED or cells * most < n or any(used[name] for name in names):
            continue
        number = np.zeros(n, dtype=np.int64)
        for name in names:
            number = number * n_states[name] + codes[name]
        # of rows alike in these, each needs a state of its own in the last
        needed = max(int(np.bincount(number).max()), n / cells)
        for last in left[left.index(names[-1]) + 1 :] if needed <= most else ():
            r = n_states[last]
            if used[last] or not needed <= r <= n / _FILLED / cells:
                continue
            looked_at += n + _TURN
            if int(np.bincount(number * r + codes[last]).max()) == 1:
                used |= dict.fromkeys((*names, last), True)
                yield *names, last
                break
