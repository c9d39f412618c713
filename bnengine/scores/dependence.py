"""Dependence between variables: mutual information, its bias, G²; and what the holes of a table depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc, xlogy

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.display import Displayed, counted, percent
from bnengine._core.environment import pd
from bnengine._core.validation import Ge, StateCount, VariableCount, accepts, validated
from bnengine.data.dataset import Dataset
from bnengine.networks.network import configuration_numbers
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LogLikelihood


@validated
def contingency_table(data: Dataset, row_variable: str, column_variable: str) -> IntArray:
    """Count the rows of the data with each pair of states.

    Parameters
    ----------
    data : Dataset
    row_variable, column_variable : str

    Returns
    -------
    ndarray of int, shape (r, c)
        A line per state of the first variable, a column per state of the second.

    Raises
    ------
    ValueError
        If a name is unknown.

    Examples
    --------
    >>> import bnengine as bn
    >>> contingency_table(bn.load_network("cancer").sample(100, rng=1), "Smoker", "Cancer").sum()
    np.int64(100)
    """
    i, j = data.index(row_variable), data.index(column_variable)
    shape = int(data.arities[i]), int(data.arities[j])
    numbers = configuration_numbers(data.codes, (i, j), data.arities.tolist())
    return np.bincount(numbers, minlength=shape[0] * shape[1]).reshape(shape)


@validated
def mutual_information(table: npt.ArrayLike) -> float:
    """Return the plug-in mutual information of a table of counts, nats.

    Parameters
    ----------
    table : array of shape (r, c)

    Returns
    -------
    float
        Nats, 0 or more.

    Raises
    ------
    ValueError
        If the table is not two-dimensional, has a negative or infinite entry, or is all zeros.

    Examples
    --------
    >>> mutual_information([[5, 5], [5, 5]])
    0.0
    >>> import math
    >>> round(mutual_information([[5, 0], [0, 5]]) / math.log(2), 3)
    1.0
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not np.isfinite(counts).all() or (counts < 0).any() or not counts.sum():
        raise ValueError("table must be a table of counts, none negative and not all 0")
    return float(g_squared_of_many(counts[None])[0] / (2 * counts.sum()))


@validated
def g_squared(table: npt.ArrayLike) -> float:
    """Return the likelihood-ratio statistic of independence, G² = 2 N I.

    For independent variables it is approximately chi-square with (r - 1)(c - 1) degrees of freedom (Wilks 1938).

    Parameters
    ----------
    table : array of shape (r, c)
        Counts.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the table is not two-dimensional, has a negative or infinite entry, or is all zeros.

    Examples
    --------
    >>> round(g_squared([[20, 10], [10, 20]]), 2)
    6.8
    """
    return 2 * float(np.sum(table)) * mutual_information(table)


@validated
def leading_information_bias(n_states: StateCount, n_other_states: StateCount, n_rows: Annotated[int, Ge(1)]) -> float:
    """Return the leading-order bias of plug-in mutual information: (r - 1)(c - 1) / (2 N) nats (Miller 1955).

    A bootstrap resample adds the same bias once more. Times N, it is the penalty of one edge under the leading
    correction with the strength ``LEADING_STRENGTH``.

    Parameters
    ----------
    n_states, n_other_states : int
        r and c.
    n_rows : int
        N.

    Returns
    -------
    float
        Nats.

    Examples
    --------
    >>> leading_information_bias(2, 3, 100)
    0.01
    """
    return (n_states - 1) * (n_other_states - 1) / (2 * n_rows)


def g_squared_of_many(tables: FloatArray) -> FloatArray:
    """Return G² of each table; ``tables`` has shape (R, r, c), the result shape (R,)."""
    n = tables.sum(axis=(1, 2), keepdims=True)
    expected = tables.sum(axis=1, keepdims=True) * tables.sum(axis=2, keepdims=True) / n
    ratio = tables / np.where(expected > 0, expected, 1.0)
    result: FloatArray = 2 * (tables * np.log(np.where(tables > 0, ratio, 1.0))).sum(axis=(1, 2))
    return np.maximum(result, 0.0)


@validated
def mutual_informations(data: Dataset) -> FloatArray:
    """Return the mutual information of each pair of variables, nats per row.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    ndarray, shape (V, V)
        Symmetric, with zeros on the diagonal.

    Examples
    --------
    >>> import bnengine as bn
    >>> information = mutual_informations(bn.load_network("cancer").sample(200, rng=1))
    >>> information.shape, bool((information == information.T).all())
    ((5, 5), True)
    """
    scores = LocalScores(data, LogLikelihood())
    alone = [scores(v) for v in range(data.n_variables)]
    information = np.zeros((data.n_variables, data.n_variables))
    for j in range(data.n_variables):
        for i in range(j):
            information[i, j] = information[j, i] = max(scores(j, [i]) - alone[j], 0.0) / data.n_rows
    return information


@validated
def most_dependent(data: Dataset, n_variables: VariableCount) -> list[str]:
    """Select ``n_variables`` dependent variables greedily; the names are in column order.

    The pair with the largest mutual information comes first, then repeatedly the variable with the largest mutual
    information with any variable already selected.

    Parameters
    ----------
    data : Dataset
    n_variables : int
        All if there are no more.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If ``n_variables`` is smaller than 1.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.teaching.most_dependent(bn.load_network("asia").sample(2000, rng=1), 3)
    ['smoke', 'bronc', 'dysp']
    """
    information = mutual_informations(data)
    if data.n_variables <= n_variables or n_variables == 1:
        return list(data.names[:n_variables])
    i, j = np.unravel_index(int(np.argmax(information)), information.shape)
    chosen = [int(i), int(j)] if i != j else [0, 1]
    while len(chosen) < n_variables:
        nearest = information[chosen].max(axis=0)
        nearest[chosen] = -1.0
        chosen.append(int(np.argmax(nearest)))
    return [data.names[v] for v in sorted(chosen)]


# Conditional independence: G² of two variables in each configuration of others, for sparse tables too.


def conditional_g_squared(data: Dataset, one: str, other: str, given: Sequence[str] = ()) -> tuple[float, int]:
    """Return G² of two variables given others, and its degrees of freedom.

    In each configuration of the others the statistic is the likelihood-ratio G² of the table of the two, and their sum
    is approximately chi-square if the two are independent given the others (Wilks 1938). A configuration's degrees of
    freedom are (a - 1)(b - 1) with a and b the numbers of their states that occur in it, so that states that never
    occur there, whose cells are zero under any hypothesis, are not counted (as Bishop, Fienberg & Holland 1975).

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(5000, rng=1)
    >>> g, freedom = conditional_g_squared(data, "Xray", "Smoker", ["Cancer"])  # independent of all others given that
    >>> g < 15, freedom
    (True, 2)
    """
    x, y = data.distinct_codes[[data.index(one), data.index(other)]].astype(np.int64)
    r, s, weights = int(data.arities[data.index(one)]), int(data.arities[data.index(other)]), data.multiplicities
    z = np.zeros(len(x), dtype=np.int64)
    for column in map(data.index, given):  # renumbered each time, so that no product of arities can overflow
        z = np.unique(z * int(data.arities[column]) + data.distinct_codes[column], return_inverse=True)[1]

    def information(numbers: IntArray) -> float:
        """Return the sum of n ln n over the rows with each number."""
        counts = np.bincount(np.unique(numbers, return_inverse=True)[1], weights)
        return float(xlogy(counts, counts).sum())

    freedom = int(((np.bincount(np.unique(z * r + x) // r) - 1) * (np.bincount(np.unique(z * s + y) // s) - 1)).sum())
    joint = information((z * r + x) * s + y) + information(z)
    g = 2.0 * (joint - information(z * r + x) - information(z * s + y))
    return (max(g, 0.0), freedom) if freedom else (0.0, 0)


# Where a table's missing cells are, what each way of learning would use, and whether holes depend on seen cells.

#: Patterns that are listed; the rarer ones are only counted.
MOST_PATTERNS = 50
#: Probability that any dependence is named where no hole depends on what is seen.
LEVEL = 0.01
#: Missing cells, and seen ones, per degree of freedom below which a pair is not tested.
_LEAST_EACH = 5


class DependentHoles(NamedTuple):
    """A variable whose holes depend on another one, which is seen: its cells are not missing completely at random."""

    variable: str
    on: str
    g_squared: float
    degrees_of_freedom: int
    p_value: float  # of this pair by itself
    often: tuple[str, float]  # the state of ``on`` with the largest share of missing cells, and that share
    seldom: tuple[str, float]  # and with the smallest

    @property
    def sentence(self) -> str:
        """The dependence in words."""
        return (
            f"'{self.variable}' is missing in {percent(self.often[1])} of the rows with {self.on} = {self.often[0]} "
            f"and in {percent(self.seldom[1])} of those with {self.on} = {self.seldom[0]}"
        )


_MOST_NAMED = 3  # dependences in a notebook


@dataclass(frozen=True, eq=False)
class Missingness(ReadOnlyArrays, Displayed):
    """Where the missing cells of a table are.

    Attributes
    ----------
    names : tuple of str
        The V variables.
    missing : ndarray of int, shape (V,), read-only
        Number of missing cells of each variable.
    patterns : ndarray of bool, shape (P, V), read-only
        Which variables are missing together, the most frequent pattern first; at most 50. Rows in which nothing is
        missing are a pattern, too.
    pattern_rows : ndarray of int, shape (P,), read-only
        Number of rows with each.
    n_patterns : int
        Number of all patterns.
    both_seen : ndarray of int, shape (V, V), read-only
        Number of rows in which two variables are seen; on the diagonal, one.
    depends : tuple of DependentHoles
        The smallest p-value first.
    n_tests : int
        Number of pairs that were tested; ``depends`` are those that remain at the family-wise ``level``.
    level : float
        Probability that a pair is named wrongly, if no cell's being missing depends on what is seen (Holm 1979).
    n_complete : int
        Rows in which nothing is missing.
    """

    names: tuple[str, ...]
    n_rows: int
    missing: IntArray = field(repr=False)
    patterns: BoolArray = field(repr=False)
    pattern_rows: IntArray = field(repr=False)
    n_patterns: int
    both_seen: IntArray = field(repr=False)
    depends: tuple[DependentHoles, ...] = field(repr=False)
    n_tests: int
    level: float
    n_complete: int

    @property
    def shares(self) -> FloatArray:
        """Share of each variable's cells that are missing, shape (V,)."""
        return self.missing / self.n_rows

    @property
    def together(self) -> tuple[tuple[tuple[str, ...], int], ...]:
        """Groups of variables that are always missing together, and the number of rows in which they are."""
        unseen = self.missing[:, None] + self.missing - (self.n_rows - self.both_seen)  # rows in which both are missing
        groups: dict[int, list[str]] = {}
        for v, name in enumerate(self.names):
            if self.missing[v]:
                first = int(np.flatnonzero((self.missing == self.missing[v]) & (unseen[v] == self.missing[v]))[0])
                groups.setdefault(first, []).append(name)
        return tuple((tuple(group), int(self.missing[v])) for v, group in groups.items() if len(group) > 1)

    def uses(self) -> dict[str, str]:
        """Say what each way of ``bn.Dataset.with_missing`` would use, in one sentence each, by the way's key."""
        rows, cells = counted(self.n_rows, "row"), counted(int(self.missing.sum()), "missing cell")
        pairs = self.both_seen[np.triu_indices(len(self.names), 1)]
        least, middle = (int(pairs.min()), int(np.median(pairs))) if pairs.size else (self.n_rows,) * 2
        more = counted(int((self.missing > 0).sum()), "variable")
        return {
            "drawn": f"Drawn uses all {rows}; each replicate draws {cells} anew.",
            "complete_families": f"Complete families judges a pair of variables on {middle:,} of {rows} at the median, "
            f"and on {least:,} at least; larger families on fewer.{self._selected()}",
            "listwise": f"Dropping rows keeps {self.n_complete:,} of {rows}.",
            "own_state": f"A state of its own uses all {rows} and gives a further state to {more}.",
        }

    def _selected(self) -> str:
        if not self.depends:
            return ""
        return (
            f" It is not advised here: {self.depends[0].sentence}, so the rows that it counts are selected, and it can "
            "invent edges."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per variable.

        Returns
        -------
        DataFrame
            ``variable``; ``missing``, cells; ``share`` of its cells; ``depends_on``, the seen variables on which its
            holes depend, separated by semicolons.
        """
        on = {name: "; ".join(one.on for one in self.depends if one.variable == name) for name in self.names}
        columns = {"missing": self.missing, "share": self.shares, "depends_on": list(on.values())}
        return pd.DataFrame({"variable": list(self.names), **columns})

    def _shown(self) -> tuple[str, pd.DataFrame]:
        holed = self.to_frame().query("missing > 0").sort_values("missing", ascending=False, kind="stable")
        if holed.empty:
            return "No cell is missing.", holed
        said = f"{counted(int(self.missing.sum()), 'missing cell')} in {counted(len(holed), 'variable')} and "
        said += f"{counted(self.n_rows - self.n_complete, 'row')} of {self.n_rows:,}."
        more = [*self.uses().values(), *(f"{one.sentence}." for one in self.depends[:_MOST_NAMED])]
        return " ".join([said, *more]), holed


@validated
@accepts(interventions=True, missing=True)
def missingness(data: Dataset | pd.DataFrame) -> Missingness:
    """Describe where the missing cells are, and test whether they depend on what is seen.

    For each variable with missing cells and each other variable, G² tests whether the first one's being missing is
    independent of the second one's state, on the rows in which the second is seen. If it is not, the cells are not
    missing completely at random (Rubin 1976; for normal variables, Little 1988 tests all at once), and complete rows
    are a selection: to count families on the rows in which they are seen, or to drop rows, can invent edges. Whether
    being missing depends on the missing state itself cannot be seen in any table; if it does,
    every way of learning may be biased.

    Parameters
    ----------
    data : Dataset or DataFrame
        With missing cells.

    Returns
    -------
    Missingness

    Examples
    --------
    >>> import bnengine as bn
    >>> frame = bn.load_network("asia").sample(1000, rng=1).to_frame().astype(object)
    >>> frame.loc[(frame["smoke"] == "yes") & (frame.index % 3 == 0), "xray"] = None
    >>> found = bn.missingness(frame)
    >>> found.n_complete, found.depends[0].variable, found.depends[0].on
    (828, 'xray', 'smoke')
    """
    if not isinstance(data, Dataset):
        data = Dataset.from_frame(data, missing="keep")
    codes, counts = data.recorded
    holes = np.zeros(codes.shape, dtype=np.bool_) if data.holes is None else data.holes
    rows = np.ones(len(codes), dtype=np.int64) if counts is None else counts
    seen = (~holes).astype(np.float64)
    patterns, of_row = np.unique(holes, axis=0, return_inverse=True)
    pattern_rows = np.bincount(of_row.ravel(), rows, len(patterns)).astype(np.int64)
    frequent = np.lexsort([np.arange(len(patterns)), -pattern_rows])[:MOST_PATTERNS]
    depends, n_tests = _dependences(data, holes, rows)
    return Missingness(
        names=data.names,
        n_rows=data.n_rows,
        missing=rows @ holes,
        patterns=patterns[frequent],
        pattern_rows=pattern_rows[frequent],
        n_patterns=len(patterns),
        both_seen=np.rint((seen * rows[:, None]).T @ seen).astype(np.int64),
        depends=depends,
        n_tests=n_tests,
        level=LEVEL,
        n_complete=int(rows[~holes.any(axis=1)].sum()),
    )


def _dependences(data: Dataset, holes: BoolArray, rows: IntArray) -> tuple[tuple[DependentHoles, ...], int]:
    """Test each variable with holes against all others; returns the pairs that Holm's method keeps, and the tests."""
    codes, columns = data.recorded[0], np.flatnonzero(holes.any(axis=0))
    tested: list[DependentHoles] = []
    absent = holes[:, columns].astype(np.float64) * rows[:, None]
    for other in range(data.n_variables if columns.size else 0):
        shown = ~holes[:, other]
        states = (codes[:, other][:, None] == np.arange(data.arities[other])) & shown[:, None]
        of_state = rows @ states
        states, labels = states[:, of_state > 0], np.array(data.states[other], dtype=object)[of_state > 0]
        freedom = len(labels) - 1
        if freedom < 1:
            continue
        lacking = absent.T @ states  # (holed variables, states of the other)
        tables = np.stack([lacking, of_state[of_state > 0] - lacking], axis=1)
        enough = (tables.sum(axis=2).min(axis=1) >= _LEAST_EACH * freedom) & (columns != other)
        for at in np.flatnonzero(enough).tolist():
            g, shares = float(g_squared_of_many(tables[at : at + 1])[0]), lacking[at] / of_state[of_state > 0]
            high, low = int(shares.argmax()), int(shares.argmin())
            tested.append(
                DependentHoles(
                    data.names[columns[at]],
                    data.names[other],
                    g,
                    freedom,
                    float(chdtrc(freedom, g)),
                    (str(labels[high]), float(shares[high])),
                    (str(labels[low]), float(shares[low])),
                )
            )
    tested.sort(key=lambda one: (one.p_value, -one.g_squared, one.variable, one.on))
    kept = 0
    while kept < len(tested) and tested[kept].p_value <= LEVEL / (len(tested) - kept):
        kept += 1
    return tuple(tested[:kept]), len(tested)
