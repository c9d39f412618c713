"""Do rows depend on each other? What a table shows of it, and the question that follows; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import UInt16Array, UInt64Array
from bnengine._core.display import quoted
from bnengine._core.environment import pd
from bnengine.data.cell_text import folded
from bnengine.data.dataset import Dataset
from bnengine.data.dependent_rows import INDEPENDENT, neighbours_alike, suggested_block
from bnengine.data.sampling_weights import weight_columns
from bnengine.data.words import words
from bnengine.experiment.recipe import Recipe
from bnengine.networks.network import fit
from bnengine.scores.scores import BIC
from bnengine.search.hill_climbing import HillClimbing
from bnengine.search.learning import learn

#: Standard errors by which neighbouring rows are alike. Of 1,500 tables of 20 to 3,000 independent rows, of independent
#: columns or of nine networks, none had more than 4.3, 1 in 100 more than 2.1, and none was asked about at all, whether
#: by this, by copies or by units (``python -m benchmarks.dependent_rows``): at most 0.2 % of such tables are.
_ALIKE = 5.0
#: Equal rows beyond those that a fitted network expects, as a share of all, and in standard errors.
_SURPLUS, _SURPRISING = 0.05, 5.0
_NEXT = 5  # values on either side of a number with which it is compared
_MOST_ROWS, _MOST_LEARNED_FROM, _MOST_VARIABLES, _N_TABLES = 20_000, 2_000, 150, 5
#: Different values of a column that names units; more where the column's name does not say so.
_LEAST_UNITS, _LEAST_UNNAMED = 5, 8
_UNITS = words("column.units")

_QUESTION = "Are {} sorted, repeated measurements of one unit, a series, or copies?"
#: What stands for a value that is not known.
BLANKS = ("COLUMN", "LENGTH")
#: How a place writes an answer: a setting and its value, such as "clusters='patient'".
Written = Callable[[str, str], str]


@dataclass(frozen=True)
class RowQuestion:
    """What a table shows of rows that depend on each other.

    Attributes
    ----------
    alike : float
        Standard errors by which neighbouring rows are more alike than any two.
    copies : int
        Equal rows beyond those that a fitted network expects; 0 if not too many.
    units : tuple of str
        Columns that may name the unit that each row is a measurement of.
    block : int
        Rows of a block, if this is a series: beyond it rows are no longer alike. 1 if neighbours are not.
    """

    alike: float
    copies: int
    units: tuple[str, ...]
    block: int

    @property
    def sentence(self) -> str:
        """What is seen, and the question."""
        seen = []
        if self.alike > _ALIKE:
            seen.append("Rows next to each other are alike.")
        elif self.copies:
            seen.append(f"{self.copies:,} more rows are equal than chance explains.")
        if self.units:
            seen.append(f"Each value of {quoted(self.units)} stands in several rows.")
        rows = "they" if self.alike > _ALIKE and len(seen) == 1 else "the rows"
        return " ".join([*seen, _QUESTION.format(rows)])

    def remark(self, written: Written) -> str:
        """Return the question with how each answer is given, without a stop."""
        unit = self.units[0] if self.units else BLANKS[0]
        answers = {"clusters": unit, "blocks": str(self.block) if self.block > 1 else BLANKS[1], "rows_are": "sorted"}
        ways = [*(written(setting, value) for setting, value in answers.items()), written("rows_are", "copies")]
        return f"{self.sentence} {INDEPENDENT[:-1]} until you say so: {', '.join(filter(None, ways))}"


def row_question(recipe: Recipe, frame: pd.DataFrame, data: Dataset | None) -> RowQuestion | None:
    """Return what a table of a file shows of rows that depend on each other; None if nothing, or if it is answered."""
    answered = recipe.weights or recipe.sampling_weights or recipe.clusters or recipe.blocks or recipe.rows_are
    if recipe.source != "file" or answered:
        return None
    repaired = recipe.repaired(frame)
    units = tuple(
        str(name) for name in repaired.columns if name != recipe.interventions and _names_units(repaired[name])
    )
    if data is None or data.recorded[1] is not None or data.n_rows < 20:
        return RowQuestion(0.0, 0, units, 1) if units else None
    copies = _copies_of_numbers(data) if data.numbers else _copies(data)
    codes = data.cut().codes
    alike = neighbours_alike(codes)
    if alike <= _ALIKE and not copies and not units:
        return None
    return RowQuestion(alike, copies, units, suggested_block(codes))


def possible_weights(recipe: Recipe, frame: pd.DataFrame) -> list[tuple[str, bool]]:
    """Return the columns of a file that may hold weights, with whether they are no variables; none if one is named."""
    if recipe.source != "file" or recipe.weights or recipe.sampling_weights:
        return []
    return list(weight_columns(recipe.repaired(frame)))


def weights_asked(recipe: Recipe, frame: pd.DataFrame, written: Written) -> Iterator[str]:
    """Ask of each column that may hold weights what they are, with how each answer is given, without a stop."""
    for name, is_left_out in possible_weights(recipe, frame):
        variable = written("repairs", f"-leave_out:{name}") if is_left_out else ""
        yield (
            f"'{name}' may hold weights: "
            f"{written('sampling_weights', name)} if each row stands for so many others in a population, "
            f"{written('weights', name)} if it occurs so often{f', {variable} if it is a variable' * is_left_out}"
        )


def _names_units(column: pd.Series[object]) -> bool:
    """Return whether a column may name what each row is a measurement of, each of several times.

    By its name, or since each value stands equally often, as by no chance, or in one block only. Measurements do not.
    """
    if column.dtype.kind == "f" or column.isna().any():
        return False
    counts, n = column.value_counts(), len(column)
    if not _LEAST_UNITS <= len(counts) <= n / 2:
        return False
    parts = folded(str(column.name)).replace("_", " ").replace("-", " ").replace(".", " ").split()
    if any(word in _UNITS for word in parts):
        return True
    values = column.to_numpy()
    in_blocks = int((values[1:] != values[:-1]).sum()) + 1 == len(counts)
    return len(counts) >= _LEAST_UNNAMED and (in_blocks or int(counts.max()) == int(counts.min()))


def _copies_of_numbers(data: Dataset) -> int:
    """Return how many more rows are equal to an earlier one than chance explains; 0 unless they are many.

    By chance, two rows that agree in all other cells have the same number no more often than one of the ten next
    values, unless the number is a function of those cells. Variables that are functions of others are not compared.
    """
    rows = data.take(range(min(data.n_rows, _MOST_ROWS)))
    rows = rows.select([name for name in rows.names if name not in data.functions])
    factors = np.random.default_rng(0).integers(1, 2**63, rows.n_variables, dtype=np.uint64)
    cells = rows.codes * factors  # the sums of which are equal where rows are, but once in 2**48 times
    whole = cells.sum(axis=1)
    times = np.unique(whole, return_counts=True)[1]
    surplus, equal = rows.n_rows - times.size, float((times * (times - 1.0)).sum() / 2.0)
    numbers = [rows.names.index(name) for name in rows.numbers][:_MOST_VARIABLES]
    near = max(_near_pairs(whole - cells[:, v], rows.codes[:, v]) for v in numbers)
    return _clear(surplus, surplus * min(1.0, near / max(equal, 1.0)), rows.n_rows)


def _near_pairs(rest: UInt64Array, codes: UInt16Array) -> float:
    """Return how many pairs of rows agree in the rest and have different numbers at most ``_NEXT`` values apart."""
    order = np.lexsort((codes, rest))
    rest, values = rest[order], codes[order].astype(np.int64)
    first = np.flatnonzero(np.append(True, (rest[1:] != rest[:-1]) | (values[1:] != values[:-1])))
    times, rest, values = np.diff(np.append(first, rest.size)), rest[first], values[first]
    pairs = 0
    for lag in range(1, _NEXT + 1):
        near = (rest[lag:] == rest[:-lag]) & (values[lag:] - values[:-lag] <= _NEXT)
        pairs += int((times[lag:] * times[:-lag])[near].sum())
    return float(pairs)


def _clear(surplus: int, expected: float, n_rows: int) -> int:
    """Return how many of the rows are equal beyond those expected; 0 unless they are many, and more than by chance."""
    beyond = surplus - expected
    return round(beyond) if beyond > max(_SURPLUS * n_rows, _SURPRISING * np.sqrt(expected + 1.0)) else 0


def _copies(data: Dataset) -> int:
    """Return how many more rows are equal to an earlier one than in tables drawn from a fitted network; 0 if by chance.

    The network is learned by a climb from at most 2,000 rows; with more than 150 variables that is not tried.
    """
    rows = data.take(range(min(data.n_rows, _MOST_ROWS)))
    surplus = rows.n_rows - rows.multiplicities.size
    if data.holds or data.n_variables > _MOST_VARIABLES or surplus <= _SURPLUS * rows.n_rows:
        return 0
    learned_from = data.take(np.linspace(0, data.n_rows - 1, min(data.n_rows, _MOST_LEARNED_FROM)).round().astype(int))
    network = fit(learned_from, learn(learned_from, BIC(), HillClimbing()).edges, 1.0)
    rng = np.random.default_rng(0)
    drawn = [rows.n_rows - network.sample(rows.n_rows, rng).multiplicities.size for _ in range(_N_TABLES)]
    return _clear(surplus, float(np.mean(drawn)), rows.n_rows)
