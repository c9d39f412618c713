"""Missing cells: an explicit choice of what to do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnengine.data.dataset import DataError, sort_key, state_label
from bnengine.data.frames import checked_frame

if TYPE_CHECKING:
    import pandas as pd

MISSING_POLICIES = ("drop_rows", "own_state")
MISSING_STATE = "(missing)"


def fill_missing(frame: pd.DataFrame, policy: str = "drop_rows") -> pd.DataFrame:
    """Return a frame without missing cells.

    Parameters
    ----------
    frame : DataFrame
    policy : {"drop_rows", "own_state"}
        Drop every row with a missing cell, or make "(missing)" a state of its own in the columns that have missing
        cells (numbers in these columns become strings, so discretize first).

    Raises
    ------
    DataError
        If no row is complete under ``drop_rows``, or two states of a column are written alike.
    ValueError
        If the policy is unknown.
    """
    import pandas as pd

    if policy not in MISSING_POLICIES:
        raise ValueError(f"policy must be one of {', '.join(MISSING_POLICIES)}; got '{policy!s:.60}'")
    checked_frame(frame)
    if not frame.shape[1]:
        raise DataError("the table has no columns; at least one is needed")
    missing = frame.isna()
    if policy == "drop_rows":
        complete = frame[~missing.any(axis=1)].reset_index(drop=True)
        if not len(complete):
            counts = missing.sum()
            if not counts.any():
                raise DataError("the table has no rows; at least one is needed")
            raise DataError(
                f"every row has a missing cell (most in column '{counts.idxmax()}': {counts.max()}); "
                "leave that column out, or give missing cells a state of their own with policy='own_state'"
            )
        return complete
    filled = frame.copy()
    for name in frame.columns[missing.any()]:
        column = frame[name]
        # astype(object) again, since ``map`` makes an empty column numeric, which cannot hold a string
        if isinstance(column.dtype, pd.CategoricalDtype):
            states = [str(state) for state in column.cat.categories]
            strings = column.astype(object).map(str, na_action="ignore").astype(object)
        else:
            values = sorted(column.dropna().unique(), key=sort_key)
            states = [state_label(value) for value in values]
            strings = column.astype(object).map(state_label, na_action="ignore").astype(object)
        if len(set(states)) < len(states):
            raise DataError(f"column '{name}' has two different states that are written alike; rename one of them")
        states = [
            state for state in states if state != MISSING_STATE
        ]  # an existing state "(missing)" has the same meaning
        filled[name] = pd.Categorical(strings.fillna(MISSING_STATE), categories=[*states, MISSING_STATE])
    return filled
