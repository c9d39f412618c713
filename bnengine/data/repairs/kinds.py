"""What a repair is, and what there is to know of a kind of repair; the values of a column, tallied and replaced.

A repair is made by its *step*, a list of texts that a recipe, a link and a command can hold: the kind, the column, and
details that say exactly what is changed, so that it is the same for every reader of the same table.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnengine._core.environment import pd
from bnengine.data.cell_text import number_in
from bnengine.data.checked_frame import state_label

Step = tuple[str, ...]


@dataclass(frozen=True)
class Repair:
    """A proposed repair of one column.

    Attributes
    ----------
    kind : str
        The name of one of ``bnengine.data.repairs.REPAIR_KINDS``.
    details : tuple of str
        What exactly is changed: cells of first or last lines that are no rows; the name of the total; the codes; pairs
        of a spelling and what replaces it; the decimal mark; the order of a date's parts and which parts are kept; the
        mark between answers, and all answers; the name of a scale, and its items with + or −, the first of which is the
        column. States are joined later, once numbers are cut: see ``join_states``.
    count : int
        The number of cells that change.
    before, after : str
        Some of these cells, and what becomes of them.
    sentence : str
        What is the matter, in one sentence.
    choices : tuple of tuple of str
        Other details that may be chosen.
    is_sure : bool
        Whether it joins only what means the same, and loses nothing but codes for missing values, or parts of a column
        that would be lost as a whole. Others are proposed too, but made only where they are named.
    """

    kind: str
    column: str
    details: tuple[str, ...]
    count: int
    before: str
    after: str
    sentence: str
    choices: tuple[tuple[str, ...], ...] = ()
    is_sure: bool = True

    @property
    def step(self) -> Step:
        """The repair as a list of texts, which ``bn.prepare`` and a recipe take."""
        return (self.kind, self.column, *self.details)

    @property
    def name(self) -> str:
        """What it is asked for by, at the command line and in ``repairs``: its kind and column."""
        return f"{self.kind}:{self.column}"

    @property
    def change(self) -> str:
        """What becomes of some cells; empty for a number that looks the same before and after."""
        same = self.kind == "number" and number_in(self.before, "point") == number_in(self.after, "point")
        return "" if same else " → ".join(filter(None, (self.before, self.after)))


Group = Sequence[Repair]
#: What becomes of rows and columns that a repair takes away.
LEFT_OUT = "(left out)"


@dataclass(frozen=True)
class RepairKind:
    """A kind of repair: how it is found, how it is made, and what it is called wherever it is described.

    Attributes
    ----------
    name : str
    words : str or callable
        What it is, behind the columns in a line; or the whole line about repairs of this kind.
    done : str
        What it did, in a report; ``{columns}`` and ``{codes}`` stand for those of its steps.
    takes : callable
        Whether a step may have these details; by default none at all.
    example : tuple of str
        Such details.
    find : callable, optional
        Yields the repairs of a table, and those of the kinds below that can only be found along with them.
    make : callable, optional
        Returns the repaired column, given the column and the details.
    replace, made_names, columns_of : callable, optional
        Of a kind that replaces columns by others: returns the new ones, given the old ones and the details; the names
        that the new ones should have, and the names of the old ones if these are not just the step's column, given the
        step.
    hides_text : bool
        Whether the repaired column does not show what its cells were, so that its steps are made only once.
    counts_cells : bool
        Whether the number of cells that change is worth knowing.
    choice : callable
        Returns the words for details among which a person chooses.
    """

    name: str
    words: str | Callable[[Group], str]
    done: str = ""
    takes: Callable[[Step], bool] = operator.not_
    example: Step = ()
    find: Callable[[pd.DataFrame], Iterator[Repair]] | None = None
    make: Callable[[pd.Series[Any], Sequence[str]], pd.Series[Any]] | None = None
    replace: Callable[[list[pd.Series[Any]], Sequence[str]], list[pd.Series[Any]]] | None = None
    made_names: Callable[[Sequence[str]], list[str]] | None = None
    columns_of: Callable[[Sequence[str]], list[str]] = lambda step: [step[1]]
    hides_text: bool = False
    counts_cells: bool = False
    choice: Callable[[Step], str] = ", ".join

    def line(self, group: Group) -> str:
        """Say in one line what repairs of this kind do, and to how many columns."""
        return self.words(group) if callable(self.words) else change_line(group, self.words)


def change_line(group: Group, words: str, telling: Group = ()) -> str:
    """Return a line on repairs: their columns, words for what is done, and a change, if possible a telling one."""
    first = max(group, key=lambda one: (one.count, one.column))
    change = next((one.change for one in (*telling, first, *group) if one.change), "")
    return f"{columns_in(group)}: {words}" + (f", such as {change}" if change else "")


def columns_in(group: Group) -> str:
    """Return the one column that repairs are about, or how many there are."""
    return f"'{group[0].column}'" if len(group) == 1 else f"{len(group)} columns"


def one(details: Step) -> bool:
    """Return whether a step has a single detail."""
    return len(details) == 1


def distinct_of(column: pd.Series[Any]) -> tuple[Any, list[str]]:
    """Return a code for each row, −1 where the cell is missing, and the labels of the codes."""
    codes, values = pd.factorize(column)
    return codes, [state_label(value) for value in values]


def tally_of(column: pd.Series[Any]) -> dict[str, int]:
    """Return the number of rows of each label, in the order of the labels."""
    codes, labels = distinct_of(column)
    found = Counter[str]()
    for label, n in zip(labels, np.bincount(codes[codes >= 0], minlength=len(labels)).tolist(), strict=True):
        found[label] += n
    return dict(sorted(found.items()))


def with_values(column: pd.Series[Any], codes: Any, values: Sequence[Any], dtype: Any = "str") -> pd.Series[Any]:
    """Return a column with new values of its codes; missing cells stay missing."""
    array = pd.array([*values, None], dtype=dtype)
    return pd.Series(array.take(codes), index=column.index, name=column.name)


#: Distinct texts in a table that are looked at: some 10 µs each.
_MOST_LABELS = 2_000_000


def texts_of(frame: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Tally the columns of text; those with most labels are passed over where all have too many to look at."""
    kinds = {str(name): kind for name, kind in frame.dtypes.items()}
    names = [name for name, kind in kinds.items() if kind.kind not in "iufbcmM" and str(kind) != "category"]
    tallies, n_labels = {}, 0
    for _, name in sorted((int(frame[name].nunique()), name) for name in names):
        tallies[name] = tally_of(frame[name])
        n_labels += len(tallies[name])
        if n_labels > _MOST_LABELS:
            tallies.pop(name)
            break
    return tallies


def most_common(labels: dict[str, int], most: int = 5) -> str:
    """Return the most common labels."""
    first = sorted(labels, key=lambda label: (-labels[label], label))[:most]
    return ", ".join(label[:30] for label in first) + (", …" if len(labels) > most else "")
