"""Columns that are left out: nothing can be learned from them, or they repeat others, or are the sum of others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.digests import digest
from bnengine._core.display import listed, quoted
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine.data.columns import MOST_STATE_VALUES, UNUSABLE, describe, numbers_of, numeric_columns
from bnengine.data.determined import row_keys
from bnengine.data.repairs.kinds import LEFT_OUT, Group, Repair, RepairKind
from bnengine.data.sampling_weights import weight_columns


def _unused(frame: pd.DataFrame) -> Iterator[Repair]:
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
        yield from (_left_out(name, frame, sentence, is_sure=False) for name in names)
    if len(out) < frame.shape[1]:
        yield from (_left_out(name, frame, out[name]) for name in frame.columns if name in out)


def _left_out(name: str, frame: pd.DataFrame, sentence: str, is_sure: bool = True) -> Repair:
    return Repair("leave_out", name, (), len(frame), name, LEFT_OUT, sentence, is_sure=is_sure)


def _line(group: Group) -> str:
    if len(group) > 1 and group[0].is_sure:
        return f"{len(group)} columns are left out: {some_of([one.column for one in group], 4)}"
    text = "; ".join(dict.fromkeys(one.sentence.rstrip(".") for one in group))
    return f"{text}, and is left out" if group[0].is_sure else text


# Columns that repeat another one.

_LEAST = 20  # rows that do not hold the most common value: fewer may be alike by chance


def repeated_columns(frame: pd.DataFrame) -> dict[str, str]:
    """Return the columns that repeat another one, with that other.

    Those are equal numbers, and states that are those of another column under other names, such as codes for words.
    Numbers that merely rise together repeat nothing: x and log x, a mass in two units, or two series. Of columns that
    are alike the one with the fewest missing cells stays, then one of words, then the first by its name.
    """
    numeric = set(numeric_columns(frame))
    kept: dict[tuple[str, str | bool], str] = {}
    found = {}
    for name in sorted(map(str, frame.columns), key=lambda one: (int(frame[one].isna().sum()), one in numeric, one)):
        column = frame[name] if name in numeric else frame[name].astype(object)
        codes, distinct = pd.factorize(column, use_na_sentinel=False)
        if len(codes) - np.bincount(codes).max(initial=0) < _LEAST:
            continue
        n_states, rows = int(pd.notna(distinct).sum()), digest(codes)
        of_numbers = name in numeric and n_states > 2  # equal ones repeat each other; two values are but names
        values = digest(numbers_of(pd.Series(distinct)) + 0.0) if of_numbers else ""  # -0.0 is 0.0
        few = n_states <= MOST_STATE_VALUES  # then numbers may be codes for words
        other = kept.get((rows, values)) or (kept.get((rows, not of_numbers)) if few else None)
        if other:
            found[name] = other
            continue
        kept[rows, values] = name
        if few:
            kept.setdefault((rows, of_numbers), name)
    return found


# Columns that are sums or means of others.

#: Columns among which sums are looked for, rows that are looked at first, and the addends that a sum has at least.
_MOST_SUMMED, _SOME_ROWS, _FEWEST_ADDED = 150, 2_000, 3
_ROUNDED = 0.0051  # of a mean with two decimals


def sum_scores(frame: pd.DataFrame) -> dict[str, str]:
    """Return the columns that are the sum or the mean of three others or more, with these in words.

    Sums are looked for from narrow to wide, means from wide to narrow, each among the columns that are not sums
    themselves. Addends may be reversed, such as 6 − q.

    >>> q = np.random.default_rng(1).integers(1, 6, (50, 3))
    >>> sum_scores(pd.DataFrame(q, columns=["q1", "q2", "q3"]).assign(total=q.sum(axis=1)))
    {'total': 'the sum of q1, q2 and q3'}
    """
    names = [name for name in numeric_columns(frame) if frame[name].nunique() > 2][:_MOST_SUMMED]
    values = frame[names].to_numpy(dtype=np.float64, na_value=np.nan)
    values = values[np.isfinite(values).all(axis=1)]
    if len(names) <= _FEWEST_ADDED or len(values) < 2 * len(names):
        return {}
    centred = values - values.mean(axis=0)
    some = centred[:_SOME_ROWS]
    products, spread = some.T @ some, centred.std(axis=0)
    found: dict[int, str] = {}
    for word, way in (("sum", 1), ("mean", -1)):
        for y in np.argsort(way * spread, kind="stable").tolist():
            others = [x for x in range(len(names)) if way * spread[x] < way * spread[y] and x not in found]
            if len(others) < _FEWEST_ADDED or y in found:
                continue
            weights = _weights(products[np.ix_(others, others)], products[others, y])
            used = np.flatnonzero(np.abs(weights) > 1e-3)
            each = 1.0 if word == "sum" else 1.0 / max(len(used), 1)
            if len(used) < _FEWEST_ADDED or np.abs(np.abs(weights[used]) - each).max() > 1e-3:
                continue
            addends = [others[k] for k in used]
            rest = centred[:, y] - centred[:, addends] @ (np.sign(weights[used]) * each)
            if np.abs(rest).max() <= (_ROUNDED if word == "mean" else 1e-6 * max(spread[y], 1.0)):
                found[y] = f"the {word} of {listed([names[x] for x in addends], 3)}"
    return {names[y]: found[y] for y in sorted(found)}


def _weights(products: FloatArray, with_y: FloatArray) -> FloatArray:
    """Return the weights of a linear regression; none where the columns depend on each other."""
    try:
        return np.asarray(np.linalg.solve(products, with_y), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.zeros(len(with_y))


#: The kind of repair that leaves a column out.
COLUMNS = (RepairKind("leave_out", _line, find=_unused),)
