"""Where a table's missing cells are, what each way of learning would use, and whether holes depend on seen cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.display import Displayed, counted, percent
from bnengine._core.environment import pd
from bnengine._core.validation import accepts, validated
from bnengine.data.dataset import Dataset
from bnengine.scores.dependence import g_squared_of_many

#: Patterns that are listed; the rarer ones are only counted.
MOST_PATTERNS = 50
#: Probability that any dependence is named where no hole depends on what is seen.
LEVEL = 0.01
#: Missing cells, and seen ones, per degree of freedom below which a pair is not tested.
_LEAST_EACH = 5
_MOST_NAMED = 3  # dependences in a notebook


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
    >>> found = bn.answers.missingness(frame)
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
        text = f"{counted(int(self.missing.sum()), 'missing cell')} in {counted(len(holed), 'variable')} and "
        text += f"{counted(self.n_rows - self.n_complete, 'row')} of {self.n_rows:,}."
        more = [*self.uses().values(), *(f"{one.sentence}." for one in self.depends[:_MOST_NAMED])]
        return " ".join([text, *more]), holed


class DependentHoles(NamedTuple):
    """A variable whose holes depend on another one, which is seen: its cells are not missing completely at random."""

    variable: str
    on: str
    g_squared: float
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
