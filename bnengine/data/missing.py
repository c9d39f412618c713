"""Missing cells: the treatments to choose from; filling or dropping them before learning; a state of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, UInt16Array
from bnengine._core.environment import pd
from bnengine._core.validation import one_of, validated
from bnengine.data.checked_frame import DataError, categorical, checked_frame, empty_table, states_of


class Treatment(NamedTuple):
    """A treatment of missing cells.

    Attributes
    ----------
    label, brief : str
        Its name in a list, and among the cells of a table.
    help : str
        What it does, in one sentence.
    done : str
        The same as a clause of a methods section.
    keeps : bool
        Whether missing cells stay in the data set, to be treated in every replicate.
    """

    label: str
    brief: str
    help: str
    done: str
    keeps: bool = False


#: The treatments by their keys, in the order of lists.
TREATMENTS = {
    "drop_rows": Treatment(
        "Leave out these rows",
        "rows left out",
        "Rows with a missing cell are left out.",
        "rows with a missing cell were left out",
    ),
    "own_state": Treatment(
        "Treat “missing” as a state of its own",
        "a state of its own",
        "A missing cell is a further state of its variable.",
        "a missing cell is a state of its own",
    ),
    "most_common": Treatment(
        "Fill in the most common state",
        "the most common state",
        "Missing cells are filled in with the most common state.",
        "the most common state was filled in",
    ),
    "drawn": Treatment(
        "Keep them: drawn in every replicate",
        "draws in every replicate",
        "Every replicate draws its missing cells anew, given the observed ones, so the uncertainty about them is "
        "included in the confidence.",
        "they were drawn anew in every replicate,",
        keeps=True,
    ),
    "complete_families": Treatment(
        "Keep them: each variable and its parents counted where they are seen",
        "complete families",
        "Each family is scored on the rows in which the child and all its parents are seen. Where being missing "
        "depends on another variable, this invents edges, as dropping rows does.",
        "each family was scored on the rows in which it is complete",
        keeps=True,
    ),
}
#: Those that a single column may have, those that keep missing cells, and what ``Dataset.with_missing`` takes, where
#: "listwise" leaves out rows.
OF_COLUMNS = tuple(key for key, one in TREATMENTS.items() if not one.keeps)
KEEPING = tuple(key for key, one in TREATMENTS.items() if one.keeps)
WAYS_TO_LEARN = (*KEEPING, "listwise", "own_state")
#: The state that a missing cell becomes.
MISSING_STATE = "(missing)"


@validated
def fill_missing(frame: pd.DataFrame, policy: str | Mapping[str, str] = "drop_rows") -> pd.DataFrame:
    """Return a frame without missing cells, but for those that are kept.

    Parameters
    ----------
    frame : DataFrame
    policy : {"drop_rows", "own_state", "most_common"} or mapping from column to policy
        Drop every row with a missing cell; make "(missing)" a state of its own in the columns that have missing cells
        (numbers in these columns become strings, so discretize first); or fill in the column's most common value, of
        equally common ones the first, counted before rows are dropped. Columns that a mapping does not name drop rows;
        those that it says to ``"keep"`` keep their missing cells.

    Returns
    -------
    DataFrame
        A new frame; columns with a state of its own for missing cells are Categoricals.

    Raises
    ------
    DataError
        If no row is complete under ``drop_rows``, two states of a column are written alike, or a column to fill has no
        values.
    ValueError
        If the policy is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"home": ["own", None, "own"], "region": ["north", "south", None]})
    >>> fill_missing(frame, {"home": "most_common"})["home"].tolist()
    ['own', 'own']
    """
    for one in policy.values() if isinstance(policy, Mapping) else [policy]:
        if one not in OF_COLUMNS and not (one == "keep" and isinstance(policy, Mapping)):
            raise ValueError(f"policy must be one of {', '.join(OF_COLUMNS)}; got '{one!s:.60}'")
    frame = checked_frame(frame)
    if not frame.size:
        raise empty_table(*frame.shape)
    policies = dict(policy) if isinstance(policy, Mapping) else dict.fromkeys(frame.columns, policy)
    filled = frame.copy()
    dropping = []
    for name in frame.columns[frame.isna().any()]:
        how = policies.get(name, "drop_rows")
        if how == "drop_rows":
            dropping.append(name)
        elif how == "own_state":
            filled[name] = _with_own_state(frame[name])
        elif how == "most_common":
            filled[name] = frame[name].fillna(_most_common(frame[name]))
    return _without_rows(filled, dropping)


def _without_rows(frame: pd.DataFrame, dropping: list[str]) -> pd.DataFrame:
    """Drop the rows with missing cells in some columns."""
    if not dropping:
        return frame
    missing = frame[dropping].isna()
    complete = frame[~missing.any(axis=1)].reset_index(drop=True)
    if not len(complete):
        worst = missing.sum().idxmax()
        raise DataError(
            f"every row has a missing cell (most in column '{worst}': {int(missing[worst].sum())}); "
            "leave that column out, or give missing cells a state of their own with policy='own_state'"
        )
    return complete


def _most_common(column: pd.Series[Any]) -> Any:
    """Return the most common value; of equally common ones the first in the order of the states."""
    values, codes = states_of(column)
    if codes.max(initial=-1) < 0:
        raise DataError(f"column '{column.name}' has no values, so none is the most common; leave it out")
    return values[int(np.bincount(codes[codes >= 0]).argmax())]


def _with_own_state(column: pd.Series[Any]) -> Any:
    """Return a column in which missing is a state, the last one; an existing one has the same meaning."""
    states = categorical(column)
    kept = [state for state in states.categories if state != MISSING_STATE]
    return states.set_categories([*kept, MISSING_STATE]).fillna(MISSING_STATE)


# Data sets in which missing cells are kept, or are no longer missing.

#: The way of a data set whose missing cells are kept, unless another is named.
DEFAULT_WAY = "drawn"


def checked_way(way: str, argument: str = "missing") -> str:
    """Return the key of a way; ``"keep"`` is the way taken by default. A ValueError for an unknown one."""
    return DEFAULT_WAY if one_of(way, argument, ("keep", *WAYS_TO_LEARN)) == "keep" else way


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
