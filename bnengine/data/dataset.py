"""The Dataset: a complete table of discrete variables with declared states, stored as small integers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import Int32Array, IntArray, UInt16Array
from bnengine._core.display import Displayed
from bnengine._core.names import bounded_name, checked_names, composed, repeated, some_of
from bnengine._core.number_text import counted
from bnengine._core.setting_kinds import UnfitError
from bnengine._core.tables import as_frame
from bnengine._core.validation import Ge, validated
from bnengine._jit.compiled import compiled
from bnengine._jit.hashing import mix

if TYPE_CHECKING:
    import pandas as pd


# Which rows of a table are equal, by hashing.


def distinct_rows(codes: UInt16Array) -> tuple[IntArray, IntArray, IntArray]:
    """Return the first index of each distinct row, the distinct row of each row, multiplicities.

    In order of first appearance.
    """
    n_rows = len(codes)
    first, which, times = (np.zeros(n_rows, dtype=np.int64) for _ in range(3))
    slots = np.full(1 << (2 * n_rows).bit_length(), -1, dtype=np.int64)
    n = _number(np.ascontiguousarray(codes), first, which, times, slots)
    return first[:n].copy(), which, times[:n].copy()


@compiled
def _number(codes: UInt16Array, first: IntArray, which: IntArray, times: IntArray, slots: IntArray) -> int:
    """Fill the arrays; ``slots`` is the hash table, a power of two of at least twice as many places as rows."""
    n_rows, n_variables = codes.shape
    n_distinct = 0
    for i in range(n_rows):
        key = np.uint64(0)
        for v in range(n_variables):
            key = key * np.uint64(0x9E3779B97F4A7C15) + np.uint64(codes[i, v]) + np.uint64(1)
        slot = np.int64(mix(key) & np.uint64(slots.shape[0] - 1))
        while slots[slot] >= 0:
            other = first[slots[slot]]
            v = 0
            while v < n_variables and codes[other, v] == codes[i, v]:
                v += 1
            if v == n_variables:
                break
            slot = (slot + 1) & (slots.shape[0] - 1)
        if slots[slot] < 0:
            slots[slot] = n_distinct
            first[n_distinct] = i
            n_distinct += 1
        which[i] = slots[slot]
        times[slots[slot]] += 1
    return n_distinct


# The error of data that cannot be used.


class DataError(ValueError):
    """Raised for data that cannot be used; the message names the column, the value and the remedy."""


# Validation of row weights: how often each distinct row of a table occurs in a resample.

#: Largest number of rows of a sample: counts are 32-bit integers.
MOST_ROWS = 2**31 - 1


def checked_weights(weights: npt.ArrayLike, n_distinct: int) -> tuple[Int32Array, int]:
    """Return the weights as int32, shape (D,), and their sum, the number of rows.

    Compiled code relies on this check: invalid weights would make it access memory outside its buffers.

    Raises
    ------
    ValueError
        Unless there is one weight for each distinct row, a whole number of 0 or more, and their sum is 1 …
        2,147,483,647.
    """
    given = np.asarray(weights)
    if given.shape != (n_distinct,):
        raise ValueError(
            f"weights must have one entry for each of the {n_distinct:,} distinct rows (Dataset.multiplicities); "
            f"got shape {given.shape}"
        )
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"weights must be whole numbers, the count of each distinct row; got an array of {given.dtype} (count "
            "rows, for example with numpy.bincount)"
        )
    if given.min() < 0:
        raise ValueError(f"weights must be 0 or more; got {int(given.min())} for distinct row {int(given.argmin())}")
    n_rows = float(given.sum(dtype=np.float64))  # an integer sum could overflow
    if not 1 <= n_rows <= MOST_ROWS:
        raise ValueError(f"weights must add up to 1 to {MOST_ROWS:,} rows; got {n_rows:,.0f}")
    return np.ascontiguousarray(given, dtype=np.int32), int(n_rows)


# A table that a caller hands in: what every function that takes one relies on.


def checked_columns(
    names: Sequence[str], argument: str, remedy: str = "give each column its own name"
) -> tuple[str, ...]:
    """Return the column names as a tuple; DataError if they are not strings, empty or repeated."""
    try:
        names = checked_names(names, argument)
    except ValueError as error:
        raise DataError(str(error)) from None
    twice = repeated(names)
    if twice is not None:
        raise DataError(
            f"{argument} must be distinct: the column name '{twice}' occurs {names.count(twice)} times; {remedy}"
        )
    return names


def column_names(frame: pd.DataFrame) -> list[str]:
    """Return the frame's column names as strings, composed."""
    return [composed(str(name)) for name in frame.columns]


def checked_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with its column names as strings.

    Raises
    ------
    DataError
        If it is no frame, a column's name is repeated, or a cell holds a list or something else without a value of its
        own.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"frame must be a pandas DataFrame; got {ascii(frame)[:60]} of type {type(frame).__name__}")
    names = checked_columns(column_names(frame), "column names", "give each column its own name")
    frame = frame.set_axis(list(names), axis=1)
    for name, kind in zip(names, frame.dtypes, strict=True):
        if kind.kind == "O" and not isinstance(kind, pd.api.extensions.ExtensionDtype):
            _check_cells(name, frame[name])
        elif kind.kind == "c":
            raise DataError(f"column '{name[:80]}' holds complex numbers; give its parts columns of their own")
    return frame


def _check_cells(name: str, column: Any) -> None:
    import pandas as pd

    try:
        distinct = column.dropna().unique()
    except TypeError:
        odd = next(cell for cell in column if not _is_hashable(cell))
        raise DataError(
            f"column '{name[:80]}' holds a {type(odd).__name__} in a cell; give each of its parts a column of its own"
        ) from None
    if pd.api.types.infer_dtype(column, skipna=True).startswith("mixed"):
        kinds = set(map(type, column.dropna()))
        if bool in kinds and kinds & {int, float}:  # True == 1 for Python, but it is another state
            raise DataError(f"column '{name[:80]}' holds truth values beside numbers; turn them into text")
    for cell in distinct:
        if isinstance(cell, tuple | frozenset | bytes | complex):
            raise DataError(f"column '{name[:80]}' holds a {type(cell).__name__} in a cell; turn it into text")


def _is_hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


#: A column with more states than this is probably an identifier or a measurement that should be discretized.
MAX_STATES = 100
_LARGEST_ARITY = 65_535


@dataclass(frozen=True, eq=False)
class Dataset(Displayed):
    """A complete table of discrete variables.

    Attributes
    ----------
    names : tuple of str
        The V variables, in column order.
    states : tuple of tuple of str
        The declared states of each variable; unobserved states count in every number of parameters.
    codes : ndarray of uint16, shape (N, V), read-only
        ``states[v][codes[i, v]]`` is the state of variable v in row i.

    Examples
    --------
    >>> import pandas as pd
    >>> data = Dataset.from_frame(pd.DataFrame({"rain": ["no", "yes", "no"], "wet": ["no", "yes", "yes"]}))
    >>> data.names, data.arities.tolist(), data.n_rows
    (('rain', 'wet'), [2, 2], 3)
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    codes: UInt16Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_columns(self.names, "names"))
        object.__setattr__(self, "states", _checked_states(self.names, self.states))
        codes = _checked_codes(self.codes)
        codes.setflags(write=False)
        object.__setattr__(self, "codes", codes)
        if codes.ndim != 2 or codes.shape[1] != len(self.names) or len(self.states) != len(self.names):
            raise ValueError(
                f"codes must have one column for each of the {len(self.names)} names and state lists; "
                f"got shape {codes.shape} and {len(self.states)} state lists"
            )
        if not codes.size:
            raise _empty(*codes.shape)
        for name, states, column in zip(self.names, self.states, codes.T, strict=True):
            if int(column.max()) >= len(states):
                raise DataError(f"column '{name}' has code {int(column.max())} but only {len(states)} states")

    @classmethod
    @validated
    def from_frame(cls, frame: pd.DataFrame, *, max_states: Annotated[int, Ge(1)] = MAX_STATES) -> Dataset:
        """Encode a frame of discrete columns.

        Parameters
        ----------
        frame : DataFrame
            One column per variable. The categories of a pandas Categorical are the declared states, including
            unobserved ones; the states of any other column are its distinct values, numbers in increasing order,
            strings in alphabetical order.
        max_states : int
            Largest number of distinct values in a column that is not Categorical.

        Raises
        ------
        DataError
            If there are no rows or columns, repeated column names, missing cells, or too many distinct values.
        """
        frame = checked_frame(frame)
        names = list(frame.columns)
        if not names or not len(frame):
            raise _empty(len(frame), len(names))
        columns = [_code_column(names[v], frame.iloc[:, v], max_states) for v in range(len(names))]
        return cls(
            tuple(names), tuple(states for states, _ in columns), np.column_stack([codes for _, codes in columns])
        )

    @classmethod
    def __from_argument__(cls, value: Any) -> Dataset:
        """Return the data set of a table that is handed in where one is asked for; an UnfitError if it is no table."""
        frame = as_frame(value)
        if frame is None:
            raise UnfitError
        return cls.from_frame(frame)

    @property
    def n_rows(self) -> int:
        """Number of rows N."""
        return int(self.codes.shape[0])

    @property
    def n_variables(self) -> int:
        """Number of variables V."""
        return len(self.names)

    @cached_property
    def arities(self) -> IntArray:
        """Number of declared states of each variable, shape (V,)."""
        return np.array([len(states) for states in self.states], dtype=np.int64)

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray, IntArray]:
        """First index of each distinct row, distinct row of each row, multiplicities; in order of first appearance."""
        return distinct_rows(self.codes)

    @property
    def distinct_codes(self) -> UInt16Array:
        """The D distinct rows in order of first appearance, one per column: shape (V, D)."""
        return np.ascontiguousarray(self.codes[self._distinct[0]].T)

    @property
    def distinct_row_of(self) -> IntArray:
        """Number of the distinct row that each row equals, shape (N,)."""
        return self._distinct[1]

    @property
    def multiplicities(self) -> IntArray:
        """Number of occurrences of each distinct row, shape (D,)."""
        return self._distinct[2]

    @cached_property
    def distinct_rows_in_order(self) -> IntArray:
        """Numbers of the distinct rows by their states, the same for any order of the rows and columns, shape (D,)."""
        codes = self.distinct_codes
        order: IntArray = np.lexsort([codes[v] for v in sorted(range(len(codes)), key=self.names.__getitem__)])
        return order

    @validated
    def index(self, name: str) -> int:
        """Return the column number of a variable; ValueError if there is no variable of that name."""
        try:
            return self.names.index(composed(name))
        except ValueError:
            raise ValueError(f"no variable is named '{name}'; the variables are {some_of(self.names)}") from None

    @validated
    def take(self, rows: npt.ArrayLike) -> Dataset:
        """Return the rows with the given numbers 0 … N - 1, repeats allowed; the state space is unchanged."""
        numbers = np.asarray(list(rows) if isinstance(rows, range) else rows)
        if numbers.ndim != 1 or not numbers.size:
            raise DataError(f"rows must be a list of one or more row numbers; got an array of shape {numbers.shape}")
        if numbers.dtype.kind not in "iu":
            raise DataError(
                f"rows must be whole numbers 0 to {self.n_rows - 1:,}; got an array of {numbers.dtype} (for a "
                "mask, use numpy.flatnonzero(mask))"
            )
        outside = numbers[(numbers < 0) | (numbers >= self.n_rows)]
        if outside.size:
            raise DataError(f"rows must be row numbers 0 to {self.n_rows - 1:,}; got {int(outside[0])}")
        return Dataset(self.names, self.states, self.codes[numbers])

    def with_rows(self, codes: UInt16Array) -> Dataset:
        """Return other rows of the same variables, shape (N, V) of uint16; they are not checked, nor copied.

        For rows that the engine has drawn itself: the check takes as long as learning from a small table.
        """
        made = object.__new__(Dataset)
        codes = np.ascontiguousarray(codes)
        codes.setflags(write=False)
        for name, value in (("names", self.names), ("states", self.states), ("codes", codes)):
            object.__setattr__(made, name, value)
        if "arities" in vars(self):
            vars(made)["arities"] = self.arities
        return made

    @validated
    def select(self, names: Sequence[str]) -> Dataset:
        """Return the given variables, each once, in the given order."""
        names = checked_columns(names, "names", "name it once")
        place = {name: v for v, name in enumerate(self.names)}
        columns = [place[name] if name in place else self.index(name) for name in names]
        return Dataset(names, tuple(self.states[v] for v in columns), self.codes[:, columns])

    @validated
    def like(self, other: Dataset) -> Dataset:
        """Return these rows with the variables and state order of another data set, which must have the same states."""
        if (self.names, self.states) == (other.names, other.states):
            return self
        chosen = self.select(other.names)
        codes = np.empty_like(chosen.codes)
        for v, (ours, theirs) in enumerate(zip(chosen.states, other.states, strict=True)):
            if set(ours) != set(theirs):
                raise ValueError(
                    f"'{other.names[v]}' has the states {', '.join(ours)} in one data set but {', '.join(theirs)} in "
                    "the other; declare the same states in both"
                )
            code = {state: k for k, state in enumerate(theirs)}
            codes[:, v] = np.array([code[state] for state in ours])[chosen.codes[:, v]]
        return Dataset(other.names, other.states, codes)

    def to_frame(self) -> pd.DataFrame:
        """Return a frame of Categoricals whose categories are the declared states; ``from_frame`` inverts this."""
        import pandas as pd

        columns = [
            pd.Categorical.from_codes(self.codes[:, v].astype(np.int64), categories=list(states))
            for v, states in enumerate(self.states)
        ]
        return pd.DataFrame(dict(zip(self.names, columns, strict=True)))


def _checked_states(names: Sequence[str], states: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the states as tuples; DataError if the states of a variable are not distinct strings."""
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise DataError(f'states must be one list of states for each variable, such as [["no", "yes"]]; got {states!r}')
    checked = []
    for v, each in enumerate(states):
        of = f"the states of '{names[v]}'" if v < len(names) else "states"
        try:
            strings = checked_names(each, of, '["no", "yes"]')
        except ValueError as error:
            raise DataError(str(error)) from None
        twice = repeated(strings)
        if twice is not None:
            raise DataError(f"{of} must be distinct; '{twice}' occurs {strings.count(twice)} times")
        checked.append(strings)
    return tuple(checked)


def _checked_codes(codes: npt.ArrayLike) -> UInt16Array:
    """Return a copy of the codes as uint16; DataError if they are not whole numbers in its range."""
    given = np.asarray(codes)
    if given.size and given.dtype.kind not in "iub":
        raise DataError(
            "codes must be whole numbers, each the index of a state in its variable's list; got an array of "
            f"{given.dtype}"
        )
    if given.size and (int(given.min()) < 0 or int(given.max()) > _LARGEST_ARITY):
        wrong = int(given.min()) if int(given.min()) < 0 else int(given.max())
        raise DataError(f"codes must be 0 to {_LARGEST_ARITY:,}; got {wrong}")
    return np.array(given, dtype=np.uint16, order="C")


def _code_column(name: str, column: pd.Series[Any], max_states: int) -> tuple[tuple[str, ...], UInt16Array]:
    """Return the states and codes of one column."""
    import pandas as pd

    n_missing = int(column.isna().sum())
    if n_missing:
        raise DataError(
            f"column '{name}' has {counted(n_missing, 'missing cell')}; drop those rows, give "
            "missing cells a state of their own (see bnengine.fill_missing), or leave the column out"
        )
    if isinstance(column.dtype, pd.CategoricalDtype):
        values, codes = list(column.cat.categories), column.cat.codes.to_numpy()
        limit = _LARGEST_ARITY  # declared states are deliberate
    else:
        numbers, uniques = pd.factorize(column, sort=False)
        order = sorted(range(len(uniques)), key=lambda i: sort_key(uniques[i]))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        values, codes = [uniques[i] for i in order], rank[numbers]
        limit = max_states
    if len(values) > limit:
        raise DataError(
            f"column '{name}' has {len(values):,} different values (such as '{state_label(values[0])}'), more than the "
            f"{limit:,} allowed; discretize it if it is a measurement, or leave it out if it is an identifier"
        )
    labels = tuple(state_label(value) for value in values)
    twice = repeated(labels)
    if twice is not None:
        raise DataError(f"column '{name}' has two different states that are both written '{twice}'; rename one of them")
    return labels, codes.astype(np.uint16)


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


def _empty(n_rows: int, n_columns: int) -> DataError:
    size = f"{counted(n_rows, 'row')} and {counted(n_columns, 'column')}"
    return DataError(f"the table has {size}; at least one row and one column are required")
