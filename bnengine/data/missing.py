"""What to do with missing cells: an explicit choice, never a silent one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnengine.data.dataset import DataError

if TYPE_CHECKING:
    import pandas as pd

MISSING_POLICIES = ("drop_rows", "own_state")
MISSING_STATE = "(missing)"


def fill_missing(frame: pd.DataFrame, policy: str = "drop_rows") -> pd.DataFrame:
    """A frame without missing cells.

    Parameters
    ----------
    frame : DataFrame
    policy : {"drop_rows", "own_state"}
        Leave out every row with a missing cell, or make "missing" a state of its own in the columns that need it
        (numbers in such a column become words, so discretise first).

    Raises
    ------
    DataError
        If no row is complete under ``drop_rows``.
    """
    import pandas as pd

    if policy not in MISSING_POLICIES:
        raise ValueError(f"policy must be one of {', '.join(MISSING_POLICIES)}; got '{policy}'")
    missing = frame.isna()
    if policy == "drop_rows":
        complete = frame[~missing.any(axis=1)].reset_index(drop=True)
        if not len(complete):
            worst = str(missing.sum().idxmax())
            raise DataError(
                f"every row has a missing cell (most in column '{worst}': {int(missing[worst].sum())}); "
                "leave that column out, or give missing cells a state of their own"
            )
        return complete
    filled = frame.copy()
    for name in frame.columns[missing.any()]:
        column = frame[name]
        # (a column without any cell is one of numbers after ``map``, and would not take the word)
        if isinstance(column.dtype, pd.CategoricalDtype):
            states = [str(state) for state in column.cat.categories]
            words = column.astype(object).map(str, na_action="ignore").astype(object)
        else:
            values = sorted(column.dropna().unique(), key=lambda v: (isinstance(v, str), v))
            states = [_written(value) for value in values]
            words = column.astype(object).map(_written, na_action="ignore").astype(object)
        if len(set(states)) < len(states):
            raise DataError(f"column '{name}' has two different states that are written alike; rename one")
        states = [state for state in states if state != MISSING_STATE]  # the table's own "(missing)" means the same
        filled[name] = pd.Categorical(words.fillna(MISSING_STATE), categories=[*states, MISSING_STATE])
    return filled


def _written(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
