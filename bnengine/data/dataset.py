"""The Dataset: a table of variables with declared states or kept as numbers, stored as small integers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt16Array, as_frame
from bnengine._core.digests import digest
from bnengine._core.display import Displayed, counted, gigabytes
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import composed, some_of
from bnengine._core.validation import Bins, validated
from bnengine._jit.records import distinct_rows
from bnengine.data import checked_frame as tables
from bnengine.data.checked_frame import MISSING, Values, coded_column, empty_table
from bnengine.data.checked_frame import DataError as DataError
from bnengine.data.columns import measurements
from bnengine.data.dependent_rows import INDEPENDENT, DependentRows, check_series, design_effect
from bnengine.data.determined import functions_of_others, sums_of_others
from bnengine.data.interventions import BlockLength, Experiments, Targets, counts_of_rows, row_columns
from bnengine.data.missing import DEFAULT_WAY, KEEPING, checked_way, with_own_states
from bnengine.data.numbers import cut_column, number_column
from bnengine.data.sampling_weights import SamplingWeights

_LISTED = 12  # states of a variable, in a notebook
#: Bytes of a long table that are made from its distinct rows when they are asked for.
_LARGEST_TABLE = 4 * 2**30


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Dataset(Displayed):
    """A table of discrete variables, and of numbers that are kept as such.

    With ``counts``, whole numbers that say how often each given row occurs, equal rows are joined and only distinct
    ones are kept. The data are those of the long table in which every row stands as often as it occurs, in order of
    first appearance; ``codes`` is that table, made when asked for. Scores, searches and resamples read the distinct
    rows only.

    Attributes
    ----------
    names : tuple of str
        The V variables, in column order.
    states : tuple of tuple of str
        The declared states of each variable; unobserved states count in every number of parameters. Of a number, its
        values in increasing order.
    codes : ndarray of uint16, shape (N, V), read-only
        ``states[v][codes[i, v]]`` is the state of variable v in row i; 65,535 where it is missing.
    experiments : Experiments or None
        Which variables were set in each row, rather than observed; None if none ever was.
    dependent : DependentRows or None
        Which rows depend on each other, as clusters or as blocks of a series, or stand for more or fewer persons, as
        ``SamplingWeights``; None if they are taken as independent.
    missing_way : str or None
        How to learn from the missing cells, "drawn" or "complete_families"; None if no cell is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> data = Dataset.from_frame(pd.DataFrame({"rain": ["no", "yes", "no"], "wet": ["no", "yes", "yes"]}))
    >>> data.names, data.arities.tolist(), data.n_rows
    (('rain', 'wet'), [2, 2], 3)
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    experiments: Experiments | None
    missing_way: str | None
    dependent: DependentRows | None

    _rows: UInt16Array  # (R, V), as they are kept
    _times: IntArray | None  # (R,), how often each occurs; None for once each

    def __init__(
        self,
        names: Sequence[str],
        states: Sequence[Sequence[str]],
        codes: npt.ArrayLike,
        experiments: Experiments | None = None,
        missing_way: str | None = None,
        counts: npt.ArrayLike | None = None,
        dependent: DependentRows | None = None,
    ) -> None:
        names = tables.checked_columns(names, "names")
        states = tables.checked_states(names, states)
        rows = tables.checked_codes(codes)
        if rows.ndim != 2 or rows.shape[1] != len(names) or len(states) != len(names):
            raise ValueError(
                f"codes must have one column for each of the {len(names)} names and state lists; "
                f"got shape {rows.shape} and {len(states)} state lists"
            )
        if not rows.size:
            raise empty_table(*rows.shape)
        for name, own, column in zip(names, states, rows.T, strict=True):
            if int(column.max()) == MISSING:
                column = column[column != MISSING]
            if column.size and int(column.max()) >= len(own):
                raise DataError(f"column '{name}' has code {int(column.max())} but only {len(own)} states")
        if counts is not None:
            if np.shape(counts) != (shape := rows.shape[:1]):
                raise DataError(f"counts must have shape {shape}, one number a row; got shape {np.shape(counts)}")
            times = counts_of_rows("counts", pd.Series(counts))
            occur = np.flatnonzero(times)
            rows, times = rows[occur], times[occur]
            experiments = None if experiments is None else experiments.take(occur)
            first, which, _ = _distinct_rows(rows, experiments)
            counts = np.bincount(which, weights=times, minlength=first.size).astype(np.int64)
            counts.setflags(write=False)
            rows, experiments = rows[first], None if experiments is None else experiments.take(first)
        rows.setflags(write=False)
        way = checked_way(missing_way or "keep", "missing_way") if (rows == MISSING).any() else None
        if way is not None and way not in KEEPING:
            raise ValueError(f"missing_way='{way}' leaves no missing cell; use with_missing('{way}')")
        vars(self).update(names=names, states=states, experiments=experiments, missing_way=way, dependent=dependent)
        vars(self).update(_rows=rows, _times=counts)

    def __repr__(self) -> str:
        return f"<{self.n_rows:,} rows of {self.n_variables:,} variables>"

    @classmethod
    @validated
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        missing: str | None = None,
        interventions: str | None = None,
        weights: str | None = None,
        clusters: str | None = None,
        blocks: BlockLength | None = None,
        sampling_weights: str | None = None,
        numbers: Sequence[str] = (),
    ) -> Dataset:
        """Encode a frame of discrete columns, and of numbers to be kept as such.

        Parameters
        ----------
        frame : DataFrame
            One column per variable. The categories of a pandas Categorical are the declared states, including
            unobserved ones; the states of any other column are its distinct values, numbers in increasing order,
            strings in alphabetical order, at most 100.
        missing : {"keep", "drawn", "complete_families", "listwise", "own_state"}, optional
            What becomes of missing cells: they are kept, and learned from in the way that is named (``"keep"``: in the
            way that measured best), or their rows are dropped, or they are a state of their own. By default they are
            refused. ``"complete_families"`` and ``"listwise"`` invent edges where being missing depends on another
            variable, even one that is always seen: if A is missing by their common effect C, the rows in which A and B
            are seen are selected by C, and there A and B depend on each other. ``bn.answers.missingness`` looks for
            such holes.
        interventions : str, optional
            The column that names, in each row, the variable that an experiment set there, or nothing; several are
            separated by a semicolon. Such a row does not count for the families of these variables (Cooper & Yoo
            1999).
        weights : str, optional
            The column of whole numbers that says how often each row occurs. The data are those of the long table in
            which it stands as often; only distinct rows are kept. Weights of a survey are ``sampling_weights``.
        clusters : str, optional
            The column that names the unit, such as a person or a ward, that each row is a measurement of. Resamples
            draw whole units, and scores count the effective rows (``design_effect``). The column is no variable.
        blocks : int, optional
            For a series, whose rows are in the order of time: the number of rows beyond which they no longer depend on
            each other. Resamples draw blocks of so many consecutive rows, and scores count the effective rows. By
            default, without ``clusters`` and ``blocks``, rows are taken as independent.
        sampling_weights : str, optional
            The column of numbers that says how many others each person of a survey stands for. Shares are those of the
            weights, scores count Kish's effective number of rows, and resamples draw persons with their weights.
        numbers : sequence of str
            The columns of measurements that are kept as numbers instead of being cut into states. A table with numbers
            is scored by the covariances of their normal scores and of indicators of the other columns' states, by BIC,
            AIC or the log-likelihood; what needs states refuses it.

        Raises
        ------
        DataError
            If there are no rows or columns, repeated column names, missing cells (unless ``missing`` says what becomes
            of them), or too many distinct values, or if ``interventions``, ``weights``, ``clusters``,
            ``sampling_weights`` or ``numbers`` name no column, or one whose cells are none; if ``blocks`` leave fewer
            than five blocks; or if two of ``weights``, ``clusters``, ``blocks`` and ``sampling_weights`` are given.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"rain": ["no", "yes"], "wet": ["no", "yes"], "set": ["", "wet"], "n": [30, 10]})
        >>> data = Dataset.from_frame(frame, interventions="set", weights="n")
        >>> data.names, data.n_rows, data.targets
        (('rain', 'wet'), 40, ((), ('wet',)))
        >>> frame = pd.DataFrame({"rain": ["no", "yes", None], "wet": ["no", None, "yes"]})
        >>> Dataset.from_frame(frame, missing="keep").missing.sum(axis=0).tolist()
        [1, 1]
        >>> visits = pd.DataFrame({"person": [*"abcd"] * 2, "sex": [*"ffmm"] * 2, "smokes": [*"nynyynyy"]})
        >>> visits = Dataset.from_frame(visits, clusters="person")
        >>> visits.names, visits.dependent.n_units
        (('sex', 'smokes'), 4)
        >>> people = pd.DataFrame({"sex": [*"ffmm"], "votes": [*"nyny"], "weight": [0.5, 0.5, 0.5, 2.5]})
        >>> people = Dataset.from_frame(people, sampling_weights="weight")
        >>> people.n_rows, people.effective_rows
        (4, 2)
        >>> frame = pd.DataFrame({"sex": ["f", "m", "f"], "height": [1.62, 1.8, 1.7]})
        >>> Dataset.from_frame(frame, numbers=["height"]).numbers
        ('height',)
        """
        way = None if missing is None else checked_way(missing)
        frame = tables.checked_frame(frame)
        about = weights, clusters, blocks, sampling_weights
        frame, experiments, counts, dependent = row_columns(frame, interventions, *about)
        kept = tables.checked_columns(numbers, "numbers", "name it once")
        unknown = next((name for name in kept if name not in frame.columns), None)
        if unknown is not None:
            raise DataError(f"numbers names '{unknown[:80]}', but the variables are {some_of(list(frame.columns))}")
        data = cls._coded(frame, kept, missing is not None, experiments, counts=counts, dependent=dependent)
        if blocks is not None:
            check_series(data.names, data.cut()._rows)
        return data if way is None else data.with_missing(way)

    @classmethod
    def __from_argument__(cls, value: Any) -> Dataset | None:
        """Return the data set of a table given as an argument, its measurements kept as numbers; None if it is none."""
        frame = as_frame(value)
        if frame is None:
            return None
        frame = tables.checked_frame(frame)
        if frame.empty:
            raise empty_table(*frame.shape)
        return cls._coded(frame, measurements(frame))

    @classmethod
    def _coded(
        cls, frame: pd.DataFrame, numbers: Sequence[str], missing: bool = False, *args: Any, **of_rows: Any
    ) -> Dataset:
        """Return the data set of a checked frame, all of whose columns are variables."""
        columns = [
            (number_column if name in numbers else coded_column)(name, frame[name], missing) for name in frame.columns
        ]
        states, codes = zip(*columns, strict=True)
        return cls(list(frame.columns), states, np.column_stack(codes), *args, **of_rows)

    @cached_property
    def n_rows(self) -> int:
        """Number of rows N."""
        return len(self._rows) if self._times is None else int(self._times.sum())

    @cached_property
    def codes(self) -> UInt16Array:
        """The table, shape (N, V); a DataError if only its distinct rows are kept and it needs more than 4 GB."""
        if self._times is None:
            return self._rows
        codes = self._rows[self.distinct_row_of]
        codes.setflags(write=False)
        return codes

    @property
    def n_variables(self) -> int:
        """Number of variables V."""
        return len(self.names)

    @cached_property
    def arities(self) -> IntArray:
        """Number of declared states of each variable, shape (V,)."""
        return np.array([len(states) for states in self.states], dtype=np.int64)

    @cached_property
    def holes(self) -> BoolArray | None:
        """Which cells of the recorded rows are missing, shape (R, V); None if none is."""
        holes: BoolArray = self._rows == MISSING
        holes.setflags(write=False)
        return holes if holes.any() else None

    @property
    def missing(self) -> BoolArray | None:
        """Which cells are missing, shape (N, V), read-only; None if none is."""
        return self.holes if self.holes is None or self._times is None else self.holes[self.distinct_row_of]

    @cached_property
    def functions(self) -> dict[str, tuple[str, ...]]:
        """The variables that are a function of others, with these: states of up to three, numbers as sums."""
        rows, times = self.distinct_codes.T, self.multiplicities
        columns = {
            name: own.numbers[codes]
            for name, own, codes in zip(self.names, self.states, rows.T, strict=True)
            if isinstance(own, Values) and self.holes is None
        }
        kept = [v for v, own in enumerate(self.states) if not isinstance(own, Values)]
        found = functions_of_others([self.names[v] for v in kept], rows[:, kept], times)
        if not columns:
            return found
        return found | sums_of_others(list(columns), np.column_stack([*columns.values()]), times)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all that is learned from: names, states, rows and their order, experiments, holes, numbers."""
        about = () if self.dependent is None else (self.dependent.of_row, self.dependent.block)
        weights = () if self._weights is None else (self._weights,)
        numbers = (self.numbers,) if self.numbers else ()
        kept = self.names, self.states, *self.recorded, self.experiments, self.missing_way
        return digest(*kept, *about, *weights, *numbers)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The variables that are kept as numbers, in column order."""
        return tuple(name for name, own in zip(self.names, self.states, strict=True) if isinstance(own, Values))

    @property
    def _weights(self) -> IntArray | None:
        """Sampling weights of the rows, shape (N,); None without any."""
        return self.dependent.weights if isinstance(self.dependent, SamplingWeights) else None

    @cached_property
    def design_effect(self) -> float:
        """How many rows are worth one independent row: 1, or more where ``dependent`` rows repeat each other."""
        if self.dependent is None:
            return 1.0
        if isinstance(self.dependent, SamplingWeights):
            return self.dependent.kish
        by_name = sorted(range(self.n_variables), key=self.names.__getitem__)
        return design_effect(self.cut(4)._rows[:, by_name], self.dependent)

    @property
    def effective_rows(self) -> int:
        """How many independent rows these are worth: N, or N over the design effect where rows depend on each other."""
        return self.n_rows if self.design_effect == 1.0 else max(1, round(self.n_rows / self.design_effect))

    @property
    def worth(self) -> float:
        """How many effective rows one of the ``multiplicities`` is worth."""
        in_all = 1.0 if self._weights is None else self._weights.mean()
        return float(1.0 / self.design_effect / in_all)

    @property
    def holds(self) -> tuple[str, ...]:
        """What not every function allows for: "interventions", "missing" and "numbers", where the data have them."""
        here = self.experiments is not None, self.holes is not None, bool(self.numbers)
        return tuple(itertools.compress(("interventions", "missing", "numbers"), here))

    @property
    def units(self) -> tuple[int, ...] | None:
        """The number of the cluster or block of each row; None if rows are taken as independent."""
        return None if self.dependent is None else tuple(self.dependent.of_row.tolist())

    @property
    def n_units(self) -> int:
        """Number of clusters or blocks that are drawn and left out together; that of the rows, if each is by itself."""
        return self.n_rows if self.dependent is None else self.dependent.n_units

    @property
    def rows_taken(self) -> str:
        """What the rows are taken as, in a sentence."""
        return INDEPENDENT if self.dependent is None else self.dependent.sentence(self.effective_rows)

    @validated
    def with_missing(self, way: str) -> Dataset:
        """Return these data with missing cells dealt with in the named way, or to be dealt with so in every replicate.

        Parameters
        ----------
        way : {"keep", "drawn", "complete_families", "listwise", "own_state"}
            As for ``from_frame``.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"rain": ["no", "yes", None], "wet": ["no", None, "yes"]})
        >>> data = Dataset.from_frame(frame, missing="keep")
        >>> data.with_missing("listwise").n_rows, data.with_missing("own_state").arities.tolist()
        (1, [3, 3])
        """
        way, holes = checked_way(way, "way"), self.holes
        if holes is None or way == self.missing_way:
            return self
        if way in KEEPING:
            if self.numbers and way != DEFAULT_WAY:
                raise DataError(
                    f"way='{way}' counts each family on rows of its own, but covariances of numbers are those of the "
                    "same rows; use way='drawn' or way='listwise', or cut them"
                )
            return Dataset(self.names, self.states, self._rows, self.experiments, way, self._times, self.dependent)
        if way == "own_state":
            if self.numbers:
                raise DataError("way='own_state' needs states, but a number has none; use way='listwise', or cut it")
            states, codes = with_own_states(self.states, self._rows, holes)
            about = self._times, self.dependent
            return Dataset(self.names, states, codes, self.experiments, None, *about)
        complete = np.flatnonzero(~holes.any(axis=1))
        if not complete.size:
            raise DataError("every row has a missing cell, so way='listwise' leaves none; keep them: way='keep'")
        return self._some_rows(complete, None if self._times is None else self._times[complete])

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray, IntArray]:
        """First recorded row of each distinct one, distinct row of each recorded one, multiplicities."""
        if self._times is None and self._weights is None:
            return _distinct_rows(self._rows, self.experiments)
        every, times = np.arange(len(self._rows)), self._times if self._weights is None else self._weights
        assert times is not None
        return every, every, times

    @property
    def recorded(self) -> tuple[UInt16Array, IntArray | None]:
        """The rows as they are kept, shape (R, V), and how often each occurs, shape (R,); None for once each."""
        return self._rows, self._times

    @property
    def targets(self) -> Targets:
        """The variables that each experiment set; without experiments the empty tuple alone, which is observation."""
        return ((),) if self.experiments is None else self.experiments.targets

    @property
    def observed(self) -> Dataset:
        """The rows in which nothing was set; a DataError if there are none."""
        if self.experiments is None:
            return self
        kept = np.array([not targets for targets in self.targets])[self.experiments.of_row]
        if not kept.any():
            raise DataError("an experiment set a variable in every row, so none is left that was only observed")
        counts = None if self._times is None else self._times[kept]
        dependent = None if self.dependent is None else self.dependent.take(np.flatnonzero(kept))
        return Dataset(self.names, self.states, self._rows[kept], None, self.missing_way, counts, dependent)

    @property
    def rows_of_experiments(self) -> IntArray:
        """Number of rows of each experiment, in the order of ``targets``."""
        times = self.multiplicities if self._weights is None else None
        return np.bincount(self.experiment_of_distinct, times, len(self.targets)).astype(np.int64)

    @property
    def experiment_of_distinct(self) -> IntArray:
        """Number of the experiment that each distinct row comes from, shape (D,)."""
        first = self._distinct[0]
        return np.zeros(first.size, dtype=np.int64) if self.experiments is None else self.experiments.of_row[first]

    @validated
    def counts_for(self, variable: int) -> IntArray | FloatArray | None:
        """Return how often each recorded row counts for a variable's family, shape (R,); None for once each.

        Of rows with sampling weights these are the weights, of mean 1.
        """
        times = self._times if self._weights is None else self._weights / self._weights.mean()
        if self.experiments is None:
            return times
        counted_here = self.experiments.counts_for(self.names[variable : variable + 1])[0][self.experiments.of_row]
        counts_here: IntArray = counted_here * (np.int64(1) if times is None else times)
        return counts_here

    @property
    def distinct_codes(self) -> UInt16Array:
        """The D distinct rows in order of first appearance, one per column: shape (V, D)."""
        return np.ascontiguousarray(self._rows[self._distinct[0]].T)

    @cached_property
    def distinct_row_of(self) -> IntArray:
        """Number of the distinct row that each row equals, shape (N,)."""
        if self._times is None:
            return self._distinct[1]
        needed = self.n_rows * (8 + 2 * self.n_variables)
        if needed > _LARGEST_TABLE:
            raise DataError(
                f"this needs each of the {self.n_rows:,} rows by itself, {gigabytes(needed)}; take fewer, such as "
                "data.take(range(0, data.n_rows, 100))"
            )
        return np.repeat(np.arange(self._times.size), self._times)

    @cached_property
    def multiplicities(self) -> IntArray:
        """Number of occurrences of each distinct row, or its sampling weight, shape (D,); see ``worth``."""
        return self._distinct[2]

    @cached_property
    def distinct_rows_in_order(self) -> IntArray:
        """Numbers of the distinct rows by their states, the same for any order of the rows and columns, shape (D,)."""
        codes = self.distinct_codes
        by_name = [codes[v] for v in sorted(range(len(codes)), key=self.names.__getitem__)]
        return np.lexsort([self.multiplicities, self.experiment_of_distinct, *by_name])

    @cached_property
    def rank_of_row(self) -> IntArray:
        """The place in that order of the distinct row that each row equals, shape (N,)."""
        return np.asarray(self.distinct_rows_in_order.argsort()[self.distinct_row_of])

    @property
    def sorted_rows(self) -> Dataset:
        """The distinct rows in that order, with how often each occurs: draws from them depend on no order of rows.

        Rows of clusters are sorted one by one, and those of a series stay in their order.
        """
        if self.dependent is not None:
            by_state = np.argsort(self.rank_of_row, kind="stable")
            return self if self.dependent.block else self._some_rows(by_state)
        order, counts = self.distinct_rows_in_order, self.multiplicities
        return self._some_rows(self._distinct[0][order], counts[order])

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
        numbers = tables.checked_row_numbers(rows, self.n_rows)
        if self._times is not None:
            numbers = np.searchsorted(np.cumsum(self._times), numbers, side="right")
        return self._some_rows(numbers)

    def _some_rows(self, numbers: npt.NDArray[np.integer[Any]], counts: IntArray | None = None) -> Dataset:
        """Return some of the recorded rows, once each or as often as the counts say."""
        experiments = None if self.experiments is None else self.experiments.take(numbers)
        dependent = None if self.dependent is None else self.dependent.take(numbers)
        return Dataset(self.names, self.states, self._rows[numbers], experiments, self.missing_way, counts, dependent)

    def with_rows(self, codes: UInt16Array, completed: bool = False) -> Dataset:
        """Return other rows of the same variables, shape (N, V) of uint16; they are not checked, nor copied.

        For complete rows that the engine has drawn itself: the check takes as long as learning from a small table.
        They are independent, unless they are these rows with their missing cells ``completed``.
        """
        made = object.__new__(Dataset)
        codes = np.ascontiguousarray(codes)
        codes.setflags(write=False)
        vars(made).update(names=self.names, states=self.states, experiments=None, missing_way=None)
        vars(made).update(dependent=self.dependent if completed else None)
        vars(made).update(_rows=codes, _times=None, holes=None)
        if "arities" in vars(self):
            vars(made)["arities"] = self.arities
        return worth_as(self, made) if completed else made

    @validated
    def cut(self, bins: Bins = 3) -> Dataset:
        """Return these data with each number cut into states of about as many rows.

        Examples
        --------
        >>> import pandas as pd
        >>> data = Dataset.from_frame(pd.DataFrame({"age": [8, 30, 41, 52]}), numbers=["age"])
        >>> data.cut(2).states
        (('8 to 30', '41 to 52'),)
        """
        if not self.numbers:
            return self
        times = np.ones(len(self._rows), dtype=np.int64) if self._times is None else self._times
        columns = [
            cut_column(own, codes, times, bins) if isinstance(own, Values) else (own, codes)
            for own, codes in zip(self.states, self._rows.T, strict=True)
        ]
        states, codes = zip(*columns, strict=True)
        about = self.experiments, self.missing_way, self._times, self.dependent
        return Dataset(self.names, states, np.column_stack(codes), *about)

    @validated
    def select(self, names: Sequence[str]) -> Dataset:
        """Return the given variables, each once, in the given order."""
        names = tables.checked_columns(names, "names", "name it once")
        place = {name: v for v, name in enumerate(self.names)}
        columns = [place[name] if name in place else self.index(name) for name in names]
        experiments = None if self.experiments is None else self.experiments.among(names)
        states = tuple(self.states[v] for v in columns)
        return Dataset(
            names, states, self._rows[:, columns], experiments, self.missing_way, self._times, self.dependent
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a frame of numbers, and of Categoricals whose categories are the declared states.

        ``from_frame`` inverts this, given the names of the numbers.
        """
        codes = np.where(self.codes == MISSING, -1, self.codes.astype(np.int64))
        columns = [
            np.where(codes[:, v] < 0, np.nan, own.numbers[codes[:, v]])
            if isinstance(own, Values)
            else pd.Categorical.from_codes(codes[:, v], categories=list(own))
            for v, own in enumerate(self.states)
        ]
        return pd.DataFrame(dict(zip(self.names, columns, strict=True)))

    def _shown(self) -> tuple[str, pd.DataFrame]:
        times = 1 if self._times is None else self._times
        holes = 0 if self.holes is None else int((self.holes.sum(axis=1) * times).sum())
        text = f"{counted(self.n_rows, 'row')} of {counted(self.n_variables, 'variable')}, "
        text += f"{counted(holes, 'missing cell') if holes else 'no cell missing'}."
        if self.experiments is not None:
            was_set = [n for targets, n in zip(self.targets, self.rows_of_experiments.tolist(), strict=True) if targets]
            text += f" Experiments set variables in {counted(sum(was_set), 'row')}."
        text += f" {self.rows_taken}" if self.dependent is not None else ""
        states = [
            f"numbers from {own[0]} to {own[-1]}"
            if isinstance(own, Values)
            else ", ".join(own[:_LISTED]) + ", …" * (len(own) > _LISTED)
            for own in self.states
        ]
        about = {"variable": list(self.names), "n_states": self.arities.tolist(), "states": states}
        return text, pd.DataFrame(about, dtype=object)


def worth_as(data: Dataset, made: Dataset) -> Dataset:
    """Return a resample or a completion of the data, a row of which is worth as much as one of these."""
    vars(made)["design_effect"] = 1.0 / data.worth if made._weights is None else data.design_effect
    return made


def _distinct_rows(rows: UInt16Array, experiments: Experiments | None) -> tuple[IntArray, IntArray, IntArray]:
    """Return ``distinct_rows``; equal rows of different experiments count for different families."""
    return distinct_rows(rows if experiments is None else np.column_stack([rows, experiments.of_row.astype(np.uint16)]))
