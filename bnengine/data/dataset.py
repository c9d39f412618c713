"""The Dataset: a complete table of discrete variables with declared states, stored as small integers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import IntArray, UInt16Array
from bnengine._core.names import bounded_name, checked_names, composed, repeated, some_of
from bnengine._core.number_text import counted
from bnengine._core.setting_kinds import UnfitError
from bnengine._core.tables import as_frame
from bnengine._core.validation import Ge, validated
from bnengine.data._distinct_rows import distinct_rows
from bnengine.data.errors import DataError as DataError
from bnengine.data.frames import checked_columns as checked_columns
from bnengine.data.frames import checked_frame

if TYPE_CHECKING:  # pandas takes most of a second to import; import it only where a frame is used
    import pandas as pd

#: A column with more states than this is probably an identifier or a measurement that should be discretized.
MAX_STATES = 100
_LARGEST_ARITY = 65_535


@dataclass(frozen=True, eq=False)
class Dataset:
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
        """The data set of a table that is handed in where one is asked for; an UnfitError if it is no table."""
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
