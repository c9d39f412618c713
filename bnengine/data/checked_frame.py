"""A table that a caller hands in: what every function that takes one relies on, and the error where it cannot."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray, UInt16Array
from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import bounded_name, checked_names, composed, is_unicode, not_unicode, repeated, shown

#: A column with more states than this is probably an identifier or a measurement that should be discretized.
MAX_STATES = 100


class DataError(ValueError):
    """Raised for data that cannot be used; the message names the column, the value and the remedy."""


def checked_columns(
    names: Sequence[str], argument: str, remedy: str = "give each column its own name"
) -> tuple[str, ...]:
    """Return the column names as a tuple; DataError if they are not strings, not Unicode or repeated."""
    names = checked_names(names, argument, error=DataError)
    _check_unicode(names)
    twice = repeated(names)
    if twice is not None:
        raise DataError(
            f"{argument} must be distinct: the column name '{twice}' occurs {names.count(twice)} times; {remedy}"
        )
    return names


def column_names(frame: pd.DataFrame) -> list[str]:
    """Return the frame's column names as strings, composed; a DataError for one that is not Unicode."""
    names = [composed(str(name)) for name in frame.columns]
    _check_unicode(names)
    return names


def _check_unicode(names: Iterable[str]) -> None:
    for name in names:
        if not is_unicode(name):
            raise DataError(f"the column name {not_unicode(name)}; rename the column")


def checked_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with its column names as strings.

    A DataError if a name is repeated, or a cell holds a list or something else without a value.
    """
    names = checked_columns([str(name) for name in frame.columns], "column names")
    frame = frame.set_axis(list(names), axis=1)
    for name, kind in zip(names, frame.dtypes, strict=True):
        if isinstance(kind, pd.CategoricalDtype):
            _check_values(name, kind.categories)
        elif kind.kind == "O" and not isinstance(kind, pd.api.extensions.ExtensionDtype):
            _check_cells(name, frame[name])
        elif kind.kind == "c":
            raise DataError(f"column '{name[:80]}' holds complex numbers; give its parts columns of their own")
    return frame


def _check_cells(name: str, column: Any) -> None:
    try:
        distinct = column.dropna().unique()
    except TypeError:
        odd = next((cell for cell in column if not isinstance(cell, Hashable)), ())  # or a tuple of something such
        raise DataError(
            f"column '{name[:80]}' holds a {type(odd).__name__} in a cell; give each of its parts a column of its own"
        ) from None
    if pd.api.types.infer_dtype(column, skipna=True).startswith("mixed"):
        kinds = set(map(type, column.dropna()))
        if bool in kinds and kinds & {int, float}:  # True == 1 for Python, but it is another state
            raise DataError(f"column '{name[:80]}' holds truth values beside numbers; turn them into text")
    _check_values(name, distinct)


def _check_values(name: str, distinct: Iterable[Any]) -> None:
    for cell in distinct:
        if isinstance(cell, tuple | frozenset | bytes | complex):
            raise DataError(f"column '{name[:80]}' holds a {type(cell).__name__} in a cell; turn it into text")
        if isinstance(cell, str) and not is_unicode(cell):
            raise DataError(f"column '{name[:80]}' holds a cell that no file can hold: {not_unicode(cell)}; correct it")
        if isinstance(cell, int) and abs(cell) > _LARGEST:
            raise DataError(
                f"column '{name[:80]}' holds a whole number of {int(math.log10(abs(cell))) + 1:,} digits, too large to "
                "compute with; correct it, or turn the column into text if it is a code"
            )


#: Larger whole numbers have no floating-point value.
_LARGEST = 10**308


class Values(tuple[str, ...]):
    """The values of a number, distinct and in increasing order, as text; they stand where other columns have states.

    A code of such a column is the place of its value.
    """

    __slots__ = ()

    @property
    def numbers(self) -> FloatArray:
        """The values themselves, shape (r,)."""
        return np.array(self, dtype=np.float64)


#: Codes are 16-bit numbers.
LARGEST_ARITY = 65_535
#: The code of a missing cell: no variable has so many states that it could be taken for one of them.
MISSING = LARGEST_ARITY


def coded_column(name: str, column: pd.Series[Any], missing: bool = False) -> tuple[tuple[str, ...], UInt16Array]:
    """Return the states and codes of one column; a DataError for missing cells unless they are allowed."""
    absent = column.isna().to_numpy()
    if missing and absent.all():
        raise DataError(f"column '{name}' has no values; leave it out")
    if absent.any() and not missing:
        raise DataError(
            f"column '{name}' has {counted(int(absent.sum()), 'missing cell')}; keep them with "
            "Dataset.from_frame(frame, missing='keep'), drop their rows with missing='listwise', give them a state of "
            "their own with missing='own_state', or leave the column out"
        )
    values, codes = states_of(column)
    # declared states are deliberate
    limit = LARGEST_ARITY if isinstance(column.dtype, pd.CategoricalDtype) else MAX_STATES
    if len(values) > limit:
        raise DataError(
            f"column '{name}' has {len(values):,} different values (such as '{state_label(values[0])}'), more than the "
            f"{limit:,} allowed; keep it as a number or discretize it if it is a measurement, leave it out if it is an "
            "identifier, or declare its states with astype('category')"
        )
    return state_labels(name, values), np.where(absent, MISSING, codes).astype(np.uint16)


def states_of(column: pd.Series[Any]) -> tuple[list[Any], IntArray]:
    """Return a column's values in order, or its categories, and the place of each row's among them; -1 if missing."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.categories), column.cat.codes.to_numpy().astype(np.int64)
    numbers, values = pd.factorize(column)
    order = sorted(range(len(values)), key=lambda k: sort_key(values[k]))
    return [values[k] for k in order], np.append(np.argsort(order), -1)[numbers]


def categorical(column: pd.Series[Any]) -> pd.Categorical:
    """Return a column as a Categorical of its states, in order; a DataError if two are written alike."""
    values, codes = states_of(column)
    return pd.Categorical.from_codes(codes, state_labels(str(column.name), values))


def state_labels(name: str, values: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of a column's states; a DataError if two are written alike."""
    labels = tuple(map(state_label, values))
    twice = repeated(labels)
    if twice is not None:
        raise DataError(f"column '{name}' has two different states that are both written '{twice}'; rename one of them")
    return labels


def checked_states(names: Sequence[str], states: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the states as tuples; DataError if the states of a variable are not distinct strings."""
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise DataError(f'states must be one list for each variable, such as [["no", "yes"]]; got {shown(states)}')
    checked: list[tuple[str, ...]] = []
    for v, each in enumerate(states):
        if isinstance(each, Values):
            checked.append(each)
            continue
        of = f"the states of '{names[v]}'" if v < len(names) else "states"
        strings = checked_names(each, of, '["no", "yes"]', DataError)
        twice = repeated(strings)
        if twice is not None:
            raise DataError(f"{of} must be distinct; '{twice}' occurs {strings.count(twice)} times")
        checked.append(strings)
    return tuple(checked)


def checked_codes(codes: npt.ArrayLike) -> UInt16Array:
    """Return a copy of the codes as uint16; DataError if they are not whole numbers in its range."""
    given = np.asarray(codes)
    if given.size:
        _check_whole(given, "codes", LARGEST_ARITY, "iub", "each is the place of a state in its variable's list")
    return np.array(given, dtype=np.uint16, order="C")


def checked_row_numbers(rows: npt.ArrayLike, n_rows: int) -> npt.NDArray[np.integer[Any]]:
    """Return row numbers as an array; DataError unless they are one or more of 0 … ``n_rows`` - 1."""
    numbers = np.asarray(list(rows) if isinstance(rows, range) else rows)
    if numbers.ndim != 1 or not numbers.size:
        raise DataError(f"rows must be a list of one or more row numbers; got an array of shape {numbers.shape}")
    _check_whole(numbers, "rows", n_rows - 1, "iu", "for a mask, use numpy.flatnonzero(mask)")
    return numbers


def _check_whole(given: npt.NDArray[Any], argument: str, most: int, kinds: str, hint: str) -> None:
    given, fits = np.atleast_1d(given), given.dtype.kind in kinds
    outside = given[(given < 0) | (given > most)] if fits else given[:0]
    if outside.size or not fits:
        wrong = int(outside[0]) if fits else f"an array of {given.dtype}"
        raise DataError(f"{argument} must be whole numbers 0 to {most:,}; got {wrong} ({hint})")


def recoded(codes: UInt16Array, ours: Sequence[tuple[str, ...]], theirs: Sequence[tuple[str, ...]]) -> UInt16Array:
    """Return codes of our lists of states, each the same states as those of theirs, in their order."""
    new = codes.copy()
    for v, (own, other) in enumerate(zip(ours, theirs, strict=True)):
        if own != other:
            code = {state: k for k, state in enumerate(other)}
            there, absent = np.array([code[state] for state in own]), codes[:, v] == MISSING
            new[:, v] = np.where(absent, MISSING, there[np.where(absent, 0, codes[:, v])])
    return new


def empty_table(n_rows: int, n_columns: int) -> DataError:
    """Return the error of a table without rows or columns."""
    size = f"{counted(n_rows, 'row')} and {counted(n_columns, 'column')}"
    return DataError(f"the table has {size}; at least one row and one column are required")


def sort_key(value: Any) -> tuple[int, float, str]:
    """Sort numbers first, in increasing order, then strings alphabetically."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(float(value)):
        return (0, float(value), "")
    return (1, 0.0, str(value))


def state_label(value: Any) -> str:
    """Return a value as the name of a state, composed, long texts shortened; whole numbers have no decimal point."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return bounded_name(composed(str(value)))
