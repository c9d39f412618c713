"""Ways to learn from rows with missing cells: each is declared once, with its name and what it does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import BoolArray, UInt16Array
from bnengine._core.validation import one_of


@dataclass(frozen=True)
class MissingWay:
    """One way to learn from rows with missing cells.

    Attributes
    ----------
    help : str
        One sentence.
    keeps : bool
        Whether missing cells stay in the data set, to be dealt with in every replicate.
    """

    label: str
    help: str
    keeps: bool


#: The ways by their keys, in the order of lists.
MISSING_WAYS = {
    "drawn": MissingWay(
        "Drawn",
        "Every replicate fills its missing cells by draws from a network fitted to what is seen, so that the doubt "
        "about them enters the confidence.",
        True,
    ),
    "complete_families": MissingWay(
        "Complete families", "Each family is scored on the rows in which the child and all its parents are seen.", True
    ),
    "listwise": MissingWay("Complete rows", "Rows with a missing cell are dropped.", False),
    "own_state": MissingWay("State of its own", "A missing cell is a further state of its variable.", False),
}
#: The way of a data set whose missing cells are kept, unless another is named.
DEFAULT_WAY = "drawn"


def checked_way(way: str, argument: str = "missing") -> str:
    """Return the key of a way; ``"keep"`` is the way taken by default. A ValueError for an unknown one."""
    return DEFAULT_WAY if one_of(way, argument, ("keep", *MISSING_WAYS)) == "keep" else way


#: The state that a missing cell becomes.
MISSING_STATE = "(missing)"


def with_own_states(
    states: tuple[tuple[str, ...], ...], codes: UInt16Array, holes: BoolArray
) -> tuple[tuple[tuple[str, ...], ...], UInt16Array]:
    """Return states and codes in which a missing cell is the last state of its variable, ``MISSING_STATE``.

    A variable that has such a state already keeps its states; it has the same meaning.
    """
    absent = [bool(column.any()) for column in holes.T]
    more = tuple(
        (*own, MISSING_STATE) if hole and MISSING_STATE not in own else own
        for own, hole in zip(states, absent, strict=True)
    )
    last = [own.index(MISSING_STATE) if hole else 0 for own, hole in zip(more, absent, strict=True)]
    return more, np.where(holes, np.array(last), codes).astype(np.uint16)
